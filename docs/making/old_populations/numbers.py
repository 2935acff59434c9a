"""Side by side: shares of disagreement, rank correlations, tied tops and moved areas of several studies."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from aucstudy.experiments.prevalence_shift.numbers import admitting_every_ratio

from aucstudy.area_names import DISTINCT_PAIRS
from aucstudy.claims.claims import judge_claims
from aucstudy.claims.verdicts import Evidence
from aucstudy.errors import InputError
from aucstudy.published.values import confirmation_rules, printed_shares, published_values
from aucstudy.statistics.intervals import over_tasks, ratio_interval
from aucstudy.store.tables import study_table

PAPER = "Flach & Kull 2015"
BEST, FIRST_THREE, CORRELATION = "best model differs", "first three differ", "rank correlation"
ACROSS, TIED = "rank correlation across tasks", "tied top"
GAP, GAIN = "gap closed", "gap closed, difference"
ALL = "all"
POSITIVES = {"under 50": (0, 50), "50 to 200": (50, 201), "over 200": (201, np.inf)}
# by quantity: the column of `by_task`, and whether it is a share
BY_TASK = {
    BEST: ("best", True),
    FIRST_THREE: ("three", True),
    CORRELATION: ("correlation", False),
    TIED: ("tied", True),
}
COLUMNS = (
    "study",
    "positives",
    "quantity",
    "first",
    "second",
    "estimate",
    "low",
    "high",
    "n_tasks",
    "n_groups",
)
RATIO, AREA, ESTIMATORS = "1:1", "aupr", ("moved", "corrected")


@dataclass(frozen=True)
class Population:
    """A study by the tables that it has committed."""

    name: str
    tables: Path

    def __post_init__(self):
        if not (self.tables / "tasks.csv").exists():
            raise InputError(f"{self.tables}: no tasks.csv; wanted: the tables of a finished study")

    @cached_property
    def tasks(self) -> pd.DataFrame:
        """tasks.csv, indexed by task_id."""
        return study_table(self.tables, "tasks").set_index("task_id")

    @cached_property
    def groups(self) -> set[str]:
        """The source groups."""
        return set(self.tasks["source_group"])

    @cached_property
    def by_task(self) -> pd.DataFrame | None:
        """A row a task and pair of areas, None without the experiment disagreement.

        Returns
        -------
        study, task_id, source_group, n_positive, first, second; best, three (probability that the best model and that
        the first three differ), correlation (of the ranks within the task) and tied (1 where the best by either area
        are several).
        """
        table = study_table(self.tables, "disagreement_tasks")
        if table is None:
            return None
        known = [pair in DISTINCT_PAIRS for pair in zip(table["first"], table["second"], strict=True)]
        table = table[known].rename(
            columns={"p_best_differs": "best", "p_top3_differs": "three", "rank_correlation": "correlation"}
        )
        tied = table["best_first"].str.contains("|", regex=False) | table["best_second"].str.contains(
            "|", regex=False
        )
        names = ["task_id", "source_group", "first", "second", "best", "three", "correlation"]
        positives = self.tasks.loc[table["task_id"], "n_positive"].to_numpy()
        return table[names].assign(study=self.name, n_positive=positives, tied=tied.astype(float))

    @cached_property
    def moved(self) -> pd.DataFrame | None:
        """AUPR of test sets cut to 1:1: a row a task that admits every ratio, with the bias of each estimator.

        None where no task was cut. Columns: downsampled, moved, corrected, source_group, n_positive.
        """
        table = study_table(self.tables, "prevalence_shift_tasks")
        if table is None or table.empty:
            return None
        rows = admitting_every_ratio(table)
        rows = rows[(rows["ratio"] == RATIO) & (rows["area"] == AREA)]
        if rows.empty:
            return None
        biases = rows.pivot(index="task_id", columns="estimator", values="bias")
        return biases.join(self.tasks[["source_group", "n_positive"]])


def side_by_side(populations: list[Population]) -> pd.DataFrame:
    """The paper's numbers, then every population's: all tasks, and by the number of positives.

    Returns
    -------
    populations.csv: study, positives, quantity, first, second, estimate, low, high (95 % interval over source groups),
    n_tasks, n_groups. `rank correlation` is the mean over tasks of the correlation within the task; the paper's is
    across tasks. `gap closed` is 1 - |bias| / |bias of the cut test set|, `first` names the estimator.
    """
    rows = list(_paper())
    for population in populations:
        for positives, (low, high) in {ALL: (0, np.inf), **POSITIVES}.items():
            facts = {"study": population.name, "positives": positives}
            for frame, of_frame in ((population.by_task, _disagreement), (population.moved, _gap)):
                if frame is not None:
                    inside = frame[(frame["n_positive"] >= low) & (frame["n_positive"] < high)]
                    rows += [{**facts, **row} for row in of_frame(inside)] if len(inside) else []
        rows += list(_across(population))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _paper() -> Iterator[dict]:
    facts = {"study": PAPER, "positives": ALL, "n_tasks": 886}
    for (first, second, top), share in printed_shares().items():
        quantity = BEST if top == 1 else FIRST_THREE
        yield {**facts, "quantity": quantity, "first": first, "second": second, "estimate": share / 100}
    printed = published_values()
    for row in printed[printed["id"] == "FK-corr"].itertuples():
        first, second = row.item.lower().split("-")
        yield {**facts, "quantity": ACROSS, "first": first, "second": second, "estimate": float(row.value)}


def _disagreement(by_task: pd.DataFrame) -> Iterator[dict]:
    for quantity, (column, share) in BY_TASK.items():
        for first, second in DISTINCT_PAIRS:
            tasks = by_task[(by_task["first"] == first) & (by_task["second"] == second)].dropna(subset=column)
            if len(tasks):
                mean = over_tasks(tasks[column], tasks["source_group"], exact=share)
                # a correlation's t interval may pass 1
                mean["high"] = min(mean["high"], 1.0)
                yield {"quantity": quantity, "first": first, "second": second, **mean}


def _across(population: Population) -> Iterator[dict]:
    table = study_table(population.tables, "disagreement_correlation")
    if table is None:
        return
    table = table[(table["scope"] == "across tasks") & (table["kind"] == "pearson_of_ranks")]
    for row in table.to_dict("records"):
        if (row["first"], row["second"]) in DISTINCT_PAIRS:
            kept = {name: row[name] for name in COLUMNS[3:]}
            yield {"study": population.name, "positives": ALL, "quantity": ACROSS, **kept}


def _gap(biases: pd.DataFrame) -> Iterator[dict]:
    """How much of the distance from a cut test set's area to the whole one's each estimator closes; the difference."""
    groups = biases["source_group"].to_numpy()
    sizes = {"n_tasks": len(biases), "n_groups": len(set(groups))}
    side = np.sign(biases["downsampled"].mean())
    below = side * biases["downsampled"].to_numpy()
    left = {name: np.sign(biases[name].mean()) * biases[name].to_numpy() for name in ESTIMATORS}
    for name, bias in left.items():
        ratio = ratio_interval(bias, below, groups)
        # the bias may have either sign: an interval that holds 0 reaches up to the whole gap
        far = max(abs(ratio.low), abs(ratio.high)) if ratio.low == ratio.low else np.nan
        near = 0.0 if ratio.low <= 0 <= ratio.high else min(abs(ratio.low), abs(ratio.high))
        ends = {"estimate": 1 - ratio.estimate, "low": 1 - far, "high": 1 - near}
        yield {"quantity": GAP, "first": name, "second": "", **ends, **sizes}
    more = ratio_interval(left["moved"] - left["corrected"], below, groups)
    yield {"quantity": GAIN, "first": "corrected", "second": "moved", **vars(more), **sizes}


def rules(populations: list[Population]) -> pd.DataFrame:
    """What each population says to each rule of confirmation: study beside the columns of claims.csv."""
    judged = {
        each.name: judge_claims(Evidence(each.tables, each.name), confirmation_rules())[0]
        for each in populations
    }
    rows = pd.concat(judged, names=["study"]).reset_index(level="study")
    return rows[["id", "study", "claim", "here", "low", "high", "n", "verdict", "note"]]


def overlap(populations: list[Population]) -> pd.DataFrame:
    """How many tasks and source groups each population has, and how many of them stand in one named before it too."""
    rows, tasks, groups = [], set(), set()
    for each in populations:
        rows.append(
            {
                "study": each.name,
                "n_tasks": len(each.tasks),
                "n_groups": len(each.groups),
                "tasks_in_an_earlier_one": len(set(each.tasks.index) & tasks),
                "groups_in_an_earlier_one": len(each.groups & groups),
                "over_200_positives": int((each.tasks["n_positive"] > 200).sum()),
            }
        )
        tasks |= set(each.tasks.index)
        groups |= each.groups
    return pd.DataFrame(rows)


def of_pair(table: pd.DataFrame, pair: tuple[str, str], where: Mapping[str, object]) -> pd.Series | None:
    """The row of a pair of areas with these values in other columns; None where there is none."""
    rows = table[(table["first"] == pair[0]) & (table["second"] == pair[1])]
    for column, value in where.items():
        rows = rows[rows[column] == value]
    return None if rows.empty else rows.iloc[0]
