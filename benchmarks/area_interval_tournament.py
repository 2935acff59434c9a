"""A tournament of intervals: which are the narrowest of those that cover the truth, where positives are few?

The candidates are in `area_interval_candidates`, most of the designs in `area_intervals_edges`. Each setting is a
design, a prevalence and a number of rows of the rarer class; in some, rows have weights or come in groups. Three
models score the rows of each sample. The first and the second differ and show the coverage of one model and of
the difference. The first and the third are exchangeable and show the type I error.

The rule was written and committed before any result was seen:

1. Half of the samples of each setting are for tuning, and the other half, of another seed, are kept for the end.
   The winner is named by the samples for tuning alone. The samples that were kept say what is published about it.
2. An interval of one model is admitted if it covers the truth in at least 93.5 % of the samples in every cell. A
   cell is a setting and one of the metrics AUROC, AUPR, AUPRG and AP. (AUCNPR is AUPR rescaled.) Samples of both
   models count together.
3. An interval of a difference is admitted if its type I error is at most 6.5 % in every cell, and if it covers the
   difference in every cell in at least 93.5 % of the samples, or else in no fewer than today's less one point.
   The second condition is needed because the type I error does not depend on unseen rows.
4. Of the candidates that are admitted, the winner has the smallest width. The width of a cell is the median over
   samples, divided by that of today's method. The width of a candidate is its median over cells with at most 30
   rows of the rarer class, where intervals are too wide today.
5. One method serves all metrics. If two methods are better, the first is for settings with at most 30 rows of the
   rarer class and the second is for those with 100 or more; each is admitted and chosen by its own cells.
6. Newcombe's interval, which is for AUROC alone, can only be a rival.

What was left out for speed, before any result: settings of more than 1,000 rows, and of each other prevalence some
numbers of rows; half-samples of a sample, of which there are 100 and not 500, as in `area_intervals_edges`; and
half-samples with a standard error each. In the design "perfect", all samples have the same ranking, and few are drawn.
Prevalence .1 with 100 positives, also with weights and groups, was left out when the time ended, after first results
of the samples for tuning had been seen. It came last because settings were drawn by their number of rows, but for
those of prevalence .01.

docs/intervals.md has what was found. "Today's method" is that of the package when the rule was written. The winner for
one model has replaced it. The power of the winner for differences was measured after it was known; then
`area_interval_differences` looked for one with more power.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from area_interval_candidates import (
    OF_ONE_MODEL,
    PSEUDO,
    STUDENTS,
    TODAY,
    TODAY_OF_DIFFERENCES,
    UNSEEN,
    Candidate,
    Facts,
    limits_of_difference,
    limits_of_one,
)
from area_intervals_edges import DESIGNS, Design, class_counts, scored, truth
from origin import write_measured
from scipy.special import ndtri

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.kernel import (
    Options,
    lost_gain,
    order_of,
    ordered_pairs,
    precision_integrals,
    step,
    totals_of,
)
from aucstudy.metrics.registry import index
from aucstudy.metrics.resamples import areas_of_order
from aucstudy.metrics.uncertainty.sample import Sample, half_samples
from aucstudy.metrics.uncertainty.standard_errors import STEP, bounds_of
from aucstudy.statistics.seeds import generator

METRICS = ("auroc", "aupr", "auprg", "average_precision")
PLACES = np.array([index(metric) for metric in METRICS])
DRAWS, DRAWS_OF_PERFECT, HALF_SAMPLES, LARGEST, SEED = 2000, 10, 100, 1000, 71
SEEDS = ("tuning", "kept")
LEAST_COVERAGE, LARGEST_TYPE_1, ALLOWED_LOSS, FEW = 0.935, 0.065, 0.01, 30

DESIGNS["normal"] = Design((1.2, 0.8), lambda shift, uniform: ndtri(uniform) + shift, ndtri)
NAMES = ("normal", "contaminated", "five levels", "strong", "weak", "crossing", "near perfect", "perfect")
# The numbers of rows of the rarer class, by prevalence.
SIZES = {
    0.01: (10,),
    0.05: (10, 20, 30),
    0.1: (10, 30),
    0.5: (10, 30, 100, 300),
    0.9: (10, 30),
}
SAMPLINGS = ("weights", "groups of 5")
NAMES_OF_SAMPLINGS = ("normal", "strong", "crossing")
SIZES_OF_SAMPLINGS = {0.1: (20,)}
DRAWS_OF_POWER = 800


class Setting(NamedTuple):
    """What is the same in all samples of a setting."""

    sampling: str
    design: str
    prevalence: float
    rarer: int


POWER_SETTINGS = [
    Setting("rows of each class", *setting)
    for setting in (
        ("normal", 0.05, 10),
        ("contaminated", 0.1, 10),
        ("normal", 0.1, 30),
        ("strong", 0.1, 30),
        ("normal", 0.5, 30),
        ("weak", 0.5, 30),
        ("normal", 0.5, 100),
    )
]


def settings(largest: int = LARGEST) -> Iterator[Setting]:
    for sampling, names, sizes in (
        ("rows of each class", NAMES, SIZES),
        *((sampling, NAMES_OF_SAMPLINGS, SIZES_OF_SAMPLINGS) for sampling in SAMPLINGS),
    ):
        for prevalence, counts in sizes.items():
            for rarer in (rarer for rarer in counts if sum(class_counts(prevalence, rarer)) <= largest):
                yield from (Setting(sampling, name, prevalence, rarer) for name in names)


def samples_of(setting: Setting, draws: int, rng: np.random.Generator) -> Iterator[Sample]:
    """Yield samples of a setting, scored by three models of which the third is like the first."""
    design, (P, N) = DESIGNS[setting.design], class_counts(setting.prevalence, setting.rarer)
    strengths, n = (*design.strengths, design.strengths[0]), P + N
    y, groups = np.arange(n) < P, np.arange(n) // 5
    if setting.sampling == "groups of 5":
        # Half of the variance lies between groups. Some groups hold positives, two each.
        y = (groups < P // 2) & (np.arange(n) % 5 < 2)
    for _ in range(draws):
        normal = rng.standard_normal((n, 4))
        if setting.sampling == "groups of 5":
            normal = np.sqrt(0.5) * (normal + rng.standard_normal((n // 5, 4))[groups])
        sample = Sample(y, scored(design, strengths, y, normal))
        if setting.sampling == "weights":
            weight = rng.exponential(size=n) + 0.2
            weight /= np.where(y, weight[y].mean(), weight[~y].mean())
            sample = sample._replace(weight=weight)
        yield sample._replace(groups=groups) if setting.sampling == "groups of 5" else sample


def facts_of(setting: Setting, draws: int, seed: str) -> Facts:
    """Draw the samples of a setting and return what the candidates need."""
    rng = generator(SEED, "tournament of intervals", seed, *setting)
    P, N = class_counts(setting.prevalence, setting.rarer)
    prevalence, k = P / (P + N), len(METRICS)
    facts = Facts(
        np.empty((draws, 3, k)),
        np.empty((draws, k, 3, 3)),
        np.empty((draws, 3, k)),
        np.empty((2, draws, k, 3, 3)),
        np.empty((draws, 2)),
        np.empty((len(UNSEEN), 4, draws, 3, k)),
        np.empty((len(PSEUDO), draws, 3, k)),
        np.empty((len(PSEUDO), 2, draws, 3, k)),
        np.empty(draws),
        (P, N),
        np.empty(k),
        np.empty(k),
    )
    halves = None
    for draw, sample in enumerate(samples_of(setting, draws, rng)):
        if halves is None:
            # Units are exchangeable, so that the same halves serve all samples.
            unweighted = sample._replace(weight=None)
            halves = np.concatenate(list(half_samples(unweighted, HALF_SAMPLES, rng)))
            facts.floor[:], facts.ceiling[:] = np.array(bounds_of(sample))[:, PLACES]
        add_facts(facts, draw, sample, halves, prevalence)
    return facts


def add_facts(facts: Facts, draw: int, sample: Sample, halves: np.ndarray, prevalence: float) -> None:
    rankings, weight, width = (
        order_of(sample.y_true, sample.scores),
        sample.weights(),
        facts.ceiling - facts.floor,
    )
    estimate = areas_of_order(rankings, weight, prevalence=prevalence)[:, PLACES]
    of_halves = halves * weight if sample.weight is not None else halves.astype(np.uint8)
    areas = areas_of_order(rankings, of_halves, prevalence=prevalence)[..., PLACES]
    deviations = (areas - estimate).transpose(2, 1, 0)
    facts.estimate[draw] = estimate
    facts.halves[draw] = deviations @ deviations.transpose(0, 2, 1) / len(halves)
    angles, angle = (np.arcsin(np.sqrt(((x - facts.floor) / width).clip(0, 1))) for x in (areas, estimate))
    facts.scaled_halves[draw] = np.mean((angles - angle) ** 2, axis=0)
    (unit, stratum), one_more = sample.units(), sample.weights_of_one_more()
    facts.rarer[draw] = sample.n_minority()
    facts.stratum_sizes[draw] = np.bincount(stratum)
    if sample.weight is not None:
        facts.stratum_sizes[draw] = np.bincount(stratum, weight) ** 2 / np.bincount(stratum, weight**2)
    by_unit = np.zeros((3, len(METRICS), len(stratum)))
    for model in range(3):
        ranking = rankings.rows[model], rankings.ends_group[model], rankings.positive
        _fill_model(
            *ranking, weight, unit, stratum, np.bincount(stratum), prevalence, one_more, np.array(UNSEEN),
            np.array(PSEUDO), by_unit[model], facts.moved[:, :, draw, model], facts.pseudo[:, draw, model],
            facts.pseudo_variance[:, :, draw, model],
        )  # fmt: skip
    for s in range(2):
        of_stratum = by_unit[:, :, stratum == s].transpose(1, 0, 2)
        facts.influences[s, draw] = of_stratum @ of_stratum.transpose(0, 2, 1)


@compiled
def _fill_model(
    rows, ends_group, positive, weight, unit, stratum, sizes, prevalence, one_more, unseen, pseudo, by_unit, moved,
    pseudo_area, pseudo_variance,
):  # fmt: skip
    """Fill what `Facts` has of one model in one sample; `by_unit` (k, units) are its influences.

    The definitions are `unit_influences` and `unseen_effects` of the package, with which a test compares these.
    """
    n, P, N = rows.size, 0.0, 0.0
    for row in range(n):
        if positive[row]:
            P += weight[row]
        else:
            N += weight[row]
    scale = P * (1 - prevalence) / (prevalence * N)
    # A column for each group with positives, with room for a group on top and for one at the bottom.
    groups, column = np.zeros((4, n + 2)), np.empty(n, dtype=np.int64)
    size, start, t, f, d, e = 0, 0, 0.0, 0.0, 0.0, 0.0
    tied = np.zeros(n, dtype=np.bool_)
    for i in range(n):
        row = rows[i]
        if positive[row]:
            d += weight[row]
        else:
            e += weight[row] * scale
        if ends_group[i]:
            for j in range(start, i + 1):
                column[rows[j]], tied[rows[j]] = size + 1, d > 0
            if d > 0:
                groups[0, size + 1], groups[1, size + 1], groups[2, size + 1], groups[3, size + 1] = (
                    t,
                    f,
                    d,
                    e,
                )
                size += 1
            t, f, d, e, start = t + d, f + e, 0.0, 0.0, i + 1
    N *= scale
    positive_weight, negative_weight = one_more
    for w in range(unseen.size):
        p, q = unseen[w] * positive_weight, unseen[w] * negative_weight
        _fill_areas(_with_rows(groups, size, P, N, (0.0, 0.0), (p, 0.0)), P + p, N, prevalence, moved[w, 0])
        _fill_areas(_with_rows(groups, size, P, N, (0.0, q), (0.0, 0.0)), P, N + q, prevalence, moved[w, 1])
        _fill_areas(_with_rows(groups, size, P, N, (p, 0.0), (0.0, 0.0)), P + p, N, prevalence, moved[w, 2])
        _fill_areas(_with_rows(groups, size, P, N, (0.0, 0.0), (0.0, q)), P, N + q, prevalence, moved[w, 3])
    pseudo_units, of_groups = np.empty(by_unit.shape), np.empty((len(by_unit), 3, size + 2))
    for w in range(pseudo.size):
        p, q = pseudo[w] * positive_weight / 2, pseudo[w] * negative_weight / 2
        added = _with_rows(groups, size, P, N, (p, q), (p, q))
        _fill_areas(added, P + 2 * p, N + 2 * q, prevalence, pseudo_area[w])
        _fill_influences(added, P + 2 * p, N + 2 * q, prevalence, of_groups)
        _fill_units(of_groups, positive, weight, scale, unit, column, tied, pseudo_units)
        _centre(pseudo_units, stratum, sizes)
        for k in range(len(by_unit)):
            pseudo_variance[w, :, k] = 0.0
            for u in range(stratum.size):
                pseudo_variance[w, stratum[u], k] += pseudo_units[k, u] ** 2
            for end in (0, size + 1):
                # The variance of half a row is half of a row's.
                pseudo_variance[w, 1, k] += pseudo[w] / 2 * (positive_weight * of_groups[k, 0, end]) ** 2
                pseudo_variance[w, 0, k] += pseudo[w] / 2 * (negative_weight * of_groups[k, 1, end]) ** 2
    plain = _with_rows(groups, size, P, N, (0.0, 0.0), (0.0, 0.0))
    _fill_influences(plain, P, N, prevalence, of_groups)
    _fill_units(of_groups, positive, weight, scale, unit, column, tied, by_unit)
    _centre(by_unit, stratum, sizes)


@compiled
def _with_rows(groups, size, P, N, top, bottom):
    """Return the groups (4, size + 2) with more positives and negatives on top and at the bottom, which may be 0."""
    more = np.empty((4, size + 2))
    more[0, 0], more[1, 0], more[2, 0], more[3, 0] = 0.0, 0.0, top[0], top[1]
    for j in range(1, size + 1):
        more[0, j], more[1, j] = groups[0, j] + top[0], groups[1, j] + top[1]
        more[2, j], more[3, j] = groups[2, j], groups[3, j]
    more[0, size + 1], more[1, size + 1] = P + top[0], N + top[1]
    more[2, size + 1], more[3, size + 1] = bottom
    return more


@compiled
def _fill_areas(groups, P, N, prevalence, areas):
    """Fill `areas` (k,) at a prevalence."""
    totals = totals_of(P, N, Options(prevalence, False, 0.0, 1.0))
    areas[:] = 0.0
    for j in range(groups.shape[1]):
        if groups[2, j] > 0:
            t, f, d, e = groups[0, j], groups[1, j] * totals.scale, groups[2, j], groups[3, j] * totals.scale
            for k in range(areas.size):
                areas[k] += _term(k, t, f, d, e, totals)
    areas[2] += 1.0


@compiled
def _term(k, t, f, d, e, totals):
    """Return what a group adds to a metric, for AUPRG to it less 1."""
    if k == 0:
        return ordered_pairs(f, d, e, totals) / (totals.P * totals.N)
    if k == 1:
        return precision_integrals(t, f, d, e)[0] / totals.P
    if k == 2:
        return -lost_gain(t, f, d, e, 0.0, totals)
    return step(t, f, d, e) / totals.P


@compiled
def _fill_influences(groups, P, N, prevalence, of_groups):
    """Fill the influences (k, 3, groups) of a positive and a negative of each group, and of a negative just above it.

    They are those of more weight, where the totals do not change, less their mean over each class.
    """
    totals = totals_of(P, N, Options(prevalence, False, 0.0, 1.0))
    for k in range(of_groups.shape[0]):
        below_t = below_f = mean_positive = mean_negative = 0.0
        for j in range(groups.shape[1] - 1, -1, -1):
            t, f, d, e = groups[0, j], groups[1, j] * totals.scale, groups[2, j], groups[3, j] * totals.scale
            by_t = by_f = by_d = by_e = 0.0
            if d > 0:
                h = STEP * (t + f)
                if h > 0:
                    by_t = (_term(k, t + h, f, d, e, totals) - _term(k, t - h, f, d, e, totals)) / (2 * h)
                    by_f = (_term(k, t, f + h, d, e, totals) - _term(k, t, f - h, d, e, totals)) / (2 * h)
                h = STEP * (d + e)
                by_d = (_term(k, t, f, d + h, e, totals) - _term(k, t, f, d - h, e, totals)) / (2 * h)
                by_e = (_term(k, t, f, d, e + h, totals) - _term(k, t, f, d, e - h, totals)) / (2 * h)
            of_groups[k, 0, j] = by_d + below_t
            of_groups[k, 1, j] = (by_e + below_f) * totals.scale
            below_t, below_f = below_t + by_t, below_f + by_f
            of_groups[k, 2, j] = below_f * totals.scale
            above = groups[1, j] - (groups[1, j - 1] + groups[3, j - 1] if j > 0 else 0.0)
            mean_positive += groups[2, j] * of_groups[k, 0, j] / P
            mean_negative += (groups[3, j] * of_groups[k, 1, j] + above * of_groups[k, 2, j]) / N
        of_groups[k, 0] -= mean_positive
        of_groups[k, 1:] -= mean_negative


@compiled
def _fill_units(of_groups, positive, weight, scale, unit, column, tied, by_unit):
    """Fill `by_unit` (k, units) with the sums of the influences of each unit's rows, times their weights."""
    by_unit[:] = 0.0
    for row in range(weight.size):
        j = column[row]
        for k in range(len(by_unit)):
            if positive[row]:
                by_unit[k, unit[row]] += weight[row] * of_groups[k, 0, j]
            else:
                by_unit[k, unit[row]] += weight[row] * scale * of_groups[k, 1 if tied[row] else 2, j]


