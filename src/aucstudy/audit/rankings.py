"""Rankings of the same rows by several models: metrics at other prevalences and by bands of recall."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
import pandas as pd

from aucstudy.metrics.counts import areas_of_kernel_groups
from aucstudy.metrics.kernel import Options, groups_of, order_of
from aucstudy.metrics.registry import N_COMPILED, index, keys
from aucstudy.metrics.uncertainty.sample import Sample
from aucstudy.statistics.ranks import rounded

THREADED_FROM = 1_000_000  # scores: with fewer, starting threads costs more than it saves
LOWEST, HIGHEST = 0.001, 0.5  # prevalences
GRID = 41  # prevalences, equally spaced in the logarithm of the odds
CROSSING_STEPS = 200  # steps of recall between which a crossing is looked for
BISECTIONS = 14  # a change is located to 1/16384 of a step of the grid

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def of_each(function: Callable[[_Item], _Result], items: Iterable[_Item], n_scores: int) -> Iterator[_Result]:
    """Yield the results of `map`. If there are many scores, they are computed in threads.

    Threads help since compiled passes release the interpreter's lock.
    """
    if n_scores < THREADED_FROM:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        yield from threads.map(function, items)


class Rankings:
    """The rankings of n rows by m models, sorted once.

    `y_true` (n,) has both classes, `scores` (n, m) have no NaN, and `weight` is (n,) above 0 or None. `P` and
    `N` are the total weights of the classes. `groups` are each model's (4, k) groups of tied rows, see
    `kernel.groups`.
    """

    def __init__(self, y_true: np.ndarray, scores: np.ndarray, weight: np.ndarray | None = None) -> None:
        self.y_true, self.scores, self.weight = y_true, scores, weight
        self.order = order_of(y_true, scores, self.of_each)
        weights = np.ones(len(y_true)) if weight is None else weight
        self.P, self.N = float(weights[y_true].sum()), float(weights[~y_true].sum())
        models = range(scores.shape[1])
        self.groups = list(self.of_each(lambda model: groups_of(self.order, model, weight), models))

    def of_each(self, function: Callable[[_Item], _Result], items: Iterable[_Item]) -> Iterator[_Result]:
        return of_each(function, items, self.scores.size)

    def values(
        self,
        prevalence: float | None = None,
        recall_range: tuple[float, float] = (0.0, 1.0),
        models: Sequence[int] | slice = slice(None),
    ) -> np.ndarray:
        """Return the metrics of the models, (m, n_metrics), in the order of the registry."""
        options = Options(float(prevalence or 0.0), False, *recall_range)
        groups = [self.groups[model] for model in np.arange(len(self.groups))[models]]
        areas = self.of_each(
            lambda of_model: areas_of_kernel_groups(of_model, self.P, self.N, options), groups
        )
        return np.array(list(areas))

    def ranks(self) -> np.ndarray:
        """Return (n, m) numbers that order and tie the rows as the scores do.

        Negatives between two positives are tied too, which changes no metric.
        """
        return np.stack([self.ranks_of(model) for model in range(len(self.groups))], axis=1)

    def ranks_of(self, model: int) -> np.ndarray:
        rank = self.order.ranks_of(model)
        holds_positive = np.bincount(rank, self.y_true) > 0
        positive_groups_above = np.cumsum(holds_positive) - holds_positive
        return -(2 * positive_groups_above + holds_positive)[rank]

    def row_order(self, groups: np.ndarray | None = None, folds: np.ndarray | None = None) -> np.ndarray:
        """Return an order of the rows, (n,), for draws. It does not depend on how the table is arranged."""
        row_keys = np.zeros(len(self.y_true), dtype=np.uint64)
        # A column is identified by its metrics, whatever its name and position. Metrics that a user registers change
        # no draw.
        values = np.ascontiguousarray(self.values()[:, :N_COMPILED])
        column_keys = _mixed(values.round(10).view(np.uint64)).sum(axis=1)
        for ranks, column_key in zip(-self.ranks().T, column_keys, strict=True):
            row_keys += _mixed(_mixed(ranks.astype(np.uint64)) ^ column_key)
        row_keys = _mixed(row_keys ^ self.y_true)
        keys = (
            [row_keys] if self.weight is None else [np.unique(self.weight, return_inverse=True)[1], row_keys]
        )
        for codes in (folds, groups):
            if codes is not None:
                # The mean is taken, so that a row that occurs twice and a row of twice the weight are treated
                # alike.
                sizes = np.bincount(codes)
                means = np.bincount(codes, row_keys / 2.0**64) / sizes
                keys += [sizes[codes], (means * 2**40).round()[codes]]
        return np.lexsort(keys)

    def arranged(self, sample: Sample) -> Sample:
        """Return a sample of these rows, with the rows in `row_order`."""
        order = self.row_order(sample.groups, sample.folds)
        rows = {name: getattr(sample, name) for name in ("y_true", "scores", "weight", "groups", "folds")}
        rows = {name: None if values is None else values[order] for name, values in rows.items()}
        rows["scores"] = np.asfortranarray(rows["scores"])
        if sample.groups is not None:
            rows["groups"] = pd.factorize(rows["groups"])[0]
        return sample._replace(**rows)


def _mixed(keys: np.ndarray) -> np.ndarray:
    """Return keys that look random, each a function of a given key (splitmix64)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
    return keys ^ (keys >> np.uint64(31))


