"""Fewer vertices for drawing: none is left out that would show in ROC, PR or PRG space."""

import numpy as np

from aucstudy.metrics.compiled import compiled

TOLERANCE = 0.002  # of an axis: less than a pixel of a plot of 400


def kept_vertices(t: np.ndarray, f: np.ndarray, tolerance: float = TOLERANCE) -> np.ndarray:
    """Which vertices of a curve to keep (Douglas and Peucker 1973, in three spaces at once).

    Parameters
    ----------
    t, f : (k,) cumulated true and false positives from (0, 0) to (P, N).

    Returns
    -------
    Indices, the first two and the last among them. A vertex left out lies, in each of the three spaces, within
    `tolerance` of the segment of contingency tables that takes its place.
    """
    # between two vertices of the same true positives no vertex is further off than the farther of the two
    turns = np.ones(len(t), dtype=bool)
    turns[2:-1] = (t[1:-2] != t[2:-1]) | (t[2:-1] != t[3:])
    at = np.flatnonzero(turns)
    keep = np.zeros(len(at), dtype=np.bool_)
    keep[[0, min(1, len(at) - 1), -1]] = True
    _split(t[at].astype(float), f[at].astype(float), tolerance, keep)
    return at[keep]


@compiled
def _split(t, f, tolerance, keep):
    stack = [(1, t.size - 1)]
    while stack:
        a, b = stack.pop()
        worst, at = tolerance, -1
        for j in range(a + 1, b):
            off = _distance(t, f, a, b, j)
            if off > worst:
                worst, at = off, j
        if at >= 0:
            keep[at] = True
            stack.append((a, at))
            stack.append((at, b))


@compiled
def _distance(t, f, a, b, j):
    """The largest of the distances of vertex j from the segment a to b, as seen in the three plots."""
    P, N = t[-1], f[-1]
    dx, dy = (f[b] - f[a]) / N, (t[b] - t[a]) / P
    length = np.sqrt(dx * dx + dy * dy)
    x, y = (f[j] - f[a]) / N, (t[j] - t[a]) / P
    off = abs(dx * y - dy * x) / length if length > 0 else 0.0
    if t[b] == t[a] or t[j] == 0:
        return off
    guess = f[a] + (f[b] - f[a]) * ((t[j] - t[a]) / (t[b] - t[a]))
    off = max(off, abs(t[j] / (t[j] + f[j]) - t[j] / (t[j] + guess)))
    if t[j] >= P * P / (P + N):
        k = P / N
        gain, guessed = max(1 - k * f[j] / t[j], -0.02), max(1 - k * guess / t[j], -0.02)
        off = max(off, abs(gain - guessed))
    return off
