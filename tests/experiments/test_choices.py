"""Thresholds on held-out folds, averages over folds, and whose choice is better, on known answers."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measured import measured, task_of

from aucstudy.experiments.favour import numbers as favour_numbers
from aucstudy.experiments.favour.fold_averages import averages_of_task, averages_over_tasks, fold_averages
from aucstudy.experiments.favour.numbers import favour_of_task, favour_over_tasks
from aucstudy.experiments.favour.telling import favour_figure
from aucstudy.experiments.thresholds import numbers
from aucstudy.experiments.thresholds.calibration import cases_over_tasks, held_out_folds
from aucstudy.experiments.thresholds.held_out import FITTED, HELD_OUT, THRESHOLDS, judged_thresholds
from aucstudy.experiments.thresholds.numbers import (
    BETAS,
    default_threshold,
    held_out_counts,
    reached,
    reached_over_tasks,
)
from aucstudy.experiments.thresholds.telling import thresholds_figure
from aucstudy.metrics.engine.walks import order_of
from aucstudy.store.task_store import Predictions

rows = st.lists(st.tuples(st.booleans(), st.integers(0, 8)), min_size=3, max_size=25)


def f_beta(y, predicted, beta):
    tp, fp = (predicted & y).sum(), (predicted & ~y).sum()
    return (1 + beta**2) * tp / (tp + fp + beta**2 * y.sum())


@settings(max_examples=60, deadline=None)
@given(rows)
def test_calibrated_and_searched_thresholds_are_both_the_best_on_the_rows_they_were_set_on(made):
    y, s = (np.array(column) for column in zip(*made, strict=True))
    if y.all() or not y.any():
        return
    # the same rows twice: once to set thresholds on, once held out
    twice, column = np.tile(y, 2), np.tile(s.astype(float), 2)[:, None]
    roles = np.repeat(np.array([FITTED, HELD_OUT], dtype=np.uint8), len(y))[None, :]
    judged = judged_thresholds(order_of(twice, column), column, roles, np.zeros(1)).at_thresholds[0, 0]
    for rule in ("f_calibrated", "searched"):
        for beta, (tp, fp, _) in zip(BETAS, judged[THRESHOLDS.index(rule)], strict=True):
            best = max(f_beta(y, s >= t, beta) for t in s)
            reached_here = (1 + beta**2) * tp / (tp + fp + beta**2 * y.sum())
            assert reached_here == pytest.approx(best, abs=1e-12)


def test_decision_values_are_cut_at_zero_and_probabilities_at_a_half():
    assert default_threshold(np.array([[0.0, -1.0, 0.0], [1.0, 0.5, 1.2]])).tolist() == [0.5, 0, 0]


def made_task(seed=0, n=120):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 4 == 0
    scores = np.column_stack([y + rng.normal(size=n), y * 1.0, np.zeros(n), rng.random(n)])
    fold = np.arange(n) // 4 % 5
    return Predictions(f"t{seed}", np.arange(n), np.zeros(n, int), fold, y, scores, ("a", "b", "c", "d"))


def counts_of(made):
    order, folds = order_of(made.y_true, made.scores), held_out_folds(made)
    return held_out_counts(
        made, folds, judged_thresholds(order, made.scores, folds.roles, default_threshold(made.scores))
    )


def test_a_perfect_model_reaches_one_by_every_rule_and_held_out_rows_are_counted_once():
    counts = counts_of(made_task())
    found = reached(counts).set_index("run_id")
    assert (found.loc["b", "f"] == 1).all()
    once = counts[(counts["rule"] == "searched") & (counts["beta"] == 1) & (counts["run_id"] == "a")]
    assert once["n"].sum() == 120
    assert once["n_positive"].sum() == 30


def test_no_rule_beats_the_best_threshold_by_more_than_its_hindsight_allows_on_one_fold():
    counts = counts_of(made_task())
    assert (counts["tp"] <= counts["n_positive"]).all()
    by_task = measured(numbers, [made_task(0), made_task(1)])["by_task"]
    assert (by_task[by_task["rule"] == "searched"]["minus_searched"] == 0).all()
    table = reached_over_tasks(by_task).set_index(["beta", "rule", "quantity"])
    expected = by_task[(by_task["beta"] == 1) & (by_task["rule"] == "default")]["f"].mean()
    assert table.loc[(1, "default", "f"), "estimate"] == pytest.approx(expected)


def test_mean_f_gain_can_pick_the_model_that_mean_f1_does_not():
    uneven = {"run_id": "uneven", "tp": [10, 4], "fp": [0, 6], "n_positive": 10, "n": 100}
    even = {"run_id": "even", "tp": [7, 7], "fp": [4, 4], "n_positive": 10, "n": 100}
    counts = pd.concat([pd.DataFrame(uneven), pd.DataFrame(even)]).assign(rule="default", beta=1.0)
    found = fold_averages(counts).set_index("run_id")
    assert found["mean_f1"].idxmax() == "uneven"
    assert found["mean_fg1"].idxmax() == "even"
    by_task = averages_of_task(counts).set_index(["first", "second"])
    assert by_task.loc[("mean_f1", "mean_fg1"), "p_differs"] == 1


def test_tasks_without_a_finite_mean_f_gain_are_left_out_and_counted():
    none = pd.DataFrame(
        {"run_id": "a", "tp": [0, 1], "fp": 1, "n_positive": 2, "n": 9, "rule": "default", "beta": 1.0}
    )
    some = none.assign(tp=1)
    by_task = pd.concat(
        [averages_of_task(counts).assign(source_group=f"{counts['tp'].sum()}") for counts in (none, some)]
    )
    table = averages_over_tasks(by_task)
    assert (table["n_tasks"] == 1).all()
    assert (table["n_left_out"] == 1).all()


def test_tasks_of_one_fold_give_empty_tables_with_their_columns():
    one_fold = dataclasses.replace(made_task(), fold=np.zeros(120, int))
    reached_frames = numbers.of_task(task_of(one_fold), seed=1)
    frames = favour_numbers.of_task(task_of(one_fold, **reached_frames), seed=1)
    reached_table = reached_over_tasks(reached_frames["by_task"])
    favour_table = favour_over_tasks(frames["favour"])
    tables = [reached_table, favour_table, averages_over_tasks(frames["averages"])]
    for table in (reached_frames["by_task"], frames["favour"], frames["averages"], *tables):
        assert table.empty
        assert {"task_id", "n_tasks"} & set(table)
    cases = cases_over_tasks(reached_frames["calibration"])
    nothing = thresholds_figure(reached_table, reached_frames["by_task"], cases)
    for figure in (nothing, favour_figure(favour_table)):
        assert "No task has two folds" in figure.axes[0].texts[0].get_text()


def judged(**columns):
    return pd.DataFrame({"auroc": 0.0, "auprg_unit_square": 0.0, "held_out_f1": 0.0, **columns})


def test_the_worse_choice_is_found_and_ties_share_their_weight():
    values = judged(aupr=[3, 2, 1.0], auprg=[1, 3, 3.0], expected_fg1=[0.1, 0.5, 0.0])
    row = next(
        row for row in favour_of_task(values) if row["judge"] == "expected_fg1" and row["second"] == "auprg"
    )
    assert row["differ"] == pytest.approx(1)
    assert (row["first_lower"], row["second_lower"]) == pytest.approx((0.5, 0.5))
    assert row["gap"] == pytest.approx(0.5 * 0.4 - 0.5 * 0.1)


def test_areas_that_agree_leave_nothing_to_judge():
    values = judged(aupr=[3, 2.0], auprg=[3, 2.0], expected_fg1=[0.1, 0.2])
    rows = [{"task_id": "t", "source_group": "g", **row} for row in favour_of_task(values)]
    table = favour_over_tasks(pd.DataFrame(rows))
    chosen = table[(table["second"] == "auprg") & (table["quantity"] == "first_lower")]
    assert chosen["estimate"].isna().all()
    assert (chosen["n_tasks"] == 0).all()
