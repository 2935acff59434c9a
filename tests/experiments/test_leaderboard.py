"""Which models may be the best on a task and over tasks, and which are not compared."""

import numpy as np
import pandas as pd
import pytest
from measured import measured

from aucstudy.audit import audit
from aucstudy.experiments import leaderboard as room
from aucstudy.experiments.contract import page
from aucstudy.experiments.inputs import Study
from aucstudy.experiments.leaderboard import board_of, compared_rows, sample_of
from aucstudy.figures import leaderboard as drawings
from aucstudy.statistics.best import Student, compared_with_leader
from aucstudy.store.task_store import Predictions
from aucstudy.wording import text_of

SETTINGS = {"wants": ["f1", "precision@100"], "draws": 100}


def made_task(name, better=(1.0, 1.0, 0.0), n=200, prevalence=0.3, repeats=1):
    rng = np.random.default_rng(sum(map(ord, name)))
    y, rows = np.tile(np.arange(n) < prevalence * n, repeats), np.tile(np.arange(n), repeats)
    scores = rng.normal(size=(n * repeats, len(better))) + np.multiply.outer(y, better)
    runs = tuple(f"{name}.{'abcdef'[k]}" for k in range(len(better)))
    return Predictions(name, rows, np.arange(n * repeats) // n, rows % 2, y, scores, runs)


def study_of(tasks, tmp_path, groups=None):
    frames = measured(room, tasks, groups, **SETTINGS)
    study = Study(tmp_path, tmp_path, frames)
    runs = [run for task in tasks for run in task.run_ids]
    study.__dict__["runs"] = pd.DataFrame({"run_id": runs, "flow_name": [run[-1] for run in runs]})
    return room.over_all(study, seed=1)


def values(matrix, n_tasks=1):
    """The rows by task of (tasks, models) values, NaN for a model that the task lacks."""
    return pd.DataFrame(
        [
            {"measure": "auroc", "task_id": f"t{t}", "source_group": f"g{t // n_tasks}", "model": "abcdef"[k],
             "value": value, "rank": 1.0, "may_be_best": "yes"}
            for t, row in enumerate(matrix) for k, value in enumerate(row) if np.isfinite(value)
        ]
    ).assign(compared=compared_rows)  # fmt: skip


def test_a_task_has_the_sets_that_the_audit_gives():
    task = made_task("audited", (1.2, 1.0, 0.2, 0.0))
    rows = measured(room, [task], wants=["f1"], draws=300)["leaderboard_tasks"]
    table = pd.DataFrame(task.scores, columns=task.run_ids).assign(y=task.y_true, part=task.folds)
    audited = audit(table, label="y", fold="part", want="f1", resamples=300)
    told = audited.contenders.set_index(["metric", "model"])["may_be_best"]
    for row in rows.itertuples():
        assert (row.may_be_best == "yes") == told[row.measure, row.run_id]
    of_intervals = audited.intervals.set_index(["metric", "model"])
    for row in rows.itertuples():
        of_audit = of_intervals.loc[(row.measure, row.run_id), ["value", "low", "high"]]
        # the audit draws its halves of the rows in another order
        assert [row.value, row.low, row.high] == pytest.approx(of_audit.tolist(), abs=0.02)


def test_a_want_that_a_task_has_too_few_rows_for_has_no_row_there(tmp_path):
    tables = study_of([made_task("large"), made_task("small", n=60)], tmp_path)
    n_tasks = tables["leaderboard"].groupby("measure")["n_tasks"].first()
    assert (n_tasks["f1"], n_tasks["precision@100"]) == (2, 1)


def test_one_positive_excludes_nothing():
    rows = measured(room, [made_task("single", n=50, prevalence=0.02)], **SETTINGS)["leaderboard_tasks"]
    assert set(rows["may_be_best"]) == {"yes"}
    assert "f1" not in set(rows["measure"])


def test_rows_that_repeats_predict_again_are_sampled_together():
    assert sample_of(made_task("once")).groups is None
    sample = sample_of(made_task("twice", repeats=2))
    assert sample.cases
    assert sample.class_counts() == (60, 140)


def test_the_better_models_are_kept_over_tasks_and_the_figure_is_drawn(tmp_path):
    tables = study_of([made_task(name) for name in "pqrstuvw"], tmp_path)
    board = tables["leaderboard"].set_index(["measure", "model"])["may_be_best"]
    for measure in ("auroc", "aupr", "auprg", "average_precision", "f1"):
        assert board[measure].to_dict() == {"a": "yes", "b": "yes", "c": "no"}
    tables["leaderboard"].to_csv(tmp_path / "leaderboard.csv", index=False)
    figure = drawings.leaderboard(Study(tmp_path, tmp_path))
    assert [axis.get_title() for axis in figure.axes[:4]] == ["AUROC", "AUPR", "AUPRG", "AP"]
    text = text_of(page("leaderboard").findings, tables.get)
    assert "2 of 3 models may be the best" in text


def test_a_model_that_lacks_many_tasks_is_not_compared_and_stands_last():
    matrix = np.array([0.6, 0.7, 0.9]) + np.random.default_rng(1).normal(0, 0.01, (8, 3))
    matrix[:3, 2] = np.nan
    board = board_of(values(matrix))
    assert board["model"].tolist() == ["b", "a", "c"]
    assert board["may_be_best"].tolist() == ["yes", "no", "not compared"]
    assert board["n_tasks"].tolist() == [8, 8, 5]
    assert np.isnan(board["lead"].iloc[2])


def test_a_task_that_most_models_lack_is_left_out_and_no_model():
    matrix = np.array([0.6, 0.7, 0.9, 0.8]) + np.random.default_rng(1).normal(0, 0.01, (9, 4))
    matrix[0, 1:] = np.nan
    board = board_of(rows := values(matrix))
    assert board["model"].tolist() == ["c", "d", "b", "a"]
    assert set(board["n_tasks"]) == {8}
    assert rows.loc[~rows["compared"], "task_id"].tolist() == ["t0"]


def test_a_measure_without_a_shared_task_compares_nothing():
    board = board_of(values(np.where(np.eye(3) == 1, 0.5, np.nan)))
    assert set(board["may_be_best"]) == {"not compared"}


def test_fewer_than_six_source_groups_compare_nothing(tmp_path):
    matrix = np.tile([0.9, 0.5], (10, 1)) + np.random.default_rng(2).normal(0, 0.01, (10, 2))
    board = board_of(values(matrix, n_tasks=2))
    assert set(board["may_be_best"]) == {"not compared"}
    assert board["n_groups"].tolist() == [5, 5]
    board.to_csv(tmp_path / "leaderboard.csv", index=False)
    assert "no two models share" in drawings.leaderboard(Study(tmp_path, tmp_path))
    text = text_of(page("leaderboard").findings, {"leaderboard": board}.get)
    assert "share tasks of fewer than six source groups" in " ".join(text.split())


@pytest.mark.parametrize("groups", [6, 20])
def test_the_best_over_tasks_stays_in_the_set_in_94_percent_of_samples(groups):
    """Equal models, of which any is as good as the best: the first counts as it."""
    random, kept, draws = np.random.default_rng(5), 0, 200
    for _ in range(draws):
        means = Student.of_groups(random.normal(size=(groups, 1)) + random.normal(size=(groups, 5)))
        compared = compared_with_leader(pd.DataFrame({"mean": means.values[:, 0]}), means, [0])
        kept += compared.set_index("model")["may_be_best"][0]
    # 94 % less two standard errors of the count
    assert kept / draws >= 0.94 - 2 * np.sqrt(0.94 * 0.06 / draws)


def test_a_difference_of_means_is_the_paired_t_test():
    from scipy.stats import ttest_rel

    random = np.random.default_rng(3)
    matrix = random.normal(size=(9, 1)) + random.normal(size=(9, 2))
    low, high, support = Student.of_groups(matrix).difference(0, 0, 1)
    tested = ttest_rel(*matrix.T)
    interval = tested.confidence_interval()
    assert (low, high) == pytest.approx((interval.low, interval.high), rel=1e-9)
    assert 2 * min(support, 1 - support) == pytest.approx(tested.pvalue, rel=1e-9)
