"""Changes of formulas, and the committed table that says whether the exact cases notice them."""

import ast
import csv
from importlib import import_module
from pathlib import Path

import numpy as np
import yaml

from aucstudy.config import REPOSITORY
from benchmarks import mutants

SOURCE = '''
LIMIT = 64.0


def area(x, y):
    """A sum of 2 parts."""
    if x < 0:
        raise ValueError(f"x must be at least {0}")
    if x > LIMIT and y:
        return max(x, 1)
    return x * y - 0.5
'''


def changes_of(source):
    return [(mutant.function, mutant.before, mutant.after) for mutant in mutants.mutants("m", source)]


def test_operators_numbers_comparisons_and_functions_are_changed_one_at_a_time():
    made = changes_of(SOURCE)
    assert ("area", "return x * y - 0.5", "return x / y - 0.5") in made
    assert ("area", "return x * y - 0.5", "return x * y + 0.5") in made
    assert ("area", "return x * y - 0.5", "return x * y - 500.0") in made
    assert ("area", "return max(x, 1)", "return min(x, 1)") in made
    assert ("area", "if x > LIMIT and y:", "if x >= LIMIT and y:") in made
    assert ("area", "if x > LIMIT and y:", "if x > LIMIT or y:") in made
    assert ("", "LIMIT = 64.0", "LIMIT = 0.064") in made
    assert len(set(made)) == len(made)


def test_words_and_refusals_are_left_alone():
    assert not [change for change in changes_of(SOURCE) if "raise" in change[1] or "x < 0" in change[1]]
    for mutant in mutants.mutants("m", SOURCE):
        assert ast.get_docstring(mutant.tree.body[-1]) == "A sum of 2 parts."


def test_a_wrong_area_no_area_and_an_error_are_noticed_and_a_rounding_is_not():
    case = mutants.Case("c", np.array([1.0]), np.array([1.0]), {}, {"auroc": 0.5, "auprg": -750.0})
    exact = {"auroc": 0.5, "auprg": -750.0}

    def refused(_):
        raise ZeroDivisionError

    assert mutants.noticed(lambda _: exact, [case]) == ""
    assert mutants.noticed(lambda _: exact | {"auprg": -750.0 - 1e-10}, [case]) == ""
    assert mutants.noticed(lambda _: exact | {"auroc": 0.5 + 1e-11}, [case]) == "c"
    assert mutants.noticed(lambda _: exact | {"auroc": float("nan")}, [case]) == "c"
    assert mutants.noticed(refused, [case]) == "c"


def test_the_committed_table_has_every_change_of_the_formulas_and_95_percent_of_those_that_matter_are_noticed():
    with (REPOSITORY / mutants.TABLE).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    made = []
    for target in mutants.TARGETS:
        for name in target.changed:
            source = Path(import_module(name).__file__).read_text(encoding="utf-8")
            made += [tuple(mutant[:4]) for mutant in mutants.mutants(name, source)]
    assert [tuple(row.values())[:4] for row in rows] == made, "run python -m benchmarks.mutants"
    assert mutants.share_noticed(rows) >= mutants.ENOUGH


def test_every_change_that_makes_no_difference_has_its_reason():
    entries = yaml.safe_load(mutants.EQUIVALENT.read_text(encoding="utf-8"))
    assert entries
    assert all(len(entry["reason"]) > 20 for entry in entries)
