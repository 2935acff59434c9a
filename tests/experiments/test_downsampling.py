"""Tests of test sets that are cut to a ratio of negatives to positives."""

import numpy as np
import pandas as pd
import pytest
from measured import estimates, measured, predictions_of

from aucstudy.experiments import downsampling
from aucstudy.experiments.compared import AREAS_COMPARED
from aucstudy.experiments.downsampling import (
    EVERY_RATIO,
    ORIGINAL,
    admitted,
    areas_of_cuts,
    negative_orders,
)
from aucstudy.metrics import areas
from aucstudy.metrics.kernel import order_of

RATIOS = (1, 2, 5)
CHANGE, TIMES = "change of the metric", "times the metric on all rows"


def task(task_id="t", n_positive=10, n_negative=60, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_positive + n_negative) < n_positive
    scores = np.column_stack([np.zeros(len(y)), rng.normal(2 * y), -1.0 * y, y + 0.0])
    return predictions_of(y, scores, task_id, "cnwp")


def drawn(draws=8, ratios=RATIOS, **options):
    return measured(downsampling, [task(**options)], ratios=ratios, draws=draws)["areas"]


@pytest.mark.parametrize("ratio", RATIOS)
def test_a_constant_scorer_has_the_prevalence_of_the_cut_test_set(ratio):
    found = drawn().set_index(["run_id", "ratio"]).loc[("c", f"1:{ratio}")]
    assert found["aupr"] == pytest.approx(1 / (1 + ratio), abs=1e-14)
    assert found["auroc"] == 0.5
    assert found["auprg"] == pytest.approx(0, abs=1e-14)
    assert found["aupr_sd"] == pytest.approx(0, abs=1e-14)


def test_the_worst_ranking_has_aucnpr_0_and_the_best_1_at_every_ratio():
    found = drawn()
    assert found.loc[found["run_id"] == "w", "aucnpr"].to_numpy() == pytest.approx(0, abs=1e-12)
    assert (found.loc[found["run_id"] == "p", ["aucnpr", "aupr", "auprg", "auroc"]] == 1).all(axis=None)


def test_cuts_are_the_first_negatives_of_a_draw_with_all_positives():
    given = task()
    orders = negative_orders(given.y_true, 3, np.random.default_rng(0))
    cuts = areas_of_cuts(order_of(given.y_true, given.scores), orders, [10, 50])
    for k, size in enumerate((10, 50)):
        for draw, order in enumerate(orders):
            rows = np.concatenate([np.flatnonzero(given.y_true), order[:size]])
            for model in range(4):
                expected = areas(given.y_true[rows], given.scores[rows, model])
                assert cuts[:, k, draw, model] == pytest.approx(
                    [getattr(expected, area) for area in AREAS_COMPARED], abs=1e-13
                )


def test_a_ratio_that_uses_every_negative_gives_the_original_area():
    found = drawn(4, (1, 5), n_negative=50).set_index(["ratio", "run_id"])
    for area in ("aupr", "auprg", "auroc", "aucnpr"):
        assert found.loc["1:5", area].to_numpy() == pytest.approx(
            found.loc[ORIGINAL, area].to_numpy(), abs=1e-12
        )


def test_a_task_is_cut_only_to_the_ratios_it_has_the_negatives_for():
    assert admitted(task(n_negative=20).y_true, RATIOS) == [1, 2]
    assert admitted(task(n_positive=20, n_negative=10).y_true, RATIOS) == []


def test_the_table_compares_ratios_on_the_same_tasks_only():
    tasks = [drawn(task_id="a"), drawn(task_id="b", n_negative=20, seed=1)]
    table = estimates(downsampling, {"areas": pd.concat(tasks)}, CHANGE)
    table = table.set_index(["subset", "first", "setting"]).sort_index()
    assert set(table.loc[EVERY_RATIO, "n_tasks"]) == {1}
    assert table.loc[("all", "aupr", "1:2"), "n_tasks"] == 2
    assert table.loc[(EVERY_RATIO, "aupr", ORIGINAL), "estimate"] == 0


def claims(areas):
    """Return the estimates behind claims from the AUPR and AUCNPR of one model, given by task and ratio."""
    names = ["task_id", "source_group", "run_id", "ratio", "aupr", "aucnpr"]
    rows = [
        (task_id, task_id, "r", ratio, *values)
        for task_id, by_ratio in areas.items()
        for ratio, values in by_ratio.items()
    ]
    table = estimates(
        downsampling, {"areas": pd.DataFrame(rows, columns=names)}, "SD over ratios", TIMES, "rise"
    )
    return table.set_index(["quantity", "first", "second", "setting"]).sort_index()


def test_the_claims_of_table_3_follow_from_known_areas():
    known = {"1:1": (0.9, 0.8), "1:5": (0.6, 0.5), ORIGINAL: (0.4, 0.3)}
    found = claims({"a": known, "b": known})["estimate"]
    assert found["SD over ratios", "aupr", "", ""] == pytest.approx(np.std([0.9, 0.6, 0.4], ddof=1))
    assert found[TIMES, "aucnpr", "", "1:1"] == pytest.approx(8 / 3)
    assert found["rise", "aupr", "", "1:5 to 1:1"] == pytest.approx(0.3)


LOW = {"1:1": (0.6, 0.6), ORIGINAL: (0.3, 0.3)}
WORST = {"1:1": (1e-17, 1e-17), ORIGINAL: (-1e-17, -1e-17)}


@pytest.mark.parametrize(("second", "n_tasks"), [({"1:1": (0.9, 0.9), ORIGINAL: (0.3, 0.3)}, 2), (WORST, 1)])
def test_the_median_multiple_leaves_out_the_worst_rankings(second, n_tasks):
    median = claims({"a": LOW, "b": second}).loc[(TIMES, "aucnpr", "", "1:1")]
    assert median["estimate"] == pytest.approx(2.5 if n_tasks == 2 else 2)
    assert (median["n_tasks"], median["n_sources"]) == (n_tasks, n_tasks)


def test_the_worst_rankings_have_no_multiple_of_their_aucnpr():
    assert np.isnan(claims({"b": WORST}).loc[(TIMES, "aucnpr", "", "1:1"), "estimate"])


def test_a_task_of_fewer_negatives_than_positives_is_not_cut_and_has_no_estimate():
    areas = drawn(n_positive=40, n_negative=20)
    assert set(areas["ratio"]) == {ORIGINAL}
    assert estimates(downsampling, {"areas": areas}).empty
    both = estimates(downsampling, {"areas": pd.concat([areas.assign(task_id="u"), drawn()])}, CHANGE)
    assert (both[both["subset"] == EVERY_RATIO]["n_tasks"] == 1).all()


def test_clipped_auprg_is_that_of_each_draw_and_has_its_own_rows_with_intervals_of_the_means():
    found = drawn()
    assert (found["auprg_clipped"] >= found["auprg"].clip(0) - 1e-12).all()
    worst = found[found["run_id"] == "w"]
    assert (worst["auprg"] < 0).all()
    assert (worst["auprg_clipped"] == 0).all()
    areas = pd.concat([drawn(4, task_id=f"t{i}", seed=i) for i in range(4)])
    table = estimates(downsampling, {"areas": areas}, "metric")
    assert {"auprg", "auprg_clipped"} <= set(table["first"])
    assert ((table["low"] <= table["estimate"]) & (table["estimate"] <= table["high"])).all()
