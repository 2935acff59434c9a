"""Test whether the exact cases of conformance/ notice a wrong formula.

`python -m benchmarks.mutants` answers in a minute. It changes one operator, number or comparison at a time,
and lists in results/benchmarks/mutants.csv which changes the cases notice. A change is noticed where a metric
of some case cannot be computed, or is off by more than is promised. This is 1e-12 times the value or, for
values below 1, 1e-12. equivalent_mutants.yaml names the changes that make no difference which a case could
show, each with the reason.
"""

import ast
import copy
import csv
import math
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import yaml

from conformance.compare import read_cases
from conformance.make_cases import rows_of_rule

# The package is imported in the functions, after `__main__` has switched off that it compiles.
AREAS = ("auroc", "aupr", "auprg", "aucnpr", "average_precision")

EQUIVALENT = Path(__file__).with_name("equivalent_mutants.yaml")
TABLE = Path("results/benchmarks/mutants.csv")
PROMISED = 1e-12
ENOUGH = 0.95  # share of the changes that make a difference
SECONDS = 20  # A change can make a loop endless.
NOT_FORMULAS = ("_checked_counts", "check_totals")  # These refuse bad input, which no case has.


class Case(NamedTuple):
    """One question: counts or weights by score from the highest down, options, and the exact metrics."""

    id: str
    positives: np.ndarray
    negatives: np.ndarray
    options: dict
    expected: dict[str, float]


class Mutant(NamedTuple):
    """A module with one change in a function.

    `before` and `after` are the statement as it was and as it became, and `tree` is the changed module.
    """

    module: str
    function: str
    before: str
    after: str
    tree: ast.Module


def questions() -> list[Case]:
    """Return every case that has one label for each row.

    A case for which clipped gains are known comes a second time with them.
    """
    asked = []
    for case in read_cases().values():
        if case["kind"] == "several labels":
            continue
        values = {name: value["float"] if value else math.nan for name, value in case["values"].items()}
        counts = _counts_by_score(case)
        options = {key: case[key] for key in ("prevalence", "recall_range") if key in case}
        expected = {name: values[name] for name in AREAS if name in values}
        asked.append(Case(case["id"], *counts, options, expected))
        if "auprg_clipped" in values:
            clipped = options | {"negative_gains": "clip"}
            asked.append(Case(case["id"], *counts, clipped, expected | {"auprg": values["auprg_clipped"]}))
    return asked


def _counts_by_score(case: dict) -> tuple[np.ndarray, np.ndarray]:
    if "rule" in case:
        case = rows_of_rule(case["rule"])
    scores, group = np.unique(-np.array(case["scores"]), return_inverse=True)
    labels = np.array(case["labels"])
    weight = np.array(case.get("counts", np.ones(labels.size))) * np.array(case.get("weights", 1.0))
    positives, negatives = (np.bincount(group, weight * (labels == label), scores.size) for label in (1, 0))
    return positives, negatives


def noticed(answer: Callable[[Case], dict[str, float]], cases: Sequence[Case]) -> str:
    """Return the id of the first case that an answer fails, or an empty string."""
    with np.errstate(all="ignore"):
        for case in cases:
            try:
                with _time_limit():
                    areas = answer(case)
                if not all(_is_near(areas[name], value) for name, value in case.expected.items()):
                    return case.id
            except Exception:
                return case.id
    return ""


def _is_near(area: float, exact: float) -> bool:
    if math.isnan(exact):
        return math.isnan(area)
    return abs(area - exact) <= PROMISED * max(1.0, abs(exact))


@contextmanager
def _time_limit() -> Iterator[None]:
    def too_long(*_: object) -> None:
        raise TimeoutError

    previous = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
}  # fmt: skip
# The neighbour of a comparison, which differs where both sides are equal, and its opposite.
COMPARISONS = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,),
}  # fmt: skip
OTHER_FUNCTIONS = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}
Edit = Callable[[ast.AST], None]


def mutants(module: str, source: str) -> Iterator[Mutant]:
    """Yield every change of the formulas of a module, one at a time."""
    tree = ast.parse(source)
    for place, (function, line, node) in enumerate(_nodes(tree)):
        for edit in _edits(node):
            changed = copy.deepcopy(tree)
            _, changed_line, target = list(_nodes(changed))[place]
            edit(target)
            yield Mutant(
                module, function, _text(line), _text(changed_line), ast.fix_missing_locations(changed)
            )


