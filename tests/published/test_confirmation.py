"""The rules of docs/confirmation.md are judged as written, and verdicts say for which data they count."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from aucstudy.claims.confirmation import RULES, SomeTasks
from aucstudy.claims.verdicts import Claim, Evidence, Verdict
from aucstudy.published import ledger

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "confirmation.md"
YES, NO, OPEN = Verdict.CONFIRMED, Verdict.CONTRADICTED, Verdict.OPEN
HALVES = {"design": "halves"}
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


def row(low, high, name="estimate", n_groups=9, **facts):
    return {**facts, name: (low + high) / 2, "low": low, "high": high, "n_tasks": 20, "n_groups": n_groups}


def primary(*intervals):
    """Return rows with these simultaneous intervals. The rule does not read the others, which are -1 to 1."""
    facts = {"first": "auprg", "second": "aupr", **HALVES}
    return [
        {**row(-1, 1, "difference", utility=u, **facts), "simultaneous_low": low, "simultaneous_high": high}
        for u, (low, high) in zip(("f1", "expected_fg1"), intervals, strict=True)
    ]


def differing(aupr, auprg):
    """Return rows of twenty tasks with few positives and twenty with many.

    `aupr` and `auprg` are the numbers of tasks of each kind in which the best model of that metric differs
    from the best model of AUROC.
    """
    return [
        {"task_id": f"t{k}", "source_group": f"g{k}", "n_positive": n_positive, "prevalence": 0.2, "first": first,
         "second": "auroc", "p_best_differs": float(k % 20 < n_differing), "best_first": f"t{k}.lda"}
        for first, counts in (("aupr", aupr), ("auprg", auprg))
        for of_kind, (n_positive, n_differing) in enumerate(zip((99, 100), counts, strict=True))
        for k in range(20 * of_kind, 20 * of_kind + 20)
    ]  # fmt: skip


def alike(*more):
    """Return rows of one task for each number of `more`.

    Where it is positive, the best model of AUPR differs from that of AUROC and not from that of AUPRG.
    Where it is negative, it is the other way round.
    """
    return [
        {"task_id": f"t{k}", "source_group": f"g{k}", "first": "aupr", "second": second, "p_best_differs": float(p),
         "best_first": f"t{k}.lda"}
        for k, sign in enumerate(more)
        for second, p in (("auroc", sign > 0), ("auprg", sign < 0))
    ]  # fmt: skip


def ceiling(low, high):
    return [row(low, high, first="aupr", second="auprg", top=1, quantity="of_ceiling")]


def aggregates(low, high):
    facts = {"area": "aupr", "standard": "other half", "effect": "area of the winner"}
    return [
        row(low if spread else -1, high, "difference", cut=cut, spread=spread, aggregate=mean, **facts)
        for cut, spread in (("spread 0", 0.0), ("spread 0.2", 0.2))
        for mean in ("mean", "mean AUCNPR", "mean at one prevalence")
    ]


def shift(**gaps):
    facts = {"ratio": "1:1", "area": "aupr", "n_tasks": 20, "n_groups": 9}
    return [{**facts, "estimator": estimator, "gap_closed": gap} for estimator, gap in gaps.items()]


def pairs(low, high):
    return [row(low, high, tasks="prevalence under 0.1", quantity="aupr only minus auroc only")]


def tools(low, high, split="all"):
    return [row(low, high, rival="any", top=1, split=split)]


def utilities(*intervals):
    choices = {"aupr": "f2", "average_precision": "recall_at_90"}
    return [
        row(*ends, "difference", selected_by=selected_by, utility=utility, tasks="all", **HALVES)
        for (selected_by, utility), ends in zip(choices.items(), intervals, strict=True)
    ]


def strata(*intervals):
    facts = {"stratification": "prevalence", "stratum": "0.1 or more", "utility": "f1"}
    return [
        row(*ends, "difference", first=first, second=second, **facts)
        for (first, second), ends in zip(CONTRASTS, intervals, strict=True)
    ]


# The key is a rule and its table. The values are rows that confirm the rule, that are inconclusive, and that
# contradict it. C5 has no inconclusive rows, because its rule always names one aggregate.
CASES = {
    ("C1", "selection_primary"): (
        primary((-0.006, 0.001), (-0.004, 0.002)),
        primary((-0.011, 0.001), (-0.004, 0.002)),
        primary((-0.03, -0.02), (-0.004, 0.002)),
    ),
    ("C2", "disagreement_tasks"): (
        differing((18, 2), (18, 2)), differing((18, 2), (10, 10)), differing((18, 2), (2, 18)),
    ),
    ("C3", "disagreement_tasks"): (alike(*[1] * 8, 0, 0), alike(*[1, -1] * 5), alike(*[-1] * 8, 0, 0)),
    ("C4", "noise"): (ceiling(-0.04, 0.02), ceiling(-0.04, 0.12), ceiling(0.11, 0.2)),
    ("C5", "fold_skew_aggregates"): (aggregates(-0.02, 0.01), None, aggregates(0.01, 0.02)),
    ("C6", "prevalence_shift"): (
        shift(corrected=0.94, moved=0.8), shift(corrected=0.85, moved=0.8), shift(corrected=0.94, moved=0.95),
    ),
    ("C7", "noise_pairs"): (pairs(-0.09, -0.03), pairs(-0.09, 0.03), pairs(0.01, 0.03)),
    ("C8", "conventions"): (tools(0.66, 0.87), tools(0.2, 0.3), tools(0.1, 0.2)),
    ("C9", "selection"): tuple(
        utilities(f2, (0.001, 0.03)) for f2 in ((-0.012, -0.001), (-0.012, 0.001), (0.001, 0.012))
    ),
    ("C10", "selection_strata"): tuple(
        strata((-0.006, 0.001), ends, (0.0, 0.012)) for ends in ((-0.01, 0.01), (-0.01, 0.02), (-0.03, -0.02))
    ),
    ("C11", "fold_skew_aggregates"): (aggregates(-0.02, -0.01), aggregates(-0.01, 0.02), aggregates(0.01, 0.02)),
}  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "table", "rows", "verdict"),
    [
        *((*key, rows, verdict) for key, cases in CASES.items()
          for rows, verdict in zip(cases, (YES, OPEN, NO), strict=True) if rows),
        ("C5", "fold_skew_aggregates", aggregates(-0.01, 0.02), YES),
    ],
)  # fmt: skip
def test_a_rule_is_confirmed_contradicted_or_open_by_its_intervals(rule_judged, rule, table, rows, verdict):
    assert rule_judged(rule, **{table: rows}).verdict == verdict


def test_tasks_of_many_positives_alone_are_compared_with_none(rule_judged):
    many = [row for row in differing((18, 2), (18, 2)) if row["n_positive"] == 100]
    finding = rule_judged("C2", disagreement_tasks=many)
    assert finding.verdict is Verdict.TOO_FEW_DATA
    assert "no row with by positives, many minus few, 1, aupr, auroc" in finding.note


def test_a_difference_that_is_turned_round_has_its_ends_turned_too(rule_judged):
    turned, _ = rule_judged("C9", selection=utilities((-0.012, -0.002), (0.001, 0.03))).items
    assert (turned.low, turned.high) == (0.002, 0.012)


@pytest.mark.parametrize(("n_groups", "verdict"), [(8, YES), (7, Verdict.TOO_FEW_DATA)])
def test_eight_source_groups_are_enough_for_a_rule_and_fewer_too_few(rule_judged, n_groups, verdict):
    rows = [{**ceiling(-0.04, 0.02)[0], "n_groups": n_groups}]
    assert rule_judged("C4", noise=rows).verdict is verdict


def test_a_row_that_no_task_fills_is_too_few_data_and_a_table_that_is_not_made_decides_nothing(rule_judged):
    assert (
        rule_judged("C8", conventions=tools(0.66, 0.87, split="n_positive")).verdict is Verdict.TOO_FEW_DATA
    )
    assert rule_judged("C7") is None


@pytest.mark.parametrize(
    ("groups", "flow", "verdict", "kind"),
    [
        (("abalone", "car"), "lda", Verdict.EXPLORATORY_CONFIRMED, "read off its 2 source groups"),
        (("abalone", "car"), "weka.KStar", YES, "other learners on 2 source groups of the default study"),
        (("new", "newer"), "weka.KStar", YES, "new data: none of the 2"),
        (("new", "newer"), "lda", YES, "new data: none of the 2"),
    ],
)
def test_a_verdict_says_whether_it_counts_for_new_data_or_other_learners(
    rule_judged, groups, flow, verdict, kind
):
    by_task = [{"task_id": "t0", "source_group": groups[0], "best_first": f"t0.{flow}|t0.lda"}]
    finding = rule_judged("C4", groups, noise=ceiling(-0.04, 0.02), disagreement_tasks=by_task)
    assert finding.verdict == verdict
    assert kind in finding.note


def test_a_verdict_says_that_simulated_tasks_were_left_out_after_the_rule_was_written(rule_judged):
    rejections = [{"task_id": name, "reason": "simulated"} for name in ("ring", "letter")]
    finding = rule_judged("C4", noise=ceiling(1, 2), rejections=rejections)
    assert finding.note.endswith(
        "; 2 simulated tasks left out and source groups joined after the rule was written"
    )


def test_new_source_groups_among_those_of_the_default_study_are_judged_alone(rule_judged):
    groups = ["abalone"] * 20 + [f"new{k}" for k in range(10)]
    excess = [
        {"task_id": f"t{k}", "source_group": group, "first": "aupr", "second": "auprg", "top": 1, "splits": 9,
         "across": 0.5, "self_first": 0.5, "self_second": 0.5, "excess": 0.4 if group == "abalone" else 0.01}
        for k, group in enumerate(groups)
    ]  # fmt: skip
    finding = rule_judged("C4", groups, noise=ceiling(0.2, 0.4), noise_tasks=excess)
    assert (finding.verdict, finding.items[0].here, finding.items[0].n) == (YES, pytest.approx(2), 10)
    assert "its 10 source groups that are not in the default study, without the 1 that are" in finding.note


def test_a_table_that_does_not_tell_old_data_from_new_leaves_its_rule_exploratory(rule_judged):
    finding = rule_judged("C5", ["abalone", "new"], fold_skew_aggregates=aggregates(-0.02, 0.01))
    assert finding.verdict is Verdict.EXPLORATORY_CONFIRMED
    assert "fold_skew_aggregates.csv does not tell its 1 source groups of the default study" in finding.note


@pytest.mark.parametrize("rule", ["C1", "C2", "C3", "C4", "C6", "C8", "C9", "C10"])
def test_the_tables_by_task_make_the_tables_that_the_rules_read(rule):
    evidence = Evidence(ROOT / "results" / "default" / "tables", "packaged")
    every = SomeTasks(evidence.tables, "packaged", task_ids=frozenset(evidence.table("tasks")["task_id"]))
    rows = ledger().query("id == @rule")
    claim = Claim(rule, tuple(rows["item"]), {}, evidence)
    _, judge = RULES[rule]
    committed, made = judge(claim), judge(replace(claim, evidence=every))
    assert (made.verdict, made.n_groups) == (committed.verdict, committed.n_groups)
    for item, other in zip(committed.items, made.items, strict=True):
        assert (item.here, item.low, item.high) == pytest.approx(
            (other.here, other.low, other.high), abs=1e-9, nan_ok=True
        )


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_reads_the_table_that_it_names(rule, monkeypatch):
    read, table_of = [], Evidence.table
    monkeypatch.setattr(Evidence, "table", lambda self, name: (read.append(name), table_of(self, name))[1])
    evidence = Evidence(ROOT / "results" / "default" / "tables", "packaged")
    table, judge = RULES[rule]
    judge(Claim(rule, tuple(ledger().query("id == @rule")["item"]), {}, evidence))
    assert set(read) - {"tasks"} == {table}


def test_the_rules_are_word_for_word_those_of_the_page():
    page = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if re.match(r"\| C\d", line)
    ]
    first = ledger().drop_duplicates("id").set_index("id").filter(regex=r"^C\d+$", axis=0)
    assert list(first.index) == [rule for rule, *_ in page]
    for rule, claim, table, confirmed, contradicted in page:
        assert first.loc[rule, "claim"] == claim
        said = f"{table.replace('`', '')}. Confirmed if {confirmed}; contradicted if {contradicted}; else undecided."
        assert first.loc[rule, "rule"].startswith(said)
