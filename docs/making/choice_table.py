"""README's table of what a selection metric gains or costs where positives are naturally rare."""

import pandas as pd
from committed import Tables, committed, hundredths

from aucstudy.wording import markdown_table, selected, single

TABLE = "few_positives"
TARGETS = {
    ("f1", "same"): "F1, threshold set on the rows that selected the model",
    ("f1", "other"): "F1, threshold set on other rows",
    ("f1", "crossed"): "F1, threshold set by cross-fitting",
    ("precision@P", "hindsight"): "precision among the highest scores (as many rows as there are positives)",
}
# on one sample, or on both of a pair
POSITIVES = {10: (10, "one"), 20: (10, "both"), 30: (30, "one"), 60: (30, "both")}
# a threshold from other rows leaves one sample of the pair for the selection; cross-fitting needs both
SAMPLES = {"other": "one", "crossed": "both"}
POOLED = 0.0  # stands for both bands of prevalence together


def auroc_over(
    metric: str,
    target: str,
    threshold: str,
    positives: int,
    tables: Tables = committed,
    *,
    study: str = "few_natural",
    candidates: str = "today",
    outcomes: str = "all",
    prevalence: float = POOLED,
    chosen_on: str = "one",
) -> pd.Series:
    """The target metric on new rows of the model that AUROC selects, minus that of another metric's model.

    Selected on one sample of so many positives, or on `both` samples of a pair. Estimate, low, high and n_groups, the
    number of outcomes or sources of data. The interval holds for all rows of the study's table of this target metric,
    these candidates and these outcomes at once.
    """
    rows = selected(
        tables(study, TABLE), candidates=candidates, outcomes=outcomes, prevalence=prevalence, positives=positives,
        chosen_on=chosen_on, target=target, threshold=threshold, selected_by=metric,
    )  # fmt: skip
    row = single(rows, f"{study}, {TABLE}.csv, {metric}, {target}, {threshold}, {positives} positives")
    return _turned(row.rename({"difference": "estimate"}))


def _turned(row: pd.Series) -> pd.Series:
    """The difference the other way round."""
    ends = {"estimate": -row["estimate"], "low": -row["high"], "high": -row["low"]}
    return pd.Series({**ends, "n_groups": row["n_groups"]}, dtype=object)


def choices(
    metric: str = "average_precision", tables: Tables = committed
) -> dict[tuple[str, str, int], pd.Series]:
    """The differences of TARGETS by target metric, rows of the threshold, and number of positives."""
    return {
        (*target, n): auroc_over(metric, *target, positives, tables, chosen_on=chosen_on)
        for target in TARGETS
        for n, (positives, chosen_on) in POSITIVES.items()
        if SAMPLES.get(target[1], chosen_on) == chosen_on
    }


def choice_table(rows: dict[tuple[str, str, int], pd.Series]) -> str:
    """The differences in points with their intervals, in bold where 0 is excluded."""
    lines = [
        [words, *(signed_points(rows[*target, n]) if (*target, n) in rows else "–" for n in POSITIVES)]
        for target, words in TARGETS.items()
    ]
    return markdown_table(["target metric on new data", *(f"{n} positives" for n in POSITIVES)], lines)


def signed_points(row: pd.Series) -> str:
    """A difference in points with its interval, in bold where 0 is excluded."""
    mark = "**" if row["low"] > 0 or row["high"] < 0 else ""
    estimate, interval = hundredths(row).split(" ", 1)
    sign = "+" if float(estimate) > 0 else ""
    return f"{mark}{sign}{estimate}{mark} {interval}"
