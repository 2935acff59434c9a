"""Wants are worth what a search over all thresholds finds, whatever the ties and weights."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from aucstudy.metrics.areas import areas
from aucstudy.metrics.engine.walks import order_of
from aucstudy.metrics.wants import AREAS, WANTS, on_samples, want_of


def searched(name, y, s, weight, rows_meant=None):
    """The worth by trying every threshold, and every number of rows in the expectation over orders of tied rows."""
    want = want_of(name)
    if name.startswith("auroc"):
        return roc_auc_score(y, s, max_fpr=want.number)
    P, N = y.sum(), weight * (~y).sum()
    cuts = [(0.0, 0.0)] + [((y & (s >= c)).sum(), weight * (~y & (s >= c)).sum()) for c in np.unique(s)]
    number = {"P": P, "odds": P / N, "sqrt": np.sqrt(P / N)}.get(want.number, want.number)
    if name.startswith("precision"):
        number = number if want.number == "P" else min(number * (P + N) / (rows_meant or P + N), P + N)
        above, hits = 0.0, 0.0
        for c in np.unique(s)[::-1]:
            t, f = (y & (s == c)).sum(), weight * (~y & (s == c)).sum()
            share = min(max((number - above) / (t + f), 0.0), 1.0)
            hits, above = hits + share * t, above + t + f
        return hits / number
    worth = {
        "f": lambda t, f: (1 + number**2) * t / (t + f + number**2 * P),
        "r": lambda t, f: t / P if t and t / (t + f) >= number - 1e-12 else 0.0,
        "n": lambda t, f: t / P - number * f / P,
        "c": lambda t, f: 1 - (number * (P - t) + f) / min(number * P, N),
    }[name[0]]
    return max(worth(t, f) for t, f in cuts)


@pytest.mark.parametrize(
    "name", [*WANTS, "f0.5", "precision@3", "cost:2", "net:.2", "auroc@.1", "auroc@.37", "auroc@1"]
)
@pytest.mark.parametrize("weight", [1.0, 7.5])
def test_the_worth_is_that_of_the_best_threshold(name, weight):
    rng = np.random.default_rng(3)
    for levels in (3, 12, 1000):
        y = rng.random(60) < 0.2
        scores = rng.integers(levels, size=(60, 4)) + 0.3 * levels * y[:, None] // 1
        samples = rng.random((5, 60)) < 0.7
        made = on_samples(order_of(y, scores), scores, samples, [want_of(name)], negative_weight=weight)
        for s, rows in enumerate(samples):
            expected = [searched(name, y[rows], scores[rows, m], weight) for m in range(4)]
            np.testing.assert_allclose(made.worth[0, s], expected, atol=1e-12)


def test_a_sample_takes_its_share_of_the_first_rows():
    rng = np.random.default_rng(4)
    y, scores = rng.random(80) < 0.3, rng.random((80, 2))
    rows = np.arange(80) < 40
    made = on_samples(order_of(y, scores), scores, rows[None], [want_of("precision@20")], of_rows=80)
    expected = [searched("precision@20", y[rows], scores[rows, m], 1.0, 80) for m in range(2)]
    np.testing.assert_allclose(made.worth[0, 0], expected)


def test_areas_and_thresholds_are_those_of_the_sample():
    rng = np.random.default_rng(5)
    y = rng.random(50) < 0.3
    scores = rng.integers(9, size=(50, 3)) / 8
    rows = rng.random(50) < 0.6
    made = on_samples(order_of(y, scores), scores, rows[None], [want_of("f1")])
    for m in range(3):
        own = areas(y[rows], scores[rows, m])
        np.testing.assert_allclose(made.areas[:, 0, m], [getattr(own, name) for name in AREAS])
        accepted = scores[rows, m] >= made.thresholds[0, 0, m]
        true = (accepted & y[rows]).sum()
        assert made.worth[0, 0, m] == pytest.approx(2 * true / (accepted.sum() + y[rows].sum()))
        assert made.false_positives[0, 0, m] == accepted.sum() - true


@pytest.mark.parametrize(
    "text",
    [
        "f",
        "f0",
        "recall@2",
        "recall@P",
        "auroc@1.5",
        "auroc@P",
        "auroc@0",
        "net:P",
        "cost:odds",
        "accuracy",
        "f1 ",
    ],
)
def test_a_text_that_is_no_want_is_refused(text):
    with pytest.raises(ValueError, match=r"not known; wanted: f1, f2"):
        want_of(text)
