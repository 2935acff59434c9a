"""Populations with known areas: sets of models over the same rows, of three kinds.

*nested*: eight binormal curves of equal variance, none of which crosses another: all areas agree which is best.
*crossing*: eight of unequal variances, AUROC falling from .87 to .80 as the positives' deviation grows from .5 to 2.5
and with it the head start of the curve: the areas disagree.
*fitted*: the eight best models of each of 17 real tasks, `fitting.fitted_models`; some cross.

A population is a pool of rows with weights, so that a sample of any size is a count for each row of the pool and is
measured without sorting, and so that its areas are exact at every prevalence. The rows are Sobol points of mixtures:
of positives and of positives of high score, for negatives also of negatives; weighted by the ratio of densities. So
the top of the ranking, which rules precision at low prevalence, is dense, and the areas are nearly those of the curves.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from aucstudy.experiments.simulated_truth.binormal import factor_log_density, factor_scores, mean_of_auroc
from aucstudy.metrics.engine.walks import Order, all_areas, order_of
from aucstudy.statistics.seeds import generator

# rows of each part of a mixture, a power of two; and how far up the shared factor the part of high scores lies
PART, HIGH = 1024, 1.5
MODELS = 8
# of two models' scores within a class, as in the fitted tasks (median of the products of loadings .75)
CORRELATION = 0.7
TRUTH_MODELS = ("nested", "crossing", "fitted")


class Models(NamedTuple):
    """A set of m binormal models over the same rows; arrays (m,)."""

    name: str
    means: np.ndarray
    deviations: np.ndarray
    loadings_positive: np.ndarray
    loadings_negative: np.ndarray


class Population(NamedTuple):
    """A pool of rows sorted by every model, and the weight of each row within its class (sums 1)."""

    order: Order
    weights: np.ndarray

    def areas(self, prevalence: float) -> np.ndarray:
        """The true areas of the models: (m, 5), the columns as AREAS."""
        of_class = np.where(self.order.positive, prevalence, 1 - prevalence)
        return all_areas(self.order, self.weights * of_class)

    def sample(self, n_positive: int, n_negative: int, rng: np.random.Generator) -> np.ndarray:
        """How often each row of the pool stands in a sample."""
        counts = np.empty(len(self.weights))
        for side, n in ((self.order.positive, n_positive), (~self.order.positive, n_negative)):
            counts[side] = rng.multinomial(n, self.weights[side])
        return counts


def same_loadings(name: str, means: np.ndarray, deviations: np.ndarray) -> Models:
    """Models whose scores correlate by `CORRELATION` within each class."""
    loadings = np.full(len(means), np.sqrt(CORRELATION))
    return Models(name, np.asarray(means), np.asarray(deviations), loadings, loadings)


@cache
def model_sets() -> dict[str, tuple[Models, ...]]:
    """The sets of each truth model."""
    aurocs = np.linspace(0.87, 0.80, MODELS)
    sets = {}
    for name, deviations in (("nested", np.ones(MODELS)), ("crossing", np.geomspace(0.5, 2.5, MODELS))):
        means = [mean_of_auroc(*pair) for pair in zip(aurocs, deviations, strict=True)]
        sets[name] = (same_loadings(name, means, deviations),)
    fitted = pd.read_csv(Path(__file__).with_name("fitted_models.csv"))
    columns = ["mean", "deviation", "loading_positive", "loading_negative"]
    return sets | {
        "fitted": tuple(
            Models(task_id, *rows[columns].to_numpy().T) for task_id, rows in fitted.groupby("task_id")
        )
    }


def population(models: Models, seed: int) -> Population:
    """The pool of a set of models."""
    _, means, deviations, loadings, of_negatives = models
    positive = means, deviations, loadings
    high = means + HIGH * deviations * loadings, deviations, loadings
    negative = np.zeros_like(means), np.ones_like(means), of_negatives
    rng = generator(seed, "simulated_truth", "pool", models.name)
    classes = [_weighted_rows(positive, (positive, high), rng)]
    classes.append(_weighted_rows(negative, (negative, positive, high), rng))
    scores, weights = (np.concatenate(parts) for parts in zip(*classes, strict=True))
    return Population(order_of(np.arange(len(weights)) < len(classes[0][1]), scores), weights)


def _weighted_rows(wanted: tuple, parts: tuple, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Scores (n, m) of a mixture of densities in equal parts, and the weights (n,) that make them of the wanted one."""
    # imported here: scipy takes most of a second
    from scipy.special import logsumexp
    from scipy.stats import qmc

    width = len(wanted[0]) + 1
    normal = [
        qmc.MultivariateNormalQMC(np.zeros(width), engine=qmc.Sobol(width, rng=rng)).random(PART)
        for _ in parts
    ]
    scores = np.concatenate(
        [
            factor_scores(means, deviations, loadings, z)
            for (means, deviations, loadings), z in zip(parts, normal, strict=True)
        ]
    )
    mixture = logsumexp([factor_log_density(scores, *part) for part in parts], axis=0)
    weights = np.exp(factor_log_density(scores, *wanted) - mixture)
    return scores, weights / weights.sum()