@compiled
def _centre(by_unit, stratum, sizes):
    """Subtract the mean over each stratum, and make the sums of squares those over size - 1 in place of size."""
    for k in range(len(by_unit)):
        mean = np.zeros(sizes.size)
        for u in range(stratum.size):
            mean[stratum[u]] += by_unit[k, u] / sizes[stratum[u]]
        for u in range(stratum.size):
            s = stratum[u]
            by_unit[k, u] = (by_unit[k, u] - mean[s]) * np.sqrt(sizes[s] / max(sizes[s] - 1, 1))


def cells(seed: str, draws: int, largest: int = LARGEST) -> pd.DataFrame:
    """Simulate every setting and return a row for each cell and candidate."""
    rows = []
    for setting in settings(largest):
        of_setting = min(draws, DRAWS_OF_PERFECT) if setting.design == "perfect" else draws
        of_cells = cells_of(setting, facts_of(setting, of_setting, seed))
        rows += [row | {"draws": of_setting} for row in of_cells]
    return pd.DataFrame(rows)


def cells_of(setting: Setting, facts: Facts) -> list[dict[str, object]]:
    """Return what every candidate does in one setting: a row for each candidate and metric.

    `coverage` and `width` are of one model, or of the difference, which also has `type_1`. AUPRG is left out where its
    interval would be the whole range of possible values.
    """
    P, N = facts.class_counts
    models = [
        truth(setting.design, strength, P / (P + N))[PLACES] for strength in DESIGNS[setting.design].strengths
    ]
    true, rows = np.array(models), []

    def add(candidate: Candidate, measured: dict[str, np.ndarray]) -> None:
        for k, metric in enumerate(METRICS):
            if not is_any_value(metric, setting) and (candidate.scale != "Newcombe" or metric == "auroc"):
                of_metric = {name: values[k] for name, values in measured.items()}
                rows.append(setting._asdict() | {"metric": metric} | candidate._asdict() | of_metric)

    def add_difference(candidate: Candidate, of_each: np.ndarray | None = None) -> None:
        low, high = limits_of_difference(candidate, facts, 0, 1, of_each)
        measured = {
            "coverage": _covered(low, high, true[0] - true[1]),
            "width": np.median(high - low, axis=0),
        }
        low, high = limits_of_difference(candidate, facts, 0, 2, of_each)
        add(candidate, measured | {"type_1": np.mean((low > 1e-9) | (high < -1e-9), axis=0)})

    for candidate in OF_ONE_MODEL:
        limits = limits_of_one(candidate, facts)
        low, high = limits[:, :, :2]
        add(candidate, {"coverage": _covered(low, high, true), "width": np.median(high - low, axis=(0, 1))})
        add_difference(candidate._replace(kind="joined"), limits)
    for candidate in STUDENTS:
        add_difference(candidate)
    return rows


