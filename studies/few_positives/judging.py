"""The validation rows, on which models are selected, and the test rows, which judge the selected model.

The code calls the validation rows `pool` and the test rows `judge`.
"""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from aucstudy.experiments.inputs import Task
from aucstudy.metrics.kernel import COST, F_BETA, NET, Order, order_of
from aucstudy.metrics.target_metrics import TargetMetric, on_samples, target_of, values_of_counts
from aucstudy.statistics.seeds import generator

POOL, JUDGE = 0, 1  # numbers of the folds with the validation rows and the test rows
WITH_THRESHOLD = (F_BETA, NET, COST)  # kinds of target metrics whose threshold can be set on other rows


class Pool(NamedTuple):
    """The validation rows, on which models are selected: (n,) labels, (n, m) scores and their order."""

    y_true: np.ndarray
    scores: np.ndarray
    order: Order


def pool_of(task: Task) -> Pool:
    rows = task.predictions.fold == POOL
    y_true, scores = task.predictions.y_true[rows], task.predictions.scores[rows]
    return Pool(y_true, scores, order_of(y_true, scores))


def judge_of(task: Task, prevalence: float | None, targets: Sequence[str], seed: int) -> "Judge":
    """Return the test rows at a prevalence, or at their own prevalence if `prevalence` is None.

    Their two random halves are the same for all tasks of a data set and split, whatever the models are.
    """
    rows = task.predictions.fold == JUDGE
    y_true, scores = task.predictions.y_true[rows], task.predictions.scores[rows]
    random = generator(seed, task.facts["dataset_name"], task.facts["split"], "halves of the judge")
    return Judge(y_true, scores, prevalence or y_true.mean(), [*map(target_of, targets)], random)


def proper_scores(y_true: np.ndarray, scores: np.ndarray, samples: np.ndarray) -> dict[str, np.ndarray]:
    """Return minus the Brier score and minus the log loss on each sample, by name, both (draws, m).

    The minus makes higher values better, as for the other selection metrics. If any score is below 0 or
    above 1, it is no probability, and the result is empty.
    """
    if scores.min() < 0 or scores.max() > 1:
        return {}
    p_truth = np.where(y_true[:, None], scores, 1 - scores)
    gains = {"brier": -((1 - p_truth) ** 2), "log_loss": np.log(np.maximum(p_truth, np.finfo(float).eps))}
    return {name: samples.astype(float) @ gain / samples[0].sum() for name, gain in gains.items()}


class Judge:
    """The test rows, weighted to one prevalence and split at random into two halves.

    Each negative has the weight `weight`, so that the rows have the prevalence and count as `n_rows` rows in
    all.

    `values` (2, targets, m) are the target metrics of the models on each half, at the threshold that is best
    there. `false_positives` (targets,) are numbers of rows, at the threshold that is best on all test rows.
    They are medians over the models.
    """

    def __init__(
        self,
        y_true: np.ndarray,
        scores: np.ndarray,
        prevalence: float,
        targets: list[TargetMetric],
        random: np.random.Generator,
    ) -> None:
        self.targets, half = targets, np.zeros(len(y_true), dtype=int)
        for value in (True, False):
            rows = random.permutation(np.flatnonzero(y_true == value))
            half[rows[: len(rows) // 2]] = 1
        self.halves = np.array([half == 0, half == 1])
        self.above = [[_above(y_true[rows], column) for column in scores[rows].T] for rows in self.halves]
        self.n_rows = y_true.sum() / prevalence
        self.weight = (self.n_rows - y_true.sum()) / (~y_true).sum()
        halves_and_whole = np.array([*self.halves, half >= 0])
        weighting = {"negative_weight": self.weight, "of_rows": self.n_rows}
        measured = on_samples(order_of(y_true, scores), scores, halves_and_whole, targets, **weighting)
        self.values = np.swapaxes(measured.values[:, :2], 0, 1)
        self.false_positives = np.median(measured.false_positives[:, 2], axis=1)

    def values_at(self, thresholds: np.ndarray, target: TargetMetric) -> np.ndarray:
        """Return the (2, draws, m) values of a target metric on each half, at (draws, m) thresholds.

        The kind of the target metric must be one of WITH_THRESHOLD.
        """
        values = np.empty((2, *thresholds.shape))
        for half, m in product((0, 1), range(thresholds.shape[1])):
            ascending, true, false = self.above[half][m]
            first = np.searchsorted(ascending, thresholds[:, m])
            counts = true[first], self.weight * false[first], true[0], self.weight * false[0]
            values[half, :, m] = values_of_counts(target, *counts)
        return values


def _above(y_true: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the n scores in ascending order, and two arrays of n + 1 counts.

    Entry i of the arrays is the number of positives, or of negatives, from place i of that order on. The last
    entry is 0, for a threshold above all scores.
    """
    order = np.argsort(scores, kind="stable")
    remaining = [np.append(np.cumsum(mask[order][::-1])[::-1], 0) for mask in (y_true, ~y_true)]
    return scores[order], *remaining
