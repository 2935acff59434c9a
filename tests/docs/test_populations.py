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
