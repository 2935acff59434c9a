"""The rule of use: which area should choose a model, by what is wanted of it, from the committed studies.

The rule is for cells of prevalence, positives, number of models and want with 15 source groups or more. Intervals of
worth minus that of AUROC's choice hold for all cells with so many models at once (Bonferroni). An area whose interval
lies above 0 is named, of several the one that gains most; AUROC is named where those of all other areas lie below 0;
else any area will do but those shown to be worse. A gain matters if its interval lies above half a point.
"""

from itertools import product

import numpy as np
import pandas as pd
from committed import AREAS, REFERENCE, Study, Tables, committed
from scipy.stats import t

from aucstudy.audit.decision import ANY
from aucstudy.experiments.rare import CHOOSERS, MARGIN, RANDOM

FEWEST_GROUPS, LEVEL = 15, 0.95
CELL = ["study", "prevalence", "positives", "n_models", "want"]
# of the study wide
UTILITIES = {"f1": "f1", "f2": "f2", "recall@.9": "recall_at_90", "precision@P": "precision_at_p"}


def rule_of_use(tables: Tables = committed) -> pd.DataFrame:
    """The rule of use from the study `rare`, and from `wide` where positives are more than its commonest ones.

    A row a cell; of `wide` the prevalence is the least one, and the positives are NaN.
    """
    rare = tables("rare", "rare")
    least = rare["prevalence"].max()
    wide = Study("wide", tables).of_prevalence(least, 1)
    n_models = Study("wide", tables).table("disagreement_tasks")["n_models"].max()
    rows = []
    for (want, utility), area in product(UTILITIES.items(), AREAS):
        gain = wide.gain(area, REFERENCE, utility)
        cell = {"study": "wide", "prevalence": least, "positives": np.nan, "n_models": n_models, "want": want}
        numbers = {"difference": gain["estimate"], "low": gain["all_low"], "high": gain["all_high"]}
        rows.append({**cell, "chooser": area, "n_groups": gain["n_groups"], **numbers})
    rows = pd.concat([jointly(rare), pd.DataFrame(rows)], ignore_index=True)
    cells = rows.groupby(CELL, sort=False, dropna=False)
    made = [{**dict(zip(CELL, key, strict=True)), **decided(cell)} for key, cell in cells]
    return pd.DataFrame(made).round(5)


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
