"""The sources tabrepo and amlb: folders as TabRepo, TabArena and the AutoML benchmark write them, made here."""

import json
import re
import struct
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aucstudy.errors import InputError
from aucstudy.sources.leaderboards import check, fetch, input_files, task_ids
from aucstudy.store.rejections import read_rejections
from aucstudy.store.task_store import Batch, read_predictions, read_runs, read_tasks

EXAMPLE = Path(__file__).parents[2] / "studies" / "tabrepo-example"
MODELS = ("CatBoost_c1_BAG_L1", "LightGBM_r3_BAG_L1", "RandomForest_c1_BAG_L1")


def write_fold(
    folder, dataset, fold, models=MODELS, n=40, dtype="float32", labels=None, new=False, classes=None
):
    place = folder / "model_predictions" / dataset / str(fold)
    place.mkdir(parents=True)
    fold = int(fold)
    random = np.random.default_rng(fold)
    y = np.arange(n) % 4 == 0 if labels is None else np.asarray(labels)
    shape = (len(models), n) if classes is None else (len(models), n, classes)
    scores = random.random(shape).astype(dtype)
    described = {"models": list(models), "dataset": dataset, "fold": fold, "dtype": dtype}
    described |= {"pred_val_shape": [len(models), 1], "pred_test_shape": list(shape)}
    (place / "metadata.json").write_text(json.dumps(described))
    scores.tofile(place / "pred-test.dat")
    if new:
        header = {"version": 1, "val": {"n": 1, "dtype": "<f8"}, "test": {"n": n, "dtype": "|i1"}}
        text = json.dumps(header).encode()
        body = struct.pack("<I", len(text)) + text + np.zeros(1).tobytes() + y.astype("i1").tobytes()
        (place / "labels.dat").write_bytes(body)
    else:
        labelled = pd.DataFrame({"target": y.astype(int)}, index=100 * fold + np.arange(n))
        labelled.to_csv(place / "label-test.csv.zip", index=True)
    return y, scores


def fetched(tmp_path, *folders, models_per_task=9, **settings):
    store = tmp_path / "store"
    settings = {"folders": [str(folder) for folder in folders], "positive": "1", **settings}
    asked = {"models_per_task": models_per_task, "min_flows": 2}
    check(settings, **asked)
    fetch(Batch(store, settings, **asked, seed=1))
    return store


@pytest.mark.parametrize("new", [False, True])
def test_a_data_set_is_a_task_with_its_folds(tmp_path, new):
    made = [write_fold(tmp_path / "in", "adult", fold, new=new) for fold in (0, 2)]
    store = fetched(tmp_path, tmp_path / "in")
    predictions = read_predictions(store, "adult")
    assert predictions.run_ids == tuple(f"adult.{name}" for name in MODELS)
    assert np.array_equal(predictions.y_true, np.concatenate([y for y, _ in made]))
    assert np.array_equal(predictions.scores, np.concatenate([scores.T for _, scores in made]).astype(float))
    assert predictions.folds.tolist() == [0] * 40 + [1] * 40
    assert predictions.row_id[40] == (40 if new else 200)
    assert read_tasks(store)[["n_folds", "n_positive", "positive_class"]].values.tolist() == [[2, 20, "1"]]
    assert list(read_runs(store)["flow_name"]) == list(MODELS)


def test_a_fold_of_rows_that_were_there_before_is_of_another_repeat(tmp_path):
    for fold in range(3):
        write_fold(tmp_path / "in", "adult", fold)
    place = tmp_path / "in/model_predictions/adult"
    (place / "2/label-test.csv.zip").write_bytes((place / "0/label-test.csv.zip").read_bytes())
    predictions = read_predictions(fetched(tmp_path, tmp_path / "in"), "adult")
    assert predictions.repeat.tolist() == [0] * 80 + [1] * 40
    assert predictions.row_id[80:].tolist() == predictions.row_id[:40].tolist()


def test_the_methods_of_several_folders_are_put_together(tmp_path):
    write_fold(tmp_path / "a", "adult", 0, models=MODELS[:1])
    write_fold(tmp_path / "b", "adult", 0, models=MODELS[1:], dtype="float16", classes=2)
    store = fetched(tmp_path, tmp_path / "a", tmp_path / "b")
    assert len(read_predictions(store, "adult").run_ids) == 3


def test_a_model_that_lacks_a_fold_is_rejected(tmp_path):
    write_fold(tmp_path / "in", "adult", 0)
    write_fold(tmp_path / "in", "adult", 1, models=MODELS[:2])
    store = fetched(tmp_path, tmp_path / "in")
    (row,) = read_rejections(store / "rejections.csv")
    assert (row.run_id, row.reason, row.detail) == (
        f"adult.{MODELS[2]}", "rows_incomplete", "predicts nothing of fold 1"
    )  # fmt: skip
    assert len(read_runs(store)) == 2


