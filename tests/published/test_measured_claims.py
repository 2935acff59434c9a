"""The measured claims of Boyd et al. 2012 and of later papers: each rule supports, contradicts and stays undecided."""

import numpy as np
import pytest

from aucstudy.claims.flach_kull import random_rankings
from aucstudy.claims.verdicts import Verdict
from aucstudy.experiments.noise import RARE_TASKS
from aucstudy.metrics.conventions import CONVENTIONS

SIZES = {"n_tasks": 25, "n_groups": 14}


def row(low, high, name="estimate", **facts):
    return {**facts, name: (low + high) / 2, "low": low, "high": high, **SIZES}


def downsampling(aupr, aucnpr, auroc, **sizes):
    areas = {"aupr": aupr, "aucnpr": aucnpr, "auroc": auroc, "auprg": (-0.3, -0.1)}
    return [
        {**row(*ends, "difference", tasks="common", ratio="1:1", area=area), **sizes}
        for area, ends in areas.items()
    ]


def shift(at_1, at_2, corrected=None):
    rows = []
    for ratio, ends in (("1:1", at_1), ("1:2", at_2)):
        facts = {"ratio": ratio, "area": "aupr", "gap_closed": 0.8}
        rows += [
            row(*((corrected or ends) if name == "corrected" else ends), "bias", estimator=name, **facts)
            for name in ("downsampled", "moved", "corrected")
        ]
    return rows


def superior(**gains):
    """Differences between the choices of AUPR and of AUROC, those that are not given open."""
    utilities = ("precision_at_p", "recall_at_90", "f2", "accuracy", "minus_cost")
    facts = {"design": "halves", "chooser": "aupr", "tasks": RARE_TASKS}
    return [row(*gains.get(u, (-0.01, 0.01)), "difference", utility=u, **facts) for u in utilities]


def fold_averages(own, unequal):
    facts = {"area": "aupr", "standard": "other half", "effect": "error", "aggregate": "mean"}
    cuts = {"spread 0": (0.0, (-1, 1)), "spread 0.4": (0.4, unequal), "own folds": (np.nan, own)}
    return [row(*ends, cut=cut, spread=spread, **facts) for cut, (spread, ends) in cuts.items()]


SLOPES = ("slope, average_precision", "slope, exact_area", "slope, precision")
SHARES = tuple(f"higher prevalence, {name}" for name in ("by_average_precision", "by_auroc", "difference"))
PAIRS = ("aupr only", "auroc only", "both", "aupr only minus auroc only")
SUPPORTS, UNDECIDED, CONTRADICTS = Verdict.SUPPORTS, Verdict.UNDECIDED, Verdict.CONTRADICTS


def quantities(names, ends, **facts):
    return [row(*ends, quantity=name, **facts) for name in names]


def winners(ends):
    rivals = dict.fromkeys(CONVENTIONS, (0.0, 0.02)) | {"trapezoid": ends, "any": (0.6, 0.8)}
    return [row(*of_rival, rival=rival, top=1, split="all") for rival, of_rival in rivals.items()]


def excesses(ends):
    rivals = {"trapezoid": ends, "average_precision": (-0.01, 0.001)}
    return [row(*of_rival, "mean", rival=rival, median=0, largest=0.5) for rival, of_rival in rivals.items()]


