"""Split scores by class and group into segments and sort each: no sort ever carries the labels along."""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled


class Segments(NamedTuple):
    """Scores of one class: for each group and model an ascending segment of one flat array.

    `starts` and `widths` (n_groups,) place group g's model m at starts[g] + m * widths[g]; `counts`
    (n_groups,) says how many rows it has. `weights` is laid out as `scores`, or empty.
    """

    scores: np.ndarray
    weights: np.ndarray
    starts: np.ndarray
    widths: np.ndarray
    counts: np.ndarray


def sorted_segments(
    scores: np.ndarray, rows: np.ndarray, codes: np.ndarray, n_groups: int, weight: np.ndarray | None
) -> Segments:
    """Sort the scores of `rows` within each group and model.

    `scores` (n_rows, n_models); `codes` the group of each of `rows`. Groups of about one size (within a power
    of two) are padded to one width and sorted in a single call, so folds cost no loop.
    """
    n_models = scores.shape[1]
    counts = np.bincount(codes, minlength=n_groups)
    size_class = np.frexp(counts.astype(float))[1]
    widths = np.zeros(n_groups, dtype=np.int64)
    starts = np.zeros(n_groups, dtype=np.int64)
    blocks, end = [], 0
    for size in np.unique(size_class):
        members = np.flatnonzero(size_class == size)
        width = int(counts[members].max())
        widths[members] = width
        starts[members] = end + np.arange(members.size) * n_models * width
        blocks.append((end, members.size * n_models, width))
        end += members.size * n_models * width
    flat = np.full(end, np.inf)
    order = rows[np.argsort(codes, kind="stable")] if n_groups > 1 else rows
    _fill(scores, order, counts, starts, widths, flat)
    weights = np.zeros(end if weight is not None else 0)
    if weight is not None:
        _fill(np.broadcast_to(weight[:, None], scores.shape), order, counts, starts, widths, weights)
    for begin, n_segments, width in blocks:
        block = flat[begin : begin + n_segments * width].reshape(n_segments, width)
        if weight is None:
            block.sort(axis=-1)
        else:
            by_score = np.argsort(block, axis=-1)
            block[:] = np.take_along_axis(block, by_score, axis=-1)
            padded = weights[begin : begin + n_segments * width].reshape(n_segments, width)
            padded[:] = np.take_along_axis(padded, by_score, axis=-1)
    return Segments(flat, weights, starts, widths, widths if weight is not None else counts)


@compiled
def _fill(scores, order, counts, starts, widths, flat):
    row = 0
    for g in range(counts.size):
        for i in range(counts[g]):
            for m in range(scores.shape[1]):
                flat[starts[g] + m * widths[g] + i] = scores[order[row], m]
            row += 1


def sorted_classes(
    positive: np.ndarray, scores: np.ndarray, weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Ascending scores of the positives and of the negatives, and their weights (empty without `weight`)."""
    classes, weights = [], []
    for mask in (positive, ~positive):
        side = scores[mask]
        if weight is None:
            side.sort()
            weights.append(np.empty(0))
        else:
            order = np.argsort(side)
            side = side[order]
            weights.append(weight[mask][order])
        classes.append(side)
    return *classes, *weights
