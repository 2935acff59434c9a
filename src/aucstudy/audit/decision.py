"""What choosing by an area does to data of a size, prevalence and margin, in the sentences that the audit prints."""

import math
from functools import cache
from pathlib import Path

import pandas as pd
from jinja2 import PackageLoader

from aucstudy.area_names import AREA_LABELS
from aucstudy.errors import InputError
from aucstudy.experiments.decision_rule import (
    MATTERS,
    WORDS,
    evidence_at,
    preferences,
    safest_area,
    swaps_at,
    that_matter,
)
from aucstudy.presentation.wording import text_templates
from aucstudy.store.tables import read_table

# decision.csv of the default study, so that the rule works without a study; docs/making/choosing.py copies it
EVIDENCE = Path(__file__).with_name("evidence.csv")
SENTENCES = PackageLoader("aucstudy.audit", ".")
NAMES = {"LABELS": AREA_LABELS, "WORDS": WORDS, "MATTERS": MATTERS}


@cache
def evidence() -> pd.DataFrame:
    return read_table(EVIDENCE)


def decide(n_positive: int, prevalence: float, margin: float | None, table: pd.DataFrame) -> str:
    return " ".join(decision_sentences(n_positive, prevalence, margin, table))


def decision_sentences(
    n_positive: int, prevalence: float, margin: float | None, table: pd.DataFrame
) -> list[str]:
    """How probable a swap is, how probable that it is real, what it costs, and which area to use; or that none knows.

    `margin` is AUPR of the best model less that of the next, where it is known; `table` is decision.csv.
    """
    if not n_positive >= 1 or not math.isfinite(n_positive):
        raise InputError(f"{n_positive} positives; a whole number from 1 on is wanted")
    if not 0 < prevalence < 1:
        raise InputError(f"prevalence {prevalence}; a number between 0 and 1 is wanted")
    if margin is not None and not 0 <= margin <= 1:
        raise InputError(f"margin {margin}; a difference of two AUPR, from 0 to 1, is wanted")
    words = worded()
    costs, use, worth, real, power = (
        evidence_at(table, quantity, n_positive, prevalence)
        for quantity in ("cost", "use", "worth", "p_real", "power")
    )
    if costs.empty:
        return [words.outside(n_positive, prevalence, table[table["quantity"] == "cost"])]
    swaps = swaps_at(table, n_positive, prevalence, margin)
    clear, silent = preferences(use, worth)
    cost = words.cost(costs.loc[costs["high"].idxmax()], that_matter(costs), *safest_area(costs))
    n_tasks = use.loc[use["first"] != "random", "n"].max()
    sentences = words.swap(swaps), words.real(real, power), cost, words.use(n_tasks, clear, silent)
    return [sentence for sentence in sentences if sentence]


@cache
def worded():
    """The macros of decision.j2, as functions."""
    return text_templates(SENTENCES).get_template("decision.j2", globals=NAMES).module