def _text(line: ast.stmt) -> str:
    """Return a statement as text, or only the first line of one that holds others."""
    whole = ast.unparse(line)
    return whole.partition("\n")[0] if isinstance(line, ast.If | ast.For | ast.While | ast.With) else whole


def _nodes(tree: ast.Module) -> Iterator[tuple[str, ast.stmt, ast.AST]]:
    """Yield every part of the formulas of a module, with its function and its statement.

    Statements that refuse input or warn are left out.
    """
    for statement in tree.body:
        match statement:
            case ast.ClassDef():
                functions = [part for part in statement.body if isinstance(part, ast.FunctionDef)]
            case ast.FunctionDef():
                functions = [statement]
            case ast.Assign():
                yield from (("", statement, node) for node in ast.walk(statement.value))
                continue
            case _:
                continue
        for function in functions:
            if function.name not in NOT_FORMULAS:
                for line in function.body:
                    yield from ((function.name, *part) for part in _parts(line, line))


def _parts(node: ast.AST, line: ast.stmt) -> Iterator[tuple[ast.stmt, ast.AST]]:
    refuses = isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise)
    warns = isinstance(node, ast.Expr) and "warn" in ast.unparse(node)
    if refuses or warns or isinstance(node, ast.Raise):
        return
    yield line, node
    for child in ast.iter_child_nodes(node):
        yield from _parts(child, child if isinstance(child, ast.stmt) else line)