def is_any_value(metric: str, setting: Setting) -> bool:
    """Return whether the package's interval of the metric is the whole range of possible values."""
    P, N = class_counts(setting.prevalence, setting.rarer)
    return metric == "auprg" and setting.rarer * P / (P + N) < 1


def _covered(low: np.ndarray, high: np.ndarray, true: np.ndarray) -> np.ndarray:
    return np.mean((low <= true + 1e-9) & (high >= true - 1e-9), axis=tuple(range(low.ndim - 1)))


def powers(candidates: list[Candidate], draws: int) -> pd.DataFrame:
    """Return how often intervals of a difference tell the two unequal models apart, in POWER_SETTINGS.

    The rule does not ask for it. It was measured after the winner of differences was known.
    """
    rows = []
    for setting in POWER_SETTINGS:
        facts = facts_of(setting, draws, "power")
        for candidate in candidates:
            low, high = limits_of_difference(candidate, facts, 0, 1)
            power = np.mean((low > 1e-9) | (high < -1e-9), axis=0)
            for k, metric in enumerate(METRICS):
                if not is_any_value(metric, setting):
                    row = setting._asdict() | {"metric": metric} | candidate._asdict()
                    rows.append(row | {"power": power[k], "draws": draws})
    return pd.DataFrame(rows)


