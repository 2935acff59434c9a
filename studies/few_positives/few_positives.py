"""With few positives, which metric should select a model, and which rows should set its threshold?

The models of a task belong to one split of a data set. Two samples of the validation rows, which share no
row, select a model and set its threshold in the ways that `few_positives.md` describes. The test rows judge
the model.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Study, Task
from aucstudy.learners.cross_validation import drawing_order
from aucstudy.metrics.target_metrics import AREAS, TargetMetric, on_samples, target_of
from aucstudy.statistics.ranks import rounded
from aucstudy.statistics.seeds import generator

from .few_positives_compared import compared_table
from .few_positives_tables import (
    BAYES,
    BOTH,
    CROSSED,
    FIXED,
    HINDSIGHT,
    ITSELF,
    ONE,
    OTHER,
    PATIENCE,
    RANDOM,
    SAME,
    SELECTED_BY,
    SHARE,
    WHOLE,
    all_tables,
    column,
)
from .held_out import NATURAL, THINNED
from .judging import Judge, Pool, judge_of, pool_of, proper_scores
from .thresholds_set import (
    bayes_thresholds,
    has_threshold,
    share_thresholds,
    shares_accepted,
    threshold_at_share,
)
from .today import FLOWS_TODAY, OLD

TRAINING = 2  # number of the fold with the training rows, which are scored by cross-fitting
CANDIDATES = 24
OLDER, LEARNERS_OF_TODAY, WITH_OLD, ROUNDS = "older", "today", "with_old", "rounds"
F1, MCC = target_of("f1"), target_of("mcc")


def of_task(
    task: Task,
    *,
    bands: Sequence[float],
    positives: Sequence[int],
    targets: Sequence[str],
    draws: int,
    halvings: int,
    seed: int,
) -> dict[str, pd.DataFrame]:
    """Return the rows of one task.

    There is a row for each set of candidates, number of positives, target metric, and way to select a model
    and to set its threshold. The last round of boosting is selected on the whole validation set only.
    """
    facts, pool = task.facts, pool_of(task)
    thinned_at = facts["trained_at"] if facts["trained"] == THINNED else None
    judge = judge_of(task, thinned_at, targets, seed)
    models = models_of(task)
    sets = candidate_sets(facts["trained"], [*models], facts["task_id"], seed)
    rounds = np.array([*models.values()]) if ROUNDS in sets else None
    fixed = thresholds_of_training(task, pool, judge.targets) if rounds is None else {}
    rows: list[dict] = []
    for k in [WHOLE] if rounds is not None else positives:
        random = generator(seed, facts["dataset_name"], facts["split"], k, "few positives")
        prevalence = thinned_at or pool.y_true.mean()
        if k == WHOLE:
            pair = halves_of(pool.y_true, halvings, random)
        else:
            pair = pairs(pool.y_true, k, prevalence, draws, random)
        if pair is not None:
            cell = {"prevalence": thinned_at or band_of(facts["trained_at"], bands), "positives": k}
            sampled = [Sampled(pool, samples, judge) for samples in (*pair, pair[0] | pair[1])]
            rows += [{**cell, **row} for row in judged(sampled, judge, fixed, sets, rounds)]
    n_training_positive = facts["n_training_positive"]
    frame = pd.DataFrame(rows).assign(n_training_positive=n_training_positive)
    return {"few_positives_tasks": frame} if rows else {}


def models_of(task: Task) -> dict[str, int]:
    """Return the models of a task by name, each with the round of boosting after which it ends.

    They are in the order of the columns of scores. A model that is no round of boosting has 0.
    """
    names = [run_id.removeprefix(f"{task.task_id}.") for run_id in task.predictions.run_ids]
    return {name: int(name.split("_")[-2]) if name.endswith("_rounds") else 0 for name in names}


def candidate_sets(trained: str, models: Sequence[str], task_id: str, seed: int) -> dict[str, np.ndarray]:
    """Return the columns of the models in each set of candidates.

    Models of naturally rare outcomes make two sets. One has the models of today's learners. The other has
    those of older learners, filled up to `CANDIDATES` models with some of today's, which are drawn by the
    seed. If there is no older model, the second set is left out. In all other tasks, the models make one set.
    """
    every = np.arange(len(models))
    if trained == THINNED:
        return {OLDER: every}
    if trained != NATURAL:
        return {ROUNDS: every}
    is_old = np.array([name in OLD for name in models])
    drawn = drawing_order([FLOWS_TODAY[name] for name in models if name not in OLD], task_id, seed)
    filling = {flow.name for flow in drawn[: CANDIDATES - is_old.sum()]}
    with_old = is_old | np.isin(models, [*filling])
    sets = {LEARNERS_OF_TODAY: every[~is_old], WITH_OLD: every[with_old]}
    return {name: columns for name, columns in sets.items() if is_old.any() or name == LEARNERS_OF_TODAY}


def band_of(share: float, bands: Sequence[float]) -> float:
    """Return the upper end of the band in which a share lies; a share above all bands is in the last one.

    >>> band_of(0.0151, (0.015, 0.05))
    0.05
    """
    return min((band for band in bands if share <= band), default=bands[-1])


Pair = tuple[np.ndarray, np.ndarray]


def pairs(
    y_true: np.ndarray, positives: int, prevalence: float, draws: int, random: np.random.Generator
) -> Pair | None:
    """Return two (draws, n) samples that share no row, each with this number of positives.

    The negatives give them this prevalence. None without enough rows.
    """
    first, second = np.zeros((2, draws, len(y_true)), dtype=np.uint8)
    for value, size in ((True, positives), (False, round(positives * (1 - prevalence) / prevalence))):
        rows = np.flatnonzero(y_true == value)
        if len(rows) < 2 * size:
            return None
        for draw in range(draws):
            drawn = random.choice(rows, 2 * size, replace=False)
            first[draw, drawn[:size]] = second[draw, drawn[size:]] = 1
    return first, second


def halves_of(y_true: np.ndarray, halvings: int, random: np.random.Generator) -> Pair | None:
    """Return the first and the second halves of all rows, split at random by class, `halvings` times.

    If a class has an odd number of rows, the second half has one more. None if a half would have no row of a
    class.
    """
    first = np.zeros((halvings, len(y_true)), dtype=np.uint8)
    for value in (True, False):
        rows = np.flatnonzero(y_true == value)
        if len(rows) < 2:
            return None
        for half in first:
            half[random.permutation(rows)[: len(rows) // 2]] = 1
    return first, 1 - first


class BestThreshold(NamedTuple):
    """The highest value of each model on each sample, its threshold, and the share of rows that it accepts.

    All are (draws, m).
    """

    value: np.ndarray
    threshold: np.ndarray
    share: np.ndarray


class Sampled:
    """The models' values on (draws, n) samples of the validation rows, and their best thresholds there.

    Attributes
    ----------
    criteria : (draws, m) values by selection metric.
    best : the best threshold by target metric.
    """

    def __init__(self, pool: Pool, samples: np.ndarray, judge: Judge) -> None:
        self.pool, self.samples, targets = pool, samples, judge.targets
        measured = on_samples(pool.order, pool.scores, samples, [*targets, F1, MCC], of_rows=judge.n_rows)
        self.criteria = dict(zip(AREAS, measured.areas, strict=True))
        self.criteria |= proper_scores(pool.y_true, pool.scores, samples)
        self.criteria |= {"f1": measured.values[-2], "mcc": measured.values[-1]}
        shares = shares_accepted(pool.scores, samples, measured.thresholds[: len(targets)])
        self.best = {
            target.name: BestThreshold(measured.values[t], measured.thresholds[t], shares[t])
            for t, target in enumerate(targets)
        }
        self._descending: dict[tuple[int, int], np.ndarray] = {}

    def descending(self, draw: int, model: int) -> np.ndarray:
        """Return a model's scores of the rows of a sample, from the highest down."""
        if (draw, model) not in self._descending:
            rows = self.pool.order.rows[model]
            self._descending[draw, model] = self.pool.scores[rows[self.samples[draw][rows] > 0], model]
        return self._descending[draw, model]


