"""A population has the right tasks, and the estimates of these tasks."""

from pathlib import Path

import committed as studies
import experiments
import pandas as pd
import populations
import pytest

ROOT = Path(__file__).parents[2]


def test_wekas_tasks_are_those_of_the_two_other_studies():
    of = populations.populations()
    wide, new, paired, default = of.values()
    assert len(new.tasks) + len(paired.tasks) == len(studies.Study("weka").tasks)
    simulated = set(studies.Study("default").table("tasks")["task_id"]) - set(default.tasks.index)
    assert len(simulated) == 8
    assert not simulated & {*new.tasks.index, *paired.tasks.index, *default.tasks.index, *wide.tasks.index}
    assert set(paired.tasks.index) <= set(default.tasks.index)
    assert set(new.tasks.index) <= set(wide.tasks.index)
    assert not wide.tasks.index.isin(default.tasks.index).any()


def test_a_population_has_the_estimates_of_its_own_tasks():
    pair = {"quantity": "differs", "first": "aupr", "second": "auroc", "at": 1}
    for study in populations.populations().values():
        differs = study.number("disagreement", **pair)
        assert (differs["n_tasks"], differs["n_sources"]) == (len(study.tasks), study.n_groups)


def test_estimates_are_means_over_sources_of_the_committed_tables():
    weka = populations.populations()["weka, data of wide"]
    differs = weka.rows("disagreement_tasks", first="aupr", second="auroc").set_index("task_id")
    of_sources = differs.loc[weka.tasks.index].groupby("source_group")["p_best_differs"].mean()
    number = weka.number("disagreement", quantity="differs", first="aupr", second="auroc", at=1)
    assert number["estimate"] == pytest.approx(of_sources.mean())


def test_an_estimate_with_its_sign_turned_is_that_of_the_second_minus_the_first():
    row = studies.turned(pd.Series({"estimate": 1.0, "low": -0.5, "high": 2.5, "n_tasks": 3}))
    assert row.to_dict() == {"estimate": -1.0, "low": -2.5, "high": 0.5, "n_tasks": 3}


def test_the_figure_has_a_row_a_population():
    of = populations.populations()
    figure = populations.populations_figure(of)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == [f"{name} ({len(study.tasks)})" for name, study in of.items()]
    populations.charts.pyplot().close(figure)


def test_a_study_of_ones_own_is_not_read():
    with pytest.raises(LookupError, match="mine: no committed study; there are default, wide"):
        studies.committed("mine", "tasks")
    assert {path.parent.parent.name for path in ROOT.glob("results/*/tables/tasks.csv")} >= set(
        experiments.COMMITTED
    )
