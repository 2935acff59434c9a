"""PRG-calibrated thresholds against probabilities, and the printed intervals of beta, on cases with known answers."""

import numpy as np
import pandas as pd
import pytest
from measured import measured

from aucstudy.experiments.thresholds import numbers
from aucstudy.experiments.thresholds.calibration import (
    calibration_of_task,
    cases_over_tasks,
    expected_f,
    f_of,
    intervals_of_task,
    leads_over_tasks,
)
from aucstudy.store.task_store import Predictions


def task(y, scores, folds):
    n, zeros = len(y), np.zeros(len(y), dtype=int)
    runs = tuple(f"t.{k}" for k in range(scores.shape[1]))
    return Predictions("t", np.arange(n), zeros, folds, y, np.asfortranarray(scores), runs)


def twice(seed=0, n=120, models=3):
    """A task whose second fold repeats the first row by row: calibration rows and held-out rows are the same."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) < n // 4
    scores = np.round(rng.normal(size=(n, models)) + 0.8 * y[:, None], 1)
    return task(np.tile(y, 2), np.tile(scores, (2, 1)), np.repeat([0, 1], n))


def cases(made):
    return (
        calibration_of_task(made, 1).set_index(["against", "rows", "odds", "beta"])["difference"].sort_index()
    )


def test_on_the_rows_it_was_calibrated_on_no_rival_beats_the_prg_threshold():
    differences = cases(twice())
    own = differences[differences.index.get_level_values("odds") == 1]
    assert (own.xs("all", level="rows") >= -1e-12).all()
    assert own["isotonic_same"].xs("all", level="rows").max() > 0.01


def test_the_plug_in_threshold_is_the_same_argmax_where_rows_and_odds_are_those_of_the_calibration():
    assert cases(twice())["isotonic_plug_in", "all", 1.0].abs().max() == pytest.approx(0, abs=1e-12)


def test_moved_to_other_odds_the_threshold_is_the_best_of_all_there():
    made = twice()
    y, s = made.y_true[:120], made.scores[:120, 0]
    one = task(made.y_true, made.scores[:, :1], made.folds)
    moved = cases(one)["prg_moved", "all", 4.0]

    def f_at(thresholds, beta):
        predicted = s >= np.asarray(thresholds)[:, None]
        counts = [
            (predicted & y).sum(axis=1),
            (predicted & ~y).sum(axis=1) / 4,
            np.full(len(predicted), y.sum()),
        ]
        return f_of(np.stack(counts, axis=-1)[:, None, :], np.array([beta**2]))

    for beta, own in zip((0.5, 1.0, 2.0), numbers.calibrated_thresholds(y, s), strict=True):
        assert f_at([own], beta).item() - moved[beta] == pytest.approx(f_at(np.unique(s), beta).max())


def test_at_other_odds_a_threshold_that_was_not_moved_loses():
    differences = cases(twice())
    assert differences["prg_moved", "all", 4.0].min() < -0.01


def test_the_expected_f_of_certain_probabilities_is_that_of_the_labels():
    assert expected_f(np.array([1.0, 1.0, 0.0]), np.ones(3)).tolist() == [1, 1, 1]
    always = expected_f(np.full(10, 0.3), np.ones(10))
    assert always[1] == pytest.approx(2 * 0.3 / 1.3)


def test_as_many_calibration_rows_as_there_are_draw_none():
    assert set(cases(twice(n=40)).index.get_level_values("rows")) == {"all"}
    assert set(cases(twice(n=120)).index.get_level_values("rows")) == {"all", "50"}


def test_on_its_own_rows_a_printed_interval_of_beta_holds_everywhere():
    leads = intervals_of_task(twice())
    assert (leads["lead"] > -1e-12).all()
    assert (leads["leads_both"] == 1).all()


def test_on_rows_of_pure_chance_a_printed_interval_of_beta_need_not_hold():
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.3
    leads = intervals_of_task(task(y, rng.normal(size=(200, 4)), np.arange(200) % 5))
    assert leads["leads_both"].min() < 1


def test_the_tables_hold_a_mean_over_tasks_a_case():
    frames = measured(numbers, [twice()])
    table = cases_over_tasks(frames["calibration"])
    assert len(table) == len(frames["calibration"])
    assert (table["n_tasks"] == 1).all()
    assert table["low"].isna().all()
    leads = leads_over_tasks(frames["beta_intervals"])
    assert set(leads["neighbour"]) == {"stricter", "laxer"}


def test_a_task_that_cannot_hold_out_a_fold_has_no_rows():
    y = np.arange(30) == 0
    made = task(y, np.random.default_rng(0).random((30, 2)), np.arange(30) % 3)
    frames = measured(numbers, [made])
    assert all(frame.empty for frame in frames.values())
    assert isinstance(cases_over_tasks(frames["calibration"]), pd.DataFrame)
