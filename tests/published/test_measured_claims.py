"""Every rule of a measured claim can support the claim, contradict it or leave it undecided."""

import numpy as np
import pandas as pd
import pytest
from measured import estimates

from aucstudy.claims.theorems import random_rankings
from aucstudy.claims.verdicts import Verdict
from aucstudy.experiments import decomposition, disagreement, fold_skew, thresholds_fold_averages
from aucstudy.experiments.compared import DISTINCT_PAIRS
from aucstudy.experiments.inputs import RARE_TASKS
from aucstudy.experiments.thresholds import BOTH_TOLD
from aucstudy.metrics.conventions import CONVENTIONS


def row(experiment, low, high, **keys):
    return {"experiment": experiment, "estimate": (low + high) / 2, "low": low, "high": high, **keys}


def estimated(experiment, module, frames, *names, **facts):
    """Return the estimates of some quantities of an experiment from frames by task, with both weights."""
    tables = [estimates(module, frames, *names, weight=weight, **facts) for weight in ("task", "source")]
    return pd.concat(tables).assign(experiment=experiment).to_dict("records")


def downsampling_changes(aupr, aucnpr, auroc, **sizes):
    areas = {"aupr": aupr, "aucnpr": aucnpr, "auroc": auroc, "auprg": (-0.3, -0.1)}
    keys = {
        "quantity": "change of the metric",
        "subset": "negatives for every ratio",
        "setting": "1:1",
        **sizes,
    }
    return {"estimates": [row("downsampling", *ends, first=area, **keys) for area, ends in areas.items()]}


def shift(at_1, at_2, corrected=None):
    rows = []
    for ratio, ends in (("1:1", at_1), ("1:2", at_2)):
        keys = {"first": "aupr", "setting": ratio, "subset": "negatives for every ratio"}
        for name in ("downsampled", "moved", "corrected"):
            bias = (corrected or ends) if name == "corrected" else ends
            rows.append(row(SHIFT, *bias, quantity="bias", second=name, **keys))
            left = {"quantity": "part of the gap that is left", "kind": "ratio", "second": name}
            rows.append(row(SHIFT, 0.1, 0.3, **left, **keys))
    return {"estimates": rows}


def superior(**gains):
    """Return differences between the choices of AUPR and of AUROC. Those not given are inconclusive."""
    utilities = ("precision_at_p", "recall_at_90", "f2", "accuracy", "minus_cost")
    keys = {"quantity": "gain", "setting": "halves", "first": "aupr", "second": "auroc", "subset": RARE_TASKS}
    return {
        "estimates": [row("selection", *gains.get(u, (-0.01, 0.01)), target=u, **keys) for u in utilities]
    }


def vertical(own, rise):
    """Return the errors of vertical averages on own folds, and the rise of the error with unequal skew."""
    keys = {"quantity": "aupr: error", "target": "other half", "first": "mean"}
    cuts = {"spread 0": (0.0, (-1, 1)), "spread 0.4": (0.4, (0.01, 0.02)), "own folds": (np.nan, own)}
    rows = [row("fold_skew", *ends, setting=cut, at=spread, **keys) for cut, (spread, ends) in cuts.items()]
    control = {"quantity": "error minus the control", "first": "aupr"}
    for cut, spread, ends in (("spread 0", 0.0, (-1, 1)), ("spread 0.4", 0.4, rise)):
        rows.append(row("fold_skew", *ends, setting=cut, at=spread, **control))
    return {"estimates": rows}


SHIFT = "downsampling.prevalence_shift"
SUPPORTS, UNDECIDED, CONTRADICTS = Verdict.SUPPORTS, Verdict.UNDECIDED, Verdict.CONTRADICTS


