"""The committed studies as the pages read them.

An estimate leaves out simulated data sets and counts each source group once, except in `differs_by_task`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from experiments import COMMITTED

from aucstudy.figures import charts
from aucstudy.statistics.intervals import over_groups, over_tasks
from aucstudy.store.tables import study_table
from aucstudy.wording import in_percent, selected, single

ROOT = Path(__file__).parents[2]
# This name in place of a study is for claims that follow from mathematics or from the papers' own tables.
EXACT = "papers"
Tables = Callable[[str, str], pd.DataFrame | None]


@cache
def committed(study: str, table: str) -> pd.DataFrame | None:
    """Return a table of a study in COMMITTED or of the exact claims. Raises LookupError for other studies."""
    if study == EXACT:
        return study_table(ROOT / "results" / EXACT, table)
    if study not in COMMITTED:
        raise LookupError(f"{study}: no committed study; there are {', '.join(COMMITTED)}")
    return study_table(ROOT / "results" / study / "tables", table)


@dataclass(frozen=True)
class Study:
    """A study, or the part of it with the tasks in `kept`."""

    name: str
    tables: Tables = committed
    kept: frozenset[str] | None = None

    def table(self, name: str) -> pd.DataFrame | None:
        """Return a table as it is committed: with all tasks, each of which counts once."""
        return self.tables(self.name, name)

    def rows(self, table: str, **where: object) -> pd.DataFrame:
        """Return the rows of a table that have these values."""
        return selected(self.table(table), **where)

    def row(self, table: str, **where: object) -> pd.Series:
        """Return the one row of a table that has these values."""
        return single(self.rows(table, **where), f"{self.name}, {table}.csv with {where}")

    @property
    def tasks(self) -> pd.DataFrame:
        """The rows of tasks.csv of the tasks that are kept and not simulated, by task_id."""
        tasks = self.table("tasks").set_index("task_id")
        if "simulated" in tasks:
            tasks = tasks[~tasks["simulated"].astype(bool)]
        return tasks if self.kept is None else tasks[tasks.index.isin(self.kept)]

    @property
    def n_groups(self) -> int:
        return self.tasks["source_group"].nunique()

    def shared_with(self, other: "Study") -> "Study":
        """Return the part of the study with the tasks that another study has, too."""
        return self._with(self.tasks.index.isin(other.tasks.index))

    def new_beside(self, other: "Study") -> "Study":
        """Return the part of the study with the tasks that another study does not have."""
        return self._with(~self.tasks.index.isin(other.tasks.index))

    def of_prevalence(self, low: float, high: float) -> "Study":
        """Return the part of the study whose tasks have a prevalence of at least `low` and below `high`."""
        prevalence = self.tasks["prevalence"]
        return self._with((prevalence >= low) & (prevalence < high))

    def _with(self, mask: np.ndarray) -> "Study":
        return replace(self, kept=frozenset(self.tasks.index[mask]))

    def by_task(self, table: str, **where: object) -> pd.DataFrame:
        """Return the rows of a table for the tasks of the study, by task_id."""
        rows = self.rows(table, **where)
        return rows[rows["task_id"].isin(self.tasks.index)].set_index("task_id")

    def mean(self, values: pd.Series, *, share: bool = False) -> pd.Series:
        """Return the mean over source groups of values by task: estimate, low, high, n_tasks, n_groups.

        If the values are shares, `share` keeps the interval between 0 and 1.
        """
        groups = self.tasks["source_group"].reindex(values.index)
        return pd.Series(over_groups(values.to_numpy(), groups.to_numpy(), exact=share), dtype=object)

    def differs(self, first: str, second: str, what: str = "p_best_differs") -> pd.Series:
        """Return how often two metrics pick different best models, or the mean of another column `what`."""
        rows = self.by_task("disagreement_tasks", first=first, second=second)
        return self.mean(rows[what], share=what.startswith("p_"))

    def differs_by_task(self, first: str, second: str) -> pd.Series:
        """Return how often two metrics pick different best models, with each task counted once.

        The interval takes into account that tasks of a source group are related.
        """
        shares = self.by_task("disagreement_tasks", first=first, second=second)["p_best_differs"]
        groups = self.tasks["source_group"].reindex(shares.index)
        return pd.Series(over_tasks(shares.to_numpy(), groups.to_numpy(), exact=True), dtype=object)

    def more_alike(self) -> pd.Series:
        """Return how much more often AUPR and AUROC pick different best models than AUPR and AUPRG do."""
        roc, prg = (
            self.by_task("disagreement_tasks", first="aupr", second=second)["p_best_differs"]
            for second in ("auroc", "auprg")
        )
        return self.mean(roc - prg)

    def halves(self, first: str, second: str, quantity: str = "across") -> pd.Series:
        """Return how often the best models on two halves of the test rows differ (noise_tasks.csv).

        `across` is for two metrics, and `itself` for a single metric, as the mean for both. `excess` is their
        difference.
        """
        rows = self.by_task("noise_tasks", first=first, second=second, top=1)
        rows = rows.assign(itself=(rows["self_first"] + rows["self_second"]) / 2)
        return self.mean(rows[quantity], share=quantity != "excess")

    def gain(self, selected_by: str, rival: str, utility: str) -> pd.Series:
        """Return how much more utility a metric's model has on unseen rows than the rival metric's model."""
        rows = self.by_task("selection_tasks", design="halves")
        ours, theirs = (rows[rows["selected_by"] == name][utility] for name in (selected_by, rival))
        return self.mean(ours - theirs)

    def turned_at(self, step: str) -> pd.Series:
        """Return the share of the ranking changes between AUPR and AUPRG that happen at a step.

        The steps are those of the decomposition. Changes of the same task count by their weight.
        """
        swaps = self.by_task("decomposition_swaps")
        swaps = swaps[swaps["weight"] > 0]
        at_step = (swaps["flips_at"] == step).astype(float)
        if swaps.index.is_unique:
            return self.mean(at_step, share=True)
        of_task = swaps.assign(part=swaps["weight"] * at_step).groupby(level=0)[["part", "weight"]].sum()
        return self.mean(of_task["part"] / of_task["weight"], share=True)

    def other_rule(self, rule: str) -> pd.Series:
        """Return how often another rule for the area under the PR curve picks a different best model."""
        return self.mean(self.by_task("conventions_tasks", rival=rule)["p_best_differs"], share=True)

    def learners_apart(self, other: "Study", first: str, second: str) -> pd.Series:
        """Return how much more often two metrics pick different best models here than in another study.

        Only the tasks of both studies are used, so the difference comes from the learners.
        """
        facts = {"first": first, "second": second}
        here, there = (
            study.by_task("disagreement_tasks", **facts).join(study.tasks["n_positive"])
            for study in (self, other)
        )
        both = here.join(there, how="inner", rsuffix="_there")
        # A large data set of which the two studies use different rows is not the same task.
        both = both[both["n_positive"] == both["n_positive_there"]]
        return self.mean(both["p_best_differs"] - both["p_best_differs_there"])


def hundredths(row: pd.Series, name: str = "estimate", factor: float = 100) -> str:
    """Return a share or difference with its interval, in hundredths without a unit.

    The row of the table must name the unit.
    """
    return in_percent(pd.Series({column: factor * row[column] for column in (name, "low", "high")}), name)


def save_figure(figure, path: Path) -> None:
    charts.save(figure, {kind: f"{path}.{kind}" for kind in ("png", "svg")})
