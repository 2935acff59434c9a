"""README's table of what a selection metric gains or costs where positives are naturally rare."""

import pandas as pd
from committed import Tables, committed, hundredths

from aucstudy.wording import markdown_table, selected, single

TABLE = "few_positives"
TARGETS = {
    ("f1", "same"): "F1, threshold set on the rows that selected the model",
    ("f1", "other"): "F1, threshold set on as many other rows",
    ("precision@P", "hindsight"): "precision among the highest scores, as many as there are positives",
    ("net:odds", "same"): "true minus false positive rate, threshold set on the rows that selected the model",
    ("net:odds", "other"): "true minus false positive rate, threshold set on as many other rows",
}
POSITIVES = {10: "10 positives", 30: "30 positives", 0: "half of the validation set"}
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


def choice_table(metric: str = "average_precision", tables: Tables = committed) -> str:
    """The differences in points with their intervals and numbers of outcomes, in bold where 0 is excluded."""
    lines = []
    for (target, threshold), words in TARGETS.items():
        rows = [auroc_over(metric, target, threshold, positives, tables) for positives in POSITIVES]
        lines.append([words, *map(_cell, rows)])
    return markdown_table(
        ["target metric on new data", *(f"selected on {words}" for words in POSITIVES.values())], lines
    )


def _cell(row: pd.Series) -> str:
    mark = "**" if row["low"] > 0 or row["high"] < 0 else ""
    estimate, interval = hundredths(row).split(" ", 1)
    sign = "+" if float(estimate) > 0 else ""
    return f"{mark}{sign}{estimate}{mark} {interval}, n = {row['n_groups']:.0f}"
