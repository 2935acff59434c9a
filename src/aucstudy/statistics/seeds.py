"""Seeds that depend on what is drawn, never on the order of jobs, and the number of draws that a task needs."""

import hashlib
import math

import numpy as np


def seed_sequence(seed: int, *names: object) -> np.random.SeedSequence:
    """The seed of one purpose, named by such as a task_id and an experiment.

    >>> int(seed_sequence(1, "iris", "folds").generate_state(1)[0])
    1616604996
    """
    digest = hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()
    return np.random.SeedSequence([seed, *np.frombuffer(digest, dtype="<u4").tolist()])


def generator(seed: int, *names: object) -> np.random.Generator:
    return np.random.default_rng(seed_sequence(seed, *names))


# rows of the rarer class, and rows of both, up to which a task gets all draws
ALL_DRAWS = 1000
ALL_DRAWS_ROWS = 3000
FEWEST = 20


def draws_needed(draws: int, y_true: np.ndarray) -> int:
    """How many of `draws` a task needs: at least 20 of them.

    From 1,000 rows of the rarer class on draws fall as one over these, as the variance of an area over cuts does; from
    3,000 rows on also as one over the rows. `benchmarks/draws.py` fails where this adds 2 % to the variance of a mean.
    """
    rarer = min(int(np.sum(y_true)), len(y_true) - int(np.sum(y_true)))
    share = min(1, ALL_DRAWS / max(rarer, 1), ALL_DRAWS_ROWS / len(y_true))
    return min(draws, max(FEWEST, math.ceil(draws * share)))
