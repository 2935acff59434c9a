"""Tests whether models differ, and metrics disagree about them, by more than the sampling noise of the rows.

The intervals of differences are those of `aucstudy.metrics.compare`. They come from random halves of the rows
within each class and each fold, or of whole groups. For a large table they come from the influence of the
rows on each metric.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from aucstudy.audit.rankings import Rankings
from aucstudy.metrics.counts import areas_of_kernel_groups
from aucstudy.metrics.kernel import OBSERVED, best_threshold, groups_of, order_of, totals_of
from aucstudy.metrics.registry import index, keys
from aucstudy.metrics.target_metrics import number_of, target_of
from aucstudy.metrics.uncertainty.sample import Sample
from aucstudy.metrics.uncertainty.standard_errors import influence_will_do, sampling_errors
from aucstudy.statistics.best import LEVEL, SUPPORT, AreaNoise
from aucstudy.statistics.ranks import rounded
from aucstudy.statistics.seeds import generator

EXPLAINED = 3  # pairs of models whose difference is explained
# Positives in all random rankings together. With many positives in each, rankings hardly differ and few
# suffice.
CHANCE_POSITIVES = 500_000
CHANCE_PERMUTED = 50_000_000  # weights that are shuffled for all random rankings together


def row_noise(
    rankings: Rankings,
    folds: np.ndarray | None = None,
    groups: np.ndarray | None = None,
    *,
    resamples: int = 1000,
    seed: int = 1,
) -> AreaNoise:
    """Return the noise of the models' metrics.

    `groups` are (n,) numbers from 0. If they are given, `folds` do not count.
    """
    folds = folds if groups is None else None
    sample = Sample(rankings.y_true, rankings.scores, rankings.weight, groups=groups, folds=folds)
    if influence_will_do(sample):
        return AreaNoise(sampling_errors(sample, rankings=rankings.order))
    sample = rankings.arranged(sample._replace(scores=rankings.ranks()))
    return AreaNoise(sampling_errors(sample, halves=resamples, seed=generator(seed, "audit", "halves")))


def best_models(areas: pd.DataFrame, metric: str) -> list[str]:
    area = rounded(areas[metric].to_numpy())
    return areas.index[area == area.max()].tolist()


def winners(areas: pd.DataFrame, noise: AreaNoise, metrics: Sequence[str]) -> pd.DataFrame:
    """Return the first model by each metric, its lead over the next model, and the noise of that lead."""
    rows = []
    for metric in metrics if len(areas) > 1 else ():
        area = rounded(areas[metric].to_numpy())
        leader, runner_up = np.argsort(-area, kind="stable")[:2]
        low, high, support = noise.difference(index(metric), leader, runner_up)
        best, lead = "|".join(best_models(areas, metric)), area[leader] - area[runner_up]
        is_real = bool(lead > 0 and support >= SUPPORT)
        rows.append((metric, best, area[leader], areas.index[runner_up], lead, low, high, support, is_real))
    return pd.DataFrame(
        rows, columns=["metric", "best", "value", "second", "lead", "low", "high", "support", "real"]
    )


def swaps(areas: pd.DataFrame, noise: AreaNoise, metrics: Sequence[str]) -> pd.DataFrame:
    """Return the ranking changes: the pairs of models that two metrics order differently.

    The best supported pair comes first. A ranking change is `real` only if the order by each of the two
    metrics is supported (an intersection-union test).
    """
    values = _rounded(areas, metrics)
    frames = []
    for metric_first, metric_second in combinations(metrics, 2):
        a, b = values[metric_first], values[metric_second]
        p, q = np.nonzero((a[:, None] > a[None, :]) & (b[:, None] < b[None, :]))
        support_first = noise.difference(index(metric_first), p, q).support
        support_second = noise.difference(index(metric_second), q, p).support
        columns = {
            "preferred_first": areas.index[p], "preferred_second": areas.index[q],
            "difference_first": a[p] - a[q], "difference_second": b[q] - b[p],
            "support_first": support_first, "support_second": support_second,
            "real": np.minimum(support_first, support_second) >= SUPPORT,
        }  # fmt: skip
        frames.append(pd.DataFrame({"first": metric_first, "second": metric_second, **columns}))
    names = ("first", "second", "preferred_first", "preferred_second", "difference_first", "difference_second",
               "support_first", "support_second", "real")  # fmt: skip
    # A single metric swaps nothing.
    swapped = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=names)
    weakest = swapped[["support_first", "support_second"]].min(axis=1)
    order = np.lexsort([swapped.index, -weakest.to_numpy(dtype=float)])
    return swapped.iloc[order].reset_index(drop=True)


def verdict(areas: pd.DataFrame, noise: AreaNoise, metrics: Sequence[str]) -> str:
    """Return in a word whether the metrics have different best models, and whether by more than noise.

    "agree": all metrics have the same best models. "tied": some model is best by all metrics, but others tie
    with it by some. "real": two of the best models change their order between two metrics, and both orders
    are supported. "noise": the best models differ, but no such change is supported.
    """
    by_metric = _rounded(areas, metrics)
    best = [frozenset(np.flatnonzero(area == area.max()).tolist()) for area in by_metric.values()]
    if len(set(best)) == 1:
        return "agree"
    if frozenset.intersection(*best):
        return "tied"
    rows = sorted(frozenset.union(*best))
    return "real" if swaps(areas.iloc[rows], noise.of(rows), metrics)["real"].any() else "noise"


def winner_differences(areas: pd.DataFrame, noise: AreaNoise, metrics: Sequence[str]) -> pd.DataFrame:
    """Return the intervals of the differences between models that are the single best ones by some metric.

    `first` and `second` are such models, and `metric` is one by which one of them is best. `bound` is the
    larger absolute value of the ends `low` and `high`. `support` is the support of the metric's preference.
    """
    best: dict[int, list[str]] = {}
    for metric, area in _rounded(areas, metrics).items():
        if np.count_nonzero(area == area.max()) == 1:
            best.setdefault(int(area.argmax()), []).append(metric)
    rows = []
    for (p, metrics_of_p), (q, metrics_of_q) in combinations(best.items(), 2):
        for metric in (*metrics_of_p, *metrics_of_q):
            k = index(metric)
            low, high, support = noise.difference(k, p, q)
            support = support if metric in metrics_of_p else noise.difference(k, q, p).support
            bound = max(abs(low), abs(high))
            rows.append((metric, areas.index[p], areas.index[q], low, high, bound, support))
    return pd.DataFrame(rows, columns=["metric", "first", "second", "low", "high", "bound", "support"])


def _rounded(areas: pd.DataFrame, metrics: Sequence[str]) -> dict[str, np.ndarray]:
    return {metric: rounded(areas[metric].to_numpy()) for metric in metrics}


def pairs_to_explain(
    areas: pd.DataFrame, swapped: pd.DataFrame, metrics: Sequence[str]
) -> list[tuple[str, str]]:
    """Return the pairs of models to explain: pairs of winners, or else the best supported ranking change."""
    winning = [best_models(areas, metric) for metric in metrics]
    names = list(dict.fromkeys(models[0] for models in winning if len(models) == 1))
    pairs = list(combinations(names, 2))
    if not pairs and len(swapped):
        pairs = [(swapped["preferred_first"].iloc[0], swapped["preferred_second"].iloc[0])]
    return pairs[:EXPLAINED]


def accepted_shares(name: str, sample: Sample, unit_weight: float) -> np.ndarray:
    """Return recall and false positive rate (m, 2) of each model where its target metric is highest."""
    target, weight = target_of(name), sample.weights()
    P, N = float(weight[sample.y_true].sum()), float(weight[~sample.y_true].sum())
    number = float(number_of(target, P, N, unit_weight))
    order, totals = order_of(sample.y_true, sample.scores), totals_of(P, N, OBSERVED)
    points = []
    for model in range(sample.scores.shape[1]):
        groups = groups_of(order, model, weight)
        points.append(best_threshold(groups, groups.shape[1], totals, target.kind, number)[1:])
    return np.array(points) / (P, N)


def chance_levels(sample: Sample, seed: int, n_models: int = 1) -> pd.DataFrame:
    """Return for each metric its mean over random rankings, and the value `limit` that 95 % of them lie below.

    The value `limit_of_best` is the same for the best of as many random rankings as there are models (Bonferroni). If
    the rows belong to cases, whole cases are ranked.
    """
    rng = generator(seed, "audit", "chance")
    holds_positive, weight = sample.y_true, sample.weights()
    if sample.cases:
        holds_positive = np.bincount(sample.groups, holds_positive) > 0
        weight = np.bincount(sample.groups, weight)
    n, P = len(holds_positive), np.count_nonzero(holds_positive)
    weights_by_class = weight[holds_positive], weight[~holds_positive]
    t, f = (np.append(0.0, np.cumsum(weights)) for weights in weights_by_class)
    weights_differ = [np.ptp(weights) > 0 for weights in weights_by_class]
    draws = max(3, min(1000, CHANCE_POSITIVES // P))
    if any(weights_differ):
        draws = min(draws, max(100, CHANCE_PERMUTED // n))
    single_rows = not any(weights_differ) and t[1] == f[1] == 1
    totals = (float(P), float(n - P)) if single_rows else (float(t[-1]), float(f[-1]))
    areas = []
    for _ in range(draws):
        negatives_above = np.sort(rng.choice(n, P, replace=False, shuffle=False)) - np.arange(P)
        for sums, weights, differ in zip((t, f), weights_by_class, weights_differ, strict=True):
            if differ:
                np.cumsum(rng.permutation(weights), out=sums[1:])
        groups = np.stack([t[:-1], f[negatives_above], np.diff(t), np.zeros(P)])
        areas.append(areas_of_kernel_groups(groups, *totals, OBSERVED))
    limit, limit_of_best = np.quantile(areas, [LEVEL, 1 - (1 - LEVEL) / n_models], axis=0)
    return pd.DataFrame(
        {
            "metric": keys(),
            "mean": np.mean(areas, axis=0),
            "limit": limit,
            "limit_of_best": limit_of_best,
        }
    )
