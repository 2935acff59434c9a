"""The report's sentences on folds of unequal skew, each from the tables."""

import pandas as pd

from aucstudy.area_names import SIGNED_LABELS
from aucstudy.experiments.fold_skew.names import (
    BEYOND_AUROC,
    CHOICE,
    CLUSTERS,
    FEW_LEFT_OUT,
    MEAN,
    MEAN_MOVED,
    MEAN_NORMALISED,
    MORE_LEFT_OUT,
    MOVED,
    OTHER,
    OWN,
    POOLED,
)

NAMES = {
    POOLED: "the merged value of all folds pooled",
    MEAN: "the mean AUPR over folds",
    MEAN_NORMALISED: "the mean AUCNPR over folds",
    MEAN_MOVED: "the mean AUPR of folds moved to one prevalence",
}
MEANS = (MEAN, MEAN_NORMALISED, MEAN_MOVED)
LABELS = {**SIGNED_LABELS, MOVED: "AUPR at one prevalence"}


def number(
    row: pd.Series, name: str = "difference", digits: int = 4, scale: float = 1, plus: str = "+"
) -> str:
    """An estimate of a row with its interval in brackets, without one where a single source group allows none."""
    low, high = ("low", "high") if name == "difference" else (f"{name}_low", f"{name}_high")

    def digits_of(value: float) -> str:
        return f"{scale * value:{plus}.{digits}f}"

    interval = f" ({digits_of(row[low])} to {digits_of(row[high])})" if row[low] < row[high] else ""
    return digits_of(row[name]) + interval


def errors(table: pd.DataFrame) -> list[str]:
    """The error against the merged value, that of the control, and what is left for skew."""
    rows = table[(table["area"] == "aupr") & (table["effect"] == "error") & table["spread"].notna()]
    against = "; ".join(
        f"{number(row, 'skewed')} at spread {row['spread']:g} (control {number(row, 'control')}, "
        f"skew {number(row)})"
        for _, row in rows.iterrows()
    )
    widest = rows.loc[rows["spread"].idxmax()]
    at_widest = table[(table["cut"] == widest["cut"]) & (table["effect"] == "error")].set_index("area")
    told = [
        "Mean AUPR over folds minus the merged value, the same for a control with as many positives in each fold, the "
        f"same folds left out and equal skew, and the difference, which is skew's: {against} "
        f"({int(widest['n_tasks'])} tasks; in brackets 95 % intervals).",
        f"At spread {widest['spread']:g}, skewed folds minus control: "
        + ", ".join(f"{LABELS[area]} {number(row, digits=3)}" for area, row in at_widest.iterrows())
        + f". {100 * widest['left_out']:.0f} % of the folds there are of one class and left out of both; the mean "
        f"prevalence of those kept differs from that of all rows by {widest['prevalence_shift']:+.3f}.",
    ]
    error = table[(table["effect"] == "error") & table["spread"].notna()].set_index("area")["skewed"]
    told.append(
        "Over all spreads the error of the mean ranges from "
        + ", from ".join(
            f"{error.loc[[area]].min():+.4f} to {error.loc[[area]].max():+.4f} ({LABELS[area]})"
            for area in ("aupr", "aucnpr", MOVED)
        )
        + "."
    )
    parts = table[(table["cut"] == widest["cut"]) & (table["area"] == "aupr")].set_index("effect")
    if {FEW_LEFT_OUT, MORE_LEFT_OUT} <= set(parts.index):
        few, more = parts.loc[FEW_LEFT_OUT], parts.loc[MORE_LEFT_OUT]
        told.append(
            "The difference in AUPR there is the sum of two that may cancel, for folds without positives are left "
            "out and those kept hold more positives than all rows do: "
            f"{number(few)} in the {int(few['n_tasks'])} tasks with under 10 % of the folds left out, {number(more)} "
            f"in the {int(more['n_tasks'])} others (a division made after the numbers were seen)."
        )
    return told