def thresholds_of_training(
    task: Task, pool: Pool, targets: Sequence[TargetMetric]
) -> dict[str, dict[str, np.ndarray]]:
    """Return (m,) thresholds from training labels alone, by the way to set them and by target metric.

    The result is empty if the task has no training rows.
    """
    rows = task.predictions.fold == TRAINING
    if not rows.any():
        return {}
    y_true, scores = task.predictions.y_true[rows], task.predictions.scores[rows]
    targets = [target for target in targets if has_threshold(target)]
    at_share = share_thresholds(pool.scores, y_true.mean())
    return {
        BAYES: bayes_thresholds(y_true, scores, targets),
        SHARE: {target.name: at_share for target in targets},
    }


def judged(
    sampled: Sequence[Sampled],
    judge: Judge,
    fixed: Mapping[str, Mapping[str, np.ndarray]],
    sets: Mapping[str, np.ndarray],
    rounds: np.ndarray | None,
) -> Iterator[dict]:
    """Yield rows with the mean target metric of the model that each metric selects.

    There is a row for each target metric, set of candidates, and way to select a model and to set its
    threshold. `sampled` are the first and the second sample of each pair, and both together.
    """
    for t, target in enumerate(judge.targets):
        values = Values(sampled, judge, t, fixed)
        for candidates, columns in sets.items():
            chosen = [choices(each, target, columns, rounds) for each in sampled]
            facts = {
                "candidates": candidates,
                "target": target.name,
                "false_positives": judge.false_positives[t],
            }
            for chosen_on, threshold, means in values.of_choices(chosen, columns):
                by_metric = {column("value", name): means.get(name, np.nan) for name in SELECTED_BY}
                yield {**facts, "chosen_on": chosen_on, "threshold": threshold, **by_metric}


