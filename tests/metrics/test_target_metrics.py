"""Target metrics have the values that a search over all thresholds finds, whatever the ties and weights."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from aucstudy.metrics import scorers, target_value
from aucstudy.metrics.areas import areas
from aucstudy.metrics.kernel import order_of
from aucstudy.metrics.target_metrics import (
    AREAS,
    TARGET_METRICS,
    least_value,
    on_samples,
    target_of,
    values_of_counts,
    weighted_values,
)


def searched(name, y, s, weight, rows_meant=None):
    """Return the value of a target metric, found by trying every threshold.

    Precision among the first rows is an expectation over the orders of tied rows.
    """
    target = target_of(name)
    if name.startswith("auroc"):
        return roc_auc_score(y, s, max_fpr=target.number)
    P, N = y.sum(), weight * (~y).sum()
    cuts = [(0.0, 0.0)] + [((y & (s >= c)).sum(), weight * (~y & (s >= c)).sum()) for c in np.unique(s)]
    number = {"P": P, "odds": P / N, "sqrt": np.sqrt(P / N), "odds^.25": (P / N) ** 0.25}.get(
        target.number, target.number
    )
    if name.startswith("precision"):
        number = number if target.number == "P" else min(number * (P + N) / (rows_meant or P + N), P + N)
        above, hits = 0.0, 0.0
        for c in np.unique(s)[::-1]:
            t, f = (y & (s == c)).sum(), weight * (~y & (s == c)).sum()
            share = min(max((number - above) / (t + f), 0.0), 1.0)
            hits, above = hits + share * t, above + t + f
        return hits / number
    value_of = {
        "f": lambda t, f: (1 + number**2) * t / (t + f + number**2 * P),
        "r": lambda t, f: t / P if t and t / (t + f) >= number - 1e-12 else 0.0,
        "n": lambda t, f: t / P - number * f / P,
        "c": lambda t, f: 1 - (number * (P - t) + f) / min(number * P, N),
        "m": lambda t, f: (t * N - f * P) / np.sqrt(max((t + f) * (P + N - t - f) * P * N, 1e-300)),
    }[name[0]]
    return max(value_of(t, f) for t, f in cuts)


@pytest.mark.parametrize(
    "name",
    [
        *TARGET_METRICS,
        "f0.5",
        "precision@3",
        "cost:2",
        "net:.2",
        "net:odds^.25",
        "auroc@.1",
        "auroc@.37",
        "auroc@1",
        "mcc",
    ],
)
@pytest.mark.parametrize("weight", [1.0, 7.5])
def test_the_value_is_that_of_the_best_threshold(name, weight):
    rng = np.random.default_rng(3)
    for levels in (3, 12, 1000):
        y = rng.random(60) < 0.2
        scores = rng.integers(levels, size=(60, 4)) + 0.3 * levels * y[:, None] // 1
        samples = rng.random((5, 60)) < 0.7
        judged = on_samples(order_of(y, scores), scores, samples, [target_of(name)], negative_weight=weight)
        for s, rows in enumerate(samples):
            expected = [searched(name, y[rows], scores[rows, m], weight) for m in range(4)]
            np.testing.assert_allclose(judged.values[0, s], expected, atol=1e-12)


@pytest.mark.parametrize("name", [*TARGET_METRICS, "precision@3", "precision@.1", "auroc@.37"])
def test_weights_count_as_so_many_rows(name):
    rng = np.random.default_rng(6)
    for levels in (3, 1000):
        y, weights = rng.random(60) < 0.3, rng.integers(0, 4, (5, 60)).astype(float)
        scores = rng.integers(levels, size=(60, 3)).astype(float)
        order, target = order_of(y, scores), target_of(name)
        values = weighted_values(order, weights, target, 60.0)
        for k, repeats in enumerate(weights.astype(int)):
            copies = np.repeat(y, repeats), np.repeat(scores, repeats, axis=0)
            sampled = np.ones((1, repeats.sum()), dtype=bool)
            judged = on_samples(order_of(*copies), copies[1], sampled, [target], of_rows=60)
            np.testing.assert_allclose(values[k], judged.values[0, 0], atol=1e-11)


def test_a_number_below_1_is_a_share_of_the_rows():
    y, score = np.arange(200) % 3 == 0, np.random.default_rng(7).random((200, 1))
    share, rows = (
        weighted_values(order_of(y, score), np.ones((1, 200)), target_of(name), 200.0)
        for name in ("precision@.05", "precision@10")
    )
    assert share == rows


@pytest.mark.parametrize(
    ("text", "least"), [("f1", 0.0), ("net:1", 0.0), ("auroc@.1", 0.9 / 1.9), ("auroc@1", 0.0)]
)
def test_the_worst_ranking_has_the_least_value(text, least):
    y, score = np.array([True, True, False, False]), np.array([[1.0], [2], [3], [4]])
    target = target_of(text)
    assert least_value(target) == pytest.approx(least)
    worst = weighted_values(order_of(y, score), np.ones((1, 4)), target, 4.0)[0, 0]
    assert worst == pytest.approx(least) if text != "f1" else worst >= least


def test_a_sample_takes_its_share_of_the_first_rows():
    rng = np.random.default_rng(4)
    y, scores = rng.random(80) < 0.3, rng.random((80, 2))
    rows = np.arange(80) < 40
    judged = on_samples(order_of(y, scores), scores, rows[None], [target_of("precision@20")], of_rows=80)
    expected = [searched("precision@20", y[rows], scores[rows, m], 1.0, 80) for m in range(2)]
    np.testing.assert_allclose(judged.values[0, 0], expected)


def test_areas_and_thresholds_are_those_of_the_sample():
    rng = np.random.default_rng(5)
    y = rng.random(50) < 0.3
    scores = rng.integers(9, size=(50, 3)) / 8
    rows = rng.random(50) < 0.6
    judged = on_samples(order_of(y, scores), scores, rows[None], [target_of("f1")])
    for m in range(3):
        areas_of_rows = areas(y[rows], scores[rows, m])
        np.testing.assert_allclose(judged.areas[:, 0, m], [getattr(areas_of_rows, name) for name in AREAS])
        accepted = scores[rows, m] >= judged.thresholds[0, 0, m]
        true = (accepted & y[rows]).sum()
        assert judged.values[0, 0, m] == pytest.approx(2 * true / (accepted.sum() + y[rows].sum()))
        assert judged.false_positives[0, 0, m] == accepted.sum() - true


def on_all_rows(y, score, names, **weighting):
    y, scores = np.asarray(y, dtype=bool), np.asarray(score, dtype=float)[:, None]
    samples = np.ones((1, len(y)), dtype=np.uint8)
    return on_samples(order_of(y, scores), scores, samples, [target_of(name) for name in names], **weighting)


def test_a_precision_that_is_reached_but_for_rounding_is_reached():
    y, score = [False] * 3 + [True] * 3, -np.arange(6.0)
    worst = on_all_rows(y, score, ["recall@.5"], negative_weight=1.0000000000000002)
    assert worst.values.item() == 1
    weights = np.array([0.1, 0.1, 0.1, 0.3])  # The sum 0.1 + 0.1 + 0.1 is 0.30000000000000004.
    assert target_value([0, 0, 0, 1], [2, 2, 2, 1], "recall@.5", sample_weight=weights) == 1


@pytest.mark.parametrize("name", ["net:odds", "cost:1", "cost:10", "cost:49", "cost:60", "precision@1"])
@pytest.mark.parametrize("negative_weight", [1.0, 1 / 49, 0.1, 9.7])
@pytest.mark.parametrize("negatives", [7, 10, 49])
def test_the_lowest_value_is_exactly_0_so_that_models_that_have_it_tie(name, negative_weight, negatives):
    if name == "precision@1" and negatives * negative_weight < 0.99:
        return  # The positive is among the first rows.
    y = np.arange(negatives + 1) == negatives
    worst = on_all_rows(y, -np.arange(negatives + 1), [name], negative_weight=negative_weight)
    assert worst.values.item() == 0
    if name == "net:odds":
        assert worst.thresholds.item() == np.inf
        constant = on_all_rows(y, np.zeros(negatives + 1), [name], negative_weight=negative_weight)
        assert constant.values.item() == 0


def test_a_threshold_that_was_set_elsewhere_has_the_value_that_its_counts_say():
    counts = np.array([0.0, 1, 2, 2]), np.array([0.0, 0, 1, 49])
    assert values_of_counts(target_of("net:odds"), *counts, 2.0, 49.0).tolist()[::3] == [0, 0]
    assert values_of_counts(target_of("f1"), *counts, 2.0, 49.0) == pytest.approx([0, 2 / 3, 0.8, 4 / 53])
    assert values_of_counts(target_of("cost:10"), *counts, 2.0, 49.0) == pytest.approx([0, 0.5, 0.95, -1.45])
    assert values_of_counts(target_of("recall@.5"), *counts, 2.0, 49.0).tolist() == [0, 0.5, 1, 0]
    with pytest.raises(ValueError, match="no threshold"):
        values_of_counts(target_of("precision@P"), *counts, 2.0, 49.0)


def test_first_rows_without_a_positive_are_false_positives():
    worst = on_all_rows([False] * 8 + [True, True], -np.arange(10.0), ["precision@3", "auroc@.25"])
    assert worst.false_positives.ravel().tolist() == [3, 2]
    assert worst.thresholds.ravel().tolist() == [-2.5, -1.5]


NO_TARGET_METRICS = (
    "f", "f0", "recall@2", "recall@P", "auroc@1.5", "auroc@P", "auroc@0", "net:P", "cost:odds", "accuracy", "f1 ",
)  # fmt: skip


@pytest.mark.parametrize("text", NO_TARGET_METRICS)
def test_a_text_that_is_no_target_metric_is_refused(text):
    with pytest.raises(ValueError, match=r"not known; expected: f1, f2"):
        target_of(text)


@pytest.mark.parametrize("name", [*TARGET_METRICS, "auroc@.1", "recall@.8"])
def test_the_public_value_and_its_scorer_are_those_that_the_audit_shows(name):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + rng.normal(size=300) > 1.2
    model = LogisticRegression().fit(X, y)
    score = model.decision_function(X)
    order = order_of(y, score[:, None])
    expected = weighted_values(order, np.ones((1, 300)), target_of(name), 300.0)[0, 0]
    assert target_value(y, score, name) == pytest.approx(expected, abs=1e-12)
    assert scorers[name](model, X, y) == pytest.approx(expected, abs=1e-12)
    labels = np.where(y, "yes", "no")
    twice = target_value(labels, score, name, pos_label="yes", sample_weight=np.full(300, 2.0))
    if not name.startswith("precision@100"):
        assert twice == pytest.approx(expected, abs=1e-12)


def test_a_partial_auroc_as_a_target_metric_is_scikit_learns():
    y, score = np.arange(200) % 3 == 0, np.random.default_rng(1).normal(size=200)
    assert target_value(y, score, "auroc@.1") == pytest.approx(
        roc_auc_score(y, score, max_fpr=0.1), abs=1e-12
    )


@pytest.mark.parametrize(
    "arguments", [([0, 1], [1, 2], "f"), ([0, 1], [1, 2], "recall@2"), ([0, 1], [1], "f1")]
)
def test_target_metrics_and_scores_that_make_no_sense_are_refused(arguments):
    with pytest.raises(ValueError, match=r"target metric|y_score"):
        target_value(*arguments)
    assert "recall@2" not in scorers
