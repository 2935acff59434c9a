"""What Boyd et al. 2012 conclude from averages and from table 3: in their own table, and measured on this study."""

from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pandas as pd

from aucstudy.claims.estimates import item_of
from aucstudy.claims.verdicts import (
    Evidence,
    Finding,
    Item,
    Judge,
    Verdict,
    exact_if,
    measured,
    not_available,
    shifted,
)
from aucstudy.published.boyd_tables import printed_table
from aucstudy.published.values import comes_out

SWITCHED_OFF = "the experiment downsampling is switched off in this study"
NO_TASK = "no task of this study is skewed enough for every ratio"
SPREAD = "SD over ratios"
OFTEN, SELDOM = 95, 5  # per cent of the resamples


def _columns(test_set: str, area: str) -> np.ndarray:
    table = printed_table(3)
    return table.loc[table["test_set"] == test_set, area].to_numpy(dtype=float)


def _less_variation(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    spread = {area: _columns("downsampled", area).std(ddof=1) for area in ("aucpr", "aucnpr")}
    items = [Item(f"{area.upper()} in table 3", value, n=7) for area, value in spread.items()]
    right = all(comes_out(printed[item.name], float(item.here)) for item in items)
    relative = {area: spread[area] / _columns("downsampled", area).mean() for area in spread}
    note = f"relative to the mean they hardly differ: {relative['aucpr']:.3f} and {relative['aucnpr']:.3f}"
    return exact_if(right and spread["aucnpr"] < spread["aucpr"], items, note)


def _twice(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    times = _columns("downsampled", "aucnpr")[0] / _columns("original", "aucnpr")[0]
    return exact_if(times > float(printed["table 3"]), [Item("table 3", times)])


def _trend(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    differences = _columns("downsampled", "aucpr") - _columns("original", "aucpr")
    items = [Item(f"difference at 1:{ratio}", differences[i]) for i, ratio in ((2, 3), (3, 4))]
    note = "table 3 contradicts it: the difference at 1:4 lies above that at 1:3"
    return exact_if(bool((np.diff(differences) < 0).all()), items, note)


def _of_claims(judge: Callable[[pd.DataFrame, int], Finding]) -> Judge:
    """A judge of the rows of downsampling_claims.csv, by statistic and area; not available without them."""

    def judged(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
        table = evidence.table("downsampling_claims")
        if table is None:
            return not_available(SWITCHED_OFF)
        if table.empty:
            return not_available(NO_TASK)
        return judge(table.set_index(["statistic", "area"]), int(table["n_groups"].max()))

    return judged


def _less_variation_here(rows: pd.DataFrame, n_groups: int) -> Finding:
    names = {
        "AUPR here": "aupr",
        "AUCNPR here": "aucnpr",
        "AUPR minus AUCNPR here": "aupr minus aucnpr",
    }
    items = [item_of(name, rows.loc[(SPREAD, area)]) for name, area in names.items()]
    note = "SD over ratios of the means at each ratio, all models on the tasks that admit every ratio"
    return measured(items, items[-1:], note, n_groups)


def _twice_here(rows: pd.DataFrame, n_groups: int) -> Finding:
    statistic = next(key for key, _ in rows.index if key.startswith("median of"))
    item = item_of("median here", rows.loc[(statistic, "aucnpr")])
    note = (
        f"{statistic}, over the tasks that admit every ratio; how many times depends on how skewed a task is"
    )
    return measured([item], [shifted(item, 2)], note, n_groups)


def _trend_here(rows: pd.DataFrame, n_groups: int) -> Finding:
    steps = {
        key[0]: rows.loc[key] for key in rows.index if key[0].startswith("rise from") and key[1] == "aupr"
    }
    smallest = min(steps, key=lambda step: steps[step]["estimate"])
    margins = [item_of(step, row) for step, row in steps.items()]
    item = item_of("smallest rise here", steps[smallest])
    return measured([item], margins, f"{smallest} is the smallest of {len(steps)} steps", n_groups)


def nearest_ratio(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of downsampling.csv by area, on the tasks that admit every ratio, at the ratio nearest to 1:1."""
    common = table[table["tasks"] == "common"]
    return common[common["ratio"] == common["ratio"].iloc[0]].set_index("area") if len(common) else common


def of_nearest_ratio(judge: Callable[[pd.DataFrame, int], Finding]) -> Judge:
    """A judge of the rows of `nearest_ratio`."""

    def judged(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
        table = evidence.table("downsampling")
        if table is None:
            return not_available(SWITCHED_OFF)
        nearest = nearest_ratio(table)
        if nearest.empty:
            return not_available(NO_TASK)
        return judge(nearest, int(nearest["n_groups"].max()))

    return judged


def minus_original(nearest: pd.DataFrame, area: str) -> Item:
    """How far an area of a cut test set lies above the whole one's."""
    return item_of(f"{area.upper()}, 1:1 minus original", nearest.loc[area], "difference")


def _optimistic(nearest: pd.DataFrame, n_groups: int) -> Finding:
    items = [minus_original(nearest, area) for area in ("aupr", "aucnpr")]
    note = f"test sets cut to {nearest['ratio'].iloc[0]}, the models unchanged"
    return measured(items, items, note, n_groups)


def _folds(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    averaging, skew = evidence.table("fold_skew_averaging"), evidence.table("fold_skew")
    if averaging is None or skew is None or averaging.empty:
        return not_available("the experiment fold_skew is switched off in this study")
    effect = "size in model SDs"
    left = skew[(skew["area"] == "aucnpr") & (skew["effect"] == effect) & skew["spread"].notna()]
    left = left.loc[left["spread"].idxmax()]
    gain = averaging[(averaging["tasks"] == "all") & (averaging["effect"] == effect)].set_index("cut")
    items = [
        item_of("error with AUPR minus error with AUCNPR", gain.loc[left["cut"]], "gain"),
        item_of("error with AUCNPR, skewed folds minus control", left, "difference"),
    ]
    return measured(items, items, f"cut: {left['cut']}", int(left["n_groups"]))


def _tasks(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table = evidence.table("task_aggregation")
    if table is None:
        return not_available("the experiment task_aggregation is switched off in this study")
    rows = table.set_index("average")
    aupr, aucnpr = rows.loc["mean AUPR"], rows.loc["mean AUCNPR"]
    differs, share = aupr["best"] != aucnpr["best"], 100 * aucnpr["differs"]
    item = Item("resamples in which the best flow differs", share, n=int(aucnpr["n_tasks"]))
    verdict = Verdict.UNDECIDED
    if differs and share >= OFTEN:
        verdict = Verdict.SUPPORTS
    elif not differs and share <= SELDOM:
        verdict = Verdict.CONTRADICTS
    return Finding(verdict, [item], f"best by mean AUPR: {aupr['best']}; by mean AUCNPR: {aucnpr['best']}")


def _same_data(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table, tasks = evidence.table("refitting_table_3"), evidence.table("tasks")
    if table is None or "uw-cse" not in set(tasks["task_id"]):
        return not_available(
            "UW-CSE is not part of this study: studies/uw-cse.yaml, with the folder of its facts"
        )
    task = tasks.set_index("task_id").loc["uw-cse"]
    own = table[table["ratio"] == "original"]
    best = own.loc[own["aupr_original"].idxmax()]
    items = [
        Item("prevalence", task["prevalence"], n=int(task["n_rows"])),
        Item("AUCPR on the original test set", best["aupr_original"], n=int(task["n_rows"])),
    ]
    note = f"SAYU itself is not available; the best learner here is {best['flow_name']}, all in refitting_table_3.csv"
    return Finding(Verdict.SAME_DATA_OTHER_LEARNER, items, note)


JUDGES: dict[str, Judge] = {
    "B-tab3-data": _same_data,
    "B-tab3-var": _less_variation,
    "B-tab3-var-here": _of_claims(_less_variation_here),
    "B-tab3-twice": _twice,
    "B-tab3-twice-here": _of_claims(_twice_here),
    "B-tab3-trend": _trend,
    "B-tab3-trend-here": _of_claims(_trend_here),
    "B-optimistic": of_nearest_ratio(_optimistic),
    "B-folds": _folds,
    "B-tasks": _tasks,
}
