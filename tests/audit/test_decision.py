"""The rule of use names an area where its interval allows, says what stays open, and takes the nearest row."""

from importlib import import_module
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aucstudy.audit.decision import EVIDENCE, decision_sentences, evidence, nearest
from aucstudy.commands.main import main
from aucstudy.metrics.wants import WANTS
from aucstudy.store.tables import table_bytes

ROOT = Path(__file__).parents[2]
NONE = (-0.01, 0.02)


@pytest.fixture
def rule(monkeypatch):
    """The module that makes the table, of docs/making."""
    monkeypatch.syspath_prepend(ROOT / "docs" / "making")
    return import_module("rule")


def cell(**ends):
    """The rows of a cell by chooser: the ends of each interval, all areas beside AUROC."""
    ends = {"aupr": NONE, "auprg": NONE, "average_precision": NONE, **ends}
    rows = [
        {"chooser": name, "difference": (a + b) / 2, "low": a, "high": b} for name, (a, b) in ends.items()
    ]
    return pd.DataFrame(rows).assign(n_groups=20)


@pytest.mark.parametrize(
    ("ends", "chooser", "matters"),
    [
        ({}, "any", False),
        ({"aupr": (0.001, 0.02)}, "aupr", False),
        ({"aupr": (0.006, 0.02)}, "aupr", True),
        ({"aupr": (0.006, 0.02), "average_precision": (0.006, 0.03)}, "average_precision", True),
        ({"aupr": (-0.02, -0.001), "auprg": (-0.03, -0.01)}, "any", False),
        (dict.fromkeys(("aupr", "auprg", "average_precision"), (-0.03, -0.006)), "auroc", True),
        ({"brier": (0.01, 0.02)}, "any", False),
    ],
)
def test_an_area_is_named_only_where_its_interval_excludes_that_auroc_is_as_good(
    rule, ends, chooser, matters
):
    made = rule.decided(cell(**ends))
    assert (made["chooser"], made["matters"]) == (chooser, matters)
    assert made["better_still"] == ("brier" if "brier" in ends else "")


def test_what_is_shown_to_be_worse_is_told_and_not_counted_as_open(rule):
    made = rule.decided(cell(auprg=(-0.09, -0.01)))
    assert (made["worse"], made["open_to"]) == ("auprg", 0.02)
    assert np.isnan(rule.decided(cell())["difference"])


def rare(**facts):
    row = {
        "trained": "thinned",
        "threshold": "best",
        "n_groups": 15,
        "difference": 0.0,
        "low": -0.01,
        "high": 0.01,
    }
    row |= {"prevalence": 0.01, "positives": 10, "n_models": 3, "want": "f1", "chooser": "aupr"}
    return row | facts


def test_intervals_are_wider_with_more_cells_and_few_groups_the_other_arm_and_random_are_left_out(rule):
    rows = [rare(), rare(n_models=10), rare(n_models=10, want="f2")]
    left_out = [{"n_groups": 14}, {"trained": "natural"}, {"threshold": "sample"}, {"chooser": "random"}]
    made = rule.jointly(pd.DataFrame([*rows, *(rare(**facts) for facts in left_out)]))
    assert made["high"].round(4).tolist() == [0.01, 0.0117, 0.0117]  # Student, 14 degrees: 2.145 and 2.510


@pytest.mark.parametrize(
    ("n_positive", "prevalence", "n_models", "place"),
    [(12, 0.012, 4, (0.01, 10, 3)), (5000, 0.15, 30, (0.1, 300, 24)), (40, 0.05, 8, (0.03, 30, 10))],
)
def test_the_cell_is_the_one_nearest_by_ratio(n_positive, prevalence, n_models, place):
    cells = product((0.01, 0.03, 0.1), (10, 30, 300), (3, 10, 24))
    table = pd.DataFrame(cells, columns=["prevalence", "positives", "n_models"]).assign(study="rare")
    row = nearest(table, n_positive, prevalence, n_models)[["prevalence", "positives", "n_models"]]
    assert [tuple(one) for one in row.to_numpy()] == [place]


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


def test_sixty_words_at_most_say_it_of_any_data_and_each_want_is_told():
    for sizes in product((5, 20, 60, 200, 5000), (0.002, 0.01, 0.03, 0.1, 0.3), (2, 8, 30)):
        said = " ".join(decision_sentences(*sizes))
        assert len(said.split()) <= 60
        words = {word.strip(",;:()").removesuffix(".") for word in said.split()}
        assert said.startswith("Not judged: ") or set(WANTS) <= words
        for want in WANTS:
            assert len(decision_sentences(*sizes, want)) == (1 if said.startswith("Not judged: ") else 2)


def test_the_evidence_is_the_rule_of_the_committed_tables(rule):
    assert EVIDENCE.read_bytes() == table_bytes(rule.rule_of_use())
    assert EVIDENCE.stat().st_size <= 100_000


def test_a_want_is_said_in_the_audit_and_an_unknown_one_refused_in_one_line(capsys):
    asked = ["audit", str(ROOT / "docs" / "predictions.csv"), "--label", "churned", "--positive", "yes"]
    assert main([*asked, "--resamples", "100", "--want", "f1", "--details"]) == 0
    assert "For f1 " in capsys.readouterr().out
    assert main([*asked, "--want", "f1@"]) == 1
    assert capsys.readouterr().err.startswith("aucstudy: want 'f1@' is not known; wanted: f1, f2, ")
