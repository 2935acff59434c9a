"""The disagreement of metrics on the models of many tasks, from a table of computed values."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.audit.text import Said, records, rendered
from aucstudy.errors import InputError
from aucstudy.reading.table_files import read_table
from aucstudy.statistics.disagreement import TOP_COLUMNS, disagreement
from aucstudy.statistics.intervals import mean_interval
from aucstudy.statistics.ranks import rounded


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
    cautions : facts for warnings. `alone` is the number of tasks with one model, and the first of them;
        `sizes` are the fewest and the most models of a task.
    """

    table: MetricTable
    facts: dict[str, object]
    shares: pd.DataFrame
    correlations: pd.DataFrame
    by_task: pd.DataFrame
    cautions: dict[str, tuple]

    def said(self, name: str = "", *, html: bool = False) -> Said:
        """Return the sentences, as `Analysis.said` does."""
        pairs = [
            (*pair, *(rows[rows["top"] == top].iloc[0] for top in (1, 3)))
            for pair, rows in self.shares.groupby(["first", "second"], sort=False)
        ]
        n_models = len(set(self.table.models))
        module, by_heading = rendered(
            "metric_tables.j2", html=html, a=self, name=name, pairs=pairs, n_models=n_models
        )
        warnings = by_heading.get("Warnings", [])
        sections = {"Disagreement": [*by_heading["Disagreement"], *warnings]}
        return Said(module.headline, module.lead, sections, warnings, module.note)

    def as_json(self) -> dict[str, object]:
        frames = {"disagreement": self.shares, "correlations": self.correlations, "tasks": self.by_task}
        tables = {name: records(frame) for name, frame in frames.items()}
        return {**self.facts, **tables, "warnings": self.said().warnings}

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
    cautions = {"alone": (len(alone), alone[0])} if alone else {}
    if sizes.nunique() > 1:
        cautions["sizes"] = sizes.min(), sizes.max()
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


def _shares(by_task: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for (first, second), pair_rows in by_task.groupby(["first", "second"], sort=False):
        for top, column in TOP_COLUMNS.items():
            share = mean_interval(pair_rows[column].to_numpy(), pair_rows["task"].to_numpy(), share=True)
            interval = {"estimate": share.estimate, "low": share.low, "high": share.high}
            rows.append({"first": first, "second": second, "top": top, **interval, "n_tasks": len(pair_rows)})
    return pd.DataFrame(rows)
