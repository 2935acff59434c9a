"""The committed studies as the pages read them: an estimate counts each source group once and no simulated data set."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from experiments import COMMITTED

from aucstudy.experiments.selection import REFERENCE
from aucstudy.figures import charts
from aucstudy.statistics.intervals import over_groups, over_tasks, simultaneous_intervals
from aucstudy.store.tables import study_table
from aucstudy.wording import in_percent, selected, single

ROOT = Path(__file__).parents[2]
EXACT = "papers"  # in place of a study: what follows from mathematics or from the papers' own tables
RESAMPLES, SEED = 2000, 1
Tables = Callable[[str, str], pd.DataFrame | None]

# said in these words wherever verdicts are explained
RULES_FIXED = (
    "Each rule that was not amended later was committed to the repository before a verdict was computed with it. "
    "Results on the data of the default study were known when the rules were written, so the verdicts "
    "of the default study are exploratory. The rules of confirmation (C1 to C11) were committed before any metric was "
    "computed for tasks or models other than those of the default study. The only exception is the one task of the "
    "data set UW-CSE, for which metrics had been computed before these rules were committed"
)


@cache
def committed(study: str, table: str) -> pd.DataFrame | None:
    """A table of a study of the list COMMITTED, or of the exact claims; no other folder of results/ is read."""
    if study == EXACT:
        return study_table(ROOT / "results" / EXACT, table)
    if study not in COMMITTED:
        raise LookupError(f"{study}: no committed study; there are {', '.join(COMMITTED)}")
    return study_table(ROOT / "results" / study / "tables", table)


@dataclass(frozen=True)
class Study:
    """A study, or those of its tasks that are `kept`."""

    name: str
    tables: Tables = committed
    kept: frozenset[str] | None = None

    def table(self, name: str) -> pd.DataFrame | None:
        """A table as it is committed: of all tasks, each of which counts once."""
        return self.tables(self.name, name)

    def rows(self, table: str, **where: object) -> pd.DataFrame:
        """The rows of a table with these values."""
        return selected(self.table(table), **where)

    def row(self, table: str, **where: object) -> pd.Series:
        """The one row of a table with these values."""
        return single(self.rows(table, **where), f"{self.name}, {table}.csv with {where}")

    @property
    def tasks(self) -> pd.DataFrame:
        """tasks.csv of the tasks that are kept, by task_id."""
        tasks = self.table("tasks").set_index("task_id")
        if "simulated" in tasks:
            tasks = tasks[~tasks["simulated"].astype(bool)]
        return tasks if self.kept is None else tasks[tasks.index.isin(self.kept)]

    @property
    def n_groups(self) -> int:
        return self.tasks["source_group"].nunique()

    def shared_with(self, other: "Study") -> "Study":
        """The tasks that another study has too."""
        return self._with(self.tasks.index.isin(other.tasks.index))

    def new_beside(self, other: "Study") -> "Study":
        """The tasks that another study does not have."""
        return self._with(~self.tasks.index.isin(other.tasks.index))

    def of_prevalence(self, low: float, high: float) -> "Study":
        """The tasks whose prevalence is at least low and under high."""
        prevalence = self.tasks["prevalence"]
        return self._with((prevalence >= low) & (prevalence < high))

    def _with(self, mask: np.ndarray) -> "Study":
        return replace(self, kept=frozenset(self.tasks.index[mask]))

    def by_task(self, table: str, **where: object) -> pd.DataFrame:
        """The rows of a table by task, by task_id."""
        rows = self.rows(table, **where)
        return rows[rows["task_id"].isin(self.tasks.index)].set_index("task_id")

    def mean(self, values: pd.Series, *, share: bool = False) -> pd.Series:
        """The mean of values by task over source groups: estimate, low, high, n_tasks, n_groups."""
        groups = self.tasks["source_group"].reindex(values.index)
        return pd.Series(over_groups(values.to_numpy(), groups.to_numpy(), exact=share), dtype=object)

    def differs(self, first: str, second: str, what: str = "p_best_differs") -> pd.Series:
        """How often two areas put another model first."""
        rows = self.by_task("disagreement_tasks", first=first, second=second)
        return self.mean(rows[what], share=what.startswith("p_"))

    def differs_by_task(self, first: str, second: str) -> pd.Series:
        """The same with each task counted once, and the error shared by the tasks of a source."""
        shares = self.by_task("disagreement_tasks", first=first, second=second)["p_best_differs"]
        groups = self.tasks["source_group"].reindex(shares.index)
        return pd.Series(over_tasks(shares.to_numpy(), groups.to_numpy(), exact=True), dtype=object)

    def more_alike(self) -> pd.Series:
        """How much more often AUPR and AUROC put another model first than AUPR and AUPRG do."""
        roc, prg = (
            self.by_task("disagreement_tasks", first="aupr", second=second)["p_best_differs"]
            for second in ("auroc", "auprg")
        )
        return self.mean(roc - prg)

    def halves(self, first: str, second: str, quantity: str = "across") -> pd.Series:
        """How often the best model differs between two halves of the test rows (noise_tasks.csv).

        `itself`: of one area, the mean of both.
        """
        rows = self.by_task("noise_tasks", first=first, second=second, top=1)
        rows = rows.assign(itself=(rows["self_first"] + rows["self_second"]) / 2)
        return self.mean(rows[quantity], share=quantity != "excess")

    def gain(self, selected_by: str, rival: str, utility: str, design: str = "halves") -> pd.Series:
        """The utility on unseen rows of the model that a metric selects minus that of a rival's.

        Where one of the two is AUROC, all_low and all_high are the interval for all selection metrics and utilities at
        once.
        """
        utilities = _utilities(self, design)
        gain = self.mean(utilities[selected_by, utility] - utilities[rival, utility])
        if REFERENCE in (selected_by, rival):
            other, sign = (selected_by, 1) if rival == REFERENCE else (rival, -1)
            ends = sorted(sign * end for end in _at_once(self, design)[other, utility])
            gain["all_low"], gain["all_high"] = ends
        return gain

    def turned_at(self, step: str) -> pd.Series:
        """The share of the swaps of AUPR's and AUPRG's best models that turn at a step of the decomposition."""
        swaps = self.by_task("decomposition_swaps")
        swaps = swaps[swaps["weight"] > 0]
        at_step = (swaps["flips_at"] == step).astype(float)
        if swaps.index.is_unique:
            return self.mean(at_step, share=True)
        of_task = swaps.assign(part=swaps["weight"] * at_step).groupby(level=0)[["part", "weight"]].sum()
        return self.mean(of_task["part"] / of_task["weight"], share=True)

    def other_rule(self, rule: str) -> pd.Series:
        """How often another rule for the area under the PR curve puts another model first."""
        return self.mean(self.by_task("conventions_tasks", rival=rule)["p_best_differs"], share=True)

    def learners_apart(self, other: "Study", first: str, second: str) -> pd.Series:
        """On the tasks of both studies: how much more often two areas differ with this one's learners."""
        facts = {"first": first, "second": second}
        here, there = (
            study.by_task("disagreement_tasks", **facts).join(study.tasks["n_positive"])
            for study in (self, other)
        )
        both = here.join(there, how="inner", rsuffix="_there")
        # a large set that the two studies cut otherwise is not the same task
        both = both[both["n_positive"] == both["n_positive_there"]]
        return self.mean(both["p_best_differs"] - both["p_best_differs_there"])


