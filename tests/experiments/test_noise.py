"""Halves of the rows, the excess of a disagreement, and real ranking changes, on cases with known answers."""

import numpy as np
import pandas as pd
import pytest
from measured import estimates, measured, predictions_of

from aucstudy.experiments import noise
from aucstudy.experiments.noise import (
    excess_of_task,
    first_places,
    order_is_stable,
    pairs_of_task,
    swaps_of_task,
)
from aucstudy.statistics.stratified import stratified_parts


def draws(splits, models, seed=0):
    rng = np.random.default_rng(seed)
    return rng, rng.permuted(np.tile(np.arange(models), (splits, 1)), axis=1)


def test_halves_are_stratified_by_class_and_fold():
    rng = np.random.default_rng(1)
    y, folds = rng.random(203) < 0.2, rng.integers(0, 7, 203)
    halves = stratified_parts(y, folds, np.arange(203), 2, 50, rng) == 0
    for value in (True, False):
        sizes = halves[:, y == value].sum(axis=1)
        assert abs(2 * sizes - (y == value).sum()).max() <= 1
        for fold in range(7):
            cell = (y == value) & (folds == fold)
            assert abs(2 * halves[:, cell].sum(axis=1) - cell.sum()).max() <= 1


def test_a_row_predicted_in_several_repeats_stays_in_one_half():
    rng = np.random.default_rng(1)
    y, folds, rows = np.tile(rng.random(40) < 0.5, 3), rng.integers(0, 30, 120), np.tile(np.arange(40), 3)
    halves = stratified_parts(y, folds, rows, 2, 20, rng) == 0
    assert (halves[:, :40] == halves[:, 40:80]).all()
    assert (halves[:, :40] == halves[:, 80:]).all()


def test_every_row_is_in_either_half_equally_often():
    rng = np.random.default_rng(2)
    y, folds = np.arange(21) < 5, np.arange(21) % 3
    share = (stratified_parts(y, folds, np.arange(21), 2, 4000, rng) == 0).mean(axis=0)
    assert abs(share - 0.5).max() < 0.04


def test_tied_models_take_the_shared_order():
    values, shared = np.array([[0.5, 0.9, 0.9], [0.1, 0.1, 0.1]]), np.array([[0, 2, 1], [1, 2, 0]])
    assert first_places(values, shared, 2).tolist() == [[2, 1], [2, 0]]


def test_identical_areas_have_no_excess():
    rng, shared = draws(300, 6)
    halves = [np.round(rng.random((300, 6)), 1) for _ in range(2)]
    areas = [dict.fromkeys(("aupr", "auprg", "auroc", "aucnpr"), half) for half in halves]
    for row in excess_of_task(areas, shared):
        assert row["excess"] == 0
        assert row["across"] == row["self_first"] == row["self_second"]


def test_areas_that_always_agree_with_themselves_and_never_with_each_other_have_the_whole_excess():
    _, shared = draws(10, 3)
    half = {name: np.tile([3.0, 2.0, 1.0], (10, 1)) for name in ("aupr", "aucnpr")}
    half |= {name: np.tile([1.0, 2.0, 3.0], (10, 1)) for name in ("auprg", "auroc")}
    excess = {(row["first"], row["second"]): row["excess"] for row in excess_of_task([half, half], shared)}
    assert excess["aupr", "auprg"] == 1
    assert excess["aupr", "aucnpr"] == excess["auprg", "auroc"] == 0


def test_independent_ranks_differ_as_often_as_chance_says():
    models, splits = 5, 20_000
    rng, shared = draws(splits, models)
    halves = [{a: rng.random((splits, models)) for a in ("aupr", "auprg", "auroc", "aucnpr")} for _ in "12"]
    expected = {1: 1 - 1 / models, 3: 1 - 1 / (models * (models - 1) * (models - 2))}
    for row in excess_of_task(halves, shared):
        assert row["across"] == pytest.approx(expected[row["top"]], abs=0.01)
        assert row["excess"] == pytest.approx(0, abs=0.02)


