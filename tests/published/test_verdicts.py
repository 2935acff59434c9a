"""Verdicts follow from the numbers of a study alone."""

import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest

from aucstudy.claims.entries import Entry, Number, entries, entries_of, not_decided
from aucstudy.claims.judge import EXACT, MEASURED, exact_claims, finding_on, judge_claims, judge_of
from aucstudy.claims.verdicts import (
    Claim,
    Evidence,
    Item,
    Verdict,
    inside,
    largest,
    measured,
    outside,
    replication,
)
from aucstudy.config import STUDIES, shipped_experiments
from aucstudy.errors import InputError
from aucstudy.published import comes_out
from aucstudy.sources import papers_population
from aucstudy.store.tables import study_table, table_bytes, write_table

ROOT = Path(__file__).parents[2]
SUPPORTS, UNDECIDED, CONTRADICTS = Verdict.SUPPORTS, Verdict.UNDECIDED, Verdict.CONTRADICTS
NAN = float("nan")
TASK = {"task_id": ["t"], "dataset_id": ["t"], "source_group": ["g"]}


@pytest.mark.parametrize(
    ("intervals", "same", "other"),
    [
        ([(20, 28)], Verdict.REPRODUCED, Verdict.INSIDE),
        ([(26, 30)], Verdict.DIFFERS, Verdict.BELOW),
        ([(10, 20)], Verdict.DIFFERS, Verdict.ABOVE),
        ([(26, 34), (5, 20)], Verdict.DIFFERS, Verdict.BOTH_SIDES),
        ([(5, 60)], Verdict.TOO_FEW_DATA, Verdict.INSIDE),  # The interval is too wide.
        ([(NAN, NAN)], Verdict.TOO_FEW_DATA, Verdict.TOO_FEW_DATA),
    ],
)
def test_a_published_value_is_compared_with_an_interval_and_on_other_tasks_by_its_side(
    intervals, same, other
):
    items = [Item(name, 24.0, *ends) for name, ends in zip("ab", intervals, strict=False)]
    printed = dict.fromkeys("ab", Decimal(24))
    assert replication(items, printed, same_population=True, scale=100).verdict is same
    assert replication(items, printed, same_population=False, scale=100).verdict is other


@pytest.mark.parametrize(
    ("intervals", "verdict", "by_a_margin"),
    [
        ([(0.002, 0.03)], SUPPORTS, SUPPORTS),
        ([(0.002, 0.008)], SUPPORTS, Verdict.NO_DIFFERENCE),
        ([(-0.008, 0.008)], UNDECIDED, Verdict.NO_DIFFERENCE),
        ([(-0.008, -0.002)], CONTRADICTS, Verdict.NO_DIFFERENCE),
        ([(-0.002, 0.02)], UNDECIDED, UNDECIDED),
        ([(-0.03, -0.002)], CONTRADICTS, UNDECIDED),
        ([(-0.03, -0.02)], CONTRADICTS, CONTRADICTS),
        ([(0.1, 0.3), (0.1, 0.3)], SUPPORTS, SUPPORTS),
        ([(0.1, 0.3), (-0.1, 0.1)], UNDECIDED, UNDECIDED),
        ([(0.1, 0.3), (-0.1, 0.1), (-0.3, -0.1)], CONTRADICTS, CONTRADICTS),
        ([(-0.002, 0.002), (0.02, 0.04)], UNDECIDED, UNDECIDED),
        ([(NAN, NAN)], Verdict.TOO_FEW_DATA, Verdict.TOO_FEW_DATA),
    ],
)
def test_every_margin_must_be_positive_one_negative_contradicts_and_small_ones_do_not_matter(
    intervals, verdict, by_a_margin
):
    margins = [Item("gain", sum(ends) / 2, *ends) for ends in intervals]
    assert measured([], margins).verdict is verdict
    assert measured([], margins, matters=0.01).verdict is by_a_margin


@pytest.mark.parametrize(("n_groups", "verdict"), [(1, None), (5, None), (6, SUPPORTS)])
def test_few_source_groups_decide_nothing_however_alike_they_are(n_groups, verdict):
    equal = [Item("loss", 1.0, 1.0, 1.0, n=60, n_groups=n_groups)]
    assert measured(equal, equal).verdict is (verdict or Verdict.TOO_FEW_DATA)
    assert measured([], [largest(equal)]).verdict is (verdict or Verdict.TOO_FEW_DATA)


