"""scikit-learn's own tests of metrics, scorers and displays pass on those of this package.

They are imported from the tests that scikit-learn is installed with. They ask for the wording of an error,
which is another one here. `in_their_words` raises scikit-learn's error where this package refuses, too.
"""

from functools import partial, wraps

import matplotlib as mpl
import pytest
from sklearn.metrics._plot.tests import test_common_curve_display as of_displays
from sklearn.metrics.tests import test_common as of_metrics
from sklearn.metrics.tests import test_score_objects as of_scorers
from sklearn.utils import check_consistent_length

from aucstudy import metrics

mpl.use("Agg")
import matplotlib.pyplot as plt

AVERAGED = ["auroc", "aupr", "auprg", "aucnpr", "average_precision"]
OF_SCORES = [*AVERAGED, "expected_f_gain"]
OF_LABELS = ["precision_gain", "recall_gain", "f_gain"]
CURVES = ["RocDisplay", "PrecisionRecallDisplay", "PrecisionRecallGainDisplay"]


def in_their_words(metric):
    """Return the metric, which refuses columns of different lengths with scikit-learn's error."""

    @wraps(metric)
    def call(y_true, y_score, **options):
        try:
            return metric(y_true, y_score, **options)
        except ValueError:
            check_consistent_length(y_true, y_score, options.get("sample_weight"))
            raise

    return call


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """Register the metrics where scikit-learn's tests look them up.

    These tests look a metric up by its name, in a table of all metrics and in sets of those with some
    ability.
    """
    for name in [*OF_SCORES, *OF_LABELS]:
        monkeypatch.setitem(of_metrics.ALL_METRICS, name, in_their_words(getattr(metrics, name)))
    for name in OF_SCORES:
        monkeypatch.setitem(of_metrics.CONTINUOUS_CLASSIFICATION_METRICS, name, of_metrics.ALL_METRICS[name])
    sets = {
        "METRICS_WITH_POS_LABEL": {*OF_SCORES, *OF_LABELS},
        "CONTINUOUS_MULTILABEL_METRICS": {*AVERAGED},
        "CONTINUOUS_CLASSIFICATION_METRICS_WITH_AVERAGING": {*AVERAGED},
    }
    for name, own in sets.items():
        monkeypatch.setattr(of_metrics, name, set(getattr(of_metrics, name)) | own)
    monkeypatch.setattr(of_scorers, "get_scorer", metrics.scorers.__getitem__)
    yield
    plt.close("all")


@pytest.mark.parametrize("name", [*OF_SCORES, *OF_LABELS])
@pytest.mark.parametrize(
    "check",
    [
        of_metrics.test_sample_order_invariance,
        of_metrics.test_format_invariance_with_1d_vectors,
        of_metrics.test_binary_sample_weight_invariance,
        of_metrics.test_returned_value_consistency,
        partial(of_metrics.test_metrics_dataframe_series, df_lib_name="pandas"),
    ],
)
def test_a_metric_passes(check, name):
    check(name)


@pytest.mark.parametrize("name", OF_SCORES)
def test_a_metric_of_scores_passes_with_labels_of_text(name):
    of_metrics.test_continuous_classification_invariance_string_vs_numbers_labels(name)


@pytest.mark.parametrize("name", AVERAGED)
@pytest.mark.parametrize(
    "check",
    [
        of_metrics.test_averaging_multilabel,
        of_metrics.test_multilabel_sample_weight_invariance,
        of_metrics.test_continuous_multilabel_multioutput_permutations_invariance,
    ],
)
def test_an_averaged_metric_passes(check, name):
    check(name)


@pytest.mark.parametrize("name", metrics.scorers)
def test_a_scorer_passes_with_metadata_routing(name):
    of_scorers.test_scorer_metadata_request(name)
    of_scorers.test_scorer_set_score_request_raises(name)


def test_everybody_gets_a_scorer_of_their_own(monkeypatch):
    monkeypatch.setattr(of_scorers, "get_scorer", lambda name: metrics.scorers["auroc"])
    of_scorers.test_get_scorer_return_copy()


BINARY = of_displays.make_classification(n_samples=100, random_state=0)
STYLES = [None, {"color": "red"}, [{"c": "red"}, {"c": "green"}, {"c": "yellow"}]]


@pytest.mark.parametrize("cls", CURVES)
@pytest.mark.parametrize("curve_kwargs", STYLES, ids=["default", "one", "each"])
def test_a_display_of_folds_passes(cls, curve_kwargs):
    display = getattr(metrics, cls)
    of_displays.test_display_from_cv_results_curve_kwargs_default_kwargs(plt, BINARY, curve_kwargs, display)
    of_displays.test_display_from_cv_results_pos_label_inferred(plt, BINARY, display)


@pytest.mark.parametrize("curve_kwargs", [None, {"alpha": 0.2}, [{"alpha": a} for a in (0.2, 0.3, 0.4)]])
@pytest.mark.parametrize("cls", CURVES)
def test_a_display_of_folds_takes_the_lines_that_are_asked_for(cls, curve_kwargs):
    of_displays.test_display_from_cv_results_curve_kwargs(plt, BINARY, curve_kwargs, getattr(metrics, cls))


@pytest.mark.parametrize("cls", CURVES)
@pytest.mark.parametrize("constructor", ["from_predictions", "from_estimator"])
def test_a_display_passes_when_subclassed(cls, constructor):
    display = getattr(metrics, cls)
    of_displays.test_classifier_display_curve_named_constructor_return_type(plt, BINARY, display, constructor)


@pytest.mark.parametrize("cls", CURVES)
def test_a_display_of_an_estimator_that_is_not_fitted_passes(cls, monkeypatch):
    display = getattr(metrics, cls)
    monkeypatch.setattr(of_displays, "RocCurveDisplay", display)
    of_displays.test_display_curve_not_fitted_errors(plt, BINARY, of_displays.LogisticRegression(), display)


@pytest.mark.parametrize(
    ("name", "curve_kwargs"),
    [
        *((name, style) for name in (None, "single") for style in STYLES),
        (["one", "two", "three"], STYLES[-1]),
    ],
)
def test_the_legend_of_folds_passes(name, curve_kwargs):
    areas = [0.96, 1.00, 1.00]  # Their test has these for the ROC curve.
    of_displays.test_display_from_cv_results_legend_label(
        plt, metrics.RocDisplay, areas, "AUROC", curve_kwargs, name
    )
