"""Simulated models whose metrics have known true values: binormal curves, and populations of scores.

Scores of negatives are N(0, 1), and scores of positives are N(mean, deviation^2). If u is the normal quantile
of recall, the false positive rate is Phi(deviation u - mean), and every metric is an integral over u of a
smooth function.

    python studies/known_truth/simulated_truth_models.py data/default

fits the committed curves of simulated_truth_models.csv to a study's predictions.
"""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import logsumexp, ndtr, ndtri
from scipy.stats import norm, qmc, rankdata

from aucstudy.experiments.compared import DISTINCT_AREAS
from aucstudy.metrics.bounds import aucpr_min
from aucstudy.metrics.kernel import Order, order_of
from aucstudy.metrics.registry import index, keys
from aucstudy.metrics.resamples import areas_of_order
from aucstudy.statistics.ranks import average_ranks, rounded
from aucstudy.statistics.seeds import generator
from aucstudy.store.tables import write_table
from aucstudy.store.task_store import Predictions, read_predictions, read_tasks

AREAS = keys()

FITTED = Path(__file__).with_suffix(".csv")
FAR = 9.0  # normal quantile beyond which the integrals have no mass left
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(400)
# Each component of a mixture has COMPONENT rows, a power of two. In the component of high scores, the shared
# factor is HIGH standard deviations higher.
COMPONENT, HIGH = 1024, 1.5
MODELS = 8
# This is the correlation of two models' scores within a class. In the fitted tasks it is similar: the
# products of loadings have the median .75.
CORRELATION = 0.7
TRUTH_MODELS = ("nested", "crossing", "fitted")
# A task needs so many positives for its models to be fitted. A curve needs so many thresholds with both rates
# strictly between 0 and 1.
FEWEST_POSITIVES, FEWEST_THRESHOLDS = 100, 10


def binormal_areas(mean: float, deviation: float, prevalence: float) -> dict[str, float]:
    """Return the true values of the metrics, by name.

    AUPRG is 1 minus an integral over recall gain. The integrand is 1 minus precision gain, which is FPR /
    recall. Recall gain has the density pi / ((1 - pi) r^2) in recall r, from r = pi on.

    >>> {name: round(area, 4) for name, area in binormal_areas(0.0, 1.0, 0.25).items()}
    {'auroc': 0.5, 'aupr': 0.25, 'auprg': 0.0, 'aucnpr': 0.131}
    """

    def integral(density: Callable, low: float) -> float:
        u = low + (FAR - low) * (_NODES + 1) / 2
        weight = _WEIGHTS * (FAR - low) / 2 * np.exp(-u * u / 2) / np.sqrt(2 * np.pi)
        return float(weight @ density(ndtr(u), ndtr(deviation * u - mean)))

    odds = (1 - prevalence) / prevalence
    aupr = integral(lambda r, f: r / (r + odds * f), -FAR)
    loss = integral(lambda r, f: f / r**3 / odds, ndtri(prevalence))
    minimum = float(aucpr_min(prevalence))
    return {
        "auroc": float(ndtr(mean / np.sqrt(1 + deviation**2))),
        "aupr": aupr,
        "auprg": 1 - loss,
        "aucnpr": (aupr - minimum) / (1 - minimum),
    }


def mean_of_auroc(auroc: float, deviation: float) -> float:
    """Return the mean of the positives' scores that gives this AUROC.

    >>> round(binormal_areas(mean_of_auroc(0.8, 2.0), 2.0, 0.1)["auroc"], 6)
    0.8
    """
    return float(ndtri(auroc) * np.sqrt(1 + deviation**2))


def mean_of_area(area: str, value: float, deviation: float, prevalence: float) -> float:
    """Return the mean of the positives' scores that gives a metric this value.

    >>> round(binormal_areas(mean_of_area("auprg", 0.7, 2.0, 0.1), 2.0, 0.1)["auprg"], 9)
    0.7
    """

    def missed(mean: float) -> float:
        return binormal_areas(mean, deviation, prevalence)[area] - value

    return brentq(missed, -8.0, 20.0, xtol=1e-12)


