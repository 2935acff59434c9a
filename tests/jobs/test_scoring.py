"""The table of scores has two rows for each model, pooled and mean over folds, and says what was left out."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from measured import predictions_of
from sklearn.metrics import average_precision_score, roc_auc_score

from aucstudy.errors import InputError
from aucstudy.jobs.scoring import score_task, score_tasks, with_flow_names
from aucstudy.store.measured import SCORE_COLUMNS, read_scores, write_scores
from aucstudy.store.rejections import Reason
from aucstudy.store.task_store import write_predictions


@pytest.fixture
def task():
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.3
    scores = np.column_stack([y + rng.normal(size=200), np.round(rng.random(200), 1)])
    folds = rng.permutation(200) % 5
    return dataclasses.replace(predictions_of(y, scores, runs=("t.a", "t.b")), fold=folds)


@pytest.mark.parametrize(
    ("area", "score"), [("auroc", roc_auc_score), ("average_precision", average_precision_score)]
)
def test_pooled_areas_and_fold_means_agree_with_scikit_learn(task, area, score):
    frame, rejections = score_task(task)
    assert rejections == []
    areas = frame.set_index("aggregation")[area]
    folds = [task.fold == k for k in range(5)]
    for i, scores in enumerate(task.scores.T):
        by_fold = [score(task.y_true[rows], scores[rows]) for rows in folds]
        assert areas["pooled"].iloc[i] == pytest.approx(score(task.y_true, scores), abs=1e-12)
        assert areas["fold_mean"].iloc[i] == pytest.approx(np.mean(by_fold), abs=1e-12)


def test_a_fold_of_one_class_is_left_out_and_recorded(task):
    y = task.y_true & (task.fold != 2)
    frame, rejections = score_task(dataclasses.replace(task, y_true=y))
    assert frame.groupby("aggregation")["n_folds_left_out"].agg(list).to_dict() == {
        "fold_mean": [1, 1],
        "pooled": [0, 0],
    }
    assert frame["auroc"].notna().all()
    assert [rejection.reason for rejection in rejections] == [Reason.FOLD_ONE_CLASS]
    assert "fold 2: 0 positives" in rejections[0].detail


def test_a_task_of_one_class_becomes_a_rejection(task):
    frame, rejections = score_task(dataclasses.replace(task, y_true=np.zeros(200, bool)))
    assert frame.empty
    assert [rejection.reason for rejection in rejections] == [Reason.ONE_CLASS]


def test_scores_come_back_in_order(task, tmp_path):
    write_predictions(tmp_path, task, {})
    runs = pd.DataFrame({"task_id": "t", "run_id": ["t.a", "t.b"], "flow_name": ["a", "b"]})
    scores = with_flow_names(score_tasks(tmp_path, ["t"])[0], runs)
    write_scores(scores.sample(frac=1, random_state=0), tmp_path / "scores.parquet")
    read = read_scores(tmp_path / "scores.parquet")
    assert tuple(read.columns) == SCORE_COLUMNS
    assert read["aggregation"].tolist() == ["fold_mean", "pooled"] * 2
    assert read_scores(tmp_path / "scores.parquet", "pooled")["flow_name"].tolist() == ["a", "b"]


def test_a_run_without_a_row_in_the_table_of_runs_is_named(task):
    runs = pd.DataFrame({"task_id": "t", "run_id": ["t.a"], "flow_name": ["a"]})
    with pytest.raises(InputError, match=r"runs\.csv: no row for run t\.b of task t"):
        with_flow_names(score_task(task)[0], runs)