def pairs(ends):
    one = {"subset": RARE_TASKS, "quantity": "pairs told apart by one"}
    sides = (("aupr", ""), ("auroc", ""), ("aupr", "auroc"))
    rows = [row("noise", *ends, first=first, second=second, **one) for first, second in sides]
    both = {"subset": RARE_TASKS, "quantity": "pairs told apart by both"}
    return {"estimates": [*rows, row("noise", 0.4, 0.5, first="aupr", **both)]}


def winners(ends):
    rivals = dict.fromkeys(CONVENTIONS, (0.0, 0.02)) | {"trapezoid": ends, "any": (0.6, 0.8)}
    keys = {"quantity": "differs", "kind": "share", "first": "exact", "at": 1}
    return {"estimates": [row("conventions", *of, second=rival, **keys) for rival, of in rivals.items()]}


def excesses(ends, **more):
    rivals = {"trapezoid": ends, "average_precision": (-0.01, 0.001), **more}
    keys = {"quantity": "mean excess", "second": "exact"}
    largest = [{"rival": rival, "median": 0, "largest": 0.9 if rival in more else 0.5} for rival in rivals]
    rows = [row("conventions", *of, first=rival, **keys) for rival, of in rivals.items()]
    return {"estimates": rows, "conventions_excess": largest}


def averaged_folds(gain, left):
    cut = {"setting": "spread 0.4", "at": 0.4}
    size = "size in model SDs"
    rows = [
        row("fold_skew", *gain, quantity=size, first="aupr", second="aucnpr", **cut),
        row("fold_skew", *left, quantity=f"{size} minus the control", first="aucnpr", **cut),
    ]
    return {"estimates": rows}


def best_flows(other, differs, source_groups="abcdeffff"):
    names = [f"t{k}" for k in range(9)]
    best = {
        "average": ["mean AUPR", "mean AUCNPR"],
        "best": ["a", other],
        "differs": [0, differs],
        "n_tasks": 9,
        "resamples": 2000,
    }
    tasks = {"task_id": names, "source_group": list(source_groups)}
    return {"task_aggregation": best, "task_aggregation_tasks": {"task_id": names}, "tasks": tasks}


def moved(off):
    """Return estimates in which AUPR moved to 1:1 differs by `off` + .001 from that of test sets of that ratio.

    Estimates from few negatives that are moved back are biased in these tables, whatever `off` is.
    """
    keys = {
        "quantity": "metric minus its analytic value",
        "first": "aupr",
        "subset": "negatives for every ratio",
    }
    rows = [
        row(SHIFT, -off - 0.002, -off, setting="1:1", **keys),
        row(SHIFT, -0.0001, 0.0001, setting="1:2", **keys),
    ]
    return {"estimates": [*rows, *shift((0.05, 0.09), (0.05, 0.09))["estimates"]]}


def model_spreads(unskewed, skewed, prevalences=(0.45, 0.05, 0.2) * 10):
    names = [f"t{k}" for k in range(30)]
    sds = np.array([unskewed, skewed, 0.9] * 10) + np.arange(30) % 7 / 1000
    by_task = pd.DataFrame(
        {"task_id": names, "cut": "spread 0", "spread": 0.0, "area": "aupr", "model_sd": sds}
    )
    frames = {"fold_skew_tasks": by_task.assign(source_group=names)}
    return {
        "estimates": estimated("fold_skew", fold_skew, frames, "SD over models", prevalence=list(prevalences))
    }


def disagreement_of(more):
    """Return the estimates of ten tasks.

    The best models of AUPR and AUPRG differ in the first two tasks. Those of AUPR and AUROC differ in these
    two and in `more` others.
    """
    rows = [
        {"task_id": f"t{k}", "source_group": f"t{k}", "first": "aupr", "second": second, "p_best_differs": float(k < n)}
        for second, n in {"auprg": 2, "auroc": 2 + more}.items() for k in range(10)
    ]  # fmt: skip
    frames = {"disagreement_tasks": pd.DataFrame(rows)}
    name = "differs more often than aupr and auprg"
    return {"estimates": estimated("disagreement", disagreement, frames, name)}


