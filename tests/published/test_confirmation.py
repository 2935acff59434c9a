"""The rules of docs/confirmation.md are judged as written, and verdicts say for which data they count."""

import re
from pathlib import Path

import pandas as pd
import pytest
from measured import estimates

from aucstudy.claims.entries import entries
from aucstudy.claims.verdicts import Verdict
from aucstudy.experiments import disagreement

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "confirmation.md"
YES, NO, OPEN = Verdict.CONFIRMED, Verdict.CONTRADICTED, Verdict.OPEN
HALVES = {"setting": "halves"}
CONTRASTS = (("auprg", "aupr"), ("aupr", "auroc"), ("auprg", "auroc"))


def tasks(groups):
    facts = {"n_positive": 50, "prevalence": 0.2}
    return [
        {"task_id": f"t{k}", "dataset_id": f"t{k}", "source_group": group, **facts}
        for k, group in enumerate(groups)
    ]


@pytest.fixture
def rule_judged(judged):
    """Return a function that judges a rule by given tables and a table of tasks of given source groups."""
    return lambda rule, groups=("new",) * 40, **tables: judged(rule, tasks=tasks(groups), **tables)


def row(experiment, low, high, **keys):
    ends = {"estimate": (low + high) / 2, "low": low, "high": high}
    return {"experiment": experiment, **ends, "n_tasks": 20, "n_sources": 9, **keys}


def estimated(frames, name, **facts):
    """Return the estimates by task of a quantity of `disagreement` from frames by task."""
    frames = {"disagreement_tasks": pd.DataFrame(frames)}
    return estimates(disagreement, frames, name, **facts).assign(experiment="disagreement").to_dict("records")


def primary(*intervals):
    """Return rows with these simultaneous intervals. The rule does not read the others, which are -1 to 1."""
    keys = {"quantity": "gain", "first": "auprg", "second": "aupr", **HALVES}
    return [
        row("selection", *ends, target=u, kind=kind, **keys)
        for u, of in zip(("f1", "expected_fg1"), intervals, strict=True)
        for kind, ends in (("mean", (-1, 1)), ("simultaneous", of))
    ]


def differing(aupr, auprg):
    """Return the estimates of twenty tasks with few positives and twenty with many.

    `aupr` and `auprg` are the numbers of tasks of each kind in which the best model of that metric differs
    from the best model of AUROC.
    """
    rows = [
        {"task_id": f"t{k}", "source_group": f"g{k}", "n_positive": n_positive, "prevalence": 0.2, "first": first,
         "second": "auroc", "p_best_differs": float(k % 20 < n_differing), "p_top3_differs": 0.0}
        for first, counts in (("aupr", aupr), ("auprg", auprg))
        for of_kind, (n_positive, n_differing) in enumerate(zip((99, 100), counts, strict=True))
        for k in range(20 * of_kind, 20 * of_kind + 20)
    ]  # fmt: skip
    return estimated(rows, "differs")


def alike(*more):
    """Return the estimates of one task for each number of `more`.

    Where it is positive, the best model of AUPR differs from that of AUROC and not from that of AUPRG.
    Where it is negative, it is the other way round.
    """
    rows = [
        {
            "task_id": f"t{k}",
            "source_group": f"g{k}",
            "first": "aupr",
            "second": second,
            "p_best_differs": float(p),
        }
        for k, sign in enumerate(more)
        for second, p in (("auroc", sign > 0), ("auprg", sign < 0))
    ]
    return estimated(rows, "differs more often than aupr and auprg")


def ceiling(low, high, **keys):
    pair = {"first": "aupr", "second": "auprg", "at": 1, "kind": "ratio"}
    return [row("noise", low, high, quantity="excess of its ceiling", **pair, **keys)]


def aggregates(low, high):
    keys = {"quantity": "aupr: area of the winner", "target": "other half", "second": "pooled"}
    return [
        row("fold_skew", low if spread else -1, high, setting=cut, at=spread, first=mean, **keys)
        for cut, spread in (("spread 0", 0.0), ("spread 0.2", 0.2))
        for mean in ("mean", "mean AUCNPR", "mean at one prevalence")
    ]


def shift(**closed):
    """Return the parts of the gap that are left if these parts are closed."""
    keys = {"setting": "1:1", "first": "aupr", "kind": "ratio", "subset": "negatives for every ratio"}
    quantity = {"quantity": "part of the gap that is left", **keys}
    experiment = "downsampling.prevalence_shift"
    return [row(experiment, 1 - part, 1 - part, second=name, **quantity) for name, part in closed.items()]


def pairs(low, high):
    keys = {"subset": "prevalence under 0.1", "quantity": "pairs told apart by one"}
    return [row("noise", low, high, first="aupr", second="auroc", **keys)]


def tools(low, high, subset="all"):
    return [row("conventions", low, high, quantity="differs", second="any", at=1, subset=subset)]


def utilities(*intervals):
    choices = {"aupr": "f2", "average_precision": "recall_at_90"}
    keys = {"quantity": "gain", "second": "auroc", **HALVES}
    return [
        row("selection", *ends, first=first, target=target, **keys)
        for (first, target), ends in zip(choices.items(), intervals, strict=True)
    ]


def strata(*intervals):
    keys = {"quantity": "gain", "subset": "prevalence 0.1 or more", "target": "f1", **HALVES}
    return [
        row("selection", *ends, first=first, second=second, **keys)
        for (first, second), ends in zip(CONTRASTS, intervals, strict=True)
    ]


