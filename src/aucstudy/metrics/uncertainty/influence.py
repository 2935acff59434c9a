"""The influence of each row on the areas of a ranking, and the covariances of areas that follow.

The *influence* of a row is the derivative of an area with respect to the row's weight, with P and N held, less the mean
of its class: for AUROC the placement values of DeLong et al. 1988. To first order, their sum of squares is the variance
of an area when rows are resampled within their class (the infinitesimal jackknife, Efron 1982).

Areas stand in the order of `AREAS`. `weight` (n,) is as in `weighted`.

>>> from aucstudy.metrics.tied_groups import tied_groups
>>> ranking = tied_groups(np.array([True, False, True, False]), np.array([[0.9], [0.5], [0.5], [0.1]]))
>>> influence(ranking)[0, ranking.cells[0]].tolist()
[0.0625, -0.0625, -0.0625, 0.0625]
"""

from collections.abc import Callable

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.formulas.derivatives import N_AREAS, differentiate
from aucstudy.metrics.formulas.terms import minimum_and_room
from aucstudy.metrics.tied_groups import TiedGroups

CHUNK = 1 << 15  # rows whose influences are held at once


def influence(rankings: TiedGroups, model: int = 0, clip: bool = False) -> np.ndarray:
    """The (5, 3 k + 1) influences on each area by cell of one model."""
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

    `strata` (n,) are numbered from 0, each of one class; None stands for the classes.
    """
    n = rankings.cells.shape[1]
    models = range(len(rankings.cells))
    # the areas of a cell side by side: looking one up is a miss of the cache
    tables = list(of_each(lambda model: np.ascontiguousarray(influence(rankings, model, clip).T), models))
    size = np.bincount(np.zeros(0, dtype=int) if strata is None else strata)

    def of_chunk(start: int) -> tuple[np.ndarray, np.ndarray]:
        rows = slice(start, min(start + CHUNK, n))
        columns = np.empty((N_AREAS, len(tables), rows.stop - start))
        for model, table in enumerate(tables):
            _look_up(table, rankings.cells[model, rows], columns[:, model])
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


def group_covariance(
    rankings: TiedGroups,
    groups: np.ndarray,
    strata: np.ndarray,
    clip: bool = False,
    weight: np.ndarray | None = None,
) -> np.ndarray:
    """The (5, m, m) covariances of the areas, to first order, when whole groups of rows are resampled.

    Each class keeps its weight (Cameron, Gelbach and Miller 2008). `groups` (n,) of the rows and `strata` (k,) of the
    groups are numbered from 0.
    """
    size = np.bincount(strata)
    sums = np.empty((N_AREAS, len(rankings.cells), len(strata)))
    for model, cells in enumerate(rankings.cells):
        for area, cell_influence in enumerate(influence(rankings, model, clip)):
            row_influence = cell_influence[cells] if weight is None else weight * cell_influence[cells]
            sums_of_groups = np.bincount(groups, row_influence, len(strata))
            sums[area, model] = (
                sums_of_groups - (np.bincount(strata, sums_of_groups) / np.maximum(size, 1))[strata]
            )
    return sums @ sums.transpose(0, 2, 1)