def factor_scores(
    means: np.ndarray, deviations: np.ndarray, loadings: np.ndarray, normal: np.ndarray
) -> np.ndarray:
    """Return (n, m) scores of rows of one class, by models that share a factor.

    The correlation of two models is the product of their loadings. `normal` has (n, m + 1) independent
    standard normal numbers, with those of the factor first.
    """
    return means + deviations * (loadings * normal[:, :1] + np.sqrt(1 - loadings**2) * normal[:, 1:])


def factor_log_density(
    scores: np.ndarray, means: np.ndarray, deviations: np.ndarray, loadings: np.ndarray
) -> np.ndarray:
    """Return the (n,) logarithms of the density of such scores, up to a constant that depends on m."""
    correlation = np.outer(loadings, loadings) + np.diag(1 - loadings**2)
    units = (scores - means) / deviations
    square = np.einsum("ni,ij,nj->n", units, np.linalg.inv(correlation), units)
    return -square / 2 - np.linalg.slogdet(correlation)[1] / 2 - np.log(deviations).sum()


class Models(NamedTuple):
    """A set of m models by their (m,) means, deviations and loadings."""

    name: str
    means: np.ndarray
    deviations: np.ndarray
    loadings_positive: np.ndarray
    loadings_negative: np.ndarray

    def scores(self, normal: np.ndarray, n_positive: int) -> np.ndarray:
        """Return (n, m) scores of rows, positives first, from (n, m + 1) standard normal numbers."""
        zeros, ones = np.zeros_like(self.means), np.ones_like(self.means)
        positives = factor_scores(self.means, self.deviations, self.loadings_positive, normal[:n_positive])
        negatives = factor_scores(zeros, ones, self.loadings_negative, normal[n_positive:])
        return np.concatenate([positives, negatives])


def same_loadings(name: str, means: np.ndarray, deviations: np.ndarray) -> Models:
    loadings = np.full(len(means), np.sqrt(CORRELATION))
    return Models(name, np.asarray(means), np.asarray(deviations), loadings, loadings)


@cache
def model_sets() -> dict[str, tuple[Models, ...]]:
    aurocs = np.linspace(0.87, 0.80, MODELS)
    sets = {}
    for name, deviations in (("nested", np.ones(MODELS)), ("crossing", np.geomspace(0.5, 2.5, MODELS))):
        means = [mean_of_auroc(*pair) for pair in zip(aurocs, deviations, strict=True)]
        sets[name] = (same_loadings(name, means, deviations),)
    columns = ["mean", "deviation", "loading_positive", "loading_negative"]
    by_task = pd.read_csv(FITTED).groupby("task_id")
    fitted = tuple(Models(task_id, *rows[columns].to_numpy().T) for task_id, rows in by_task)
    return sets | {"fitted": fitted}


class Population(NamedTuple):
    """A pool of rows, sorted by each model, with (n,) weights that sum to 1 in each class.

    A sample says how often each row of the pool counts.
    """

    order: Order
    weights: np.ndarray

    def areas(self, prevalence: float) -> np.ndarray:
        """Return the (m, 5) true values of the metrics, with the columns of AREAS."""
        class_share = np.where(self.order.positive, prevalence, 1 - prevalence)
        return areas_of_order(self.order, self.weights * class_share)

    def sample(self, n_positive: int, n_negative: int, rng: np.random.Generator) -> np.ndarray:
        counts = np.empty(len(self.weights))
        for side, n in ((self.order.positive, n_positive), (~self.order.positive, n_negative)):
            counts[side] = rng.multinomial(n, self.weights[side])
        return counts


def population(models: Models, seed: int) -> Population:
    """Return the pool of a set of models: Sobol points of mixtures, weighted by the ratio of densities.

    The mixtures have additional rows of high scores, which decide precision at a low prevalence.
    """
    _, means, deviations, loadings, negative_model = models
    positive = means, deviations, loadings
    high = means + HIGH * deviations * loadings, deviations, loadings
    negative = np.zeros_like(means), np.ones_like(means), negative_model
    rng = generator(seed, "simulated_truth", "pool", models.name)
    classes = [_weighted_rows(positive, (positive, high), rng)]
    classes.append(_weighted_rows(negative, (negative, positive, high), rng))
    scores, weights = map(np.concatenate, zip(*classes, strict=True))
    return Population(order_of(np.arange(len(weights)) < len(classes[0][1]), scores), weights)


