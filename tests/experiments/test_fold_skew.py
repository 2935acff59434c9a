"""Folds of unequal skew."""

import numpy as np
import pandas as pd
import pytest

from aucstudy.experiments.fold_skew.fold_cuts import cut, fold_positives, fold_sizes
from aucstudy.experiments.fold_skew.numbers import (
    averaging_table,
    fold_means,
    fold_skew_by_task,
    fold_skew_table,
    winner_changes,
)
from aucstudy.metrics import areas
from aucstudy.metrics.engine.walks import order_of
from aucstudy.store.task_store import Predictions


def task(task_id="t", n_positive=30, n_negative=90, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_positive + n_negative) < n_positive
    scores = np.column_stack([rng.normal(y), rng.normal(2 * y), rng.normal(0 * y)])
    rows = np.arange(len(y))
    return Predictions(task_id, rows, 0 * rows, rows % 5, y, np.asfortranarray(scores), ("a", "b", "c"))


@pytest.mark.parametrize("spread", [0, 0.05, 0.5, 0.95])
def test_folds_hold_all_positives_and_no_more_than_their_places(spread):
    sizes = fold_sizes(121, 5)
    positives = fold_positives(30, sizes, spread, 200, np.random.default_rng(0))
    assert (positives.sum(axis=1) == 30).all()
    assert (positives >= 0).all()
    assert (positives <= sizes).all()


def test_spread_0_is_stratified():
    positives = fold_positives(32, fold_sizes(160, 5), 0, 10, np.random.default_rng(0))
    assert positives.min() == 6
    assert positives.max() == 7


def test_a_larger_spread_makes_folds_more_unequal():
    spreads = [
        fold_positives(300, fold_sizes(1000, 5), spread, 300, np.random.default_rng(0)).std(axis=1).mean()
        for spread in (0, 0.02, 0.1, 0.4)
    ]
    assert spreads == sorted(spreads)
    # the shift to the total pulls the folds together, more so the fewer they are
    wanted = 200 * np.sqrt(0.02 * 0.3 * 0.7 * 4 / 5)
    assert spreads[1] == pytest.approx(wanted, rel=0.15)


def test_a_cut_gives_each_fold_its_rows_and_positives():
    y, sizes = task().y_true, fold_sizes(120, 4)
    positives = fold_positives(30, sizes, 0.3, 6, np.random.default_rng(1))
    for folds, wanted in zip(cut(y, sizes, positives, np.random.default_rng(2)), positives, strict=True):
        assert np.bincount(folds, minlength=4).tolist() == sizes.tolist()
        assert np.bincount(folds[y], minlength=4).tolist() == wanted.tolist()


def test_the_fold_mean_is_that_of_the_areas_of_the_folds_with_two_classes():
    given = task()
    folds = np.where(np.arange(120) < 60, np.arange(120) % 2, 2)[None, :]
    means, left_out = fold_means(order_of(given.y_true, given.scores), folds)
    expected = [
        np.mean([areas(given.y_true[folds[0] == k], given.scores[folds[0] == k, m]).aupr for k in (0, 1)])
        for m in range(3)
    ]
    assert means[0, 0] == pytest.approx(expected, abs=1e-14)
    assert left_out == pytest.approx([1 / 3])


def test_the_means_do_not_depend_on_how_many_draws_are_taken_at_once(monkeypatch):
    whole = fold_skew_by_task(task(), 5, (0.1, 0.6), 4, seed=1)
    monkeypatch.setattr("aucstudy.experiments.fold_skew.numbers.CELLS_AT_ONCE", 1)
    pd.testing.assert_frame_equal(
        whole, fold_skew_by_task(task(), 5, (0.1, 0.6), 4, seed=1), check_exact=True
    )


def test_equal_skew_minus_the_control_is_0_within_the_interval():
    by_task = pd.concat([fold_skew_by_task(task(f"t{i}", seed=i), 5, (0.0,), 12, seed=1) for i in range(12)])
    groups = pd.Series({f"t{i}": f"g{i}" for i in range(12)})
    table = fold_skew_table(by_task, groups, 500, seed=0).set_index("effect").loc["error"]
    table = table[table["area"] != "auprg_clipped"]
    assert (table["low"] <= 0).all()
    assert (table["high"] >= 0).all()
    assert table["difference"].abs().max() < 0.01


def test_folds_of_clusters_are_compared_with_random_folds_of_their_sizes():
    clusters = np.repeat([[0, 1, 2]], 40, axis=1)
    by_task = fold_skew_by_task(task(), 3, (0.1,), 4, seed=1, clusters=clusters).set_index(["cut", "area"])
    assert by_task.loc[("clusters", "aupr"), "left_out"] == pytest.approx(2 / 3)
    assert by_task.loc[("clusters", "aupr"), "control_left_out"] == 0


def test_averaging_is_compared_on_the_same_cuts():
    tasks = [f"t{i}" for i in range(6)]
    by_task = pd.concat(
        [fold_skew_by_task(task(name, seed=i), 3, (0.3,), 4, seed=1) for i, name in enumerate(tasks)]
    )
    prevalences = pd.Series(np.linspace(0.1, 0.4, 6), index=tasks)
    table = averaging_table(by_task, prevalences, pd.Series(tasks, index=tasks), 100, seed=0)
    assert (table["gain"] - (table["aupr"] - table["aucnpr"])).abs().max() < 1e-12
    assert table.groupby("tasks")["n_tasks"].first().to_dict() == {
        "all": 6,
        "middle": 2,
        "most frequent": 2,
        "rarest": 2,
    }


def test_ties_change_no_winner():
    merged = np.array([0.5, 0.5, 0.1])
    changes = winner_changes(np.array([[0.9, 0.9, 0.2], [0.9, 0.8, 0.2], [0.1, 0.2, 0.9]]), merged)
    assert changes.tolist() == [0, 0.5, 1]
