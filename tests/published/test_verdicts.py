"""Verdicts follow from the numbers, whatever the study says."""

from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest

from aucstudy.claims.claims import JUDGES, judge, judge_claims
from aucstudy.claims.verdicts import (
    Evidence,
    Item,
    Verdict,
    arithmetic,
    beyond,
    measured,
    notes,
    replication,
    within,
)
from aucstudy.published import comes_out, ledger
from aucstudy.sources import papers_population
from aucstudy.store.tables import table_bytes, write_table

ROOT = Path(__file__).parents[2]
PRINTED = {"a": Decimal("24")}


def compare(low, high, *, same_population=True):
    return replication(
        [Item("a", 24.0, low, high)], PRINTED, same_population=same_population, scale=100
    ).verdict


def test_a_narrow_interval_around_the_value_reproduces_it():
    assert compare(20, 28) == Verdict.REPRODUCED


def test_a_wide_interval_is_too_few_data():
    assert compare(5, 60) == Verdict.TOO_FEW_DATA


def test_a_value_outside_differs():
    assert compare(26, 30) == Verdict.DIFFERS


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(20, 28, Verdict.INSIDE), (26, 30, Verdict.BELOW), (10, 20, Verdict.ABOVE)]
)
def test_another_population_says_on_which_side_the_published_value_lies(low, high, verdict):
    assert compare(low, high, same_population=False) == verdict


def test_values_on_both_sides_are_said_to_be():
    items = [Item("a", 30.0, 26, 34), Item("b", 10.0, 5, 20)]
    printed = {"a": Decimal(24), "b": Decimal(24)}
    assert replication(items, printed, same_population=False, scale=100).verdict == Verdict.BOTH_SIDES


@pytest.mark.parametrize(
    ("ends", "verdict"),
    [
        ((0.002, 0.03), Verdict.SUPPORTS),
        ((0.002, 0.008), Verdict.NO_DIFFERENCE),
        ((-0.008, 0.008), Verdict.NO_DIFFERENCE),
        ((-0.008, -0.002), Verdict.NO_DIFFERENCE),
        ((-0.002, 0.02), Verdict.UNDECIDED),
        ((-0.03, -0.002), Verdict.UNDECIDED),
        ((-0.03, -0.02), Verdict.CONTRADICTS),
    ],
)
def test_a_margin_parts_what_does_not_matter_from_what_is_contradicted(ends, verdict):
    gain = Item("gain", sum(ends) / 2, *ends)
    assert measured([gain], [gain], matters=0.01).verdict is verdict
    assert measured([gain], [gain]).verdict is not Verdict.NO_DIFFERENCE


def test_no_difference_matters_only_if_none_of_several_does():
    small, clear = Item("small", 0.0, -0.002, 0.002), Item("clear", 0.03, 0.02, 0.04)
    assert measured([], [small, clear], matters=0.01).verdict is Verdict.UNDECIDED
    assert measured([], [small, small], matters=0.01).verdict is Verdict.NO_DIFFERENCE


def test_no_interval_is_too_few_data():
    nan = float("nan")
    assert compare(nan, nan) == compare(nan, nan, same_population=False) == Verdict.TOO_FEW_DATA


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.1, 0.3, Verdict.SUPPORTS), (-0.3, -0.1, Verdict.CONTRADICTS), (-0.1, 0.3, Verdict.UNDECIDED)],
)
def test_a_margin_is_judged_by_its_interval(low, high, verdict):
    assert measured([], [Item("margin", (low + high) / 2, low, high)]).verdict == verdict


def test_every_margin_must_be_positive_and_one_negative_contradicts():
    above, open_, below = Item("", 2, 1, 3), Item("", 0, -1, 1), Item("", -2, -3, -1)
    assert measured([], [above, above]).verdict == Verdict.SUPPORTS
    assert measured([], [above, open_]).verdict == Verdict.UNDECIDED
    assert measured([], [above, open_, below]).verdict == Verdict.CONTRADICTS


