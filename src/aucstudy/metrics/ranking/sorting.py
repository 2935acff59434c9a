"""From scores to sorted classes, segments of groups and models, or counts of rows between positives.

Scores are negated, so that ascending arrays start with the top of the ranking, and split by class. Where positives are
few, the negatives are not sorted: buckets of equal width say between which scores of positives a row lies. Where the
positives crowd into one bucket (heavy tails) all are sorted instead, so no input is slow.
"""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import brief, compiled
from aucstudy.metrics.ranking.ties import ONE, U

MOST_POSITIVES = 30_000  # the table of more would leave the cache
NEGATIVES_PER_POSITIVE = 64  # with fewer, sorting is as fast
BUCKETS_PER_POSITIVE = 4, 64  # at least, and at most where the table stays within MOST_BUCKETS
MOST_BUCKETS = 1 << 18
MOSTLY_EMPTY = 0.2  # up to this share of rows in buckets with a positive, the others get a path of their own
SAMPLE = 1024
MOST_STEPS = 3  # of binary search in one bucket


class HoldsNaNError(Exception):
    """A score is NaN; who checks the input says which."""


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
    if np.isnan(scores).any():
        raise HoldsNaNError
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
    first = np.zeros(n_buckets + 2, dtype=np.uint32)  # the highest score has a bucket of its own
    steps = _lay(values, low, high, per_unit, first)
    if steps > MOST_STEPS:
        return None
    values = np.concatenate([values, np.full(1 << max(steps, 2), np.inf)])
    return Table(values, multiplicity, first, steps, low, high, per_unit)


@brief
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
    # rising in x whatever is rounded: a lower bucket means a lower score
    x = low if x < low else x
    x = high if x > high else x
    return U(np.int64((x - low) * per_unit))


def bin_counts(scores: np.ndarray, table: Table) -> np.ndarray:
    """Count the rows strictly before each distinct score k of the positives (2k) and at it (2k + 1)."""
    bins = np.zeros(2 * table.values.size + 2, dtype=np.int64)
    sample = scores[:: max(scores.size // SAMPLE, 1)]
    occupied = _occupied(sample, table.first, table.low, table.high, table.per_unit)
    mostly_empty = table.steps <= 2 and occupied <= MOSTLY_EMPTY * sample.size
    count = _count_mostly_empty if mostly_empty else _count
    count(scores, table.values, table.first, table.steps, table.low, table.high, table.per_unit, bins)
    return bins


@brief
def _occupied(scores, first, low, high, per_unit):
    occupied = 0
    for x in scores:
        b = _bucket(-x, low, high, per_unit)
        occupied += first[b] != first[b + U(1)]
    return occupied


@brief
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


@brief
def _count(scores, values, first, steps, low, high, per_unit, bins):
    for i in range(scores.size):
        x = -scores[i]
        rank = U(first[_bucket(x, low, high, per_unit)])
        for step in range(steps - 1, -1, -1):
            rank += U(values[rank + (ONE << U(step)) - ONE] < x) << U(step)
        bins[rank + rank + U(values[rank] == x)] += 1


def split_and_sort(labels: np.ndarray, scores: np.ndarray, n_positive: int) -> tuple[np.ndarray, np.ndarray]:
    """Negated ascending scores of positives (label 1) and of negatives, an infinity behind these."""
    both = np.empty(scores.size + 1)
    both[-1] = np.inf
    if _split(labels, scores, n_positive, both):
        raise HoldsNaNError
    both[:n_positive].sort()
    both[n_positive : scores.size].sort()
    return both[:n_positive], both[n_positive:]


@brief
def _split(labels, scores, n_positive, both):
    to_pos, to_neg, n_nan = U(0), U(n_positive), 0
    for i in range(scores.size):
        positive = U(labels[i] == 1)
        both[to_pos if positive else to_neg] = -scores[i]
        to_pos += positive
        to_neg += ONE - positive
        n_nan += scores[i] != scores[i]
    return n_nan


def sorted_classes(
    positive: np.ndarray, scores: np.ndarray, weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Negated ascending scores of each class, and their weights (empty without `weight`)."""
    classes, weights = [], []
    for mask in (positive, ~positive):
        side = -scores[mask]
        if weight is None:
            side.sort()
            weights.append(np.empty(0))
        else:
            order = np.argsort(side)
            side = side[order]
            weights.append(weight[mask][order])
        classes.append(side)
    return *classes, *weights


class Segments(NamedTuple):
    """Negated scores of one class: for each group and model an ascending segment of one flat array.

    Group g's model m begins at starts[g] + m * widths[g] and has counts[g] rows.
    """

    scores: np.ndarray
    weights: np.ndarray
    starts: np.ndarray
    widths: np.ndarray
    counts: np.ndarray


def sorted_segments(
    scores: np.ndarray,
    rows: np.ndarray,
    codes: np.ndarray,
    n_groups: int,
    weight: np.ndarray | None,
    padding: int = 0,
) -> Segments:
    """Sort the scores of `rows` within each model and group; at least `padding` infinities end a segment.

    Groups of about one size (within a power of two) are padded to one width and sorted in a single call.
    """
    n_models = scores.shape[1]
    counts = np.bincount(codes, minlength=n_groups)
    size_class = np.frexp(counts.astype(float))[1]
    widths, starts = np.zeros(n_groups, dtype=np.int64), np.zeros(n_groups, dtype=np.int64)
    blocks, end = [], 0
    for size in np.unique(size_class):
        members = np.flatnonzero(size_class == size)
        width = int(counts[members].max()) + padding
        widths[members] = width
        starts[members] = end + np.arange(members.size) * n_models * width
        blocks.append((end, members.size * n_models, width))
        end += members.size * n_models * width
    flat = np.full(end, np.inf)
    order = rows[np.argsort(codes, kind="stable")] if n_groups > 1 else rows
    _fill(scores, order, counts, starts, widths, -1.0, flat)
    weights = np.zeros(end if weight is not None else 0)
    if weight is not None:
        _fill(np.broadcast_to(weight[:, None], scores.shape), order, counts, starts, widths, 1.0, weights)
    for begin, n_segments, width in blocks:
        block = flat[begin : begin + n_segments * width].reshape(n_segments, width)
        if weight is None:
            block.sort(axis=-1)
        else:
            by_score = np.argsort(block, axis=-1)
            block[:] = np.take_along_axis(block, by_score, axis=-1)
            padded = weights[begin : begin + n_segments * width].reshape(n_segments, width)
            padded[:] = np.take_along_axis(padded, by_score, axis=-1)
    # padding has weight 0, wherever the sort puts it among scores of -inf
    return Segments(flat, weights, starts, widths, counts if weight is None else widths)


@brief
def _fill(scores, order, counts, starts, widths, sign, flat):
    row = 0
    for g in range(counts.size):
        for i in range(counts[g]):
            for m in range(scores.shape[1]):
                flat[starts[g] + m * widths[g] + i] = sign * scores[order[row], m]
            row += 1
