"""The tables over all tasks: the matrix of choosers and utilities, the primary contrast, its cause and its strata."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from aucstudy.metrics.choosing import CRITERIA, UTILITIES
from aucstudy.statistics.intervals import over_tasks
from aucstudy.statistics.simultaneous import simultaneous_intervals

REFERENCE = "auroc"
CHOOSERS = (*(name for name in CRITERIA if name != REFERENCE), "random")
PRIMARY, PRIMARY_UTILITIES = ("auprg", "aupr"), ("f1", "expected_fg1")
CONTRASTS = (PRIMARY, ("aupr", "auroc"), ("auprg", "auroc"))
# a difference inside these bounds is too small to matter
MATTERS = 0.01
RARE = 0.1
ALL, RARE_TASKS = "all", f"prevalence under {RARE:g}"
_MATRIX = (
    "design", "tasks", "chooser", "utility", "difference", "low", "high", "simultaneous_low", "simultaneous_high",
    "median", "rank_difference", "model_sd", "n_tasks", "n_groups",
)  # fmt: skip
_PRIMARY = (
    "design", "first", "second", "utility", "difference", "low", "high", "simultaneous_low", "simultaneous_high",
    "median", "first_better", "second_better", "n_tasks", "n_groups", "verdict",
)  # fmt: skip
_VARIANCE = (
    "first",
    "second",
    "utility",
    "quantity",
    "difference",
    "low",
    "high",
    "n_tasks",
    "n_groups",
    "cause",
)
_STRATA = (
    "stratification",
    "stratum",
    "first",
    "second",
    "utility",
    "difference",
    "low",
    "high",
    "n_tasks",
    "n_groups",
)


def differences(chosen: pd.DataFrame, design: str, first: str, second: str) -> pd.DataFrame:
    """Worth of the first chooser's model minus that of the second's: a row a task, with its source group."""
    of = chosen[chosen["design"] == design].set_index("task_id")
    a, b = (of[of["chooser"] == name] for name in (first, second))
    numbers = [name for name in of if name.removeprefix("rank_") in UTILITIES]
    return (a[numbers] - b[numbers]).assign(source_group=a["source_group"])


def _jointly(values: np.ndarray, groups: np.ndarray, resamples: int, seed: int) -> Iterator[dict]:
    """The columns of each of the k means of (n, k) values: with its own interval, and with one that all share."""
    joint = simultaneous_intervals(values, groups, resamples, seed)
    for k, column in enumerate(values.T):
        yield {
            **over_tasks(column, groups, name="difference"),
            "simultaneous_low": joint.low[k],
            "simultaneous_high": joint.high[k],
            "median": np.nanmedian(column) if np.isfinite(column).any() else np.nan,
        }


def matrix_table(chosen: pd.DataFrame, models: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """Each chooser against AUROC by each utility, on all tasks and on those of low prevalence.

    Returns
    -------
    One row a design, set of tasks, chooser and utility: mean `difference` to the model that AUROC chooses, its 95 %
    interval, the interval that holds for all choosers and utilities of the design and tasks at once, the `median`
    over tasks, `rank_difference` (mean difference of the share of models that are beaten) and `model_sd` (median over
    tasks of the utility's standard deviation over the models, on halves).
    """
    rare = set(models.loc[models["prevalence"] < RARE, "task_id"])
    rows = []
    for design in ("halves", "folds"):
        for name in (ALL, RARE_TASKS):
            of = {chooser: differences(chosen, design, chooser, REFERENCE) for chooser in CHOOSERS}
            if name == RARE_TASKS:
                of = {chooser: each[each.index.isin(rare)] for chooser, each in of.items()}
            tasks = of[CHOOSERS[0]]
            if tasks.empty:
                continue
            spread = models.set_index("task_id").loc[tasks.index]
            values = np.hstack([each[list(UTILITIES)].to_numpy() for each in of.values()])
            cells = [(chooser, utility) for chooser in CHOOSERS for utility in UTILITIES]
            means = _jointly(values, tasks["source_group"].to_numpy(), resamples, seed)
            for (chooser, utility), mean in zip(cells, means, strict=True):
                facts = {"design": design, "tasks": name, "chooser": chooser, "utility": utility, **mean}
                facts["rank_difference"] = of[chooser][f"rank_{utility}"].mean()
                rows.append({**facts, "model_sd": spread[f"sd_{utility}"].median()})
    return pd.DataFrame(rows, columns=list(_MATRIX))


def primary_table(chosen: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """AUPRG's choice against AUPR's in F1 and E[FG1], with intervals that hold for both, and the verdict.

    Returns
    -------
    One row a design and utility: also `first_better` and `second_better`, the share of tasks in which either choice is
    worth more on average. The verdict is on both utilities of the design.
    """
    rows = []
    for design in ("halves", "folds"):
        tasks = differences(chosen, design, *PRIMARY)
        if tasks.empty:
            continue
        values = tasks[list(PRIMARY_UTILITIES)].to_numpy()
        means = list(_jointly(values, tasks["source_group"].to_numpy(), resamples, seed))
        said = verdict(*([mean[f"simultaneous_{end}"] for mean in means] for end in ("low", "high")))
        for utility, mean in zip(PRIMARY_UTILITIES, means, strict=True):
            shares = {
                "first_better": (tasks[utility] > 0).mean(),
                "second_better": (tasks[utility] < 0).mean(),
            }
            names = dict(zip(("design", "first", "second"), (design, *PRIMARY), strict=True))
            rows.append({**names, "utility": utility, **mean, **shares, "verdict": said})
    return pd.DataFrame(rows, columns=list(_PRIMARY))


def verdict(low: list[float], high: list[float]) -> str:
    """What the intervals of the primary utilities say of the first choice; the rule stands in the room's declaration.

    >>> verdict([-0.006, -0.004], [-0.001, 0.001]), verdict([-0.02, 0.01], [-0.01, 0.02])
    ('worse, too small to matter', 'undecided')
    """
    if not np.isfinite([*low, *high]).all():
        return "undecided"
    better = max(low) > 0 and min(high) >= 0
    worse = min(high) < 0 and max(low) <= 0
    small = min(low) > -MATTERS and max(high) < MATTERS
    said = [("better", better), ("worse", worse), ("too small to matter", small)]
    return ", ".join(words for words, holds in said if holds) or "undecided"


def variance_table(chosen: pd.DataFrame) -> pd.DataFrame:
    """Whether the primary contrast shrinks with more choosing rows, and what is left of it in the limit.

    Returns
    -------
    One row a utility and quantity: the difference on `quarters` and on `halves`, `shrinks` (the first minus the second)
    and `limit` (twice the second minus the first), each with its 95 % interval; `cause` as the declaration defines it.
    """
    by_rows = {design: differences(chosen, design, *PRIMARY) for design in ("quarters", "halves")}
    groups = by_rows["halves"]["source_group"].to_numpy()
    rows = []
    for utility in UTILITIES if len(groups) else ():
        few, many = (by_rows[design][utility].to_numpy() for design in ("quarters", "halves"))
        values = {"quarters": few, "halves": many, "shrinks": few - many, "limit": 2 * many - few}
        means = {quantity: over_tasks(each, groups, name="difference") for quantity, each in values.items()}
        names = {"first": PRIMARY[0], "second": PRIMARY[1], "utility": utility, "cause": cause(means)}
        rows += [{**names, "quantity": quantity, **mean} for quantity, mean in means.items()]
    return pd.DataFrame(rows, columns=list(_VARIANCE))


def cause(means: dict[str, dict[str, float]]) -> str:
    """What makes the difference: `variance`, `target`, both, or undecided."""
    excludes = {name: mean["low"] > 0 or mean["high"] < 0 for name, mean in means.items()}
    same_sign = means["shrinks"]["difference"] * means["quarters"]["difference"] > 0
    said = [("variance", excludes["shrinks"] and same_sign), ("target", excludes["limit"])]
    return ", ".join(words for words, holds in said if holds) or "undecided"


def agreement_table(chosen: pd.DataFrame) -> pd.DataFrame:
    """How often each chooser takes the same model on both halves: mean over tasks, with its 95 % interval."""
    halves = chosen[(chosen["design"] == "halves") & (chosen["chooser"] != "random")]
    rows = [
        {
            "chooser": chooser,
            **over_tasks(tasks["self_agreement"], tasks["source_group"], name="self_agreement"),
        }
        for chooser, tasks in halves.groupby("chooser", sort=False)
    ]
    return pd.DataFrame(rows, columns=["chooser", "self_agreement", "low", "high", "n_tasks", "n_groups"])


def strata(models: pd.DataFrame) -> dict[tuple[str, str], np.ndarray]:
    """Which tasks are in each stratum, by stratification and stratum; strata may overlap, and be empty.

    Parameters
    ----------
    models : the frame that `of_task` gives.
    """
    positives, prevalence = models["n_positive"].to_numpy(), models["prevalence"].to_numpy()
    number, margin = models["n_models"].to_numpy(), models["margin"].to_numpy()
    perfect = models["n_perfect"].to_numpy() > 0
    return {
        ("positives", "under 50"): positives < 50,
        ("positives", "50 to 200"): (positives >= 50) & (positives <= 200),
        ("positives", "over 200"): positives > 200,
        ("positives", "under 100"): positives < 100,
        ("positives", "100 or more"): positives >= 100,
        ("prevalence", "under 0.1"): prevalence < 0.1,
        ("prevalence", "0.1 to 0.3"): (prevalence >= 0.1) & (prevalence <= 0.3),
        ("prevalence", "over 0.3"): prevalence > 0.3,
        ("prevalence", "0.1 or more"): prevalence >= 0.1,
        ("models", "10 or fewer"): number <= 10,
        ("models", "11 to 29"): (number > 10) & (number < 30),
        ("models", "30 or more"): number >= 30,
        ("margin in AUPR", "under 0.001"): (margin < 0.001) & ~perfect,
        ("margin in AUPR", "0.001 to 0.01"): (margin >= 0.001) & (margin <= 0.01) & ~perfect,
        ("margin in AUPR", "over 0.01"): (margin > 0.01) & ~perfect,
        ("margin in AUPR", "a perfect model"): perfect,
    }


def strata_table(chosen: pd.DataFrame, models: pd.DataFrame) -> pd.DataFrame:
    """The contrasts between AUPR, AUPRG and AUROC on halves in each stratum that has tasks, and on all tasks."""
    within = strata(models)
    rows = []
    for first, second in CONTRASTS:
        tasks = differences(chosen, "halves", first, second)
        for (stratification, stratum), inside in {(ALL, ALL): np.ones(len(models), bool), **within}.items():
            here = tasks[tasks.index.isin(models.loc[inside, "task_id"])]
            names = {"stratification": stratification, "stratum": stratum, "first": first, "second": second}
            for utility in UTILITIES if len(here) else ():
                mean = over_tasks(here[utility], here["source_group"], name="difference")
                rows.append({**names, "utility": utility, **mean})
    return pd.DataFrame(rows, columns=list(_STRATA))
