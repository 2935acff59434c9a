"""What the papers draw, and the theorems of Flach & Kull 2015, on known answers."""

import numpy as np
import pandas as pd
import pytest
from drawn import rankings
from measured import predictions_of, task_of

from aucstudy.experiments import papers_theorems
from aucstudy.experiments.papers import (
    at_modified_f1,
    f1_contour,
    f1_score,
    largest_recall_above_chance,
    largest_recall_of_f1,
    running_example,
)
from aucstudy.experiments.papers_theorems import deviations, identities, largest_deviations
from aucstudy.metrics import expected_f_gain, roc_hull


def test_the_running_example_has_the_printed_calibrated_scores():
    y_true, scores = running_example()
    assert (len(y_true), y_true.sum()) == (500, 48)
    assert (np.diff(scores) < 0).all()
    printed = [1.0, 0.75, 0.286, 0.181, 0.053, 0.048, 0.028, 0.014, 0.0]
    assert roc_hull(y_true, scores).probability.round(3).tolist() == printed


def test_f1_and_its_contours_on_worked_examples():
    assert f1_score(0.5, 1.0) == pytest.approx(2 / 3)
    assert f1_contour(0.5, [0.25, 0.5, 1.0]).tolist() == pytest.approx([np.nan, 0.5, 1 / 3], nan_ok=True)
    assert largest_recall_of_f1(0.45, 0.33) == pytest.approx(0.8798, abs=5e-5)
    chance = largest_recall_above_chance(0.45, 0.33)
    assert chance == pytest.approx(0.7071, abs=5e-5)
    assert f1_contour(0.45, chance) == pytest.approx(0.33)


def test_the_modified_f1_is_f1_of_what_lies_above_chance():
    above_chance = (at_modified_f1(np.array([0.0, 0.5, 1.0]), 0.33) - 0.33) / (1 - 0.33)
    assert f1_score(0.5, above_chance) == pytest.approx(f1_score(0.5, np.array([0.0, 0.5, 1.0])))


@pytest.mark.parametrize(("y", "s"), rankings(40))
def test_every_identity_holds_on_any_ranking(y, s):
    found = deviations(y, s, expected_f_gain(y, s), np.random.default_rng(0))
    assert set(found) == set(identities()["identity"])
    assert all(np.isnan(value) or value < 1e-9 for value in found.values())


def test_models_and_tasks_are_counted_on_which_an_identity_could_be_tried():
    rng = np.random.default_rng(0)
    y, n = np.arange(120) % 4 == 0, 120
    scores = np.column_stack([y + rng.normal(size=n), y * 1.0, np.zeros(n), rng.random(n)])
    made = predictions_of(y, scores, runs="abcd")
    gains = [expected_f_gain(y, column) for column in scores.T]
    expected = pd.DataFrame({"run_id": made.run_ids, "expected": gains})
    frames = papers_theorems.of_task(task_of(made, expected_f_gains=expected), seed=1)
    table = largest_deviations(frames["deviations"].assign(task_id="t")).set_index("identity")
    assert table.index.tolist() == identities()["identity"].tolist()
    assert table["n_models"].max() == 4
    # the perfect model and the constant one have no two thresholds that trade precision for recall
    assert table.loc["theorem 4", "n_models"] == 2
    assert (table["n_tasks"] == 1).all()
    assert (table["largest_deviation"] < 1e-9).all()