def test_one_source_group_is_too_few_data():
    assert measured([], [Item("", 2, 2, 2, n_groups=1)]).verdict == Verdict.TOO_FEW_DATA
    assert measured([], [Item("", 2, float("nan"), float("nan"))]).verdict == Verdict.TOO_FEW_DATA


@pytest.mark.parametrize(
    ("ends", "inside"),
    [((-1, 4), Verdict.SUPPORTS), ((1, 6), Verdict.UNDECIDED), ((-9, -6), Verdict.CONTRADICTS)],
)
def test_an_interval_lies_within_a_margin_or_across_it_or_beyond(ends, inside):
    item = Item("", sum(ends) / 2, *ends)
    opposite = {Verdict.SUPPORTS: Verdict.CONTRADICTS, Verdict.CONTRADICTS: Verdict.SUPPORTS}
    assert measured([], [within(item, 5)]).verdict == inside
    assert measured([], [beyond(item, 5)]).verdict == opposite.get(inside, inside)


def test_half_a_unit_of_the_printed_digit_comes_out():
    assert comes_out(Decimal("0.680"), Decimal("0.6795"))
    assert not comes_out(Decimal("0.680"), Decimal("0.67949"))
    assert comes_out(Decimal("-40"), -40.0)


def test_arithmetic_that_fails_does_not_come_out():
    assert arithmetic([Item("a", 23.0)], PRINTED).verdict == Verdict.DOES_NOT_COME_OUT


def test_every_claim_of_the_ledger_has_a_judge_and_the_other_way_round():
    assert set(ledger()["id"]) == set(JUDGES)


def test_every_note_is_of_a_claim_of_the_ledger():
    assert set(notes()) - set(ledger()["id"]) == {"missing", "every", "population"}


def test_every_claim_has_its_text_and_its_rule_in_its_first_row_only():
    first = ~ledger().duplicated("id")
    for column in ("claim", "rule"):
        assert (ledger()[column] != "").eq(first).all(), column


def test_the_rule_of_a_claim_stands_beside_each_of_its_numbers(tmp_path):
    (tmp_path / "tasks.csv").write_text("task_id,dataset_id,source_group\nt,d,g\n")
    _, values = judge_claims(Evidence(tmp_path, "packaged"))
    rules = ledger().drop_duplicates("id").set_index("id")["rule"]
    assert (values["rule"] == values["id"].map(rules)).all()
    amended = (
        values.loc[values["amended"] != "", ["id", "amended"]].drop_duplicates().set_index("id")["amended"]
    )
    assert amended["FK-notune"].startswith(
        "2026-11-22: both sides are told new odds; before, only the rival was. 2026-11-23: the margin is half a point"
    )
    assert amended.str.match(r"\d{4}-\d\d-\d\d: ").all()
    assert not amended.index.str.fullmatch(r"C\d+").any()  # the rules of confirmation stay as they are


def test_the_papers_own_arithmetic_is_judged_without_any_study(tmp_path):
    (tmp_path / "tasks.csv").write_text("task_id,dataset_id,source_group\nt,d,g\n")
    claims, values = judge_claims(Evidence(tmp_path, "packaged"))
    verdicts = claims.set_index("id")["verdict"]
    assert verdicts["B-tab1"] == "arithmetic: exact"
    assert verdicts["B-tab2"] == "arithmetic: exact"
    assert verdicts["B-tab3"] == "arithmetic: within rounding"
    assert verdicts["B-range-gender"] == "arithmetic: exact"
    assert verdicts["B-range-genre"] == "erratum"
    assert verdicts["FK-top1"] == "not available"
    cells = values[values["id"] == "B-tab3"].set_index("item")["here"]
    assert cells.to_dict() == {"cells at the printed digit": 8, "cells within rounding": 14}