def prevalence_grid(points: int = GRID) -> np.ndarray:
    odds = np.geomspace(LOWEST / (1 - LOWEST), HIGHEST / (1 - HIGHEST), points)
    return odds / (1 + odds)


def winners_by_prevalence(rankings: Rankings, models: Sequence[object], points: int = GRID) -> pd.DataFrame:
    """Return the best model by each metric on ranges of prevalence from .001 to .5.

    If models tie, the first of them is taken.
    """
    grid = prevalence_grid(points)
    best = np.stack([_best(rankings, prevalence) for prevalence in grid])
    rows = []
    for k, metric in enumerate(keys()):
        start = grid[0]
        for i in np.flatnonzero(np.diff(best[:, k])):
            change = _bisect(rankings, k, grid[i], grid[i + 1], best[i, k], best[i + 1, k])
            rows.append((metric, start, change, models[best[i, k]]))
            start = change
        rows.append((metric, start, grid[-1], models[best[-1, k]]))
    return pd.DataFrame(rows, columns=["metric", "prevalence_from", "prevalence_to", "best"])


def _best(rankings: Rankings, prevalence: float, models: Sequence[int] | slice = slice(None)) -> np.ndarray:
    return rounded(rankings.values(prevalence=prevalence, models=models)).argmax(axis=0)


def _bisect(rankings: Rankings, k: int, low: float, high: float, best: int, next_best: int) -> float:
    # Only the winners at the two ends are compared. If a third model wins between them, all models are.
    pair = sorted((best, next_best))
    below, above = _narrow(low, high, lambda prevalence: pair[_best(rankings, prevalence, pair)[k]] == best)
    if _best(rankings, below)[k] != best:
        below, above = _narrow(low, high, lambda prevalence: _best(rankings, prevalence)[k] == best)
    return float(np.sqrt(below * above))


def _narrow(low: float, high: float, still: Callable[[float], bool]) -> tuple[float, float]:
    for _ in range(BISECTIONS):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if still(middle) else (low, middle)
    return low, high


def recall_bands(prevalence: float) -> list[tuple[float, float]]:
    """Return the quarters of recall as bands. The quarter that contains the prevalence is cut there.

    An inner edge within .02 of the prevalence is left out.

    >>> recall_bands(0.1)
    [(0.0, 0.1), (0.1, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0)]
    """
    quarters = [edge for edge in (0.25, 0.5, 0.75) if abs(edge - prevalence) > 0.02]
    edges = sorted({0.0, prevalence, *quarters, 1.0})
    return list(pairwise(edges))


def difference_by_band(
    rankings: Rankings, models: tuple[str, ...], pairs: list[tuple[str, str]]
) -> pd.DataFrame:
    columns = ["model", "other", "metric", "recall_from", "recall_to", "difference"]
    if not pairs:
        return pd.DataFrame(columns=columns)
    names = sorted({name for pair in pairs for name in pair}, key=models.index)
    by_band = area_by_band(rankings, [models.index(name) for name in names])
    keys = ["metric", "recall_from", "recall_to"]
    areas_by_model = by_band.pivot_table(index=keys, columns="model", values="area", sort=False)
    frames = []
    for model, rival in pairs:
        difference = areas_by_model[models.index(model)] - areas_by_model[models.index(rival)]
        frames.append(difference.rename("difference").reset_index().assign(model=model, other=rival))
    return pd.concat(frames, ignore_index=True)[columns]


