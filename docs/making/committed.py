"""The committed studies as the pages read them: their tables, and their estimates with each source counted once.

An estimate leaves out simulated data sets.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pandas as pd
from experiments import COMMITTED

from aucstudy.estimates import CONTRASTS, POPULATIONS, SUBSETS, parts_of
from aucstudy.figures import charts
from aucstudy.store.estimates import REAL, SOURCE, subset_of_part
from aucstudy.store.estimates import selected as estimates_with
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
    """A study, or a part of it: its tasks on known, on new or on real data.

    `part` is a part of `aucstudy.estimates.parts_of`.
    """

    name: str
    tables: Tables = committed
    part: str = ""

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
        parts = parts_of(self.table("tasks"))
        return parts[self.part or self._default_part].set_index("task_id")

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

    def estimates(self) -> pd.DataFrame:
        """Return the table of estimates of these tasks. The names of subsets do not repeat the part's name."""
        of_part = self.part or self._default_part
        names = {subset_of_part(subset, of_part): subset for subset in (*SUBSETS, *CONTRASTS)}
        rows = self.table("estimates")
        return rows[rows["subset"].isin(list(names))].assign(subset=lambda kept: kept["subset"].map(names))

    def number(self, experiment: str, **keys: object) -> pd.Series:
        """Return the one estimate over all these tasks that has these keys, with each source counted once."""
        rows = estimates_with(self.estimates(), experiment, weight=SOURCE, **keys)
        return single(rows, f"{self.name}, estimates.csv with {experiment} and {keys}")


def turned(row: pd.Series) -> pd.Series:
    """Return the estimate of the second minus the first."""
    ends = {"estimate": -row["estimate"], "low": -row["high"], "high": -row["low"]}
    return pd.Series({**row, **ends}, dtype=object)


def hundredths(row: pd.Series, name: str = "estimate", factor: float = 100) -> str:
    """Return a share or difference with its interval, in hundredths without a unit.

    The row of the table must name the unit.
    """
    return in_percent(pd.Series({column: factor * row[column] for column in (name, "low", "high")}), name)


def save_figure(figure, path: Path) -> None:
    charts.save(figure, {kind: f"{path}.{kind}" for kind in ("png", "svg")})