@pytest.mark.parametrize(
    ("ends", "verdict", "opposite"),
    [
        ((-1, 4), SUPPORTS, CONTRADICTS),
        ((1, 6), UNDECIDED, UNDECIDED),
        ((-9, -6), CONTRADICTS, SUPPORTS),
    ],
)
def test_an_interval_lies_inside_of_bounds_or_across_one_or_outside(ends, verdict, opposite):
    item = Item("", sum(ends) / 2, *ends)
    assert measured([], [inside(5)(item)]).verdict is verdict
    assert measured([], [outside(5)(item)]).verdict is opposite


@pytest.mark.parametrize(
    ("printed", "computed", "verdict"),
    [
        ("0.680", Decimal("0.6795"), Verdict.COMES_OUT),
        ("0.680", Decimal("0.67949"), Verdict.DOES_NOT_COME_OUT),
        ("-40", -40.0, Verdict.COMES_OUT),
        ("24", 23.0, Verdict.DOES_NOT_COME_OUT),
    ],
)
def test_half_a_unit_of_the_printed_digit_comes_out(printed, computed, verdict):
    assert comes_out(Decimal(printed), computed) == (verdict is Verdict.COMES_OUT)
    numbers = {"a": Number(printed)}
    claim = Claim(Entry("", Path(), "", "", numbers, None, {}), Evidence(Path(), ""))
    assert claim.arithmetic(computed).verdict is verdict


def of_kinds(*kinds):
    return {name: entry for name, entry in entries().items() if entry.kind in kinds}


def test_every_claim_has_a_judge_or_a_reason_why_it_has_none():
    for entry in of_kinds(*MEASURED, *EXACT).values():
        assert callable(judge_of(entry))
    assert set(of_kinds("not decidable here")) == set(entries()) - set(of_kinds(*MEASURED, *EXACT))
    assert set(of_kinds("not decidable here")) <= set(not_decided())


def test_a_theorem_is_called_proved_if_a_test_in_tests_papers_proves_it_and_else_checked_on_some_cases():
    claims, values = exact_claims()
    verdicts = claims.set_index("id")["verdict"]
    proofs = {name: entry["proof"] for name, entry in of_kinds("theorem").items() if entry.get("proof")}
    for name, proof in proofs.items():
        file, function = proof.split("::")
        assert f"def {function}(" in (ROOT / "tests" / "papers" / file).read_text(encoding="utf-8"), name
    assert set(verdicts[verdicts == Verdict.PROVED].index) == set(proofs)
    checked = verdicts[verdicts == Verdict.CHECKED].index
    assert (values[values["id"].isin(checked)].groupby("id")["n"].min() > 50).all()


def test_no_number_is_called_printed_that_the_papers_do_not_print():
    # These are computed from printed tables, or are counts of ours.
    for name in ("B-tab3", "B-tab3-var", "B-tab3-trend", "FK-T1", "FK-cost"):
        assert not entries()[name].printed, name


def test_no_committed_study_decides_what_is_said_to_be_decided_by_none():
    for study in COMMITTED:
        claims = Changed(study).table("claims")
        assert not set(claims["id"]) & {*not_decided(), *of_kinds(*EXACT)}


def test_the_rule_of_a_claim_stands_beside_each_of_its_numbers():
    _, values = judge_claims(Changed("default"))
    rules = {name: entry.rule for name, entry in entries().items()}
    assert (values["rule"] == values["id"].map(rules)).all()
    amended = values.drop_duplicates("id").query("amended != ''").set_index("id")["amended"]
    assert re.search(r"2026-11-22: Both methods are now told .* 2026-11-23: The margin", amended["FK-notune"])
    assert amended.str.match(r"\d{4}-\d\d-\d\d: ").all()
    # The rules of confirmation are not amended.
    assert not amended.index.str.fullmatch(r"C\d+").any()


