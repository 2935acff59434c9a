"""README's numbers and tables are those of the committed tables, and a command that fails is shown on no page."""

import committed as studies
import pytest
from choice_table import POSITIVES, TARGETS, auroc_over, choice_table, choices
from printed import printed


def test_a_difference_to_auroc_is_that_of_the_table_with_its_sign_turned():
    table = studies.committed("few_natural", "few_positives")
    rows = table.query(
        "selected_by == 'average_precision' and target == 'f1' and threshold == 'same' and positives == 10"
        " and prevalence == 0 and chosen_on == 'one' and candidates == 'today' and outcomes == 'all'"
    )
    (row,) = rows.to_dict("records")
    made = auroc_over("average_precision", "f1", "same", 10)
    assert (made["estimate"], made["low"], made["high"]) == (-row["difference"], -row["high"], -row["low"])
    assert made["n_groups"] == row["n_groups"]


def test_the_table_has_a_row_a_target_and_bold_numbers_where_the_interval_excludes_0():
    made = choices()
    header, _, *rows = choice_table(made).splitlines()
    assert header.count("|") == len(POSITIVES) + 2
    assert len(rows) == len(TARGETS)
    for line, target in zip(rows, TARGETS, strict=True):
        for cell, positives in zip(line.strip("| ").split(" | ")[1:], POSITIVES, strict=True):
            row = made.get((*target, positives))
            assert (row is None) == (cell == "–")
            assert cell.startswith("**") == (row is not None and bool(row["low"] > 0 or row["high"] < 0))


def test_no_row_is_left_for_the_threshold_where_both_samples_select():
    missing = {(*target, n) for target in TARGETS for n in POSITIVES} - set(choices())
    assert missing == {("f1", "other", 20), ("f1", "other", 60), ("f1", "crossed", 10), ("f1", "crossed", 30)}


def test_each_task_counted_once_gives_the_share_of_the_committed_table():
    wide = studies.Study("wide")
    row = wide.row("disagreement", first="aupr", second="auroc", top=1, ties="expected")
    made = wide.differs_by_task("aupr", "auroc")
    assert (made["estimate"], made["low"], made["high"]) == pytest.approx(
        (row["estimate"], row["low"], row["high"])
    )


def test_a_command_that_fails_is_shown_on_no_page():
    with pytest.raises(RuntimeError, match="exit code 1"):
        printed("aucstudy audit docs/no-such-file.csv --label churned")