def excess(*ends):
    keys = {"at": 1, "quantity": "excess"}
    pairs = zip(DISTINCT_PAIRS, ends, strict=True)
    rows = [row("noise", *of, first=first, second=second, **keys) for (first, second), of in pairs]
    return {"estimates": rows}


# The key is the step at which the order of two models changes. The values say which model leads after some of
# the steps: 1 is the model that AUPR ranks first.
SIGNS = {
    "auprg": {"d_recall_above_prevalence": 1, "d_recall_gain": 1, "ahead_scaled": 1, "ahead_harmonic": -1,
              "ahead_scaled_harmonic": -1, "ahead_above_harmonic": -1},
    "recall_above_prevalence": {"d_recall_above_prevalence": -1, "d_recall_gain": -1, "ahead_scaled": 1,
                                "ahead_harmonic": 1, "ahead_scaled_harmonic": 1, "ahead_above_harmonic": -1},
    # The order changes at either of the two last steps, whichever comes first.
    "recall_gain": {"d_recall_above_prevalence": 1, "d_recall_gain": -1, "ahead_scaled": -1, "ahead_harmonic": -1,
                    "ahead_scaled_harmonic": -1, "ahead_above_harmonic": -1},
}  # fmt: skip


def swaps(harmonic, cut):
    """Return twelve ranking changes.

    `harmonic` of them happen at harmonic precision in every order of the steps, and `cut` where recall is
    cut.
    """
    steps = ["auprg"] * harmonic + ["recall_above_prevalence"] * cut + ["recall_gain"] * (12 - harmonic - cut)
    facts = {"weight": 1.0, "d_aupr": 1, "d_auprg": -1}
    rows = [
        {"task_id": f"t{k}", "source_group": f"g{k}", "flips_at": step, **facts, **SIGNS[step]}
        for k, step in enumerate(steps)
    ]
    frames = {"decomposition_swaps": pd.DataFrame(rows)}
    name = "change of the best model"
    return {"decomposition_swaps": rows, "estimates": estimated("decomposition", decomposition, frames, name)}


def fold_choices(gain):
    """Return tables of twenty tasks in which mean F-Gain's choice has `gain` more F1 on the fold left out.

    In half of the tasks it has 0.001 more than that.
    """
    tasks = [{"task_id": f"t{k}", "source_group": f"t{k}"} for k in range(20)]
    choices = [
        {**task, "rule": rule, "average": average, "f1": 0.5 + (average == "mean_fg1") * (gain + 0.001 * (k % 2))}
        for rule in ("default", "f_calibrated") for average in ("mean_f1", "mean_fg1", "f1_of_sums")
        for k, task in enumerate(tasks)
    ]  # fmt: skip
    facts = {"p_differs": 0.5, "defined": True, "finite_models": 3, "n_models": 4}
    winners = [
        {**task, "rule": "f_calibrated", "first": "mean_f1", "second": second, **facts}
        for second in ("mean_fg1", "f1_of_sums") for task in tasks
    ]  # fmt: skip
    frames = {"fold_averages_tasks": pd.DataFrame(winners), "fold_averages_choices": pd.DataFrame(choices)}
    return {"estimates": estimated("thresholds.fold_averages", thresholds_fold_averages, frames)}


def selection(f1, expected):
    keys = {"quantity": "gain", "setting": "halves", "first": "auprg", "second": "aupr"}
    of_utility = {"f1": f1, "expected_fg1": expected}
    return {"estimates": [row("selection", *ends, target=u, **keys) for u, ends in of_utility.items()]}


SEARCHED = row(
    "thresholds", -0.003, -0.001, setting="f_calibrated", quantity="F_beta minus that at the searched threshold", at=1.0
)  # fmt: skip


