"""The exact cases for other tools are as the schema says, and the package computes their values."""

import csv
import json
import random
import re
import warnings
from collections import Counter
from decimal import localcontext
from fractions import Fraction

import jsonschema
import numpy as np
import pytest

from aucstudy.config import REPOSITORY
from aucstudy.metrics import (
    areas,
    areas_of_counts,
    aupr_conventions,
    auprg,
    auroc,
    average_precision,
    pr_curve,
    roc_curve,
)
from aucstudy.metrics.registry import keys
from conformance import compare, exact, make_cases
from conformance.answers import with_all_rows

AREAS = keys()

FOLDER = REPOSITORY / "conformance"
CASES = compare.read_cases()
PLAIN = [
    case
    for case in CASES.values()
    if set(exact.OF_ROWS) < set(case["values"]) and case["kind"] != "one class"
]


BY_RULE = [case for case in CASES.values() if "rule" in case]
RANKINGS = [
    case for case in CASES.values() if case["kind"] not in ("several labels", "one class", "rows by a rule")
]


def options_of(case):
    return {key: case[key] for key in ("prevalence", "recall_range") if key in case}


def rows_of(case):
    """Return labels, scores and weights, with each row as often as `counts` says."""
    counts = case.get("counts", [1] * len(case["labels"]))
    weights = {"sample_weight": np.repeat(case["weights"], counts)} if "weights" in case else {}
    return (np.repeat(case["labels"], counts), np.repeat(case["scores"], counts)), weights


def test_there_are_462_cases_as_the_schema_says():
    whole = json.loads((FOLDER / "cases.json").read_text(encoding="utf-8"))
    jsonschema.validate(whole, json.loads((FOLDER / "schema.json").read_text(encoding="utf-8")))
    kinds = Counter(case["kind"] for case in whole["cases"])
    assert kinds == make_cases.KINDS | make_cases.OF_MANY_ROWS | {"rows by a rule": 2}
    assert len(CASES) == kinds.total() == 462


def test_cases_of_many_rows_reach_skews_of_10_000_and_groups_of_100_000_rows():
    skews, sizes = [], []
    for case in CASES.values():
        if "counts" in case:
            groups = exact.groups_of(case["labels"], case["scores"], None, case["counts"])
            P, N = exact.totals(groups)
            skews += [P / N, N / P]
            sizes += [group.d + group.e for group in groups]
    assert sum(64 <= skew <= 10_000 for skew in skews) > 50
    assert max(skews) >= 10_000
    assert sum(size >= 99_000 for size in sizes) >= 30


def test_inputs_are_exact_in_32_bits():
    for case in CASES.values():
        for key in ("scores", "weights"):
            numbers = np.array(case.get(key, 0.0))
            assert (numbers == numbers.astype(np.float32)).all()


def test_the_first_cases_of_each_kind_are_made_as_they_stand():
    with localcontext() as context:
        context.prec = exact.DIGITS
        for kind in make_cases.KINDS | make_cases.OF_MANY_ROWS:
            name = f"{kind.replace(' ', '-')}-0"
            case = make_cases.of_kind(kind, random.Random(f"{make_cases.SEED} {kind} 0"))
            values = make_cases.averages_of(case) if kind == "several labels" else make_cases.values_of(case)
            assert {key: make_cases.written(value) for key, value in values.items()} == CASES[name]["values"]


def test_a_rule_gives_the_rows_of_its_short_form_in_32_bits():
    rule = make_cases.RULE | {"rare_label": 1, "rows": 1000, "rare_period": 97}
    rows = with_all_rows({"rule": rule, "score_type": "float32"})
    assert rows["scores"].dtype == np.float32
    short = make_cases.rows_of_rule(rule)
    listed = Counter(zip(rows["labels"].tolist(), rows["scores"].tolist(), strict=True))
    assert listed == dict(
        zip(zip(short["labels"], short["scores"], strict=True), short["counts"], strict=True)
    )
    assert listed[1, 55 / 64] == 1
    assert sum(short["counts"]) == 1000


