"""Make cases.json, with the value of each definition in exact arithmetic.

Run it as `python -m conformance.make_cases`. Labels are 0 and 1. Scores are multiples of 1/64 in [0, 1], and
weights are multiples of 1/4. Some are multiples of tiny powers of 2 instead. Floats of 32 bits hold all of
them, and their sums are exact in 64 bits. The rows of some cases are given by a rule.
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import localcontext
from fractions import Fraction
from pathlib import Path

from conformance import exact

CASES = Path(__file__).with_name("cases.json")
SEED = 20261123
SHOWN = 30  # rows; the points of longer cases are not written
DECIMALS = 40


def rows(chance: random.Random, n: int, n_positive: int, levels: int, shift: int = 0) -> dict:
    """Draw labels, and scores of so many levels; those of positives are higher by `shift` 64ths."""
    y = [1] * n_positive + [0] * (n - n_positive)
    chance.shuffle(y)
    top = 64 - shift
    steps = sorted(chance.sample(range(top + 1), min(levels, top + 1)))
    return {"labels": y, "scores": [(chance.choice(steps) + shift * label) / 64 for label in y]}


def untied(chance: random.Random, n: int, n_positive: int) -> dict:
    case = rows(chance, n, n_positive, 2)
    return case | {"scores": [k / 64 for k in chance.sample(range(65), n)]}


def tied(chance: random.Random, n: int, n_positive: int) -> dict:
    return rows(chance, n, n_positive, chance.choice([3, 5, 9]), chance.choice([0, 4, 10]))


def ranked(case: dict, order: Callable[[int], float]) -> dict:
    """Give each row a score that depends only on its label and on how often this came before.

    `order` gives the first score of a label, and each further row adds 1/64.
    """
    seen = [0, 0]
    scores = []
    for label in case["labels"]:
        scores.append(order(label) + seen[label] / 64)
        seen[label] += 1
    return case | {"scores": scores}


def counted(*groups: tuple[int, int]) -> dict:
    """Return a case in which each row stands for as many rows as `counts` says.

    `groups` has the positives and the negatives of each score, the highest score first.
    """
    rows = [
        (label, 1 - k / 64, count)
        for k, of_classes in enumerate(groups)
        for label, count in zip((1, 0), of_classes, strict=True)
        if count
    ]
    labels, scores, counts = (list(column) for column in zip(*rows, strict=True))
    return {"labels": labels, "scores": scores, "counts": counts}


def dealt(chance: random.Random, n: int, groups: int) -> list[int]:
    """Deal `n` rows to groups whose sizes differ by orders of magnitude; some may stay empty."""
    shares = [chance.choice([0, 1, 1, 10, 100]) * chance.random() for _ in range(groups)]
    total = sum(shares) or 1
    sizes = [int(n * share / total) for share in shares]
    sizes[chance.randrange(groups)] += n - sum(sizes)
    return sizes


def skewed(chance: random.Random, ratio: int) -> dict:
    """Return a few negatives and `ratio` times as many positives, in a few groups of tied rows."""
    few = chance.choice([1, 2, 3, 7])
    groups = chance.choice([3, 6, 12])
    return counted(*zip(dealt(chance, few * ratio, groups), dealt(chance, few, groups), strict=True))


def large_group(chance: random.Random) -> dict:
    """Return a group of 100,000 tied rows, with some rows above and below."""
    n_positive = chance.choice([1, 40, 1000, 50_000, 99_000, 99_999])
    above, below = (
        [(chance.randint(0, 30), chance.randint(0, 30)) for _ in range(chance.randint(0, 4))]
        for _ in range(2)
    )
    return counted(*above, (n_positive, 100_000 - n_positive), *below)


def negatives_on_top(chance: random.Random) -> dict:
    """Return a few negatives above most of 10,000 to 50,000 times as many positives.

    This is nearly the worst ranking of them.
    """
    few = chance.choice([1, 2])
    n_positive = few * chance.randint(10_000, 50_000)
    above = chance.choice([0, 0, 1, n_positive // 50])
    middle = n_positive // chance.choice([3, 30, 300])
    return counted((above, 0), (chance.choice([0, 0, 2]), few), (middle, 0), (n_positive - above - middle, 0))


SKEWS = (64, 100, 500, 1000, 4000, 10_000)


def of_many_rows(kind: str, chance: random.Random) -> dict:
    """Return a case in which a formula that is right for some hundred rows loses its digits.

    `counts` says how many rows each row stands for.
    """
    ratio = chance.choice(SKEWS)
    many_positives = skewed(chance, ratio)
    turned = many_positives | {"labels": [1 - label for label in many_positives["labels"]]}
    match kind:
        case "many positives":
            return many_positives
        case "many negatives":
            return turned
        case "large group":
            return large_group(chance)
        case "range in a large group":
            case = chance.choice([large_group(chance), large_group(chance), many_positives, turned])
            low = chance.choice([0, 0, 1, 200, 511])
            return case | {"recall_range": [low / 1024, chance.randint(low + 1, 1023) / 1024]}
        case "prevalence of a large group":
            case = chance.choice([large_group(chance), many_positives, turned])
            return case | {"prevalence": chance.choice([2.0**-12, 2.0**-6, 1 - 2.0**-6, 1 - 2.0**-12])}
        case "tiny weights":
            case = counted(
                *((chance.randint(0, 60), chance.randint(0, 60)) for _ in range(chance.choice([2, 5, 9])))
            )
            tiny = 2.0 ** -chance.choice([12, 20, 30, 36])
            # The rows of this class weigh little. If it is None, rows of both classes may.
            of_class = chance.choice([0, 1, None])
            is_tiny = [
                chance.random() < 0.5 if of_class is None else label == of_class for label in case["labels"]
            ]
            weights = [
                tiny * chance.randint(1, 8) if little else chance.randint(1, 4) / 4 for little in is_tiny
            ]
            return case | {"weights": weights}
        case "small group":
            above = (chance.choice([0, 0, 1, 50]), chance.randint(20_000, 90_000))
            size = chance.randint(above[1] // 200, above[1] // 101)
            n_positive = chance.choice([size, size, size - 1, size // 2, 1])
            return counted(
                above, (n_positive, size - n_positive), (chance.choice([0, 0, 3]), chance.randint(0, 9))
            )
        case "negatives on top":
            return negatives_on_top(chance)
        case "light negatives on top":
            case = (
                negatives_on_top(chance)
                if chance.random() < 0.5
                else counted((0, chance.randint(9, 60)), (7, 0), (60, 2), (30, 1))
            )
            light = 2.0 ** -chance.choice([8, 16, 24])
            return case | {"weights": [1.0 if label else light for label in case["labels"]]}
        case "narrow range":
            case = chance.choice([negatives_on_top(chance), large_group(chance), many_positives, turned])
            low = chance.choice([1, 3, 7, 9]) / 10  # No float has this value exactly.
            return case | {"recall_range": [low, low + chance.choice([1e-3, 1e-2, 0.09])]}
    raise ValueError(f"no such kind of case: {kind}")


def of_kind(kind: str, chance: random.Random) -> dict:
    if kind in OF_MANY_ROWS:
        return of_many_rows(kind, chance)
    n = chance.choice([6, 10, 20, 40])
    n_positive = chance.randint(2, n // 2)
    case = tied(chance, n, n_positive)
    match kind:
        case "untied":
            return untied(chance, n, n_positive)
        case "one score":
            return case | {"scores": [chance.choice([0.25, 0.5, 1.0])] * n}
        case "perfect":
            return ranked(untied(chance, n, min(n_positive, 30)), lambda label: 0.5 * label)
        case "reversed":
            return ranked(untied(chance, n, min(n_positive, 30)), lambda label: 0.5 * (1 - label))
        case "one positive":
            return chance.choice([tied, untied])(chance, n, 1)
        case "one negative":
            return chance.choice([tied, untied])(chance, n, n - 1)
        case "hard labels":
            return case | {"scores": [float(chance.random() < 0.2 + 0.5 * label) for label in case["labels"]]}
        case "few positives":
            return rows(chance, 400, chance.randint(2, 6), 40, chance.choice([8, 20]))
        case "close scores":
            # The scores are an eighth of a millionth apart, where some tools call them equal.
            return case | {"scores": [k * 2.0**-23 for k in chance.sample(range(n), n)]}
        case "weights":
            return case | {"weights": [chance.randint(1, 12) / 4 for _ in range(n)]}
        case "other prevalence":
            return case | {"prevalence": chance.choice([1 / 64, 1 / 8, 1 / 2, 15 / 16])}
        case "range of recall":
            low = chance.choice([0.0, 0.25, 0.5])
            return case | {
                "recall_range": [low, chance.choice([end for end in (0.5, 0.75, 1.0) if end > low])]
            }
        case "one class":
            return case | {"labels": [chance.randint(0, 1)] * n}
        case "several labels":
            columns = [tied(chance, 10, chance.randint(2, 6)) for _ in range(3)]
            return {key: [*map(list, zip(*(c[key] for c in columns), strict=True))] for key in columns[0]}
    return case


KINDS = {
    "tied": 60, "untied": 40, "one score": 10, "perfect": 10, "reversed": 10, "one positive": 20, "one negative": 10,
    "hard labels": 20, "few positives": 10, "close scores": 6, "weights": 40, "other prevalence": 20,
    "range of recall": 25, "one class": 4, "several labels": 15,
}  # fmt: skip
OF_MANY_ROWS = {
    "many positives": 20, "many negatives": 10, "large group": 15, "range in a large group": 25,
    "prevalence of a large group": 15, "tiny weights": 25, "small group": 12, "negatives on top": 12,
    "light negatives on top": 8, "narrow range": 18,
}  # fmt: skip


# More rows of one class than floats of 32 bits can count: they have no value for 2^24 + 1.
RULE = {"rows": 2**24 + 3, "score_period": 61, "rare_period": 2**23, "rare_row": 55}
BY_RULE = [{"rule": RULE | {"rare_label": label}, "score_type": "float32"} for label in (0, 1)]


def rows_of_rule(rule: dict) -> dict:
    """Return the labels and scores of a rule, with `counts`: how many equal rows each row stands for.

    Row i, from 0 on, has the score (i mod score_period) / 64. Its label is `rare_label` if
    (i mod rare_period) is `rare_row`, and the other label if not.

    >>> rows_of_rule({"rows": 5, "score_period": 2, "rare_period": 4, "rare_row": 1, "rare_label": 1})
    {'labels': [0, 0, 1], 'scores': [0.0, 0.015625, 0.015625], 'counts': [3, 1, 1]}
    """
    n, period, rare = rule["rows"], rule["score_period"], rule["rare_label"]
    counts = Counter({(1 - rare, score): len(range(score, n, period)) for score in range(period)})
    for row in range(rule["rare_row"], n, rule["rare_period"]):
        counts[1 - rare, row % period] -= 1
        counts[rare, row % period] += 1
    labels, scores = zip(*counts, strict=True)
    return {
        "labels": [*labels], "scores": [score / 64 for score in scores], "counts": [*counts.values()],
    }  # fmt: skip


def written(value: exact.Exact | None) -> dict | None:
    if value is None:
        return None
    if isinstance(value, Fraction):
        return {"fraction": str(value), "float": float(value)}
    digits = round(value, DECIMALS) + 0  # Adding 0 removes the sign of a negative 0.
    return {"decimal": str(digits), "float": float(digits)}


def values_of(case: dict) -> dict[str, exact.Exact | None]:
    """Return the value of each definition that has the options of the case; None where a class is missing."""
    if "rule" in case:
        case = rows_of_rule(case["rule"])
    y, s = case["labels"], [Fraction(score) for score in case["scores"]]
    if len(set(y)) == 1:
        return dict.fromkeys([*exact.OF_GROUPS, *exact.OF_ROWS])
    groups = exact.groups_of(y, s, case.get("weights"), case.get("counts"))
    if "recall_range" in case:
        return {name: exact.OF_GROUPS[name](groups, case["recall_range"]) for name in exact.WITH_RANGE}
    if "prevalence" in case:
        groups = exact.at_prevalence(groups, Fraction(case["prevalence"]))
        return {name: exact.OF_GROUPS[name](groups) for name in exact.WITH_PREVALENCE}
    # With counts, tied rows have no order, and points one positive apart would be too many. Definitions that
    # need either are left out.
    if "weights" in case or "counts" in case:
        return {name: exact.OF_GROUPS[name](groups) for name in exact.WITH_WEIGHTS}
    return {name: rule(groups) for name, rule in exact.OF_GROUPS.items()} | {
        name: rule(y, s) for name, rule in exact.OF_ROWS.items()
    }


def averages_of(case: dict) -> dict[str, exact.Exact | None]:
    """Return average precision and AUROC over several labels, averaged in three ways.

    These are the mean over labels, the mean weighted by each label's positives, and the value of all labels'
    rows taken together.
    """
    columns = [[*zip(*case[key], strict=True)] for key in ("labels", "scores")]
    groups = [exact.groups_of(y, s) for y, s in zip(*columns, strict=True)]
    cells = exact.groups_of(*(sum(column, ()) for column in columns))
    positives = [exact.totals(label)[0] for label in groups]
    made: dict[str, exact.Exact | None] = {}
    for rule in (exact.auroc, exact.average_precision):
        areas = [rule(label) for label in groups]
        weighed = sum((area * count for area, count in zip(areas, positives, strict=True)), Fraction(0))
        made |= {
            f"{rule.__name__}_macro": sum(areas, Fraction(0)) / len(areas),
            f"{rule.__name__}_weighted": weighed / sum(positives),
            f"{rule.__name__}_micro": rule(cells),
        }
    return made


def points_of(case: dict) -> dict[str, list]:
    groups = exact.groups_of(case["labels"], case["scores"])
    curves = {"roc_curve": exact.roc_points(groups), "pr_curve": exact.pr_points(groups)}
    return {name: [[str(x), str(y)] for x, y in points] for name, points in curves.items()}


def cases() -> Iterator[dict]:
    for kind, count in (KINDS | OF_MANY_ROWS).items():
        for number in range(count):
            case = of_kind(kind, random.Random(f"{SEED} {kind} {number}"))
            exact_values = averages_of(case) if kind == "several labels" else values_of(case)
            values = {name: written(value) for name, value in exact_values.items()}
            made = {"id": f"{kind.replace(' ', '-')}-{number}", "kind": kind, **case, "values": values}
            if kind in ("tied", "untied", "hard labels") and len(case["labels"]) <= SHOWN:
                made["curves"] = points_of(case)
            yield made
    for number, case in enumerate(BY_RULE):
        values = {name: written(value) for name, value in values_of(case).items()}
        yield {"id": f"rows-by-a-rule-{number}", "kind": "rows by a rule", **case, "values": values}


if __name__ == "__main__":
    with localcontext() as context:
        context.prec = exact.DIGITS
        lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases())
    CASES.write_text(f'{{"seed":{SEED},"cases":[\n{lines}\n]}}\n', encoding="utf-8")