def area_by_band(rankings: Rankings, models: Sequence[int]) -> pd.DataFrame:
    """Return AUPR, AUROC and AUPRG of each model within each band of recall."""
    # AUROC is the integral of specificity over recall, and AUPR that of precision. AUPRG is the integral of
    # precision gain from recall pi on, with the weight pi/((1-pi) r^2) [Flach & Kull 2015, section 3].
    P, N = rankings.P, rankings.N
    bands = recall_bands(P / (P + N))
    rows = []
    for band in bands:
        precision = rankings.values(recall_range=band)[:, index("aupr")]
        rows += [(model, "aupr", *band, precision[model]) for model in models]
    for model in models:
        t, f, d, e = rankings.groups[model]
        segments = t / P, (t + d) / P, f / N, (f + e) / N
        for low, high in bands:
            start, stop, fpr_start, fpr_stop = _cut(*segments, low, high)
            specificity = 1 - (fpr_start + fpr_stop) / 2
            rows.append((model, "auroc", low, high, float(specificity @ (stop - start))))
            gained = 0.0 if high <= P / (P + N) else _gain(start, stop, fpr_start, fpr_stop, P, N)
            rows.append((model, "auprg", low, high, gained))
    return pd.DataFrame(rows, columns=["model", "metric", "recall_from", "recall_to", "area"])


def _cut(t0, t1, f0, f1, low: float, high: float) -> tuple[np.ndarray, ...]:
    start, stop = np.maximum(t0, low), np.minimum(t1, high)
    is_inside = stop > start
    t0, t1, f0, f1, start, stop = (ends[is_inside] for ends in (t0, t1, f0, f1, start, stop))
    slope = (f1 - f0) / (t1 - t0)
    return start, stop, f0 + slope * (start - t0), f0 + slope * (stop - t0)


def _gain(start, stop, fpr_start, fpr_stop, P: float, N: float) -> float:
    # Precision gain is integrated over recall gain. On a segment both are affine in 1/recall.
    k = P / N
    gains = [1 - k * (fpr * N) / (recall * P) for fpr, recall in ((fpr_start, start), (fpr_stop, stop))]
    width = k * (1 / start - 1 / stop)
    return float(((gains[0] + gains[1]) / 2) @ width)


class Crossing(NamedTuple):
    """The recall at which the curves of two models cross, and whether the first one is better below it."""

    recall: float
    first_is_better_below: bool


def crossing(rankings: Rankings, first: int, second: int) -> Crossing | None:
    """Return where the curves of two models cross, or None if one of them is better throughout.

    Of several crossings it is the one that divides the recalls best: below it one model has, all in all, fewer false
    positives, and above it the other one. At a given recall, fewer false positives mean a higher precision, so that
    the curves cross at the same recall in ROC, PR and PRG space.
    """
    recalls = np.linspace(0.0, 1.0, CROSSING_STEPS + 1)
    behind = _false_positives_up_to(recalls, rankings, second) - _false_positives_up_to(
        recalls, rankings, first
    )
    candidates = []
    for sign in (1.0, -1.0):
        k = int(np.argmax(sign * behind))
        gained, lost = sign * behind[k], sign * (behind[k] - behind[-1])
        candidates.append((min(gained, lost), Crossing(float(recalls[k]), sign > 0)))
    least, best = max(candidates)
    return best if least > 0 else None


def _false_positives_up_to(recalls: np.ndarray, rankings: Rankings, model: int) -> np.ndarray:
    """Return the integrals of the false positive rate from recall 0 to each of the recalls."""
    t, f, d, e = rankings.groups[model]
    areas = np.append(0.0, np.cumsum(d / rankings.P * (f + e / 2) / rankings.N))
    return np.interp(recalls, np.append(t, rankings.P) / rankings.P, areas)