# by statement: its claim, the table that follows from some numbers, and verdicts by these numbers
CASES = {
    "cut test sets are optimistic if both areas rise": (
        "B-optimistic",
        lambda ends: {"downsampling": downsampling((0.3, 0.5), ends, (0, 0))},
        {(0.2, 0.4): SUPPORTS, (-0.1, 0.4): UNDECIDED, (-0.2, -0.1): CONTRADICTS},
    ),
    "AUROC is invariant if it stays where AUPR moves": (
        "L-invariant",
        lambda ends: {"downsampling": downsampling(ends[1], (0, 0), ends[0])},
        {
            ((-0.001, 0.001), (0.2, 0.4)): SUPPORTS,
            ((-0.02, 0.001), (0.2, 0.4)): UNDECIDED,
            ((0.02, 0.03), (0.2, 0.4)): CONTRADICTS,
            ((-0.001, 0.001), (-0.005, 0.005)): CONTRADICTS,
        },
    ),
    "tools rank differently if one by itself changes winners in more than 5 per cent": (
        "L-tools",
        lambda ends: {"conventions": winners(ends)},
        {(0.2, 0.6): SUPPORTS, (0.01, 0.1): UNDECIDED, (0.0, 0.04): CONTRADICTS},
    ),
    "tools are too high if one surely is": (
        "L-tools-high",
        lambda ends: {"conventions_excess": excesses(ends)},
        {(0.02, 0.05): SUPPORTS, (0.0, 0.05): UNDECIDED, (0.0, 0.005): CONTRADICTS},
    ),
    "the effect of imbalance is removed if neither formula leaves anything that matters": (
        "L-removed",
        lambda ends: {"prevalence_shift": shift(ends[0], (0.0, 0.004), ends[1])},
        {
            ((0.05, 0.09), (0.02, 0.03)): SUPPORTS,
            ((0.05, 0.09), (-0.004, 0.004)): CONTRADICTS,
            ((0.0, 0.004), (0.02, 0.03)): CONTRADICTS,
            ((0.05, 0.09), (0.0, 0.02)): UNDECIDED,
        },
    ),
    "PR is more informative if it alone tells more pairs apart than ROC alone": (
        "L-informative",
        lambda ends: {"noise_pairs": quantities(PAIRS, ends, tasks=RARE_TASKS)},
        {(0.01, 0.1): SUPPORTS, (-0.1, 0.1): UNDECIDED, (-0.1, -0.01): CONTRADICTS},
    ),
    "AUPR suits retrieval only if it gains there and nowhere else": (
        "L-superior",
        lambda gains: {"selection": superior(**dict(gains))},
        {
            (("precision_at_p", (0.01, 0.03)), ("f2", (-0.03, -0.01))): SUPPORTS,
            (): UNDECIDED,
            (("precision_at_p", (0.01, 0.03)), ("f2", (0.01, 0.03))): CONTRADICTS,
        },
    ),
    "gains follow the firing rate if they fall as the inverse of the rank": (
        "L-mistakes-here",
        lambda ends: {"mistakes": quantities(SLOPES, ends)},
        {
            (-1.2, -0.9): SUPPORTS,
            (-1.4, -1.2): UNDECIDED,
            (-1.5, -1.3): CONTRADICTS,
            (-0.5, -0.3): CONTRADICTS,
        },
    ),
    "a subgroup is favoured if average precision lifts it more than AUROC does": (
        "L-subgroups",
        lambda ends: {"mistakes": quantities(SHARES, ends)},
        {(0.02, 0.1): SUPPORTS, (-0.1, 0.1): UNDECIDED, (-0.1, -0.02): CONTRADICTS},
    ),
    "a vertical average is optimistic if it lies above the merged area of unseen rows": (
        "B-vertical",
        lambda ends: {"fold_skew_aggregates": fold_averages(*ends)},
        {
            ((0.02, 0.03), (0.002, 0.03)): SUPPORTS,
            ((0.002, 0.008), (0.001, 0.009)): Verdict.NO_DIFFERENCE,
            ((0.02, 0.03), (-0.002, 0.03)): UNDECIDED,
            ((0.02, 0.03), (-0.03, -0.02)): CONTRADICTS,
        },
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
    finding = judged("L-tools", conventions=winners((0.2, 0.6)))
    assert [item.name for item in finding.items][:2] == ["average precision", "trapezoid"]
    assert [item.here for item in finding.items][:2] == pytest.approx([1, 40])


def test_one_source_group_says_nothing_measured(judged):
    nan = float("nan")
    table = downsampling((nan, nan), (nan, nan), (nan, nan), n_groups=1)
    assert judged("B-optimistic", downsampling=table).verdict is Verdict.TOO_FEW_DATA
    assert judged("L-invariant").verdict is Verdict.TOO_FEW_DATA


@pytest.mark.parametrize(
    ("gain", "left", "verdict"),
    [
        ((0.1, 0.2), (0.4, 0.8), Verdict.SUPPORTS),
        ((-0.1, 0.2), (0.4, 0.8), Verdict.UNDECIDED),
        ((-0.2, -0.1), (0.4, 0.8), Verdict.CONTRADICTS),
        ((0.1, 0.2), (-0.2, -0.1), Verdict.CONTRADICTS),
    ],
)
def test_averaging_aucnpr_must_help_and_leave_an_error(judged, gain, left, verdict):
    size = {"effect": "size in model SDs"}
    averaging = [row(*gain, "gain", cut="spread 0.4", tasks="all", **size)]
    skew = [row(*left, "difference", cut="spread 0.4", spread=0.4, area="aucnpr", **size)]
    assert judged("B-folds", fold_skew_averaging=averaging, fold_skew=skew).verdict is verdict
    own = [row(-0.01, 0.01, "gain", cut="own folds", tasks="all", **size)]
    finding = judged("B-folds", fold_skew_averaging=own + averaging)
    assert (finding.verdict, finding.items[0].high) == (verdict, 0.01)


@pytest.mark.parametrize(
    ("other", "differs", "verdict"),
    [
        ("b", 0.97, Verdict.SUPPORTS),
        ("b", 0.6, Verdict.UNDECIDED),
        ("a", 0.2, Verdict.UNDECIDED),
        ("a", 0.01, Verdict.CONTRADICTS),
    ],
)
def test_the_average_over_tasks_matters_if_another_flow_is_surely_best(judged, other, differs, verdict):
    table = {
        "average": ["mean AUPR", "mean AUCNPR"],
        "best": ["a", other],
        "differs": [0, differs],
        "n_tasks": 9,
    }
    names = [f"t{k}" for k in range(9)]
    tables = {"task_aggregation": table, "task_aggregation_tasks": {"task_id": names}}
    of_six_groups = {"task_id": names, "source_group": [*"abcde", *"ffff"]}
    assert judged("B-tasks", **tables, tasks=of_six_groups).verdict is verdict
    of_five_groups = {"task_id": names, "source_group": [*"abcd", *"eeeee"]}
    assert judged("B-tasks", **tables, tasks=of_five_groups).verdict is Verdict.TOO_FEW_DATA


@pytest.mark.parametrize(
    ("off", "calibrated"),
    [(0.003, Verdict.SUPPORTS), (0.009, Verdict.UNDECIDED), (-0.02, Verdict.CONTRADICTS)],
)
def test_a_moved_area_is_calibrated_if_it_is_that_of_test_sets_of_the_prevalence(judged, off, calibrated):
    """However biased an estimate from few negatives is that is moved back."""
    names = [f"t{k}" for k in range(20)]
    by_task = [
        {"task_id": name, "ratio": ratio, "area": "aupr", "estimator": "downsampled", "bias": 0.3, "truth": 0.4,
         "analytic": 0.7 + (off + 0.002 * (k % 2) if ratio == "1:1" else 0)}
        for ratio in ("1:1", "1:2") for k, name in enumerate(names)
    ]  # fmt: skip
    tables = {"tasks": {"task_id": names, "source_group": names}, "prevalence_shift_tasks": by_task}
    finding = judged("L-calibrated", prevalence_shift=shift((0.05, 0.09), (0.05, 0.09)), **tables)
    assert finding.verdict is calibrated
    assert [item.here for item in finding.items] == pytest.approx([off + 0.001, 0.07, 0.07])


def test_random_rankings_hold_both_classes_and_ties_unless_asked_not_to():
    for y, scores in random_rankings(untied=True):
        assert 0 < y.sum() < len(y)
        assert len(np.unique(scores)) == len(scores)
    assert any(len(np.unique(scores)) < len(scores) for _, scores in random_rankings())


@pytest.mark.parametrize(
    ("unskewed", "skewed", "verdict"),
    [(0.2, 0.1, Verdict.SUPPORTS), (0.1, 0.1, Verdict.UNDECIDED), (0.1, 0.2, Verdict.CONTRADICTS)],
)
def test_a_task_without_skew_outweighs_others_if_models_lie_farther_apart_on_it(
    judged, unskewed, skewed, verdict
):
    names = [f"t{k}" for k in range(30)]
    tasks = {"task_id": names, "source_group": names, "prevalence": [0.45, 0.05, 0.2] * 10}
    sds = [unskewed, skewed, 0.9] * 10
    by_task = {
        "task_id": names,
        "cut": "spread 0",
        "area": "aupr",
        "model_sd": sds + np.arange(30) % 7 / 1000,
    }
    finding = judged("B-outweigh", tasks=tasks, fold_skew_tasks=by_task)
    assert finding.verdict is verdict
    assert finding.items[2].here == pytest.approx(unskewed - skewed, abs=0.002)
    few = {**tasks, "prevalence": [0.45] + [0.05] * 29}
    assert judged("B-outweigh", tasks=few).verdict is Verdict.TOO_FEW_DATA


def rare_cells(**contradicted):
    """Cells of the rule aupr-f1, contradicted where a population names their prevalence."""
    return [
        {"population": name.replace("_", " "), "rule": "aupr-f1", "prevalence": prevalence, "positives": 10.0,
         "estimate": -0.002, "low": -0.004, "high": 0.001, "n_groups": 20,
         "verdict": "contradicted" if prevalence in found else "open", "rule_verdict": "contradicted"}
        for name, found in contradicted.items() for prevalence in (0.01, 0.03, 0.1)
    ]  # fmt: skip


@pytest.mark.parametrize(("closed", "replicated"), [((0.01, 0.03), False), ((0.01, 0.1), True)])
def test_a_rule_that_fails_in_other_cells_of_the_closed_third_is_not_replicated(judged, closed, replicated):
    cells = rare_cells(two_thirds=(0.1,), closed_third=closed, all=(0.1,))
    finding = judged("L-rare-f1", rare_rules=cells)
    assert finding.verdict is Verdict.NO_DIFFERENCE  # by half a point
    assert "two thirds: contradicted (10 % with 10)" in finding.note
    assert ("not replicated" in finding.note) is not replicated
