"""Level and power of the project's test of a real swap, and coverage of row-level intervals, on curves that are known.

Beside a binormal curve of equal variance and AUROC .8 stands one of deviation 1.5, which starts steeper and crosses
it. Its mean is set so that the two tie in one of two areas (a null: whatever the other area prefers, there is no
swap), or half way between the two ties, where each area truly prefers another model (power). Or both curves are the
same (a tie in all areas). With eight models, all alike or all tied in AUPR with deviations of .67 to 1.5, the models of
the swap are chosen by the rows on which it is tested.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from aucstudy.area_names import DISTINCT_AREAS, DISTINCT_PAIRS
from aucstudy.experiments.noise.numbers import certain_swap, half_splits, shares_against
from aucstudy.experiments.noise.told_apart import SWAP_LEVEL
from aucstudy.experiments.simulated_truth.binormal import (
    binormal_areas,
    factor_scores,
    mean_of_area,
    mean_of_auroc,
)
from aucstudy.experiments.simulated_truth.populations import MODELS, Models, same_loadings
from aucstudy.metrics.engine.walks import RESAMPLED_AREAS, order_of, resampled_areas
from aucstudy.statistics.ranks import rounded
from aucstudy.statistics.seeds import generator

AUROC, DEVIATION = 0.8, 1.5
DEVIATIONS = np.geomspace(1 / DEVIATION, DEVIATION, MODELS)
# share of the bootstrap resamples that must support each sign, as in the audit
SUPPORT = 0.975
SWAP_COLUMNS = (
    "scenario", "models", "first", "second", "positives", "prevalence", "test", "is_null", "margin_first",
    "margin_second", "p_swap", "p_real", "mc_se", "tests",
)  # fmt: skip
COVERAGE_COLUMNS = (
    "positives", "prevalence", "area", "quantity", "interval", "coverage", "mc_se", "below", "above", "width", "bias",
    "tests",
)  # fmt: skip


class Scenario(NamedTuple):
    """A set of models, the pairs of areas that are tested on it, and its true areas (m,) by name."""

    name: str
    models: Models
    pairs: tuple[tuple[str, str], ...]
    truth: dict[str, np.ndarray]
    is_null: bool


def scenarios(prevalence: float) -> Iterator[Scenario]:
    """The sets of models at a prevalence."""

    def made(name: str, means: list, deviations: Sequence, pairs: tuple, is_null: bool = True) -> Scenario:
        areas = [binormal_areas(*pair, prevalence) for pair in zip(means, deviations, strict=True)]
        truth = {area: np.array([of_model[area] for of_model in areas]) for area in DISTINCT_AREAS}
        return Scenario(name, same_loadings(name, means, np.asarray(deviations)), pairs, truth, is_null)

    base = mean_of_auroc(AUROC, 1.0)
    wanted = binormal_areas(base, 1.0, prevalence)
    for pair in DISTINCT_PAIRS:
        ties = [mean_of_area(area, wanted[area], DEVIATION, prevalence) for area in pair]
        for name, mean in (("tie in first", ties[0]), ("tie in second", ties[1]), ("swap", np.mean(ties))):
            yield made(name, [base, mean], [1.0, DEVIATION], (pair,), is_null=name != "swap")
    yield made("equal", [base] * 2, [1.0] * 2, DISTINCT_PAIRS)
    yield made("equal", [base] * MODELS, [1.0] * MODELS, DISTINCT_PAIRS)
    tied = [mean_of_area("aupr", wanted["aupr"], deviation, prevalence) for deviation in DEVIATIONS]
    yield made("tie in first", tied, DEVIATIONS, DISTINCT_PAIRS[:2])


def resampled_counts(y_true: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """All rows, then halves (the second ones after the first), then bootstrap resamples: (1 + 2 resamples, n) uint8.

    Stratified by class. The rows of a simulated sample are exchangeable, so the same counts serve all samples.
    """
    n = len(y_true)
    first = half_splits(y_true, np.zeros(n, dtype=int), np.arange(n), resamples // 2, rng)
    bootstrap = np.empty((resamples, n), dtype=np.uint8)
    for side in (np.flatnonzero(y_true), np.flatnonzero(~y_true)):
        bootstrap[:, side] = rng.multinomial(len(side), np.full(len(side), 1 / len(side)), size=resamples)
    return np.concatenate([np.ones((1, n)), first, ~first, bootstrap]).astype(np.uint8)


class Drawn(NamedTuple):
    """Rounded areas of simulated samples, by name: on all rows (tests, m), else (tests, resamples, m)."""

    whole: dict[str, np.ndarray]
    first: dict[str, np.ndarray]
    second: dict[str, np.ndarray]
    bootstrap: dict[str, np.ndarray]


def drawn(
    models: Models, y_true: np.ndarray, counts: np.ndarray, tests: int, rng: np.random.Generator
) -> Drawn:
    """Samples of a set of models, measured on all rows and on their resamples."""
    _, means, deviations, loadings, of_negatives = models
    n_positive, areas = int(y_true.sum()), []
    zero, one = np.zeros_like(means), np.ones_like(means)
    for _ in range(tests):
        normal = rng.standard_normal((len(y_true), len(means) + 1))
        positives = factor_scores(means, deviations, loadings, normal[:n_positive])
        negatives = factor_scores(zero, one, of_negatives, normal[n_positive:])
        areas.append(resampled_areas(order_of(y_true, np.concatenate([positives, negatives])), counts))
    by_area = dict(zip(RESAMPLED_AREAS, np.moveaxis(rounded(np.stack(areas)), 1, 0), strict=True))
    halves = (len(counts) - 1) // 4
    parts = (0, slice(1, 1 + halves), slice(1 + halves, 1 + 2 * halves), slice(1 + 2 * halves, None))
    return Drawn(*({area: values[:, part] for area, values in by_area.items()} for part in parts))


def outcomes(samples: Drawn, pair: tuple[str, str]) -> np.ndarray:
    """Of each sample whether it swaps, and whether each test calls that real: (tests, 3) of 0 and 1.

    Second the halves, as in the experiment `noise`; third the bootstrap, as in the audit.
    """
    a, b = pair
    seen = np.zeros((len(samples.whole[a]), 3))
    for k in range(len(seen)):
        whole, first, second, bootstrap = ({area: part[area][k] for area in pair} for part in samples)
        swap = certain_swap(whole, a, b)
        if swap is None:
            continue
        i, j = swap
        leads = bootstrap[a][:, i] - bootstrap[a][:, j], bootstrap[b][:, j] - bootstrap[b][:, i]
        held = min(np.mean((lead > 0) + 0.5 * (lead == 0)) for lead in leads)
        against = max(shares_against(first, second, a, b, i, j))
        seen[k] = 1, against <= SWAP_LEVEL, held >= SUPPORT
    return seen


def row_intervals(samples: Drawn, area: str, quantity: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Ends (tests, ...) of three intervals of both models' areas (quantity "area") or of their "difference".

    percentile: of the bootstrap, as the audit's; basic: that reflected at the estimate; halves: the estimate and 1.96
    times the spread of random halves around it, which is that of the sample around the population.
    """
    whole, first, second, bootstrap = (asked(part[area], quantity) for part in samples)
    low, high = np.percentile(bootstrap, [2.5, 97.5], axis=1)
    halves = np.concatenate([first, second], axis=1)
    spread = 1.96 * np.sqrt(np.mean((halves - whole[:, None]) ** 2, axis=1))
    return {
        "percentile": (low, high),
        "basic": (2 * whole - high, 2 * whole - low),
        "halves": (whole - spread, whole + spread),
    }


