"""Is it more than noise? Intervals of the differences between models, as of `aucstudy.metrics.uncertainty.intervals`.

The numbers of positives and negatives (of each fold) are kept. Whole groups (patients, users, documents) are halved
where there are any. Of a large table no halves are drawn: the rows' influence on each area gives the normal limit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.audit.rankings import Rankings
from aucstudy.metrics.uncertainty.intervals import compare_pairs, influence_will_do, source_of
from aucstudy.metrics.uncertainty.sample import Sample, groups_with_either
from aucstudy.metrics.uncertainty.spread import RESOLUTION, Models, Spreads, least_areas, spread, t_tail
from aucstudy.statistics.ranks import rounded
from aucstudy.statistics.seeds import generator

RANKED = ("auroc", "aupr", "auprg", "average_precision")  # AUCNPR ranks as AUPR does: one maps to the other
EXPLAINED = 3  # pairs of models
LEVEL = 0.95
SUPPORT = (1 + LEVEL) / 2  # of a sign: the 95 % interval of the difference leaves out 0
HALVED_SCORES = 200_000  # of groups, where more are slow to halve
FEW_GROUPS = 40  # that hold a positive, or a negative: of fewer a reader is warned


class Spread(NamedTuple):
    """The 95 % interval of a difference, and 1 less the one-sided p-value of "not above 0"; or of many, (pairs,)."""

    low: Any
    high: Any
    support: Any


@dataclass(frozen=True)
class Halves:
    """By random halves, or of some areas by other ways that cover better, of `resamples` halves; a spread an area."""

    sample: Sample
    spreads: Sequence[Spreads]
    resamples: int
    method = "halves"

    @property
    def df(self) -> float:
        return self.spreads[0].n_minority - 1

    def difference(self, k: int, first: Models, second: Models, level: float = LEVEL) -> Spread:
        pairs = np.broadcast_arrays(first, second)
        flat = (models.reshape(-1) for models in pairs)
        lead, low, high, p = compare_pairs(self.sample, self.spreads[k], k, *flat, level=level, df=self.df)
        support = np.where(lead > 0, 1 - p / 2, p / 2)
        return Spread(*(of_pair.reshape(pairs[0].shape)[()] for of_pair in (low, high, support)))

    def covariance_of(self, k: int) -> np.ndarray:
        return self.spreads[k].covariance(k)

    def of(self, models: Sequence[int]) -> "Halves":
        sample = self.sample._replace(scores=self.sample.scores[:, models])
        return Halves(sample, [spreads.select(models) for spreads in self.spreads], self.resamples)

    def own(self, sample: Sample) -> Spreads:
        # the larger, as `interval` takes it
        variances = [spreads.variance for spreads in self.spreads]
        return self.spreads[0]._replace(variance=np.max(variances, axis=0))


@dataclass(frozen=True)
class Influences:
    """By the normal limit: `areas` (m, 5) and their `covariance` (5, m, m)."""

    areas: np.ndarray
    covariance: np.ndarray
    method = "influence functions"
    resamples = 0
    df = math.inf

    def difference(self, k: int, first: Models, second: Models, level: float = LEVEL) -> Spread:
        mean = self.areas[first, k] - self.areas[second, k]
        of_both = self.covariance[k, first, first] + self.covariance[k, second, second]
        variance = of_both - 2 * self.covariance[k, first, second]
        return normal_spread(mean, np.sqrt(np.maximum(variance, RESOLUTION * of_both)), level)

    def covariance_of(self, k: int) -> np.ndarray:
        return self.covariance[k]

    def of(self, models: Sequence[int]) -> "Influences":
        return Influences(self.areas[models], self.covariance[:, models][:, :, models])

    def own(self, sample: Sample) -> Spreads:
        prevalence, variance = sample.reference_prevalence(), self.covariance.diagonal(axis1=1, axis2=2)
        pairs = np.empty(0)
        lowest, n_minority = least_areas(prevalence), sample.n_minority()
        return Spreads(
            self.areas, variance, pairs, pairs, prevalence, lowest, n_minority, reaches_further=False
        )


Noise = Halves | Influences  # what the rows leave open of the differences between models' areas


def normal_spread(mean: Any, sd: Any, level: float = LEVEL) -> Spread:
    """Where there is no noise, a difference is certain, and no difference half so."""
    with np.errstate(all="ignore"):
        tail = t_tail(np.abs(mean / sd), math.inf)
    support = np.where(mean > 0, 1 - tail, tail)
    reach = NormalDist().inv_cdf((1 + level) / 2) * sd
    return Spread(mean - reach, mean + reach, np.where(mean == 0, 0.5, support)[()])


def row_noise(
    rankings: Rankings,
    folds: np.ndarray | None = None,
    groups: np.ndarray | None = None,
    *,
    resamples: int = 1000,
    seed: int = 1,
) -> Noise:
    """The noise of the models' areas; `groups` are (n,) numbers from 0."""
    y, weights = rankings.y_true, rankings.groups
    units = np.arange(len(y)) if groups is None else groups
    rarer = min(groups_with_either(y, units))
    # where few positives or groups decide, the normal limit is too far off (else to 5 % of its width right:
    # results/benchmarks/audit_intervals.csv); AUPRG gives half of its weight to as many positives as lie below where
    # recall gain is 0
    few = not influence_will_do(rarer, weights.P / (weights.P + weights.N))
    if few and (groups is None or rarer < FEW_GROUPS or rankings.n_scores <= HALVED_SCORES):
        folds = folds if groups is None else None
        sample = rankings.arranged(Sample(y, rankings.ranks(), rankings.weight, groups=groups, folds=folds))
        rng = generator(seed, "audit", "halves")
        sources = [source_of(sample, area, None, True) for area in AREAS]
        spreads = {source: spread(sample, source, rng, resamples) for source in dict.fromkeys(sources)}
        return Halves(sample, [spreads[source] for source in sources], resamples)
    if groups is not None:
        holds_positive = np.bincount(groups, y) > 0
        return Influences(rankings.values(), rankings.cluster_covariance(groups, holds_positive.astype(int)))
    strata = None if folds is None else 2 * folds + y
    return Influences(rankings.values(), rankings.covariance(strata))


