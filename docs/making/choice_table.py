"""README's table of what selection by AUROC instead of AP gains if positives are naturally rare."""

import pandas as pd
from committed import Tables, committed
from few import entry

from aucstudy.wording import markdown_table, selected, single

TABLE = "few_positives"
TARGETS = {
    ("f1", "same"): "F1, threshold set on the rows that selected the model",
    ("f1", "other"): "F1, threshold set on other rows",
    ("f1", "crossed"): "F1, threshold set by cross-fitting",
    ("precision@P", "hindsight"): "precision among the highest scores (as many rows as there are positives)",
}
# The keys are the numbers of positives in the columns of the table. The values are the positives of a sample,
# and whether one sample or both samples of a pair select the model.
POSITIVES = {10: (10, "one"), 20: (10, "both"), 30: (30, "one"), 60: (30, "both")}
# If the threshold is set on other rows, only one sample of the pair is left to select the model.
# Cross-fitting needs both samples.
SAMPLES = {"other": "one", "crossed": "both"}
POOLED = 0.0  # This prevalence stands for all bands of prevalence together.


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
    """Return how much more of the target metric AUROC's model has on new rows than another metric's model.

    Both models are selected on one sample with so many positives, or on both samples of a pair. The row has
    estimate, low, high and n_groups, which is the number of source groups. The interval is simultaneous for
    all rows of the study's table with the same target metric, candidates and outcomes.
    """
    rows = selected(
        tables(study, TABLE), candidates=candidates, outcomes=outcomes, prevalence=prevalence, positives=positives,
        chosen_on=chosen_on, target=target, threshold=threshold, selected_by=metric,
    )  # fmt: skip
    row = single(rows, f"{study}, {TABLE}.csv, {metric}, {target}, {threshold}, {positives} positives")
    return _turned(row.rename({"difference": "estimate"}))


def _turned(row: pd.Series) -> pd.Series:
    """Return the difference with its sign changed."""
    ends = {"estimate": -row["estimate"], "low": -row["high"], "high": -row["low"]}
    return pd.Series({**ends, "n_groups": row["n_groups"]}, dtype=object)


def choices(
    metric: str = "average_precision", tables: Tables = committed
) -> dict[tuple[str, str, int], pd.Series]:
    """Return the differences of the table by target metric, threshold and number of positives."""
    return {
        (*target, n): auroc_over(metric, *target, positives, tables, chosen_on=chosen_on)
        for target in TARGETS
        for n, (positives, chosen_on) in POSITIVES.items()
        if SAMPLES.get(target[1], chosen_on) == chosen_on
    }


def choice_table(rows: dict[tuple[str, str, int], pd.Series]) -> str:
    """Return the table in Markdown, with the differences in points as `signed_points` writes them."""
    lines = [
        [words, *(signed_points(rows[*target, n]) if (*target, n) in rows else "–" for n in POSITIVES)]
        for target, words in TARGETS.items()
    ]
    return markdown_table(["target metric on new data", *(f"{n} positives" for n in POSITIVES)], lines)


def signed_points(row: pd.Series) -> str:
    """Return a difference in points with its interval, in bold if the interval does not contain 0."""
    return entry(pd.DataFrame([row]), "estimate")
