"""Tests of how the best flow over many tasks is found."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from measured import measured, predictions_of

from aucstudy.experiments import task_aggregation
from aucstudy.experiments.task_aggregation import (
    averages_of,
    carrying_tasks,
    comparable,
    fewer_operations_by_tasks,
    flow_means,
    flow_medians,
    task_aggregation_table,
)

ONES = np.ones((1, 4))
VALUES = np.array([[0.9, 0.5, 0.1], [0.8, 0.6, 0.1], [0.9, 0.7, 0.2], [0.1, 0.9, 0.5]])


def test_complete_tasks_give_the_plain_means():
    assert flow_means(VALUES, ONES)[0] == pytest.approx(VALUES.mean(axis=0) - VALUES.mean(), abs=1e-12)


def test_easy_tasks_do_not_reward_the_flows_that_have_them():
    flow, task = np.array([0.2, 0.1, 0.0]), np.array([0.0, 0.1, 0.5, 0.7])
    values = task[:, None] + flow
    values[[0, 1], 2] = np.nan  # The worst flow has only easy tasks.
    values[3, 0] = np.nan
    assert np.nanargmax(np.nanmean(values, axis=0)) != 0
    assert flow_means(values, ONES)[0] == pytest.approx(flow - flow.mean(), abs=1e-12)


def test_a_flow_without_any_task_has_no_mean():
    weights = np.array([[1, 1, 0, 0]])
    values = VALUES.copy()
    values[[0, 1], 2] = np.nan
    means = flow_means(values, weights)[0]
    assert np.isnan(means[2])
    assert means[0] - means[1] == pytest.approx(0.3)
    assert np.isnan(flow_medians(values, weights)[0, 2])


def test_a_median_is_not_ruled_by_one_task():
    values = VALUES.copy()
    values[3, 0] = -50.0
    assert np.argmax(flow_means(values, ONES)[0]) == 1
    assert np.argmax(flow_medians(values, ONES)[0]) == 0


def made_criteria():
    rng = np.random.default_rng(0)
    tasks = []
    for i in range(5):
        y = np.arange(60) < 6 + 3 * i
        scores = np.column_stack([rng.normal(3 * y), rng.normal(y), rng.normal(-1.0 * y)])
        tasks.append(predictions_of(y, scores, f"t{i}", "abc"))
    return measured(task_aggregation, tasks)["criteria"].assign(flow_name=lambda frame: frame["run_id"])


def test_the_clearly_best_flow_is_best_by_every_average():
    groups = pd.Series({f"t{i}": f"g{i}" for i in range(5)})
    table = task_aggregation_table(averages_of(made_criteria()), groups, 100, seed=0)
    assert set(table["best"]) == {"a"}
    assert (table["differs"] == 0).all()
    assert (table["best_again"] == 1).all()


def test_a_task_carries_what_the_lead_loses_without_it():
    tasks = carrying_tasks(averages_of(made_criteria()))
    assert (tasks["lead"] - tasks["without"] - tasks["carried"]).abs().max() < 1e-12
    assert tasks.groupby("average").size().eq(5).all()


def least_squares(values, weights):
    """Return the least-squares effects of the flows, less their mean, by an independent solver."""
    task, flow = np.nonzero(np.isfinite(values) & (weights > 0)[:, None])
    design = np.zeros((len(task), sum(values.shape)))
    design[np.arange(len(task)), task] = design[np.arange(len(task)), len(values) + flow] = 1
    root = np.sqrt(weights[task])
    effects = np.linalg.lstsq(design * root[:, None], values[task, flow] * root, rcond=None)[0][len(values) :]
    return effects[np.unique(flow)] - effects[np.unique(flow)].mean()


@pytest.mark.parametrize(
    ("n_tasks", "n_flows", "flows_of_task", "by_tasks"),
    [(300, 40, 40, False), (8, 30, 20, False), (100, 2000, 50, True), (886, 2000, 100, True), (900, 800, 10, True)],
)  # fmt: skip
def test_the_system_with_fewer_operations_is_solved_not_the_one_with_fewer_unknowns(
    n_tasks, n_flows, flows_of_task, by_tasks
):
    rng = np.random.default_rng(0)
    known = np.argsort(rng.random((n_tasks, n_flows)), axis=1) < flows_of_task
    weights = rng.multinomial(n_tasks, np.full(n_tasks, 1 / n_tasks), 3)
    assert fewer_operations_by_tasks(known, weights, n_criteria=9) is by_tasks


@pytest.mark.parametrize("by_tasks", [True, False])
@pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
def test_either_system_gives_the_effects_of_least_squares(shape, by_tasks, monkeypatch):
    monkeypatch.setattr(task_aggregation, "fewer_operations_by_tasks", lambda *sizes: by_tasks)
    rng = np.random.default_rng(3)
    values = np.where(rng.random(shape) < 0.7, rng.random(shape), np.nan)
    weights = rng.integers(0, 3, (20, shape[0])).astype(float)
    means = flow_means(values, weights)
    for effects, resample in zip(means, weights, strict=True):
        present = np.isfinite(effects)
        assert effects[present] == pytest.approx(least_squares(values, resample), abs=1e-10)


def test_tasks_that_share_no_flow_are_not_compared():
    values = np.full((5, 6), np.nan)
    values[:3, :3], values[3:, 3:] = [0.9, 0.5, 0.1], [0.2, 0.8, 0.4]
    means = flow_means(values, np.array([[1.0] * 5, [1, 1, 1, 0, 1]]))
    assert means[:, :3] == pytest.approx(np.tile([0.4, 0.0, -0.4], (2, 1)))
    assert np.isnan(means[:, 3:]).all()


def test_random_designs_that_fall_apart_neither_raise_nor_make_effects_of_nothing():
    rng = np.random.default_rng(4)
    for _ in range(100):
        shape = rng.integers(2, 12, 2)
        values = np.where(rng.random(shape) < 0.25, 0.5, np.nan)
        values = values[np.isfinite(values).any(axis=1)]
        if len(values):
            means = flow_means(values, rng.integers(0, 3, (30, len(values))).astype(float))
            # Identical scores give effects of 0.
            assert np.nanmax(np.abs(means), initial=0) < 1e-12


def test_a_study_of_tasks_without_a_common_flow_has_no_best_one(tmp_path):
    rows = [{"task_id": f"t{i}", "run_id": f"r{i}", "flow_name": f"f{i}", "AUPR": 0.5} for i in range(4)]
    assert comparable(pd.DataFrame(rows), 0.1)["flow_name"].nunique() == 1


@pytest.mark.parametrize(("share", "flows"), [(0.1, {"a", "b"}), (0.05, {"a", "b", "rare"})])
def test_a_flow_of_few_tasks_does_not_count(share, flows):
    rows = [(f"t{i}", name, value) for i in range(20) for name, value in (("a", 0.6), ("b", 0.5))]
    runs = pd.DataFrame([*rows, ("t0", "rare", 0.99)], columns=["task_id", "flow_name", "AUPR"])
    runs = runs.assign(run_id=runs.index, source_group=runs["task_id"])
    assert set(comparable(runs, share)["flow_name"]) == flows
    study = SimpleNamespace(
        frames={"criteria": runs.drop(columns="flow_name")},
        runs=runs[["task_id", "run_id", "flow_name"]],
        source_groups=pd.Series({f"t{i}": f"g{i}" for i in range(20)}),
    )
    table = task_aggregation.over_all(study, bootstrap=10, share=share, seed=1)["task_aggregation"]
    assert set(table["n_flows"]) == {len(flows)}
    assert ("rare" in set(table["best"])) == ("rare" in flows)
    assert "rare" in flows or set(table["best"]) == {"a"}
