"""Verdicts follow from the numbers, whatever the study says."""

from decimal import Decimal

import pytest

from aucstudy.claims.claims import JUDGES, judge_claims
from aucstudy.claims.verdicts import (
    Evidence,
    Item,
    Verdict,
    arithmetic,
    direction,
    replication,
)
from aucstudy.published.values import comes_out, published_values
from aucstudy.sources.population import papers_population

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


def test_another_population_is_never_a_reproduction():
    assert compare(20, 28, same_population=False) == Verdict.OTHER_DATA


def test_no_interval_is_too_few_data():
    assert compare(float("nan"), float("nan")) == Verdict.TOO_FEW_DATA


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.1, 0.3, Verdict.HOLDS), (-0.3, -0.1, Verdict.DOES_NOT_HOLD), (-0.1, 0.3, Verdict.TOO_FEW_DATA)],
)
def test_a_direction_is_judged_by_its_interval(low, high, verdict):
    assert direction([], Item("margin", (low + high) / 2, low, high)).verdict == verdict


def test_half_a_unit_of_the_printed_digit_comes_out():
    assert comes_out(Decimal("0.680"), Decimal("0.6795"))
    assert not comes_out(Decimal("0.680"), Decimal("0.67949"))
    assert comes_out(Decimal("-40"), -40.0)


def test_arithmetic_that_fails_does_not_come_out():
    assert arithmetic([Item("a", 23.0)], PRINTED).verdict == Verdict.DOES_NOT_COME_OUT


def test_every_published_claim_has_a_judge_and_the_other_way_round():
    assert set(published_values()["id"]) == set(JUDGES)


def test_the_papers_own_arithmetic_is_judged_without_any_study(tmp_path):
    (tmp_path / "tasks.csv").write_text("task_id,dataset_id,source_group\nt,d,g\n")
    claims, values = judge_claims(Evidence(tmp_path, "packaged"))
    verdicts = claims.set_index("id")["verdict"]
    assert verdicts["B-tab1"] == "exact"
    assert verdicts["B-tab2"] == "exact"
    assert verdicts["B-tab3"] == "exact within rounding"
    assert verdicts["B-range-gender"] == "exact"
    assert verdicts["B-range-genre"] == "does not come out"
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