Choices = dict[str, np.ndarray]


def choices(
    sampled: Sampled, target: TargetMetric, columns: np.ndarray, rounds: np.ndarray | None
) -> Choices:
    """Return the (draws, candidates) share of each model in the selection, by selection metric.

    The selected model has the share 1. Tied models have equal shares.
    """
    criteria = {**sampled.criteria, ITSELF: sampled.best[target.name].value}
    chosen = {name: _first(values[:, columns]) for name, values in criteria.items()}
    if rounds is not None:
        chosen |= rules_of_rounds(-sampled.criteria["log_loss"][:, columns], rounds[columns])
    shape = chosen[ITSELF].shape
    return chosen | {RANDOM: np.full(shape, 1 / shape[1])}


def _first(values: np.ndarray) -> np.ndarray:
    values = rounded(np.where(np.isnan(values), -np.inf, values))
    is_best = values == values.max(axis=1, keepdims=True)
    return is_best / is_best.sum(axis=1, keepdims=True)


def rules_of_rounds(log_loss: np.ndarray, rounds: np.ndarray) -> Choices:
    """Return what rules for stopping select: (draws, m) by rule, with 1 at the selected round.

    A rule of FIXED always selects the same round. A rule of PATIENCE stops once so many rounds have passed
    without a lower log loss, and selects the best round up to there.
    """
    order = np.argsort(rounds)
    rules = {}
    for name, last in FIXED.items():
        chosen = rounds == (last or rounds.max())
        if chosen.any():
            rules[name] = np.broadcast_to(chosen.astype(float), log_loss.shape)
    for name, patience in PATIENCE.items():
        rules[name] = np.zeros(log_loss.shape)
        for draw, losses in enumerate(log_loss):
            best = order[0]
            for m in order[1:]:
                if losses[m] < losses[best]:
                    best = m
                elif rounds[m] - rounds[best] >= patience:
                    break
            rules[name][draw, best] = 1.0
    return rules