def hundredths(row: pd.Series, name: str = "estimate", factor: float = 100) -> str:
    """A share or difference with its interval in hundredths, for a cell whose row says so."""
    return in_percent(pd.Series({column: factor * row[column] for column in (name, "low", "high")}), name)


def save_figure(figure, path: Path) -> None:
    charts.save(figure, {kind: f"{path}.{kind}" for kind in ("png", "svg")})


@cache
def _utilities(study: Study, design: str) -> pd.DataFrame:
    """A row a task, columns (selected_by, utility)."""
    rows = study.by_task("selection_tasks", design=design)
    utilities = list(rows.loc[:, "auroc":"accuracy"].columns)
    return (
        rows.reset_index().pivot(index="task_id", columns="selected_by", values=utilities).swaplevel(axis=1)
    )


@cache
def _at_once(study: Study, design: str) -> dict[tuple[str, str], tuple[float, float]]:
    """By selection metric and utility the ends of the intervals that hold for the whole matrix at once."""
    utilities = _utilities(study, design)
    cells = [cell for cell in utilities.columns if cell[0] != REFERENCE]
    gains = pd.DataFrame({cell: utilities[cell] - utilities[REFERENCE, cell[1]] for cell in cells})
    of_groups = gains.groupby(study.tasks["source_group"].reindex(gains.index)).mean()
    made = simultaneous_intervals(of_groups.to_numpy(), of_groups.index.to_numpy(), RESAMPLES, SEED)
    return dict(zip(cells, zip(made.low, made.high, strict=True), strict=True))
