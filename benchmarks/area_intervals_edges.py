"""How often 95 % intervals cover the truth, and how often tests find a difference, in hard cases.

The designs are

* *contaminated*: 2 % of the negatives score above nearly all positives;
* *mixture*: some positives score as negatives do;
* *five levels*, *Cauchy*, *near perfect* and *perfect*;
* *correlated*: the scores of the two models correlate at .95, in all other designs at .7;
* *strong*, *weak*, *tied* and *crossing*: some positives score as the highest of several negatives.

Each design has 10 to 300 rows of the rarer class at prevalences .01 to .9. Each is simulated twice. Two
models with unequal metrics show the coverage of one model and of the difference, and the power. Two
exchangeable models show the type I error. The truth is the metric in the population, from 200,000 quantiles
of each class. Two other intervals are computed for comparison: DeLong's for AUROC, and the percentiles of 200
bootstrap samples, drawn within classes from each of the first 250 samples. Each sample has 100 half-samples
here, and 50 to 500 in `aucstudy.metrics`. Other samplings are simulated with four of the designs. Their rows
have weights, groups or folds, stand for another prevalence, or have random class counts.

The present method replaced one that chose among five sources of variance and widened limits on the logit
scale. Its candidates were compared on these draws (seed 38, 800 of them). Some combined Student's limits with
Wilson's of an effective sample size, or with metrics at the largest shares of unseen rows that so many rows
miss with probability .0125 to .3. The combination was the wider one, the sum, or the root of the sum of
squares. Others took half a row, one or two rows of each class as unseen. The rule was written before. It
allowed no setting under 90 %, nor more than two points below the former method, or one point where that
covered less than 92 %. The candidate that keeps the rule everywhere without a number to tune was chosen: one
row of each class is unseen, and squares are added. With influence functions in place of half-samples, it kept
the rule wherever the rows of the rarer class times the prevalence were more than 50, and not where they were
fewer. The package asks for 100. The quantiles, and the share of unseen rows in a difference's limit on the
side of 0, were chosen later, see `area_interval_tournament` and `area_interval_differences`.
"""

from collections.abc import Callable, Hashable
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from origin import write_measured
from scipy.special import ndtr, ndtri
from scipy.stats import cauchy

from aucstudy.metrics.areas import areas
from aucstudy.metrics.kernel import Order, order_of
from aucstudy.metrics.registry import index, keys
from aucstudy.metrics.resamples import areas_of_order
from aucstudy.metrics.uncertainty.sample import Sample, random_halves
from aucstudy.metrics.uncertainty.standard_errors import (
    Counted,
    SamplingErrors,
    bounds_of,
    covariance_of_halves,
    sampling_errors,
    unit_influences,
    unseen_effects,
)
from aucstudy.statistics.seeds import generator

AREAS = keys()

# The numbers of rows of the rarer class, by prevalence.
SIZES = {0.01: (10,), 0.1: (10, 30, 100), 0.5: (10, 30, 100, 300), 0.9: (10, 30)}
# The samples of a setting, those of another sampling, and how many of the first ones are bootstrapped.
DRAWS, DRAWS_OF_SAMPLINGS, BOOTSTRAPPED = (
    800,
    300,
    250,
)
HALF_SAMPLES, RESAMPLES, LEVEL, QUANTILES = 100, 200, 0.95, 200_000
METHODS = {"ours": "", "delong": "delong_", "bootstrap": "bootstrap_"}  # with the prefix of their columns
WITHIN_CLASSES = "rows of each class"
FACTS = ("coverage", "width", "difference_coverage", "difference_width", "type_1", "power")
COLUMNS = ["sampling", "design", "prevalence", "rarer", "area", "draws"]
COLUMNS += [prefix + fact for prefix in METHODS.values() for fact in FACTS]


class Design(NamedTuple):
    """A distribution of scores: of positives by the strength of their model, and of negatives.

    Both functions turn uniform numbers into scores.
    """

    strengths: tuple[Hashable, Hashable]
    positive: Callable[[Hashable, np.ndarray], np.ndarray]
    negative: Callable[[np.ndarray], np.ndarray]
    correlation: float = 0.7


class Model(NamedTuple):
    """The strength of a model: a share `first` of positives scores as the highest of `second` negatives.

    The names of this class and its fields seed the draws.
    """

    first: float
    second: float


def _shifted(strength: float, uniform: np.ndarray) -> np.ndarray:
    return ndtri(uniform) + strength


