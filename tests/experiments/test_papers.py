"""What the papers draw agrees with what they print and with worked examples."""

import numpy as np
import pytest

from aucstudy.experiments.papers import (
    at_modified_f1,
    f1_contour,
    f1_score,
    largest_recall_above_chance,
    largest_recall_of_f1,
    running_example,
)
from aucstudy.metrics import roc_hull


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
