"""Scores hold each model twice, pooled and as the mean of its folds, and say what was left out."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from aucstudy.jobs.scoring import score_task, score_tasks
from aucstudy.store.measured import SCORE_COLUMNS, read_scores, write_scores
from aucstudy.store.rejections import Reason
from aucstudy.store.task_store import Predictions, write_predictions


@pytest.fixture
def task():
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.3
    scores = np.column_stack([y + rng.normal(size=200), np.round(rng.random(200), 1)])
    folds = rng.permutation(200) % 5
    return Predictions(
        "t", np.arange(200), np.zeros(200, int), folds, y, np.asfortranarray(scores), ("t.a", "t.b")
    )


def test_pooled_areas_agree_with_scikit_learn(task):
    frame, rejections = score_task(task)
    pooled = frame[frame["aggregation"] == "pooled"]
    assert rejections == []
    for i in range(2):
        assert pooled["auroc"].iloc[i] == pytest.approx(
            roc_auc_score(task.y_true, task.scores[:, i]), abs=1e-12
        )
        expected = average_precision_score(task.y_true, task.scores[:, i])
        assert pooled["average_precision"].iloc[i] == pytest.approx(expected, abs=1e-12)


def test_the_fold_mean_is_the_mean_of_the_folds(task):
    frame, _ = score_task(task)
    means = frame[frame["aggregation"] == "fold_mean"]["auroc"].to_numpy()
    for i in range(2):
        by_fold = [
            roc_auc_score(task.y_true[task.fold == k], task.scores[task.fold == k, i]) for k in range(5)
        ]
        assert means[i] == pytest.approx(np.mean(by_fold), abs=1e-12)


def test_a_fold_of_one_class_is_left_out_and_recorded(task):
    y = task.y_true & (task.fold != 2)
    changed = Predictions(**{**task.__dict__, "y_true": y})
    frame, rejections = score_task(changed)
    assert frame[frame["aggregation"] == "fold_mean"]["n_folds_left_out"].tolist() == [1, 1]
    assert frame[frame["aggregation"] == "pooled"]["n_folds_left_out"].tolist() == [0, 0]
    assert frame["auroc"].notna().all()
    assert [rejection.reason for rejection in rejections] == [Reason.FOLD_ONE_CLASS]
    assert "fold 2: 0 positives" in rejections[0].detail


def test_a_task_of_one_class_becomes_a_rejection(task):
    frame, rejections = score_task(Predictions(**{**task.__dict__, "y_true": np.zeros(200, bool)}))
    assert frame.empty
    assert [rejection.reason for rejection in rejections] == [Reason.ONE_CLASS]


def test_scores_come_back_in_order(task, tmp_path):
    import pandas as pd

    write_predictions(tmp_path, task, {})
    runs = pd.DataFrame({"task_id": "t", "run_id": ["t.a", "t.b"], "flow_name": ["a", "b"]})
    scores, _ = score_tasks(tmp_path, ["t"], runs)
    write_scores(scores.sample(frac=1, random_state=0), tmp_path / "scores.parquet")
    read = read_scores(tmp_path / "scores.parquet")
    assert tuple(read.columns) == SCORE_COLUMNS
    assert read["aggregation"].tolist() == ["fold_mean", "pooled"] * 2
    assert read_scores(tmp_path / "scores.parquet", "pooled")["flow_name"].tolist() == ["a", "b"]