def winners(table: pd.DataFrame) -> list[str]:
    """How often the best model changes, and how much of it AUROC, the negative control, does not share."""
    widest = table[table["spread"] == table["spread"].max()].set_index(["effect", "area"])
    spread = widest["spread"].iloc[0]
    changes, beyond = widest.loc["winner changes"], widest.loc[[BEYOND_AUROC]].droplevel(0)
    share = {"digits": 0, "scale": 100}
    return [
        f"At spread {spread:g} the best model by the fold mean is not the merged one's in "
        + ", ".join(
            f"{100 * row['skewed']:.0f} % ({LABELS[area]}; control {100 * row['control']:.0f} %, difference "
            f"{number(row, **share)} points)"
            for area, row in changes.iterrows()
        )
        + " of the cuts.",
        "AUROC does not depend on skew, so its share is what unequal numbers of negatives do to any area. Beyond it, "
        "skewed folds minus control change the winner by "
        + ", ".join(
            f"{number(row, digits=1, scale=100)} points ({LABELS[area]})" for area, row in beyond.iterrows()
        )
        + ".",
    ]


def averaging(advice: pd.DataFrame, table: pd.DataFrame) -> list[str]:
    """Boyd et al.'s advice: average AUCNPR, not AUPR."""
    spreads = table[table["spread"].notna()]
    widest = spreads.loc[spreads["spread"].idxmax(), "cut"]
    advice = advice.rename(columns={"gain": "difference"})
    advice = advice[(advice["cut"] == widest) & (advice["tasks"] == "all")].set_index("effect")
    change, size = advice.loc["winner changes"], advice.loc["size in model SDs"]
    better = "is better" if size["low"] > 0 else "is not clearly better"
    further = (
        "takes away more" if size["moved_gain_low"] > 0 else
        "takes away less" if size["moved_gain_high"] < 0 else
        "takes away about as much"
    )  # fmt: skip
    return [
        f"Averaging AUCNPR over the folds of {widest} {better} than averaging AUPR: the error is smaller by "
        f"{number(size, digits=2)} standard deviations of the models (of {size['aupr']:.2f}), and the best model "
        f"changes less often by {number(change, digits=1, scale=100)} points (of {100 * change['aupr']:.0f} %). "
        f"Computing each fold's AUPR at one prevalence {further}: {number(size, 'moved_gain', digits=2)} standard "
        f"deviations beyond AUCNPR, {number(change, 'moved_gain', digits=1, scale=100)} points of changed winners.",
    ]


def recommendation(table: pd.DataFrame) -> list[str]:
    """Which aggregate should be used, and the numbers behind it.

    Where one must average, the mean is used whose distance to the other half's AUPR is least on average over the cuts.
    """
    unequal, judged = _unequal(table)
    choice, distance = (
        judged[judged["effect"] == effect].set_index(["aggregate", "cut"]) for effect in (CHOICE, "distance")
    )
    means = list(MEANS)
    away = distance["estimate"].groupby(level=0).mean()
    lost = choice.loc[MEAN].loc[choice.loc[MEAN, "difference"].idxmin()]
    told = [
        "Each aggregate chose a model on one half of each fold's rows; the standard is merged AUPR of the other half, "
        "whose rows no aggregate has seen. Mean distance of the aggregate to it over "
        f"{choice.loc[POOLED].shape[0]} cuts: "
        + ", ".join(f"{away[name]:.3f} ({name})" for name in (POOLED, *means))
        + f". The winner of the mean AUPR has at worst, at {choice.loc[MEAN, 'difference'].idxmin()}, {number(lost)} "
        "of it against the winner of pooling."
    ]
    if judged["n_groups"].max() < 2:
        return [*told, "One source group allows no interval, so this study recommends no aggregate."]
    used, counts = recommended(table)
    reason = (
        "no mean is better at some cut and worse at none"
        if used == POOLED
        else "better somewhere, worse nowhere"
    )
    counted = "; ".join(f"{NAMES[mean]}: better {counts[mean][0]}, worse {counts[mean][1]}" for mean in means)
    return [
        f"Which aggregate should be used: {NAMES[used]} ({reason}). Where one must average, because the scores of the "
        f"folds' models may not be compared: {NAMES[away[means].idxmin()]}.",
        *told,
        f"Cuts where the winner has more or less of the other half's AUPR than pooling's, 95 % intervals one by one: "
        f"{counted}.",
        *_auroc(unequal),
    ]


