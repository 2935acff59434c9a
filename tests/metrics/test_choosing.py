"""The compiled walk that chooses and judges on rows gives the values of scikit-learn and plain numpy."""

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    brier_score_loss,
    fbeta_score,
    roc_auc_score,
)

from aucstudy.metrics import areas, expected_f_gain
from aucstudy.metrics.choosing import CRITERIA, UTILITIES, choose_and_judge
from aucstudy.metrics.kernel import order_of


def threshold_of(y, s, beta=None):
    """Return the threshold with the highest F_beta, or without `beta` with the highest accuracy.

    It lies half way to the next lower score, and is inf where accepting no row is best.
    """
    candidates = np.append(np.inf, np.unique(s)[::-1])
    accepted = s >= candidates[:, None]
    true, false = (accepted & y).sum(axis=1), (accepted & ~y).sum(axis=1)
    values = true - false if beta is None else (1 + beta**2) * true / (true + false + beta**2 * y.sum())
    best = np.argmax(np.round(values, 12))
    return np.inf if best == 0 else candidates[best : best + 2].mean()


def top_precision(y, s):
    """Return the precision of the first P rows, as a mean over the random orders of tied rows."""
    P, ordered = y.sum(), np.sort(s)[::-1]
    surely, tied = s > ordered[P - 1], s == ordered[P - 1]
    return (y[surely].sum() + (P - surely.sum()) * y[tied].mean()) / P


def recall_at(y, s, precision):
    recalls = [y[s >= t].mean() >= precision and y[s >= t].sum() / y.sum() for t in np.unique(s)]
    return max([0.0, *map(float, recalls)])


def calibrated(y, s, other):
    """Return isotonic probabilities of other scores, each that of the nearest score.

    Half way between two scores, it is that of the higher one.
    """
    fitted = IsotonicRegression().fit(s, y)
    known = np.unique(s)
    borders = (known[1:] + known[:-1]) / 2
    return np.clip(fitted.predict(known[np.searchsorted(borders, other, side="right")]), 0, 1)


def expected(y, s, choosing, judging):
    yc, sc, yj, sj = y[choosing], s[choosing], y[judging], s[judging]
    chosen, judged = areas(yc, sc), areas(yj, sj)
    cuts = [threshold_of(yc, sc, beta) for beta in (0.5, 1, 2)]
    accurate = threshold_of(yc, sc)
    criteria = {
        "aupr": chosen.aupr,
        "auprg": chosen.auprg,
        "auroc": roc_auc_score(yc, sc),
        "average_precision": average_precision_score(yc, sc),
        "f1": fbeta_score(yc, sc >= cuts[1], beta=1, zero_division=0),
        "accuracy": accuracy_score(yc, sc >= accurate),
    }
    utilities = {
        "auroc": roc_auc_score(yj, sj),
        "aupr": judged.aupr,
        "average_precision": average_precision_score(yj, sj),
        "auprg_clipped": areas(yj, sj, negative_gains="clip").auprg,
        "expected_fg1": expected_f_gain(yj, sj),
        **{
            name: fbeta_score(yj, sj >= cut, beta=beta, zero_division=0)
            for name, beta, cut in zip(("f05", "f1", "f2"), (0.5, 1, 2), cuts, strict=True)
        },
        "precision_at_p": top_precision(yj, sj),
        "recall_at_90": recall_at(yj, sj, 0.9),
        "minus_cost": -brier_score_loss(yj, calibrated(yc, sc, sj)),
        "accuracy": accuracy_score(yj, sj >= accurate),
    }
    return [criteria[name] for name in CRITERIA], [utilities[name] for name in UTILITIES]


@pytest.mark.parametrize(
    ("n", "prevalence", "seed"), [(60, 0.3, 1), (120, 0.1, 2), (90, 0.8, 3), (40, 0.5, 4)]
)
def test_every_criterion_and_utility_is_that_of_the_rows_themselves(n, prevalence, seed):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    y[:4], y[-4:] = True, False
    scores = np.column_stack(
        [
            rng.normal(size=n) + 1.5 * y,
            np.round(rng.random(n) + 0.5 * y, 1),
            1.0 * (rng.random(n) < 0.3 + 0.4 * y),
            rng.random(n),
            y + 0.0,
        ]
    )
    role = rng.integers(0, 3, (2, n))
    role[:, :2], role[:, 2:4] = 0, 1
    role[:, -2:], role[:, -4:-2] = 0, 1
    criteria, utilities = choose_and_judge(order_of(y, scores), scores, role == 0, role == 1)
    for s in range(len(role)):
        for m in range(scores.shape[1]):
            expected_values = expected(y, scores[:, m], role[s] == 0, role[s] == 1)
            np.testing.assert_allclose(criteria[:, s, m], expected_values[0], atol=1e-12)
            np.testing.assert_allclose(utilities[:, s, m], expected_values[1], atol=1e-12)


def test_infinite_scores_order_and_leave_the_threshold_where_it_is():
    y = np.array([True, False, True, False, True, False])
    scores = np.array([np.inf, -np.inf, np.inf, 0.0, 1.0, -np.inf])[:, None]
    split = np.array([[True, True, False, True, False, False]])
    _, utilities = choose_and_judge(order_of(y, scores), scores, split, ~split)
    assert dict(zip(UTILITIES, utilities[:, 0, 0], strict=True))["f1"] == pytest.approx(2 / 3)


def test_the_worst_ranking_has_no_expected_gain_and_a_cost_that_is_known():
    y = np.tile([True, False], 10)
    scores = np.where(y, 0.0, 1.0)[:, None]
    split = (np.arange(20) < 10)[None]
    _, utilities = choose_and_judge(order_of(y, scores), scores, split, ~split)
    got = dict(zip(UTILITIES, utilities[:, 0, 0], strict=True))
    assert np.isnan(got["expected_fg1"])
    assert got["minus_cost"] == pytest.approx(-0.25)
    assert got["auroc"] == got["recall_at_90"] == 0


@pytest.mark.parametrize("n_negative", [13, 22, 26])
def test_the_clipped_auprg_of_judging_rows_is_not_below_0_by_rounding(n_negative):
    worst = np.arange(1 + n_negative) < 1, np.arange(1.0 + n_negative)
    y, scores = np.tile(worst[0], 2), np.tile(worst[1], 2)[:, None]
    choosing = np.arange(len(y))[None] <= n_negative
    _, utilities = choose_and_judge(order_of(y, scores), scores, choosing, ~choosing)
    assert utilities[UTILITIES.index("auprg_clipped")].item() == 0
