"""Split scores by class and group into segments and sort each: no sort ever carries the labels along.

Scores are negated on the way, so that ascending segments start with the top of the ranking.
"""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.engine.merging import PADDING, HoldsNaNError, U


class Segments(NamedTuple):
    """Negated scores of one class: for each group and model an ascending segment of one flat array.

    `starts` and `widths` (n_groups,) place group g's model m at starts[g] + m * widths[g]; `counts`
    (n_groups,) says how many rows it has. `weights` is laid out as `scores`, or empty.
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
    """Sort the scores of `rows` within each group and model.

    `scores` (n_rows, n_models); `codes` the group of each of `rows`. Groups of about one size (within a power
    of two) are padded to one width and sorted in a single call, so folds cost no loop. Each segment ends with
    at least `padding` infinities.
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


@compiled
def _fill(scores, order, counts, starts, widths, sign, flat):
    row = 0
    for g in range(counts.size):
        for i in range(counts[g]):
            for m in range(scores.shape[1]):
                flat[starts[g] + m * widths[g] + i] = sign * scores[order[row], m]
            row += 1


def sorted_classes(
    positive: np.ndarray, scores: np.ndarray, weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Negated ascending scores of positives and of negatives, and their weights (empty without `weight`)."""
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


def split_and_sort(labels: np.ndarray, scores: np.ndarray, n_positive: int) -> tuple[np.ndarray, np.ndarray]:
    """Negated ascending scores of positives (label 1) and of negatives, these with PADDING infinities."""
    both = np.empty(scores.size + PADDING)
    both[scores.size :] = np.inf
    if _split(labels, scores, n_positive, both):
        raise HoldsNaNError
    both[:n_positive].sort()
    both[n_positive : scores.size].sort()
    return both[:n_positive], both[n_positive:]


@compiled
def _split(labels, scores, n_positive, both):
    to_pos, to_neg, one, n_nan = U(0), U(n_positive), U(1), 0
    for i in range(scores.size):
        positive = U(labels[i] == 1)
        both[to_pos if positive else to_neg] = -scores[i]
        to_pos += positive
        to_neg += one - positive
        n_nan += scores[i] != scores[i]
    return n_nan
