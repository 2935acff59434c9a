"""The files source: one prediction file a task, and a row of rejections for each that cannot be used."""

import numpy as np
import pandas as pd
import pytest

from aucstudy.errors import InputError
from aucstudy.sources.files import check, fetch, prediction_files, task_ids
from aucstudy.store.task_store import read_predictions, read_rejections, read_runs, read_tasks


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
    common = {"batch": 0, "batches": 1, "progress": seen.append}
    fetch(store, settings, models_per_task=models_per_task, min_flows=3, seed=seed, **common)
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
    found, want = read_predictions(store, "three"), table(seed=3)
    assert found.run_ids == ("three.m0", "three.m1", "three.m2", "three.m3")
    assert (found.scores == want[["m0", "m1", "m2", "m3"]].to_numpy()).all()
    assert (found.y_true == (want["y"] == "spam")).all()
    assert (found.folds == want["fold"]).all()


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


def test_a_list_of_files_is_taken_as_it_is(folder):
    settings = {"tasks": [str(folder / "one.csv"), str(folder / "three.tsv.gz")]}
    assert task_ids(settings) == ["one", "three"]
    assert prediction_files(settings)["three"] == folder / "three.tsv.gz"
