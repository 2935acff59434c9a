"""Which metric selects the truly best model, and how often do tests find a true ranking change?

The models are simulated, so that the true values of their metrics are known.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import AREAS_COMPARED, DISTINCT_AREAS, DISTINCT_PAIRS
from aucstudy.experiments.inputs import Study
from aucstudy.experiments.noise import SWAP_LEVEL, shares_against, untied_swap
from aucstudy.metrics.kernel import order_of
from aucstudy.metrics.registry import index, keys
from aucstudy.metrics.resamples import areas_of_order
from aucstudy.statistics.ranks import rounded
from aucstudy.statistics.seeds import generator
from aucstudy.statistics.stratified import half_splits

from .simulated_truth_models import (
    MODELS,
    TRUTH_MODELS,
    Models,
    Population,
    binormal_areas,
    mean_of_area,
    mean_of_auroc,
    model_sets,
    population,
    same_loadings,
)

AREAS = keys()

SELECTION_METRICS = (*AREAS, "random")
JUDGES = [index(area) for area in AREAS_COMPARED]
# If two models are tested, the first has this AUROC and the deviation 1. The second has this deviation.
AUROC, DEVIATION = 0.8, 1.5
# The bootstrap calls a ranking change real if at least this share of the resamples supports each sign.
SUPPORT = 0.975


def over_all(
    study: Study,
    *,
    positives: Sequence[int],
    prevalences: Sequence[float],
    draws: int,
    tests: int,
    resamples: int,
    tested_rows: int,
    seed: int,
) -> dict[str, pd.DataFrame]:
    samples = drawn_samples(positives, prevalences, tests, resamples, tested_rows, seed)
    return {
        "simulated_choices": choices(positives, prevalences, draws, seed),
        "simulated_swaps": pd.DataFrame(row for sample in samples for row in swap_rows(*sample)),
    }


def choices(positives: Sequence[int], prevalences: Sequence[float], draws: int, seed: int) -> pd.DataFrame:
    """Return how good the selected model is, by kind of models, prevalence and number of positives."""
    rows = []
    for truth_model in TRUTH_MODELS:
        pools = [(models.name, population(models, seed)) for models in model_sets()[truth_model]]
        n_draws = max(2, -(-draws // len(pools)))
        for prevalence, n in product(prevalences, positives):
            generators = (generator(seed, "choices", name, prevalence, n) for name, _ in pools)
            sets = [
                choices_of_set(pool, n, prevalence, n_draws, rng)
                for (_, pool), rng in zip(pools, generators, strict=True)
            ]
            facts = {"positives": n, "prevalence": prevalence, "truth_model": truth_model}
            rows += [{**facts, **row, "n_sets": len(pools), "draws": n_draws} for row in _over_sets(sets)]
    return pd.DataFrame(rows)


def choices_of_set(
    pool: Population, positives: int, prevalence: float, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return how good the models are that each metric selects from one set, by each judging metric.

    The first array is (3, draws, metrics, judges): the chance that the judge's best model is selected, the
    regret, and the excess regret. The second array is (metrics, judges): the chance that the metric selects
    the judge's best model if it knows the whole population.
    """
    truth = pool.areas(prevalence)
    best = chances(truth)
    is_best = (best[JUDGES] > 0).T
    negatives = negatives_to(positives, prevalence)
    samples = (pool.sample(positives, negatives, rng) for _ in range(draws))
    p_chosen = chances(rounded(np.stack([areas_of_order(pool.order, counts) for counts in samples])))
    regret = p_chosen @ (truth[:, JUDGES].max(axis=0) - truth[:, JUDGES])
    judge_regret = np.stack([regret[:, judge, column] for column, judge in enumerate(JUDGES)], axis=-1)
    return np.stack([p_chosen @ is_best, regret, regret - judge_regret[:, None, :]]), best @ is_best


def negatives_to(positives: int, prevalence: float) -> int:
    return max(1, round(positives * (1 - prevalence) / prevalence))


