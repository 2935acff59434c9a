"""The rule of use in words: what it says of one cell, and of the cells nearest to somebody's data."""

import re
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import PackageLoader

from aucstudy.area_names import AREA_LABELS
from aucstudy.choosing.surface import evidence
from aucstudy.metrics.wants import WANTS
from aucstudy.wording import text_templates

LABELS = {
    **AREA_LABELS, "auroc@.1": "AUROC up to .1", "the want itself": "the want itself", "brier": "Brier score",
    "log_loss": "log loss",
}  # fmt: skip
NEAR = 2.0  # a cell speaks for prevalences up to so many times its own, either way
NEAR_MODELS = 3.0  # and for so many times as many models
HIGHEST = 0.5  # prevalence of the study wide
FIRST_ROWS = re.compile(r"precision@([1-9]\d*)")


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
    names = {"named": named, "points": points, "HIGHEST": HIGHEST}
    templates = text_templates(PackageLoader("aucstudy.choosing", "."))
    return templates.get_template("words.j2", globals=names).module


def in_short(cell: pd.Series) -> str:
    """The rule for a cell of a table.

    >>> cell = {"outcome": "named", "chooser": "average_precision", "gain": 0.012, "low": 0.004, "high": 0.02}
    >>> in_short(pd.Series({**cell, "fragile": False}))
    'AP +1.2 (0.4 to 2.0)'
    >>> in_short(pd.Series({"outcome": "open", "worse": "aupr;auprg", "open_to": 0.017, "fragile": True}))
    'open, not AUPR, AUPRG (1.7), fragile'
    """
    return _macros().in_short(cell)


def in_words(cell: pd.Series) -> str:
    return _macros().in_words(cell)


def decision_sentences(
    n_positive: int,
    prevalence: float,
    n_models: int,
    want: str | None = None,
    *,
    trained_positives: int | None = None,
    table: pd.DataFrame | None = None,
) -> list[str]:
    """What the rule says of data of a size, for all wants or one of them.

    `trained_positives` keeps to the models that learned from the nearer number.
    """
    table = evidence() if table is None else table
    words = _macros()
    nearest_rows = nearest(table, n_positive, prevalence, n_models, trained_positives)
    if nearest_rows.empty:
        return [words.outside(prevalence, n_models, table)]
    judged = nearest_want(want, table["want"].unique()) if want else None
    if judged:
        want_rows = table[table["want"] == judged]
        rows = nearest(want_rows, n_positive, prevalence, n_models, trained_positives)
    else:
        rows = nearest_rows[nearest_rows["want"].isin(WANTS)]
    lines = [words.cell(rows if len(rows) else nearest_rows)]
    if judged != want:
        lines.append(words.other_want(want, judged))
    for _, arm in rows.groupby("trained", sort=False):
        lines.append(words.one(arm) if want else words.all(arm))
    missing = [name for name in ([judged] if judged else WANTS) if name not in set(rows["want"])]
    return [*lines, *([words.missing(missing)] if missing else [])]


def nearest_want(want: str, judged: np.ndarray) -> str:
    """The want itself where judged; of `precision@k` the nearest k as a ratio.

    >>> nearest_want("precision@250", np.array(["f1", "precision@100"])), nearest_want("f3", np.array(["f1"]))
    ('precision@100', 'f3')
    """
    counts = {name: int(match[1]) for name in judged if (match := FIRST_ROWS.fullmatch(name))}
    match = FIRST_ROWS.fullmatch(want)
    if want in judged or not match or not counts:
        return want
    return str(min(counts, key=lambda name: abs(np.log(counts[name] / int(match[1])))))


def nearest(
    table: pd.DataFrame,
    n_positive: int,
    prevalence: float,
    n_models: int,
    trained_positives: int | None = None,
) -> pd.DataFrame:
    """The rows of the nearest prevalence, of each arm those of the nearest numbers of models and of positives.

    With `trained_positives` only the arm is kept that learned from the nearer number, beside what is rare by nature. No
    rows where numbers of models differ much: how often areas disagree depends on them.
    """
    rare, natural, wide = (table[table["study"] == study] for study in ("rare", "natural", "wide"))
    if rare.empty or prevalence > NEAR * rare["prevalence"].max():
        too_far = np.abs(np.log(wide["n_models"] / n_models)) > np.log(NEAR_MODELS)
        return wide[~too_far & (wide["prevalence"] <= prevalence) & (prevalence <= HIGHEST)]
    if prevalence < rare["prevalence"].min() / NEAR or n_models > NEAR_MODELS * rare["n_models"].max():
        return rare.iloc[:0]
    rows = _closest(rare, "prevalence", prevalence)
    arms = (rows[rows["trained"] == arm] for arm in rows["trained"].unique())
    cells = [_closest(_closest(arm, "n_models", n_models), "positives", n_positive) for arm in arms]
    if trained_positives is not None:
        cells = [
            min(cells, key=lambda arm: abs(np.log(arm["n_training_positive"].median() / trained_positives)))
        ]
    band = natural.loc[natural["prevalence"] >= prevalence, "prevalence"].min()
    by_nature = _closest(natural[natural["prevalence"] == band], "positives", n_positive)
    return pd.concat([*cells, by_nature])


def _closest(rows: pd.DataFrame, axis: str, value: float) -> pd.DataFrame:
    if rows.empty:
        return rows
    return rows[rows[axis] == rows.loc[np.abs(np.log(rows[axis] / value)).idxmin(), axis]]
