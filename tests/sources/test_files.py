"""The files source makes a task of each prediction file, or a row of rejections if it cannot be used."""

import re
import shutil
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aucstudy.config import REPOSITORY, SCHEMA, read_yaml
from aucstudy.errors import InputError
from aucstudy.jobs.scoring import score_task
from aucstudy.sources import input_files
from aucstudy.sources.files import LONGEST_TASK_ID, check, fetch, prediction_files, task_ids
from aucstudy.store.rejections import read_rejections
from aucstudy.store.task_store import Batch, read_predictions, read_runs, read_tasks


def table(n=40, seed=0, models=4):
    rng = np.random.default_rng(seed)
    scores = {f"m{i}": rng.random(n).round(2) for i in range(models)}
    return pd.DataFrame(
        {"row": range(n), "fold": np.arange(n) % 5, "y": np.where(np.arange(n) % 4, "ham", "spam"), **scores}
    )


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    table(seed=1).to_csv(folder / "one.csv", index=False)
    table(seed=2).to_parquet(folder / "two.v2.parquet")
    table(seed=3).to_csv(folder / "three.tsv.gz", index=False, sep="\t")
    return folder


def fetched(folder, tmp_path, models_per_task=3, seed=1, **settings):
    store, seen = tmp_path / "store", []
    settings = {"tasks": str(folder), "label": "y", "fold": "fold", "row": "row", **settings}
    fetch(Batch(store, settings, models_per_task, 3, seed, progress=seen.append))
    return store, seen


def test_every_file_becomes_a_task(folder, tmp_path):
    store, seen = fetched(folder, tmp_path, groups={"one": "both", "three": "both"})
    tasks = read_tasks(store).set_index("task_id")
    assert seen == sorted(tasks.index) == ["one", "three", "two.v2"]
    assert tasks.loc["one", ["n_rows", "n_positive", "positive_class", "n_folds", "n_candidates"]].to_list() == [
        40, 10, "spam", 5, 4,
    ]  # fmt: skip
    assert tasks["source_group"].to_dict() == {"one": "both", "three": "both", "two.v2": "two.v2"}
    assert (read_runs(store).groupby("task_id").size() == 3).all()


def test_the_predictions_are_those_of_the_file(folder, tmp_path):
    store, _ = fetched(folder, tmp_path, models_per_task=9)
    result, expected = read_predictions(store, "three"), table(seed=3)
    assert result.run_ids == ("three.m0", "three.m1", "three.m2", "three.m3")
    assert (result.scores == expected[["m0", "m1", "m2", "m3"]].to_numpy()).all()
    assert (result.y_true == (expected["y"] == "spam")).all()
    assert (result.folds == expected["fold"]).all()


