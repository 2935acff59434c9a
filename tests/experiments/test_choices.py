"""Thresholds on held-out folds, averages over folds, and whose choice is better, with known answers."""

import dataclasses
from itertools import product

import numpy as np
import pandas as pd
import pytest
from drawn import rankings
from measured import estimates, measured, predictions_of, task_of

from aucstudy.experiments import selection_favour, thresholds, thresholds_fold_averages
from aucstudy.experiments.inputs import Study
from aucstudy.experiments.selection_favour import favour_of_task
from aucstudy.experiments.thresholds import (
    BETAS,
    FITTED,
    HELD_OUT,
    THRESHOLDS,
    default_threshold,
    held_out_counts,
    held_out_folds,
    judged_thresholds,
    reached,
)
from aucstudy.experiments.thresholds_fold_averages import (
    averages_of_task,
    choices_of_task,
    fold_averages,
)
from aucstudy.figures.thresholds import thresholds_reached
from aucstudy.metrics.kernel import order_of
from aucstudy.store.tables import write_table


def f_beta(y, predicted, beta):
    tp, fp = (predicted & y).sum(), (predicted & ~y).sum()
    return (1 + beta**2) * tp / (tp + fp + beta**2 * y.sum())


@pytest.mark.parametrize(("y", "s"), rankings(60))
def test_calibrated_and_searched_thresholds_are_both_the_best_on_the_rows_they_were_set_on(y, s):
    # The rows come twice: once to set thresholds on, and once held out.
    twice, column = np.tile(y, 2), np.tile(s, 2)[:, None]
    roles = np.repeat(np.array([FITTED, HELD_OUT], dtype=np.uint8), len(y))[None, :]
    judged = judged_thresholds(order_of(twice, column), column, roles).at_thresholds[0, 0]
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
    return dataclasses.replace(predictions_of(y, scores, f"t{seed}", "abcd"), fold=np.arange(n) // 4 % 5)


def judged_of(made):
    return judged_thresholds(order_of(made.y_true, made.scores), made.scores, held_out_folds(made))


def counts_of(made):
    return held_out_counts(made, held_out_folds(made), judged_of(made))


def test_a_perfect_model_reaches_one_by_every_rule_and_held_out_rows_are_counted_once():
    made = made_task()
    counts = counts_of(made)
    found = reached(judged_of(made).at_thresholds, made.run_ids).set_index("run_id")
    assert (found.loc["b", "f"] == 1).all()
    once = counts[(counts["rule"] == "searched") & (counts["beta"] == 1) & (counts["run_id"] == "a")]
    assert once["n"].sum() == 120
    assert once["n_positive"].sum() == 30


def test_no_rule_beats_the_best_threshold_by_more_than_its_hindsight_allows_on_one_fold():
    counts = counts_of(made_task())
    assert (counts["tp"] <= counts["n_positive"]).all()
    frames = measured(thresholds, [made_task(0), made_task(1)])
    by_task = frames["thresholds_tasks"]
    assert (by_task[by_task["rule"] == "searched"]["minus_searched"] == 0).all()
    table = estimates(thresholds, frames, "F_beta").set_index(["at", "setting"])
    expected = by_task[(by_task["beta"] == 1) & (by_task["rule"] == "default")]["f"].mean()
    assert table.loc[(1, "default"), "estimate"] == pytest.approx(expected)


def test_mean_f_gain_can_pick_the_model_that_mean_f1_does_not():
    uneven = {"run_id": "uneven", "tp": [10, 4], "fp": [0, 6], "n_positive": 10, "n": 100}
    even = {"run_id": "even", "tp": [7, 7], "fp": [4, 4], "n_positive": 10, "n": 100}
    counts = pd.concat([pd.DataFrame(uneven), pd.DataFrame(even)]).assign(rule="default", beta=1.0)
    found = fold_averages(counts).set_index("run_id")
    assert found["mean_f1"].idxmax() == "uneven"
    assert found["mean_fg1"].idxmax() == "even"
    by_task = averages_of_task(counts).set_index(["first", "second"])
    assert by_task.loc[("mean_f1", "mean_fg1"), "p_differs"] == 1


def test_an_average_is_worth_what_its_model_reaches_on_the_fold_that_it_has_not_seen():
    uneven = {"run_id": "uneven", "tp": [10, 4, 1], "fp": [0, 6, 0], "n_positive": 10, "n": 100}
    even = {"run_id": "even", "tp": [7, 7, 2], "fp": [4, 4, 0], "n_positive": 10, "n": 100}
    counts = pd.concat([pd.DataFrame(model).assign(fold=range(3)) for model in (uneven, even)])
    f1_of = choices_of_task(counts.assign(rule="default", beta=1.0)).set_index("average")["f1"]
    f1 = {"uneven": [1.0, 0.4, 2 / 11], "even": [2 / 3, 2 / 3, 1 / 3]}
    # Without fold 0, both averages choose even. Without fold 1 or fold 2, mean F1 alone chooses uneven.
    assert f1_of["mean_fg1"] == pytest.approx(np.mean([f1["even"][0], f1["even"][1], f1["even"][2]]))
    assert f1_of["mean_f1"] == pytest.approx(np.mean([f1["even"][0], f1["uneven"][1], f1["uneven"][2]]))


def test_tasks_of_one_fold_have_no_choices():
    one_fold = dataclasses.replace(made_task(), fold=np.zeros(120, int))
    assert thresholds.of_task(task_of(one_fold), seed=1) == {}
    of_others = thresholds.of_task(task_of(made_task()), seed=1)
    none = {name: frame.head(0) for name, frame in of_others.items()}
    for module, frames in product((thresholds_fold_averages, selection_favour), ({}, none)):
        assert module.of_task(task_of(one_fold, **frames), seed=1) == {}
    unmeasured = {"favour_tasks": pd.DataFrame(columns=["task_id", "source_group"])}
    assert estimates(selection_favour, unmeasured).empty


def test_a_measured_task_is_judged_by_both_rules_and_drawn(tmp_path):
    made = [made_task(seed) for seed in range(6)]
    frames = measured(thresholds, made)
    by_name: dict[str, list[pd.DataFrame]] = {}
    for task in made:
        own = {key: frame[frame["task_id"] == task.task_id] for key, frame in frames.items()}
        for module in (thresholds_fold_averages, selection_favour):
            for name, frame in module.of_task(task_of(task, **own), seed=1).items():
                by_task = frame.assign(task_id=task.task_id, source_group=task.task_id)
                by_name.setdefault(name, []).append(by_task)
    by_name = {name: pd.concat(by_task) for name, by_task in by_name.items()}
    assert set(by_name["fold_averages_choices"]["rule"]) == {"default", "f_calibrated"}
    # One model is perfect, so that all metrics choose it.
    assert (estimates(selection_favour, by_name, "differs")["estimate"] == 0).all()
    write_table(frames["thresholds_tasks"], tmp_path / "thresholds_tasks.csv")
    table = estimates(thresholds, frames).assign(experiment="thresholds")
    study = Study(tmp_path, tmp_path, estimates=table, weight="task")
    assert len(thresholds_reached(study).axes) == 4


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


def test_a_judge_that_knows_nothing_of_a_choice_leaves_its_task_out():
    nan = float("nan")
    areas = {"aupr": [3, 2.0], "auprg": [2, 3.0]}
    known, unknown = (judged(**areas, expected_fg1=f1_of) for f1_of in ([0.1, 0.5], [0.1, nan]))
    rows = [
        {"task_id": task, "source_group": task, **row}
        for task, values in (("a", known), ("b", unknown), ("c", known))
        for row in favour_of_task(values)
    ]
    table = estimates(selection_favour, {"favour_tasks": pd.DataFrame(rows)})
    of_gain = table.set_index(["first", "second", "target", "quantity"]).sort_index()
    of_gain = of_gain.loc[("aupr", "auprg", "expected_fg1")]
    assert of_gain.loc["second minus first", "estimate"] == pytest.approx(0.4)
    assert of_gain.loc["first is worse", "estimate"] == 1
    judged_rows = of_gain.loc[["second minus first", "first is worse"]]
    assert (judged_rows[["n_tasks", "n_sources"]] == 2).all(axis=None)
    assert of_gain.loc["differs", "n_tasks"] == 3


def test_areas_that_agree_leave_nothing_to_judge():
    values = judged(aupr=[3, 2.0], auprg=[3, 2.0], expected_fg1=[0.1, 0.2])
    rows = [{"task_id": "t", "source_group": "g", **row} for row in favour_of_task(values)]
    table = estimates(selection_favour, {"favour_tasks": pd.DataFrame(rows)}, "first is worse")
    chosen = table[table["second"] == "auprg"]
    assert chosen["estimate"].isna().all()
    assert (chosen["n_tasks"] == 0).all()
