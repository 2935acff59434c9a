"""How the rule reads its table: what holds for data of a size, prevalence and margin.

A module of its own, because `aucstudy audit` reads the table too and draws nothing of the study.
"""

import pandas as pd

from aucstudy.area_names import DISTINCT_AREAS

# a difference of a utility or of an area inside these bounds is too small to matter
MATTERS = 0.01
# what a practitioner may want of a model, as `selection` judges it
WORDS = {
    "f1": "F1", "f2": "F2", "f05": "F.5", "recall_at_90": "recall at precision .9",
    "precision_at_p": "precision among the first P rows", "minus_cost": "expected cost saved", "accuracy": "accuracy",
}  # fmt: skip
AXES = ("positives", "prevalence", "margin")


def evidence_at(
    table: pd.DataFrame, quantity: str, n_positive: float, prevalence: float, margin: float | None = None
) -> pd.DataFrame:
    """The rows of a quantity in whose bands the data lie; with a margin, those of bands of margins only.

    A value on the boundary of two bands belongs to the upper one, the end of the last to the last.
    """
    rows = table[table["quantity"] == quantity]
    rows = rows[rows["margin_from"].notna() == (margin is not None)]
    for axis, value in zip(AXES, (n_positive, prevalence, margin), strict=True):
        low, high = rows[f"{axis}_from"], rows[f"{axis}_to"]
        if value is not None:
            last = high == high.max()
            rows = rows[low.isna() | ((low <= value) & ((value < high) | (last & (value == high))))]
    return rows


def swaps_at(table: pd.DataFrame, n_positive: int, prevalence: float, margin: float | None) -> pd.DataFrame:
    """The rows `p_swap` of the margin, where it is known and has tasks, else of the size and prevalence.

    Bands of margins are of tasks of all prevalences: they are no evidence at one that none of the tasks has.
    """
    sized = evidence_at(table, "p_swap", n_positive, prevalence)
    if margin is None or sized.empty:
        return sized
    of_margin = evidence_at(table, "p_swap", n_positive, prevalence, margin)
    return sized if of_margin.empty else of_margin


def that_matter(costs: pd.DataFrame) -> pd.DataFrame:
    return costs[costs["verdict"] == "matters"].sort_values("high", ascending=False)


def safest_area(costs: pd.DataFrame) -> tuple[str, float]:
    """The area whose own largest cost is the smallest, and that cost."""
    largest = costs.groupby("first")["high"].max().reindex(list(DISTINCT_AREAS)).dropna()
    return largest.idxmin(), largest.min()


def preferences(use: pd.DataFrame, worth: pd.DataFrame | None = None) -> tuple[pd.DataFrame, list[str]]:
    """The rows `use` of areas that are sure or a hint, and the utilities for which there is none.

    A preference that `worth`, the rows of a size, shows to be too small to matter is none.
    """
    keys = ["first", "second", "judged_by"]
    areas = use[use["first"] != "random"]
    clear = areas["verdict"] != "nothing"
    if worth is not None:
        worth = worth.set_index(keys)
        small = worth.index[worth[["low", "high"]].abs().max(axis=1) < MATTERS]
        clear &= ~areas.set_index(keys).index.isin(small)
    silent = set(areas["judged_by"]) - set(areas.loc[clear, "judged_by"])
    return areas[clear], [WORDS[name] for name in WORDS if name in silent]