# The key is a rule. The values are estimates that confirm the rule, that are inconclusive, and that
# contradict it. C5 has no inconclusive rows, because its rule always names one aggregate.
CASES = {
    "C1": (
        primary((-0.006, 0.001), (-0.004, 0.002)),
        primary((-0.011, 0.001), (-0.004, 0.002)),
        primary((-0.03, -0.02), (-0.004, 0.002)),
    ),
    "C2": (
        differing((18, 2), (18, 2)), differing((18, 2), (10, 10)), differing((18, 2), (2, 18)),
    ),
    "C3": (alike(*[1] * 8, 0, 0), alike(*[1, -1] * 5), alike(*[-1] * 8, 0, 0)),
    "C4": (ceiling(-0.04, 0.02), ceiling(-0.04, 0.12), ceiling(0.11, 0.2)),
    "C5": (aggregates(-0.02, 0.01), None, aggregates(0.01, 0.02)),
    "C6": (
        shift(corrected=0.94, moved=0.8), shift(corrected=0.85, moved=0.8), shift(corrected=0.94, moved=0.95),
    ),
    "C7": (pairs(-0.09, -0.03), pairs(-0.09, 0.03), pairs(0.01, 0.03)),
    "C8": (tools(0.66, 0.87), tools(0.2, 0.3), tools(0.1, 0.2)),
    "C9": tuple(
        utilities(f2, (0.001, 0.03)) for f2 in ((-0.012, -0.001), (-0.012, 0.001), (0.001, 0.012))
    ),
    "C10": tuple(
        strata((-0.006, 0.001), ends, (0.0, 0.012)) for ends in ((-0.01, 0.01), (-0.01, 0.02), (-0.03, -0.02))
    ),
    "C11": (aggregates(-0.02, -0.01), aggregates(-0.01, 0.02), aggregates(0.01, 0.02)),
}  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "rows", "verdict"),
    [
        *((rule, rows, verdict) for rule, cases in CASES.items()
          for rows, verdict in zip(cases, (YES, OPEN, NO), strict=True) if rows),
        ("C5", aggregates(-0.01, 0.02), YES),
    ],
)  # fmt: skip
def test_a_rule_is_confirmed_contradicted_or_open_by_its_intervals(rule_judged, rule, rows, verdict):
    assert rule_judged(rule, estimates=rows).verdict == verdict


def test_tasks_of_many_positives_alone_are_compared_with_none(rule_judged):
    many = [{**row, "estimate": None} for row in differing((18, 2), (18, 2))]
    assert rule_judged("C2", estimates=many).verdict is Verdict.TOO_FEW_DATA


def test_a_difference_that_is_turned_round_has_its_ends_turned_too(rule_judged):
    turned, _ = rule_judged("C9", estimates=utilities((-0.012, -0.002), (0.001, 0.03))).items
    assert (turned.low, turned.high) == (0.002, 0.012)


@pytest.mark.parametrize(("n_groups", "verdict"), [(8, YES), (7, Verdict.TOO_FEW_DATA)])
def test_eight_source_groups_are_enough_for_a_rule_and_fewer_too_few(rule_judged, n_groups, verdict):
    assert rule_judged("C4", estimates=ceiling(-0.04, 0.02, n_sources=n_groups)).verdict is verdict


def test_a_row_that_no_task_fills_is_too_few_data_and_an_experiment_that_is_not_made_decides_nothing(
    rule_judged,
):
    some = tools(0.66, 0.87, subset="over 200 positives")
    assert rule_judged("C8", estimates=some).verdict is Verdict.TOO_FEW_DATA
    assert rule_judged("C7", estimates=some) is None


@pytest.mark.parametrize(
    ("groups", "flow", "verdict", "kind"),
    [
        (("abalone", "car"), "lda", Verdict.EXPLORATORY_CONFIRMED, "read off its 2 source groups"),
        (
            ("abalone", "car"),
            "weka.KStar",
            YES,
            "There are other learners on 2 source groups of the default study",
        ),
        (("new", "newer"), "weka.KStar", YES, "The data are new: none of the 2"),
        (("new", "newer"), "lda", YES, "The data are new: none of the 2"),
    ],
)
def test_a_verdict_says_whether_it_counts_for_new_data_or_other_learners(
    rule_judged, groups, flow, verdict, kind
):
    by_task = [{"task_id": "t0", "source_group": groups[0], "best_first": f"t0.{flow}|t0.lda"}]
    finding = rule_judged("C4", groups, estimates=ceiling(-0.04, 0.02), disagreement_tasks=by_task)
    assert finding.verdict == verdict
    assert kind in finding.note


def test_a_verdict_says_that_simulated_tasks_were_left_out_after_the_rule_was_written(rule_judged):
    rejections = [{"task_id": name, "reason": "simulated"} for name in ("ring", "letter")]
    finding = rule_judged("C4", estimates=ceiling(1, 2), rejections=rejections)
    assert finding.note.endswith(
        "; 2 simulated tasks were left out and source groups joined after the rule was written."
    )


def test_new_source_groups_among_those_of_the_default_study_are_judged_alone(rule_judged):
    groups = ["abalone"] * 20 + [f"new{k}" for k in range(10)]
    rows = [*ceiling(0.2, 0.4), *ceiling(0.01, 0.03, subset="new source groups", n_tasks=10)]
    finding = rule_judged("C4", groups, estimates=rows)
    assert (finding.verdict, finding.items[0].here, finding.items[0].n) == (YES, pytest.approx(2), 10)
    assert "its 10 source groups that are not in the default study, without the 1 that are" in finding.note


def test_the_rules_are_word_for_word_those_of_the_page():
    page = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if re.match(r"\| C\d", line)
    ]
    rules = {name: entry["committed"] for name, entry in entries().items() if entry.source == "C"}
    assert list(rules) == [rule for rule, *_ in page]
    for rule, *said in page:
        assert [*rules[rule].values()] == said