CLAIM = """source: ""
paper: mine
claims:
  mine-1:
    title: Nine rows
    place: here
    kind: measured on other data
    judge: {function: claims.nine}
    numbers: {rows: {printed: "9", unit: rows, words: rows}}
    rule: Exact if nine.
    note: counted {where}
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("kind: measured on other data", "kind: guessed", "mine-1.kind: 'guessed' is not one of"),
        ('printed: "9"', "printed: 9", "mine-1.numbers.rows.printed: 9 is not of type 'string'"),
        ("    rule: ", "    rul: ", "mine-1.rul: unknown key; did you mean 'rule'?"),
        ("unit: rows", "holds: over 3", "mine-1.numbers.rows.holds: 'over 3' does not match"),
        ("paper: mine", "papers: mine", "papers: unknown key; did you mean 'paper'?"),
        ("    judge: {function: claims.nine}\n", "", "mine-1: "),
        ("title:", ": :", "not readable as YAML"),
    ],
)
def test_a_wrong_key_or_value_is_named_with_file_and_claim(tmp_path, old, new, message):
    file = tmp_path / "claims.yaml"
    file.write_text(CLAIM.replace(old, new))
    with pytest.raises(InputError) as error:
        entries_of(file)
    assert f"{file}: {message}" in str(error.value)


def test_two_claims_of_one_id_are_refused(tmp_path):
    (tmp_path / "claims.yaml").write_text(CLAIM.replace("mine-1", "FK-top1"))
    with pytest.raises(InputError, match=r"FK-top1: .* has a claim of this id, too"):
        entries((tmp_path / "claims.yaml",))


def test_a_study_loads_few_modules_to_judge_all_claims():
    code = """