def _mixture(share: float, uniform: np.ndarray) -> np.ndarray:
    """Return scores of positives, of which `share` score high and the others as negatives do."""
    return np.where(
        uniform < 1 - share, ndtri(uniform / (1 - share)), 4 + ndtri((uniform - 1 + share).clip(0) / share)
    )


def _contaminated(uniform: np.ndarray) -> np.ndarray:
    return np.where(uniform < 0.98, ndtri((uniform / 0.98).clip(0, 1)), 5 + uniform)


def _highest(values: int | None, model: Model, uniform: np.ndarray) -> np.ndarray:
    share, k = model
    high = uniform < share
    rest = np.where(high, uniform / share, (uniform - share) / max(1 - share, 1e-9))
    return _rounded(values, np.where(high, rest ** (1 / k), rest))


def _rounded(values: int | None, uniform: np.ndarray) -> np.ndarray:
    return uniform if values is None else np.floor(uniform * values)


def _five_levels(scores: np.ndarray) -> np.ndarray:
    return np.floor(scores).clip(-1, 3)


DESIGNS = {
    "contaminated": Design((2.0, 1.5), _shifted, _contaminated),
    "mixture": Design((0.7, 0.5), _mixture, ndtri),
    "five levels": Design(
        (1.8, 1.4), lambda s, u: _five_levels(_shifted(s, u)), lambda u: _five_levels(ndtri(u))
    ),
    "cauchy": Design((4.0, 2.0), lambda s, u: cauchy.ppf(u) + s, cauchy.ppf),
    "correlated": Design((1.5, 1.2), _shifted, ndtri, 0.95),
    "near perfect": Design((4.0, 3.5), _shifted, ndtri),
    "perfect": Design((20.0, 20.0), _shifted, ndtri),
    "strong": Design((Model(0.95, 30.0), Model(0.9, 20.0)), partial(_highest, None), partial(_rounded, None)),
    "weak": Design((Model(0.3, 4.0), Model(0.2, 6.0)), partial(_highest, None), partial(_rounded, None)),
    "tied": Design((Model(0.8, 8.0), Model(0.7, 15.0)), partial(_highest, 8), partial(_rounded, 8)),
    "crossing": Design(
        (Model(0.55, 60.0), Model(1.0, 3.0)), partial(_highest, None), partial(_rounded, None)
    ),
}
MIXTURES = ("strong", "weak", "tied", "crossing")
SAMPLINGS = ("weights", "groups of 5", "10 folds", "prevalence .01 of .1", "rows at random")


@cache
def truth(design: str, strength: Hashable, prevalence: float) -> np.ndarray:
    """Return the five metrics in the population, (5,)."""
    grid = (np.arange(QUANTILES) + 0.5) / QUANTILES
    scores = np.r_[DESIGNS[design].positive(strength, grid), DESIGNS[design].negative(grid)]
    return np.array(areas(np.arange(2 * QUANTILES) < QUANTILES, scores, prevalence=prevalence)[:5])