def calibration(*ends, told=BOTH_TOLD):
    """Return estimates with a case for each of three betas, with these intervals.

    In one further case only the plug-in threshold knows the new odds.
    """
    cases = [(told, beta, *of_beta) for beta, of_beta in zip((0.5, 1.0, 2.0), ends, strict=True)]
    cases += [("isotonic_plug_in", 1.0, -0.06, -0.04)] if told == BOTH_TOLD else []
    keys = {"quantity": "F_beta of calibrated scores", "first": "prg", "setting": "all rows, odds 4"}
    rows = [
        row("thresholds", low, high, at=beta, second=against, **keys) for against, beta, low, high in cases
    ]
    same = {**keys, "setting": "all rows, odds 1", "second": "isotonic_same"}
    rows += [row("thresholds", 0.1, 0.2, at=beta, **same) for beta in (0.5, 1.0, 2.0)]
    return {"estimates": [SEARCHED, *rows]}


def neighbours(*ends):
    lead, both = "lead over a neighbour", "leads both neighbours"
    rows = [
        row("thresholds", *of, setting=side, at=1.0, quantity=quantity)
        for side, lead_of in (("stricter", (0.005, 0.02)), ("laxer", ends))
        for quantity, of in ((lead, lead_of), (both, (0.6, 0.8)))
    ]
    return {"estimates": rows}


