"""Numbers in a column of scores that may mean that a score is missing."""

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from aucstudy.reading.column_values import FIRST_ROWS, hold_whole_numbers

FAR = 2  # times the range of all other scores, which is how far away a code such as -999 is
# A value that was filled in for missing scores: the fewest rows with it, their least share of all rows, how many times
# as frequent as another value it is, and the probability below which its rows are not in the order of the others.
FEWEST_FILLED, SHARE_FILLED, TIMES_AS_FREQUENT, OUT_OF_ORDER = 20, 0.02, 5, 0.01


class Filled(NamedTuple):
    """A value that may have been filled in, with the share of positives in its rows and in those beside it."""

    value: float
    n_rows: int
    positive: float
    positive_beside: float


def filled_in(name: str, models: Mapping[str, np.ndarray], y_true: np.ndarray) -> Filled | None:
    """Return the lowest or the highest value of a model's scores, if it may stand for no score.

    It may if all of this holds: It is in at least FEWEST_FILLED rows, and in more than SHARE_FILLED and at most half of
    all rows. It is at least TIMES_AS_FREQUENT times as frequent as any other value. Its rows are not in the order of
    the others: at the end where positives are rare, they have significantly more positives than the half of the other
    rows that is nearest to this end, and at the other end fewer. No other model has its lowest or highest value in all
    of these rows. So saturated probabilities and the zeros of nearest neighbours are not meant: they are in order.
    """
    scores, y = models[name], y_true
    for sign in (1, -1):
        signed = sign * scores
        is_filled = signed == signed.min()
        n_filled, rest = int(is_filled.sum()), signed[~is_filled]
        if n_filled < FEWEST_FILLED or not SHARE_FILLED < n_filled / scores.size <= 0.5:
            continue
        most_of_others = np.unique(rest, return_counts=True)[1].max()
        if most_of_others * TIMES_AS_FREQUENT > n_filled or _are_alike_in(models, name, is_filled):
            continue
        y_rest = y[~is_filled]
        if y_rest.all() or not y_rest.any():
            continue
        nearest = ~is_filled & (signed <= np.median(rest))
        # The class that is rare at this end.
        is_rare = y if rest[y_rest].mean() > rest[~y_rest].mean() else ~y
        if _has_more(is_rare[is_filled], is_rare[nearest]):
            return Filled(float(scores[is_filled][0]), n_filled, y[is_filled].mean(), y[nearest].mean())
    return None


def _are_alike_in(scores: Mapping[str, np.ndarray], name: str, rows: np.ndarray) -> bool:
    """Return whether another column has its lowest or its highest value in all of the rows."""
    return any(
        (column[rows] == end).all()
        for other, column in scores.items()
        if other != name
        for end in (column.min(), column.max())
    )


def _has_more(marked: np.ndarray, of_others: np.ndarray) -> bool:
    """Return whether a larger share is marked than of others, by Fisher's exact test."""
    # Imported here: scipy.stats takes a second, and most tables do not need it.
    from scipy.stats import hypergeom

    n_marked, n_all = int(marked.sum()), int(marked.sum() + of_others.sum())
    return bool(hypergeom.sf(n_marked - 1, marked.size + of_others.size, n_all, marked.size) < OUT_OF_ORDER)


def code_of_missing(scores: np.ndarray) -> float | None:
    """Return the one number that lies outside the range of all others as a code for a missing score does, or None.

    It is a whole number beside fractions between 0 and 1, such as -1, or one of nines that is far away, such as -999.
    """
    for value in (scores.min(), scores.max()):
        if value != np.floor(value) or 0 <= value <= 1:
            continue
        rest = scores[scores != value]
        if not rest.size or np.unique(rest[:FIRST_ROWS]).size <= 2:
            continue
        width = np.ptp(rest)
        distance = min(abs(value - rest.min()), abs(value - rest.max()))
        is_of_nines = re.fullmatch("-?99+", f"{value:.0f}") is not None and distance > FAR * width
        if is_of_nines or (rest.min() >= 0 and rest.max() <= 1 and not hold_whole_numbers(rest)):
            return float(value)
    return None
