"""A batch of tasks becomes a task store: the same bytes in any batch, and a row for all that is dropped."""

from types import MappingProxyType

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from aucstudy.learners.datasets import DataSet, load
from aucstudy.learners.flows import FLOWS, Flow, Output
from aucstudy.sources import packaged
from aucstudy.sources.packaged import fetch, rows
from aucstudy.store.rejections import Reason, Rejection, Stage, read_rejections
from aucstudy.store.task_store import (
    Batch,
    merge_stores,
    predictions_path,
    read_predictions,
    read_runs,
    read_tasks,
)

SETTINGS = {
    "datasets": ["iris", "tae", "cleveland-0_vs_4"],
    "flows": ["zero_r", "random_tree", "sgd_hinge", "random_forest_10", "smo_linear", "qda"],
    "folds": 5,
}


class Breaking(DummyClassifier):
    def fit(self, X, y):
        raise ValueError("does not work\nat all")


def fill(folder, *, batch=0, batches=1, models_per_task=5, min_flows=3, seed=11, **changes):
    done = []
    settings = {**SETTINGS, **changes}
    fetch(Batch(folder, settings, models_per_task, min_flows, seed, batch, batches, done.append))
    return done


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    fill(folder)
    return folder


@pytest.fixture
def breaking_flow(monkeypatch):
    flow = Flow("breaking", Output.PROBABILITY, lambda seed: Breaking())
    monkeypatch.setattr(packaged, "FLOWS", MappingProxyType({**FLOWS, "breaking": flow}))


def test_two_batches_are_one_batch_byte_for_byte(whole, tmp_path):
    parts = [tmp_path / "0", tmp_path / "1"]
    done = [fill(piece, batch=i, batches=2) for i, piece in enumerate(parts)]
    assert done == [["cleveland-0_vs_4", "tae"], ["iris"]]
    merge_stores(parts, tmp_path / "merged")
    files = [path.relative_to(whole) for path in whole.rglob("*.parquet")]
    assert len(files) == 3
    for path in [*files, "tasks.csv", "runs.csv"]:
        assert (tmp_path / "merged" / path).read_bytes() == (whole / path).read_bytes(), path
    rejections = [read_rejections(folder / "rejections.csv") for folder in (*parts, whole)]
    assert sorted(rejections[0] + rejections[1], key=lambda r: r.run_id) == rejections[2]
    assert {r.run_id for r in rejections[2]} == {"cleveland-0_vs_4.qda"}


def test_a_run_has_the_same_scores_whatever_else_is_asked_for(tmp_path):
    flows = ["random_forest_10", "zero_r", "sgd_hinge"]
    fill(tmp_path / "alone", datasets=["tae"], flows=flows[:1], models_per_task=1, min_flows=1)
    fill(tmp_path / "among", datasets=["iris", "tae"], flows=flows, models_per_task=3)
    alone, among = (read_predictions(tmp_path / name, "tae") for name in ("alone", "among"))
    column = among.run_ids.index("tae.random_forest_10")
    np.testing.assert_array_equal(alone.scores[:, 0], among.scores[:, column])
    np.testing.assert_array_equal(alone.fold, among.fold)


def test_another_seed_gives_other_scores(whole, tmp_path):
    fill(tmp_path, seed=12, datasets=["tae"])
    assert predictions_path(tmp_path, "tae").read_bytes() != predictions_path(whole, "tae").read_bytes()


def test_the_tables_tell_the_facts_of_tasks_and_runs(whole):
    task = read_tasks(whole).set_index("task_id").loc["iris"]
    assert (task.n_rows, task.n_positive, task.positive_class, task.negative_class) == (
        150,
        50,
        "Iris-setosa",
        "rest",
    )
    assert (task.n_folds, task.source, task.source_group) == (5, "packaged", "iris")
    runs = read_runs(whole)
    assert (runs.groupby("task_id").size() == 5).all()
    assert (runs["sha256"].str.len() == 64).all()
    assert runs["run_id"].is_unique
    assert runs["server_auroc"].isna().all()


def test_hard_flows_are_hard(whole):
    runs = read_runs(whole).set_index("run_id")
    for name in runs[runs["flow_name"].isin(["sgd_hinge", "smo_linear"])].index:
        predictions = read_predictions(whole, runs.loc[name, "task_id"])
        assert set(np.unique(predictions.scores[:, predictions.run_ids.index(name)])) <= {0.0, 1.0}
        assert runs.loc[name, "hard"]
    assert runs["hard"].any()


@pytest.mark.usefixtures("breaking_flow")
def test_a_failing_flow_is_recorded_and_the_study_goes_on(tmp_path):
    flows = ["zero_r", "decision_stump", "breaking"]
    fill(tmp_path, datasets=["iris"], flows=flows, models_per_task=3, min_flows=2)
    assert read_rejections(tmp_path / "rejections.csv") == [
        Rejection(
            "iris",
            "iris.breaking",
            Stage.FETCH,
            Reason.FIT_FAILED,
            "breaking: fold 0: ValueError: does not work",
        )
    ]
    assert read_tasks(tmp_path)["n_candidates"].tolist() == [2]
    assert read_runs(tmp_path)["flow_name"].tolist() == ["decision_stump", "zero_r"]


