"""The rule of use takes the nearest row and says both ways of training and both thresholds."""

from importlib import import_module
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

from studies.rare_positives.choosing_words import decision_sentences, nearest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def rule(monkeypatch):
    """The module that makes the table, of docs/making."""
    monkeypatch.syspath_prepend(ROOT / "docs" / "making")
    return import_module("rule")


def cells(**axes):
    """A table of cells of the study `rare`, of every combination of the axes."""
    facts = {"study": "rare", "learned": "all", "trained": "thinned", "threshold": "best", "target": "f1"}
    axes = {"prevalence": (0.01, 0.03, 0.1), "positives": (10, 30, 300), "n_models": (3, 10, 24)} | axes
    return pd.DataFrame(product(*axes.values()), columns=[*axes]).assign(
        **{name: value for name, value in facts.items() if name not in axes}
    )


@pytest.mark.parametrize(
    ("n_positive", "prevalence", "n_models", "expected"),
    [(12, 0.012, 4, (0.01, 10, 3)), (5000, 0.15, 30, (0.1, 300, 24)), (40, 0.05, 8, (0.03, 30, 10))],
)
def test_the_cell_is_the_one_nearest_by_ratio(n_positive, prevalence, n_models, expected):
    row = nearest(cells(), n_positive, prevalence, n_models)[["prevalence", "positives", "n_models"]]
    assert [tuple(one) for one in row.to_numpy()] == [expected]


def test_each_arm_has_its_own_nearest_number_of_models():
    table = pd.concat([cells(), cells(trained=("natural",), n_models=(24,))], ignore_index=True)
    rows = nearest(table, 12, 0.01, 3)
    assert dict(zip(rows["trained"], rows["n_models"], strict=True)) == {"thinned": 3, "natural": 24}


def test_both_arms_and_both_thresholds_are_said(rule):
    said = " ".join(decision_sentences(30, 0.03, 24, "f1", table=rule.rule_of_use()))
    assert said.startswith("Nearest judged: prevalence 0.03, up to ")
    assert said.count("Models trained at ") == 2
    assert said.count("Models of today, outcomes of up to 5 % by nature") == 1
    assert said.count("with the best threshold") == said.count("set on the same rows") == 3
