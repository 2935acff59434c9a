"""The disagreement of metrics on the models of many tasks, from a table of computed values."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.audit.findings import Finding, Section, Severity
from aucstudy.audit.text import Said, module_of, records, sentences
from aucstudy.errors import InputError
from aucstudy.reading.table_files import read_table
from aucstudy.statistics.disagreement import TOP_COLUMNS, disagreement
from aucstudy.statistics.intervals import mean_interval
from aucstudy.statistics.ranks import rounded

MOST_MISSING = 5  # models that are missing in some task, with a name in the warning

_warning = partial(Finding, section=Section.WARNINGS, severity=Severity.WARNING)


@dataclass(frozen=True)
class MetricTable:
    """Values of metrics, rounded for ranking, with one row for each task and model. Losses are negated."""

    tasks: np.ndarray
    models: np.ndarray
    values: pd.DataFrame
    losses: tuple[str, ...] = ()  # the metrics that were negated

    def by_task(self) -> Iterator[tuple[str, np.ndarray, pd.DataFrame]]:
        for task, rows in pd.Series(self.tasks).groupby(self.tasks, sort=True).groups.items():
            yield task, self.models[rows], self.values.iloc[rows]


@dataclass(frozen=True)
class MetricAnalysis:
    """A table of metrics and the results computed from it.

    Attributes
    ----------
    shares : shares of the tasks on which two metrics disagree about the best or the best three models.
    correlations : quartiles over the tasks of the rank correlation of two metrics.
    cautions : the warnings.
    """

    table: MetricTable
    facts: dict[str, object]
    shares: pd.DataFrame
    correlations: pd.DataFrame
    by_task: pd.DataFrame
    cautions: list[Finding]

    @property
    def findings(self) -> list[Finding]:
        """Everything that the sentences say, and that the JSON lists."""
        disagreements = []
        for pair, rows in self.shares.groupby(["first", "second"], sort=False):
            best, first_three = (rows[rows["top"] == top].iloc[0].to_dict() for top in (1, 3))
            numbers = {"best": best, "first_three": first_three, "n_tasks": best["n_tasks"]}
            disagreements.append(Finding("disagreement", Section.DISAGREEMENT, metrics=pair, numbers=numbers))
        return [*disagreements, *self.cautions]

    def said(self, name: str = "", *, html: bool = False, details: bool = True) -> Said:
        """Return the sentences, as `Analysis.said` does. None of them is a detail."""
        words = module_of("metric_tables.j2", html=html)
        facts = self.facts | {"n_models": len(set(self.table.models))}
        by_section = sentences("metric_tables.j2", self.findings, html=html)
        return Said(words.headline(name, facts), words.lead(facts), by_section, note=words.note())

    def as_json(self) -> dict[str, object]:
        frames = {"disagreement": self.shares, "correlations": self.correlations, "tasks": self.by_task}
        tables = {name: records(frame) for name, frame in frames.items()}
        findings = [finding.as_json() for finding in self.findings]
        return {**self.facts, **tables, "findings": findings, "warnings": self.said().warnings}

    def as_table(self) -> pd.DataFrame:
        return self.shares


def read_metric_table(
    path: Path, task: str, model: str, metrics: tuple[str, ...], losses: Collection[str] = ()
) -> MetricTable:
    """Read a table of metrics.

    InputError is raised for a missing column, for no rows, for a value that is no finite number, for a task
    and model in two rows, and if no task has two models.
    """
    table = read_table(path, (task, model, *metrics))
    tasks, models = (np.asarray(table.labels(name), dtype=object) for name in (task, model))
    values = pd.DataFrame({metric: table.numbers(metric) for metric in metrics})
    if not len(tasks):
        raise InputError(f"{path}: no rows of data")
    for row in np.flatnonzero(pd.DataFrame({"task": tasks, "model": models}).duplicated())[:1]:
        raise InputError(
            f"{path}: task {tasks[row]!r} and model {models[row]!r} have two rows, the second is row {row + 1} of the "
            "data; one is needed"
        )
    if pd.Series(tasks).value_counts().max() < 2:
        raise InputError(f"{path}: no task has two models, so there is nothing to rank")
    values[list(losses)] *= -1
    values[:] = rounded(values.to_numpy())
    return MetricTable(tasks, models, values, tuple(losses))


def analyse_metrics(table: MetricTable) -> MetricAnalysis:
    """Compute how far the metrics disagree. Two metrics break ties by the same random order."""
    rows, alone = [], []
    for task, models, values in table.by_task():
        if len(models) < 2:
            alone.append(task)
            continue
        for first, second in combinations(values.columns, 2):
            found = disagreement(values[first].to_numpy(), values[second].to_numpy(), models)
            rows.append({"task": task, "first": first, "second": second, **found})
    by_task = pd.DataFrame(rows)
    sizes = by_task["n_models"]
    cautions = []
    if alone:
        numbers = {"tasks": len(alone), "first_task": alone[0], "is_one_task": len(alone) == 1}
        cautions.append(_warning("alone", numbers=numbers))
    cautions += _missing_models(table, set(by_task["task"]))
    if sizes.nunique() > 1:
        cautions.append(_warning("sizes", numbers={"fewest": sizes.min(), "most": sizes.max()}))
    facts = {
        "n_tasks": by_task["task"].nunique(),
        "n_rows": len(table.tasks),
        "metrics": list(table.values.columns),
    }
    quartiles = by_task.groupby(["first", "second"], sort=False)["rank_correlation"].quantile(
        [0.25, 0.5, 0.75]
    )
    correlations = quartiles.unstack().set_axis(["lower_quartile", "median", "upper_quartile"], axis=1)
    return MetricAnalysis(table, facts, _shares(by_task), correlations.reset_index(), by_task, cautions)


def _missing_models(table: MetricTable, compared_tasks: Collection[str]) -> Iterator[Finding]:
    """Yield a warning if a model is missing in some of the tasks in which models are compared."""
    models_of = {task: set(models) for task, models, _ in table.by_task() if task in compared_tasks}
    missing = []
    for model in dict.fromkeys(table.models):
        tasks = [task for task, models in models_of.items() if model not in models]
        if tasks:
            of_model = {"name": model, "tasks": len(tasks), "first_task": tasks[0]}
            missing.append(of_model | {"is_one_task": len(tasks) == 1})
    if missing:
        numbers = {
            "models": len(missing),
            "is_one_model": len(missing) == 1,
            "first": missing[:MOST_MISSING],
            "more": max(0, len(missing) - MOST_MISSING),
        }
        yield _warning("missing", models=tuple(of_model["name"] for of_model in missing), numbers=numbers)


def _shares(by_task: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for (first, second), pair_rows in by_task.groupby(["first", "second"], sort=False):
        for top, column in TOP_COLUMNS.items():
            share = mean_interval(pair_rows[column].to_numpy(), pair_rows["task"].to_numpy(), share=True)
            interval = {"estimate": share.estimate, "low": share.low, "high": share.high}
            rows.append({"first": first, "second": second, "top": top, **interval, "n_tasks": len(pair_rows)})
    return pd.DataFrame(rows)
