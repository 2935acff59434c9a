"""The populations side by side: a row a study, nothing before they were made."""

import pandas as pd
from aucstudy.presentation.markdown import markdown_table
from aucstudy.report.readme import RULES, confirmed, populations
from aucstudy.report.side_by_side import TABLE, side_by_side

from aucstudy.store.tables import write_table

PAIRS = (("aupr", "auprg"), ("aupr", "auroc"), ("auprg", "auroc"))


def write(root, *, positives="all"):
    rows = [
        {"study": "paper", "positives": "all", "quantity": "best model differs", "first": first, "second": second,
         "estimate": 0.24, "low": None, "high": None, "n_tasks": 886, "n_groups": None}
        for first, second in PAIRS
    ] + [
        {"study": "wide", "positives": positives, "quantity": "best model differs", "first": "aupr", "second": "auprg",
         "estimate": 0.2, "low": 0.1, "high": 0.3, "n_tasks": 1200, "n_groups": 90}
    ]  # fmt: skip
    (root / "results" / TABLE).parent.mkdir(parents=True)
    pd.DataFrame(rows).to_csv(root / "results" / TABLE, index=False)


def test_a_row_a_study_with_what_was_measured(tmp_path):
    write(tmp_path)
    _, paper, wide = side_by_side(tmp_path / "results")
    assert paper == ["paper", "886", "24 %", "24 %", "24 %"]
    assert wide == ["wide", "1,200", "20 % (10 to 30)", "–", "–"]


def test_shares_of_some_tasks_only_are_not_shown(tmp_path):
    write(tmp_path, positives="over 200")
    assert [row[0] for row in side_by_side(tmp_path / "results")] == ["study", "paper"]


def test_the_slot_of_the_readme_is_empty_until_table_and_page_exist(tmp_path):
    assert populations(tmp_path).startswith("<!--")
    write(tmp_path)
    assert populations(tmp_path).startswith("<!--")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "populations.md").write_text("# Populations\n")
    heads, *rows = side_by_side(tmp_path / "results")
    assert populations(tmp_path).endswith(markdown_table(heads, rows))


def test_the_readme_counts_what_each_other_study_says_to_the_rules(tmp_path):
    rules = [
        ("C1", "default", "One.", "exploratory: confirmed"), ("C1", "b", "One.", "confirmed"),
        ("C2", "b", "Two.", "contradicted"), ("C3", "b", "Three.", "too few data"),
        ("C1", "c", "One.", "not available"),
    ]  # fmt: skip
    write_table(pd.DataFrame(rules, columns=["id", "study", "claim", "verdict"]), tmp_path / RULES)
    assert confirmed(tmp_path).endswith(" *b*: confirmed 1 and contradicted 1 (C2). C2: Two.")
