"""The best flow over many tasks."""

import numpy as np
import pandas as pd
import pytest
from measured import measured

from aucstudy.experiments import task_aggregation
from aucstudy.experiments.task_aggregation import (
    carrying_tasks,
    flow_means,
    flow_medians,
    task_aggregation_table,
)
from aucstudy.store.task_store import Predictions

ONES = np.ones((1, 4))
VALUES = np.array([[0.9, 0.5, 0.1], [0.8, 0.6, 0.1], [0.9, 0.7, 0.2], [0.1, 0.9, 0.5]])


def test_complete_tasks_give_the_plain_means():
    assert flow_means(VALUES, ONES)[0] == pytest.approx(VALUES.mean(axis=0) - VALUES.mean(), abs=1e-12)


def test_easy_tasks_do_not_reward_the_flows_that_have_them():
    flow, task = np.array([0.2, 0.1, 0.0]), np.array([0.0, 0.1, 0.5, 0.7])
    values = task[:, None] + flow
    values[[0, 1], 2] = np.nan  # the worst flow has the easy tasks only
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
        rows = np.arange(60)
        scores = np.column_stack([rng.normal(3 * y), rng.normal(y), rng.normal(-1.0 * y)])
        scores = np.asfortranarray(scores)
        tasks.append(Predictions(f"t{i}", rows, 0 * rows, 0 * rows, y, scores, ("a", "b", "c")))
    return measured(task_aggregation, tasks)["criteria"].assign(flow_name=lambda frame: frame["run_id"])


def test_the_clearly_best_flow_is_best_by_every_average():
    groups = pd.Series({f"t{i}": f"g{i}" for i in range(5)})
    table = task_aggregation_table(made_criteria(), groups, 100, seed=0)
    assert set(table["best"]) == {"a"}
    assert (table["differs"] == 0).all()
    assert (table["best_again"] == 1).all()


def test_a_task_carries_what_the_lead_loses_without_it():
    tasks = carrying_tasks(made_criteria())
    assert (tasks["lead"] - tasks["without"] - tasks["carried"]).abs().max() < 1e-12
    assert tasks.groupby("average").size().eq(5).all()