@pytest.mark.usefixtures("breaking_flow")
def test_a_task_with_too_few_usable_flows_is_rejected(tmp_path):
    done = fill(tmp_path, datasets=["iris"], flows=["zero_r", "breaking"], models_per_task=2, min_flows=2)
    assert done == ["iris"]
    assert read_tasks(tmp_path).empty
    assert not predictions_path(tmp_path, "iris").exists()
    reasons = {r.reason: r.detail for r in read_rejections(tmp_path / "rejections.csv")}
    assert reasons[Reason.TOO_FEW_FLOWS] == "1 of 2 flows are usable, min_flows is 2"
    assert Reason.FIT_FAILED in reasons


@pytest.mark.parametrize(
    ("n_positive", "reason", "detail"),
    [
        (0, Reason.CONSTANT_TARGET, "all 150 rows are of class rest"),
        (4, Reason.TOO_FEW_ROWS, "4 rows of class Iris-setosa for 5 folds"),
    ],
)
def test_a_set_that_cannot_be_split_is_rejected(n_positive, reason, detail, tmp_path, monkeypatch):
    iris = load("iris")
    target = np.arange(150) < n_positive
    cut = DataSet("iris", "iris", iris.features, target, "Iris-setosa", "rest")
    monkeypatch.setattr(packaged, "load", lambda name, lists: cut)
    assert fill(tmp_path, datasets=["iris"]) == ["iris"]
    assert read_tasks(tmp_path).empty
    assert read_rejections(tmp_path / "rejections.csv") == [
        Rejection("iris", "", Stage.FETCH, reason, detail)
    ]


def test_a_batch_without_tasks_is_an_empty_store(tmp_path):
    assert fill(tmp_path, datasets=["iris"], batch=1, batches=2) == []
    assert read_tasks(tmp_path).empty


def test_large_sets_are_cut_by_class_to_the_same_rows_wherever_they_are_asked_for(tmp_path):
    fill(
        tmp_path,
        datasets=["iris", "german"],
        flows=["zero_r", "one_r"],
        models_per_task=2,
        min_flows=2,
        rows=200,
    )
    tasks = read_tasks(tmp_path).set_index("task_id")
    assert tasks["n_rows_whole"].to_dict() == {"german": 1000, "iris": 150}
    assert tasks["n_rows"].to_dict() == {"german": 200, "iris": 150}
    assert tasks["n_positive"].to_dict() == {"german": 60, "iris": 50}
    data, _ = rows({**SETTINGS, "rows": 200}, "german", 11)
    np.testing.assert_array_equal(data.target, read_predictions(tmp_path, "german").y_true)
    other, _ = rows({**SETTINGS, "rows": 200}, "german", 12)
    assert not data.features.equals(other.features)


def test_a_simulated_set_is_marked_or_left_out_with_a_reason_whatever_the_batches(tmp_path):
    asked = {
        "datasets": ["iris", "monk-2"],
        "flows": ["zero_r", "one_r"],
        "models_per_task": 2,
        "min_flows": 2,
    }
    parts = [tmp_path / "0", tmp_path / "1"]
    for i, piece in enumerate(parts):
        fill(piece, **asked, batch=i, batches=2)
    merge_stores(parts, tmp_path / "merged")
    fill(tmp_path / "whole", **asked)
    assert read_tasks(tmp_path / "whole")["simulated"].tolist() == ["", "yes"]
    assert (tmp_path / "merged/tasks.csv").read_bytes() == (tmp_path / "whole/tasks.csv").read_bytes()
    fill(tmp_path / "observed", **asked, simulated=False)
    assert list(read_tasks(tmp_path / "observed")["task_id"]) == ["iris"]
    assert "simulated" not in read_tasks(tmp_path / "observed")
    (rejection,) = read_rejections(tmp_path / "observed/rejections.csv")
    assert (rejection.task_id, rejection.reason) == ("monk-2", Reason.SIMULATED)
    assert rejection.detail == "yes; packaged.simulated is false"


def test_a_study_that_cuts_nothing_has_no_column_for_it_and_batches_without_tasks_lose_none(whole, tmp_path):
    assert "n_rows_whole" not in read_tasks(whole)
    parts = [tmp_path / "0", tmp_path / "1"]
    for i, piece in enumerate(parts):
        fill(piece, datasets=["iris"], batch=i, batches=2, rows=100)
    merge_stores(parts, tmp_path / "merged")
    assert (tmp_path / "merged/tasks.csv").read_bytes() == (parts[0] / "tasks.csv").read_bytes()
