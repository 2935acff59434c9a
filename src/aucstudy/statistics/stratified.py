"""Random cuts of a task's rows, stratified by class and fold."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from aucstudy.metrics.compiled import compiled

# rows x splits held at once
CELLS_AT_ONCE = 4_000_000


def stratified_parts(
    y_true: np.ndarray,
    folds: np.ndarray,
    units: np.ndarray,
    n_parts: int,
    splits: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return the part of each row in each split, (splits, n) bytes from 0 to n_parts - 1.

    Each class, and each class within a fold, is divided evenly to within one row. `units` are the rows of the
    data set. In repeated cross-validation a unit has several predictions, and all of them go to the same
    part.
    """
    return np.concatenate([*parts_in_turn(y_true, folds, units, n_parts, splits, rng)])


def parts_in_turn(
    y_true: np.ndarray,
    folds: np.ndarray,
    units: np.ndarray,
    n_parts: int,
    splits: int,
    rng: np.random.Generator,
) -> Iterator[np.ndarray]:
    """Yield the rows of `stratified_parts` in batches, because all of them may not fit into memory."""
    _, first, unit = np.unique(units, return_index=True, return_inverse=True)
    positive = np.asarray(y_true, dtype=bool)[first]
    cells = positive * (np.max(folds) + 1) + np.asarray(folds)[first]
    at_once = max(1, CELLS_AT_ONCE // len(unit))
    for low, high in pairwise([*range(0, splits, at_once), splits]):
        uniform, starts = rng.random((high - low, len(first))), rng.integers(0, n_parts, high - low)
        yield dealt(cells[None], uniform, starts, n_parts)[:, unit.reshape(-1)]


def dealt(cells: np.ndarray, uniform: np.ndarray, first: np.ndarray, n_parts: int) -> np.ndarray:
    """Return the part to which each row is dealt in each draw, (draws, n) bytes.

    The rows are dealt to the parts in turn, stratum by stratum, and within a stratum in random order. There
    are at most 255 parts. `cells` are the strata: (draws, n) whole numbers from 0 on, or (1, n) for all
    draws. `uniform` (draws, n) are the random numbers in [0, 1). `first` (draws,) is the part of the first
    row of each draw.
    """
    out = np.empty(uniform.shape, dtype=np.uint8)
    _deal(np.ascontiguousarray(cells), int(cells.max()) + 1, uniform, first, n_parts, out)
    return out


@compiled
def _deal(cells, n_cells, uniform, first, n_parts, out):
    """Deal the rows of each draw to the parts, and write the parts to `out`.

    The rows are sorted by stratum and random number in a bucket sort with one bucket for each row. After one
    pass of it the random numbers of a stratum are nearly in order.
    """
    n = uniform.shape[1]
    buckets, ends = np.empty(n, dtype=np.int32), np.empty(n + 1, dtype=np.int32)
    keys, rows = np.empty(n), np.empty(n, dtype=np.int32)
    starts = np.empty(n_cells + 1, dtype=np.int32)
    for s in range(len(uniform)):
        part_of_row, random = cells[s if len(cells) > 1 else 0], uniform[s]
        starts[:], ends[:] = 0, 0
        for cell in part_of_row:
            starts[cell + 1] += 1
        for cell in range(n_cells):
            starts[cell + 1] += starts[cell]
        for i in range(n):
            start, stop = starts[part_of_row[i]], starts[part_of_row[i] + 1]
            buckets[i] = min(start + np.int32(random[i] * (stop - start)), stop - 1)
            ends[buckets[i] + 1] += 1
        for bucket in range(n):
            ends[bucket + 1] += ends[bucket]
        for i in range(n):
            rank, key = ends[buckets[i]], part_of_row[i] + random[i]
            ends[buckets[i]] += 1
            keys[rank], rows[rank] = key, i
        for end in range(1, n):
            key, row, rank = keys[end], rows[end], end
            while rank > 0 and keys[rank - 1] > key:
                keys[rank], rows[rank] = keys[rank - 1], rows[rank - 1]
                rank -= 1
            keys[rank], rows[rank] = key, row
        dealt_to = first[s]
        for row in rows:
            out[s, row] = dealt_to
            dealt_to = dealt_to + 1 if dealt_to + 1 < n_parts else 0
