"""Naturally rare outcomes: rows that belong together stay together, and closed source groups wait."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from aucstudy.errors import InputError
from aucstudy.learners.datasets import DataSet, load, source_file
from aucstudy.store.rejections import Reason
from aucstudy.store.task_store import Batch, read_predictions, read_rejections, read_tasks
from studies.few_positives import natural_outcomes
from studies.few_positives.natural_data import naturals
from studies.few_positives.natural_outcomes import cut, inside_folds, split_rows

# None of these data sets is in natural.csv.
TINY = {"yeast4": "open-group", "winequality-red-4": "other-group", "flare-F": "closed-group"}
SOURCE = {
    "datasets": [*TINY],
    "flows": ["j48_leaf_10", "naive_bayes", "logistic", "hist_boosting", "logistic_chosen_balanced"],
    "stopping": ["hist_boosting"],
    "splits": 2,
    "closed": ["closed-group"],
}
NUMBERS = {"models_per_task": 4, "min_flows": 4, "seed": 1}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    row = next(iter(naturals().values()))
    sets = {name: replace(load(name), source_group=group) for name, group in TINY.items()}
    table = {}
    for name, data in sets.items():
        facts = {"n_rows": len(data.target), "n_positive": int(data.target.sum())}
        table[name] = replace(row, name=name, source_group=data.source_group, **facts)
    folder = tmp_path_factory.mktemp("store")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(natural_outcomes, "naturals", lambda: table)
        patch.setattr(natural_outcomes, "natural_file", source_file)
        patch.setattr(
            natural_outcomes, "load_natural", lambda name: (sets[name], np.arange(len(sets[name].target)))
        )
        natural_outcomes.fetch(Batch(folder, SOURCE, **NUMBERS))
    return folder


def rows_of(groups: list[int], positive: list[int]) -> DataSet:
    features = pd.DataFrame({"x1": np.arange(len(groups), dtype=float)})
    return DataSet("made", "made", features, np.array(positive, dtype=bool), "yes", "no")


def test_rows_that_belong_together_are_on_one_side_and_each_side_has_its_share_of_the_positives():
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(400), 5)
    target = random.random(2000) < 0.05
    data = rows_of(groups, target)
    for number in range(5):
        split = split_rows(data, groups, 20_000, number, seed=1)
        assert sorted(np.concatenate(split)) == [*range(2000)]
        assert sum(len(set(groups[rows])) for rows in split) == 400
        shares = [data.target[rows].sum() / target.sum() for rows in split]
        assert shares == pytest.approx([0.4, 0.3, 0.3], abs=0.05)


def test_groups_of_training_rows_are_scored_as_a_whole():
    random = np.random.default_rng(0)
    groups, training = np.repeat(np.arange(400), 5), np.arange(1000)
    target = random.random(2000) < 0.05
    parts = inside_folds(target, groups, training, 3, "made", seed=1)
    assert sorted(np.concatenate(parts)) == [*range(1000)]
    assert sum(len(set(groups[part])) for part in parts) == 200
    shares = [target[part].sum() / target[:1000].sum() for part in parts]
    assert shares == pytest.approx([1 / 3] * 3, abs=0.08)


def test_training_is_cut_to_its_rows_and_the_rest_is_halved():
    data = rows_of(range(3000), [1] * 90 + [0] * 2910)
    split = split_rows(data, np.arange(3000), 600, 0, seed=1)
    assert [len(rows) for rows in split] == [600, 1200, 1200]
    assert [data.target[rows].sum() for rows in split] == [18, 36, 36]


def test_a_set_that_is_cut_keeps_the_group_of_each_row():
    data = rows_of(range(1000), [1] * 50 + [0] * 950)
    kept, groups = cut(data, np.arange(1000) * 10, 200, seed=1)
    assert kept.features["x1"].tolist() == (groups / 10).tolist()
    assert list(kept.features) == ["x1"]
    assert kept.target.sum() == 10


def test_each_open_set_has_its_splits_and_the_closed_group_waits(store):
    tasks = read_tasks(store)
    assert sorted(tasks["task_id"]) == [
        f"{name}.s{k}{models}"
        for name in sorted(set(TINY) - {"flare-F"})
        for k in (0, 1)
        for models in ("", ".hist_boosting")
    ]
    of_rounds = tasks["task_id"].str.endswith("boosting")
    assert (tasks["trained"] == of_rounds.map({True: "rounds of hist_boosting", False: "natural"})).all()
    for row in tasks.itertuples():
        n = len(load(row.dataset_name).target)
        assert row.n_training == pytest.approx(0.4 * n, abs=2)
        assert row.n_training + len(read_predictions(store, row.task_id).y_true) == n
    scores = read_predictions(store, "yeast4.s0").scores
    assert (scores == scores.astype(np.float32)).all()
    rejections = read_rejections(store / "rejections.csv")
    assert [row.task_id for row in rejections if row.reason == Reason.HELD_BACK] == ["flare-F"]


@pytest.mark.needs("wide")
def test_a_library_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(natural_outcomes.BoostingFlow, "installed", property(lambda flow: False))
    for key in ("flows", "stopping"):
        settings = {
            "datasets": ["yogurt-choice"],
            "flows": ["logistic"],
            "stopping": "none",
            key: ["catboost"],
        }
        has = f"{key}: catboost needs catboost, which is not installed; the extra boosting has it"
        with pytest.raises(InputError, match=has):
            natural_outcomes.check(settings, models_per_task=1, min_flows=1)


@pytest.mark.needs("wide")
def test_more_models_than_rounds_are_refused():
    settings = {"datasets": ["yogurt-choice"], "stopping": ["hist_boosting"]}
    natural_outcomes.check(settings, models_per_task=24, min_flows=24)
    with pytest.raises(InputError, match=r"25 is asked for, source_settings.stopping allows 24"):
        natural_outcomes.check(settings, models_per_task=25, min_flows=24)
