"""Verdicts on choices follow from the tables, and each of them can fail."""

from decimal import Decimal
from itertools import product

import numpy as np
import pandas as pd
import pytest

from aucstudy.claims.flach_kull import JUDGES, _at_high_recall_gain, _expected_f
from aucstudy.claims.verdicts import Verdict
from aucstudy.experiments.thresholds import BOTH_TOLD
from aucstudy.published import ledger

WITHOUT_DATA = {
    "FK-fig3", "FK-baseline", "FK-random", "FK-cost", "FK-c-d", "FK-grid", "FK-pop", "FK-pop-plotted",
}  # fmt: skip


def printed(name):
    rows = ledger().query("id == @name")
    return {row.item: Decimal(row.value) for row in rows.itertuples() if row.value}


def test_a_running_example_that_was_searched_until_it_fitted_is_consistent_by_construction(judged):
    finding = judged("FK-fig3")
    assert finding.verdict is Verdict.BY_CONSTRUCTION
    assert {item.name for item in finding.items} == set(printed("FK-fig3"))


def test_an_identity_that_is_off_does_not_come_out(judged):
    table = {
        "identity": ["theorem 1"],
        "statement": "s",
        "largest_deviation": [1e-3],
        "n_models": 2,
        "n_tasks": 1,
    }
    assert judged("FK-T1", theorems=table).verdict is Verdict.DOES_NOT_COME_OUT


def test_claims_of_experiments_that_were_not_run_are_not_available(judged):
    for name in JUDGES:
        if name not in WITHOUT_DATA:
            assert judged(name).verdict is Verdict.NOT_AVAILABLE, name


def test_the_papers_own_runs_are_compared_digit_by_digit(judged):
    pair = {"run_id": ["145651", "267741"], "aupr": [0.7243, 0.7731], "auprg": [0.7136, 0.6874]}
    assert judged("FK-fig5", flip_pair=pair).verdict is Verdict.REPRODUCED
    pair["auprg"] = [0.7, 0.6]
    assert judged("FK-fig5", flip_pair=pair).verdict is Verdict.DIFFERS


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


def disagreement(more):
    """Ten tasks: AUPR and AUPRG differ in the first two, AUPR and AUROC in as many more."""
    tasks = [f"t{k}" for k in range(10)]
    pairs = {"auprg": 2, "auroc": 2 + more}
    return pd.DataFrame(
        {"task_id": task, "source_group": task, "first": "aupr", "second": second, "p_best_differs": k < n}
        for second, n in pairs.items()
        for k, task in enumerate(tasks)
    ).astype({"p_best_differs": float})


@pytest.mark.parametrize(
    ("more", "verdict"), [(0, Verdict.SUPPORTS), (1, Verdict.UNDECIDED), (7, Verdict.CONTRADICTS)]
)
def test_two_pairs_of_areas_are_alike_or_not_by_their_paired_difference(judged, more, verdict):
    assert judged("FK-alike", disagreement_tasks=disagreement(more)).verdict is verdict


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


def excess(*ends):
    pairs = (("aupr", "auprg"), ("aupr", "auroc"), ("auprg", "auroc"))
    return pd.DataFrame(
        {"first": first, "second": second, "top": 1, "quantity": "excess", "estimate": (low + high) / 2,
         "low": low, "high": high, "n_tasks": 20, "n_groups": 9}
        for (first, second), (low, high) in zip(pairs, ends, strict=True)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("third", "verdict"),
    [
        ((0.01, 0.02), Verdict.SUPPORTS),
        ((-0.01, 0.02), Verdict.UNDECIDED),
        ((-0.02, -0.01), Verdict.CONTRADICTS),
    ],
)
def test_areas_are_all_different_if_each_pair_disagrees_by_more_than_one_with_itself(judged, third, verdict):
    assert judged("FK-differ", noise=excess((0.01, 0.02), (0.01, 0.02), third)).verdict is verdict