# The key is a statement. The values are its claim, a function from numbers to tables, and verdicts by
# numbers.
CASES = {
    "cut test sets are optimistic if both areas rise": (
        "B-balanced",
        lambda ends: downsampling_changes((0.3, 0.5), ends, (0, 0)),
        {(0.2, 0.4): SUPPORTS, (-0.1, 0.4): UNDECIDED, (-0.2, -0.1): CONTRADICTS},
    ),
    "AUROC is invariant if it stays where AUPR moves": (
        "L-invariant",
        lambda ends: downsampling_changes(ends[1], (0, 0), ends[0]),
        {
            ((-0.001, 0.001), (0.2, 0.4)): SUPPORTS,
            ((-0.02, 0.001), (0.2, 0.4)): UNDECIDED,
            ((0.02, 0.03), (0.2, 0.4)): CONTRADICTS,
            ((-0.001, 0.001), (-0.005, 0.005)): CONTRADICTS,
        },
    ),
    "tools rank differently if one by itself changes winners in more than 5 per cent": (
        "L-tools",
        winners,
        {(0.2, 0.6): SUPPORTS, (0.01, 0.1): UNDECIDED, (0.0, 0.04): CONTRADICTS},
    ),
    "tools are too high if one surely is": (
        "L-tools-high",
        excesses,
        {(0.02, 0.05): SUPPORTS, (0.0, 0.05): UNDECIDED, (0.0, 0.005): CONTRADICTS},
    ),
    "the effect of imbalance is removed if neither formula leaves anything that matters": (
        "L-removed",
        lambda ends: shift(ends[0], (0.0, 0.004), ends[1]),
        {
            ((0.05, 0.09), (0.02, 0.03)): SUPPORTS,
            ((0.05, 0.09), (-0.004, 0.004)): CONTRADICTS,
            ((0.0, 0.004), (0.02, 0.03)): CONTRADICTS,
            ((0.05, 0.09), (0.0, 0.02)): UNDECIDED,
        },
    ),
    "PR is more informative if it alone tells more pairs apart than ROC alone": (
        "L-informative",
        pairs,
        {(0.01, 0.1): SUPPORTS, (-0.1, 0.1): UNDECIDED, (-0.1, -0.01): CONTRADICTS},
    ),
    "AUPR suits retrieval only if it gains there and nowhere else": (
        "L-superior",
        lambda gains: superior(**dict(gains)),
        {
            (("precision_at_p", (0.01, 0.03)), ("f2", (-0.03, -0.01))): SUPPORTS,
            (): UNDECIDED,
            (("precision_at_p", (0.01, 0.03)), ("f2", (0.01, 0.03))): CONTRADICTS,
        },
    ),
    "a vertical average at equal skew is too high if it lies above the merged area of unseen rows": (
        "H-vertical",
        lambda own: vertical(own, (0.02, 0.03)),
        {
            (0.02, 0.03): SUPPORTS,
            (0.002, 0.008): Verdict.NO_DIFFERENCE,
            (-0.002, 0.03): UNDECIDED,
            (-0.03, -0.02): CONTRADICTS,
        },
    ),
    "differences of skew between folds make vertical averages too high if they raise their error": (
        "B-vertical",
        lambda rise: vertical((0.02, 0.03), rise),
        {
            (0.02, 0.03): SUPPORTS,
            (0.002, 0.008): Verdict.NO_DIFFERENCE,
            (-0.002, 0.03): UNDECIDED,
            (-0.03, -0.02): CONTRADICTS,
        },
    ),
    "averaging AUCNPR over folds must help and leave an error": (
        "B-folds",
        lambda ends: averaged_folds(*ends),
        {
            ((0.1, 0.2), (0.4, 0.8)): SUPPORTS,
            ((-0.1, 0.2), (0.4, 0.8)): UNDECIDED,
            ((-0.2, -0.1), (0.4, 0.8)): CONTRADICTS,
            ((0.1, 0.2), (-0.2, -0.1)): CONTRADICTS,
        },
    ),
    "the average over tasks matters if another flow is surely best": (
        "H-tasks",
        lambda best: best_flows(*best),
        {("b", 0.97): SUPPORTS, ("b", 0.6): UNDECIDED, ("a", 0.2): UNDECIDED, ("a", 0.01): CONTRADICTS},
    ),
    "a task without skew outweighs others if models lie farther apart on it": (
        "H-spread",
        lambda spreads: model_spreads(*spreads),
        {(0.2, 0.1): SUPPORTS, (0.1, 0.1): UNDECIDED, (0.1, 0.2): CONTRADICTS},
    ),
    "a moved area is calibrated if it is that of test sets of the prevalence": (
        "L-calibrated",
        moved,
        {0.003: SUPPORTS, 0.009: UNDECIDED, -0.02: CONTRADICTS},
    ),
    "two pairs of areas are alike by their paired difference": (
        "FK-alike",
        disagreement_of,
        {0: SUPPORTS, 1: UNDECIDED, 7: CONTRADICTS},
    ),
    "areas are all different if each pair disagrees by more than one with itself": (
        "FK-differ",
        lambda third: excess((0.01, 0.02), (0.01, 0.02), third),
        {(0.01, 0.02): SUPPORTS, (-0.01, 0.02): UNDECIDED, (-0.02, -0.01): CONTRADICTS},
    ),
    # In the last case the step of the other ranking changes depends on the order of the steps.
    "the cause of swaps is the step at which most of them turn in every order": (
        "H-cause",
        lambda turned: swaps(*turned),
        {(11, 1): SUPPORTS, (6, 6): UNDECIDED, (1, 11): CONTRADICTS, (1, 0): UNDECIDED},
    ),
    "swaps turn early if most of them do where recall is cut": (
        "FK-early",
        lambda turned: swaps(*turned),
        {(11, 1): CONTRADICTS, (6, 6): UNDECIDED, (1, 11): SUPPORTS, (1, 0): CONTRADICTS},
    ),
    "the better average over folds is the one whose choice does better on a fold left out": (
        "FK-harmonic",
        fold_choices,
        {0.02: SUPPORTS, 0.001: Verdict.NO_DIFFERENCE, -0.0055: UNDECIDED, -0.02: CONTRADICTS},
    ),
    "the better choice is judged by F1 and expected F-Gain on rows that no area has seen": (
        "FK-select",
        lambda ends: selection(*ends),
        {
            ((0.001, 0.03), (0.001, 0.03)): SUPPORTS,
            ((-0.004, -0.001), (-0.004, 0.001)): Verdict.NO_DIFFERENCE,
            ((-0.006, -0.001), (-0.004, 0.001)): UNDECIDED,
            ((-0.03, -0.011), (-0.03, -0.02)): CONTRADICTS,
            ((-0.006, 0.02), (-0.01, 0.03)): UNDECIDED,
            ((0.001, 0.03), (-0.01, 0.03)): UNDECIDED,
        },
    ),
    "the favoured choice is judged by expected F-Gain alone": (
        "FK-favour",
        lambda expected: selection((-0.006, -0.001), expected),
        {
            (0.001, 0.03): SUPPORTS,
            (-0.004, 0.001): Verdict.NO_DIFFERENCE,
            (-0.03, -0.02): CONTRADICTS,
            (-0.01, 0.03): UNDECIDED,
        },
    ),
    "that tuning is spared is judged by the worst case against plug-in thresholds": (
        "FK-notune",
        lambda worst: calibration((-0.002, 0.002), worst, (0.0, 0.001)),
        {(-0.004, 0.001): SUPPORTS, (-0.009, 0.001): UNDECIDED, (-0.05, -0.02): CONTRADICTS},
    ),
    "an interval of beta holds if its point leads on new rows": (
        "FK-betas",
        lambda ends: neighbours(*ends),
        {(0.001, 0.01): SUPPORTS, (-0.01, 0.01): UNDECIDED, (-0.02, -0.01): CONTRADICTS},
    ),
    "the paper's own runs are compared digit by digit": (
        "FK-fig5",
        lambda auprg: {
            "flip_pair": {"run_id": ["145651", "267741"], "aupr": [0.7243, 0.7731], "auprg": auprg}
        },
        {(0.7136, 0.6874): Verdict.REPRODUCED, (0.7, 0.6): Verdict.DIFFERS},
    ),
}


