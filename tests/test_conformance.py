"""The cases that other tools are held to: exact, as the schema says, and met by every definition of the package."""

import csv
import json
import random
import warnings
from decimal import localcontext
from fractions import Fraction

import jsonschema
import numpy as np
import pytest

from aucstudy.config import REPOSITORY
from aucstudy.metrics import areas, aupr_conventions, auprg, auroc, average_precision, pr_curve, roc_curve
from conformance import compare, exact, make_cases

FOLDER = REPOSITORY / "conformance"
CASES = compare.read_cases()
PLAIN = [
    case
    for case in CASES.values()
    if set(exact.OF_ROWS) < set(case["values"]) and case["kind"] != "one class"
]


def options_of(case):
    weights = {"sample_weight": case["weights"]} if "weights" in case else {}
    return weights | {key: case[key] for key in ("prevalence", "recall_range") if key in case}


def test_there_are_300_cases_as_the_schema_says():
    whole = json.loads((FOLDER / "cases.json").read_text(encoding="utf-8"))
    jsonschema.validate(whole, json.loads((FOLDER / "schema.json").read_text(encoding="utf-8")))
    assert len(CASES) == len(whole["cases"]) == sum(make_cases.KINDS.values()) == 300


def test_inputs_are_exact_in_32_bits():
    for case in CASES.values():
        for key in ("scores", "weights"):
            numbers = np.array(case.get(key, 0.0))
            assert (numbers == numbers.astype(np.float32)).all()


def test_the_first_cases_of_each_kind_are_made_as_they_stand():
    with localcontext() as context:
        context.prec = exact.DIGITS
        for kind in make_cases.KINDS:
            name = f"{kind.replace(' ', '-')}-0"
            case = make_cases.of_kind(kind, random.Random(f"{make_cases.SEED} {kind} 0"))
            values = make_cases.averages_of(case) if kind == "several labels" else make_cases.values_of(case)
            assert {key: make_cases.written(value) for key, value in values.items()} == CASES[name]["values"]


def test_the_areas_of_the_package_are_the_exact_ones():
    names = ("auroc", "average_precision", "aupr", "auprg", "aucnpr")
    for case in CASES.values():
        if case["kind"] in ("several labels", "one class"):
            continue
        got = areas(case["labels"], case["scores"], **options_of(case))
        for name in set(names) & set(case["values"]):
            expected = case["values"][name]["float"]
            assert getattr(got, name) == pytest.approx(expected, rel=1e-12, abs=1e-12), (case["id"], name)


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
    answers = []
    with (FOLDER / "answers.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            answer = {key: row[key] for key in (*compare.KEY, "case")}
            answer |= {"average": row["average"]} if row["average"] else {}
            if row["follows"] == compare.REFUSED:
                answer["error"] = row["answer"]
            else:
                answer["value"] = float(row["answer"]) if row["answer"] else None
            answers.append(answer)
    matrix, _ = compare.tables(answers, CASES)
    with (FOLDER / "matrix.csv").open(encoding="utf-8", newline="") as stream:
        assert [*csv.DictReader(stream)] == [
            {key: str(value) for key, value in row.items()} for row in matrix
        ]
    assert len({row["tool"] for row in matrix}) >= 6
    assert len({row["language"] for row in matrix}) >= 2