@pytest.mark.parametrize("case", BY_RULE, ids=lambda case: case["id"])
def test_the_areas_of_more_rows_than_32_bits_can_count_are_the_exact_ones(case):
    with localcontext() as context:
        context.prec = exact.DIGITS
        values = {name: make_cases.written(value) for name, value in make_cases.values_of(case).items()}
    assert values == case["values"]
    rows = with_all_rows(case)
    got = areas(rows["labels"], rows["scores"])
    assert got.n == 2**24 + 3
    for name in AREAS:
        assert getattr(got, name) == pytest.approx(case["values"][name]["float"], rel=1e-12, abs=1e-12), name


@pytest.mark.parametrize("case", BY_RULE, ids=lambda case: case["id"])
def test_a_tool_that_counts_rows_in_32_bits_misses_the_exact_area(case):
    short = make_cases.rows_of_rule(case["rule"])
    groups = exact.groups_of(short["labels"], short["scores"], None, short["counts"])
    positives = np.array([int(group.t + group.d) for group in groups])
    negatives = np.array([int(group.f + group.e) for group in groups])
    for count_type, misses in ((np.float64, False), (np.float32, True)):
        tps, fps = (counts.astype(count_type) for counts in (positives, negatives))
        area = np.trapezoid(np.append(0, tps / tps[-1]), np.append(0, fps / fps[-1]))
        assert (abs(area - case["values"]["auroc"]["float"]) > 1e-9) == misses


@pytest.mark.parametrize("case", RANKINGS, ids=lambda case: case["id"])
def test_the_areas_of_the_package_are_the_exact_ones(case):
    rows, weights = rows_of(case)
    got = areas(*rows, **weights, **options_of(case))
    for name in set(AREAS) & set(case["values"]):
        assert getattr(got, name) == pytest.approx(case["values"][name]["float"], rel=1e-12, abs=1e-12), name


@pytest.mark.parametrize("case", RANKINGS, ids=lambda case: case["id"])
def test_areas_of_counts_are_the_exact_ones(case):
    (labels, scores), weights = rows_of(case)
    _, group = np.unique(-scores, return_inverse=True)
    weight = weights.get("sample_weight", np.ones(labels.size))
    got = areas_of_counts(np.bincount(group, weight * labels), np.bincount(group, weight), **options_of(case))
    for name in set(AREAS) & set(case["values"]):
        assert got[name] == pytest.approx(case["values"][name]["float"], rel=1e-12, abs=1e-12), name


def test_the_conventions_of_the_package_are_the_exact_ones():
    assert len(PLAIN) == 196
    for case in PLAIN:
        got = aupr_conventions(case["labels"], case["scores"])
        got |= {"aupr": got.pop("exact")}
        for name, value in got.items():
            assert value == pytest.approx(case["values"][name]["float"], rel=1e-12, abs=1e-12), (
                case["id"],
                name,
            )
        clipped = auprg(case["labels"], case["scores"], negative_gains="clip")
        assert clipped == pytest.approx(case["values"]["auprg_clipped"]["float"], abs=1e-12)


def test_means_over_labels_are_the_exact_ones():
    for case in CASES.values():
        if case["kind"] == "several labels":
            for function in (auroc, average_precision):
                for average in ("macro", "weighted", "micro"):
                    expected = case["values"][f"{function.__name__}_{average}"]["float"]
                    assert function(case["labels"], case["scores"], average=average) == pytest.approx(
                        expected
                    )


def test_one_class_is_undefined():
    for case in CASES.values():
        if case["kind"] == "one class":
            assert set(case["values"].values()) == {None}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert np.isnan(list(aupr_conventions(case["labels"], case["scores"]).values())).all()


def test_curves_go_through_the_exact_points():
    drawn = [case for case in CASES.values() if "curves" in case]
    assert len(drawn) > 50
    for case in drawn:
        pr, roc = (function(case["labels"], case["scores"]) for function in (pr_curve, roc_curve))
        points = {"pr_curve": (pr.recall, pr.precision), "roc_curve": (roc.fpr, roc.tpr)}
        for name, (x, y) in points.items():
            expected = {(float(Fraction(a)), float(Fraction(b))) for a, b in case["curves"][name]}
            got = {*zip(x.tolist(), y.tolist(), strict=True)}
            assert all(min(abs(a - c) + abs(b - d) for c, d in got) < 1e-12 for a, b in expected), case["id"]