@pytest.mark.parametrize(
    ("rules", "same"),
    [
        ({"uploaded_before": "2015-06-01"}, True),
        ({"uploaded_before": "2015-06-01", "tasks": [3, 31]}, False),
        ({"uploaded_before": "2015-06-01", "tags": ["study_14"]}, False),
        ({}, False),
    ],
)
def test_tasks_chosen_otherwise_are_not_the_papers_population(rules, same):
    assert papers_population({"source": "openml", "models_per_task": 30, "openml": rules}) == same
    assert not papers_population({"source": "packaged", "models_per_task": 30, "packaged": {}})


class Changed(Evidence):
    """The tables of a committed study, some of them replaced."""

    def __init__(self, study, **replaced):
        super().__init__(ROOT / "results" / study / "tables", "packaged", read=replaced)


def with_less(table):
    """A table without any row, and without the rows of the first or the last value of each column of few values."""
    yield table.head(0)
    for name in table:
        values = table[name].dropna().unique()
        if len(values) <= 40:
            yield from (table[table[name] != value] for value in {*values[:1], *values[-1:]})


@pytest.mark.parametrize("study", ["default", "rare"])
def test_a_claim_without_its_rows_is_too_few_data_whichever_rows_are_gone(study):
    judged, needs_data, without_rows = 0, set(), {}
    for claim, rows in ledger().groupby("id"):
        whole = Changed(study)
        before = judge(claim, whole, rows).verdict
        tables = {name: table for name, table in whole.read.items() if name != "tasks" and table is not None}
        if tables and before is not Verdict.NOT_AVAILABLE:
            needs_data.add(claim)
        for name, table in tables.items():
            for less in with_less(table):
                verdict = judge(claim, Changed(study, **{name: less}), rows).verdict
                judged += 1
                if less.empty and verdict != before:
                    without_rows[claim] = verdict
    assert judged > {"default": 500, "rare": 100}[study]
    assert set(without_rows) >= needs_data
    assert set(without_rows.values()) == {Verdict.TOO_FEW_DATA}


def test_a_column_that_is_gone_is_a_defect_and_not_too_few_data():
    whole = Changed("default")
    for claim, table, column in (("B-optimistic", "downsampling", "area"), ("C8", "conventions", "split")):
        with pytest.raises(KeyError, match=column):
            judge(claim, Changed("default", **{table: whole.table(table).drop(columns=column)}))


def test_a_claim_names_the_table_and_the_row_that_it_lacks(tmp_path):
    write_table(
        pd.DataFrame({"identity": ["theorem 1"], "largest_deviation": [0.0]}), tmp_path / "theorems.csv"
    )
    finding = judge("FK-T3", Evidence(tmp_path, "packaged"))
    assert finding.verdict is Verdict.TOO_FEW_DATA
    assert finding.note == "theorems.csv has no row with largest_deviation known, theorem 3"


def test_a_claim_on_an_empty_table_says_why_it_is_empty(tmp_path):
    (tmp_path / "task_aggregation.csv").write_text("average,best,differs,n_tasks\n")
    finding = judge("B-tasks", Evidence(tmp_path, "files"))
    assert finding.verdict is Verdict.TOO_FEW_DATA
    assert finding.note == (
        "task_aggregation.csv has no row: fewer than two flows stand in as many of the tasks as "
        "task_aggregation.share asks for"
    )


COMMITTED = {
    "default": "packaged", "wide": "packaged", "weka": "packaged", "variance": "packaged", "rare": "held_out",
    "natural": "natural_outcomes",
    "uw-cse": "relational",
}  # fmt: skip


@pytest.mark.parametrize(
    "study", [pytest.param(s, marks=[pytest.mark.whole] * (s != "default")) for s in COMMITTED]
)
def test_the_committed_claims_follow_from_the_committed_tables_byte_for_byte(study):
    tables = ROOT / "results" / study / "tables"
    made = judge_claims(Evidence(tables, COMMITTED[study]))
    for table, name in zip(made, ("claims", "claims_values"), strict=True):
        assert table_bytes(table) == (tables / f"{name}.csv").read_bytes()