def best_models(areas: pd.DataFrame, metric: str) -> list[str]:
    area = rounded(areas[metric].to_numpy())
    return areas.index[area == area.max()].tolist()


def winners(areas: pd.DataFrame, noise: Noise) -> pd.DataFrame:
    """What each metric puts first, how far ahead of the next, and the noise of that lead."""
    rows = []
    for k, metric in enumerate(AREAS if len(areas) > 1 else ()):
        area = rounded(areas[metric].to_numpy())
        first, second = np.argsort(-area, kind="stable")[:2]
        low, high, held = noise.difference(k, first, second)
        best, lead = "|".join(best_models(areas, metric)), area[first] - area[second]
        real = bool(lead > 0 and held >= SUPPORT)
        rows.append((metric, best, area[first], areas.index[second], lead, low, high, held, real))
    return pd.DataFrame(
        rows, columns=["metric", "best", "value", "second", "lead", "low", "high", "support", "real"]
    )


def swaps(areas: pd.DataFrame, noise: Noise, metrics: Sequence[str] = RANKED) -> pd.DataFrame:
    """The pairs of models that two metrics order differently, the best supported first.

    A swap is `real` only if both of its signs are supported (an intersection-union test).
    """
    values = {metric: rounded(areas[metric].to_numpy()) for metric in metrics}
    frames = []
    for pair in combinations(metrics, 2):
        a, b = (values[metric] for metric in pair)
        p, q = np.nonzero((a[:, None] > a[None, :]) & (b[:, None] < b[None, :]))
        first = noise.difference(AREAS.index(pair[0]), p, q).support
        second = noise.difference(AREAS.index(pair[1]), q, p).support
        columns = {
            "preferred_first": areas.index[p], "preferred_second": areas.index[q],
            "difference_first": a[p] - a[q], "difference_second": b[q] - b[p],
            "support_first": first, "support_second": second, "real": np.minimum(first, second) >= SUPPORT,
        }  # fmt: skip
        frames.append(pd.DataFrame({"first": pair[0], "second": pair[1], **columns}))
    swapped = pd.concat(frames, ignore_index=True)
    weakest = swapped[["support_first", "support_second"]].min(axis=1)
    order = np.lexsort([swapped.index, -weakest.to_numpy(dtype=float)])
    return swapped.iloc[order].reset_index(drop=True)


def verdict(areas: pd.DataFrame, noise: Noise) -> str:
    """Do the winners differ, and by more than noise? The one place that decides.

    agree (one model, or the same tied ones, win by all), tied (only ties stand between them), real (two winners swap
    and both preferences are supported) or noise.
    """
    best = [frozenset(np.flatnonzero(area == area.max()).tolist()) for area in _ranked(areas).values()]
    if len(set(best)) == 1:
        return "agree"
    if frozenset.intersection(*best):
        return "tied"
    rows = sorted(frozenset.union(*best))
    return "real" if swaps(areas.iloc[rows], noise.of(rows))["real"].any() else "noise"


def excluded(areas: pd.DataFrame, noise: Noise) -> pd.DataFrame:
    """Of each two models that metrics put first, each alone, the differences that the data leave possible.

    `bound` is the larger end in absolute value; `support` is of the metric's preference.
    """
    best: dict[int, list[str]] = {}
    for metric, area in _ranked(areas).items():
        if np.count_nonzero(area == area.max()) == 1:
            best.setdefault(int(area.argmax()), []).append(metric)
    rows = []
    for (p, of_p), (q, of_q) in combinations(best.items(), 2):
        for metric in (*of_p, *of_q):
            k = AREAS.index(metric)
            low, high, held = noise.difference(k, p, q)
            held = held if metric in of_p else noise.difference(k, q, p).support
            bound = max(abs(low), abs(high))
            rows.append((metric, areas.index[p], areas.index[q], low, high, bound, held))
    return pd.DataFrame(rows, columns=["metric", "first", "second", "low", "high", "bound", "support"])


def _ranked(areas: pd.DataFrame) -> dict[str, np.ndarray]:
    return {metric: rounded(areas[metric].to_numpy()) for metric in RANKED}


def pairs_to_explain(areas: pd.DataFrame, swapped: pd.DataFrame) -> list[tuple[str, str]]:
    """Two winners that differ, else the best supported swap; each pair once."""
    winning = [best_models(areas, metric) for metric in RANKED]
    names = list(dict.fromkeys(models[0] for models in winning if len(models) == 1))
    pairs = list(combinations(names, 2))
    if not pairs and len(swapped):
        pairs = [(swapped["preferred_first"].iloc[0], swapped["preferred_second"].iloc[0])]
    return pairs[:EXPLAINED]
