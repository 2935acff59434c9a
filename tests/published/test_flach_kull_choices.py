"""The running example prints as published, and verdicts on choices follow from the tables."""

from decimal import Decimal

import pandas as pd

from aucstudy.claims.flach_kull_choosing import JUDGES
from aucstudy.claims.verdicts import Evidence, Verdict
from aucstudy.published.values import published_values
from aucstudy.store.tables import write_table


def printed(name):
    rows = published_values().query("id == @name")
    return {row.item: Decimal(row.value) for row in rows.itertuples() if row.value}


def test_the_running_example_prints_as_in_figure_3(tmp_path):
    finding = JUDGES["FK-fig3"](Evidence(tmp_path, "packaged"), printed("FK-fig3"))
    assert finding.verdict is Verdict.EXACT
    assert {item.name for item in finding.items} == set(printed("FK-fig3"))


def test_an_identity_that_is_off_does_not_come_out(tmp_path):
    table = {
        "identity": ["theorem 1"],
        "statement": "s",
        "largest_deviation": [1e-3],
        "n_models": 2,
        "n_tasks": 1,
    }
    write_table(pd.DataFrame(table), tmp_path / "theorems.csv")
    finding = JUDGES["FK-T1"](Evidence(tmp_path, "packaged"), printed("FK-T1"))
    assert finding.verdict is Verdict.DOES_NOT_COME_OUT


def test_claims_of_experiments_that_were_not_run_are_not_available(tmp_path):
    for name, judge in JUDGES.items():
        if name != "FK-fig3":
            assert judge(Evidence(tmp_path, "packaged"), printed(name)).verdict is Verdict.NOT_AVAILABLE


def test_the_papers_own_runs_are_compared_digit_by_digit(tmp_path):
    pair = {"run_id": ["145651", "267741"], "aupr": [0.7243, 0.7731], "auprg": [0.7136, 0.6874]}
    write_table(pd.DataFrame(pair), tmp_path / "flip_pair.csv")
    judge = JUDGES["FK-fig5"]
    assert judge(Evidence(tmp_path, "openml"), printed("FK-fig5")).verdict is Verdict.REPRODUCED
    pair["auprg"] = [0.7, 0.6]
    write_table(pd.DataFrame(pair), tmp_path / "flip_pair.csv")
    assert judge(Evidence(tmp_path, "openml"), printed("FK-fig5")).verdict is Verdict.DIFFERS
