"""Random draws: seeds that depend on what is drawn, never on the order of jobs or on other tasks, and how many draws
a task needs."""

import hashlib
import math

import numpy as np


def seed_sequence(seed: int, *names: object) -> np.random.SeedSequence:
    """The seed of one purpose: the study's seed with names such as a task_id and an experiment.

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
    """At most `draws`, and not fewer than 20 unless `draws` is: those of a task whose mean over all draws is wanted.

    The variance of an area over random cuts of the rows falls as one over the rows of the rarer class. Draws fall at
    the same rate from 1,000 such rows on, so that the Monte Carlo error of the mean is never larger than that of a task
    with 1,000.

    A task counts once in a mean over tasks, and what it costs grows with its rows: from 3,000 rows on draws fall as one
    over the rows, even if few of them are positive. The Monte Carlo error of such a task is larger than that of a small
    one, but the tasks differ by more: it may add 2 % to the variance of a mean over tasks (1 % to its standard error).
    `benchmarks/draws.py` measures what it adds, and fails beyond.

    >>> draws_needed(200, np.arange(2900) < 1250), draws_needed(200, np.arange(6000) < 30), draws_needed(5, np.ones(2))
    (160, 100, 5)
    """
    rarer = min(int(np.sum(y_true)), len(y_true) - int(np.sum(y_true)))
    share = min(1, ALL_DRAWS / max(rarer, 1), ALL_DRAWS_ROWS / len(y_true))
    return min(draws, max(FEWEST, math.ceil(draws * share)))