def test_the_rarer_class_may_be_the_positive_one(tmp_path):
    _, scores = write_fold(tmp_path / "in", "adult", 0, labels=np.arange(40) % 4 != 0)
    predictions = read_predictions(fetched(tmp_path, tmp_path / "in", positive="minority"), "adult")
    assert predictions.y_true.sum() == 10
    assert np.array_equal(predictions.scores, -scores.T.astype(float))


def test_what_cannot_be_used_is_a_row_of_rejections(tmp_path):
    folder = tmp_path / "in"
    write_fold(folder, "regression", 0, labels=np.linspace(0, 1, 40) * 7)
    write_fold(folder, "three", 0, classes=3)
    write_fold(folder, "short", 0)
    (folder / "model_predictions/short/0/pred-test.dat").write_bytes(b"1234")
    write_fold(folder, "described", 0)
    (folder / "model_predictions/described/0/metadata.json").write_text("{}")
    write_fold(folder, "unlabelled", 0)
    (folder / "model_predictions/unlabelled/0/label-test.csv.zip").write_bytes(b"PK")
    write_fold(folder, "adult", 0)
    store = fetched(tmp_path, folder)
    rejected = {row.task_id: row for row in read_rejections(store / "rejections.csv")}
    assert list(read_tasks(store)["task_id"]) == ["adult"]
    assert {task: row.reason for task, row in rejected.items()} == {
        "described": "file_broken",
        "regression": "not_binary",
        "short": "file_broken",
        "three": "not_binary",
        "unlabelled": "file_broken",
    }
    assert rejected["short"].detail.endswith("4 bytes for 40 labels; 480 for 40 rows are wanted")


def relabelled(fold, change):
    file = fold / "label-test.csv.zip"
    table = pd.read_csv(file, index_col=0)
    table.index = change(table.index.to_numpy())
    table.to_csv(file)


def redescribed(fold, change):
    file = fold / "metadata.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))


# which of two folders is spoilt how, and the detail of the rejection
SPOILT = [
    ("b", relabelled, lambda rows: rows + 1, "other row numbers than"),
    ("a", relabelled, lambda rows: rows + 0.5, "row numbers such as .*; whole ones are wanted"),
    ("a", relabelled, lambda rows: rows // 2, "row number 0 is there twice; each is wanted once"),
    ("b", redescribed, {"models": ["m1", MODELS[0]]}, "metadata.json too; one prediction by each"),
    ("b", redescribed, {"models": ["m1", "m1"]}, "'m1' is in .*metadata.json too; one prediction"),
    ("a", redescribed, {"models": None}, "models None, pred_test_shape"),
    ("a", redescribed, {"models": [None]}, r"models \[None\], pred_test_shape"),
    ("a", redescribed, {"models": "m"}, "models m, pred_test_shape"),
    ("a", redescribed, {"pred_test_shape": [1, None]}, r"pred_test_shape \[1, None\]"),
    ("a", redescribed, {"pred_test_shape": 3}, "pred_test_shape 3"),
    ("a", redescribed, {"pred_test_shape": [1, 40.0]}, r"pred_test_shape \[1, 40.0\]"),
    ("a", redescribed, {"dtype": ["float32"]}, r"dtype \['float32'\]"),
]


@pytest.mark.parametrize(("folder", "spoil", "change", "detail"), SPOILT)
def test_models_are_paired_over_the_same_rows_and_stand_once(tmp_path, folder, spoil, change, detail):
    write_fold(tmp_path / "a", "adult", 0, models=MODELS[:1])
    write_fold(tmp_path / "b", "adult", 0, models=MODELS[1:])
    spoil(tmp_path / folder / "model_predictions" / "adult" / "0", change)
    (row,) = read_rejections(fetched(tmp_path, tmp_path / "a", tmp_path / "b") / "rejections.csv")
    assert row.reason == "file_broken"
    assert re.search(detail, row.detail)


def test_a_fold_has_one_name(tmp_path):
    write_fold(tmp_path / "in", "adult", "00")
    with pytest.raises(InputError, match=r"adult/00: a fold without leading zeros is wanted \(0\)"):
        fetched(tmp_path, tmp_path / "in")


def test_what_is_asked_for_and_not_there_is_one_line(tmp_path):
    write_fold(tmp_path / "in", "adult", 0)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"empty holds no <dataset>/<fold>/metadata.json"):
        fetched(tmp_path, tmp_path / "empty")
    with pytest.raises(InputError, match="no data set 'adul'; there are adult"):
        fetched(tmp_path, tmp_path / "in", datasets=["adul"])
    with pytest.raises(InputError, match=r"models: is \['a'\]"):
        fetched(tmp_path, tmp_path / "in", models=["a"])


def test_the_example_holds_what_files_example_holds(tmp_path):
    settings = {"folders": str(EXAMPLE), "positive": "minority"}
    assert task_ids(settings) == ["breast-cancer", "diabetes-high"]
    assert len(input_files(settings)) == 6
    predictions = read_predictions(fetched(tmp_path, EXAMPLE, positive="minority"), "diabetes-high")
    table = pd.read_csv(EXAMPLE.parent / "files-example" / "diabetes-high.csv").set_index("row_id")
    for column, run in enumerate(predictions.run_ids):
        wanted = table.loc[predictions.row_id, run.split(".")[1]].to_numpy(dtype="float32")
        assert np.array_equal(predictions.scores[:, column], wanted.astype(float))
    assert np.array_equal(predictions.y_true, table.loc[predictions.row_id, "label"] == "high")