def asked(areas: np.ndarray, quantity: str) -> np.ndarray:
    """The areas (..., 2) themselves, or the first less the second (..., 1)."""
    return areas if quantity == "area" else areas[..., :1] - areas[..., 1:]


def simulated_swaps(
    positives: Sequence[int], prevalences: Sequence[float], tests: int, resamples: int, rows: int, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tables of tested swaps and of the coverage of row-level intervals.

    Returns
    -------
    One row a scenario, pair, size and test: `is_null` (no true swap: `p_real` is the level, else the power),
    `margin_first`, `margin_second` (true area of the first model less the second's; with two models), `p_swap` (share
    of the samples whose best models differ), `p_real` (share called a real swap) with its Monte Carlo error `mc_se`.
    One row a size, area, quantity and interval: `coverage`, `below` and `above` (shares of intervals that lie below
    and above the truth), mean `width`, `bias` of the estimate; over all scenarios of two models.
    """
    swaps, coverage = [], []
    for prevalence in prevalences:
        for n in positives:
            negatives = max(1, round(n * (1 - prevalence) / prevalence))
            if n + negatives > rows:
                continue
            y_true = np.arange(n + negatives) < n
            rng = generator(seed, "simulated_truth", "swaps", prevalence, n)
            counts, covered = resampled_counts(y_true, resamples, rng), []
            for scenario in scenarios(prevalence):
                samples = drawn(scenario.models, y_true, counts, tests, rng)
                swaps += _swap_rows(scenario, n, prevalence, samples)
                if len(scenario.models.means) == 2:
                    covered.append(_hits(scenario, samples))
            coverage += _coverage_rows(n, prevalence, covered)
    return pd.DataFrame(swaps, columns=list(SWAP_COLUMNS)), pd.DataFrame(
        coverage, columns=list(COVERAGE_COLUMNS)
    )


def _swap_rows(scenario: Scenario, n: int, prevalence: float, samples: Drawn) -> Iterator[tuple]:
    models = len(scenario.models.means)
    for a, b in scenario.pairs:
        margins = [np.subtract(*scenario.truth[area]) if models == 2 else np.nan for area in (a, b)]
        # what differs in the solver's last digits only is a tie
        margins = [0.0 if abs(margin) < 1e-9 else margin for margin in margins]
        seen = outcomes(samples, (a, b))
        swap, *shares = seen.mean(axis=0)
        for test, real in zip(("halves", "bootstrap"), shares, strict=True):
            error = np.sqrt(real * (1 - real) / len(seen))
            yield (scenario.name, models, a, b, n, prevalence, test, scenario.is_null, *margins, swap, real, error,
                   len(seen))  # fmt: skip


def _hits(scenario: Scenario, samples: Drawn) -> dict[tuple, np.ndarray]:
    """By (area, quantity, interval), of each sample: covered, below, above, width, bias (tests, 5)."""
    made = {}
    for area, quantity in product(DISTINCT_AREAS, ("area", "difference")):
        true = asked(scenario.truth[area], quantity)
        error = asked(samples.whole[area], quantity) - true
        for interval, (low, high) in row_intervals(samples, area, quantity).items():
            parts = (low <= true) & (true <= high), high < true, low > true, high - low, error
            made[area, quantity, interval] = np.stack([part.mean(axis=1) for part in parts], axis=1)
    return made


def _coverage_rows(n: int, prevalence: float, covered: list[dict[tuple, np.ndarray]]) -> Iterator[tuple]:
    for key in covered[0]:
        hits = np.concatenate([of_scenario[key] for of_scenario in covered])
        coverage, *others = hits.mean(axis=0)
        yield (n, prevalence, *key, coverage, hits[:, 0].std(ddof=1) / np.sqrt(len(hits)), *others, len(hits))