class Values:
    """The (2, draws, m) values of a target metric on both halves of the test rows, by type of threshold."""

    def __init__(
        self, sampled: Sequence[Sampled], judge: Judge, t: int, fixed: Mapping[str, Mapping[str, np.ndarray]]
    ) -> None:
        self.sampled, self.judge, self.target = sampled, judge, judge.targets[t]
        shape = 2, *sampled[0].best[self.target.name].value.shape
        self.hindsight = np.broadcast_to(judge.values[:, t][:, None], shape)
        self.set_on: list[np.ndarray] = []
        self.from_training: dict[str, np.ndarray] = {}
        if has_threshold(self.target):
            best = [each.best[self.target.name].threshold for each in sampled]
            self.set_on = [judge.values_at(thresholds, self.target) for thresholds in best]
            for how, by_target in fixed.items():
                at_fixed = judge.values_at(by_target[self.target.name][None], self.target)
                self.from_training[how] = np.broadcast_to(at_fixed, shape)

    def of_choices(
        self, chosen: Sequence[Choices], columns: np.ndarray
    ) -> Iterator[tuple[str, str, dict[str, float]]]:
        """Yield the rows that select, the way to set the threshold, and the mean value by selection metric.

        `chosen` are the selections of each of `sampled`, among the models in `columns`.
        """
        first, second, both = chosen

        def of_one(by_first: np.ndarray, by_second: np.ndarray) -> dict[str, float]:
            return _means((first, by_first[..., columns]), (second, by_second[..., columns]))

        def of_both(values: np.ndarray) -> dict[str, float]:
            return _means((both, values[..., columns]))

        for how, values in {HINDSIGHT: self.hindsight, **self.from_training}.items():
            yield ONE, how, of_one(values, values)
            yield BOTH, how, of_both(values)
        if self.set_on:
            on_first, on_second, on_both = self.set_on
            same = of_both(on_both)
            yield ONE, SAME, of_one(on_first, on_second)
            yield ONE, OTHER, of_one(on_second, on_first)
            yield BOTH, SAME, same
            # No row selects a random model, so every row may set its threshold.
            yield BOTH, CROSSED, {**self._crossed(chosen, columns), RANDOM: same[RANDOM]}

    def _crossed(self, chosen: Sequence[Choices], columns: np.ndarray) -> dict[str, float]:
        """Return the mean value by selection metric with thresholds that are set by cross-fitting.

        Each sample selects a model, and the other sample says what share of the rows this model should
        accept. The model that both samples select together accepts the mean of the two shares. So no row
        helps to set the share of a model that it selected.
        """
        first, second, both = chosen
        shares = [each.best[self.target.name].share[:, columns] for each in self.sampled[:2]]
        means = {}
        for name in both.keys() - {RANDOM}:
            share = ((first[name] * shares[1]).sum(axis=1) + (second[name] * shares[0]).sum(axis=1)) / 2
            thresholds = np.full(self.hindsight.shape[1:], np.inf)
            for draw, c in zip(*np.nonzero(both[name]), strict=True):
                m = columns[c]
                thresholds[draw, m] = threshold_at_share(self.sampled[2].descending(draw, m), share[draw])
            values = self.judge.values_at(thresholds, self.target)[..., columns]
            means |= _means(({name: both[name]}, values))
        return means


def _means(*ways: tuple[Choices, np.ndarray]) -> dict[str, float]:
    """Return the mean of (2, draws, m) values of the selected models, by selection metric.

    It is the mean over ways, halves of the test rows and draws.
    """
    return {
        name: float(np.mean([(choice[name] * values).sum(axis=-1).mean() for choice, values in ways]))
        for name in ways[0][0]
    }


def over_all(
    study: Study,
    *,
    bands: Sequence[float],
    fewest_groups: int,
    resamples: int,
    rules: Sequence[Mapping],
    seed: int,
) -> dict[str, pd.DataFrame]:
    tasks = study.frames.get("few_positives_tasks")
    if tasks is None:
        return {}
    tables = all_tables(tasks, len(bands) > 0, fewest_groups, resamples, rules, seed)
    compared = compared_table(tables["few_positives_groups"], len(bands) > 0, fewest_groups, resamples, seed)
    return {**tables, "few_positives_compared": compared}