def chances(areas: np.ndarray) -> np.ndarray:
    """Return the (..., 6, m) chances of each model to be selected by each of SELECTION_METRICS.

    The chances follow from (..., m, 5) rounded values of the metrics. Tied models have equal chances.

    >>> chances(np.array([[0.5] * 5, [0.9] * 5, [0.9] * 5]))[0].tolist()
    [0.0, 0.5, 0.5]
    """
    by_area = np.swapaxes(areas, -1, -2)
    is_best = by_area == by_area.max(axis=-1, keepdims=True)
    p_chosen = is_best / is_best.sum(axis=-1, keepdims=True)
    at_random = np.full((*p_chosen.shape[:-2], 1, p_chosen.shape[-1]), 1 / p_chosen.shape[-1])
    return np.concatenate([p_chosen, at_random], axis=-2)


def _over_sets(sets: Iterable[tuple[np.ndarray, np.ndarray]]) -> Iterator[dict]:
    """Yield rows of means over draws and sets of models, with Monte Carlo errors over the draws."""
    measures = np.stack([of_set for of_set, _ in sets])
    limit = np.mean([limits for _, limits in sets], axis=0)
    mean = measures.mean(axis=(0, 2))
    error = np.sqrt((measures.var(axis=2, ddof=1) / measures.shape[2]).sum(axis=0)) / len(measures)
    names = ("p_picks_best", "mc_se"), ("regret", "regret_mc_se"), ("excess_regret", "excess_mc_se")
    for i, selected_by in enumerate(SELECTION_METRICS):
        for j, judge in enumerate(AREAS_COMPARED):
            row = {"selected_by": selected_by, "judged_by": judge, "p_limit": limit[i, j]}
            for k, (of_mean, of_error) in enumerate(names):
                row |= {of_mean: mean[k, i, j], of_error: error[k, i, j]}
            yield row


class Scenario(NamedTuple):
    """A set of models, the pairs of metrics that are tested on it, and (m,) true values by metric."""

    name: str
    models: Models
    pairs: tuple[tuple[str, str], ...]
    truth: dict[str, np.ndarray]
    is_null: bool


def scenarios(prevalence: float) -> Iterator[Scenario]:
    """Yield the scenarios with a tie in one metric, with a true ranking change, and with equal models."""

    def made(name: str, means: list, deviations: Sequence, pairs: tuple, is_null: bool = True) -> Scenario:
        areas = [binormal_areas(*pair, prevalence) for pair in zip(means, deviations, strict=True)]
        truth = {area: np.array([model_areas[area] for model_areas in areas]) for area in DISTINCT_AREAS}
        return Scenario(name, same_loadings(name, means, np.asarray(deviations)), pairs, truth, is_null)

    base = mean_of_auroc(AUROC, 1.0)
    targets = binormal_areas(base, 1.0, prevalence)
    for pair in DISTINCT_PAIRS:
        ties = [mean_of_area(area, targets[area], DEVIATION, prevalence) for area in pair]
        for name, mean in (("tie in first", ties[0]), ("tie in second", ties[1]), ("swap", np.mean(ties))):
            yield made(name, [base, mean], [1.0, DEVIATION], (pair,), is_null=name != "swap")
    yield made("equal", [base] * 2, [1.0] * 2, DISTINCT_PAIRS)
    yield made("equal", [base] * MODELS, [1.0] * MODELS, DISTINCT_PAIRS)
    deviations = np.geomspace(1 / DEVIATION, DEVIATION, MODELS)
    tied_means = [mean_of_area("aupr", targets["aupr"], deviation, prevalence) for deviation in deviations]
    yield made("tie in first", tied_means, deviations, DISTINCT_PAIRS[:2])


class Drawn(NamedTuple):
    """Rounded values of the metrics on simulated samples, by metric.

    They are (tests, m) on all rows, and (tests, resamples, m) on halves and on bootstrap resamples.
    """

    all_rows: dict[str, np.ndarray]
    first: dict[str, np.ndarray]
    second: dict[str, np.ndarray]
    bootstrap: dict[str, np.ndarray]


