"""Which area should choose a model, by what is wanted of it: the rule of use, its table, and its row for given data.

The rule is for cells of prevalence, positives, number of models and want with 15 source groups or more. Intervals of
worth minus that of AUROC's choice hold for all cells with so many models at once (Bonferroni). An area whose interval
lies above 0 is named, of several the one that gains most; AUROC is named where those of all other areas lie below 0;
else any area will do but those shown to be worse. A gain matters if its interval lies above half a point.
"""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import PackageLoader

from aucstudy.area_names import AREA_LABELS
from aucstudy.metrics.wants import AREAS, WANTS
from aucstudy.presentation.wording import text_templates
from aucstudy.store.tables import read_table

# rule_table of the committed studies, so that the audit needs no study; docs/making/write.py makes it
EVIDENCE = Path(__file__).with_name("evidence.csv")
SENTENCES = PackageLoader("aucstudy.audit", ".")
REFERENCE, ANY = "auroc", "any"
FEWEST_GROUPS, MARGIN, LEVEL = 15, 0.005, 0.95
NEAR = 2.0  # a cell speaks for prevalences up to so many times its own, either way
HIGHEST = 0.5  # prevalence of the study wide
OTHERS = {"the want itself": "the want itself", "brier": "the Brier score", "log_loss": "the log loss"}
LABELS = {**AREA_LABELS, **OTHERS}
CELL = ["study", "prevalence", "positives", "n_models", "want"]
UTILITIES = {
    "f1": "f1",
    "f2": "f2",
    "recall@.9": "recall_at_90",
    "precision@P": "precision_at_p",
}  # of the study wide


@cache
def evidence() -> pd.DataFrame:
    return read_table(EVIDENCE).fillna({"worse": "", "better_still": ""})


def rule_table(rare: pd.DataFrame, wide: pd.DataFrame) -> pd.DataFrame:
    """The rule, a row a cell.

    Parameters
    ----------
    rare : rare.csv; models trained at the prevalence, at their best threshold.
    wide : as `jointly` gives it, for higher prevalences: `prevalence` is the least one, `positives` NaN.
    """
    rows = pd.concat([jointly(rare), wide], ignore_index=True)
    cells = rows.groupby(CELL, sort=False, dropna=False)
    made = [{**dict(zip(CELL, key, strict=True)), **decided(cell)} for key, cell in cells]
    return pd.DataFrame(made).round(5)


def jointly(rare: pd.DataFrame) -> pd.DataFrame:
    """The rows of choosers in cells with groups enough, with intervals that hold for all with so many models."""
    from scipy.stats import t  # here, because it takes a second and the audit does without

    kept = (
        (rare["trained"] == "thinned") & (rare["threshold"] == "best") & (rare["n_groups"] >= FEWEST_GROUPS)
    )
    rows = rare[kept & rare["chooser"].isin({*AREAS, *OTHERS} - {REFERENCE})]
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


def decision_sentences(
    n_positive: int,
    prevalence: float,
    n_models: int,
    want: str | None = None,
    table: pd.DataFrame | None = None,
) -> list[str]:
    """What the rule says of data of a size, for all wants or one of them."""
    wants = (want,) if want else WANTS
    table = evidence() if table is None else table
    rows = nearest(table, n_positive, prevalence, n_models)
    asked = rows[rows["want"].isin(wants)]
    words: Any = (
        text_templates(SENTENCES)
        .get_template("decision.j2", globals={"LABELS": LABELS, "ANY": ANY, "HIGHEST": HIGHEST})
        .module
    )
    missing = [name for name in wants if name not in set(asked["want"])]
    said = (
        words.outside(prevalence, table) if rows.empty else words.cell(rows.iloc[0], rows["n_groups"].max())
    )
    one = [words.one(row) for _, row in asked.iterrows()] if want else words.all(asked)
    return [
        said,
        *(one if want else [one] if len(asked) else []),
        *([words.missing(missing)] if len(rows) and missing else []),
    ]


def nearest(table: pd.DataFrame, n_positive: int, prevalence: float, n_models: int) -> pd.DataFrame:
    """The rows of the cell whose prevalence, then number of models and positives, is nearest as a ratio."""
    rare = table["study"] == "rare"
    rows = table[rare]
    if rows.empty or prevalence > NEAR * rows["prevalence"].max():
        rows = table[~rare]
        return rows[rows["prevalence"].between(0, prevalence) & (prevalence <= HIGHEST)]
    if prevalence < rows["prevalence"].min() / NEAR:
        return rows.iloc[:0]
    for axis, value in (("prevalence", prevalence), ("n_models", n_models), ("positives", n_positive)):
        rows = rows[rows[axis] == rows.loc[np.abs(np.log(rows[axis] / value)).idxmin(), axis]]
    return rows
