"""The rule of use names an area where its interval allows, says what stays open, and takes the nearest row."""

from importlib import import_module
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

from aucstudy.choosing.surface import EVIDENCE, evidence
from aucstudy.choosing.words import decision_sentences, nearest
from aucstudy.commands.main import main
from aucstudy.metrics.wants import WANTS
from aucstudy.store.tables import table_bytes

ROOT = Path(__file__).parents[2]


@pytest.fixture
def rule(monkeypatch):
    """The module that makes the table, of docs/making."""
    monkeypatch.syspath_prepend(ROOT / "docs" / "making")
    return import_module("rule")


def cells(**axes):
    """A table of cells of the study `rare`, of every combination of the axes."""
    facts = {"study": "rare", "learned": "all", "trained": "thinned", "threshold": "best", "want": "f1"}
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


def test_models_that_learned_from_the_nearer_number_of_positives_are_kept_to():
    few = cells().assign(n_training_positive=50)
    many = cells(trained=("natural",)).assign(n_training_positive=600)
    table = pd.concat([few, many], ignore_index=True)
    assert set(nearest(table, 10, 0.01, 3, 40)["trained"]) == {"thinned"}
    assert set(nearest(table, 10, 0.01, 3, 4000)["trained"]) == {"natural"}
    assert set(nearest(table, 10, 0.01, 3)["trained"]) == {"thinned", "natural"}


def test_both_arms_and_both_thresholds_are_said_where_the_training_is_not():
    said = " ".join(decision_sentences(30, 0.03, 24, "f1"))
    assert said.count("Models trained at ") == 2
    assert said.count("Models of today, outcomes of up to 5 % by nature") == 1
    assert said.count("with the best threshold") == said.count("set on the same rows") == 3
    few = " ".join(decision_sentences(30, 0.03, 24, "f1", trained_positives=40))
    assert "at such a share" in few
    assert "at a higher share" not in few


def test_of_another_number_of_first_rows_the_nearest_that_was_judged_is_said():
    said = decision_sentences(30, 0.1, 24, "precision@250")
    assert said[1] == "Not precision@250 but precision@100 was judged, the nearest."
    assert "precision@100" in said[2]
    assert decision_sentences(30, 0.1, 24, "recall@.8")[-1] == "Not judged there: recall@.8."


def test_above_the_commonest_prevalence_the_study_wide_speaks_and_beyond_the_ends_nothing_does():
    assert set(nearest(evidence(), 50, 0.3, 30)["study"]) == {"wide"}
    for prevalence in (0.0001, 0.9):
        (said,) = decision_sentences(50, prevalence, 5)
        assert said.startswith(f"Not judged: 5 models at prevalence {prevalence}; judged are ")


@pytest.mark.parametrize("n_models", [2, 5, 9, 91, 1000])
def test_who_compares_few_models_is_told_nothing_of_tasks_with_thirty(n_models):
    """Above prevalence .2 all that was judged had 30 models."""
    (said,) = decision_sentences(50, 0.3, n_models)
    assert said.startswith(f"Not judged: {n_models} models at prevalence 0.3; ")


def test_each_want_is_told_of_any_data():
    for n_positive, prevalence in product((5, 20, 60, 200, 5000), (0.002, 0.01, 0.03, 0.1, 0.3)):
        for want in WANTS:
            told = " ".join(decision_sentences(n_positive, prevalence, 8, want))
            assert told.startswith("Not judged: ") or want in told


def test_the_evidence_is_the_rule_of_the_committed_tables(rule):
    assert EVIDENCE.read_bytes() == table_bytes(rule.rule_of_use())


def test_a_want_is_said_in_the_audit_and_an_unknown_one_refused_in_one_line(capsys):
    asked = ["audit", str(ROOT / "docs" / "predictions.csv"), "--label", "churned", "--positive", "yes"]
    assert main([*asked, "--resamples", "100", "--want", "f1", "--details"]) == 0
    assert " for f1 " in capsys.readouterr().out
    assert main([*asked, "--want", "f1@"]) == 1
    assert capsys.readouterr().err.startswith("aucstudy: want 'f1@' is not known; wanted: f1, f2, ")