def test_models_are_drawn_by_seed_and_task_alone(folder, tmp_path):
    draws = {
        seed: set(read_runs(fetched(folder, tmp_path / str(seed), seed=seed)[0])["run_id"])
        for seed in range(4)
    }
    again = set(read_runs(fetched(folder, tmp_path / "again", seed=2)[0])["run_id"])
    assert draws[2] == again
    assert len(set(map(frozenset, draws.values()))) > 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda f: f.assign(y="ham"), "not_binary"),
        (lambda f: f.assign(y=np.arange(40) % 3), "not_binary"),
        (lambda f: f.drop(columns="y"), "columns_missing"),
        (lambda f: f.assign(row=0), "rows_duplicated"),
        (lambda f: f.drop(columns=["m0", "m1"]), "too_few_flows"),
        (lambda f: f.assign(y=None), "file_broken"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_rejection(folder, tmp_path, change, reason):
    change(table()).to_csv(folder / "bad.csv", index=False)
    store, _ = fetched(folder, tmp_path)
    rejections = read_rejections(store / "rejections.csv")
    assert [(r.task_id, r.stage, r.reason) for r in rejections] == [("bad", "read", reason)]
    assert "bad" not in set(read_tasks(store)["task_id"])


def test_the_settings_are_checked_before_anything_starts(folder, tmp_path):
    def wrong(**settings):
        with pytest.raises(InputError) as error:
            check({"tasks": str(folder), "label": "y", **settings}, models_per_task=3, min_flows=3)
        return str(error.value)

    (tmp_path / "empty").mkdir()
    assert "is no folder" in wrong(tasks=str(tmp_path / "nowhere"))
    assert "holds no file that ends in .csv" in wrong(tasks=str(tmp_path / "empty"))
    assert "no such file" in wrong(tasks=[str(folder / "none.csv")])
    assert "no task 'four'" in wrong(groups={"four": "x"})
    assert "all or a list" in wrong(scores="m1")
    assert "fewer than min_flows" in wrong(scores=["m1", "m2"])
    table().to_csv(folder / "one.tsv", sep="\t")
    assert "are both of task 'one'" in wrong()


def test_what_lies_beside_the_files_is_not_read_and_has_a_row_each(folder, tmp_path):
    (folder / "more" / "deep").mkdir(parents=True)
    table(seed=4).to_csv(folder / "more" / "deep" / "four.csv", index=False)
    for name in ("five.xlsx", "six.csv.zip", ".hidden.csv", ".git/seven.csv"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("bytes")
    store, seen = fetched(folder, tmp_path)
    assert seen == ["one", "three", "two.v2"]
    rows = {(r.task_id, r.stage, r.reason): r.detail for r in read_rejections(store / "rejections.csv")}
    assert list(rows) == [
        ("five.xlsx", "select", "not_read"),
        ("more/deep/four.csv", "select", "not_read"),
        ("six.csv.zip", "select", "not_read"),
    ]
    details = list(rows.values())
    assert "its ending is none of .csv, .tsv" in details[0]
    assert "lies in a folder below that of files.tasks" in details[1]
    # A file that is not read counts as input, too, so that a run notices when it comes or goes.
    before = input_files(config(folder))
    (folder / "five.xlsx").unlink()
    assert input_files(config(folder)) != before


def test_a_folder_with_files_in_folders_below_it_alone_says_so(tmp_path):
    (tmp_path / "in" / "below").mkdir(parents=True)
    table().to_csv(tmp_path / "in" / "below" / "one.csv", index=False)
    with pytest.raises(InputError, match="1 such files lie in folders below it, which are not read"):
        prediction_files({"tasks": str(tmp_path / "in")})


def test_each_file_may_have_a_positive_class_of_its_own(folder, tmp_path):
    changed = table(seed=2)
    changed["y"] = np.where(changed["y"] == "ham", "yes", "no")
    changed.to_parquet(folder / "two.v2.parquet")
    positive = {"one.csv": "ham", "two.v2": "yes", "three.tsv.gz": "minority"}
    store, _ = fetched(folder, tmp_path, positive=positive)
    tasks = read_tasks(store).set_index("task_id")
    assert tasks["positive_class"].to_dict() == {"one": "ham", "two.v2": "yes", "three": "spam"}


@pytest.mark.parametrize(
    ("positive", "message"),
    [
        ({"one.csv": "ham", "two.v2": "ham"}, "three.tsv.gz is there not at all"),
        ({"one.csv": "ham", "one": "ham", "two.v2": "ham", "three": "ham"}, "one.csv is there twice"),
        ({"four.csv": "ham"}, "no file or task 'four.csv'; the tasks are one, three, two.v2"),
    ],
)
def test_a_positive_class_of_each_file_wants_every_file_once(folder, positive, message):
    settings = {"tasks": str(folder), "label": "y", "positive": positive}
    with pytest.raises(InputError) as error:
        check(settings, models_per_task=3, min_flows=3)
    assert message in str(error.value)


def test_messages_of_a_study_name_its_keys_and_its_folds(folder, tmp_path):
    store, _ = fetched(folder, tmp_path, positive="eggs")
    for rejection in read_rejections(store / "rejections.csv"):
        assert "files.positive 'eggs' is not among its values" in rejection.detail
    shutil.rmtree(store)
    names = ["10", "9", "b", "a", "c"]
    named = table().assign(fold=[names[i % 5] for i in range(40)])
    named.loc[named["fold"] == "9", "y"] = "ham"
    named.to_csv(folder / "one.csv", index=False)
    store, _ = fetched(folder, tmp_path)
    _, (rejection,) = score_task(read_predictions(store, "one"))
    assert rejection.detail.startswith("fold 9: 0 positives of 8 rows;")


def test_a_list_of_files_is_taken_as_it_is(folder):
    settings = {"tasks": [str(folder / "one.csv"), str(folder / "three.tsv.gz")]}
    assert task_ids(settings) == ["one", "three"]
    assert prediction_files(settings)["three"] == folder / "three.tsv.gz"


KEYS = {
    "tasks": [lambda folder: str(folder), lambda folder: [str(folder / "one.csv")]],
    "label": ["y"],
    "positive": ["spam", "ham", "minority", {"one": "spam", "two.v2.parquet": "ham", "three": "minority"}],
    "scores": ["all", ["m0", "m1", "m2"]],
    "fold": ["fold", None],
    "row": ["row", None],
    "groups": [{}, {"one": "both"}],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key in KEYS for value in KEYS[key]])
def test_every_key_works_at_each_documented_value(folder, tmp_path, key, value):
    settings = {"label": "y", key: value(folder) if callable(value) else value}
    check({"tasks": str(folder), **settings}, models_per_task=3, min_flows=3)
    store, _ = fetched(folder, tmp_path, **settings)
    tasks = read_tasks(store).set_index("task_id")
    assert "one" in tasks.index
    assert {r.reason for r in read_rejections(store / "rejections.csv")} <= {"not_a_score"}
    result = read_predictions(store, "one")
    assert len(result.run_ids) == 3
    assert (
        tasks.loc["one", "n_folds"]
        == result.folds.max() + 1
        == (1 if settings.get("fold", "") is None else 5)
    )


def test_the_keys_are_those_of_the_schema():
    assert set(KEYS) == set(read_yaml(SCHEMA)["properties"]["files"]["properties"])


def test_a_column_that_is_no_score_is_recorded(folder, tmp_path):
    table().assign(note="a", id=range(40)).to_csv(folder / "one.csv", index=False)
    store, _ = fetched(folder, tmp_path)
    result = {r.run_id: (r.stage, r.reason, r.detail) for r in read_rejections(store / "rejections.csv")}
    assert result == {
        "one.id": ("read", "not_a_score", "column 'id' is named like an index"),
        "one.note": ("read", "not_a_score", "column 'note' holds no numbers"),
    }


@pytest.mark.parametrize("gap", ["", "NA", "?"])
def test_a_gap_in_the_first_rows_is_told_and_hides_no_model(folder, tmp_path, gap):
    changed = table().astype(object)
    changed.loc[2, "m1"] = gap
    changed.to_csv(folder / "one.csv", index=False)
    store, _ = fetched(folder, tmp_path)
    (rejection,) = read_rejections(store / "rejections.csv")
    assert (rejection.task_id, rejection.run_id, rejection.reason) == ("one", "", "file_broken")
    assert "column 'm1': 1 values are no finite numbers, the first is " in rejection.detail


def test_tasks_and_models_may_be_called_na(folder, tmp_path):
    for name in ("NA", "null"):
        table().rename(columns={"m0": "NA"}).to_csv(folder / f"{name}.csv", index=False)
    store, _ = fetched(folder, tmp_path, models_per_task=9)
    assert {"NA", "null"} < set(read_tasks(store)["task_id"])
    runs = read_runs(store)
    assert set(runs.loc[runs["flow_name"] == "NA", "task_id"]) == {"NA", "null"}
    assert read_predictions(store, "NA").run_ids[0] == "NA.NA"


def test_labels_of_equal_value_are_one_class_for_the_minority_too(folder, tmp_path):
    mixed = np.where(np.arange(40) % 4, "0", np.where(np.arange(40) % 8, "1", "1.0"))
    table().assign(y=mixed).to_csv(folder / "one.csv", index=False)
    store, _ = fetched(folder, tmp_path)
    assert read_tasks(store).set_index("task_id").loc["one", "n_positive"] == 10


def config(folder):
    return {"source": "files", "files": {"tasks": str(folder), "label": "y"}}


def test_input_files_change_with_every_change_of_a_file(folder):
    before = input_files(config(folder))
    assert sorted(before) == [str(folder / name) for name in ("one.csv", "three.tsv.gz", "two.v2.parquet")]
    text = (folder / "one.csv").read_text()
    (folder / "one.csv").write_text(text.replace("spam", "span"))
    after = input_files(config(folder))
    assert {path for path in after if after[path] != before[path]} == {str(folder / "one.csv")}
    table().to_csv(folder / "four.csv", index=False)
    assert set(input_files(config(folder))) - set(after) == {str(folder / "four.csv")}
    assert input_files({"source": "packaged", "packaged": {}}) == {}


def test_an_input_file_that_is_gone_is_named(folder, monkeypatch):
    gone = str(folder / "gone.csv")
    with pytest.raises(InputError, match=r"gone\.csv: no such file"):
        input_files({"source": "files", "files": {"tasks": [gone]}})
    monkeypatch.setattr("aucstudy.sources.files.prediction_files", lambda settings: {"gone": Path(gone)})
    with pytest.raises(InputError, match=r"gone\.csv: cannot be read \(No such file or directory\)"):
        input_files(config(folder))


def test_the_name_of_a_task_is_refused_where_it_is_too_long_to_name_files(folder, tmp_path):
    (folder / "one.csv").rename(folder / f"{'x' * LONGEST_TASK_ID}.csv")
    store, _ = fetched(folder, tmp_path)
    assert read_predictions(store, "x" * LONGEST_TASK_ID).run_ids
    (folder / f"{'x' * LONGEST_TASK_ID}.csv").rename(folder / f"{'y' * 240}.csv")
    with pytest.raises(InputError, match="a task's name of 240 bytes; 1 to 200 before the ending are needed"):
        check({"tasks": str(folder), "label": "y"}, models_per_task=3, min_flows=3)


def test_predictions_of_a_benchmark_become_a_folder_as_the_docs_say(tmp_path, monkeypatch):
    random, truth = np.random.default_rng(0), np.where(np.arange(30) % 3, "no", "yes")
    scores = {}
    for model, fold in product(("Bayes", "Forest", "Tree", "Failing"), range(2)):
        folder = tmp_path / "results" / f"{model}.test.local" / "predictions" / "churn" / str(fold)
        folder.mkdir(parents=True)
        if (model, fold) != ("Failing", 1):
            scores[model, fold] = random.random(30).round(3)
            columns = {"no": 1 - scores[model, fold], "yes": scores[model, fold], "predictions": "no"}
            pd.DataFrame({**columns, "truth": truth}).to_csv(folder / "predictions.csv", index=False)
    page = (REPOSITORY / "docs" / "running.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(re.search(r"(?ms)^```python\n(.*?)^```$", page)[1], {})
    options = {"label": "label", "positive": "1", "row": None}
    result = read_predictions(fetched(tmp_path / "predictions", tmp_path, **options)[0], "churn")
    assert result.run_ids == ("churn.Bayes", "churn.Forest", "churn.Tree")
    assert (result.y_true == np.tile(truth == "yes", 2)).all()
    assert result.folds.tolist() == [0] * 30 + [1] * 30
    for column, model in zip(result.scores.T, ("Bayes", "Forest", "Tree"), strict=True):
        assert column.tolist() == [*scores[model, 0], *scores[model, 1]]
