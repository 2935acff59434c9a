"""Each entry of the registry agrees with the metric that it describes, and names lead to one metric."""

import numpy as np
import pandas as pd
import pytest

from aucstudy.metrics import areas, areas_many, aupr, compare, interval, target_value
from aucstudy.metrics.curves import pr_curve
from aucstudy.metrics.definition import Totals
from aucstudy.metrics.registry import METRICS, metric, ranking_keys

SIZES = [(1, 9), (5, 5), (30, 4)]


@pytest.mark.parametrize("entry", METRICS, ids=lambda entry: entry.key)
@pytest.mark.parametrize(("P", "N"), SIZES)
def test_bounds_and_chance_are_those_of_worst_perfect_and_constant_rankings(entry, P, N):
    y = np.repeat([1, 0], [P, N])
    value = {
        name: getattr(areas(y, score), entry.key)
        for name, score in {"worst": -y, "perfect": y, "constant": 0 * y}.items()
    }
    assert value["perfect"] == pytest.approx(entry.highest(P, N), abs=1e-12)
    assert value["constant"] == pytest.approx(entry.chance(P, N), abs=1e-12)
    assert value["worst"] >= entry.lowest(P, N) - 1e-12
    if entry.key != "average_precision":  # only a lower bound is known for it
        untied = -np.arange(P + N)[::-1]
        worst = getattr(areas(y, untied), entry.key)
        assert worst == pytest.approx(entry.lowest(P, N), abs=1e-12)


@pytest.mark.parametrize("entry", METRICS, ids=lambda entry: entry.key)
def test_a_metric_that_ranks_like_another_is_an_increasing_function_of_it(entry):
    if not entry.ranks_like:
        assert entry.key in ranking_keys()
        return
    rng = np.random.default_rng(1)
    values = areas_many(rng.random(200) < 0.2, rng.normal(size=(200, 40)))
    order = np.argsort(getattr(values, entry.ranks_like))
    assert (np.diff(getattr(values, entry.key)[order]) >= 0).all()


@pytest.mark.parametrize("entry", METRICS, ids=lambda entry: entry.key)
def test_terms_have_an_entry_for_each_group_that_they_do_not_leave_out(entry):
    t, f, d, e = np.array([[0.0, 2.0], [1.0, 1.0], [2.0, 1.0], [0.0, 3.0]])
    terms = entry.terms(t, f, d, e, Totals(3.0, 4.0))
    for array in terms if isinstance(terms, tuple) else (terms,):
        assert array.ndim == 1
        assert 0 < len(array) <= 2


def test_names_of_scikit_learn_and_labels_lead_to_the_metric():
    for name in ("ap", "AP", "average_precision", "average-precision", "Average precision"):
        assert metric(name).key == "average_precision"
    assert metric("roc_auc").key == "auroc"
    with pytest.raises(ValueError, match="metric 'auprc' is not known; did you mean 'aupr'"):
        metric("auprc")


Y = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1])
SCORE = np.array([9, 8, 7, 6, 5, 4, 3, 2, 1, 0.5])
OTHER = np.array([9, 1, 7, 8, 5, 2, 3, 6, 4, 0.5])


def test_an_interval_without_a_metric_is_of_all_and_one_of_a_target_metric_is_as_in_an_audit():
    every = interval(Y, SCORE)
    assert list(every) == [entry.key for entry in METRICS]
    for key, limits in every.items():
        assert limits == interval(Y, SCORE, metric=key)
        assert limits.low <= limits.estimate <= limits.high
    assert interval(Y, SCORE, metric="AP") == every["average_precision"]
    f1 = interval(Y, SCORE, metric="f1")
    assert f1.estimate == target_value(Y, SCORE, "f1")
    assert 0 <= f1.low < f1.estimate < f1.high <= 1
    assert compare(Y, SCORE, OTHER)["auroc"] == compare(Y, SCORE, OTHER, metric="auroc")
    difference = compare(Y, SCORE, OTHER, metric="f1")
    expected = target_value(Y, SCORE, "f1") - target_value(Y, OTHER, "f1")
    assert difference.estimate == pytest.approx(expected)
    assert difference.low < difference.estimate < difference.high
    with pytest.raises(ValueError, match="margin must lie strictly between 0 and 1, not 2"):
        compare(Y, SCORE, OTHER, metric="f1", margin=2)


@pytest.mark.parametrize(
    "call",
    [
        lambda y, s: areas(y, s),
        lambda y, s: aupr(y, s),
        lambda y, s: areas(y, np.arange(4), sample_weight=s),
        lambda y, s: areas_many(y, s.to_frame()),
        lambda y, s: areas_many(y, np.zeros((4, 1)), groups=s > 2),
        lambda y, s: interval(y, s, metric="auroc"),
        lambda y, s: interval(y, np.arange(4), metric="auroc", folds=s),
        lambda y, s: compare(y, s, s, metric="auroc"),
        lambda y, s: target_value(y, s, "f1"),
        lambda y, s: pr_curve(y, s),
    ],
)
def test_a_series_with_the_index_of_the_labels_in_another_order_is_refused(call):
    y = pd.Series([1, 0, 1, 0], index=list("abcd"))
    scores = pd.Series([1.0, 2.0, 3.0, 4.0], index=list("badc"))
    with pytest.raises(ValueError, match="has the index of y_true in another order; bring it into the order"):
        call(y, scores)
    call(y, scores.loc[y.index])
    call(y, scores.reset_index(drop=True))


def test_frames_whose_columns_have_numbers_for_names_are_taken_by_column():
    scores = np.random.default_rng(2).normal(size=(4, 4))
    y = np.array([1, 0, 1, 0])
    np.testing.assert_array_equal(areas_many(y, pd.DataFrame(scores)).auroc, areas_many(y, scores).auroc)
