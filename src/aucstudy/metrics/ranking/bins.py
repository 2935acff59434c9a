"""The areas of one ranking: where positives are few, the negatives are counted and not sorted.

Buckets of equal width say between which scores of positives a row lies. Scores are negated.
"""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.formulas.sums import SUMS, add_groups, finish
from aucstudy.metrics.formulas.terms import totals_of
from aucstudy.metrics.ranking.classes import sorted_areas
from aucstudy.metrics.ranking.ties import ONE, U, group_cells

MOST_POSITIVES = 30_000  # the table of more would leave the cache
NEGATIVES_PER_POSITIVE = 64  # with fewer, sorting is as fast
BUCKETS_PER_POSITIVE = 4, 64  # at least, and at most where the table stays within MOST_BUCKETS
MOST_BUCKETS = 1 << 18
MOSTLY_EMPTY = 0.2  # up to this share of rows in buckets with a positive, the others get a path of their own
SAMPLE = 1024
MOST_STEPS = 3  # of binary search in one bucket


def one_ranking(
    labels: np.ndarray, scores: np.ndarray, n_positive: int, options: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The areas (1, 1, 5) of one unweighted ranking, and its P and N (1, 2)."""
    class_totals = np.array([[n_positive, scores.size - n_positive]], dtype=float)
    table = positives_table(labels, scores) if worth_binning(scores.size, n_positive) else None
    if table is not None:
        return _areas(table.multiplicity, bin_counts(scores, table), class_totals, options), class_totals
    return sorted_areas(labels, scores, n_positive, class_totals, options), class_totals


def worth_binning(n: int, n_positive: int) -> bool:
    return 0 < n_positive <= MOST_POSITIVES and NEGATIVES_PER_POSITIVE * n_positive <= n < 2**32


class Table(NamedTuple):
    """Distinct negated scores of the positives, how often each occurs, and the first one in each bucket.

    Infinities follow `values` up to where a search may look; `steps` of it reach any score in a bucket.
    """

    values: np.ndarray
    multiplicity: np.ndarray
    first: np.ndarray
    steps: int
    low: float
    high: float
    per_unit: float


def positives_table(labels: np.ndarray, scores: np.ndarray) -> Table | None:
    """None where the positives crowd."""
    values, multiplicity = np.unique(-scores[labels == 1], return_counts=True)
    finite = values[np.isfinite(values)]
    fewest_buckets, most_buckets = (each * values.size for each in BUCKETS_PER_POSITIVE)
    n_buckets = max(fewest_buckets, min(most_buckets, MOST_BUCKETS))
    low, high = (finite[0], finite[-1]) if finite.size else (0.0, 0.0)
    with np.errstate(over="ignore"):
        width = high - low
        per_unit = n_buckets / width if width > 0 else 0.0
    if not (np.isfinite(width) and np.isfinite(per_unit)):  # no index can be scaled from them
        return None
    first = np.zeros(n_buckets + 2, dtype=np.uint32)  # the largest has a bucket of its own
    steps = _lay(values, low, high, per_unit, first)
    if steps > MOST_STEPS:
        return None
    values = np.concatenate([values, np.full(1 << max(steps, 2), np.inf)])
    return Table(values, multiplicity, first, steps, low, high, per_unit)


@compiled
def _lay(values, low, high, per_unit, first):
    for x in values:
        first[_bucket(x, low, high, per_unit) + U(1)] += 1
    fullest, steps = first.max(), 0
    for b in range(1, first.size):
        first[b] += first[b - 1]
    while (1 << steps) <= fullest:
        steps += 1
    return steps


@compiled
def _bucket(x, low, high, per_unit):
    # rising in x whatever is rounded: a lower bucket means a smaller negated score
    x = low if x < low else x
    x = high if x > high else x
    return U(np.int64((x - low) * per_unit))


def bin_counts(scores: np.ndarray, table: Table) -> np.ndarray:
    """Count rows between the distinct scores k - 1 and k of the positives (2k) and at score k (2k + 1)."""
    bins = np.zeros(2 * table.values.size + 2, dtype=np.int64)
    sample = scores[:: max(scores.size // SAMPLE, 1)]
    occupied = _occupied(sample, table.first, table.low, table.high, table.per_unit)
    mostly_empty = table.steps <= 2 and occupied <= MOSTLY_EMPTY * sample.size
    count = _count_mostly_empty if mostly_empty else _count
    count(scores, table.values, table.first, table.steps, table.low, table.high, table.per_unit, bins)
    return bins


@compiled
def _occupied(scores, first, low, high, per_unit):
    occupied = 0
    for x in scores:
        b = _bucket(-x, low, high, per_unit)
        occupied += first[b] != first[b + U(1)]
    return occupied


@compiled
def _count_mostly_empty(scores, values, first, steps, low, high, per_unit, bins):
    empty = np.zeros(first.size, dtype=np.uint32)  # rows of buckets without a positive: their place is known
    for i in range(scores.size):
        x = -scores[i]
        b = _bucket(x, low, high, per_unit)
        rank = U(first[b])
        if rank == U(first[b + ONE]):
            empty[b] += np.uint32(1)
            continue
        rank += U(values[rank + ONE] < x) << ONE
        rank += U(values[rank] < x)
        bins[rank + rank + U(values[rank] == x)] += 1
    for b in range(empty.size):
        if empty[b]:
            bins[U(first[b]) << ONE] += empty[b]


@compiled
def _count(scores, values, first, steps, low, high, per_unit, bins):
    for i in range(scores.size):
        x = -scores[i]
        rank = U(first[_bucket(x, low, high, per_unit)])
        for step in range(steps - 1, -1, -1):
            rank += U(values[rank + (ONE << U(step)) - ONE] < x) << U(step)
        bins[rank + rank + U(values[rank] == x)] += 1


@compiled
def _areas(multiplicity, bins, class_totals, options):
    size = multiplicity.size
    amounts, ties = np.zeros(3 * size + 1), np.empty((5, size + 1))
    for k in range(size):
        n_tied = multiplicity[k]
        amounts[3 * k], amounts[3 * k + 1], amounts[3 * k + 2] = bins[2 * k], bins[2 * k + 1] - n_tied, n_tied
    group_cells(amounts, ties)
    sums = np.zeros((2, SUMS))
    add_groups(ties, size, totals_of(class_totals[0, 0], class_totals[0, 1], options), sums)
    areas = np.empty((1, 1, 5))
    finish((sums[0] + sums[1]).reshape(1, 1, SUMS), class_totals, options, areas)
    return areas
