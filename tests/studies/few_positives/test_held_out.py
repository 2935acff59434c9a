"""Held-out rows train no model, training positives are thinned, and all that is dropped has a row."""

import numpy as np
import pytest

from aucstudy.errors import InputError
from aucstudy.learners.datasets import at_most, load
from aucstudy.store.rejections import read_rejections
from aucstudy.store.task_store import Batch, merge_stores, predictions_path, read_predictions, read_tasks
from studies.few_positives import held_out
from studies.few_positives.held_out import crossed, lack, split_rows, thinned

SETTINGS = {
    "datasets": ["german", "pima", "australian", "crx", "iris", "yeast6", "flare-F", "monk-2"],
    "flows": ["decision_stump", "naive_bayes", "logistic", "random_tree"],
    "prevalences": [0.03, 0.1],
    "closed": ["pima"],
}


def fill(folder, *, batch=0, batches=1, **changes):
    done = []
    held_out.fetch(Batch(folder, {**SETTINGS, **changes}, 3, 3, 5, batch, batches, done.append))
    return done


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    assert sorted(fill(folder)) == ["credit-approval", "flare", "german", "iris", "monk-2", "pima", "yeast"]
    return folder


def test_batches_change_no_byte(whole, tmp_path):
    folders = [tmp_path / "0", tmp_path / "1"]
    for number, folder in enumerate(folders):
        fill(folder, batch=number, batches=2)
    merge_stores(folders, tmp_path / "merged")
    for path in [whole / "tasks.csv", whole / "runs.csv", *(whole / "predictions").glob("*.parquet")]:
        assert (tmp_path / "merged" / path.relative_to(whole)).read_bytes() == path.read_bytes()


def test_what_is_not_used_has_a_row(whole):
    rows = {(row.task_id, row.reason.value) for row in read_rejections(whole / "rejections.csv")}
    assert rows >= {
        ("pima", "held_back"), ("crx", "other_of_group"), ("yeast6.p0.03.s1", "too_few_positives"),
        ("iris.p0.1.s0", "too_few_rows"), ("iris.natural.s1", "too_few_rows"), ("german.p0.03.s0", "too_few_rows"),
        ("flare-F.p0.1.s1", "too_few_positives"), ("monk-2", "simulated"),
    }  # fmt: skip


def test_the_closed_groups_are_opened_on_request(tmp_path, whole):
    fill(tmp_path, datasets=["german", "pima"], groups="all")
    tasks = read_tasks(tmp_path).set_index("task_id")
    assert tasks.groupby("source_group")["closed"].first().to_dict() == {"german": False, "pima": True}
    alone = read_tasks(whole).set_index("task_id")
    assert alone.loc["german.p0.1.s1"].equals(tasks.loc["german.p0.1.s1"])


def test_pool_and_judge_are_halves_of_rows_that_trained_nothing(whole):
    data = load("german")
    task = read_tasks(whole).set_index("task_id").loc["german.p0.1.s0"]
    predictions = read_predictions(whole, "german.p0.1.s0")
    split = split_rows(data, held_out.chosen(SETTINGS), 0, 5)
    every = np.concatenate([split.training, split.pool, split.judge])
    assert sorted(every) == list(range(1000))
    assert np.bincount(predictions.fold).tolist() == [len(split.pool), len(split.judge)]
    for fold, rows in ((0, split.pool), (1, split.judge)):
        assert (predictions.y_true[predictions.fold == fold] == data.target[rows]).all()
    assert abs(len(split.pool) - len(split.judge)) <= 2
    assert len(split.training) == 333
    assert task["n_training_positive"] == round(233 / 9)
    assert predictions_path(whole, "german.natural.s0").exists()


def test_no_model_is_fitted_on_what_it_scores(whole):
    one, other = (read_predictions(whole, f"german.natural.s{k}") for k in (0, 1))
    assert not np.array_equal(one.scores, other.scores)
    thin, natural = (read_predictions(whole, f"german.{arm}.s0") for arm in ("p0.1", "natural"))
    assert (thin.y_true == natural.y_true).all()
    column = [run.endswith("logistic") for run in thin.run_ids]
    if any(column):
        assert thin.scores[:, column].mean() < natural.scores[:, column].mean()


