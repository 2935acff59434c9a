"""The measured claims with each source of data counted once, for comparison with the committed verdicts.

Tasks of one source are related: they are different targets, or different cuts, of the same rows. In the
committed tables each task counts once, and the intervals take into account that tasks are related. Here the
tasks of a source are averaged first, so that each source counts once. Then the same rules judge.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from committed import Study, Tables, committed

from aucstudy.claims.boyd import SKEWED, UNSKEWED
from aucstudy.claims.claims import MEASURED
from aucstudy.claims.confirmation import MADE_OF, TASK_FACTS, with_facts
from aucstudy.claims.verdicts import Evidence, Finding
from aucstudy.experiments.disagreement import disagreement_shares

# Strata cannot be made again, because the tasks of one source may lie in several of them. The matrix of all
# target metrics is read by only one claim of a paper, which also needs a stratum.
NOT_REMADE = {"selection", "selection_strata", "disagreement_tasks"}
REMADE: dict[str, tuple[str, Callable[[pd.DataFrame], pd.DataFrame]]] = {
    **{name: made for name, made in MADE_OF.items() if name not in NOT_REMADE},
    "disagreement": ("disagreement_tasks", disagreement_shares),
}
SWAPS = "decomposition_swaps"
AVERAGED = {"disagreement_tasks", "fold_averages_choices", "fold_averages_tasks"}


def one_row_a_source(by_task: pd.DataFrame) -> pd.DataFrame:
    """Return a table by task with the means over the tasks of each source, as if a source were a task.

    A flag is true if it is true for any task of the source.

    >>> tasks = pd.DataFrame({"task_id": list("abc"), "source_group": list("xxy"), "first": "aupr"})
    >>> one_row_a_source(tasks.assign(share=[0.0, 1, 1]))[["task_id", "share"]].to_dict("list")
    {'task_id': ['x', 'y'], 'share': [0.5, 1.0]}
    """
    numbers = [name for name in by_task.select_dtypes("number") if name not in ("top", "beta", "spread")]
    flags = list(by_task.select_dtypes("bool"))
    kinds = [
        name
        for name in by_task.columns
        if name not in (*numbers, *flags, "task_id", "source_group") and not name.startswith("best_")
    ]
    averages = by_task.groupby(["source_group", *kinds], sort=False)
    rows = averages[numbers].mean().join(averages[flags].any()).reset_index()
    return rows.assign(task_id=rows["source_group"])


def one_vote_a_source(swaps: pd.DataFrame) -> pd.DataFrame:
    """Return the ranking changes with weights that add up to 1 in each source that has any."""
    total = swaps.groupby("source_group")["weight"].transform("sum")
    return swaps[total > 0].assign(weight=swaps["weight"] / total)


@dataclass(frozen=True)
class BySource(Evidence):
    """The tables of a study that can be made again from its tables by task, with each source counted once."""

    study: Study = field(default_factory=lambda: Study("wide"))

    def table(self, name: str) -> pd.DataFrame | None:
        if name == SWAPS:
            swaps = self.study.table(SWAPS)
            return None if swaps is None else one_vote_a_source(swaps)
        if name in AVERAGED:
            return self._averaged(name)
        if name not in REMADE:
            return None
        by_task, remake = REMADE[name]
        averaged = self._averaged(by_task)
        return None if averaged is None else remake(averaged)

    def _averaged(self, name: str) -> pd.DataFrame | None:
        by_task = self.study.table(name)
        if by_task is None:
            return None
        return one_row_a_source(with_facts(by_task, self.study.table("tasks")))


@dataclass(frozen=True)
class BySourceAndSkew(Evidence):
    """The tables that decide B-outweigh, with each source counted once for each of the two kinds of tasks.

    The kinds are unskewed and skewed tasks. The tasks of one source that are of the same kind are averaged.
    """

    study: Study = field(default_factory=lambda: Study("wide"))

    def table(self, name: str) -> pd.DataFrame | None:
        by_task = self.study.table("fold_skew_tasks")
        if name not in ("fold_skew_tasks", "tasks") or by_task is None:
            return None
        rows = with_facts(by_task, self.study.table("tasks"))
        kinds = [rows["prevalence"] >= UNSKEWED, rows["prevalence"] < SKEWED]
        rows = rows.assign(kind=np.select(kinds, ["unskewed", "skewed"], "neither"))
        averaged = one_row_a_source(rows[rows["kind"] != "neither"])
        averaged["task_id"] += ", " + averaged["kind"]
        if name == "tasks":
            return averaged[["task_id", *TASK_FACTS]].drop_duplicates("task_id")
        return averaged.drop(columns=[*TASK_FACTS])


@cache
def findings_by_source(study: str, tables: Tables = committed) -> dict[str, Finding]:
    """Return a study's findings on the claims of papers, with each source of data counted once.

    Claims whose tables cannot be made again are left out.
    """
    evidence = BySource(Path(), "", study=Study(study, tables))
    names = (name for name in MEASURED.judges if name.startswith(("FK-", "B-", "L-")))
    findings = {name: MEASURED.judge(name, evidence) for name in names}
    findings["B-outweigh"] = MEASURED.judge("B-outweigh", BySourceAndSkew(Path(), "", study=evidence.study))
    return {name: finding for name, finding in findings.items() if finding is not None}
