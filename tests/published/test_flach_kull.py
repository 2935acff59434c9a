"""The claims of Flach & Kull 2015, recalculated."""

import numpy as np
import pytest

from aucstudy.claims import theorems
from aucstudy.claims.entries import entries
from aucstudy.claims.flach_kull import _at_high_recall_gain, random_f
from aucstudy.claims.judge import MEASURED
from aucstudy.claims.measured import _of_another_draw
from aucstudy.claims.verdicts import Verdict


def test_a_running_example_that_was_searched_until_it_fitted_is_consistent_by_construction(judged):
    finding = judged("FK-fig3")
    assert finding.verdict is Verdict.BY_CONSTRUCTION
    assert {item.name for item in finding.items} == set(entries()["FK-fig3"].numbers)


@pytest.mark.parametrize(("off", "verdict"), [(0.0, Verdict.PROVED), (1e-3, Verdict.FALSE)])
def test_an_identity_that_is_off_on_one_ranking_does_not_come_out(judged, monkeypatch, off, verdict):
    shifted = theorems.deviations_of_rankings().copy()
    shifted.loc[7, "theorem 1"] += off
    monkeypatch.setattr(theorems, "deviations_of_rankings", lambda: shifted)
    finding = judged("FK-T1")
    assert (finding.verdict, finding.items[0].n) == (verdict, 200)


def test_a_perfect_and_a_constant_model_have_no_two_thresholds_that_trade_precision_for_recall():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 4 == 0
    tried = [theorems.deviations(y, scores, rng) for scores in (y * 1.0, np.zeros(60), rng.random(60))]
    assert [np.isnan(deviation["theorem 4"]) for deviation in tried] == [True, True, False]
    assert all(deviation["theorem 2"] <= theorems.TOLERANCE for deviation in tried)


def test_a_claim_of_an_experiment_that_was_not_run_is_not_decided(judged):
    for name, entry in entries().items():
        if entry.source == "FK" and entry.kind in MEASURED:
            assert judged(name) is None, name


def tables_of_population(n_tasks=886, n_sets=426, n_repeated=0, n_models=30, correlations=(0.944, 0.991)):
    """Return the tables of a study whose first two tasks are those of figure 4."""
    names = ["3872", "3896", *(f"t{k}" for k in range(n_tasks - 2))]
    tasks = {
        "task_id": names,
        "dataset_id": [f"d{k % n_sets}" for k in range(n_tasks)],
        "source_group": names,
        "n_folds": [100] * n_repeated + [10] * (n_tasks - n_repeated),
    }
    shares = {
        "task_id": names,
        "first": "aupr",
        "second": "auprg",
        "n_models": n_models,
        "rank_correlation": [*correlations, *[0.97] * (n_tasks - 2)],
        "p_best_differs": 0.0,
        "p_top3_differs": [1.0] + [0.0] * (n_tasks - 1),
    }
    return {"tasks": tasks, "disagreement_tasks": shares}


# The paper's own, with tasks of ten repetitions, with another draw of models, and two other ones.
POPULATIONS = {
    "the paper's": ({}, Verdict.REPRODUCED, Verdict.REPRODUCED),
    "with ten repetitions": ({"n_repeated": 500}, Verdict.REPRODUCED, Verdict.REPRODUCED),
    "another draw of models": ({"correlations": (0.921, 0.985)}, Verdict.REPRODUCED, Verdict.REPRODUCED),
    "fewer tasks": ({"n_tasks": 880}, Verdict.DIFFERS, Verdict.REPRODUCED),
    "other models": ({"correlations": (0.7, 0.991)}, Verdict.REPRODUCED, Verdict.DIFFERS),
}


