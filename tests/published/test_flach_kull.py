"""The claims of Flach & Kull 2015, recalculated."""

from itertools import product

import numpy as np
import pytest

from aucstudy.claims import theorems
from aucstudy.claims.entries import entries
from aucstudy.claims.flach_kull import _at_high_recall_gain, _expected_f
from aucstudy.claims.judge import MEASURED
from aucstudy.claims.verdicts import Verdict


def test_a_running_example_that_was_searched_until_it_fitted_is_consistent_by_construction(judged):
    finding = judged("FK-fig3")
    assert finding.verdict is Verdict.BY_CONSTRUCTION
    assert {item.name for item in finding.items} == set(entries()["FK-fig3"].numbers)


@pytest.mark.parametrize(("off", "verdict"), [(0.0, Verdict.EXACT), (1e-3, Verdict.DOES_NOT_COME_OUT)])
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


@pytest.mark.parametrize(("n_models", "verdict"), [(30, Verdict.REPRODUCED), (29, Verdict.DIFFERS)])
def test_the_population_is_that_of_the_paper_by_all_four_counts(judged, n_models, verdict):
    names = [f"t{k}" for k in range(886)]
    tasks = {"task_id": names, "dataset_id": [f"d{k % 426}" for k in range(886)], "source_group": names}
    tables = {"tasks": tasks, "disagreement_tasks": {"task_id": names[:866], "n_models": n_models}}
    # By default the tasks were not chosen by the rules of the paper.
    assert judged("FK-pop", **tables) is None
    assert judged("FK-pop", same_population=True).verdict is verdict


def test_866_times_30_are_plotted_and_not_886_times_30(judged):
    finding = judged("FK-pop-plotted")
    assert (finding.verdict, finding.items[0].here) == (Verdict.ERRATUM, 26580)


def test_recall_under_the_prevalence_beats_the_baseline_at_small_beta_only(judged):
    finding = judged("FK-baseline")
    here = {item.name: item.here for item in finding.items}
    assert finding.verdict is Verdict.DOES_NOT_COME_OUT
    assert here["F_0.25 of precision 1, recall .27 at pi = .3"] == pytest.approx(0.863, abs=5e-4)
    assert here["F_0.25 of always-positive at pi = .3"] == pytest.approx(0.313, abs=5e-4)
    assert here["largest lead at beta < 1"] > 0.5
    assert here["largest lead at beta >= 1"] < 1e-12
    assert here["largest lead with precision under pi"] < 0


def test_what_is_best_for_some_beta_is_best_for_some_cost_and_the_other_way_round(judged):
    assert judged("FK-cost").verdict is Verdict.EXACT


def test_no_random_model_comes_up_to_always_positive(judged):
    finding = judged("FK-random")
    assert finding.verdict is Verdict.EXACT
    assert (finding.items[0].here, finding.items[0].n) == (0, 2000)


def test_the_expected_f_of_a_random_model_is_the_mean_over_all_ways_to_draw_rows():
    y, chance = np.array([True, True, False, False, False]), 0.3
    expected = 0.0
    for drawn in product([False, True], repeat=len(y)):
        predicted = np.array(drawn)
        probability = chance ** predicted.sum() * (1 - chance) ** (~predicted).sum()
        expected += probability * 5 * (predicted & y).sum() / (predicted.sum() + 4 * y.sum())
    assert _expected_f(2, 3, 2.0, chance) == pytest.approx(expected, abs=1e-12)


def test_one_c_has_two_values_of_d(judged):
    finding = judged("FK-c-d")
    assert finding.verdict is Verdict.EXACT
    assert [item.here for item in finding.items] == pytest.approx([0.5, 0.6, 0.75])


def test_a_regular_roc_grid_lies_at_high_recall_gain(judged):
    finding = judged("FK-grid")
    assert finding.verdict is Verdict.EXACT
    for pi in (0.05, 0.3, 0.9):
        assert _at_high_recall_gain(pi) == pytest.approx((1 + 3 * pi) / (1 + pi) ** 3, abs=5e-3)
