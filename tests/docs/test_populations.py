"""A study is divided into the right tasks, and its estimates count each source of data once."""

from pathlib import Path

import committed as studies
import experiments
import pandas as pd
import populations
import pytest
from by_source import one_row_a_source, one_vote_a_source

ROOT = Path(__file__).parents[2]


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


def test_a_study_of_ones_own_is_not_read():
    with pytest.raises(LookupError, match="mine: no committed study; there are default, wide"):
        studies.committed("mine", "tasks")
    assert {path.parent.parent.name for path in ROOT.glob("results/*/tables/tasks.csv")} >= set(
        experiments.COMMITTED
    )


def test_a_data_set_of_many_tasks_counts_once_and_a_simulated_one_not_at_all():
    tasks = pd.DataFrame(
        {
            "task_id": list("abcd"),
            "source_group": ["x", "x", "y", "z"],
            "simulated": [False, False, False, True],
        }
    )
    facts = {"first": "aupr", "second": "auroc", "source_group": tasks["source_group"]}
    found = pd.DataFrame({"task_id": tasks["task_id"], **facts, "p_best_differs": [1.0, 0.0, 1.0, 0.0]})
    tables = {"tasks": tasks, "disagreement_tasks": found}
    made = studies.Study("made", lambda study, name: tables[name]).differs("aupr", "auroc")
    assert (made["estimate"], made["n_tasks"], made["n_groups"]) == (0.75, 3, 2)


def test_each_task_counted_once_gives_the_share_of_the_committed_table():
    wide = studies.Study("wide")
    row = wide.row("disagreement", first="aupr", second="auroc", top=1, ties="expected")
    made = wide.differs_by_task("aupr", "auroc")
    assert (made["estimate"], made["low"], made["high"]) == pytest.approx(
        (row["estimate"], row["low"], row["high"])
    )


def test_each_source_has_one_row_and_one_vote():
    by_task = studies.committed("wide", "disagreement_tasks")
    averaged = one_row_a_source(by_task)
    assert len(averaged) == by_task["source_group"].nunique() * len(
        by_task[["first", "second"]].drop_duplicates()
    )
    votes = one_vote_a_source(studies.committed("wide", "decomposition_swaps"))
    assert votes.groupby("source_group")["weight"].sum().to_numpy() == pytest.approx(1)


def test_a_source_without_a_changed_model_has_no_vote():
    swaps = pd.DataFrame({"source_group": ["x", "y", "y"], "weight": [0.0, 0.5, 1.0]})
    assert one_vote_a_source(swaps)["weight"].tolist() == pytest.approx([1 / 3, 2 / 3])