@pytest.mark.parametrize(
    ("statement", "numbers", "verdict"),
    [(statement, *case) for statement, (_, _, verdicts) in CASES.items() for case in verdicts.items()],
)
def test_a_claim_is_supported_contradicted_or_left_open_by_its_intervals(judged, statement, numbers, verdict):
    claim, tables, _ = CASES[statement]
    assert judged(claim, **tables(numbers)).verdict is verdict


def test_rivals_are_shown_in_the_order_of_the_ledger(judged):
    finding = judged("L-tools", **winners((0.2, 0.6)))
    assert [item.name for item in finding.items][:2] == ["average precision", "trapezoid"]
    assert [item.here for item in finding.items][:2] == pytest.approx([1, 40])


def test_what_computer_vision_calls_ap_decides_nothing_about_tools_for_classification(judged):
    finding = judged("L-tools-high", **excesses((0.0, 0.005), envelope_101=(0.04, 0.06)))
    assert finding.verdict is CONTRADICTS
    assert finding.items[1].here == 0.5


def test_one_source_group_says_nothing_measured(judged):
    nan = float("nan")
    changes = downsampling_changes((nan, nan), (nan, nan), (nan, nan), n_sources=1)
    assert judged("B-balanced", **changes).verdict is Verdict.TOO_FEW_DATA
    assert judged("L-invariant", **changes).verdict is Verdict.TOO_FEW_DATA


def test_the_own_folds_of_a_study_stand_beside_those_of_unequal_skew(judged):
    tables = averaged_folds((0.1, 0.2), (0.4, 0.8))
    own = {"quantity": "size in model SDs", "first": "aupr", "second": "aucnpr", "setting": "own folds"}
    tables["estimates"].insert(0, row("fold_skew", -0.01, 0.01, **own))
    finding = judged("B-folds", **tables)
    assert (finding.verdict, finding.items[0].high) == (SUPPORTS, 0.01)


