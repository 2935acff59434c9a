"""The committed studies as the pages read them: their tables, and their estimates with each source counted once.

An estimate leaves out simulated data sets.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pandas as pd
from experiments import COMMITTED

from aucstudy.estimates import POPULATIONS, REAL, SUBSETS, parts_of, subset_of_part
from aucstudy.experiments.decomposition import ORDERS, order_name
from aucstudy.experiments.quantities import ALL, SOURCE, TASK
from aucstudy.experiments.quantities import selected as estimates_with
from aucstudy.experiments.selection import REFERENCE
from aucstudy.figures import charts
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
    if study not in (*COMMITTED, POPULATIONS):
        raise LookupError(f"{study}: no committed study; there are {', '.join(COMMITTED)}")
    return study_table(ROOT / "results" / study / "tables", table)


@dataclass(frozen=True)
class Study:
    """A study, or a part of it: its tasks on known, on new or on real data, or a subset of its tasks.

    `part` is a part of `aucstudy.estimates.parts_of`, and `subset` is one of its SUBSETS.
    """

    name: str
    tables: Tables = committed
    part: str = ""
    subset: str = ALL

    def table(self, name: str) -> pd.DataFrame | None:
        """Return a table as it is committed, with all tasks."""
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
        tasks = self.table("tasks")
        parts = parts_of(tasks)
        tasks = parts[self.part or self._default_part]
        return tasks[SUBSETS[self.subset](tasks)].set_index("task_id")

    @property
    def _default_part(self) -> str:
        """Simulated data sets are left out of all estimates on the pages, but not out of the committed verdicts."""
        return REAL if REAL in parts_of(self.table("tasks")) else ""

    @property
    def n_groups(self) -> int:
        return self.tasks["source_group"].nunique()

    def on(self, part: str) -> "Study":
        """Return the part of the study with the tasks on known or on new data."""
        return replace(self, part=part)

    def of(self, subset: str) -> "Study":
        """Return the part of the study with the tasks of a subset."""
        return replace(self, subset=subset)

    def numbers(self, experiment: str, *, weight: str = SOURCE, **keys: object) -> pd.DataFrame:
        """Return the estimates of an experiment that have these keys, with each source counted once."""
        subset = subset_of_part(str(keys.pop("subset", self.subset)), self.part or self._default_part)
        return estimates_with(self.table("estimates"), experiment, weight=weight, subset=subset, **keys)

    def number(self, experiment: str, *, weight: str = SOURCE, **keys: object) -> pd.Series:
        """Return the only one of `numbers`."""
        rows = self.numbers(experiment, weight=weight, **keys)
        return single(rows, f"{self.name}, estimates.csv with {experiment} and {keys}")

    def differs(self, first: str, second: str, weight: str = SOURCE) -> pd.Series:
        """Return how often two metrics pick different best models."""
        pair = {"first": first, "second": second}
        return self.number("disagreement", quantity="differs", at=1, weight=weight, **pair)

    def differs_by_task(self, first: str, second: str) -> pd.Series:
        """Return how often two metrics pick different best models, with each task counted once."""
        return self.differs(first, second, weight=TASK)

    def more_alike(self) -> pd.Series:
        """Return how much more often AUPR and AUROC pick different best models than AUPR and AUPRG do."""
        return self.number("disagreement", quantity="differs more often than aupr and auprg")

    def halves(self, first: str, second: str, quantity: str = "across") -> pd.Series:
        """Return how often the best models on two halves of the test rows differ.

        `across` is for two metrics, and `itself` for a single metric, as the mean for both. `excess` is their
        difference.
        """
        return self.number("noise", quantity=quantity, first=first, second=second, at=1)

    def gain(self, selected_by: str, rival: str, utility: str, design: str = "halves") -> pd.Series:
        """Return how much more utility a metric's model has on unseen rows than the rival metric's model."""
        gain = {"quantity": "gain", "target": utility, "setting": design}
        if selected_by == REFERENCE:
            return turned(self.number("selection", first=rival, second=selected_by, **gain))
        return self.number("selection", first=selected_by, second=rival, **gain)

    def turned_at(self, step: str) -> pd.Series:
        """Return the share of the ranking changes between AUPR and AUPRG that happen at a step."""
        change = {"quantity": "change of the best model", "target": order_name(ORDERS[0]), "setting": step}
        return self.number("decomposition", **change)

    def other_rule(self, rule: str) -> pd.Series:
        """Return how often another rule for the area under the PR curve picks a different best model."""
        return self.number("conventions", quantity="differs", second=rule, at=1)

    def balanced(self, area: str, subset: str = ALL) -> pd.Series:
        """Return how much a metric changes if the test sets are cut to the ratio 1:1."""
        return self.number(
            "downsampling", quantity="change of the metric", first=area, setting="1:1", subset=subset
        )


def turned(row: pd.Series) -> pd.Series:
    """Return an estimate with its sign changed."""
    return pd.Series(
        {**row, "estimate": -row["estimate"], "low": -row["high"], "high": -row["low"]}, dtype=object
    )


def learners_apart(here: str, there: str, first: str, second: str) -> pd.Series:
    """Return how much more often two metrics pick different best models in one study than in another.

    Only the tasks of both studies are used, so the difference comes from the learners.
    """
    table = committed(POPULATIONS, "estimates")
    keys = {
        "quantity": "differs more often",
        "first": first,
        "second": second,
        "setting": f"{here} minus {there}",
    }
    return single(
        estimates_with(table, POPULATIONS, weight=SOURCE, **keys), f"populations, estimates.csv, {keys}"
    )


def hundredths(row: pd.Series, name: str = "estimate", factor: float = 100) -> str:
    """Return a share or difference with its interval, in hundredths without a unit.

    The row of the table must name the unit.
    """
    return in_percent(pd.Series({column: factor * row[column] for column in (name, "low", "high")}), name)


def save_figure(figure, path: Path) -> None:
    charts.save(figure, {kind: f"{path}.{kind}" for kind in ("png", "svg")})
