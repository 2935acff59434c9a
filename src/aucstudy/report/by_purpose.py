"""Which area should choose a model, by what is wanted of it: the rule for a cell, and the cells of one study.

An area whose interval of worth minus that of AUROC's choice lies above 0 is named, of several the one that gains most;
AUROC is named where those of all other areas lie below 0; else any area will do but those shown to be worse. Cells of
fewer than 15 source groups are left out, and the intervals of a table hold together.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.stats import t

from aucstudy.area_names import ANY
from aucstudy.experiments.rare import CHOOSERS, MARGIN, RANDOM, REFERENCE, WANT_LABELS

AREAS = ("aupr", "auprg", "average_precision")
FEWEST_GROUPS, LEVEL = 15, 0.95
CELL = ["study", "prevalence", "positives", "n_models", "want"]
UTILITIES = {
    "f1": "F1", "f2": "F2", "recall_at_90": "recall at precision .9", "precision_at_p": "precision of the first P",
    "accuracy": "accuracy", "minus_cost": "low expected cost",
}  # fmt: skip


def by_purpose(table: Callable[[str], pd.DataFrame | None]) -> pd.DataFrame:
    """What `decided` says of a study's cells, a row each: `want`, and `data`, the tasks or the share of positives.

    From rare.csv the cells of the fewest positives and most models, else those of selection.csv judged on halves.
    """
    rare, selection = table("rare"), table("selection")
    if rare is not None and len(rare):
        rows = jointly(rare)
        rows = rows[
            (rows["positives"] == rows["positives"].min()) & (rows["n_models"] == rows["n_models"].max())
        ]
        data = (
            (100 * rows["prevalence"]).map("{:g} %, ".format) + rows["positives"].astype(str) + " positives"
        )
        rows = rows.assign(data=data, want=rows["want"].map(WANT_LABELS).str.replace("\n", " "))
    elif selection is not None:
        kept = (selection["design"] == "halves") & (selection["n_groups"] >= FEWEST_GROUPS)
        rows = selection[kept & selection["chooser"].isin(AREAS) & selection["utility"].isin(UTILITIES)]
        rows = rows.assign(
            data=rows["tasks"] + " (" + rows["n_tasks"].astype(str) + " tasks)",
            want=rows["utility"].map(UTILITIES),
            low=rows["simultaneous_low"],
            high=rows["simultaneous_high"],
        )
    else:
        return pd.DataFrame()
    cells = rows.groupby(["want", "data"], sort=False)
    return pd.DataFrame([{"want": want, "data": data, **decided(cell)} for (want, data), cell in cells])


def jointly(rare: pd.DataFrame) -> pd.DataFrame:
    """The rows of choosers in cells with groups enough, with intervals that hold for all with so many models."""
    kept = (
        (rare["trained"] == "thinned") & (rare["threshold"] == "best") & (rare["n_groups"] >= FEWEST_GROUPS)
    )
    rows = rare[kept & rare["chooser"].isin({*CHOOSERS} - {REFERENCE, RANDOM})]
    n_cells, freedom = rows.groupby("n_models")["chooser"].transform("size"), rows["n_groups"] - 1
    wider = t.ppf(1 - (1 - LEVEL) / 2 / n_cells, freedom) / t.ppf((1 + LEVEL) / 2, freedom)
    ends = {end: rows["difference"] + wider * (rows[end] - rows["difference"]) for end in ("low", "high")}
    return rows.assign(study="rare", **ends)[[*CELL, "chooser", "n_groups", "difference", "low", "high"]]


def decided(cell: pd.DataFrame) -> dict[str, object]:
    """The rule for one cell: the chooser, what it gains over AUROC (AUROC: over the next area), and what stays open."""
    by_chooser = cell.set_index("chooser")[["difference", "low", "high"]]
    areas = by_chooser[by_chooser.index.isin(AREAS)]
    better, worse = areas[areas["low"] > 0], areas[areas["high"] < 0]
    chooser, gain = ANY, pd.Series(np.nan, by_chooser.columns)
    if len(better):
        chooser = better["difference"].idxmax()
        gain = better.loc[chooser]
    elif len(worse) == len(areas):
        chooser = REFERENCE
        gain = -worse.loc[worse["difference"].idxmax()].rename({"low": "high", "high": "low"})
    besides = by_chooser.drop(areas.index)
    besides = besides[(besides["low"] > 0) & (besides["difference"] > areas["difference"].max())]
    return {
        "n_groups": cell["n_groups"].min(),
        "chooser": chooser,
        **gain,
        "matters": bool(gain["low"] > MARGIN),
        "worse": " ".join(worse.index),
        "open_to": areas.drop(worse.index)[["low", "high"]].abs().max(axis=None),
        "better_still": besides["difference"].idxmax() if len(besides) else "",
    }
