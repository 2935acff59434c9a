"""PRG-calibrated thresholds against probabilities, and the printed intervals of beta, on cases with known answers."""

import dataclasses

import numpy as np
import pytest
from measured import estimates, measured, predictions_of

from aucstudy.experiments import thresholds
from aucstudy.experiments.thresholds import (
    BETAS_SQUARED,
    CALIBRATED,
    FITTED,
    HELD_OUT,
    NEIGHBOURS,
    ODDS,
    THRESHOLDS,
    calibration_of_task,
    default_threshold,
    expected_f,
    f_of,
    held_out_folds,
    intervals_of_task,
    judged_calibrations,
    judged_thresholds,
)
from aucstudy.metrics import prg_hull, roc_hull
from aucstudy.metrics.kernel import order_of


def task(y, scores, folds):
    return dataclasses.replace(predictions_of(y, scores), fold=folds)


def twice(seed=0, n=120, models=3):
    """Return a task whose second fold repeats the first row by row.

    Calibration rows and held-out rows are therefore the same.
    """
    rng = np.random.default_rng(seed)
    y = np.arange(n) < n // 4
    scores = np.round(rng.normal(size=(n, models)) + 0.8 * y[:, None], 1)
    return task(np.tile(y, 2), np.tile(scores, (2, 1)), np.repeat([0, 1], n))


def cases(made):
    by_task = calibration_of_task(made, held_out_folds(made), order_of(made.y_true, made.scores), 1)
    return by_task.set_index(["against", "rows", "odds", "beta"])["difference"].sort_index()


def judged_of(made):
    return judged_thresholds(order_of(made.y_true, made.scores), made.scores, held_out_folds(made))


def searched_threshold(y, scores, beta_squared):
    """Return the threshold with the highest F_beta, half way to the next lower score.

    If several have it, it is the highest of them.
    """
    known = np.unique(scores)[::-1]
    counts = [(y[scores >= score].sum(), (~y[scores >= score]).sum(), y.sum()) for score in known]
    best = int(np.argmax(f_of(np.array(counts, dtype=float), beta_squared)))
    return known[best] - (known[best] - known[best + 1]) / 2 if best + 1 < len(known) else known[best]


def calibrated_threshold(y, scores, beta_squared):
    """Return the lowest score whose F-calibrated value is at least 1/(1 + beta^2)."""
    hull = prg_hull(y, scores)
    return hull.thresholds[(hull.d >= 1 / (1 + beta_squared)).sum()]


def counted(y, accepted):
    return [int((accepted & y).sum()), int((accepted & ~y).sum()), int(y.sum())]