def swaps(harmonic, cut):
    """Twelve swaps, of which so many turn at harmonic precision in each order and so many where recall is cut."""
    of_step = {
        "auprg": {"d_recall_above_prevalence": 1, "d_recall_gain": 1, "ahead_scaled": 1, "ahead_harmonic": -1,
                  "ahead_scaled_harmonic": -1, "ahead_above_harmonic": -1},
        "recall_above_prevalence": {"d_recall_above_prevalence": -1, "d_recall_gain": -1, "ahead_scaled": 1,
                                    "ahead_harmonic": 1, "ahead_scaled_harmonic": 1, "ahead_above_harmonic": -1},
        # at either of the two last steps, whichever comes first
        "recall_gain": {"d_recall_above_prevalence": 1, "d_recall_gain": -1, "ahead_scaled": -1, "ahead_harmonic": -1,
                        "ahead_scaled_harmonic": -1, "ahead_above_harmonic": -1},
    }  # fmt: skip
    steps = ["auprg"] * harmonic + ["recall_above_prevalence"] * cut + ["recall_gain"] * (12 - harmonic - cut)
    return pd.DataFrame(
        {
            "source_group": f"g{k}",
            "flips_at": step,
            "weight": 1.0,
            "d_aupr": 1,
            "d_auprg": -1,
            **of_step[step],
        }
        for k, step in enumerate(steps)
    )


@pytest.mark.parametrize(
    ("harmonic", "cut", "cause", "early"),
    [
        (11, 1, Verdict.SUPPORTS, Verdict.CONTRADICTS),
        (6, 6, Verdict.UNDECIDED, Verdict.UNDECIDED),
        (1, 11, Verdict.CONTRADICTS, Verdict.SUPPORTS),
        (1, 0, Verdict.UNDECIDED, Verdict.CONTRADICTS),  # the others turn at either step, by the order
    ],
)
def test_the_cause_of_swaps_is_the_step_at_which_most_of_them_turn_in_every_order(
    judged, harmonic, cut, cause, early
):
    table = swaps(harmonic, cut)
    finding = judged("FK-cause", decomposition_swaps=table)
    assert finding.verdict is cause
    assert judged("FK-early").verdict is early
    least, most = (item.here for item in finding.items[1:3])
    assert (least, most) == pytest.approx((100 * harmonic / 12, 100 * (12 - cut) / 12))


def choices(gain):
    """Twenty tasks in which mean F-Gain's choice reaches so much more F1 on the fold left out, in half of them more."""
    return pd.DataFrame(
        {"task_id": f"t{k}", "source_group": f"t{k}", "rule": rule, "average": average,
         "f1": 0.5 + (average == "mean_fg1") * (gain + 0.001 * (k % 2)), "n_folds": 5}
        for rule in ("default", "f_calibrated") for average in ("mean_f1", "mean_fg1", "f1_of_sums") for k in range(20)
    )  # fmt: skip


def other_winners():
    return pd.DataFrame(
        {"task_id": f"t{k}", "source_group": f"t{k}", "rule": "f_calibrated", "first": "mean_f1",
         "second": second, "p_differs": 0.5, "defined": True, "finite_models": 3, "n_models": 4}
        for second in ("mean_fg1", "f1_of_sums") for k in range(20)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("gain", "verdict"),
    [
        (0.02, Verdict.SUPPORTS),
        (0.001, Verdict.NO_DIFFERENCE),
        (-0.0055, Verdict.UNDECIDED),
        (-0.02, Verdict.CONTRADICTS),
    ],
)
def test_the_better_average_over_folds_is_the_one_whose_choice_does_better_on_a_fold_left_out(
    judged, gain, verdict
):
    tables = {"fold_averages_tasks": other_winners(), "fold_averages_choices": choices(gain)}
    finding = judged("FK-harmonic", **tables)
    here = {item.name: item.here for item in finding.items}
    assert finding.verdict is verdict
    assert here["models with a mean F-Gain of minus infinity, calibrated threshold"] == 25
    assert here["mean F1 and mean F-Gain pick other winners, calibrated threshold"] == 50


def selection(f1, expected):
    rows = zip(("f1", "expected_fg1"), (f1, expected), strict=True)
    return pd.DataFrame(
        {"design": "halves", "first": "auprg", "second": "aupr", "utility": utility,
         "difference": sum(ends) / 2, "low": ends[0], "high": ends[1], "n_tasks": 60, "n_groups": 38}
        for utility, ends in rows
    )  # fmt: skip


