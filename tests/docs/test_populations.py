"""A population has the right tasks, and the estimates of these tasks."""

import committed as studies
import populations


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


def test_a_gain_over_auroc_is_that_of_auroc_with_its_sign_turned():
    wide = studies.Study("wide")
    over, under = wide.gain("auroc", "aupr", "f1"), wide.gain("aupr", "auroc", "f1")
    assert (over["estimate"], over["low"], over["high"]) == (
        -under["estimate"],
        -under["high"],
        -under["low"],
    )


def test_a_population_has_the_estimates_of_its_own_tasks():
    for study in populations.populations().values():
        assert study.differs("aupr", "auroc")["n_tasks"] == len(study.tasks)
        assert study.differs("aupr", "auroc")["n_sources"] == study.n_groups


def test_the_figure_has_a_row_a_population():
    of = populations.populations()
    figure = populations.populations_figure(of)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == [f"{name} ({len(study.tasks)})" for name, study in of.items()]
    populations.charts.pyplot().close(figure)