def scored(design: Design, strengths: tuple[Hashable, ...], y: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Return the scores of m models, (n, m), from standard normal numbers (n, m + 1)."""
    uniform = ndtr(
        np.sqrt(design.correlation) * normal[:, :1] + np.sqrt(1 - design.correlation) * normal[:, 1:]
    )
    scores = np.empty((len(y), len(strengths)))
    for m, strength in enumerate(strengths):
        scores[y, m] = design.positive(strength, uniform[y, m])
        scores[~y, m] = design.negative(uniform[~y, m])
    return scores


def class_counts(prevalence: float, rarer: int) -> tuple[int, int]:
    if prevalence <= 0.5:
        return rarer, round(rarer * (1 - prevalence) / prevalence)
    return round(rarer * prevalence / (1 - prevalence)), rarer


class Limits(NamedTuple):
    """The limits by one method in many samples.

    `one` has those of each model, (samples, 5, 2, models), and `difference` those of the difference,
    (samples, 5, 2).
    """

    one: np.ndarray
    difference: np.ndarray


def sampled(
    name: str, strengths: tuple[Hashable, Hashable], P: int, N: int, draws: int, seed: int
) -> dict[str, Limits]:
    """Draw samples and return the limits by each of `METHODS`."""
    design, rng = DESIGNS[name], generator(seed, "area intervals at edges", name, strengths, P, N)
    y = np.arange(P + N) < P
    # Rows are exchangeable, so that the same halves and resamples serve all samples.
    halves = random_halves(y.astype(int), HALF_SAMPLES, rng)
    resamples = bootstrapped(y, generator(seed, "bootstrap", P, N))
    limits: dict[str, list[tuple]] = {method: [] for method in METHODS}
    for draw in range(draws):
        sample = Sample(y, scored(design, strengths, y, rng.standard_normal((P + N, 3))))
        rankings = order_of(y, sample.scores)
        errors = errors_of(sample, rankings, halves)
        limits["ours"].append(limits_of(errors))
        limits["delong"].append(limits_of(delong(sample, rankings, errors)))
        if draw < BOOTSTRAPPED:
            limits["bootstrap"].append(
                percentiles(areas_of_order(rankings, resamples, prevalence=P / (P + N)))
            )
    return {
        method: Limits(*(np.array(column) for column in zip(*of_samples, strict=True)))
        for method, of_samples in limits.items()
    }


def errors_of(sample: Sample, rankings: Order, halves: np.ndarray) -> SamplingErrors:
    """Return what `sampling_errors` gives for few rows, from these halves."""
    areas, prevalence = areas_of_order(rankings), sample.reference_prevalence()
    counted = Counted.of(sample, rankings)
    unseen = [unseen_effects(counted, model, areas[model]) for model in range(len(areas))]
    covariance = covariance_of_halves(rankings, areas, [halves], prevalence)
    bounds, df = bounds_of(sample), sample.n_minority() - 1
    n_halves = (len(halves),) * len(AREAS)
    return SamplingErrors(areas, covariance, np.stack(unseen, axis=2), *bounds, df, n_halves)


def delong(sample: Sample, rankings: Order, errors: SamplingErrors) -> SamplingErrors:
    """Return the errors that give DeLong's (1988) normal limits of AUROC; other metrics have NaN."""
    influences = unit_influences(Counted.of(sample, rankings), index("auroc"))
    covariance = np.full(errors.covariance.shape, np.nan)
    covariance[index("auroc")] = influences @ influences.T
    return errors._replace(covariance=covariance, unseen=np.zeros(errors.unseen.shape), df=np.inf)


def limits_of(errors: SamplingErrors) -> tuple[np.ndarray, np.ndarray]:
    ks = range(len(AREAS))
    one = np.stack([errors.limits(k, LEVEL) for k in ks])
    return one, np.stack([errors.difference(k, 0, 1).limits(LEVEL) for k in ks])


def bootstrapped(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return how often each row is in each resample, (RESAMPLES, n), drawn within each class."""
    times = np.empty((RESAMPLES, len(y)))
    for in_class in (y, ~y):
        size = np.count_nonzero(in_class)
        times[:, in_class] = rng.multinomial(size, np.full(size, 1 / size), RESAMPLES)
    return times


def percentiles(areas_of_resamples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the percentile limits of resampled metrics (resamples, m, 5) and of the models' difference."""
    ends = 50 * (1 - LEVEL), 50 * (1 + LEVEL)
    one = np.percentile(areas_of_resamples, ends, axis=0).transpose(2, 0, 1)
    return one, np.percentile(areas_of_resamples[:, 0] - areas_of_resamples[:, 1], ends, axis=0).T


def _held(low: np.ndarray, high: np.ndarray, true: np.ndarray | float) -> float:
    return float(np.mean((low <= true + 1e-9) & (high >= true - 1e-9)))


def _tells(low: np.ndarray, high: np.ndarray) -> float:
    return float(np.mean((low > 0) | (high < 0)))


def cell(name: str, prevalence: float, rarer: int, draws: int, seed: int) -> list[dict[str, object]]:
    """Simulate one setting and return a row for each metric, with entries of COLUMNS.

    AUPRG is left out where its interval would be the whole range of possible values.
    """
    P, N = class_counts(prevalence, rarer)
    strengths, rows = DESIGNS[name].strengths, []
    unequal = sampled(name, strengths, P, N, draws, seed)
    equal = sampled(name, (strengths[0],) * 2, P, N, draws, seed)
    true = np.array([truth(name, strength, P / (P + N)) for strength in strengths])
    for k, area in enumerate(AREAS):
        # AUCNPR is AUPR rescaled between fixed bounds, and would repeat its rows.
        if area == "aucnpr" or (area == "auprg" and rarer * P / (P + N) < 1):
            continue
        row = {"sampling": WITHIN_CLASSES, "design": name, "prevalence": prevalence, "rarer": rarer}
        row |= {"area": area, "draws": draws}
        for method, prefix in METHODS.items():
            if method == "delong" and area != "auroc":
                continue
            one, two = unequal[method].one[:, k], unequal[method].difference[:, k]
            facts = {
                "coverage": _held(one[:, 0], one[:, 1], true[:, k]),
                "width": np.median(one[:, 1] - one[:, 0]),
                "difference_coverage": _held(two[:, 0], two[:, 1], true[0, k] - true[1, k]),
                "difference_width": np.median(two[:, 1] - two[:, 0]),
                "type_1": _tells(*equal[method].difference[:, k].T),
            }
            if abs(true[0, k] - true[1, k]) > 1e-12:
                facts["power"] = _tells(*two.T)
            row |= {prefix + fact: value for fact, value in facts.items()}
        rows.append(row)
    return rows


def sample_of(sampling: str, design: Design, P: int, rng: np.random.Generator) -> Sample:
    """Draw a sample of another kind, with prevalence .1 on average."""
    n = 10 * P
    positives = max(int(rng.binomial(n, 0.1)), 2) if sampling == "rows at random" else P
    normal, groups = rng.standard_normal((n, 3)), np.arange(n) // 5
    y = np.arange(n) < positives
    if sampling == "groups of 5":
        # Half of the variance lies between groups. One group in four holds positives, two each.
        normal = np.sqrt(0.5) * (normal + rng.standard_normal((n // 5, 3))[groups])
        y = (groups < P // 2) & (np.arange(n) % 5 < 2)
    sample = Sample(y, scored(design, design.strengths, y, normal))
    if sampling == "weights":
        weight = rng.exponential(size=n) + 0.2
        return sample._replace(weight=weight / np.where(y, weight[y].mean(), weight[~y].mean()))
    further = {
        "groups of 5": {"groups": groups},
        "10 folds": {"folds": np.arange(n) % 10},
        "prevalence .01 of .1": {"prevalence": 0.01},
        "rows at random": {"sampling": "rows"},
    }
    return sample._replace(**further[sampling])


def cell_of_sampling(sampling: str, P: int, name: str, draws: int, seed: int) -> list[dict[str, object]]:
    """Simulate samples of another kind and return a row for each metric, with entries of COLUMNS.

    Only the package's own intervals are computed, not those of the other methods.
    """
    design, rng = DESIGNS[name], generator(seed, "area intervals", sampling, name, P)
    prevalence = 0.01 if sampling == "prevalence .01 of .1" else 0.1
    true = np.array([truth(name, strength, prevalence) for strength in design.strengths])
    limits = []
    for draw in range(draws):
        sample = sample_of(sampling, design, P, rng)
        errors = sampling_errors(sample, halves=HALF_SAMPLES, seed=draw, by_influence=False)
        limits.append(limits_of(errors))
    of_one, of_two = (np.array(column) for column in zip(*limits, strict=True))
    rows = []
    for k, area in enumerate(AREAS):
        if area == "aucnpr" or (area == "auprg" and P * prevalence < 1):
            continue
        one, two = of_one[:, k], of_two[:, k]
        facts = {
            "coverage": _held(one[:, 0], one[:, 1], true[:, k]),
            "width": np.median(one[:, 1] - one[:, 0]),
            "difference_coverage": _held(two[:, 0], two[:, 1], true[0, k] - true[1, k]),
            "difference_width": np.median(two[:, 1] - two[:, 0]),
        }
        keys = {"sampling": sampling, "design": name, "prevalence": prevalence, "rarer": P}
        rows.append(keys | {"area": area, "draws": draws} | facts)
    return rows


def run(out: Path, largest: int) -> None:
    """Write `area_intervals.csv`; samples drawn within classes have at most `largest` rows."""
    rows = []
    for prevalence, counts in SIZES.items():
        for rarer in (rarer for rarer in counts if sum(class_counts(prevalence, rarer)) <= largest):
            for name in DESIGNS:
                rows += cell(name, prevalence, rarer, DRAWS, 38)
    for sampling, P, name in product(SAMPLINGS, (20, 100), MIXTURES):
        rows += cell_of_sampling(sampling, P, name, DRAWS_OF_SAMPLINGS, 30)
    table = pd.DataFrame(rows, columns=COLUMNS).sort_values(
        ["coverage", "difference_coverage"], kind="stable"
    )
    write_measured(table.round(5), out / "area_intervals.csv")
