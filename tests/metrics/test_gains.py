"""Gains of predicted labels, and theorems 1-4 of Flach and Kull 2015."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import fbeta_score, precision_score, recall_score

from aucstudy.metrics import areas, expected_f_gain, f_gain, precision_gain, prg_curve, recall_gain

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)
PREDICTED = np.where(RNG.random(200) < 0.7, Y, 1 - Y)


def gain(value, pi):
    return (value - pi) / ((1 - pi) * value)


def test_gains_are_the_harmonic_scale_between_prevalence_and_one():
    pi = Y.mean()
    assert precision_gain(Y, PREDICTED) == pytest.approx(gain(precision_score(Y, PREDICTED), pi))
    assert recall_gain(Y, PREDICTED) == pytest.approx(gain(recall_score(Y, PREDICTED), pi))


@pytest.mark.parametrize("beta", [0, 0.3, 1, 3])
def test_theorem_2_f_gain_is_the_weighted_mean_of_the_gains(beta):
    assert f_gain(Y, PREDICTED, beta) == pytest.approx(gain(fbeta_score(Y, PREDICTED, beta=beta), Y.mean()))


@pytest.mark.parametrize(
    ("y", "predicted", "gains"),
    [
        (Y, np.ones_like(Y), (0, 1, 0.5)),  # Theorem 1: all rows are predicted positive.
        ([1, 0], [0, 1], (-np.inf, -np.inf, -np.inf)),  # no true positive
    ],
)
def test_gains_at_their_ends_are_worked_out_by_hand(y, predicted, gains):
    own = [gain_of(y, predicted) for gain_of in (precision_gain, recall_gain, f_gain)]
    assert own == pytest.approx(gains, abs=1e-15)


def test_weights_count_as_rows():
    w = RNG.integers(0, 3, 200)
    assert f_gain(Y, PREDICTED, sample_weight=w) == pytest.approx(
        f_gain(np.repeat(Y, w), np.repeat(PREDICTED, w))
    )


def test_text_labels_need_a_positive_one():
    y, predicted = np.where(Y, "b", "a"), np.where(PREDICTED, "b", "a")
    assert f_gain(y, predicted, pos_label="b") == f_gain(Y, PREDICTED)


def test_what_is_undefined_is_nan_with_a_warning():
    with pytest.warns(UndefinedMetricWarning, match="y_pred holds no positive"):
        assert np.isnan(precision_gain([1, 0], [0, 0]))
    with pytest.warns(UndefinedMetricWarning, match="y_pred holds no positive") as caught:
        assert np.isnan(f_gain([1, 0], [0, 0], 0))
    assert caught[0].filename == __file__
    with pytest.warns(UndefinedMetricWarning, match="one class only"):
        assert np.isnan(f_gain([1, 1], [1, 0]))
    with pytest.raises(ValueError, match="beta must be finite and not negative, not -1"):
        f_gain(Y, PREDICTED, -1)


def test_recall_gain_and_f_gain_are_defined_where_nothing_is_predicted(recwarn):
    assert recall_gain([1, 0], [0, 0]) == f_gain([1, 0], [0, 0]) == -np.inf
    assert not recwarn.list


@pytest.mark.parametrize("pi", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("shift", [-0.5, 0.0, 1.0, 9.0])
def test_theorem_3_the_expected_f_gain_is_the_mean_over_its_operating_points(pi, shift):
    """The mean of FG1 is taken along the curve from recall gain 0, drops included.

    The variable of integration is recG/pi - precG/(1 - pi).
    """
    rng = np.random.default_rng(int(10 * pi))
    y = rng.random(300) < pi
    s = np.round(rng.normal(size=300) + shift * y, 1)
    pi = y.mean()
    curve = prg_curve(y, s, from_zero=True)
    at = curve.recall_gain / pi - curve.precision_gain / (1 - pi)
    f = (curve.recall_gain + curve.precision_gain) / 2
    expected = np.trapezoid(f, at) / (at[-1] - at[0])
    assert expected_f_gain(y, s) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("y", [[0, 0, 0, 1, 1], [0, 0, 1, 0, 1, 1]])
def test_the_expected_f_gain_is_undefined_where_all_negatives_are_above_recall_gain_0(y):
    assert np.isnan(expected_f_gain(y, -np.arange(len(y))))


def test_the_expected_f_gain_can_rank_two_models_against_their_area():
    pairs = [(areas(Y, s).auprg, expected_f_gain(Y, s)) for s in RNG.normal(size=(60, 200)) + 0.3 * Y]
    area, expected = np.array(pairs).T
    assert (np.argsort(area) != np.argsort(expected)).any()


def test_expected_accuracy_follows_from_auroc():
    y, s = Y, RNG.permutation(200) + 60 * Y + RNG.random(200)
    pi, order = y.mean(), np.argsort(-s)
    correct = [y[order[:k]].sum() + (1 - y[order[k:]]).sum() for k in range(201)]
    mean = np.trapezoid(correct, dx=1 / 200) / 200
    assert mean == pytest.approx(pi * (1 - pi) * (2 * areas(y, s).auroc - 1) + 0.5, abs=1e-12)


# It has more recall than PREDICTED and less precision.
OTHER = np.where(np.random.default_rng(1).random(200) < 0.3, Y, 1)


@pytest.mark.parametrize(("first", "second"), [(1, 1), (3, 1), (2, 5)])
def test_theorem_1_interpolated_counts_have_interpolated_gains(first, second):
    """The counts of both models are added, each so many times.

    The weight of a model's gain is the model's share of the true positives.
    """
    y = np.repeat([Y, Y], [first, second], axis=0).ravel()
    between = np.repeat([PREDICTED, OTHER], [first, second], axis=0).ravel()
    found, found_by_other = first * (PREDICTED & Y).sum(), second * (OTHER & Y).sum()
    share = found / (found + found_by_other)
    for gain_of in (precision_gain, recall_gain):
        mixed = share * gain_of(Y, PREDICTED) + (1 - share) * gain_of(Y, OTHER)
        assert gain_of(y, between) == pytest.approx(mixed, abs=1e-12)


def test_theorem_4_two_models_have_one_beta_at_which_their_f_is_the_same():
    p, r = (
        [score(Y, predicted) for predicted in (PREDICTED, OTHER)] for score in (precision_score, recall_score)
    )
    assert p[0] > p[1]
    assert r[0] < r[1]
    beta = np.sqrt(-(1 / p[0] - 1 / p[1]) / (1 / r[0] - 1 / r[1]))
    assert f_gain(Y, PREDICTED, beta) == pytest.approx(f_gain(Y, OTHER, beta), abs=1e-12)
    assert f_gain(Y, PREDICTED, beta / 1.5) > f_gain(Y, OTHER, beta / 1.5)
    assert f_gain(Y, PREDICTED, beta * 1.5) < f_gain(Y, OTHER, beta * 1.5)