def test_five_source_groups_or_one_task_of_a_kind_are_too_few(judged):
    assert judged("H-tasks", **best_flows("b", 0.97, "abcdeeeee")).verdict is Verdict.TOO_FEW_DATA
    few = model_spreads(0.2, 0.1, [0.45] + [0.05] * 29)
    assert judged("H-spread", **few).verdict is Verdict.TOO_FEW_DATA


@pytest.mark.parametrize("off", [0.003, 0.009, -0.02])
def test_the_farthest_ratio_and_the_biases_of_moved_areas_are_shown(judged, off):
    finding = judged("L-calibrated", **moved(off))
    assert [item.here for item in finding.items] == pytest.approx([off + 0.001, 0.07, 0.07])


def test_the_difference_in_spread_is_shown(judged):
    for unskewed, skewed in ((0.2, 0.1), (0.1, 0.1), (0.1, 0.2)):
        finding = judged("H-spread", **model_spreads(unskewed, skewed))
        assert finding.items[2].here == pytest.approx(unskewed - skewed, abs=0.002)


@pytest.mark.parametrize(("harmonic", "cut"), [(11, 1), (6, 6), (1, 11), (1, 0)])
def test_the_least_and_the_largest_share_of_swaps_over_all_orders_are_shown(judged, harmonic, cut):
    least, most = (item.here for item in judged("H-cause", **swaps(harmonic, cut)).items[1:3])
    assert (least, most) == pytest.approx((100 * harmonic / 12, 100 * (12 - cut) / 12))


def test_shares_of_models_without_a_mean_f_gain_and_of_other_winners_are_shown(judged):
    here = {item.name: item.here for item in judged("FK-harmonic", **fold_choices(0.02)).items}
    assert here["models with a mean F-Gain of minus infinity, calibrated threshold"] == 25
    assert here["mean F1 and mean F-Gain pick other winners, calibrated threshold"] == 50


def test_what_a_rival_gains_that_alone_is_told_the_odds_stands_beside_the_verdict_and_does_not_decide_it(
    judged,
):
    finding = judged("FK-notune", **calibration((-0.002, 0.002), (-0.002, 0.001), (0.0, 0.001)))
    (worst,) = (item for item in finding.items if item.name == "only the rival told the odds, worst case")
    assert (finding.verdict, worst.here) == (SUPPORTS, pytest.approx(-0.05))
    assert "beta 1, with all rows, odds 4" in finding.note


def test_how_often_a_point_leads_both_neighbours_stands_beside_its_lead_on_average(judged):
    here = {item.name: item.here for item in judged("FK-betas", **neighbours(0.001, 0.01)).items}
    assert here["leads both neighbours, beta=1"] == pytest.approx(70)


def test_where_no_point_has_both_neighbours_the_claim_of_beta_intervals_has_too_few_data(judged):
    tables = neighbours(0.001, 0.01)
    unknown = [
        row | {"estimate": np.nan} for row in tables["estimates"] if row["quantity"].startswith("leads")
    ]
    rows = [row for row in tables["estimates"] if row["quantity"].startswith("lead ")] + unknown
    assert judged("FK-betas", estimates=rows).verdict is Verdict.TOO_FEW_DATA


def test_a_rival_that_alone_is_told_the_odds_decides_nothing(judged):
    tables = calibration(*[(-0.06, -0.04)] * 3, told="isotonic_plug_in")
    assert judged("FK-notune", **tables).verdict is Verdict.TOO_FEW_DATA


def test_the_same_argmax_alone_is_no_evidence_that_tuning_is_spared(judged):
    assert judged("FK-notune", estimates=[SEARCHED]).verdict is Verdict.TOO_FEW_DATA


def test_random_rankings_hold_both_classes_and_ties_unless_asked_not_to():
    for y, scores in random_rankings(untied=True):
        assert 0 < y.sum() < len(y)
        assert len(np.unique(scores)) == len(scores)
    assert any(len(np.unique(scores)) < len(scores) for _, scores in random_rankings())