def recommended(table: pd.DataFrame) -> tuple[str, dict[str, tuple[int, int]]]:
    """The aggregate of folds that should be used, by a rule that was stated before the numbers.

    A mean is better (worse) than pooling at a cut if the other half gives more (less) AUPR to its winner and the 95 %
    interval of the difference excludes 0. A mean that is better at some cut of unequal skew and worse at none is used
    instead of pooling, the one with the largest mean difference if there are several; else pooling.

    Parameters
    ----------
    table : fold_skew_aggregates.csv.

    Returns
    -------
    The name of the aggregate, and by mean the number of cuts at which it is better and worse than pooling.
    """
    _, judged = _unequal(table)
    choice = judged[judged["effect"] == CHOICE].set_index("aggregate")
    counts = {
        mean: (int((choice.loc[[mean], "low"] > 0).sum()), int((choice.loc[[mean], "high"] < 0).sum()))
        for mean in MEANS
    }
    winning = [mean for mean, (better, worse) in counts.items() if better and not worse]
    used = max(winning, key=lambda mean: choice.loc[[mean], "difference"].mean()) if winning else POOLED
    return used, counts


def _unequal(table: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows on folds of unequal skew that the other half judges, and those of them on AUPR."""
    unequal = table[(table["standard"] == OTHER) & (table["spread"] != 0)]
    return unequal, unequal[unequal["area"] == "aupr"]


def _auroc(table: pd.DataFrame) -> list[str]:
    """The negative control: what averaging costs an area that does not depend on skew."""
    rows = table[(table["area"] == "auroc") & (table["aggregate"] == MEAN) & table["spread"].notna()]
    if rows.empty:
        return []
    widest = rows[rows["spread"] == rows["spread"].max()].set_index("effect")
    return [
        f"The same for AUROC, the negative control, at {widest['cut'].iloc[0]}: the mean over folds is "
        f"{number(widest.loc['distance'])} further from the other half's AUROC than pooling, and its winner has "
        f"{number(widest.loc[CHOICE])} of it: what small folds cost without any skew."
    ]


def fixed_folds(table: pd.DataFrame, tasks: pd.DataFrame) -> list[str]:
    """Folds of similar rows, and the folds in which the rows were predicted."""
    rows = table[table["effect"] == "error"].set_index(["cut", "area"])
    told = []
    if CLUSTERS in rows.index:
        of = rows.loc[CLUSTERS]
        told.append(
            "Folds of similar rows (clusters) move the mean over folds, against their control: AUPR by "
            f"{number(of.loc['aupr'])} and AUROC, which skew cannot move, by {number(of.loc['auroc'])}; their rows "
            "differ by more than skew."
        )
    if OWN in rows.index:
        of = rows.loc[OWN]
        told.append(
            f"The folds in which the rows were predicted (standard deviation of their prevalence "
            f"{of['prevalence_sd'].iloc[0]:.3f}) move the mean of AUPR from the merged value by "
            f"{number(of.loc['aupr'], 'skewed')}, the control by {number(of.loc['aupr'], 'control')}, the mean of "
            f"AUROC by {number(of.loc['auroc'], 'skewed')} and {number(of.loc['auroc'], 'control')}. A fold as "
            "predicted holds one fitted model's scores, so the difference, "
            f"{number(of.loc['aupr'])} for AUPR and {number(of.loc['auroc'])} for AUROC, holds what it costs to merge "
            "the scores of several models; AUROC shows it without skew."
        )
        if of["n_groups"].iloc[0] == 1:
            told += _chance(tasks[tasks["cut"] == OWN])
    return told


def _chance(own: pd.DataFrame) -> list[str]:
    """Beside what random folds with these positives do by chance, where one task allows no interval over tasks."""
    return [
        f"{task}: own folds against the middle 95 % of random folds with as many positives: "
        + ", ".join(
            f"{LABELS[row['area']]} {row['error']:+.3f} ({row['control_low']:+.3f} to {row['control_high']:+.3f})"
            for _, row in rows.iterrows()
        )
        + "."
        for task, rows in own.groupby("task_id", sort=False)
    ]
