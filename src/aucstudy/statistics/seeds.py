"""Seeds that depend on what is drawn, never on the order of jobs or on which other tasks a study has."""

import hashlib

import numpy as np


def seed_sequence(seed: int, *names: object) -> np.random.SeedSequence:
    """The seed of one purpose: the study's seed with names such as a task_id and an experiment.

    >>> int(seed_sequence(1, "iris", "folds").generate_state(1)[0])
    1616604996
    """
    digest = hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()
    return np.random.SeedSequence([seed, *np.frombuffer(digest, dtype="<u4").tolist()])


def generator(seed: int, *names: object) -> np.random.Generator:
    """A random generator for one purpose."""
    return np.random.default_rng(seed_sequence(seed, *names))
