"""Tests of flows that are fitted again on cut training sets."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from measured import estimates

from aucstudy.experiments import downsampling_refitting
from aucstudy.experiments.downsampling_refitting import (
    choose,
    of_task,
    refitted_scores,
    refitting_table_3,
    rows_of_folds,
)
from aucstudy.experiments.inputs import Task
from aucstudy.learners.datasets import DataSet
from aucstudy.learners.flows import FLOWS

SETTINGS = {"flows": ["zero_r", "naive_bayes"], "ratios": [1, 3], "folds": 3, "training_draws": 2, "draws": 5}


def data(n_positive=30, n_negative=120):
    rng = np.random.default_rng(0)
    target = np.arange(n_positive + n_negative) < n_positive
    features = {"x": rng.normal(2 * target), "kind": np.where(rng.random(len(target)) < 0.5, "a", "b")}
    return DataSet("made", "made", pd.DataFrame(features), target, "yes", "no")


@pytest.fixture(scope="module")
def refitted():
    task = Task(Path(), {"task_id": "made"}, load_rows=lambda task_id: (data(), None))
    areas = of_task(task, seed=1, **SETTINGS)["refitting_tasks"]
    return areas.assign(task_id="made", source_group="made")


def test_every_row_is_tested_once_and_given_folds_are_kept():
    tests = rows_of_folds(data(), None, 3, seed=1)
    assert sorted(np.concatenate(tests)) == list(range(150))
    given = np.arange(150) % 2
    assert [set(given[test]) for test in rows_of_folds(data(), given, 3, seed=1)] == [{0}, {1}]


def test_training_on_the_original_ratio_is_training_on_everything():
    tests = rows_of_folds(data(), None, 3, seed=1)
    flows = [FLOWS["naive_bayes"]]
    whole = refitted_scores(data(), tests, flows, None, 0, seed=1)
    assert np.array_equal(whole, refitted_scores(data(), tests, flows, 4, 0, seed=1))
    assert not np.array_equal(whole, refitted_scores(data(), tests, flows, 1, 0, seed=1))


def test_a_flow_that_says_nothing_has_the_prevalence_of_its_test_set(refitted):
    rows = refitted[(refitted["flow_name"] == "zero_r") & (refitted["ratio"] == "1:1")]
    assert rows["aupr_original"].to_numpy() == pytest.approx(0.2, abs=1e-12)
    assert rows["aupr_downsampled"].to_numpy() == pytest.approx(0.5, abs=1e-12)
    assert rows["aupr_moved"].to_numpy() == pytest.approx(0.2, abs=1e-12)


def test_the_original_row_has_no_gap(refitted):
    rows = refitted[refitted["ratio"] == "original"]
    assert (rows["aupr_downsampled"] == rows["aupr_original"]).all()


def test_the_parts_of_the_difference_add_up(refitted):
    table = estimates(downsampling_refitting, {"refitting_tasks": refitted})
    table = table.set_index(["setting", "first", "quantity"]).sort_index()
    means = refitted.groupby("ratio")[["aupr_downsampled", "aupr_original"]].mean()
    total = means.loc["1:1", "aupr_downsampled"] - means.loc["original", "aupr_original"]
    parts = table.loc[("1:1", "aupr")]["estimate"]
    assert parts["test skew"] + parts["ranking"] == pytest.approx(total, abs=1e-12)


def test_table_3_has_a_row_a_flow_and_ratio(refitted):
    table = refitting_table_3(refitted)
    assert len(table) == 2 * 3
    assert table["ratio"].unique().tolist() == ["1:1", "1:3", "original"]


def test_the_chosen_tasks_admit_every_ratio_and_do_not_depend_on_their_number():
    tasks = pd.DataFrame({"task_id": list("abcd"), "n_rows": 100, "n_positive": [5, 40, 6, 7]})
    tasks["prevalence"] = tasks["n_positive"] / 100
    assert choose(tasks, ratios=(1, 10), tasks=9, seed=1) == ["a", "c", "d"]
    one, two = (set(choose(tasks, ratios=(1, 10), tasks=n, seed=1)) for n in (1, 2))
    assert one < two
    assert choose(tasks, ratios=(1, 50), tasks=9, seed=1) == ["a"]