def test_an_excess_of_truly_equal_areas_covers_zero():
    rng = np.random.default_rng(5)
    tasks = []
    for k in range(12):
        y = rng.random(200) < 0.5
        tasks.append(predictions_of(y, rng.normal(size=(200, 8)) + y[:, None], f"t{k}"))
    frames = measured(noise, tasks, splits=60)
    table = estimates(noise, frames, "excess", "real swap")
    row = table[(table["first"] == "aupr") & (table["second"] == "aucnpr") & (table["quantity"] == "excess")]
    assert (row["low"] <= 0).all()
    assert (row["high"] >= 0).all()
    assert (table.loc[table["quantity"] == "real swap", "estimate"] <= 1 / 12).all()


@pytest.mark.parametrize(
    ("against", "p_second", "real"),
    [(0, (0, 0.005), True), (4, (0.025, 0.1), False), (50, (0.4, 0.6), False)],
)
def test_a_swap_is_real_where_no_more_halves_contradict_a_sign_than_the_level_of_the_test(
    against, p_second, real
):
    whole = {"aupr": np.array([0.9, 0.8]), "auprg": np.array([0.1, 0.2])}
    whole |= {"auroc": whole["aupr"], "aucnpr": whole["aupr"]}
    half = {name: np.tile(values, (400, 1)) for name, values in whole.items()}
    contradicts = np.arange(400) % 100 < against
    half["auprg"] = np.where(contradicts[:, None], [0.2, 0.1], [0.1, 0.2])
    swap = swaps_of_task(whole, ("a", "b"), [half, half])[0]
    assert (swap["run_first"], swap["run_second"], swap["real"]) == ("a", "b", real)
    assert swap["p_first"] < 0.005
    assert p_second[0] < swap["p_second"] == swap["p"] < p_second[1]
    if not against:
        assert (swap["confirmed"], swap["reversed"]) == (1, 0)


def test_noise_does_not_depend_on_the_other_tasks_and_repeats_itself():
    rng = np.random.default_rng(6)
    y = rng.random(80) < 0.4
    made = predictions_of(y, rng.normal(size=(80, 4)) + y[:, None])
    once, again = (measured(noise, [made], splits=20).values() for _ in range(2))
    for first, second in zip(once, again, strict=True):
        pd.testing.assert_frame_equal(first, second)


def test_a_task_with_one_positive_has_no_halves_and_no_rows():
    made = predictions_of(np.arange(30) == 0, np.random.default_rng(0).random((30, 3)))
    assert measured(noise, [made], splits=20) == {}


def test_the_excess_is_told_as_a_share_of_what_self_disagreement_leaves_room_for():
    row = {"first": "aupr", "second": "auprg", "top": 1, "splits": 9, "source_group": "g"}
    tasks = [
        {**row, "task_id": "a", "across": 0.8, "self_first": 0.6, "self_second": 0.6, "excess": 0.2},
        {**row, "task_id": "b", "across": 0.8, "self_first": 0.8, "self_second": 0.8, "excess": 0.0},
    ]
    (row,) = estimates(noise, {"noise_tasks": pd.DataFrame(tasks)}, "excess of its ceiling").to_dict(
        "records"
    )
    assert row["estimate"] == pytest.approx(0.2 / 0.6)
    assert np.isnan(row["low"])


def test_a_pair_is_told_apart_where_nearly_all_halves_agree_and_ties_support_neither():
    halves = np.column_stack([np.full(100, 3.0), np.full(100, 2.0), np.where(np.arange(100) < 3, 4.0, 2.0)])
    assert order_is_stable(halves).tolist() == [True, False, False]


def test_pairs_are_shared_out_among_the_areas_that_tell_them_apart():
    sure, unsure = np.tile([2.0, 1.0], (50, 1)), np.tile([1.0, 1.0], (50, 1))
    shares = pairs_of_task([{"aupr": sure, "auroc": unsure}] * 2)
    assert shares == {"aupr_only": 1, "auroc_only": 0, "both": 0}
    by_task = pd.DataFrame([{"task_id": "a", "source_group": "a", **shares}])
    table = estimates(noise, {"pairs": by_task}, "pairs told apart by one", prevalence=0.3)
    assert set(table["subset"]) == {"all"}
    assert table.set_index(["first", "second"]).loc[("aupr", "auroc"), "estimate"] == 1
