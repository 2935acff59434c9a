"""Claims of the studies of rare positives, which their rules decide."""

import pandas as pd
import pytest

from aucstudy.claims.claims import Rulebook
from aucstudy.claims.verdicts import Evidence, Verdict
from aucstudy.config import REPOSITORY, shipped_experiments
from aucstudy.store.tables import write_table

OWN = Rulebook.of_folder(REPOSITORY / "studies" / "rare_positives")


def test_every_claim_has_a_judge():
    assert set(OWN.values["id"]) == set(OWN.judges)


def rare_cells(**contradicted):
    """Return table entries of the rule aupr-f1, contradicted at the prevalences that a population names."""
    return [
        {"population": name.replace("_", " "), "rule": "aupr-f1", "prevalence": prevalence, "positives": 10.0,
         "estimate": -0.002, "low": -0.004, "high": 0.001, "n_groups": 20,
         "verdict": "contradicted" if prevalence in found else "open", "rule_verdict": "contradicted"}
        for name, found in contradicted.items() for prevalence in (0.01, 0.03, 0.1)
    ]  # fmt: skip


@pytest.mark.parametrize(("closed", "replicated"), [((0.01, 0.03), False), ((0.01, 0.1), True)])
def test_a_rule_that_fails_in_other_cells_of_the_closed_third_is_not_replicated(tmp_path, closed, replicated):
    cells = rare_cells(two_thirds=(0.1,), closed_third=closed, all=(0.1,))
    write_table(pd.DataFrame(cells), tmp_path / "rare_rules.csv")
    finding = OWN.judge("L-rare-f1", Evidence(tmp_path, ""))
    # The interval lies within half a percentage point of 0.
    assert finding.verdict is Verdict.NO_DIFFERENCE
    assert "two thirds: contradicted (10 % with 10)" in finding.note
    assert ("not replicated" in finding.note) is not replicated


def test_a_table_without_rows_is_too_few_data_and_the_page_says_why(tmp_path):
    experiments = shipped_experiments()
    write_table(
        pd.DataFrame(columns=[*experiments["rare"].columns["rare_rules"]]), tmp_path / "rare_rules.csv"
    )
    finding = OWN.judge("L-rare-f1", Evidence(tmp_path, "", experiments=experiments))
    assert finding.verdict is Verdict.TOO_FEW_DATA
    assert (
        finding.note
        == "rare_rules.csv has no row: the study has no rules, or no setting in which a rule can be tested"
    )


@pytest.mark.parametrize(
    ("claim", "intervals", "verdict"),
    [
        ("L-net", {"middle-alike": (0.001, 0.004), "auroc-balanced": (-0.02, 0.004)}, Verdict.SUPPORTS),
        ("L-net", {"middle-alike": (0.001, 0.004), "auroc-balanced": (0.006, 0.009)}, Verdict.CONTRADICTS),
        ("L-net", {"middle-alike": (0.001, 0.009), "auroc-balanced": (0.001, 0.009)}, Verdict.UNDECIDED),
        ("L-events", {"prevalence-still": (0.001, 0.004), "positives-move": (-0.003, -0.001)}, Verdict.SUPPORTS),
        ("L-events", {"prevalence-still": (0.006, 0.009), "positives-move": (-0.003, -0.001)}, Verdict.CONTRADICTS),
        ("L-events", {"prevalence-still": (0.001, 0.004), "positives-move": (0.006, 0.009)}, Verdict.CONTRADICTS),
        ("L-events", {"prevalence-still": (0.001, 0.004), "positives-move": (0.001, 0.004)}, Verdict.UNDECIDED),
    ],
)  # fmt: skip
def test_a_claim_of_two_rules_is_decided_as_its_rule_says(tmp_path, claim, intervals, verdict):
    cells = [
        {"population": "all", "rule": rule, "prevalence": 0.01, "positives": 10.0, "estimate": (low + high) / 2,
         "low": low, "high": high, "n_groups": 20, "verdict": "open", "rule_verdict": "open"}
        for rule, (low, high) in intervals.items()
    ]  # fmt: skip
    write_table(pd.DataFrame(cells), tmp_path / "rare_rules.csv")
    assert OWN.judge(claim, Evidence(tmp_path, "")).verdict is verdict