def judged(cells: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each candidate and number of rows: whether the rule admits it, and which cell is its worst.

    `width` is the median over cells of the width relative to today's, `below` the number of cells that stop it.
    """
    parts, facts = list(Candidate._fields), [*Setting._fields, "metric"]
    today = cells[_is(cells, TODAY) | _is(cells, TODAY_OF_DIFFERENCES)].assign(
        of_one=lambda rows: rows["kind"] == "one model"
    )
    cells = cells.assign(of_one=cells["kind"] == "one model")
    cells = cells.merge(
        today[[*facts, "of_one", "coverage", "width"]], on=[*facts, "of_one"], suffixes=("", "_today")
    )
    least = np.where(
        cells["of_one"], LEAST_COVERAGE, np.minimum(LEAST_COVERAGE, cells["coverage_today"] - ALLOWED_LOSS)
    )
    cells["ratio"] = cells["width"] / cells["width_today"]
    cells["is_stopped"] = (cells["coverage"] < least) | (cells["type_1"] > LARGEST_TYPE_1)
    rows = []
    for n_rows, selected in (
        ("all", cells),
        (f"{FEW} or fewer", cells[cells["rarer"] <= FEW]),
        (f"more than {FEW}", cells[cells["rarer"] > FEW]),
    ):
        for candidate, of_candidate in selected.groupby(parts, sort=False):
            stops = of_candidate[of_candidate["is_stopped"]]
            worst = of_candidate.loc[of_candidate["coverage"].idxmin()]
            few = of_candidate[of_candidate["rarer"] <= FEW] if n_rows == "all" else of_candidate
            row = {
                "rarer_rows": n_rows,
                **dict(zip(parts, candidate, strict=True)),
                "cells": len(of_candidate),
            }
            row |= {"admitted": stops.empty, "cells_that_stop": len(stops), "width": few["ratio"].median()}
            row |= {"lowest_coverage": worst["coverage"], "highest_type_1": of_candidate["type_1"].max()}
            rows.append(row | {f"worst_{name}": worst[name] for name in facts})
    return pd.DataFrame(rows)


def _is(cells: pd.DataFrame, candidate: Candidate) -> pd.Series:
    return (cells[list(Candidate._fields)] == pd.Series(candidate._asdict())).all(axis=1)


def winners(tuning: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the narrowest admitted candidates among `judged` ones, by number of rows and what it is of.

    There is none where no candidate is admitted.
    """
    admitted = tuning[tuning["admitted"] & (tuning["scale"] != "Newcombe")].sort_values(
        "width", kind="stable"
    )
    return admitted.groupby(["rarer_rows", admitted["kind"] == "one model"], sort=False).head(1)


def rivals(tuning: pd.DataFrame) -> list[Candidate]:
    """Return today's candidates, the winners, and the best candidate of each kind and scale by `judged` cells.

    The best is the narrowest of those that are admitted; where none is, it is the one that the fewest cells stop.
    """
    best = tuning[tuning["rarer_rows"] == "all"].sort_values(
        ["admitted", "cells_that_stop", "width"], ascending=[False, True, True], kind="stable"
    )
    named = pd.concat([winners(tuning), best.groupby(["kind", "scale"], sort=False).head(1)])
    listed = [Candidate(*row) for row in named[list(Candidate._fields)].itertuples(index=False)]
    return list(dict.fromkeys([TODAY, TODAY_OF_DIFFERENCES, *listed]))


def run(out: Path, largest: int) -> None:
    """Write the tables of candidates, of settings from the samples that were kept, and of power."""
    tuning, kept = (cells(seed, DRAWS, min(largest, LARGEST)) for seed in SEEDS)
    write(out, tuning, kept)
    write_powers(out, judged(tuning))


def write_powers(out: Path, tuning: pd.DataFrame) -> None:
    """Write `area_interval_power.csv`, of today's interval of a difference and of that which wins for all rows."""
    named = winners(tuning)
    named = named[(named["rarer_rows"] == "all") & (named["kind"] != "one model")]
    of_winners = [Candidate(*row) for row in named[list(Candidate._fields)].itertuples(index=False)]
    compared = powers([TODAY_OF_DIFFERENCES, *of_winners], DRAWS_OF_POWER)
    write_measured(compared.round(4), out / "area_interval_power.csv")


def write(out: Path, tuning: pd.DataFrame, kept: pd.DataFrame) -> None:
    by_tuning, by_kept = judged(tuning), judged(kept)
    wins = by_tuning.index.isin(winners(by_tuning).index)
    of_candidates = pd.concat(
        [by_tuning.assign(samples="tuning", wins=wins), by_kept.assign(samples="kept", wins=False)]
    )
    write_measured(of_candidates.round(4), out / "area_interval_candidates.csv")
    shown = rivals(by_tuning)
    of_rivals = kept[np.logical_or.reduce([_is(kept, candidate) for candidate in shown])]
    write_measured(
        of_rivals.sort_values("coverage", kind="stable").round(4), out / "area_interval_tournament.csv"
    )
