"""Random rankings on which a claim of arithmetic is tried."""

from collections.abc import Iterator

import numpy as np

RANKINGS = 200


def random_rankings(*, untied: bool = False, seed: int = 1) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Labels (bool, both classes) and scores of 8 to 60 rows, better than chance; half of them with tied scores.

    Parameters
    ----------
    untied : whether no two scores of a ranking may be equal.
    """
    rng = np.random.default_rng(seed)
    for k in range(RANKINGS):
        n = int(rng.integers(8, 61))
        y = rng.random(n) < rng.uniform(0.1, 0.6)
        y[:2] = True, False
        scores = rng.normal(size=n) + y
        yield y, scores if untied or k % 2 else np.round(scores, 1)
