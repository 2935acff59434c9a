"""What 95 % intervals of one model's area and of two models' difference cover, and which are the default.

The numbers of positives and negatives of a sample are fixed; its truth is the area of the population. Sizes are 10 to
1,000 positives at prevalences .01, .1 and .5, at most 10,000 rows. Scenarios are pairs of correlated models: strong,
weak, tied (scores of few values) and crossing (one model is better at the top, the other below). Two families of
scores: *binormal*, and *mixture*, where some positives score as negatives do and the others high.

The default is chosen on the binormal family, for each area and kind (one model, difference): of the candidates that are
on average at most 30 % wider than `halves t`, the one whose worst cell (a size and scenario) falls short of 95 % by
least, counted in half points; of several the narrowest. The limit of 30 % was added before the mixture family was
looked at: without it AUPR would get intervals of differences that cover 100 % in some cells and are there up to 14
times as wide. What the default covers is reported on the mixture family, with other seeds.

Candidates are named after where the spread comes from and how limits are made of it:

* `percentile`: of the bootstrap, stratified by class (of fewer samples, as it is slow);
* `influence`, `padded`, `halves`, `larger`: as in `aucstudy.metrics.uncertainty.spread`;
* `z`: normal limits, `t`: Student's, with as many degrees of freedom as rows of the rarer class, less one;
* `logit`: on the logit of the area between the least and the largest possible;
* `moved`: differences by the limits of both models and their correlation (Zou and Donner 2008);
* `boyd_binomial`, `boyd_logit`: Boyd et al. 2013, for AUPR and average precision.

Halves are 100 of each sample here, and 500 in `aucstudy.metrics`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri
from scipy.stats import norm
from scipy.stats import t as student

from aucstudy.area_names import AREAS
from aucstudy.metrics import areas, aucpr_min
from aucstudy.metrics.tied_groups import areas_of_groups, tied_groups
from aucstudy.metrics.uncertainty.intervals import compare_pairs, interval_of_model, source_of
from aucstudy.metrics.uncertainty.sample import Sample, random_halves
from aucstudy.metrics.uncertainty.spread import RESOLUTION, covariance, extremes, spread
from aucstudy.statistics.seeds import generator
from aucstudy.store.tables import write_table

SIZES = {0.01: (10, 20, 50, 100), 0.1: (10, 20, 50, 100, 300, 1000), 0.5: (10, 20, 50, 100, 300, 1000)}
SPLITS, BOOTSTRAPPED = 100, 200
LEVEL = 0.95
COLUMNS = [
    "family", "prevalence", "positives", "scenario", "kind", "area", "candidate", "coverage", "below", "above", "width",
    "draws",
]  # fmt: skip
WIDEST = 1.3
DRAWS = 4000  # of each reported cell
BINS = 200_000
DESIGNS = ("weights", "groups of 5", "10 folds", "prevalence .01 of .1", "rows at random")
DESIGNED_AT = 0.1


class Model(NamedTuple):
    """Binormal: mean and deviation of positives. Mixture: share of positives that score high, and how high."""

    first: float
    second: float


# scenario: the two models, and the number of values of a tied score between its quantiles of .001 and .999, or None
SCENARIOS = {
    "binormal": {
        "strong": ((Model(2.4, 1.0), Model(2.0, 1.0)), None),
        "weak": ((Model(0.5, 1.0), Model(0.3, 1.0)), None),
        "tied": ((Model(1.5, 1.0), Model(1.2, 1.3)), 8),
        "crossing": ((Model(1.2, 1.0), Model(1.5, 1.6)), None),
    },
    "mixture": {
        "strong": ((Model(0.95, 30.0), Model(0.9, 20.0)), None),
        "weak": ((Model(0.3, 4.0), Model(0.2, 6.0)), None),
        "tied": ((Model(0.8, 8.0), Model(0.7, 15.0)), 8),
        "crossing": ((Model(0.55, 60.0), Model(1.0, 3.0)), None),
    },
}
CORRELATION = 0.7


def quantiles(family: str, model: Model, uniform: np.ndarray) -> np.ndarray:
    """Scores of positives, in units in which negatives are standard normal or uniform."""
    if family == "binormal":
        return model.first + model.second * ndtri(uniform)
    # of each positive whether it scores high, and how
    high = uniform < model.first
    rest = np.where(high, uniform / model.first, (uniform - model.first) / max(1 - model.first, 1e-9))
    return np.where(high, rest ** (1 / model.second), rest)


def tied(family: str, scores: np.ndarray, values: int | None) -> np.ndarray:
    if values is None:
        return scores
    low, high = (-3, 5) if family == "binormal" else (0, 1)
    return np.floor((scores - low) / (high - low) * values)


@cache
def truth(family: str, scenario: str, prevalence: float) -> np.ndarray:
    """(2, 5)"""
    models, values = SCENARIOS[family][scenario]
    return np.array([population_areas(family, model, values, prevalence) for model in models])


def population_areas(family: str, model: Model, values: int | None, prevalence: float) -> list[float]:
    """By the chances of many narrow bins of the score."""
    if family == "binormal":
        edges = np.linspace(-9, 9 + model.first + 3 * model.second, BINS + 1)
        of_class = ndtr((edges - model.first) / model.second), ndtr(edges)
    else:
        edges = 1 - np.linspace(1, 0, BINS + 1) ** 3
        q, k = model
        of_class = q * edges**k + (1 - q) * edges, edges
    chances = [np.diff(distribution) for distribution in of_class]
    middle = tied(family, (edges[:-1] + edges[1:]) / 2, values)
    weight = np.concatenate([prevalence * chances[0], (1 - prevalence) * chances[1]])
    kept = weight > 0
    area = areas(np.arange(2 * BINS)[kept] < BINS, np.tile(middle, 2)[kept], sample_weight=weight[kept])
    return [getattr(area, name) for name in AREAS]


def scored(family: str, scenario: str, y_true: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """(n, 2) scores of both models, from (n, 3) standard normal numbers."""
    models, values = SCENARIOS[family][scenario]
    normal = np.sqrt(CORRELATION) * normal[:, :1] + np.sqrt(1 - CORRELATION) * normal[:, 1:]
    scores = normal if family == "binormal" else ndtr(normal)
    for m, model in enumerate(models):
        scores[y_true, m] = quantiles(family, model, ndtr(normal[y_true, m]))
    return tied(family, scores, values)


def drawn(family: str, scenario: str, P: int, N: int, rng: np.random.Generator) -> np.ndarray:
    """(n, 2) scores, positives first."""
    return scored(family, scenario, np.arange(P + N) < P, rng.standard_normal((P + N, 3)))


class Moments(NamedTuple):
    """Of each of R samples: (R, 2, 5) areas, (R, 5, 2, 2) covariances, (R, 2, 2, 5) extremes, (R, 2, 3, 5) limits."""

    area: np.ndarray
    influence: np.ndarray
    padded: np.ndarray
    halves: np.ndarray
    extremes: np.ndarray
    percentile: np.ndarray
    counts: tuple[int, int]
    prevalence: float


def sampled(
    family: str,
    scenario: str,
    P: int,
    prevalence: float,
    draws: int,
    seed: int,
    bootstrapped: int,
) -> Moments:
    """The first `bootstrapped` samples are resampled."""
    N = round(P * (1 - prevalence) / prevalence)
    rng = generator(seed, "area intervals", family, scenario, P, prevalence)
    y, at = np.arange(P + N) < P, P / (P + N)
    # the rows of a simulated sample are exchangeable, so the same halves and resamples serve all samples
    masks = random_halves(y.astype(int), SPLITS, rng)
    boot = np.concatenate([rng.multinomial(k, np.full(k, 1 / k), BOOTSTRAPPED) for k in (P, N)], axis=1)
    kept: dict[str, list] = {name: [] for name in Moments._fields[:-2]}
    for draw in range(draws):
        sample = Sample(y, drawn(family, scenario, P, N, rng))
        groups = tied_groups(y, sample.scores)
        area = areas_of_groups(groups)
        kept["area"].append(area)
        for source in ("influence", "padded"):
            kept[source].append(covariance(sample, source, groups))
        off = areas_of_groups(groups, masks, at) - area
        kept["halves"].append(np.einsum("kma,kna->amn", off, off) / len(off))
        of_all = [kept[name][draw] for name in ("influence", "padded", "halves")]
        least = (
            min(np.min(of @ [1, 0] @ [1, 0]) for of in of_all),
            min(np.min(of @ [0, 1] @ [0, 1]) for of in of_all),
        )
        apart = min(
            np.min(of @ [1, -1] @ [1, -1] - RESOLUTION * np.trace(of, axis1=1, axis2=2)) for of in of_all
        )
        some = min(*least, apart) > 0
        kept["extremes"].append(np.full((2, 2, 5), np.nan) if some else extremes(sample, LEVEL))
        if draw < bootstrapped:
            again = areas_of_groups(groups, boot)
            both = np.concatenate([again, again[:, :1] - again[:, 1:]], axis=1)
            kept["percentile"].append(np.percentile(both, [2.5, 97.5], axis=0))
    return Moments(*(np.array(values) for values in kept.values()), (P, N), at)


def candidates(moments: Moments, m: int | None) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Names and limits (R, 5) of one model, or of the difference."""
    P, N = moments.counts
    floor = lowest(moments.prevalence)
    quantiles = {"z": norm.ppf(0.5 + LEVEL / 2), "t": student.ppf(0.5 + LEVEL / 2, min(P, N) - 1)}
    sources = {name: getattr(moments, name) for name in ("influence", "padded", "halves")}
    for source, (letter, quantile) in product((*sources, "larger"), quantiles.items()):
        name, both = f"{source} {letter}", sources.get(source, sources["halves"])
        count, several = len(both), [both] if source in sources else [both, sources["padded"][: len(both)]]
        area = moments.area[:count]
        low, high = moments.extremes[:count].swapaxes(0, 1)
        own = [np.max([of[..., model, model] for of in several], axis=0) for model in (0, 1)]
        if m is not None:
            reach = quantile * np.sqrt(own[m])
            limits = {
                name: (np.maximum(area[:, m] - reach, floor), np.minimum(area[:, m] + reach, 1)),
                f"{name} logit": on_logit(area[:, m], reach, floor),
            }
            nothing, widest = own[m] == 0, (low[:, m], high[:, m])
        else:
            difference = area[:, 0] - area[:, 1]
            variance = np.max([of[..., 0, 0] + of[..., 1, 1] - 2 * of[..., 0, 1] for of in several], axis=0)
            nothing, widest = (
                variance <= RESOLUTION * sum(own),
                (low[:, 0] - high[:, 1], high[:, 0] - low[:, 1]),
            )
            reach = quantile * np.sqrt(np.maximum(variance, 0))
            with np.errstate(all="ignore"):
                rho = np.nan_to_num(both[..., 0, 1] / np.sqrt(both[..., 0, 0] * both[..., 1, 1]))
            a, b = (on_logit(area[:, k], quantile * np.sqrt(own[k]), floor) for k in (0, 1))
            under = away(area[:, 0] - a[0], b[1] - area[:, 1], rho)
            over = away(a[1] - area[:, 0], area[:, 1] - b[0], rho)
            limits = {
                name: (difference - reach, difference + reach),
                f"{name} moved": (difference - under, difference + over),
            }
        for way, (lower, upper) in limits.items():
            lower, upper = np.where(nothing, widest[0], lower), np.where(nothing, widest[1], upper)
            if m is not None and P * moments.prevalence < 1:
                gain = np.array(AREAS) == "auprg"
                lower, upper = np.where(gain, floor, lower), np.where(gain, 1, upper)
            yield way, lower, upper
    if m is not None:
        area, z = np.clip(moments.area[:, m], 0, 1), quantiles["z"]
        reach = z * np.sqrt(area * (1 - area) / P)
        for_pr = np.isin(AREAS, ("aupr", "average_precision"))
        boyd = {"binomial": (np.maximum(area - reach, 0), np.minimum(area + reach, 1))}
        boyd["logit"] = on_logit(area, reach, 0 * floor)
        for scale, limits_of in boyd.items():
            yield f"boyd_{scale}", *(np.where(for_pr, limit, np.nan) for limit in limits_of)
    if len(moments.percentile):
        yield "percentile", *moments.percentile[:, :, 2 if m is None else m].transpose(1, 0, 2)


