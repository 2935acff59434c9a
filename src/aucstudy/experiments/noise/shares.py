"""The noise experiment over all tasks: disagreement across halves, its excess, and real swaps, with intervals."""

import numpy as np
import pandas as pd

from aucstudy.statistics.intervals import over_tasks, ratio_interval


def noise_over_tasks(excess: pd.DataFrame, swaps: pd.DataFrame) -> pd.DataFrame:
    """Shares over all tasks with 95 % intervals over source groups.

    Returns
    -------
    One row a pair, top and quantity: `across`, `self_first`, `self_second`, `excess`, `of_ceiling` (the mean excess
    as a share of the largest there could be, 1 - the mean self-disagreement); for top 1 also `swap` (share of tasks
    whose best models differ for certain), `real_swap` (share of tasks whose swap is real), and `confirmed` and
    `reversed` (share of splits, over all tasks that swap, whose swap on one half holds, or is the other way round, on
    the other).
    """
    rows = []
    source_groups = excess.drop_duplicates("task_id").set_index("task_id")["source_group"]
    for (a, b, top), tasks in excess.groupby(["first", "second", "top"], sort=False):
        tasks = tasks.set_index("task_id")
        quantities = {name: tasks[name] for name in ("across", "self_first", "self_second", "excess")}
        if top == 1:
            pair = _of_pair(swaps, a, b)
            quantities["swap"] = pd.Series(tasks.index.isin(pair.index), tasks.index, dtype=float)
            quantities["real_swap"] = pair["real"].astype(float).reindex(tasks.index, fill_value=0.0)
            quantities |= {name: pair[name] for name in ("confirmed", "reversed") if len(pair)}
        for name, values in quantities.items():
            cut = {"exact": name == "real_swap" and len(pair) > 0, "share": name != "excess"}
            share = over_tasks(values, source_groups[values.index], **cut)
            question = {"first": a, "second": b, "top": top, "quantity": name}
            rows.append({**question, **share, "splits": int(tasks["splits"].max())})
            if name == "excess":
                groups = source_groups[tasks.index].to_numpy()
                ceiling = {**share, **_of_ceiling(tasks, groups)}
                rows.append({**question, "quantity": "of_ceiling", **ceiling, "splits": rows[-1]["splits"]})
    return pd.DataFrame(rows)


def _of_ceiling(tasks: pd.DataFrame, groups: np.ndarray) -> dict[str, float]:
    excess = tasks["excess"].to_numpy()
    room = 1 - (tasks["self_first"] + tasks["self_second"]).to_numpy() / 2
    return vars(ratio_interval(excess, room, groups))


def _of_pair(swaps: pd.DataFrame, a: str, b: str) -> pd.DataFrame:
    return swaps[(swaps["first"] == a) & (swaps["second"] == b)].set_index("task_id")