@pytest.mark.parametrize(
    ("f1", "expected", "select", "favour"),
    [
        ((0.001, 0.03), (0.001, 0.03), Verdict.SUPPORTS, Verdict.SUPPORTS),
        ((-0.004, -0.001), (-0.004, 0.001), Verdict.NO_DIFFERENCE, Verdict.NO_DIFFERENCE),
        ((-0.006, -0.001), (-0.004, 0.001), Verdict.UNDECIDED, Verdict.NO_DIFFERENCE),
        ((-0.03, -0.011), (-0.03, -0.02), Verdict.CONTRADICTS, Verdict.CONTRADICTS),
        ((-0.006, 0.02), (-0.01, 0.03), Verdict.UNDECIDED, Verdict.UNDECIDED),
        ((0.001, 0.03), (-0.01, 0.03), Verdict.UNDECIDED, Verdict.UNDECIDED),
    ],
)
def test_the_better_choice_is_judged_on_rows_that_no_area_has_seen(judged, f1, expected, select, favour):
    table = selection(f1, expected)
    assert judged("FK-select", selection_primary=table).verdict is select
    assert judged("FK-favour").verdict is favour


def calibration(*ends, told=BOTH_TOLD):
    """A case of each of three betas with so many intervals, and one in which only the plug-in threshold is told."""
    cases = [(told, beta, *of_beta) for beta, of_beta in zip((0.5, 1.0, 2.0), ends, strict=True)]
    return pd.DataFrame(
        {"beta": beta, "rows": "all", "odds": 4.0, "against": against, "difference": (low + high) / 2,
         "low": low, "high": high, "n_tasks": 60, "n_groups": 38}
        for against, beta, low, high in [*cases, ("isotonic_plug_in", 1.0, -0.06, -0.04)]
    )  # fmt: skip


SEARCHED = {"rule": ["f_calibrated"], "quantity": ["minus_searched"], "beta": [1.0], "estimate": [-0.002],
            "low": [-0.003], "high": [-0.001], "n_tasks": [60]}  # fmt: skip


@pytest.mark.parametrize(
    ("worst", "verdict"),
    [
        ((-0.004, 0.001), Verdict.SUPPORTS),
        ((-0.009, 0.001), Verdict.UNDECIDED),
        ((-0.05, -0.02), Verdict.CONTRADICTS),
    ],
)
def test_that_tuning_is_spared_is_judged_by_the_worst_case_against_plug_in_thresholds(judged, worst, verdict):
    table = calibration((-0.002, 0.002), worst, (0.0, 0.001))
    finding = judged("FK-notune", thresholds=SEARCHED, thresholds_calibration=table)
    assert finding.verdict is verdict
    assert "at beta 1" in finding.note
    assert "only the rival is told the odds, F-calibration loses up to -0.050" in finding.note


def test_a_rival_that_alone_is_told_the_odds_decides_nothing(judged):
    table = calibration(*[(-0.06, -0.04)] * 3, told="isotonic_plug_in")
    finding = judged("FK-notune", thresholds=SEARCHED, thresholds_calibration=table)
    assert finding.verdict is Verdict.TOO_FEW_DATA


def test_the_same_argmax_alone_is_no_evidence_that_tuning_is_spared(judged):
    assert judged("FK-notune", thresholds=SEARCHED).verdict is Verdict.NOT_AVAILABLE


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.001, 0.01, Verdict.SUPPORTS), (-0.01, 0.01, Verdict.UNDECIDED), (-0.02, -0.01, Verdict.CONTRADICTS)],
)
def test_an_interval_of_beta_holds_if_its_point_leads_on_new_rows(judged, low, high, verdict):
    table = {"beta": [1.0, 1.0], "neighbour": ["stricter", "laxer"], "lead": [0.01, (low + high) / 2],
             "low": [0.005, low], "high": [0.02, high], "leads_both": 0.7, "n_tasks": 60, "n_groups": 38}  # fmt: skip
    assert judged("FK-betas", thresholds_intervals=table).verdict is verdict