AMLB_EXAMPLE = EXAMPLE.with_name("amlb-example")


def write_session(
    folder, framework, task="adult", fold=0, y=(0, 1) * 20, classes=("<=50K", ">50K"), **change
):
    """A fold of one framework as `TaskResult.save_predictions` of the AutoML benchmark writes it."""
    where = folder / f"{framework}.small.1h8c.local.20240101T000000" / "predictions" / task / str(fold)
    where.mkdir(parents=True)
    probability = np.random.default_rng([fold, len(framework)]).random(len(y)).round(3)
    truth = np.take(classes, y)
    columns = {classes[0]: 1 - probability, classes[1]: probability, "predictions": truth, "truth": truth}
    pd.DataFrame(columns | change).to_csv(where / "predictions.csv", index=False)
    return where, probability


def test_a_framework_of_the_automl_benchmark_is_a_model(tmp_path):
    forest, of_forest = write_session(tmp_path, "RandomForest")
    _, of_lama = write_session(tmp_path, "lightautoml")
    (forest / "metadata.json").write_text(json.dumps({"framework": "RandomForest_v2", "fold": 0}))
    store = fetched(tmp_path, tmp_path)
    predictions = read_predictions(store, "adult")
    assert predictions.run_ids == ("adult.RandomForest_v2", "adult.lightautoml")
    assert np.array_equal(predictions.scores, np.column_stack([of_forest, of_lama]))
    assert np.array_equal(predictions.y_true, np.tile([False, True], 20))
    facts = read_tasks(store)[["source", "positive_class", "negative_class"]].values.tolist()
    assert facts == [["amlb", ">50K", "<=50K"]]


def test_a_session_alone_and_encoded_classes_are_read_too(tmp_path):
    for framework in ("a", "bb"):
        write_session(tmp_path, framework, truth=[0, 1] * 20)
    sessions = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert len(read_predictions(fetched(tmp_path, *sessions), "adult").run_ids) == 2


# what one framework left: columns, or the text of its file
UNUSABLE = [
    ({"truth": ["<=50K"] * 40}, "not_binary", "truth is <=50K; <=50K and >50K are wanted"),
    ({"truth": ["", ">50K"] * 20}, "not_binary", "truth is , >50K; <=50K"),
    ({">50K": ["", "0.5"] * 20}, "file_broken", "model 'bb' has no number in row 0"),
    ({"truth": ["<=50K"] * 20 + [">50K"] * 20}, "file_broken", "other labels than"),
    (
        "a,b,c,predictions,truth\n.1,.2,.7,c,c\n",
        "not_binary",
        "probabilities of 3 classes, of two are wanted",
    ),
    ("predictions,truth\n1.5,2\n", "not_binary", "no column of probabilities, of two are wanted"),
    ("a,b\n.1,.9\n", "file_broken", "the columns are a, b; predictions and truth are wanted"),
    ('a,b\n"', "file_broken", "not readable as CSV"),
]


@pytest.mark.parametrize(("change", "reason", "detail"), UNUSABLE)
def test_what_the_benchmark_left_that_cannot_be_used_is_a_row_of_rejections(tmp_path, change, reason, detail):
    write_session(tmp_path, "a")
    where, _ = write_session(tmp_path, "bb", **(change if isinstance(change, dict) else {}))
    if isinstance(change, str):
        (where / "predictions.csv").write_text(change)
    (row,) = read_rejections(fetched(tmp_path, tmp_path) / "rejections.csv")
    assert (row.task_id, row.reason) == ("adult", reason)
    assert detail in row.detail


def test_a_framework_that_failed_on_a_fold_is_rejected_and_one_that_is_there_twice_stops_the_task(tmp_path):
    for framework in ("a", "bb", "ccc"):
        where, _ = write_session(tmp_path, framework)
        (where / "metadata.json").write_text(json.dumps({"framework": framework}))
    (where / "predictions.csv").unlink()
    (row,) = read_rejections(fetched(tmp_path, tmp_path) / "rejections.csv")
    assert (row.run_id, row.detail) == ("adult.ccc", "predicts nothing of fold 0")
    where.joinpath("predictions.csv").write_text("x,y,predictions,truth\n")
    where.joinpath("metadata.json").write_text('{"framework": "a"}')
    (row,) = read_rejections(fetched(tmp_path, tmp_path) / "rejections.csv")
    assert "model 'a' is in" in row.detail


def test_the_example_of_the_automl_benchmark_lacks_one_fold(tmp_path):
    store = fetched(tmp_path, AMLB_EXAMPLE, positive="minority")
    assert len(read_tasks(store)) == 7
    (row,) = read_rejections(store / "rejections.csv")
    assert (row.run_id, row.detail) == ("sonar.NaiveBayes", "predicts nothing of fold 1")
