"""Tables of estimates over tasks: a row a group and quantity, each with its 95 % interval over source groups."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from aucstudy.statistics.intervals import over_tasks


def estimated(
    tasks: pd.DataFrame,
    by: Sequence[str],
    quantities: Callable[[pd.DataFrame], Mapping[str, pd.Series | Mapping]],
    *,
    name: str = "estimate",
    column: str = "quantity",
    cut: Callable[[tuple, str], Mapping] = lambda key, quantity: {},
    facts: Callable[[pd.DataFrame], Mapping] = lambda tasks: {},
) -> pd.DataFrame:
    """One row for each group of `by` and each quantity, in order of appearance.

    `tasks` has `task_id` and `source_group`, a task at most once in a group. `quantities` maps the tasks of a group,
    indexed by task_id, to values by task_id or to a finished row. The mean stands in column `name`, the quantity in
    `column`; `cut` gives options of `over_tasks`, `facts` further columns.

    >>> tasks = pd.DataFrame({"task_id": ["a", "b"], "source_group": ["a", "b"], "area": "aupr", "gain": [1.0, 1.0]})
    >>> print(estimated(tasks, ["area"], lambda tasks: {"gain": tasks["gain"]}).to_string(index=False))
    area quantity  estimate  low  high  n_tasks  n_groups
    aupr     gain       1.0  1.0   1.0        2         2
    """
    groups = tasks.drop_duplicates("task_id").set_index("task_id")["source_group"]
    rows = []
    for key, of_key in tasks.groupby(list(by), sort=False):
        of_key = of_key.set_index("task_id")
        names = {**dict(zip(by, key, strict=True)), **facts(of_key)}
        for quantity, values in quantities(of_key).items():
            if isinstance(values, pd.Series):
                values = over_tasks(values, groups[values.index], name=name, **cut(key, quantity))
            rows.append({**names, column: quantity, **values})
    return pd.DataFrame(rows)


def with_interval(name: str, values: pd.Series, groups) -> dict[str, float]:
    """The mean over tasks as columns name, name_low and name_high, beside other means in one row."""
    mean = over_tasks(values, groups, name=name)
    return {name: mean[name], f"{name}_low": mean["low"], f"{name}_high": mean["high"]}
