"""Rankings with few positives: count the negatives between them without sorting the negatives.

The distinct scores of the positives are laid into buckets of equal width. Each row's bucket, and a search
among the few positives in it, says between which two positives the row stands. Where the positives crowd into
one bucket (heavy tails), the caller sorts instead, so no input is slow.
"""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.engine.merging import HoldsNaNError, U

MOST_POSITIVES = 30_000  # the table of more would leave the cache
NEGATIVES_PER_POSITIVE = 64  # with fewer, sorting is as fast
BUCKETS_PER_POSITIVE = 4, 64  # at least, and at most where the table stays within MOST_BUCKETS
MOST_BUCKETS = 1 << 18
MOSTLY_EMPTY = (
    0.2  # share of rows in buckets with a positive up to which the others are worth a path of their own
)
SAMPLE = 1024
MOST_STEPS = 3  # of binary search in one bucket


class Table(NamedTuple):
    """Distinct negated scores of the positives, how often each occurs, and where each bucket of them begins.

    `values` is followed by infinities up to where a search may look; `steps` of it reach any place in a
    bucket. Scores are cut to [low, high] before they are scaled to a bucket.
    """

    values: np.ndarray
    multiplicity: np.ndarray
    first: np.ndarray
    steps: int
    low: float
    high: float
    per_unit: float


def worth_binning(n: int, n_positive: int) -> bool:
    """Whether few enough rows are positive."""
    return 0 < n_positive <= MOST_POSITIVES and NEGATIVES_PER_POSITIVE * n_positive <= n < 2**32


def positives_table(labels: np.ndarray, scores: np.ndarray, n_positive: int) -> Table | None:
    """Make the table, or None where the positives crowd."""
    positives = np.empty(n_positive)
    if _take_positives(labels, scores, positives):
        raise HoldsNaNError
    values, multiplicity = np.unique(positives, return_counts=True)
    finite = values[np.isfinite(values)]
    fewest, most = (each * values.size for each in BUCKETS_PER_POSITIVE)
    n_buckets = max(fewest, min(most, MOST_BUCKETS))
    low, high = (finite[0], finite[-1]) if finite.size else (0.0, 0.0)
    with np.errstate(over="ignore"):
        width = high - low
        per_unit = n_buckets / width if width > 0 else 0.0
    if not (np.isfinite(width) and np.isfinite(per_unit)):  # no index can be scaled from them
        return None
    first = np.zeros(n_buckets + 2, dtype=np.uint32)  # the highest score has a bucket of its own
    steps = _lay(values, low, high, per_unit, first)
    if steps > MOST_STEPS:
        return None
    values = np.concatenate([values, np.full(1 << max(steps, 2), np.inf)])
    return Table(values, multiplicity, first, steps, low, high, per_unit)


def bin_counts(scores: np.ndarray, table: Table) -> np.ndarray:
    """Count the rows strictly before each distinct score k of the positives (2k) and at it (2k + 1).

    Scores hold no NaN: `positives_table` has looked.
    """
    bins = np.zeros(2 * table.values.size + 2, dtype=np.int64)
    sample = scores[:: max(scores.size // SAMPLE, 1)]
    occupied = _occupied(sample, table.first, table.low, table.high, table.per_unit)
    mostly_empty = table.steps <= 2 and occupied <= MOSTLY_EMPTY * sample.size
    count = _count_mostly_empty if mostly_empty else _count
    count(scores, table.values, table.first, table.steps, table.low, table.high, table.per_unit, bins)
    return bins


@compiled
def _take_positives(labels, scores, positives):
    taken = n_nan = 0
    for i in range(scores.size):
        if labels[i] == 1:
            positives[taken] = -scores[i]
            taken += 1
        n_nan += scores[i] != scores[i]
    return n_nan


@compiled
def _bucket(x, low, high, per_unit):
    # rising in x whatever is rounded: a lower bucket means a lower score
    x = low if x < low else x
    x = high if x > high else x
    return U(np.int64((x - low) * per_unit))


@compiled
def _lay(values, low, high, per_unit, first):
    for x in values:
        first[_bucket(x, low, high, per_unit) + U(1)] += 1
    most, steps = first.max(), 0
    for b in range(1, first.size):
        first[b] += first[b - 1]
    while (1 << steps) <= most:
        steps += 1
    return steps


@compiled
def _occupied(scores, first, low, high, per_unit):
    occupied = 0
    for x in scores:
        b = _bucket(-x, low, high, per_unit)
        occupied += first[b] != first[b + U(1)]
    return occupied


@compiled
def _count_mostly_empty(scores, values, first, steps, low, high, per_unit, bins):
    one = U(1)
    empty = np.zeros(first.size, dtype=np.uint32)  # rows of buckets without a positive: their place is known
    for i in range(scores.size):
        x = -scores[i]
        b = _bucket(x, low, high, per_unit)
        place = U(first[b])
        if place == U(first[b + one]):
            empty[b] += np.uint32(1)
            continue
        place += U(values[place + one] < x) << one
        place += U(values[place] < x)
        bins[place + place + U(values[place] == x)] += 1
    for b in range(empty.size):
        if empty[b]:
            bins[U(first[b]) << one] += empty[b]


@compiled
def _count(scores, values, first, steps, low, high, per_unit, bins):
    one = U(1)
    if steps <= 2:  # nearly always; two steps without a loop are faster by a quarter
        for i in range(scores.size):
            x = -scores[i]
            place = U(first[_bucket(x, low, high, per_unit)])
            place += U(values[place + one] < x) << one
            place += U(values[place] < x)
            bins[place + place + U(values[place] == x)] += 1
        return
    for i in range(scores.size):
        x = -scores[i]
        place = U(first[_bucket(x, low, high, per_unit)])
        for step in range(steps - 1, -1, -1):
            place += U(values[place + (one << U(step)) - one] < x) << U(step)
        bins[place + place + U(values[place] == x)] += 1