def with_ties(seed):
    """Draw a task of five folds whose models have many, few and two distinct scores."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(25, 90))
    y = rng.random(n) < 0.4
    scores = rng.normal(size=(n, 4)) + y[:, None]
    scores = np.round(scores * [1000, 2, 1, 1])
    scores[:, 3] = scores[:, 3] > 0
    return task(y, scores, rng.integers(0, 5, n))


def test_on_the_rows_it_was_calibrated_on_no_rival_beats_the_prg_threshold_and_the_plug_in_one_is_the_same():
    differences = cases(twice())
    same_rows = differences.xs(("all", 1.0), level=["rows", "odds"])
    assert (same_rows >= -1e-12).all()
    assert same_rows["isotonic_same"].max() > 0.01
    assert same_rows["isotonic_plug_in"].abs().max() == pytest.approx(0, abs=1e-12)


def test_moved_to_other_odds_the_threshold_is_the_best_of_all_there():
    made = twice()
    y, s = made.y_true[:120], made.scores[:120, 0]
    one = task(made.y_true, made.scores[:, :1], made.folds)
    moved = cases(one)["prg_moved", "all", 4.0]

    def f_at(cuts, beta):
        predicted = s >= np.asarray(cuts)[:, None]
        counts = [
            (predicted & y).sum(axis=1),
            (predicted & ~y).sum(axis=1) / 4,
            np.full(len(predicted), y.sum()),
        ]
        return f_of(np.stack(counts, axis=-1)[:, None, :], np.array([beta**2]))

    for beta in (0.5, 1.0, 2.0):
        own = calibrated_threshold(y, s, beta**2)
        assert f_at([own], beta).item() - moved[beta] == pytest.approx(f_at(np.unique(s), beta).max())


def test_at_other_odds_the_unmoved_threshold_loses_what_either_told_of_them_gains():
    differences = cases(twice())
    assert differences["prg_moved", "all", 4.0].min() < -0.01
    both = differences["isotonic_plug_in"] - differences["prg_moved"]
    assert differences["both_told"].to_numpy() == pytest.approx(both.to_numpy(), abs=1e-12)


def test_the_expected_f_of_certain_probabilities_is_that_of_the_labels():
    assert expected_f(np.array([1.0, 1.0, 0.0]), np.ones(3)).tolist() == [1, 1, 1]
    always = expected_f(np.full(10, 0.3), np.ones(10))
    assert always[1] == pytest.approx(2 * 0.3 / 1.3)


def test_as_many_calibration_rows_as_there_are_draw_none():
    assert set(cases(twice(n=40)).index.get_level_values("rows")) == {"all"}
    assert set(cases(twice(n=120)).index.get_level_values("rows")) == {"all", "50"}


def test_on_its_own_rows_a_printed_interval_of_beta_holds_everywhere():
    leads = intervals_of_task(judged_of(twice()))
    assert (leads["lead"] > -1e-12).all()
    assert (leads["leads_both"] == 1).all()


def test_on_rows_of_pure_chance_a_printed_interval_of_beta_need_not_hold():
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.3
    leads = intervals_of_task(judged_of(task(y, rng.normal(size=(200, 4)), np.arange(200) % 5)))
    assert leads["leads_both"].min() < 1


def test_a_printed_interval_of_beta_leads_by_counts_of_rows():
    scores = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2])[:, None]
    y = np.array([1, 1, 0, 1, 1, 0, 0, 0], dtype=bool)
    made = task(np.tile(y, 2), np.tile(scores, (2, 1)), np.repeat([0, 1], 8))
    leads = intervals_of_task(judged_of(made)).set_index(["beta", "neighbour"])["lead"]
    # The vertices are (2, 0), (4, 1) and (4, 4) in true and false positives.
    assert leads[1.0, "stricter"] == pytest.approx(8 / 9 - 4 / 6)
    assert leads[1.0, "laxer"] == pytest.approx(8 / 9 - 8 / 12)


@pytest.mark.parametrize("seed", range(6))
def test_one_walk_counts_what_thresholds_and_the_vertices_around_the_best_accept_of_each_fold(seed):
    made = with_ties(seed)
    y, scores = made.y_true, made.scores
    default, judged = default_threshold(scores), judged_of(made)
    for fold, roles in enumerate(held_out_folds(made)):
        fitted, held_out = roles == FITTED, roles == HELD_OUT
        for m, s in enumerate(scores.T):
            train = y[fitted], s[fitted]
            roc, prg = roc_hull(*train), prg_hull(*train)
            for b, beta_squared in enumerate(BETAS_SQUARED):
                cuts = {
                    "default": default[m],
                    "probability_half": roc.thresholds[(roc.probability >= 0.5).sum()],
                    "f_calibrated": calibrated_threshold(*train, beta_squared),
                    "searched": searched_threshold(*train, beta_squared),
                    "hindsight": searched_threshold(y, s, beta_squared),
                }
                expected = [counted(y[held_out], s[held_out] >= cuts[name]) for name in THRESHOLDS]
                assert judged.at_thresholds[fold, m, :, b].tolist() == expected
                best = (prg.d >= 1 / (1 + beta_squared)).sum()
                for k, vertex in enumerate((best + NEIGHBOURS["stricter"], best, best + NEIGHBOURS["laxer"])):
                    exists = 1 <= vertex < len(prg.thresholds)
                    assert judged.has_vertex[fold, m, k, b] == exists
                    if exists:
                        accepted = s[held_out] >= prg.thresholds[vertex]
                        assert judged.at_vertices[fold, m, k, b].tolist() == counted(y[held_out], accepted)


@pytest.mark.parametrize("seed", range(6))
def test_one_walk_counts_what_calibrated_scores_accept_at_other_odds(seed):
    made = with_ties(seed)
    y, scores = made.y_true, made.scores
    roles = held_out_folds(made)
    # Some rows are neither fitted nor held out.
    roles[:, ::7] = np.where(roles[:, ::7] == FITTED, 0, roles[:, ::7])
    by_hand = np.zeros((4, len(CALIBRATED), len(ODDS), len(BETAS_SQUARED), 3))
    for fitted, held_out in zip(roles == FITTED, roles == HELD_OUT, strict=True):
        truth = y[held_out]
        for m, s in enumerate(scores.T):
            hulls = prg_hull(y[fitted], s[fitted]), roc_hull(y[fitted], s[fitted])
            d, p = (hull.calibrated(s[held_out]) for hull in hulls)
            for o, odds in enumerate(ODDS):
                moved, weight = p * odds / (p * odds + 1 - p), np.where(truth, 1.0, 1 / odds)
                by_p = np.argsort(-moved, kind="stable")
                best = expected_f(moved[by_p], weight[by_p])
                for b, beta_squared in enumerate(BETAS_SQUARED):
                    ratio = 1 / (1 + beta_squared)
                    cuts = (
                        d >= ratio,
                        p >= ratio,
                        moved >= best[b] * ratio,
                        d >= 1 / (1 + odds * beta_squared),
                    )
                    for rule, accepted in enumerate(cuts):
                        tp, fp, positives = counted(truth, accepted)
                        by_hand[m, rule, o, b] += tp, fp / odds, positives
    assert judged_calibrations(order_of(y, scores), scores, roles).tolist() == by_hand.tolist()


def test_there_is_a_mean_over_tasks_a_case():
    frames = measured(thresholds, [twice()])
    gains, leads = (
        estimates(thresholds, frames, name)
        for name in ("F_beta of calibrated scores", "lead over a neighbour")
    )
    assert len(gains) == len(frames["calibration"])
    assert (gains["n_tasks"] == 1).all()
    assert gains["low"].isna().all()
    assert set(leads["setting"]) == {"stricter", "laxer"}


def test_a_task_that_cannot_hold_out_a_fold_has_no_rows():
    y = np.arange(30) == 0
    made = task(y, np.random.default_rng(0).random((30, 2)), np.arange(30) % 3)
    assert measured(thresholds, [made]) == {}
