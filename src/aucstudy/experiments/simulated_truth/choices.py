"""How often each area picks the truly best of eight models, and what its choice costs by every area's standard."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS, AREAS_COMPARED
from aucstudy.experiments.simulated_truth.populations import TRUTH_MODELS, Population, model_sets, population
from aucstudy.metrics.engine.walks import all_areas
from aucstudy.statistics.ranks import rounded
from aucstudy.statistics.seeds import generator

RANDOM = "random"
CHOOSERS = (*AREAS, RANDOM)
JUDGES = [AREAS.index(area) for area in AREAS_COMPARED]
COLUMNS = (
    "positives", "prevalence", "truth_model", "chooser", "judged_by", "p_picks_best", "mc_se", "p_limit", "regret",
    "regret_mc_se", "excess_regret", "excess_mc_se", "n_sets", "draws",
)  # fmt: skip


def chances(areas: np.ndarray) -> np.ndarray:
    """The chance of each model to be chosen by each of CHOOSERS, tied models in random order.

    Parameters
    ----------
    areas : (..., m, 5) rounded areas.

    Returns
    -------
    (..., 6, m)

    Examples
    --------
    >>> chances(np.array([[0.5] * 5, [0.9] * 5, [0.9] * 5]))[0].tolist()
    [0.0, 0.5, 0.5]
    """
    by_area = np.swapaxes(areas, -1, -2)
    best = by_area == by_area.max(axis=-1, keepdims=True)
    chosen = best / best.sum(axis=-1, keepdims=True)
    at_random = np.full((*chosen.shape[:-2], 1, chosen.shape[-1]), 1 / chosen.shape[-1])
    return np.concatenate([chosen, at_random], axis=-2)


def drawn_areas(
    drawn_from: Population, positives: int, prevalence: float, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """The rounded areas of the models in samples: (draws, m, 5)."""
    negatives = max(1, round(positives * (1 - prevalence) / prevalence))
    samples = (drawn_from.sample(positives, negatives, rng) for _ in range(draws))
    return rounded(np.stack([all_areas(drawn_from.order, counts) for counts in samples]))


def choices_of_set(
    drawn_from: Population, positives: int, prevalence: float, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Of each draw, chooser and standard: whether the best is picked, the regret, and the excess regret.

    Returns
    -------
    (3, draws, choosers, judges), and (choosers, judges): whether the chooser would pick the best of the population.
    """
    truth = drawn_from.areas(prevalence)
    best = chances(truth)
    wanted = best[JUDGES]
    chosen = chances(drawn_areas(drawn_from, positives, prevalence, draws, rng))
    lost = truth[:, JUDGES].max(axis=0) - truth[:, JUDGES]
    regret = chosen @ lost
    own = np.stack([regret[:, judge, place] for place, judge in enumerate(JUDGES)], axis=-1)
    return np.stack([chosen @ (wanted > 0).T, regret, regret - own[:, None, :]]), best @ (wanted > 0).T


def simulated_choices(
    positives: Sequence[int], prevalences: Sequence[float], draws: int, seed: int
) -> pd.DataFrame:
    """A row a number of positives, prevalence, truth model, chooser and standard.

    Returns
    -------
    The columns of COLUMNS. `p_picks_best`: the chance of choosing the model that is truly best by `judged_by`, and
    `p_limit` that with unlimited rows (at random: the same). `regret`: the best model's true area less the chosen
    one's. `excess_regret`: regret less that of choosing by `judged_by` itself on the same samples. `mc_se` and the
    like: Monte Carlo standard errors, over draws within sets of models, which are fixed.
    """
    rows = []
    for truth_model in TRUTH_MODELS:
        pools = [(models.name, population(models, seed)) for models in model_sets()[truth_model]]
        of_each = max(2, -(-draws // len(pools)))
        for prevalence in prevalences:
            for n in positives:
                several = [
                    choices_of_set(
                        pool, n, prevalence, of_each, generator(seed, "choices", name, prevalence, n)
                    )
                    for name, pool in pools
                ]
                facts = {"positives": n, "prevalence": prevalence, "truth_model": truth_model}
                rows += [{**facts, **row, "n_sets": len(pools), "draws": of_each} for row in _rows(several)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(several: Iterable[tuple[np.ndarray, np.ndarray]]) -> list[dict]:
    """Means over draws and sets with their Monte Carlo errors."""
    drawn = np.stack([measured for measured, _ in several])
    limit = np.mean([limits for _, limits in several], axis=0)
    mean = drawn.mean(axis=(0, 2))
    error = np.sqrt((drawn.var(axis=2, ddof=1) / drawn.shape[2]).sum(axis=0)) / len(drawn)
    return [
        {
            "chooser": chooser,
            "judged_by": judge,
            "p_picks_best": mean[0, i, j],
            "mc_se": error[0, i, j],
            "p_limit": limit[i, j],
            "regret": mean[1, i, j],
            "regret_mc_se": error[1, i, j],
            "excess_regret": mean[2, i, j],
            "excess_mc_se": error[2, i, j],
        }
        for i, chooser in enumerate(CHOOSERS)
        for j, judge in enumerate(AREAS_COMPARED)
    ]