def _edits(node: ast.AST) -> Iterator[Edit]:
    match node:
        case ast.BinOp() if type(node.op) in OPERATORS:
            yield _set("op", OPERATORS[type(node.op)]())
        case ast.UnaryOp(op=ast.USub()):
            yield _set("op", ast.UAdd())
        case ast.UnaryOp(op=ast.Not()):
            yield _set("op", ast.UAdd())
        case ast.BoolOp():
            yield _set("op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
        case ast.Compare(ops=[one]) if type(one) in COMPARISONS:
            for other in COMPARISONS[type(one)]:
                yield _set("ops", [other()])
        case ast.AugAssign() if type(node.op) in OPERATORS:
            yield _set("op", OPERATORS[type(node.op)]())
        case ast.IfExp():
            yield lambda found: found.__dict__.update(body=found.orelse, orelse=found.body)
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            for other in _other_numbers(value):
                yield _set("value", other)
        case ast.Name(id=name) if name in OTHER_FUNCTIONS:
            yield _set("id", OTHER_FUNCTIONS[name])
        case ast.Attribute(attr=name) if name in OTHER_FUNCTIONS:
            yield _set("attr", OTHER_FUNCTIONS[name])


def _set(field: str, value: object) -> Edit:
    return lambda node: setattr(node, field, value)


def _other_numbers(value: float) -> tuple[float, ...]:
    """Return the numbers that replace a number.

    A small whole number becomes its neighbour. Any other may be a limit between two formulas, and becomes a
    thousand times as large and as small.
    """
    if abs(value) <= 16 and value == int(value):
        return (value + 1,)
    return (value * 1000, value / 1000)


class Target(NamedTuple):
    """Modules that give answers together, in the order in which they import one another.

    `changed` names those whose formulas are changed, and `answer` asks them a case.
    """

    modules: tuple[str, ...]
    changed: tuple[str, ...]
    answer: Callable[[Case], dict[str, float]]


def by_definition(case: Case) -> dict[str, float]:
    if not (case.positives.any() and case.negatives.any()):  # The metrics are then undefined.
        return dict.fromkeys(AREAS, math.nan)
    from aucstudy.metrics.counts import negative_scale
    from aucstudy.metrics.inputs import checked_options
    from aucstudy.metrics.registry import METRICS

    definition = sys.modules["aucstudy.metrics.definition"]
    d, e, options = case.positives, case.negatives, checked_options(**case.options)
    P, N = float(d.sum()), float(e.sum())
    scale = negative_scale(P, N, options.prevalence)
    totals = definition.Totals(P, N * scale, options.recalls, options.clip)
    groups = np.stack([np.cumsum(d) - d, scale * (np.cumsum(e) - e), d, scale * e])[:, d > 0]
    values = {}
    for entry in METRICS:
        terms, value = (getattr(definition, part.__name__) for part in (entry.terms, entry.value))
        arrays = terms(*groups, totals)
        arrays = arrays if isinstance(arrays, tuple) else (arrays,)
        values[entry.key] = value(totals, *(float(array.sum()) for array in arrays))
    return values


def by_kernel(case: Case) -> dict[str, float]:
    """Return the metrics that the compiled kernel computes from counts by group.

    `count_groups` is not tested: it counts rows and holds no formula.
    """
    positives, negatives = case.positives, case.negatives
    P, N = positives.sum(), negatives.sum()
    if not (P and N):  # The callers of the kernel handle this.
        return dict.fromkeys(AREAS, math.nan)
    terms, areas = (sys.modules[f"{KERNEL}.{name}"] for name in ("terms", "areas"))
    above = np.cumsum(positives) - positives, np.cumsum(negatives) - negatives
    groups = np.stack([*above, positives, negatives])[:, positives > 0]
    options = terms.CLIPPED if "negative_gains" in case.options else terms.OBSERVED
    if "prevalence" in case.options:
        options = options._replace(prevalence=case.options["prevalence"])
    if "recall_range" in case.options:
        low, high = case.options["recall_range"]
        options = options._replace(low=low, high=high)
    totals = terms.totals_of(P, N, options)
    return dict(zip(AREAS, areas.areas_of_groups(groups, groups.shape[1], totals), strict=True))


KERNEL = "aucstudy.metrics.kernel"
TARGETS = (
    Target(("aucstudy.metrics.definition",), ("aucstudy.metrics.definition",), by_definition),
    Target(
        (f"{KERNEL}.sums", f"{KERNEL}.terms", f"{KERNEL}.areas"),
        (f"{KERNEL}.terms", f"{KERNEL}.areas"),
        by_kernel,
    ),
)


def outcomes() -> Iterator[dict[str, str]]:
    """Yield a row for each change: the first case that notices it, or the reason why none can."""
    cases = questions()
    reasons = _reasons()
    for target in TARGETS:
        sources = {
            name: Path(import_module(name).__file__).read_text(encoding="utf-8") for name in target.modules
        }
        _load({name: ast.parse(source) for name, source in sources.items()})
        if case := noticed(target.answer, cases):
            raise SystemExit(f"{', '.join(target.modules)}: the unchanged formulas fail {case}")
        for name in target.changed:
            for mutant in mutants(name, sources[name]):
                others = {other: ast.parse(source) for other, source in sources.items()}
                try:
                    _load(others | {name: mutant.tree})
                    case = noticed(target.answer, cases)
                except Exception as error:  # A changed constant may not be computable.
                    case = type(error).__name__
                facts = mutant._asdict()
                del facts["tree"]
                reason = "" if case else reasons.get(tuple(facts.values()), "")
                yield facts | {"noticed_by": case, "equivalent_since": reason}


def _load(trees: dict[str, ast.Module]) -> None:
    """Replace the imported modules by modules made from these trees."""
    for name, tree in trees.items():
        original = import_module(name)
        module = ModuleType(name)
        module.__dict__.update(__file__=original.__file__, __package__=original.__package__)
        sys.modules[name] = module
        exec(compile(tree, original.__file__, "exec"), module.__dict__)


def _reasons() -> dict[tuple[str, ...], str]:
    """Return why changes make no difference, by module, function, before and after."""
    entries = yaml.safe_load(EQUIVALENT.read_text(encoding="utf-8")) or []
    return {
        (entry["module"], entry["function"], entry["before"], after): entry["reason"]
        for entry in entries
        for after in entry["after"]
    }


def share_noticed(rows: Sequence[dict[str, str]]) -> float:
    """Return the share of changes that a case notices, of those that make a difference."""
    different = [row for row in rows if not row["equivalent_since"]]
    return sum(bool(row["noticed_by"]) for row in different) / len(different) if different else math.nan


def main() -> None:
    from benchmarks.origin import origin

    rows = [{**row, **origin()} for row in outcomes()]
    with TABLE.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    for row in rows:
        if not (row["noticed_by"] or row["equivalent_since"]):
            print(f"not noticed: {row['module']} {row['function']}: {row['before']}  ->  {row['after']}")
    unused = _reasons().keys() - {tuple(row.values())[:4] for row in rows if row["equivalent_since"]}
    for key in sorted(unused):
        print(f"{EQUIVALENT.name}: noticed, or there is no such change: {': '.join(key)}")
    print(
        f"{share_noticed(rows):.1%} of {sum(not row['equivalent_since'] for row in rows)} changes were noticed"
    )
    if unused or share_noticed(rows) < ENOUGH:
        raise SystemExit(1)


if __name__ == "__main__":
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # Compiling each change would take hours.
    warnings.simplefilter("ignore")  # Cases with one class warn.
    main()