def _weighted_rows(target: tuple, mixture: tuple, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return (n, m) scores of an even mixture of densities, and the (n,) weights of the target density."""
    width = len(target[0]) + 1
    points = [
        qmc.MultivariateNormalQMC(np.zeros(width), engine=qmc.Sobol(width, rng=rng)).random(COMPONENT)
        for _ in mixture
    ]
    scores = np.concatenate(
        [factor_scores(*factor, normal=z) for factor, z in zip(mixture, points, strict=True)]
    )
    density = logsumexp([factor_log_density(scores, *factor) for factor in mixture], axis=0)
    weights = np.exp(factor_log_density(scores, *target) - density)
    return scores, weights / weights.sum()


def fitted_models(store: Path) -> pd.DataFrame:
    """Return `fitted_task` of one task of each source group, the task with the most positives.

    Tasks with fewer than FEWEST_POSITIVES positives are left out.
    """
    tasks = read_tasks(store)
    tasks = tasks[tasks["n_positive"] >= FEWEST_POSITIVES]
    tasks = tasks.sort_values("n_positive", ascending=False, kind="stable")
    task_ids = tasks.drop_duplicates("source_group")["task_id"].sort_values()
    frames = [fitted_task(read_predictions(store, task_id)) for task_id in task_ids]
    return pd.concat(frames, ignore_index=True)


def fitted_task(predictions: Predictions) -> pd.DataFrame:
    """Return the binormal curves of the best models of a task, at most MODELS of those that can be fitted.

    The best models have the lowest mean rank over AUPR, AUPRG and AUROC. `loading_positive` and
    `loading_negative` are the loadings of the one factor behind the normal scores of each class.
    """
    # This import takes most of a second, and only a fit needs it.
    from sklearn.decomposition import FactorAnalysis

    y_true = np.asarray(predictions.y_true, dtype=bool)
    areas = rounded(areas_of_order(order_of(y_true, predictions.scores)))
    ranks = average_ranks(areas[:, [index(name) for name in DISTINCT_AREAS]].T).mean(axis=0)
    curve_of = {k: fitted_curve(y_true, predictions.scores[:, k]) for k in np.argsort(ranks, kind="stable")}
    fitted = [k for k, curve in curve_of.items() if curve is not None][:MODELS]
    loadings = {}
    for name, side in (("loading_positive", y_true), ("loading_negative", ~y_true)):
        normal_scores = norm.ppf(rankdata(predictions.scores[side][:, fitted], axis=0) / (side.sum() + 1))
        normal_scores /= normal_scores.std(axis=0)
        loading = FactorAnalysis(1).fit(normal_scores).components_[0]
        loadings[name] = np.clip(loading * np.sign(loading.sum()), 0, 0.999)
    curves = pd.DataFrame([curve_of[k] for k in fitted], columns=["mean", "deviation"])
    ids = {"task_id": predictions.task_id, "run_id": [predictions.run_ids[k] for k in fitted]}
    return pd.DataFrame(ids).join(curves).assign(**loadings)


def fitted_curve(y_true: np.ndarray, scores: np.ndarray) -> tuple[float, float] | None:
    """Return the mean and the deviation of the binormal curve through an empirical ROC curve.

    It is the reduced major axis of the normal quantiles of the two rates, which treats both alike. None if
    there are too few thresholds.
    """
    thresholds = np.unique(scores)[1:]
    rates = [
        1 - np.searchsorted(np.sort(scores[side]), thresholds) / side.sum() for side in (y_true, ~y_true)
    ]
    is_inside = np.logical_and.reduce([(rate > 0) & (rate < 1) for rate in rates])
    if is_inside.sum() < FEWEST_THRESHOLDS:
        return None
    tpr_scores, fpr_scores = (norm.ppf(rate[is_inside]) for rate in rates)
    deviation = fpr_scores.std() / tpr_scores.std()
    return deviation * tpr_scores.mean() - fpr_scores.mean(), deviation


if __name__ == "__main__":
    write_table(fitted_models(Path(sys.argv[1])), FITTED)
