"""Displays draw the curves that the functions give; several share an axis, on which guides are drawn once."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from aucstudy.metrics import (
    PrecisionRecallDisplay,
    PrecisionRecallGainDisplay,
    RocDisplay,
    aupr,
    auprg,
    auroc,
    pr_curve,
)

mpl.use("Agg")
import matplotlib.pyplot as plt

X, Y = make_classification(150, weights=[0.7], random_state=0)
MODEL = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y)
SCORES = MODEL.predict_proba(X)[:, 1]
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
    assert "Positive label: 1" in from_estimator.ax_.get_xlabel()


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
    second = cls.from_predictions(Y, -SCORES, ax=first.ax_, curve_kwargs={"c": "black", "linestyle": "--"})
    own = 2 if cls is PrecisionRecallGainDisplay else 1  # A gain curve has a hull.
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
        scores = model.predict_proba(X[rows])[:, 1]
        areas.append(area(Y[rows], scores, sample_weight=weights[rows]))
        alone = cls.from_predictions(Y[rows], scores, sample_weight=weights[rows], pos_label=1)
        np.testing.assert_array_equal(line.get_ydata(), alone.line_.get_ydata())
    (text,) = drawn.ax_.get_legend().get_texts()
    expected = f"model ({area.__name__.upper()} = {np.mean(areas):.2f} +/- {np.std(areas):.2f})"
    assert text.get_text() == expected


@every_display
def test_folds_draw_their_guides_once(cls):
    # Folds of 49 to 51 rows have slightly different prevalences.
    drawn = cls.from_cv_results(folds(), X, Y)
    alone = cls.from_predictions(Y, SCORES, **({"plot_hull": False} if hasattr(drawn, "hull") else {}))
    assert len(drawn.ax_.lines) == len(alone.ax_.lines) + 2
    assert len(drawn.ax_.collections) == len(alone.ax_.collections)


def test_folds_take_the_options_of_their_areas():
    at_tenth = PrecisionRecallDisplay.from_cv_results(folds(), X, Y, prevalence=0.1)
    assert at_tenth.prevalence == pytest.approx([0.1] * 3)
    clipped = PrecisionRecallGainDisplay.from_cv_results(folds(), X, 1 - Y, negative_gains="clip")
    assert min(clipped.auprg) >= 0


@pytest.mark.parametrize(
    ("changed", "options", "message"),
    [
        ({"indices": None}, {}, "`cv_results` does not contain one of the .*return_indices=True"),
        ({"estimator": None}, {}, "`cv_results` does not contain one of the"),
        ({}, {"X": X[:90], "y": Y[:90]}, "`X` does not contain the correct number .* Expected 150, got 90"),
        ({}, {"y": Y[:90]}, "inconsistent numbers of samples"),
        ({}, {"name": ["a", "b", "c"]}, "`curve_kwargs` should be a list of 3 dictionaries"),
        ({}, {"curve_kwargs": [{}]}, "`curve_kwargs` must be None, a dictionary or a list of length 3"),
    ],
)
def test_folds_that_do_not_fit_their_rows_are_refused(changed, options, message):
    results = {key: value for key, value in folds().items() if key not in changed}
    with pytest.raises(ValueError, match=message):
        RocDisplay.from_cv_results(results, **{"X": X, "y": Y} | options)


@every_display
def test_probabilities_are_drawn_where_there_are_both(cls):
    display = cls.from_estimator(MODEL, X, Y, response_method="auto")
    probabilities = cls.from_estimator(MODEL, X, Y, response_method="predict_proba")
    np.testing.assert_array_equal(display.line_.get_xdata(), probabilities.line_.get_xdata())
    assert np.isfinite(cls.from_estimator(LinearSVC().fit(X, Y), X, Y).line_.get_ydata()).all()


@every_display
@pytest.mark.parametrize("label", [0, 1])
def test_one_class_draws_no_curve_and_warns(cls, label):
    with pytest.warns(UserWarning, match="one class only"):
        display = cls.from_predictions([label] * 3, [0.1, 0.2, 0.3])
    assert np.isnan(getattr(display, display.fields[-1]))


@every_display
def test_points_may_be_lists_of_numbers_and_an_area_may_be_unknown(cls):
    drawn = cls([0, 0.5, 1], [1, 0.5, 0], name="mine").plot()
    assert drawn.line_.get_xdata().tolist() == [0, 0.5, 1]
    assert drawn.line_.get_label() == "mine"
    several = cls([np.array([0, 1])] * 2, [np.array([1, 0])] * 2).plot()
    assert len(several.line_) == 2


def test_an_unknown_guide_is_named():
    with pytest.raises(TypeError, match="plot_hulls"):
        PrecisionRecallGainDisplay.from_predictions(Y, SCORES, plot_hulls=True)


def test_without_scikit_learn_the_extra_is_named():
    code = "import sys; sys.modules['sklearn'] = None\nfrom aucstudy.metrics import RocDisplay"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    message = (
        "ImportError: the displays are built on scikit-learn, 1.8 or later; pip install 'aucstudy[plots]'"
    )
    assert message in done.stderr


def test_the_points_of_the_hyperbolas_are_those_of_the_precision_recall_curve():
    random = np.random.default_rng(0)
    scores, weight = random.integers(0, 20, 150), random.random(150)
    display = PrecisionRecallDisplay.from_predictions(Y, scores, sample_weight=weight, prevalence=0.1)
    vertices = pr_curve(Y, scores, sample_weight=weight, prevalence=0.1)
    curve = pr_curve(Y, scores, sample_weight=weight, prevalence=0.1, points_per_segment=500)
    drawn = display.recall + 1j * display.precision
    assert max(abs(drawn - vertex).min() for vertex in vertices.recall + 1j * vertices.precision) < 1e-12
    between = ~np.isin(display.recall, vertices.recall)
    expected = np.interp(display.recall[between], curve.recall, curve.precision)
    np.testing.assert_allclose(display.precision[between], expected, atol=1e-5)
    assert np.diff(display.recall).max() <= 1 / 400 + 1e-12


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
    display = PrecisionRecallGainDisplay.from_predictions(Y, SCORES)
    pi = Y.mean()
    texts = [text.get_text() for text in display.ax_.texts]
    assert f"F1={pi / (1 - (1 - pi) * 0.4):.2g}" in texts
    assert display.recall_gain[0] == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    ("estimator", "options", "message"),
    [
        (LinearRegression().fit(X, Y), {}, "to be a binary classifier"),
        (IsolationForest(n_estimators=2).fit(X), {}, "to be a binary classifier"),
        (LogisticRegression().fit(X, np.arange(150) % 3), {}, "to be a binary classifier. Got 3 classes"),
        (MODEL, {"pos_label": 7}, "pos_label=7 is not a valid label"),
        (
            LinearSVC().fit(X, Y),
            {"response_method": "predict_proba"},
            "LinearSVC has none of the .*predict_proba",
        ),
    ],
)
def test_an_estimator_without_scores_of_two_classes_is_refused(estimator, options, message):
    with pytest.raises((ValueError, AttributeError), match=message):
        RocDisplay.from_estimator(estimator, X, Y, **options)
