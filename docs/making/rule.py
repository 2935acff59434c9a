"""The rule of use: which area should select a model, by target metric, from the committed studies.

studies/rare_positives/choosing.py has the rule for a cell; limits hold for all cells of a study at once.
"""

from itertools import product

import numpy as np
import pandas as pd
from committed import Study, Tables, committed
from scipy.stats import t

from aucstudy.config import STUDIES
from aucstudy.metrics.target_metrics import TARGET_METRICS
from aucstudy.study_folder.modules import import_file
from aucstudy.wording import selected

choosing, choosing_words, natural, rare, rare_surface = (
    import_file(STUDIES / "rare_positives" / f"{name}.py")
    for name in ("choosing", "choosing_words", "natural", "rare", "rare_surface")
)
AREAS, EVERY, FEWEST_GROUPS = choosing.AREAS, rare_surface.EVERY, rare_surface.FEWEST_GROUPS
BEST, CROSSED, NATURAL, REFERENCE = rare.BEST, rare.CROSSED, rare.NATURAL, rare.REFERENCE

# of the study wide
BLOCK = ["trained", "threshold"]
UTILITIES = {"f1": "f1", "f2": "f2", "recall@.9": "recall_at_90", "precision@P": "precision_at_p"}


def rule_of_use(tables: Tables = committed) -> pd.DataFrame:
    """The rule of use from the studies `rare` and `natural`, and from `wide` above the commonest positives of `rare`.

    A row a cell; of `wide` the prevalence is the least one, and the positives are NaN. `natural` has bands of
    prevalence by their upper ends.
    """
    surface = tables("rare", "rare_surface")
    least = surface["prevalence"].max()
    wide = Study("wide", tables).of_prevalence(least, 1)
    cell = {
        "study": "wide", "n_models": Study("wide", tables).table("disagreement_tasks")["n_models"].max(),
        "trained": NATURAL, "learned": EVERY, "prevalence": least, "positives": np.nan, "threshold": BEST,
        "status": rare_surface.EXPLORATORY,
    }  # fmt: skip
    rows = []
    for (target, utility), area in product(UTILITIES.items(), AREAS):
        gain = wide.gain(area, REFERENCE, utility)
        numbers = {"difference": gain["estimate"], "low": gain["all_low"], "high": gain["all_high"]}
        rows.append({**cell, "target": target, "selected_by": area, "n_groups": gain["n_groups"], **numbers})
    # bands of positives learned from are families of their own, and no page shows them
    shown = surface[surface["learned"] == EVERY]
    parts = [choosing.judged(shown), natural_cells(tables), choosing.cells_of(pd.DataFrame(rows))]
    return pd.concat(parts, ignore_index=True).round(5)


def natural_cells(tables: Tables = committed) -> pd.DataFrame:
    """The cells of the study `natural` for models chosen on samples, a row a band of prevalence."""
    surface = tables("natural", "natural_surface")
    shown = surface[(surface["learned"] == EVERY) & (surface["trained"] == NATURAL)]
    shown = shown[(shown["prevalence"] != natural.POOLED) & (shown["positives"] != natural.WHOLE)]
    return choosing.judged(shown.assign(trained=choosing.BY_NATURE), "natural")


def blocks(tables: Tables = committed) -> pd.DataFrame:
    """How often an area is named, or differs significantly from AUROC, and how often it was by the former rule.

    A row a block of the study `rare`, an arm at a threshold, all models. The columns `before_*` are of the former rule:
    the intervals of rare.csv with Bonferroni's correction within the block, for the target metrics and thresholds that
    were judged then.
    """
    judged_cells = _all_models(tables("rare", "rare_surface").query("learned == 'all' and family == 'areas'"))
    before = _bonferroni(_all_models(tables("rare", "rare")))
    made = []
    for key, rows in judged_cells.groupby(BLOCK, sort=False):
        former = selected(before, **dict(zip(BLOCK, key, strict=True)))
        named = choosing.judged(rows).query("outcome == 'named'")["selected_by"]
        counts = {"n_cells": len(rows) // len(AREAS), **_significant(rows)}
        counts |= {
            "auroc": (named == REFERENCE).sum(),
            "average_precision": (named == "average_precision").sum(),
        }
        cells = former.groupby(["prevalence", "positives", "target"])
        of_areas = former[former["selected_by"].isin(AREAS)]
        formerly = {
            "n_cells": cells.ngroups, **_significant(of_areas),
            "auroc": (of_areas.groupby(["prevalence", "positives", "target"])["high"].max() < 0).sum(),
            "average_precision": (_leading(of_areas) == "average_precision").sum(),
        }  # fmt: skip
        made.append(
            dict(zip(BLOCK, key, strict=True)) | counts | {f"before_{k}": n for k, n in formerly.items()}
        )
    return pd.DataFrame(made)


def _all_models(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["n_models"] == rows["n_models"].max()]


def _bonferroni(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the former rule, with Student's intervals widened for all cells and metrics of a block at once."""
    kept = rows["target"].isin(TARGET_METRICS) & (
        (rows["threshold"] == BEST) | rows["target"].isin(("f1", "f2"))
    )
    kept &= rows["selected_by"].isin((*AREAS, rare.ITSELF, *rare.PROPER)) & (
        rows["n_groups"] >= FEWEST_GROUPS
    )
    rows = rows[kept & (rows["trained"] != CROSSED)]
    n_cells, freedom = rows.groupby(BLOCK)["selected_by"].transform("size"), rows["n_groups"] - 1
    wider = t.ppf(1 - 0.025 / n_cells, freedom) / t.ppf(0.975, freedom)
    return rows.assign(
        **{end: rows["difference"] + wider * (rows[end] - rows["difference"]) for end in ("low", "high")}
    )


def _leading(rows: pd.DataFrame) -> pd.Series:
    """The area that gains most of those above AUROC in each cell that has one."""
    above = rows[rows["low"] > 0].reset_index()
    best = above.groupby(["prevalence", "positives", "target"])["difference"].idxmax()
    return above.loc[best, "selected_by"]


def _significant(rows: pd.DataFrame) -> dict[str, int]:
    return {
        f"{area}_{word}": int((rows["selected_by"] == area)[beyond].sum())
        for area in ("aupr", "auprg")
        for word, beyond in (("better", rows["low"] > 0), ("worse", rows["high"] < 0))
    }
