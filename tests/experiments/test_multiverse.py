"""The disagreement shares under other choices, on cases with known answers."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from measured import estimates, predictions_of, task_of

from aucstudy.experiments import multiverse
from aucstudy.experiments.compared import DISTINCT_PAIRS
from aucstudy.experiments.conventions import convention_values
from aucstudy.experiments.multiverse import _differ, differing
from aucstudy.figures.multiverse import multiverse_shares
from aucstudy.jobs.scoring import score_task
from aucstudy.metrics import aupr
from aucstudy.statistics.ranks import agreement


def made_task(seed, models=6):
    rng = np.random.default_rng(seed)
    y = np.arange(80) % 4 == 0
    return predictions_of(y, np.round(rng.normal(size=(80, models)) + 0.5 * y[:, None], 1), f"t{seed}")


def other_values_of(task):
    frames = {"convention_values": convention_values(task).reset_index()}
    return multiverse.of_task(task_of(task, **frames), seed=1)["other_values"].assign(task_id=task.task_id)


def shares_of(scores, other, groups, redraws):
    def scores_of(aggregation=None):
        return scores if aggregation is None else scores[scores["aggregation"] == aggregation]

    study = SimpleNamespace(scores=scores_of, frames={"other_values": other})
    frames = multiverse.by_task(study, aggregation="pooled", seed=1)
    by_task = frames["multiverse_tasks"]
    frames["multiverse_tasks"] = by_task.assign(source_group=by_task["task_id"].map(groups))
    study.estimates = pd.concat(
        [estimates(multiverse, frames, weight=weight) for weight in ("task", "source")]
    )
    return multiverse.over_all(study, redraws=redraws, aggregation="pooled", seed=1)["multiverse"]


@pytest.fixture(scope="module")
def table():
    tasks = [made_task(k, 7) for k in range(6)]
    scores = pd.concat([score_task(task)[0] for task in tasks], ignore_index=True)
    other = pd.concat([other_values_of(task) for task in tasks], ignore_index=True)
    groups = pd.Series({task.task_id: f"g{k // 2}" for k, task in enumerate(tasks)})
    return shares_of(scores, other, groups, 40), scores, other


def test_the_other_class_is_positive_where_the_scores_are_turned_round():
    task = made_task(0)
    found = other_values_of(task)
    assert found["majority_aupr"][0] == pytest.approx(aupr(~task.y_true, -task.scores[:, 0]))


def test_strict_shares_are_at_least_the_expected_and_lenient_ones_at_most(table):
    made = table[0].set_index(["choice", "first", "second", "top"])["estimate"]
    for a, b in DISTINCT_PAIRS:
        for top in (1, 3):
            strict, own, lenient = (made[kind, a, b, top] for kind in ("strict", "as configured", "lenient"))
            assert strict >= own >= lenient


def test_every_choice_has_every_pair_and_its_range_holds_the_estimate(table):
    made = table[0]
    assert (made.groupby(["dimension", "choice"]).size() == 2 * len(DISTINCT_PAIRS)).all()
    inside = (made["low"] <= made["estimate"] + 1e-12) & (made["estimate"] <= made["high"] + 1e-12)
    assert inside.all()
    assert set(made.query("dimension == 'models drawn'")["choice"]) == {"5"}


def test_tasks_with_a_perfect_model_are_left_out_as_a_choice(table):
    _, scores, other = table
    perfect = scores["task_id"].eq("t0") & scores["run_id"].eq("t0.0")
    scores = scores.assign(**{area: scores[area].mask(perfect, 1.0) for area in ("aupr", "auprg", "auroc")})
    groups = pd.Series({f"t{k}": f"g{k}" for k in range(6)})
    made = shares_of(scores, other, groups, 10)
    assert (made.query("dimension == 'tasks'")["n_tasks"] == 5).all()
    assert (made.query("choice == 'as configured'")["n_tasks"] == 6).all()


def test_a_share_of_0_in_all_groups_has_an_upper_bound(table):
    _, scores, other = table
    same = scores.assign(auprg=scores["aupr"])
    groups = pd.Series({f"t{k}": f"g{k}" for k in range(6)})
    made = shares_of(same, other, groups, 10)
    own = made.set_index(["choice", "first", "second", "top"]).loc[("as configured", "aupr", "auprg", 1)]
    assert (own["estimate"], own["low"]) == (0, 0)
    assert own["high"] == pytest.approx(1 - 0.025 ** (1 / 6))


def test_two_equal_areas_never_differ_under_any_choice_of_ties(table):
    scores = table[1].query("aggregation == 'pooled'")
    assert (differing(scores.assign(auprg=scores["aupr"]))[("aupr", "auprg", 1)] == 0).all()


@pytest.mark.parametrize("top", [1, 3])
def test_the_fast_way_agrees_with_the_exact_probability(top):
    rng = np.random.default_rng(4)
    first, second = rng.integers(0, 4, (2, 60, 5)).astype(float)
    expected = [1 - agreement(a, b, top) for a, b in zip(first, second, strict=True)]
    assert _differ(first, second, top) == pytest.approx(expected)


def test_a_choice_that_changes_no_share_is_named_below_the_figure_and_has_no_row(table):
    made = table[0]
    own = made[made["dimension"] == "this study"]
    same = own.assign(dimension="AUPRG is", choice="unit_square")
    other = made[made["dimension"] != "AUPRG is"]
    figure = multiverse_shares(SimpleNamespace(table=lambda name: pd.concat([other, same])))
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert rows[0] == "this study"
    assert "AUPRG: clipped at 0" not in rows
    assert "AUPRG: clipped at 0" in figure.get_supxlabel()
    plt.close(figure)