def test_thinning_leaves_some_of_the_same_positives_and_no_fewer_than_fifteen():
    target = np.arange(1000) < 300
    training = np.r_[0:100, 300:900]
    few, more = (thinned(training, target, p) for p in (0.003, 0.1))
    assert (target[few].sum(), target[more].sum()) == (15, 67)
    assert set(few) < set(more)


def test_the_crossed_arm_has_the_thinned_ones_positives_at_the_share_of_all():
    target = np.arange(1000) < 300
    training = np.r_[0:100, 300:900]
    for prevalence in (0.003, 0.1):
        thin, cross = (arm(training, target, prevalence) for arm in (thinned, crossed))
        assert set(thin[target[thin]]) == set(cross[target[cross]])
        assert (~target[cross]).sum() == 6 * target[cross].sum()
        assert set(cross) < set(training)


def test_tasks_of_the_crossed_arm_say_so(whole):
    tasks = read_tasks(whole).set_index("task_id")
    thin, cross = tasks.loc["german.p0.1.s0"], tasks.loc["german.c0.1.s0"]
    assert (thin["trained"], cross["trained"], cross["trained_at"]) == ("thinned", "crossed", 0.1)
    assert thin["n_training_positive"] == cross["n_training_positive"]
    assert cross["n_training"] == pytest.approx(cross["n_training_positive"] / 0.3, abs=1)


def test_more_rows_train_where_fifteen_positives_need_them():
    data = load("yeast6")
    assert data.target.sum() == 35
    split = split_rows(data, held_out.chosen(SETTINGS), 0, 5)
    assert data.target[split.training].sum() == 15
    assert "the pool has 9 positives" in lack(np.arange(500) < 9, 0.03)


def test_large_sets_are_cut():
    assert len(at_most(load("german"), 300, 5).target) == 300
    data, _ = held_out.most_positives(held_out.chosen({**SETTINGS, "rows": 300}), "german", 5)
    assert (len(data.target), data.n_rows_whole) == (300, 1000)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"flows": ["logistik"]}, "source_settings.flows: 'logistik' is not known; the nearest known name is "
         "'logistic'"),
        ({"closed": ["nobody"]}, "source_settings.closed: 'nobody' is the source group of no listed data set"),
        ({"splitz": 2}, "source_settings.splitz: unknown key; did you mean 'splits'? allowed: lists, "
         "datasets, flows, prevalences, natural, crossed, splits, training_rows, rows, groups, closed, "
         "calibration_folds"),
        ({"splits": 0}, "source_settings.splits: 0 is less than the minimum of 1"),
        ({"rows": 1e4}, "source_settings.rows: 10000.0 is not of type 'integer'"),
        ({"groups": "closed"}, "source_settings.groups: 'closed' is not one of ['open', 'all']"),
        ({"datasets": "wide"}, "source_settings.datasets: 'wide' is not valid under any of the "
         "given schemas; expected: all, or a list of names"),
        ({"prevalences": [0.7]}, "source_settings.prevalences.0: 0.7 is greater than the maximum of 0.5"),
        ({"flows": ["logistic"]}, "models_per_task: 3 is asked for, source_settings.flows allows 1"),
    ],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(changes, said):
    with pytest.raises(InputError) as refusal:
        held_out.check({**SETTINGS, **changes}, models_per_task=3, min_flows=3)
    assert str(refusal.value) == said


def test_training_rows_are_cut_in_parts_that_have_their_share_of_both_classes():
    target = np.arange(100) < 17
    parts = held_out.inside_folds(target, 3, "made", seed=1)
    assert sorted(np.concatenate(parts)) == [*range(100)]
    assert [int(target[part].sum()) for part in parts] == [6, 6, 5]
    assert [len(part) for part in parts] == [34, 34, 32]
    assert held_out.inside_folds(target, 0, "made", seed=1) == []
