"""Displays draw the curves that the functions give, several on one axis, guides once."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucstudy.metrics import (
    PrecisionRecallDisplay,
    PrecisionRecallGainDisplay,
    RocDisplay,
    aupr,
    auprg,
    auroc,
)

mpl.use("Agg")
import matplotlib.pyplot as plt

X, Y = make_classification(150, weights=[0.7], random_state=0)
MODEL = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y)
SCORES = MODEL.decision_function(X)
AREA_OF = {
    RocDisplay: auroc,
    PrecisionRecallDisplay: aupr,
    PrecisionRecallGainDisplay: auprg,
}
every_display = pytest.mark.parametrize("cls", AREA_OF)


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


@every_display
def test_the_legend_names_the_model_and_its_area(cls):
    display, area = cls.from_predictions(Y, SCORES, name="model"), AREA_OF[cls]
    assert display.line_.get_label() == f"model ({area.__name__.upper()} = {area(Y, SCORES):.2f})"
    assert display.ax_.get_figure() is display.figure_


@every_display
def test_estimators_and_their_scores_draw_the_same_curve(cls):
    from_estimator = cls.from_estimator(MODEL, X, Y)
    from_scores = cls.from_predictions(Y, SCORES)
    np.testing.assert_array_equal(from_estimator.line_.get_ydata(), from_scores.line_.get_ydata())
    assert from_estimator.name == "Pipeline"
    assert "positive label: 1" in from_estimator.ax_.get_xlabel()


@pytest.mark.parametrize("response", ["decision_function", "predict_proba"])
def test_the_first_class_may_be_the_positive_one(response):
    y = np.where(Y, "yes", "no")
    model = LogisticRegression().fit(X, y)
    display = RocDisplay.from_estimator(model, X, y, pos_label="no", response_method=response)
    assert display.auroc == pytest.approx(auroc(1 - Y, -model.decision_function(X)))


@every_display
def test_guides_are_drawn_once_however_many_models(cls):
    first = cls.from_predictions(Y, SCORES)
    before = len(first.ax_.lines)
    second = cls.from_predictions(Y, -SCORES, ax=first.ax_, color="black", linestyle="--")
    own = 2 if cls is PrecisionRecallGainDisplay else 1  # the curve, and its hull
    assert second.ax_ is first.ax_
    assert len(first.ax_.lines) == before + own
    assert second.line_.get_color() == "black"


@every_display
def test_a_display_can_be_drawn_again_under_another_name(cls):
    display = cls.from_predictions(Y, SCORES)
    _, ax = plt.subplots()
    assert display.plot(ax=ax, name="again") is display
    assert display.ax_ is ax
    assert display.line_.get_label().startswith("again (")


def folds():
    return cross_validate(LogisticRegression(), X, Y, cv=3, return_estimator=True, return_indices=True)


@every_display
def test_every_fold_has_its_curve_and_the_legend_their_mean(cls):
    got, weights, area = folds(), np.random.default_rng(0).random(150), AREA_OF[cls]
    drawn = cls.from_cv_results(got, X, Y, sample_weight=weights, name="model")
    areas = []
    for model, rows, line in zip(got["estimator"], got["indices"]["test"], drawn.line_, strict=True):
        scores = model.decision_function(X[rows])
        areas.append(area(Y[rows], scores, sample_weight=weights[rows]))
        alone = cls.from_predictions(Y[rows], scores, sample_weight=weights[rows], pos_label=1)
        np.testing.assert_array_equal(line.get_ydata(), alone.line_.get_ydata())
    (text,) = drawn.ax_.get_legend().get_texts()
    expected = f"model ({area.__name__.upper()} = {np.mean(areas):.2f} +/- {np.std(areas):.2f})"
    assert text.get_text() == expected


@every_display
def test_folds_draw_their_guides_once(cls):
    # folds of 49 to 51 rows have not quite the same prevalence
    drawn = cls.from_cv_results(folds(), X, Y)
    alone = cls.from_predictions(
        Y, SCORES, **({"plot_hull": False} if hasattr(drawn.displays[0], "hull") else {})
    )
    assert len(drawn.ax_.lines) == len(alone.ax_.lines) + 2
    assert len(drawn.ax_.collections) == len(alone.ax_.collections)


def test_folds_take_the_options_of_their_areas():
    at_tenth = PrecisionRecallDisplay.from_cv_results(folds(), X, Y, prevalence=0.1)
    assert [display.prevalence for display in at_tenth.displays] == pytest.approx([0.1] * 3)
    clipped = PrecisionRecallGainDisplay.from_cv_results(folds(), X, 1 - Y, negative_gains="clip")
    assert [display.auprg >= 0 for display in clipped.displays] == [True] * 3


@pytest.mark.parametrize(
    ("changed", "options", "message"),
    [
        ({"indices": None}, {}, "cv_results has no 'indices'; .* return_indices=True"),
        ({"estimator": None}, {}, "cv_results has no 'estimator'"),
        ({}, {"X": X[:90], "y": Y[:90]}, "X has 90 rows and cv_results is of 150"),
        ({}, {"y": Y[:90]}, "y has 90 rows and cv_results is of 150"),
        ({}, {"name": ["a", "b", "c"]}, "need a list of 3 curve_kwargs"),
        ({}, {"name": ["a"], "curve_kwargs": [{}] * 3}, "name must hold one entry a fold, 3, not 1"),
        ({}, {"curve_kwargs": [{}]}, "curve_kwargs must hold one entry a fold, 3, not 1"),
    ],
)
def test_folds_that_do_not_fit_their_rows_are_refused(changed, options, message):
    results = {key: value for key, value in folds().items() if key not in changed}
    with pytest.raises(ValueError, match=message):
        RocDisplay.from_cv_results(results, **{"X": X, "y": Y} | options)


def test_precision_is_drawn_as_a_hyperbola_not_a_line():
    display = PrecisionRecallDisplay.from_predictions([1, 1, 0, 1, 0, 1, 0, 0], [3, 3, 3, 2, 2, 1, 1, 1])
    recall, precision = display.line_.get_data()
    assert np.interp(0.625, recall, precision) == pytest.approx(0.625, abs=1e-6)


def test_the_unachievable_region_and_the_prevalence_are_drawn():
    display = PrecisionRecallDisplay.from_predictions(Y, SCORES, plot_f_contours=True)
    assert display.prevalence == Y.mean()
    assert len(display.ax_.collections) == 1
    assert any(np.allclose(line.get_ydata(), Y.mean()) for line in display.ax_.lines)
    bare = PrecisionRecallDisplay(display.recall, display.precision).plot()
    assert len(bare.ax_.lines) == 1


def test_gain_contours_carry_the_f1_they_stand_for():
    display = PrecisionRecallGainDisplay.from_predictions(Y, SCORES, plot_calibrated=True)
    pi = Y.mean()
    texts = [text.get_text() for text in display.ax_.texts]
    assert f"F1={pi / (1 - (1 - pi) * 0.4):.2g}" in texts
    assert display.recall_gain[0] == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    ("estimator", "options", "message"),
    [
        (LinearRegression().fit(X, Y), {}, "LinearRegression has no predict_proba: a classifier"),
        (
            LogisticRegression().fit(X, np.arange(150) % 3),
            {},
            "LogisticRegression must have two classes, not 3",
        ),
        (MODEL, {"pos_label": 7}, "pos_label=7 is not among the classes"),
        (MODEL, {"response_method": "predict"}, "response_method must be one of auto, .* not 'predict'"),
    ],
)
def test_an_estimator_without_scores_of_two_classes_is_refused(estimator, options, message):
    with pytest.raises(ValueError, match=message):
        RocDisplay.from_estimator(estimator, X, Y, **options)
