"""When positives are rare, which metric should select a model?

A metric selects a model on small samples of the validation rows (`pool` in the code). The selected model is
judged on the test rows (`judge`). A setting is one combination of the columns in `CELL`.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.kernel import COST, F_BETA, NET, Order, order_of
from aucstudy.metrics.target_metrics import (
    AREAS,
    OnSamples,
    TargetMetric,
    on_samples,
    target_of,
    values_of_counts,
)
from aucstudy.statistics.intervals import joint_limits, with_interval
from aucstudy.statistics.ranks import random_orders, rounded
from aucstudy.statistics.seeds import generator

from .held_out import CROSSED, NATURAL, THINNED

POOL, JUDGE = 0, 1  # numbers of the folds with the validation rows and the test rows
# The other selection metrics are compared with REFERENCE. RANDOM is a model drawn at random. ITSELF is the
# target metric on the sample. EARLY is the area under the ROC curve up to a false positive rate of 10 %.
REFERENCE, RANDOM, ITSELF, EARLY = "auroc", "random", "the target itself", "auroc@.1"
PROPER = ("brier", "log_loss")
SELECTION_METRICS = (*AREAS, EARLY, ITSELF, *PROPER, RANDOM)
ARMS = (THINNED, NATURAL, CROSSED)
BEST, SAMPLED = "best", "sample"
# A count may be a sum of weights divided by a weight, so that 10 may come out as 9.999999999999998.
LEAST_FALSE_POSITIVES = 10 - 1e-9
DECIMALS = 7  # of the rows by source group
CELL = ["trained", "prevalence", "positives", "n_models", "target", "threshold"]
MEASURES = ("difference", "regret", "best_third")
ENDS = {"difference_low": "low", "difference_high": "high"}
# Each panel has prevalences and numbers of positives. A row of rare_trends.csv uses the source groups that
# have results for every combination of them.
PANELS = (((0.003, 0.01, 0.03, 0.1), (10,)), ((0.01, 0.03, 0.1), (10, 30)), ((0.03, 0.1), (10, 30, 100)))
OPEN, CLOSED, ALL = "two thirds", "closed third", "all"
TOO_FEW = "too few groups"
FEWEST_GROUPS = {OPEN: 15, CLOSED: 10, ALL: 15}
TARGET_LABELS = {
    "f1": "F1", "f2": "F2", "recall@.5": "recall at\nprecision .5", "recall@.9": "recall at\nprecision .9",
    "precision@P": "precision of\nthe top P rows", "precision@100": "precision of\nthe top 100 rows",
    "net:1": "net benefit,\n1 FP cancels 1 TP", "net:sqrt": "net benefit,\nroot of the odds",
    "net:odds": "net benefit,\nodds", "net:odds^.25": "net benefit,\nodds^¼", "net:odds^.75": "net benefit,\nodds^¾",
    "cost:10": "cost, a miss\nis 10 alarms",
}  # fmt: skip


def of_task(
    task: Task,
    *,
    prevalences: Sequence[float],
    positives: Sequence[int],
    models: Sequence[int],
    targets: Sequence[str],
    draws: int,
    seed: int,
) -> dict[str, pd.DataFrame]:
    """Return the rows of one task, one for each setting for which it has enough validation rows.

    All numbers of candidate models are used for thinned training only. Other ways of training have all models
    as candidates.
    """
    thinned, pool = task.facts["trained"] == THINNED, pool_of(task)
    rows = [
        {**cell, **row}
        for cell, judge, samples, random in cells_of(task, pool, prevalences, positives, targets, draws, seed)
        for row in choices_on(
            samples, pool, judge, models if thinned else models[-1:], random, proper=thinned
        )
    ]
    n_training_positive = task.facts["n_training_positive"]
    return {"rare_tasks": pd.DataFrame(rows).assign(n_training_positive=n_training_positive)} if rows else {}


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


def cells_of(
    task: Task,
    pool: Pool,
    prevalences: Sequence[float],
    positives: Sequence[int],
    targets: Sequence[str],
    draws: int,
    seed: int,
) -> Iterator[tuple[dict, "Judge", np.ndarray, np.random.Generator]]:
    """Yield each setting for which a task has enough rows: its key, the judge, the samples, their generator.

    The samples depend on the data set, the split and the setting, but not on the models.
    """
    facts = task.facts
    reached = [prevalence for prevalence in prevalences if prevalence <= facts["prevalence"]]
    for prevalence in reached if facts["trained"] == NATURAL else [facts["trained_at"]]:
        judge = judge_of(task, prevalence, targets, seed)
        for k in positives:
            random = generator(seed, facts["dataset_name"], facts["split"], f"{prevalence:g}", k, "rare")
            samples = drawn(pool.y_true, k, prevalence, draws, random)
            if samples is not None:
                key = {"trained": facts["trained"], "prevalence": prevalence, "positives": k}
                yield key, judge, samples, random


def drawn(
    y_true: np.ndarray, positives: int, prevalence: float, draws: int, random: np.random.Generator
) -> np.ndarray | None:
    """Return (draws, n) samples with this number of positives, at this prevalence; None without enough rows.

    A sample has 1 for each of its rows, which are drawn without replacement, and 0 for all other rows.
    """
    samples = np.zeros((draws, len(y_true)), dtype=np.uint8)
    negatives = round(positives * (1 - prevalence) / prevalence)
    for value, size in ((True, positives), (False, negatives)):
        rows = np.flatnonzero(y_true == value)
        if len(rows) < size:
            return None
        for sample in samples:
            sample[random.choice(rows, size, replace=False)] = 1
    return samples


def choices_on(
    samples: np.ndarray,
    pool: Pool,
    judge: "Judge",
    sizes: Sequence[int],
    random: np.random.Generator,
    *,
    proper: bool,
) -> Iterator[dict]:
    """Yield the rows of `judged_choices` for each number of candidate models in `sizes`.

    The models are selected on (draws, n) samples of the validation rows. The candidates of a draw are the
    first models of a random order, so a smaller set of candidates is part of each larger one. If `proper` is
    true, the Brier score and the log loss select models, too.
    """
    targets = [*judge.targets, target_of(EARLY)]
    on_sample = on_samples(pool.order, pool.scores, samples, targets, of_rows=judge.n_rows)
    criteria = dict(zip(AREAS, on_sample.areas, strict=True)) | {EARLY: on_sample.values[-1]}
    if proper:
        criteria |= proper_scores(pool.y_true, pool.scores, samples)
    candidates = random_orders(len(pool.order.rows), len(samples), random)
    judged_values = [*judge.judged_values(on_sample)]
    for n in sizes:
        yield from (
            {"n_models": n, **row} for row in judged_choices(judged_values, criteria, candidates[:, :n])
        )


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

    def judged_values(self, on_sample: OnSamples) -> Iterator["JudgedValues"]:
        """Yield the values of each target metric at the best threshold of each half of the test rows.

        If the threshold can be set on other rows, the values at the thresholds of the samples follow.
        """
        for t, target in enumerate(self.targets):
            facts = self.false_positives[t], on_sample.values[t]
            best = np.broadcast_to(self.values[:, None, t], (2, *on_sample.values.shape[1:]))
            yield JudgedValues(target.name, BEST, best, *facts)
            if target.kind in WITH_THRESHOLD:
                yield JudgedValues(
                    target.name, SAMPLED, self.values_at(on_sample.thresholds[t], target), *facts
                )

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


WITH_THRESHOLD = (F_BETA, NET, COST)  # kinds of target metrics whose threshold can be set on other rows


def _above(y_true: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the n scores in ascending order, and two arrays of n + 1 counts.

    Entry i of the arrays is the number of positives, or of negatives, from place i of that order on. The last
    entry is 0, for a threshold above all scores.
    """
    order = np.argsort(scores, kind="stable")
    remaining = [np.append(np.cumsum(mask[order][::-1])[::-1], 0) for mask in (y_true, ~y_true)]
    return scores[order], *remaining