@pytest.mark.parametrize("population", POPULATIONS)
def test_the_papers_population_is_judged_by_tasks_and_data_sets_and_its_figure_4_by_other_draws(
    judged, population
):
    facts, counts, correlations = POPULATIONS[population]
    tables = tables_of_population(**facts)
    # By default the tasks were not chosen by the rules of the paper.
    assert judged("FK-pop", **tables) is None
    finding = judged("FK-pop", same_population=True)
    assert finding.verdict is counts
    assert f"{facts.get('n_repeated', 0)} have ten" in finding.note
    assert "25,980" in finding.note
    assert judged("FK-fig4r", same_population=True).verdict is correlations


def test_the_range_of_another_draw_of_models_is_that_of_draws_from_a_normal_population(judged):
    rng, n = np.random.default_rng(0), 30
    true = 0.944
    draws = rng.multivariate_normal([0, 0], [[1, true], [true, 1]], (400, n))
    ranks = draws.argsort(axis=1).argsort(axis=1)
    correlations = np.array([np.corrcoef(*both.T)[0, 1] for both in ranks])
    inside = []
    for first, second in zip(correlations[::2], correlations[1::2], strict=True):
        drawn = _of_another_draw("", first, n)
        inside.append(drawn.low <= second <= drawn.high)
    assert 0.9 <= np.mean(inside) <= 0.99


@pytest.mark.parametrize(("p_top3", "verdict"), [(1.0, Verdict.SUPPORTS), (0.0, Verdict.CONTRADICTS)])
def test_the_tasks_of_figure_4_agree_on_the_best_model_and_white_clover_not_on_the_second(
    judged, p_top3, verdict
):
    tables = tables_of_population()
    tables["disagreement_tasks"]["p_top3_differs"] = p_top3
    assert judged("FK-fig4r-best", same_population=True, **tables).verdict is verdict


def test_866_times_30_are_plotted_and_not_886_times_30(judged):
    finding = judged("FK-pop-plotted")
    assert (finding.verdict, finding.items[0].here) == (Verdict.ERRATUM, 26580)


def test_recall_under_the_prevalence_beats_the_baseline_at_small_beta_only(judged):
    finding = judged("FK-baseline")
    here = {item.name: item.here for item in finding.items}
    assert finding.verdict is Verdict.FALSE
    assert here["F_0.25 of precision 1, recall .27 at pi = .3"] == pytest.approx(0.863, abs=5e-4)
    assert here["F_0.25 of always-positive at pi = .3"] == pytest.approx(0.313, abs=5e-4)
    assert here["largest lead at beta < 1"] > 0.5
    assert here["largest lead at beta >= 1"] < 1e-12
    assert here["largest lead with precision under pi"] < 0


def test_what_is_best_for_some_beta_is_best_for_some_cost_and_the_other_way_round(judged):
    assert judged("FK-cost").verdict is Verdict.CHECKED


def test_f_of_a_random_classifier_is_the_printed_formula_and_rises(judged):
    finding = judged("FK-random")
    assert finding.verdict is Verdict.PROVED
    assert finding.items[1].here > 0
    # 10 rows, 4 positive, half of both classes predicted positive: 2 true positives of 5 predicted.
    assert random_f(0.5, 0.4, 1.0) == pytest.approx(2 * 2 / (5 + 4))


def test_precision_is_not_proportional_to_the_angle_and_the_interval_of_delta_lacks_its_parentheses(judged):
    quotients = [item.here for item in judged("FK-angle").items]
    assert quotients == pytest.approx([0.637, 0.602, 0.618, 0.637], abs=5e-4)
    assert [item.here for item in judged("FK-T3-interval").items] == pytest.approx([-1.1, -0.8 / 0.7])


def test_one_c_has_two_values_of_d(judged):
    finding = judged("FK-c-d")
    assert finding.verdict is Verdict.PROVED
    assert [item.here for item in finding.items] == pytest.approx([0.5, 0.6, 0.75])


def test_a_regular_roc_grid_lies_at_high_recall_gain(judged):
    finding = judged("FK-grid")
    assert finding.verdict is Verdict.CHECKED
    for pi in (0.05, 0.3, 0.9):
        assert _at_high_recall_gain(pi) == pytest.approx((1 + 3 * pi) / (1 + pi) ** 3, abs=5e-3)
