"""A study is divided into the right tasks, and its estimates count each source of data once."""

import committed as studies
import pandas as pd
import populations
import pytest


def made_study(name, groups, *, differs, n_positive=50, **more):
    """Return a study whose tasks t0, t1, ... are from the source groups `groups`.

    `differs` says for each task how often AUPR and AUROC pick different best models.
    """
    ids = [f"t{k}" for k in range(len(groups))]
    facts = pd.DataFrame(
        {"task_id": ids, "source_group": groups, "n_positive": n_positive, "prevalence": 0.2}
    )
    found = facts[["task_id", "source_group"]].assign(first="aupr", second="auroc", p_best_differs=differs)
    tables = {"tasks": facts.assign(**more), "disagreement_tasks": found}
    return studies.Study(name, lambda study, table: tables[table])


def test_learners_are_compared_on_the_tasks_that_both_studies_cut_alike():
    first = made_study("first", list("aabc"), differs=[0.2, 0.4, 0.6, 0.9], n_positive=[50, 50, 50, 50])
    again = made_study(
        "again", list("aabcd"), differs=[0.3, 0.5, 0.9, 0.9, 0.9], n_positive=[50, 50, 50, 51, 50]
    )
    apart = again.learners_apart(first, "aupr", "auroc")
    assert (apart["n_tasks"], apart["n_groups"]) == (3, 2)
    assert apart["estimate"] == pytest.approx((0.1 + 0.3) / 2)


def test_a_study_is_parted_by_the_tasks_of_another_and_by_prevalence():
    first = made_study("first", list("ab"), differs=[0, 1.0])
    wider = made_study("wider", list("abcd"), differs=[0, 0, 0, 1.0], prevalence=[0.01, 0.1, 0.2, 0.05])
    assert list(wider.shared_with(first).tasks.index) == ["t0", "t1"]
    assert list(wider.new_beside(first).tasks.index) == ["t2", "t3"]
    assert list(wider.of_prevalence(0.05, 0.2).tasks.index) == ["t1", "t3"]
    assert wider.new_beside(first).differs("aupr", "auroc")["estimate"] == 0.5


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


def test_a_gain_over_auroc_is_the_difference_of_the_two_choices_with_an_interval_for_all_at_once():
    wide = studies.Study("wide")
    over, under = wide.gain("auroc", "aupr", "f1"), wide.gain("aupr", "auroc", "f1")
    assert over["estimate"] == pytest.approx(-under["estimate"])
    assert (over["all_low"], over["all_high"]) == (-under["all_high"], -under["all_low"])
    assert over["all_low"] < over["low"] < over["high"] < over["all_high"]
    assert "all_low" not in wide.gain("auprg", "aupr", "f1")


def test_estimates_are_means_over_sources_of_the_committed_tables():
    weka = studies.Study("weka").new_beside(studies.Study("default"))
    differs = weka.by_task("disagreement_tasks", first="aupr", second="auroc")["p_best_differs"]
    of_sources = differs.groupby(weka.tasks["source_group"].reindex(differs.index)).mean()
    assert weka.differs("aupr", "auroc")["estimate"] == pytest.approx(of_sources.mean())


def test_the_figure_has_a_row_a_population():
    of = populations.populations()
    figure = populations.populations_figure(of)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == [f"{name} ({len(study.tasks)})" for name, study in of.items()]
    populations.charts.pyplot().close(figure)