def on_logit(area: np.ndarray, reach: np.ndarray, floor: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    place = (area - floor) / (1 - floor)
    with np.errstate(all="ignore"):
        odds, times = place / (1 - place), np.exp(reach / (1 - floor) / (place * (1 - place)))
        ends = odds / times, odds * times
        return tuple(
            np.where(np.isfinite(times), floor + (1 - floor) * (1 - 1 / (1 + end)), area) for end in ends
        )


def away(of_first: np.ndarray, of_second: np.ndarray, rho: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(of_first**2 + of_second**2 - 2 * rho * of_first * of_second, 0))


def lowest(prevalence: float) -> np.ndarray:
    """(5,) the smallest areas; of average precision 0."""
    return np.array([0, aucpr_min(prevalence), (1 - 1 / prevalence) / 2, 0, 0])


def coverage(
    family: str,
    seed: int,
    draws: int,
    bootstrapped: int,
    sizes: Mapping[float, Sequence[int]] = SIZES,
) -> pd.DataFrame:
    """A row a cell, kind, area and candidate; of one model the mean over both models."""
    rows = []
    for prevalence, P in ((prevalence, P) for prevalence, positives in sizes.items() for P in positives):
        for scenario in SCENARIOS[family]:
            moments = sampled(family, scenario, P, prevalence, draws, seed, bootstrapped)
            true = truth(family, scenario, moments.prevalence)
            hits: dict[tuple, list] = {}
            for m, wanted in enumerate((*true, true[0] - true[1])):
                kind = "one model" if m < 2 else "difference"
                for name, low, high in candidates(moments, m if m < 2 else None):
                    missed = [(high < wanted - 1e-9).mean(axis=0), (low > wanted + 1e-9).mean(axis=0)]
                    hits.setdefault((kind, name), []).append((*missed, (high - low).mean(axis=0), len(low)))
            for (kind, name), of_models in hits.items():
                below, above, width = np.mean([of_model[:3] for of_model in of_models], axis=0)
                for k, area in enumerate(AREAS):
                    if not np.isnan(width[k]):
                        facts = family, prevalence, P, scenario, kind, area, name
                        rows.append(
                            (*facts, 1 - below[k] - above[k], below[k], above[k], width[k], of_models[0][3])
                        )
    return pd.DataFrame(rows, columns=COLUMNS)


def chosen(table: pd.DataFrame) -> pd.DataFrame:
    """How each candidate does over all cells: a row a kind, area and candidate, of which one a kind is the default."""
    anything = (table["area"] == "auprg") & (table["kind"] == "one model")
    table = table[~anything | (table["positives"] * table["prevalence"] >= 1)]
    cell = ["prevalence", "positives", "scenario", "kind", "area"]
    usual = table[table["candidate"] == "halves t"].set_index(cell)["width"]
    relative = table["width"].to_numpy() / usual.loc[pd.MultiIndex.from_frame(table[cell])].to_numpy()
    by_candidate = table.assign(relative_width=relative).groupby(["kind", "area", "candidate"])
    over = by_candidate.agg(
        worst=("coverage", "min"), coverage=("coverage", "mean"), relative_width=("relative_width", "mean")
    ).reset_index()
    short = np.ceil(np.maximum(LEVEL - over["worst"], 0) * 200 - 1e-9).where(over["relative_width"] <= WIDEST)
    least = short == short.groupby([over["kind"], over["area"]]).transform("min")
    narrowest = over["relative_width"].where(least).groupby([over["kind"], over["area"]]).transform("min")
    return over.assign(default=least & (over["relative_width"] == narrowest))


def designed(design: str, scenario: str, P: int, rng: np.random.Generator) -> Sample:
    """A sample of the mixture family at prevalence DESIGNED_AT, or of so many rows."""
    n = round(P / DESIGNED_AT)
    positives = max(int(rng.binomial(n, DESIGNED_AT)), 2) if design == "rows at random" else P
    normal = rng.standard_normal((n, 3))
    if design == "groups of 5":
        # half of the variance lies between groups; one in four holds positives, two each
        groups = np.arange(n) // 5
        normal = np.sqrt(0.5) * (normal + rng.standard_normal((n // 5, 3))[groups])
        y = (groups < P // 2) & (np.arange(n) % 5 < 2)
    else:
        y = np.arange(n) < positives
    sample = Sample(y, scored("mixture", scenario, y, normal))
    if design == "weights":
        weight = rng.exponential(size=n) + 0.2
        return sample._replace(weight=weight / np.where(y, weight[y].mean(), weight[~y].mean()))
    if design == "10 folds":
        return sample._replace(folds=np.arange(n) % 10)
    if design == "groups of 5":
        return sample._replace(groups=groups)
    return (
        sample._replace(sampling="rows") if design == "rows at random" else sample._replace(prevalence=0.01)
    )


def designs(draws: int, seed: int) -> pd.DataFrame:
    """What the defaults cover where rows have weights, groups, folds, another prevalence, or come at random."""
    rows = []
    for design, P, scenario in product(DESIGNS, (20, 100), SCENARIOS["mixture"]):
        rng = generator(seed, "area intervals", design, scenario, P)
        true = truth("mixture", scenario, 0.01 if design == "prevalence .01 of .1" else DESIGNED_AT)
        hits: dict[tuple, list] = {}
        for draw in range(draws):
            sample = designed(design, scenario, P, rng)
            made = {source: spread(sample, source, draw, SPLITS) for source in ("halves", "padded", "larger")}
            for k, area in enumerate(AREAS):
                of = made[source_of(sample, area, None, False)]
                for m in (0, 1):
                    _, low, high = interval_of_model(sample, of, k, m, LEVEL)
                    hits.setdefault(("one model", area), []).append(low - 1e-9 <= true[m, k] <= high + 1e-9)
                of = made[source_of(sample, area, None, True)]
                low, high = of.limits_of_difference(k, 0, 1, LEVEL)
                if np.isnan(low):
                    pair = np.array([[0], [1]])
                    _, [low], [high], _ = compare_pairs(sample, of, k, *pair, LEVEL)
                hits.setdefault(("difference", area), []).append(low <= true[0, k] - true[1, k] <= high)
        rows += [(design, P, scenario, *key, np.mean(held), draws) for key, held in hits.items()]
    return pd.DataFrame(
        rows, columns=["design", "positives", "scenario", "kind", "area", "coverage", "draws"]
    )


def run(out: Path, largest: int) -> None:
    """Write `area_intervals.csv`, the default's coverage, `_chosen.csv` and `_designs.csv` into `out`.

    Samples of more than `largest` rows are left out.
    """
    sizes = {
        prevalence: [P for P in positives if P / prevalence <= largest]
        for prevalence, positives in SIZES.items()
    }
    choice = chosen(coverage("binormal", 28, 1000, 0, sizes))
    write(choice, coverage("mixture", 29, DRAWS, 100, sizes), out)
    write_table(designs(DRAWS // 4, 30), out / "area_intervals_designs.csv")


def write(choice: pd.DataFrame, reported: pd.DataFrame, out: Path) -> None:
    write_table(choice, out / "area_intervals_chosen.csv")
    default = choice.loc[choice["default"], ["kind", "area", "candidate"]]
    percentile = default.assign(candidate="percentile")
    table = reported.merge(pd.concat([default, percentile]), on=["kind", "area", "candidate"])
    # AUCNPR is AUPR between fixed bounds: the same intervals cover
    table = table[table["area"] != "aucnpr"].drop(columns=["family", "above"])
    table = table.sort_values(["kind", "area", "candidate", "prevalence", "positives"], kind="stable")
    write_table(table.round({"coverage": 5, "below": 5, "width": 4}), out / "area_intervals.csv")
