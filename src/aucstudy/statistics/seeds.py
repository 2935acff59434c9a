"""Seeds that depend on what is drawn, never on the order of jobs, and the number of draws that a task needs."""

import hashlib
import math

import numpy as np


def seed_sequence(seed: int, *names: object) -> np.random.SeedSequence:
    """Return the seed for one purpose, which `names` describe by a task_id and an experiment, for example.

    >>> int(seed_sequence(1, "iris", "folds").generate_state(1)[0])
    1616604996
    """
    digest = hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()
    return np.random.SeedSequence([seed, *np.frombuffer(digest, dtype="<u4").tolist()])


def generator(seed: int, *names: object) -> np.random.Generator:
    return np.random.default_rng(seed_sequence(seed, *names))


# A task gets all draws up to so many rows of the rarer class and so many rows of both classes.
ALL_DRAWS = 1000
ALL_DRAWS_ROWS = 3000
FEWEST = 20


def draws_needed(draws: int, y_true: np.ndarray) -> int:
    """Return how many of `draws` a task needs: 20 or more, unless `draws` is fewer.

    Above 1,000 rows of the rarer class the number falls as one over these rows, as the variance of a metric
    over random cuts does. Above 3,000 rows of both classes it falls as one over all rows. The smaller of the
    two numbers is taken. `benchmarks/draws.py` fails if this adds 2 % to the variance of a mean.
    """
    rarer = min(int(np.sum(y_true)), len(y_true) - int(np.sum(y_true)))
    share = min(1, ALL_DRAWS / max(rarer, 1), ALL_DRAWS_ROWS / len(y_true))
    return min(draws, max(FEWEST, math.ceil(draws * share)))
