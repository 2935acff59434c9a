"""What correcting a mistake gains, and whom."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from measured import measured, predictions_of

from aucstudy.claims.claims import judge
from aucstudy.claims.verdicts import Evidence, Verdict
from aucstudy.experiments import mistakes as room
from aucstudy.experiments.contract import page
from aucstudy.experiments.inputs import Study
from aucstudy.experiments.mistakes import mistakes_of, subgroups, summary
from aucstudy.metrics.areas import areas, average_precision
from aucstudy.store.tables import write_table
from aucstudy.wording import text_of


def made_task(name, prevalence, n=400, better=1.0, models=3, shift=0.0):
    rng = np.random.default_rng(sum(map(ord, name)))
    y = rng.random(n) < prevalence
    return predictions_of(y, rng.normal(size=(n, models)) + better * y[:, None] + shift, name)


def study_of(tasks, groups, tmp_path, monkeypatch, frames=None):
    """A study of tasks at hand whose runs of one number are of one flow."""
    by_name = {task.task_id: task for task in tasks}
    facts = [(name, groups[name], task.y_true.mean()) for name, task in by_name.items()]
    runs = [(run, run.rpartition(".")[2]) for task in tasks for run in task.run_ids]
    study = Study(tmp_path, tmp_path, frames or {})
    study.__dict__["tasks"] = pd.DataFrame(facts, columns=["task_id", "source_group", "prevalence"])
    study.__dict__["runs"] = pd.DataFrame(runs, columns=["run_id", "flow_name"])
    monkeypatch.setattr(Study, "predictions", lambda self, task_id: by_name[task_id])
    return study


def findings(table):
    return text_of(page("mistakes").findings, {"mistakes": table}.get)


@pytest.mark.parametrize("seed", range(5))
def test_the_gains_are_those_of_the_areas_before_and_after(seed):
    rng = np.random.default_rng(seed)
    labels, falling = rng.random(30) < 0.4, -np.arange(30.0)
    mistakes = mistakes_of(labels)
    assert len(mistakes.rank) > 2
    for k, ap, exact in zip(mistakes.rank, mistakes.average_precision, mistakes.exact_area, strict=True):
        corrected = labels.copy()
        corrected[[k - 1, k]] = True, False
        gained = average_precision(corrected, falling) - average_precision(labels, falling)
        assert ap == pytest.approx(gained, abs=1e-14)
        assert exact == pytest.approx(areas(corrected, falling).aupr - areas(labels, falling).aupr, abs=1e-14)


def test_a_ranking_without_mistakes_has_none():
    assert len(mistakes_of(np.array([True, True, False])).rank) == 0


def test_where_precision_stands_still_the_gain_is_the_inverse_of_the_rank():
    task = made_task("chance", 0.5, n=20_000, better=0.0)
    slopes = measured(room, [task])["mistakes_tasks"].iloc[0]
    assert slopes["average_precision"] == pytest.approx(-1, abs=0.05)
    assert slopes["average_precision"] == pytest.approx(slopes["precision"] - 1, abs=0.01)


def test_models_with_fewer_than_ten_mistakes_have_no_slope():
    slopes = measured(room, [made_task("few", 0.1, n=40)])["mistakes_tasks"].iloc[0]
    assert slopes["n_models"] == 0
    assert np.isnan(slopes["precision"])


def test_average_precision_lifts_the_subgroup_of_higher_prevalence_where_scores_rank_it_higher(
    tmp_path, monkeypatch
):
    prevalences = {"a": 0.4, "b": 0.05, "c": 0.2, "d": 0.3, "e": 0.1}
    tasks = [made_task(name, prevalence, shift=8 * prevalence) for name, prevalence in prevalences.items()]
    groups = dict(zip("abcde", ("one", "one", "one", "two", "two"), strict=True))
    tables = room.over_all(
        study_of(tasks, groups, tmp_path, monkeypatch, measured(room, tasks, groups)), seed=1
    )
    pairs = tables["mistakes_subgroups"].set_index("source_group")
    assert pairs.loc["one", ["task_high", "task_low", "n_flows"]].tolist() == ["a", "b", 3]
    assert (pairs["by_average_precision"] > pairs["by_auroc"]).all()
    assert "(2 pairs)" in findings(tables["mistakes"])


def ranked(name, labels):
    """One model that ranks the rows in the order of their labels."""
    return predictions_of(labels, -np.arange(len(labels))[:, None], name)


@pytest.mark.parametrize(("mistakes", "n_models"), [(9, 0), (10, 1)])
def test_ten_mistakes_are_enough_for_a_slope(mistakes, n_models):
    slopes = measured(room, [ranked("alternating", [0, 1] * mistakes)])["mistakes_tasks"].iloc[0]
    assert slopes["n_models"] == n_models


def test_a_correction_lifts_the_positive_of_its_pair(tmp_path, monkeypatch):
    # together: low 0, high 1, high 0, low 1, low 0; of two mistakes the upper gains three times as much
    high, low = ranked("high", [1, 0]), ranked("low", [0, 1, 0])
    high.scores[:, 0], low.scores[:, 0] = (0.8, 0.7), (0.9, 0.6, 0.1)
    study = study_of([high, low], dict.fromkeys(("high", "low"), "one"), tmp_path, monkeypatch)
    (pair,) = subgroups(study, seed=1).itertuples()
    assert (pair.by_average_precision, pair.by_auroc) == (pytest.approx(3 / 4), 1 / 2)


def test_the_order_of_tied_rows_does_not_follow_the_rows():
    task = made_task("tied", 0.3)
    tied = replace(task, scores=np.zeros_like(task.scores))
    turned = replace(tied, y_true=np.sort(tied.y_true))
    precisions = measured(room, [tied, turned])["mistakes_tasks"]["precision"]
    # rows sorted by class would put no mistake, or only one, into a ranking that keeps their order
    assert np.isfinite(precisions).all()


def test_a_study_without_related_tasks_or_mistakes_has_rows_without_numbers(tmp_path):
    by_task = measured(room, [made_task("few", 0.1, n=40)])["mistakes_tasks"]
    table = summary(by_task, pd.DataFrame())
    assert table["estimate"].isna().all()
    write_table(table, tmp_path / "mistakes.csv")
    text = findings(table)
    assert "(0 pairs)" in text
    assert "nan" not in text
    for claim in ("L-mistakes-here", "L-subgroups"):
        assert judge(claim, Evidence(tmp_path, "packaged")).verdict is Verdict.TOO_FEW_DATA