def test_an_answer_follows_what_it_is_near_to_and_a_wrong_one_nothing():
    case = next(case for case in PLAIN if case["kind"] == "tied")
    exactly = case["values"]["aupr"]["float"]
    answer = {"tool": "t", "version": "1", "language": "L", "function": "f", "case": case["id"]}
    for value, follows in ((exactly, "aupr"), (exactly + 0.001, "none of these"), (None, "undefined")):
        _, rows = compare.tables([answer | {"value": value}], CASES)
        assert rows[0]["follows"].split(" ")[0] == follows.split(" ")[0]
    _, rows = compare.tables([answer | {"error": "No."}], CASES)
    assert rows[0]["follows"] == "refused"


def test_the_committed_matrix_follows_from_the_committed_answers():
    matrix, _ = compare.tables(compare.read_answers(), CASES)
    with (FOLDER / "matrix.csv").open(encoding="utf-8", newline="") as stream:
        assert [*csv.DictReader(stream)] == [
            {key: str(value) for key, value in row.items()} for row in matrix
        ]
    assert len({row["tool"] for row in matrix}) >= 6
    assert len({row["language"] for row in matrix}) >= 2


def test_answers_of_a_tool_take_the_place_of_its_old_ones_and_of_no_others():
    old = {"tool": "t", "version": "1", "language": "L", "function": "f", "case": "tied-0", "value": 0.5}
    new, other = old | {"version": "2", "value": 0.6}, old | {"tool": "u"}
    assert compare.replaced([old, other], [new]) == [other, new]


def test_a_tool_that_was_not_put_to_later_cases_is_marked_so_and_counts_for_none_of_them():
    tied = [case for case in CASES.values() if case["kind"] == "tied"]
    answer = {"tool": "t", "version": "1", "language": "L", "function": "f"}
    answers = [answer | {"case": case["id"], "value": case["values"]["aupr"]["float"]} for case in tied]
    rows = {row["kind"]: row for row in compare.tables(answers, CASES)[0]}
    assert (rows["tied"]["n_same"], rows["tied"]["otherwise"]) == (60, "")
    assert {kind for kind, row in rows.items() if row["otherwise"] == compare.NOT_RUN} == {
        "many positives", "many negatives", "large group", "small group", "negatives on top", "rows by a rule",
    }  # fmt: skip
    # In the later cases, rows of one score have no order, so a convention of single rows has no value.
    by_row = [answer | {"case": case["id"], "value": case["values"]["row_by_row"]["float"]} for case in tied]
    assert [row["kind"] for row in compare.tables(by_row, CASES)[0]] == ["tied"]


def test_an_answer_to_another_definition_whose_name_begins_alike_does_not_count_as_the_same():
    cases = [case for case in PLAIN if case["values"]["trapezoid"] != case["values"]["trapezoid_first_point"]]
    answer = {"tool": "t", "version": "1", "language": "L", "function": "f"}
    names = ["trapezoid"] * 5 + ["trapezoid_first_point"]
    chosen = [case for case in cases if case["kind"] == "hard labels"][: len(names)]
    answers = [
        answer | {"case": case["id"], "value": case["values"][name]["float"]}
        for case, name in zip(chosen, names, strict=True)
    ]
    (row,) = compare.tables(answers, CASES)[0]
    assert (row["convention"], row["n_cases"], row["n_same"]) == ("trapezoid", 6, 5)


def examples_of_the_readme():
    return re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(encoding="utf-8"), re.S)


def test_the_lines_of_the_readme_make_the_rows_of_a_rule():
    example, _ = examples_of_the_readme()
    case = {
        "rule": make_cases.RULE | {"rare_label": 0, "rows": 500, "rare_period": 100},
        "score_type": "float32",
    }
    names = {"np": np, "case": case, "rule": case["rule"]}
    exec(compile(example, "README.md", "exec"), names)
    expected = with_all_rows(case)
    for key in ("labels", "scores"):
        assert names[key].dtype == expected[key].dtype
        assert (names[key] == expected[key]).all()


def test_the_example_of_the_readme_tests_scikit_learn(monkeypatch):
    monkeypatch.chdir(FOLDER)
    _, example = examples_of_the_readme()
    names: dict = {}
    exec(compile(example, "README.md", "exec"), names)
    assert len(names["PLAIN"]) == 140
    for case in names["PLAIN"]:
        names["test_average_precision"](case)


def test_the_readme_says_how_many_cases_have_curves():
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"In {sum('curves' in case for case in CASES.values())} cases, the entry `curves`" in text
