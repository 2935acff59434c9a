"""Small rankings drawn by seed, for what must hold of any."""

import numpy as np


def rankings(
    cases: int, *, rows: tuple[int, int] = (3, 25), levels: int = 9
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Labels with both classes, and scores of so many levels, most of them tied."""
    rng, drawn = np.random.default_rng(0), []
    while len(drawn) < cases:
        n = rng.integers(rows[0], rows[1] + 1)
        y = rng.random(n) < rng.choice([0.2, 0.5, 0.8])
        if y.any() and not y.all():
            drawn.append((y, rng.integers(0, rng.integers(1, levels + 1), n).astype(float)))
    return drawn