def drawn_samples(
    positives: Sequence[int],
    prevalences: Sequence[float],
    tests: int,
    resamples: int,
    tested_rows: int,
    seed: int,
) -> Iterator[tuple[int, float, Scenario, Drawn]]:
    for prevalence, n in product(prevalences, positives):
        y_true = np.arange(n + negatives_to(n, prevalence)) < n
        if len(y_true) <= tested_rows:
            rng = generator(seed, "simulated_truth", "swaps", prevalence, n)
            counts = resampled_counts(y_true, resamples, rng)
            for scenario in scenarios(prevalence):
                yield n, prevalence, scenario, drawn(scenario.models, y_true, counts, tests, rng)


def resampled_counts(y_true: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Return how often each row counts in each resample, (1 + 2 resamples, n) uint8.

    The first resample has all rows. Then come the first halves, the second halves, and the bootstrap
    resamples, all stratified by class. The rows of a simulated sample are exchangeable, so the same counts
    serve all samples.
    """
    n = len(y_true)
    first = half_splits(y_true, np.zeros(n, dtype=int), np.arange(n), resamples // 2, rng)
    bootstrap = np.empty((resamples, n), dtype=np.uint8)
    for side in (np.flatnonzero(y_true), np.flatnonzero(~y_true)):
        bootstrap[:, side] = rng.multinomial(len(side), np.full(len(side), 1 / len(side)), size=resamples)
    return np.concatenate([np.ones((1, n)), first, ~first, bootstrap]).astype(np.uint8)


def drawn(
    models: Models, y_true: np.ndarray, counts: np.ndarray, tests: int, rng: np.random.Generator
) -> Drawn:
    areas = []
    for _ in range(tests):
        noise = rng.standard_normal((len(y_true), len(models.means) + 1))
        areas.append(areas_of_order(order_of(y_true, models.scores(noise, int(y_true.sum()))), counts))
    by_area = dict(zip(AREAS, np.moveaxis(rounded(np.stack(areas)), -1, 0), strict=True))
    halves = (len(counts) - 1) // 4
    slices = (0, slice(1, 1 + halves), slice(1 + halves, 1 + 2 * halves), slice(1 + 2 * halves, None))
    return Drawn(*({area: values[:, draws_of] for area, values in by_area.items()} for draws_of in slices))


def outcomes(samples: Drawn, pair: tuple[str, str]) -> np.ndarray:
    """Return (tests, 3) of 0 and 1: whether there is a ranking change, and which tests call it real.

    The tests are those by halves and by bootstrap.
    """
    a, b = pair
    shares = np.zeros((len(samples.all_rows[a]), 3))
    for k in range(len(shares)):
        sample, *halves, bootstrap = ({area: values[area][k] for area in pair} for values in samples)
        swap = untied_swap(sample, a, b)
        if swap is None:
            continue
        i, j = swap
        leads = bootstrap[a][:, i] - bootstrap[a][:, j], bootstrap[b][:, j] - bootstrap[b][:, i]
        share_held = min(np.mean((lead > 0) + 0.5 * (lead == 0)) for lead in leads)
        shares[k] = 1, max(shares_against(halves, a, b, i, j)) <= SWAP_LEVEL, share_held >= SUPPORT
    return shares


def swap_rows(n: int, prevalence: float, scenario: Scenario, samples: Drawn) -> Iterator[dict]:
    """Yield a row for each pair of metrics and each test: how often it calls a ranking change real."""
    models = len(scenario.models.means)
    for a, b in scenario.pairs:
        margins = [np.subtract(*scenario.truth[area]) if models == 2 else np.nan for area in (a, b)]
        # Values that differ only in the solver's last digits are tied.
        margins = [0.0 if abs(margin) < 1e-9 else margin for margin in margins]
        swap_shares = outcomes(samples, (a, b))
        swap, *shares = swap_shares.mean(axis=0)
        for test, real in zip(("halves", "bootstrap"), shares, strict=True):
            yield {
                "scenario": scenario.name, "models": models, "first": a, "second": b, "positives": n,
                "prevalence": prevalence, "test": test, "is_null": scenario.is_null, "margin_first": margins[0],
                "margin_second": margins[1], "p_swap": swap, "p_real": real,
                "mc_se": np.sqrt(real * (1 - real) / len(swap_shares)), "tests": len(swap_shares),
            }  # fmt: skip
