"""Each convention for the area under a PR curve gives the number that its tool gives."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import auc, precision_recall_curve

from aucstudy.metrics import aupr_conventions
from aucstudy.metrics.conventions import CONVENTIONS

SIX = [1, 1, 0, 0, 1, 0], [0.8, 0.8, 0.6, 0.4, 0.4, 0.2]
GROUPS = [1, 1, 0, 1, 0, 1, 0, 0], [3, 3, 3, 2, 2, 1, 1, 1]
CONSTANT = [1] * 3 + [0] * 7, [0.5] * 10
FIVE = [1] * 5 + [0] * 5


@pytest.mark.parametrize(
    ("rows", "convention", "expected"),
    [
        (SIX, "exact", 0.875902135313833),  # PRROC, integral
        (SIX, "average_precision", 0.8666666666666667),  # scikit-learn
        (SIX, "trapezoid", 0.8777777777777777),  # scikit-learn
        (SIX, "davis_goadrich_unit", 0.877777777777778),  # PRROC, Davis and Goadrich
        (SIX, "grid_1000", 0.875902153027478),  # precrec
        (SIX, "left_dropped", 0.211111111111111),  # MLmetrics
        (GROUPS, "trapezoid_first_point", 0.629166666667),
        (GROUPS, "davis_goadrich_unit", 0.629166666667),
        # Trapezoids are far too high for constant scores.
        (CONSTANT, "trapezoid", 0.65),
        (CONSTANT, "exact", 0.3),
        # A perfect ranking loses its left part.
        ((FIVE, range(10, 0, -1)), "left_dropped", 0.8),
        ((FIVE, FIVE), "left_dropped", 0),
    ],
)
def test_each_convention_gives_the_answer_of_its_tool(rows, convention, expected):
    tolerance = 1e-9 if convention == "grid_1000" else 1e-12
    assert aupr_conventions(*rows)[convention] == pytest.approx(expected, rel=0, abs=tolerance)


def test_the_trapezoid_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, 300), np.round(rng.normal(size=300), 1)
    precision, recall, _ = precision_recall_curve(y, s)
    assert aupr_conventions(y, s)["trapezoid"] == pytest.approx(auc(recall, precision), abs=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_one_class_has_no_area_by_any_convention():
    assert np.isnan(list(aupr_conventions([1, 1], [1, 2]).values())).all()


def test_rows_with_equal_scores_count_one_by_one_in_the_order_given():
    points = [(0.5, 1), (1, 1), (1, 2 / 3)]  # recall and precision after each row, positives first
    area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
    assert aupr_conventions([1, 1, 0], [0.5, 0.5, 0.5])["row_by_row"] == pytest.approx(area)  # PerfMeas
    assert aupr_conventions([0, 1, 1], [0.5, 0.5, 0.5])["row_by_row"] == pytest.approx(
        0.5 * (0 + 0.5) / 2 + 0.5 * (0.5 + 2 / 3) / 2
    )


def test_200_thresholds_tie_what_lies_between_two_of_them():
    close = aupr_conventions([1, 0, 1, 0], [0.5021, 0.5022, 0.9, 0.1])
    tied = aupr_conventions([1, 0, 1, 0], [0.502, 0.502, 0.9, 0.1])
    assert close["thresholds_200"] == pytest.approx(tied["exact"])
    assert close["thresholds_200"] > close["exact"]


def test_scores_outside_0_and_1_are_taken_for_logits_by_the_200_thresholds():
    got = aupr_conventions([1, 0, 1, 0], [-np.inf, 3.0, np.inf, -2.0])
    probabilities = aupr_conventions([1, 0, 1, 0], [0.0, 1 / (1 + np.exp(-3)), 1.0, 1 / (1 + np.exp(2))])
    assert got["thresholds_200"] == probabilities["thresholds_200"]


def test_the_best_point_of_each_recall_skips_the_negatives_that_follow_it():
    y, s = [1, 0, 0, 1], [4, 3, 2, 1]
    area = 0.5 * (1 + 1) / 2 + 0.5 * (1 + 0.5) / 2
    assert aupr_conventions(y, s)["fewest_false_positives"] == pytest.approx(area)  # ROCR
    assert aupr_conventions(y, s)["trapezoid"] < area


def test_a_gap_of_more_than_two_positives_is_filled_with_the_points_of_the_hyperbola():
    tp, fp = np.arange(1, 4), np.arange(1, 4) * 7 / 3
    recall, precision = np.append(0, tp / 3), np.append(1, tp / (tp + fp))
    got = aupr_conventions(*CONSTANT)["fewest_false_positives"]
    assert got == pytest.approx(np.trapezoid(precision, recall))


@pytest.mark.parametrize(
    ("labels", "envelope", "at_11", "at_101"),
    [
        # Precision is 1, 1/2, 2/3, 1/2, 3/5 after each row. It is raised to 1 until recall 1/3, and to 2/3
        # until recall 2/3. Then it is 3/5.
        (
            [1, 0, 1, 0, 1],
            (1 + 2 / 3 + 3 / 5) / 3, (4 + 3 * 2 / 3 + 4 * 3 / 5) / 11, (34 + 33 * 2 / 3 + 34 * 3 / 5) / 101,
        ),
        ([1, 1, 0, 0], 1, 1, 1),
        ([0, 0, 1, 1], 1 / 2, 1 / 2, 1 / 2),
    ],
)  # fmt: skip
def test_computer_vision_raises_precision_to_the_best_at_any_higher_recall(labels, envelope, at_11, at_101):
    values = aupr_conventions(labels, range(len(labels), 0, -1))
    names = "envelope", "envelope_11", "envelope_101"
    assert [values[name] for name in names] == pytest.approx([envelope, at_11, at_101], abs=1e-15)


def test_a_recall_that_is_reached_exactly_counts_where_floats_would_miss_it():
    # 7 of 20 positives are a recall of .35, which is below 35 * .01 in floats. Then precision falls.
    labels = [1] * 7 + [0] * 13 + [1] * 13
    # Behind the negatives, precision rises up to the last positive.
    best = [1.0 if k <= 35 else 20 / 33 for k in range(101)]
    value = aupr_conventions(labels, range(len(labels), 0, -1))["envelope_101"]
    assert value == pytest.approx(sum(best) / 101, abs=1e-12)


def test_the_envelope_is_at_least_average_precision_and_the_same_where_precision_never_rises():
    rng = np.random.default_rng(0)
    for _ in range(50):
        y = np.append(rng.integers(0, 2, 40), [0, 1])
        values = aupr_conventions(y, rng.permutation(42))
        assert values["envelope"] >= values["average_precision"] - 1e-15
    values = aupr_conventions([1, 1, 1, 0, 0], range(5, 0, -1))
    assert values["envelope"] == values["average_precision"] == 1


def test_every_convention_names_its_field():
    fields = {name: convention.field for name, convention in CONVENTIONS.items()}
    assert set(fields.values()) == {"classification", "computer vision"}
    assert {name for name, field in fields.items() if field == "computer vision"} == {
        "envelope", "envelope_11", "envelope_101",
    }  # fmt: skip


def test_scores_that_a_float_would_tie_are_told_apart_by_the_rules_that_count_row_by_row():
    scores = 2**60 + np.array([0, 1, 2, 3])
    expected = aupr_conventions([1, 0, 0, 1], [0, 1, 2, 3])
    values = aupr_conventions([1, 0, 0, 1], scores)
    for rule in ("exact", "row_by_row", "envelope", "envelope_11", "envelope_101"):
        assert values[rule] == expected[rule]
