"""What Boyd et al. 2012 conclude from table 3: in their own table, and measured on the tasks of the study."""

from decimal import Decimal

import numpy as np
import pandas as pd

from aucstudy.claims.verdicts import Evidence, Finding, Item, Judge, Verdict, direction, not_available
from aucstudy.published.boyd_tables import printed_table

SWITCHED_OFF = "the experiment downsampling is switched off in this study"
NO_TASK = "no task of this study is skewed enough for every ratio"


def _measured(evidence: Evidence) -> pd.DataFrame | str:
    """Rows of downsampling_claims.csv by statistic and area, or why there are none."""
    table = evidence.table("downsampling_claims")
    if table is None:
        return SWITCHED_OFF
    return table.set_index(["statistic", "area"]) if len(table) else NO_TASK


def _item(name: str, rows: pd.DataFrame, statistic: str, area: str) -> Item:
    row = rows.loc[(statistic, area)]
    return Item(name, row["estimate"], row["low"], row["high"], int(row["n_tasks"]))


def _judged(items: list[Item], margin: Item, rows: pd.DataFrame, note: str) -> Finding:
    """`holds` or `does not hold` by the interval of the margin; one source group has no interval: too few data."""
    if rows["n_groups"].max() < 2:
        return Finding(Verdict.TOO_FEW_DATA, items, f"{note}; one source group has no interval")
    return direction(items, margin, note)


def _columns(test_set: str, area: str) -> np.ndarray:
    table = printed_table(3)
    return table.loc[table["test_set"] == test_set, area].to_numpy(dtype=float)


def _less_variation(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    spread = {area: _columns("downsampled", area).std(ddof=1) for area in ("aucpr", "aucnpr")}
    items = [Item(f"{area.upper()} in table 3", value, n=7) for area, value in spread.items()]
    rows = _measured(evidence)
    note = "SD over ratios of the means at each ratio, all models on the tasks that admit every ratio"
    if isinstance(rows, str):
        margin = Item("AUPR minus AUCNPR", spread["aucpr"] - spread["aucnpr"])
        return direction(items, margin, f"arithmetic on table 3 only: {rows}")
    items += [_item(f"{name} here", rows, "SD over ratios", name.lower()) for name in ("AUPR", "AUCNPR")]
    margin = _item("AUPR minus AUCNPR here", rows, "SD over ratios", "aupr minus aucnpr")
    return _judged([*items, margin], margin, rows, note)


def _twice(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    times = _columns("downsampled", "aucnpr")[0] / _columns("original", "aucnpr")[0]
    items = [Item("table 3", times)]
    rows = _measured(evidence)
    if isinstance(rows, str):
        return direction(items, Item("margin", times - 2), f"arithmetic on table 3 only: {rows}")
    name = next(key for key, _ in rows.index if key.startswith("median of"))
    here = _item("median here", rows, name, "aucnpr")
    margin = Item("over 2", here.here - 2, here.low - 2, here.high - 2)
    note = f"{name}, over the tasks that admit every ratio; how many times depends on how skewed a task is"
    return _judged([*items, here], margin, rows, note)


def _trend(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    differences = _columns("downsampled", "aucpr") - _columns("original", "aucpr")
    items = [Item(f"difference at 1:{ratio}", differences[i]) for i, ratio in ((2, 3), (3, 4))]
    rows = _measured(evidence)
    note = "table 3 contradicts it: 1:4 lies above 1:3"
    if not isinstance(rows, str):
        steps = [key for key in rows.index if key[0].startswith("rise from") and key[1] == "aupr"]
        smallest = min(steps, key=lambda key: rows.loc[key, "estimate"])
        items.append(_item("smallest rise here", rows, *smallest))
        holds = items[-1].low > 0 and rows["n_groups"].max() > 1
        note += f"; measured on {items[-1].n} tasks here it {'holds' if holds else 'is not certain'}"
        note += f" ({smallest[0]} is smallest)"
    verdict = Verdict.DOES_NOT_COME_OUT if differences[3] > differences[2] else Verdict.HOLDS
    return Finding(verdict, items, note)


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
    "B-tab3-twice": _twice,
    "B-tab3-trend": _trend,
}