import sys
from pathlib import Path
from aucstudy.claims.judge import judge_claims
from aucstudy.claims.verdicts import Evidence
tables = Path("results/default/tables")
claims, _ = judge_claims(Evidence(tables, "packaged", made=frozenset()))
print(len(claims), *sorted(name for name in sys.modules if name.split(".")[0] == "aucstudy"))
"""
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    n_claims, *modules = run.stdout.split()
    assert int(n_claims) > 30
    assert len(modules) < 20, modules
    layers = {name.split(".")[1] for name in modules if "." in name}
    assert not layers & {"experiments", "figures", "metrics", "estimates"}


POPULATION = {"repeats": [1, 10]}


@pytest.mark.parametrize(
    ("rules", "same"),
    [
        ({**POPULATION, "uploaded_before": "2015-06-01"}, True),
        ({**POPULATION, "uploaded_before": "2015-11-01"}, True),
        ({**POPULATION, "uploaded_before": "2015-06-01", "pinned": "selection.csv"}, True),
        ({**POPULATION, "uploaded_before": "2016-06-01"}, False),
        ({"uploaded_before": "2015-06-01"}, False),
        ({**POPULATION, "uploaded_before": "2015-06-01", "tasks": [3, 31]}, False),
        ({**POPULATION, "uploaded_before": "2015-06-01", "tags": ["study_14"]}, False),
        ({}, False),
    ],
)
def test_tasks_chosen_otherwise_are_not_the_papers_population(rules, same):
    assert papers_population({"source": "openml", "models_per_task": 30, "openml": rules}) == same
    assert not papers_population({"source": "packaged", "models_per_task": 30, "packaged": {}})


EXPERIMENTS = shipped_experiments()


def with_own():
    """Return the claims of the package and those of the studies that have claims of their own."""
    return entries(tuple(sorted(STUDIES.glob("*/claims.yaml"))))


def made_in(tables):
    """Return the experiments with estimates in a folder of tables."""
    estimates = study_table(tables, "estimates")
    return frozenset() if estimates is None else frozenset(estimates["experiment"])


class Changed(Evidence):
    """The evidence of a committed study, with some of its tables replaced."""

    def __init__(self, study, **replaced):
        tables = ROOT / "results" / study / "tables"
        super().__init__(tables, "packaged", declared=EXPERIMENTS, read=replaced, made=made_in(tables))


def with_less(table):
    """Yield the table without any row, then without the rows of the first or of the last value of a column.

    Columns of more than 40 values are not used.
    """
    yield table.head(0)
    for name in table:
        values = table[name].dropna().unique()
        if len(values) <= 40:
            yield from (table[table[name] != value] for value in {*values[:1], *values[-1:]})


@pytest.mark.parametrize("study", [pytest.param("default", marks=pytest.mark.whole), "uw-cse"])
def test_a_claim_without_its_rows_is_too_few_data_whichever_rows_are_gone(study):
    judged, needs_data, without_rows = 0, set(), {}
    claims = {name: entry for name, entry in with_own().items() if entry.kind in MEASURED}
    for claim, entry in claims.items():
        whole = Changed(study)
        finding = finding_on(entry, whole)
        if finding is None:
            continue
        before = finding.verdict
        if before is Verdict.TOO_FEW_DATA:
            continue
        tables = {name: table for name, table in whole.read.items() if name != "tasks" and table is not None}
        needs_data.add(claim)
        for name, table in tables.items():
            for less in with_less(table):
                verdict = finding_on(entry, Changed(study, **{name: less})).verdict
                judged += 1
                if less.empty and verdict != before:
                    without_rows[claim] = verdict
    assert judged > {"default": 500, "uw-cse": 5}[study]
    assert set(without_rows) >= needs_data
    assert set(without_rows.values()) == {Verdict.TOO_FEW_DATA}


def test_a_column_that_is_gone_is_a_defect_and_not_too_few_data():
    whole = Changed("default")
    for claim, column in (("B-balanced", "first"), ("C8", "second")):
        with pytest.raises(KeyError, match=column):
            finding_on(
                entries()[claim], Changed("default", estimates=whole.table("estimates").drop(columns=column))
            )


def test_a_claim_names_the_table_and_the_row_that_it_lacks(judged):
    rows = [{"experiment": "noise", "quantity": "excess", "estimate": 0.1}]
    finding = judged("C7", estimates=rows, tasks=TASK)
    assert finding.verdict is Verdict.TOO_FEW_DATA
    assert finding.note.startswith(
        "estimates.csv has no row with noise, task, prevalence under 0.1, pairs told apart by one, aupr, auroc"
    )


def test_a_claim_whose_experiment_failed_has_a_row_that_says_so_and_one_without_its_table_has_none(tmp_path):
    write_table(pd.DataFrame(TASK), tmp_path / "tasks.csv")
    claims, values = judge_claims(Evidence(tmp_path, "packaged", failed={"noise": "noise"}))
    assert dict(zip(claims["id"], claims["verdict"], strict=True)) == dict.fromkeys(
        ("FK-differ", "L-informative", "C4", "C7"), Verdict.FAILED
    )
    assert set(claims["note"]) == {"The experiment noise failed in this run."}
    assert values["id"].tolist() == ["FK-differ"] * 3 + ["L-informative"] * 3 + ["C4", "C7"]
    claims, values = judge_claims(Evidence(tmp_path, "packaged"))
    assert (len(claims), len(values)) == (0, 0)
    assert "verdict" in claims
    assert "rule" in values


def test_a_folder_brings_claims_of_its_own(tmp_path):
    (tmp_path / "claims.yaml").write_text(CLAIM)
    (tmp_path / "claims.py").write_text(
        "def nine(claim):\n    return claim.arithmetic(len(claim.table('mine')), where='in mine.csv')\n"
    )
    write_table(pd.DataFrame(TASK), tmp_path / "tasks.csv")
    own = entries((tmp_path / "claims.yaml",))
    assert judge_claims(Evidence(tmp_path, "files"), own)[0].empty
    write_table(pd.DataFrame({"row": range(9)}), tmp_path / "mine.csv")
    claims, values = judge_claims(Evidence(tmp_path, "files"), own)
    assert claims[["id", "here", "verdict", "note"]].values.tolist() == [
        ["mine-1", "9", Verdict.COMES_OUT, "counted in mine.csv"]
    ]
    assert values["rule"].tolist() == ["Exact if nine."]


def test_a_claim_on_an_empty_table_says_why_it_is_empty(judged):
    finding = judged("H-tasks", task_aggregation={"average": [], "best": [], "differs": [], "n_tasks": []})
    assert finding.verdict is Verdict.TOO_FEW_DATA
    assert finding.note == (
        "task_aggregation.csv has no row: fewer than two learners were fitted in enough tasks; the setting "
        "task_aggregation.share says in what share of the tasks a learner must have been fitted."
    )


COMMITTED = {
    "default": "packaged", "wide": "packaged", "weka": "packaged", "few_natural": "natural_outcomes",
    "few_thinned": "held_out", "uw-cse": "relational",
}  # fmt: skip


@pytest.mark.parametrize(
    "study", [pytest.param(s, marks=[pytest.mark.whole] * (s != "default")) for s in COMMITTED]
)
def test_the_committed_claims_follow_from_the_committed_tables_byte_for_byte(study):
    tables = ROOT / "results" / study / "tables"
    made = judge_claims(Evidence(tables, COMMITTED[study]), with_own())
    for table, name in zip(made, ("claims", "claims_values"), strict=True):
        assert table_bytes(table) == (tables / f"{name}.csv").read_bytes()


def test_the_exact_claims_are_those_that_are_committed_byte_for_byte():
    for table, name in zip(exact_claims(), ("claims", "claims_values"), strict=True):
        assert table_bytes(table) == (ROOT / "results" / "papers" / f"{name}.csv").read_bytes()
