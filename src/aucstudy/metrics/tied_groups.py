"""The rankings of many models as groups of tied rows, and the areas of their resamples.

`of_each` is like `map`; it may use threads.

>>> ranking = tied_groups(np.array([True, False, True, False]), np.array([[0.9], [0.5], [0.5], [0.1]]))
>>> ranking.cells.tolist(), areas_of_groups(ranking).round(3).tolist()
([[2, 4, 5, 6]], [[0.875, 0.887, 0.75, 0.837, 0.833]])
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.formulas.sums import SUMS, add_groups, finish
from aucstudy.metrics.formulas.terms import totals_of
from aucstudy.metrics.ranking.ties import group_cells, number_cells


class TiedGroups(NamedTuple):
    """The rankings of n rows by m models as their groups with a positive, from the top down.

    `counts` (5, k) are `groups` of `ranking.ties`, those of a model between two of the `ends` (m + 1,). `cells` (m, n)
    are those of the rows, see `group_cells`. Counts, P and N of `weighted` rows are sums of weights.
    """

    counts: np.ndarray
    ends: np.ndarray
    cells: np.ndarray
    P: float
    N: float

    def of_model(self, model: int) -> np.ndarray:
        return self.counts[:, self.ends[model] : self.ends[model + 1]]

    def of(self, model: int) -> "TiedGroups":
        counts = np.ascontiguousarray(self.of_model(model))
        ends = np.array([0, counts.shape[1]])
        return TiedGroups(counts, ends, self.cells[model : model + 1], self.P, self.N)


def tied_groups(y_true: np.ndarray, scores: np.ndarray, of_each: Callable = map) -> TiedGroups:
    """Sort each column of (n, m) scores without NaN, and group its tied rows."""
    positive = np.ascontiguousarray(y_true, dtype=bool)
    P = int(np.count_nonzero(positive))
    cells = np.empty(scores.shape[::-1], dtype=np.int32)

    def counts_of(model: int) -> np.ndarray:
        negated = np.negative(scores[:, model], dtype=float)
        # an unstable sort is twice as fast, and the order of tied rows says nothing
        order = np.argsort(negated)
        size = number_cells(order, negated[order], positive[order], cells[model])
        counts = np.empty((5, size + 1))
        group_cells(np.bincount(cells[model], minlength=3 * size + 1).astype(float), counts)
        return counts[:, :size]

    counts = list(of_each(counts_of, range(len(cells))))
    ends = np.cumsum([0, *(groups.shape[1] for groups in counts)])
    return TiedGroups(np.concatenate(counts, axis=1), ends, cells, P, len(positive) - P)


def areas_of_groups(
    rankings: TiedGroups,
    weight: np.ndarray | None = None,
    prevalence: float | None = None,
    recall_range: tuple[float, float] = (0.0, 1.0),
    clip: bool = False,
) -> np.ndarray:
    """The (m, 5) areas of every ranking, as `aucstudy.metrics.areas` gives them; (k, m, 5) of (k, n) weights."""
    options = np.array([prevalence or 0.0, clip, *recall_range])
    weights = None if weight is None else np.atleast_2d(np.asarray(weight, dtype=float))
    shape = 1 if weights is None else len(weights), len(rankings.ends) - 1
    sums, areas = np.empty((*shape, SUMS)), np.empty((*shape, 5))
    class_totals = np.tile([float(rankings.P), float(rankings.N)], (shape[0], 1))
    if weights is None:
        _sum_groups(rankings.counts, rankings.ends, class_totals[0], options, sums[0])
    else:
        _sum_weighted(rankings.cells, rankings.ends, weights, options, class_totals, sums)
    finish(sums, class_totals, options, areas)
    return areas if np.ndim(weight) == 2 else areas[0]


@compiled
def _sum_groups(counts, ends, class_totals, options, out):
    t, f, d, e, below = counts
    c = totals_of(class_totals[0], class_totals[1], options)
    for m in range(out.shape[0]):
        sums, a, b = np.zeros((2, SUMS)), ends[m], ends[m + 1]
        add_groups((t[a:b], f[a:b], d[a:b], e[a:b], below[a:b]), b - a, c, sums)
        out[m] = sums[0] + sums[1]


@compiled
def _sum_weighted(cells_of_models, ends, weight, options, class_totals, out):
    groups, amounts = np.empty((5, np.diff(ends).max() + 1)), np.empty(3 * np.diff(ends).max() + 1)
    for k in range(out.shape[0]):
        for m in range(out.shape[1]):
            sums = np.zeros((2, SUMS))
            amounts_of_cells = amounts[: 3 * (ends[m + 1] - ends[m]) + 1]
            _weight_cells(cells_of_models[m], weight[k], amounts_of_cells)
            size, P, N = group_cells(amounts_of_cells, groups)
            class_totals[k, 0], class_totals[k, 1] = P, N
            add_groups(groups, size, totals_of(P, N, options), sums)
            out[k, m] = sums[0] + sums[1]


@compiled
def _weight_cells(cells, weight, amounts):
    amounts[:] = 0.0
    for i in range(cells.size):
        amounts[cells[i]] += weight[i]


def weighted(rankings: TiedGroups, weight: np.ndarray) -> TiedGroups:
    """The rankings of weighted rows; a group whose positives have no weight stays."""
    counts = np.empty(rankings.counts.shape)
    for cells, start, stop in zip(rankings.cells, rankings.ends, rankings.ends[1:], strict=False):
        amounts = np.bincount(cells, weight, 3 * (stop - start) + 1)
        e, d = amounts[1::3], amounts[2::3]
        f = np.cumsum(amounts[:-1:3]) + np.cumsum(e) - e
        t = np.cumsum(d) - d
        counts[:, start:stop] = t, f, d, e, d.sum() - t - d
    P = float(d.sum())
    return rankings._replace(counts=counts, P=P, N=float(weight.sum()) - P)
