"""Small random rankings for tests of statements that hold for every ranking."""

import numpy as np


def rankings(
    cases: int, *, rows: tuple[int, int] = (3, 25), levels: int = 9
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return `cases` pairs of labels and scores, the same at every call.

    The labels have both classes. The scores have at most `levels` distinct values, so most are tied. The
    number of rows lies between the two numbers of `rows`, both included.
    """
    rng, drawn = np.random.default_rng(0), []
    while len(drawn) < cases:
        n = rng.integers(rows[0], rows[1] + 1)
        y = rng.random(n) < rng.choice([0.2, 0.5, 0.8])
        if y.any() and not y.all():
            drawn.append((y, rng.integers(0, rng.integers(1, levels + 1), n).astype(float)))
    return drawn
