"""Which area should choose a model, by what is wanted of it: what the rule of use says of data of a size."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import PackageLoader

from aucstudy.area_names import ANY, AREA_LABELS
from aucstudy.metrics.wants import WANTS
from aucstudy.presentation.wording import text_templates
from aucstudy.store.tables import read_table

# the rule from the committed studies, so that the audit needs none; docs/making/rule.py has it
EVIDENCE = Path(__file__).with_name("evidence.csv")
SENTENCES = PackageLoader("aucstudy.audit", ".")
NEAR = 2.0  # a cell speaks for prevalences up to so many times its own, either way
NEAR_MODELS = 3.0  # and for so many times as many models, or as few
HIGHEST = 0.5  # prevalence of the study wide
OTHERS = {"the want itself": "the want itself", "brier": "the Brier score", "log_loss": "the log loss"}
LABELS = {**AREA_LABELS, **OTHERS}


@cache
def evidence() -> pd.DataFrame:
    return read_table(EVIDENCE).fillna({"worse": "", "better_still": ""})


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
        words.outside(prevalence, n_models, table)
        if rows.empty
        else words.cell(rows.iloc[0], rows["n_groups"].max())
    )
    one = [words.one(row) for _, row in asked.iterrows()] if want else words.all(asked)
    return [
        said,
        *(one if want else [one] if len(asked) else []),
        *([words.missing(missing)] if len(rows) and missing else []),
    ]


def nearest(table: pd.DataFrame, n_positive: int, prevalence: float, n_models: int) -> pd.DataFrame:
    """The rows of the cell whose prevalence, then number of models and positives, is nearest as a ratio.

    None where the models are far more or fewer: how often areas disagree depends on their number.
    """
    far = np.abs(np.log(table["n_models"] / n_models)) > np.log(NEAR_MODELS)
    table = table[~far]
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
