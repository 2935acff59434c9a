"""Sorted rankings as groups of tied rows: areas of their resamples, influence functions and covariances.

The *influence* of a row is the derivative of an area with respect to the row's weight, with P and N held, less the mean
of its class: for AUROC the placement values of DeLong et al. 1988. To first order, their sum of squares is the variance
of an area when rows are resampled within their class (the infinitesimal jackknife, Efron 1982).

Areas stand in the order AUROC, AUPR, AUPRG, AUCNPR, average precision. `of_each` is like `map`; it may use threads.

>>> ranking = tied_groups(np.array([True, False, True, False]), np.array([[0.9], [0.5], [0.5], [0.1]]))
>>> ranking.places.tolist(), areas_of_groups(ranking).round(3).tolist()
([[2, 4, 5, 6]], [[0.875, 0.887, 0.75, 0.837, 0.833]])
>>> influence(ranking)[0, ranking.places[0]].tolist()
[0.0625, -0.0625, -0.0625, 0.0625]
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.formulas.derivatives import differentiate
from aucstudy.metrics.formulas.sums import SUMS, add_groups, finish
from aucstudy.metrics.formulas.terms import minimum_and_room, totals_of
from aucstudy.metrics.ranking.ties import group_cells, number_cells

CHUNK = 1 << 15  # rows whose influences are held at once
N_AREAS = 5


class TiedGroups(NamedTuple):
    """The rankings of n rows by m models as their groups with a positive, from the top down.

    `counts` (5, k) are `groups` of `ranking.ties`, those of a model between two of the `ends` (m + 1,). `places` (m, n)
    is the cell of each row, see `group_cells`. Counts, P and N of `weighted` rows are sums of weights.
    """

    counts: np.ndarray
    ends: np.ndarray
    places: np.ndarray
    P: float
    N: float

    def of_model(self, model: int) -> np.ndarray:
        return self.counts[:, self.ends[model] : self.ends[model + 1]]

    def of(self, model: int) -> "TiedGroups":
        """The ranking by one model alone."""
        counts = np.ascontiguousarray(self.of_model(model))
        ends = np.array([0, counts.shape[1]])
        return TiedGroups(counts, ends, self.places[model : model + 1], self.P, self.N)


def tied_groups(y_true: np.ndarray, scores: np.ndarray, of_each: Callable = map) -> TiedGroups:
    """Sort each column of (n, m) scores without NaN, and group its tied rows."""
    positive = np.ascontiguousarray(y_true, dtype=bool)
    P = int(np.count_nonzero(positive))
    cells = np.empty(scores.shape[::-1], dtype=np.int32)

    def counts_of(model: int) -> np.ndarray:
        descending = np.negative(scores[:, model], dtype=float)
        # an unstable sort is twice as fast, and the order of tied rows says nothing
        order = np.argsort(descending)
        size = number_cells(order, descending[order], positive[order], cells[model])
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
    totals = np.tile([float(rankings.P), float(rankings.N)], (shape[0], 1))
    if weights is None:
        _sum_groups(rankings.counts, rankings.ends, totals[0], options, sums[0])
    else:
        _sum_weighted(rankings.places, rankings.ends, weights, options, totals, sums)
    finish(sums, totals, options, areas)
    return areas if np.ndim(weight) == 2 else areas[0]


@compiled
def _sum_groups(counts, ends, totals, options, out):
    t, f, d, e, below = counts
    c = totals_of(totals[0], totals[1], options)
    for m in range(out.shape[0]):
        sums, a, b = np.zeros((2, SUMS)), ends[m], ends[m + 1]
        add_groups((t[a:b], f[a:b], d[a:b], e[a:b], below[a:b]), b - a, c, sums)
        out[m] = sums[0] + sums[1]


@compiled
def _sum_weighted(cells_of_models, ends, weight, options, totals, out):
    groups, amounts = np.empty((5, np.diff(ends).max() + 1)), np.empty(3 * np.diff(ends).max() + 1)
    for k in range(out.shape[0]):
        for m in range(out.shape[1]):
            sums = np.zeros((2, SUMS))
            amounts_of_cells = amounts[: 3 * (ends[m + 1] - ends[m]) + 1]
            _weight_cells(cells_of_models[m], weight[k], amounts_of_cells)
            size, P, N = group_cells(amounts_of_cells, groups)
            totals[k, 0], totals[k, 1] = P, N
            add_groups(groups, size, totals_of(P, N, options), sums)
            out[k, m] = sums[0] + sums[1]


@compiled
def _weight_cells(cells, weight, amounts):
    amounts[:] = 0.0
    for i in range(cells.size):
        amounts[cells[i]] += weight[i]


def weighted(rankings: TiedGroups, weight: np.ndarray) -> TiedGroups:
    """The rankings of weighted rows; a group whose positives have no weight keeps its place."""
    counts = np.empty(rankings.counts.shape)
    for cells, start, stop in zip(rankings.places, rankings.ends, rankings.ends[1:], strict=False):
        amounts = np.bincount(cells, weight, 3 * (stop - start) + 1)
        e, d = amounts[1::3], amounts[2::3]
        f = np.cumsum(amounts[:-1:3]) + np.cumsum(e) - e
        t = np.cumsum(d) - d
        counts[:, start:stop] = t, f, d, e, d.sum() - t - d
    P = float(d.sum())
    return rankings._replace(counts=counts, P=P, N=float(weight.sum()) - P)


def influence(rankings: TiedGroups, model: int = 0, clip: bool = False) -> np.ndarray:
    """The (5, 3 k + 1) influences on each area by cell of one model; `rankings.places` has the cells of the rows."""
    counts, P, N = np.ascontiguousarray(rankings.of_model(model)), rankings.P, rankings.N
    table = np.zeros((N_AREAS, 3 * counts.shape[1] + 1))
    _differentiate(counts, float(P), float(N), clip, table)
    # AUCNPR is AUPR between fixed bounds
    table[3] = table[1] / minimum_and_room(N / P, 0.0, 1.0)[1]
    _, f, d, e, _ = counts
    negatives_between = np.diff(f, prepend=0, append=N)
    negatives_between[1:] -= e
    gaps, tied, positives = (table[:, cell::3] for cell in range(3))
    positives -= (positives @ d)[:, None] / P
    mean_of_negatives = (tied @ e + gaps @ negatives_between)[:, None] / N
    tied -= mean_of_negatives
    gaps -= mean_of_negatives
    return table


@compiled
def _differentiate(counts, P, N, clip, table):
    t, f, d, e, _ = counts
    to_t, to_f, group_slopes = np.zeros(5), np.zeros(5), np.zeros((5, 4))
    for g in range(t.size - 1, -1, -1):
        differentiate(t[g], f[g], d[g], e[g], P, N, clip, group_slopes)
        for a in range(5):
            dt, df, dd, de = group_slopes[a]
            table[a, 3 * g + 2] = dd + to_t[a]
            table[a, 3 * g + 1] = de + to_f[a]
            to_t[a] += dt
            to_f[a] += df
            table[a, 3 * g] = to_f[a]


@compiled
def _look_up(table, cells, out):
    for i in range(cells.size):
        cell = cells[i]
        for area in range(out.shape[0]):
            out[area, i] = table[cell, area]


def influence_covariance(
    rankings: TiedGroups,
    strata: np.ndarray | None = None,
    clip: bool = False,
    of_each: Callable = map,
    weight: np.ndarray | None = None,
) -> np.ndarray:
    """The (5, m, m) covariances of the areas, to first order, when rows are resampled within strata.

    `strata` (n,) are numbered from 0, each of one class; None stands for the classes. `weight` (n,) as in `weighted`.
    """
    n = rankings.places.shape[1]
    models = range(len(rankings.places))
    # the areas of a cell side by side: looking one up is a miss of the cache
    tables = list(of_each(lambda model: np.ascontiguousarray(influence(rankings, model, clip).T), models))
    size = np.bincount(np.zeros(0, dtype=int) if strata is None else strata)

    def of_chunk(start: int) -> tuple[np.ndarray, np.ndarray]:
        rows = slice(start, min(start + CHUNK, n))
        columns = np.empty((N_AREAS, len(tables), rows.stop - start))
        for model, table in enumerate(tables):
            _look_up(table, rankings.places[model, rows], columns[:, model])
        if weight is not None:
            columns *= weight[rows]
        sums = np.zeros((*columns.shape[:2], len(size)))
        if strata is not None:
            for k, model in np.ndindex(columns.shape[:2]):
                sums[k, model] = np.bincount(strata[rows], columns[k, model], len(size))
        return columns @ columns.transpose(0, 2, 1), sums

    # added as they come: all of them together would not fit
    products, sums = np.zeros(()), np.zeros(())
    for row_products, sum_of_rows in of_each(of_chunk, range(0, n, CHUNK)):
        products, sums = products + row_products, sums + sum_of_rows
    return products - (sums / np.maximum(size, 1)) @ sums.transpose(0, 2, 1)


def cluster_covariance(
    rankings: TiedGroups,
    clusters: np.ndarray,
    strata: np.ndarray,
    clip: bool = False,
    weight: np.ndarray | None = None,
) -> np.ndarray:
    """The (5, m, m) covariances of the areas, to first order, when whole clusters of rows are resampled.

    Each class keeps its weight (Cameron, Gelbach and Miller 2008). `clusters` (n,) of the rows and `strata` (k,) of the
    clusters are numbered from 0.
    """
    size = np.bincount(strata)
    sums = np.empty((N_AREAS, len(rankings.places), len(strata)))
    for model, cells in enumerate(rankings.places):
        for area, cell_influence in enumerate(influence(rankings, model, clip)):
            row_influence = cell_influence[cells] if weight is None else weight * cell_influence[cells]
            sums_of_clusters = np.bincount(clusters, row_influence, len(strata))
            sums[area, model] = (
                sums_of_clusters - (np.bincount(strata, sums_of_clusters) / np.maximum(size, 1))[strata]
            )
    return sums @ sums.transpose(0, 2, 1)
