"""The rule of use in words: what it says of the cells nearest to somebody's data."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import FileSystemLoader

from aucstudy.area_names import AREA_LABELS
from aucstudy.wording import text_templates

LABELS = {
    **AREA_LABELS, "auroc@.1": "AUROC up to .1", "the target itself": "the target metric itself",
    "brier": "Brier score", "log_loss": "log loss",
}  # fmt: skip


def points(value: float) -> str:
    """A difference in points, with one digit.

    >>> points(0.0123), points(-0.0004)
    ('1.2', '0.0')
    """
    return f"{100 * value:.1f}".replace("-0.0", "0.0")


def named(names: str) -> str:
    return ", ".join(LABELS[name] for name in names.split(";") if name)


@cache
def _macros() -> Any:
    templates = text_templates(FileSystemLoader(Path(__file__).parent))
    return templates.get_template("choosing_words.j2", globals={"named": named, "points": points}).module


def decision_sentences(
    n_positive: int, prevalence: float, n_models: int, target: str, *, table: pd.DataFrame
) -> list[str]:
    """What the rule says of data of a size: the cell that is nearest, and a sentence a way of training."""
    words = _macros()
    rows = nearest(table[table["target"] == target], n_positive, prevalence, n_models)
    return [words.cell(rows), *(words.one(arm) for _, arm in rows.groupby("trained", sort=False))]


def nearest(table: pd.DataFrame, n_positive: int, prevalence: float, n_models: int) -> pd.DataFrame:
    """The rows of the nearest prevalence, of each arm those of the nearest numbers of models and of positives."""
    rare, natural = (table[table["study"] == study] for study in ("rare", "natural"))
    rows = _closest(rare, "prevalence", prevalence)
    arms = (rows[rows["trained"] == arm] for arm in rows["trained"].unique())
    cells = [_closest(_closest(arm, "n_models", n_models), "positives", n_positive) for arm in arms]
    band = natural.loc[natural["prevalence"] >= prevalence, "prevalence"].min()
    by_nature = _closest(natural[natural["prevalence"] == band], "positives", n_positive)
    return pd.concat([*cells, by_nature])


def _closest(rows: pd.DataFrame, axis: str, value: float) -> pd.DataFrame:
    if rows.empty:
        return rows
    return rows[rows[axis] == rows.loc[np.abs(np.log(rows[axis] / value)).idxmin(), axis]]