class JudgedValues(NamedTuple):
    """The values of one target metric with one way of setting the threshold.

    `judged` (2, draws, m) are those on both halves of the test rows, `sampled` (draws, m) those on the
    samples.
    """

    target: str
    threshold: str
    judged: np.ndarray
    false_positives: float
    sampled: np.ndarray


def judged_choices(
    judged_values: Sequence[JudgedValues], criteria: Mapping[str, np.ndarray], candidates: np.ndarray
) -> Iterator[dict]:
    """Yield a row for each of `judged_values`: how good the model is that each metric selects.

    `criteria` are (draws, m) values of the selection metrics. `candidates` are (draws, n) models in random
    order. Of tied models, the first one is selected.

    `difference NAME` is the target metric of the model that NAME selects, minus that of the model that
    REFERENCE selects. `best_third NAME` is how often the model that NAME selects is among the best third of
    the candidates. `regret` is the target metric of the best model minus that of the model that REFERENCE
    selects. One half of the test rows says which model is best, and the other half measures it, so that its
    value is not too high.
    """
    draws = np.arange(len(candidates))
    choices = {name: _first_best(values, candidates) for name, values in criteria.items()}
    for row_values in judged_values:
        choices[ITSELF] = _first_best(row_values.sampled, candidates)
        judged = np.take_along_axis(row_values.judged, candidates[None], axis=-1)
        order = np.argsort(-rounded(judged), axis=-1, kind="stable")
        best = np.take_along_axis(judged[::-1], order[..., :1], axis=-1).mean()
        in_best_third = np.zeros(judged.shape, dtype=bool)
        np.put_along_axis(in_best_third, order[..., : max(1, candidates.shape[1] // 3)], True, axis=-1)
        means = {
            name: [values[:, draws, choice].mean() for values in (judged, in_best_third)]
            for name, choice in choices.items()
        }
        means[RANDOM] = [judged.mean(), in_best_third.mean()]
        row = {
            "target": row_values.target,
            "threshold": row_values.threshold,
            "false_positives": row_values.false_positives,
        }
        for name, (mean, third) in means.items():
            row |= {f"difference {name}": mean - means[REFERENCE][0], f"best_third {name}": third}
        yield row | {"regret": best - means[REFERENCE][0]}


def _first_best(values: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Return the (draws,) places of the best candidates; NaN is below all numbers."""
    values = rounded(np.where(np.isnan(values), -np.inf, values))
    return np.take_along_axis(values, candidates, axis=-1).argmax(axis=-1)


def over_all(study: Study, *, bootstrap: int, rules: Sequence[Mapping], seed: int) -> dict[str, pd.DataFrame]:
    tasks = study.frames.get("rare_tasks")
    if tasks is None:
        return {}
    closed = study.tasks.groupby("source_group")["closed"].first()
    rows = rows_by_group(tasks, closed)
    groups = kept_groups(rows)
    return {
        "rare_groups": rows,
        "rare": selected_by_table(rows),
        "rare_trends": trends_table(groups),
        "rare_rules": rules_table(groups, closed, rules, bootstrap, seed),
    }


def rows_by_group(tasks: pd.DataFrame, closed: pd.Series) -> pd.DataFrame:
    """Return means over the splits of each source group, from which all other tables are made.

    Splits with too few false positives have a row of their own, in which `kept` is 0.
    """
    tasks = tasks.assign(kept=(tasks["false_positives"] >= LEAST_FALSE_POSITIVES).astype(int))
    arms = dict.fromkeys([*ARMS, *sorted(tasks["trained"].unique())])
    order = {"trained": (*arms,), "threshold": (BEST, SAMPLED), "target": (*tasks["target"].unique(),)}
    for name, values in order.items():
        tasks[name] = pd.Categorical(tasks[name], values)
    by_group = tasks.groupby([*CELL, "source_group", "kept"], observed=True)
    differences = [f"difference {name}" for name in SELECTION_METRICS if name != REFERENCE]
    thirds = [f"best_third {name}" for name in SELECTION_METRICS]
    spread = by_group[differences].std().rename(columns=lambda name: name.replace("difference", "split_sd"))
    means = by_group[["n_training_positive", "false_positives", "regret", *differences, *thirds]].mean()
    rows = means.join(spread).join(by_group.size().rename("n_splits")).reset_index()
    rows = rows.assign(closed=rows["source_group"].map(closed).astype(int))
    numbers = rows.select_dtypes("float").columns
    rows = rows.astype(dict.fromkeys(order, str)).assign(**rows[numbers].round(DECIMALS))
    return rows.rename(columns=lambda name: name.replace(" ", "_"))


def column(quantity: str, selected_by: str) -> str:
    """Return the name of a column of the rows by source group.

    >>> column("difference", "the target itself")
    'difference_the_target_itself'
    """
    return f"{quantity}_{selected_by}".replace(" ", "_")


def kept_groups(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the kept rows by setting and source group, with four columns for each selection metric."""
    kept_rows = rows[rows["kept"] == 1].set_index([*CELL, "source_group"])
    no_difference = 0.0 * kept_rows["regret"]
    columns = {}
    for name in SELECTION_METRICS:
        for quantity in ("difference", "split_sd"):
            is_reference = name == REFERENCE
            columns[f"{quantity} {name}"] = (
                no_difference if is_reference else kept_rows[column(quantity, name)]
            )
        columns[f"regret {name}"] = kept_rows["regret"] - columns[f"difference {name}"]
        columns[f"best_third {name}"] = kept_rows[column("best_third", name)]
    return pd.DataFrame(columns)


def selected_by_table(rows: pd.DataFrame) -> pd.DataFrame:
    groups = kept_groups(rows)
    by_cell = groups.groupby(CELL, sort=False).indices
    table_rows = []
    for key, cell in rows.groupby(CELL, sort=False):
        numbers = groups.iloc[by_cell.get(key, [])]
        sizes = {
            "n_groups": len(numbers),
            "n_too_few": cell["source_group"].nunique() - len(numbers),
            "n_training_positive": np.median(np.repeat(cell["n_training_positive"], cell["n_splits"])),
        }
        for selected_by in SELECTION_METRICS:
            if cell[column("best_third", selected_by)].isna().all():
                continue
            row = {**dict(zip(CELL, key, strict=True)), "selected_by": selected_by, **sizes}
            for quantity in MEASURES:
                row |= with_interval(quantity, numbers[f"{quantity} {selected_by}"], np.arange(len(numbers)))
            table_rows.append(row | {"split_sd": np.sqrt((numbers[f"split_sd {selected_by}"] ** 2).mean())})
    table = pd.DataFrame(table_rows).rename(columns=ENDS)
    thirds = [name for name in table if name.startswith("best_third")]
    return table.assign(**table[thirds].clip(0, 1))


def column_of(
    groups: pd.DataFrame, trained: str, n_models: int, target: str, threshold: str, column: str
) -> pd.DataFrame:
    try:
        cells = groups[column].xs((trained, n_models, target, threshold), level=[0, 3, 4, 5])
    except KeyError:
        return pd.DataFrame()
    return cells.unstack(["prevalence", "positives"])


def contrasts(cells: pd.DataFrame, prevalences: Sequence[float], positives: Sequence[int]) -> pd.DataFrame:
    """Return two contrasts for each source group that has results in all these settings.

    `prevalence` is the value at the lowest prevalence minus that at the highest, as a mean over the numbers
    of positives. `positives` is the value with the fewest positives minus that with the most, as a mean over
    the prevalences.
    """
    keys = [*product(prevalences, positives)]
    if set(keys) - set(cells):
        return pd.DataFrame({"prevalence": [], "positives": []}, dtype=float)
    complete = cells[keys].dropna()

    def mean(level: int, value: float) -> pd.Series:
        return complete[[key for key in keys if key[level] == value]].mean(axis=1)

    return pd.DataFrame(
        {
            name: mean(level, min(values)) - mean(level, max(values))
            for level, (name, values) in enumerate((("prevalence", prevalences), ("positives", positives)))
        }
    )


def trends_table(groups: pd.DataFrame) -> pd.DataFrame:
    rows = []
    if groups.empty:
        return pd.DataFrame()
    n_models = max(groups.index.get_level_values("n_models"))
    kinds = groups.reset_index()[["trained", "target", "threshold"]].drop_duplicates().itertuples(index=False)
    for (trained, target, threshold), selected_by in product(kinds, SELECTION_METRICS):
        if selected_by == REFERENCE:
            continue
        cells = column_of(groups, trained, n_models, target, threshold, f"difference {selected_by}")
        for prevalences, positives in PANELS:
            differences = contrasts(cells, prevalences, positives)
            for quantity in differences if len(differences) else ():
                if quantity == "positives" and len(positives) == 1:
                    continue
                row = {
                    "trained": trained, "target": target, "threshold": threshold, "selected_by": selected_by,
                    "prevalences": " ".join(f"{p:g}" for p in prevalences),
                    "positives": " ".join(map(str, positives)), "quantity": quantity, "n_groups": len(differences),
                }  # fmt: skip
                rows.append(row | with_interval("difference", differences[quantity], differences.index))
    return pd.DataFrame(rows).rename(columns=ENDS)


def in_table_words(rule: Mapping) -> dict:
    """Return a rule with the keys and the name of the metric that the tables use.

    The files of rules are older than these names, and they stay as they are.

    >>> in_table_words({"chooser": "the want itself", "want": "f1", "prevalences": [0.1]})
    {'selected_by': 'the target itself', 'target': 'f1', 'prevalences': [0.1]}
    """
    keys, metrics = {"chooser": "selected_by", "want": "target"}, {"the want itself": ITSELF}
    return {
        keys.get(key, key): metrics.get(value, value) if isinstance(value, str) else value
        for key, value in rule.items()
    }


def digest_of(rules: Sequence[Mapping]) -> str:
    return hashlib.sha256(json.dumps(list(rules), sort_keys=True).encode()).hexdigest()[:16]


def rules_table(
    groups: pd.DataFrame,
    closed: pd.Series,
    rules: Sequence[Mapping],
    resamples: int,
    seed: int,
    trained: str = THINNED,
) -> pd.DataFrame:
    """Return the verdicts on each rule and on its settings, by population.

    The intervals are simultaneous for all settings of a population. `trained` is the way of training of rules
    that name none.
    """
    closed = closed.astype(bool)
    populations = {OPEN: closed.index[~closed], CLOSED: closed.index[closed], ALL: closed.index}
    rows = []
    for population, members in populations.items() if closed.any() else [(OPEN, closed.index)]:
        group_rows = groups[groups.index.get_level_values("source_group").isin(members)]
        cells = [
            cell
            for rule in rules
            for cell in _cells_of({"trained": trained, **in_table_words(rule)}, group_rows)
        ]
        judged = [cell for cell in cells if len(cell["values"]) >= FEWEST_GROUPS[population]]
        if judged:
            matrix = pd.concat([cell["values"] for cell in judged], axis=1)
            joint = joint_limits(matrix.to_numpy(), resamples, seed)
            for cell, estimate, low, high in zip(judged, *joint, strict=True):
                cell |= {"estimate": estimate, "low": low, "high": high}
        for cell in cells:
            facts = {
                "population": population,
                "n_groups": len(cell.pop("values")),
                "digest": digest_of(rules),
            }
            enough = facts["n_groups"] >= FEWEST_GROUPS[population]
            rows.append({**cell, **facts, "verdict": verdict(cell) if enough else TOO_FEW})
    table = pd.DataFrame(rows)
    if rows:
        table["rule_verdict"] = table.groupby(["population", "rule"])["verdict"].transform(together)
    return table


def _cells_of(rule: Mapping, groups: pd.DataFrame) -> Iterator[dict]:
    n_models = rule.get("n_models") or groups.index.get_level_values("n_models").max()
    block = rule["trained"], n_models, rule["target"], rule.get("threshold", BEST)
    against, trend = rule.get("against", REFERENCE), rule.get("trend")
    columns = f"difference {rule['selected_by']}", f"difference {against}", f"regret {RANDOM}"
    first, second, random = (column_of(groups, *block, name) for name in columns)
    low, high = (np.nan if end is None else end for end in rule["between"])
    common = {"rule": rule["name"]} | {key: rule[key] for key in ("says", "target", "selected_by")}
    common |= {"against": against, "n_models": n_models, "quantity": trend or "difference", "within": np.nan}
    common |= dict.fromkeys(("prevalence", "positives", "estimate", "low", "high"), np.nan)
    common |= {"at_least": low, "at_most": high}
    if trend:
        yield {**common, "values": contrasts(first - second, rule["prevalences"], rule["positives"])[trend]}
        return
    for cell in product(rule["prevalences"], rule["positives"]):
        values = (first[cell] - second[cell]).dropna() if cell in first else pd.Series(dtype=float)
        gap = random[cell].mean() if cell in random else np.nan
        within = gap / 10 if rule.get("alike") else np.nan
        yield {**common, "prevalence": cell[0], "positives": cell[1], "values": values, "within": within}


def verdict(row: Mapping) -> str:
    """Return the verdict on a rule in one setting.

    The rule is confirmed if the whole interval lies in the rule's range and within the distance `within` of
    0. It is contradicted if the whole interval lies below the range or above it. Otherwise the verdict is
    `open`, which means inconclusive. NaN in place of an end of the range, or of `within`, is no condition.

    >>> verdict({"low": -0.001, "high": 0.004, "at_least": -0.005, "at_most": 0.005, "within": 0.003})
    'open'
    """
    low, high, within = row["low"], row["high"], row["within"]
    # Without an interval, nothing is known. An end of the range that is NaN needs no test, because
    # comparisons with it are false.
    if np.isnan(low) or np.isnan(high):
        return "open"
    if low > row["at_most"] or high < row["at_least"]:
        return "contradicted"
    outside = low < row["at_least"] or high > row["at_most"] or low < -within or high > within
    return "open" if outside else "confirmed"


def together(verdicts: Iterable[str]) -> str:
    """Return the verdict on a rule from its verdicts in all settings.

    One setting is enough to contradict it. All settings that have enough source groups must confirm it.
    """
    return next((word for word in ("contradicted", "open", "confirmed") if word in set(verdicts)), TOO_FEW)
