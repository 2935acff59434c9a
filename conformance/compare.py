"""Find which definition each tool's answers follow.

`python -m conformance.compare answers.jsonl ...` writes matrix.csv and answers.csv. A line of the answers
names tool, version, language, function and case, and has a value (null: undefined) or an error. An answer
follows a definition where it lies within 1e-5 of it, as sums of 32-bit floats do. A tool without new answers
keeps those that it has in answers.csv.
"""

import csv
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

FOLDER = Path(__file__).parent
NEAR = 1e-5
KEY = ("tool", "version", "language", "function")
AVERAGES = ("macro", "weighted", "micro")  # over several labels
UNDEFINED, REFUSED, NONE = "undefined", "refused", "none of these"
# The tool could not be installed when cases of this kind were added, or takes minutes for each.
NOT_RUN = "not run"
# The kinds that came later. A function that was asked about the other kind is asked about these, too.
ASKED_LIKE = {
    "many positives": "tied", "many negatives": "tied", "large group": "tied", "tiny weights": "weights",
    "range in a large group": "range of recall", "prevalence of a large group": "other prevalence",
    "small group": "tied", "negatives on top": "tied", "light negatives on top": "weights",
    "narrow range": "range of recall", "rows by a rule": "tied",
}  # fmt: skip


def read_cases(path: Path = FOLDER / "cases.json") -> dict[str, dict]:
    return {case["id"]: case for case in json.loads(path.read_text(encoding="utf-8"))["cases"]}


def read_answers(path: Path = FOLDER / "answers.csv") -> list[dict]:
    """Read the answers that the table holds."""
    answers = []
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            answer = {key: row[key] for key in (*KEY, "case")}
            answer |= {"average": row["average"]} if row["average"] else {}
            if row["follows"] == REFUSED:
                answers.append(answer | {"error": row["answer"]})
            else:
                answers.append(answer | {"value": float(row["answer"]) if row["answer"] else None})
    return answers


def replaced(known: Iterable[dict], given: Sequence[dict]) -> list[dict]:
    """Return the given answers, and the known ones of tools without a given answer."""
    tools = {(answer["tool"], answer["language"]) for answer in given}
    return [*(answer for answer in known if (answer["tool"], answer["language"]) not in tools), *given]


def not_run(rule: str, kinds: Iterable[str], cases: dict[str, dict]) -> list[str]:
    """Return the kinds of cases that a function was not asked about, although it should have been.

    `rule` is the definition that it follows, and `kinds` are those that it was asked about.
    """
    with_rule = {case["kind"] for case in cases.values() if rule in case["values"]}
    return [
        kind for kind, like in ASKED_LIKE.items() if like in kinds and kind not in kinds and kind in with_rule
    ]


def followed(answer: dict, case: dict) -> dict[str, float]:
    """Return the definitions that an answer follows, each with its distance from the answer."""
    values = case["values"]
    if "average" in answer:
        values = {answer["average"]: values[answer["average"]]}
    off = {name: abs(answer["value"] - value["float"]) for name, value in values.items() if value}
    return {name: error for name, error in off.items() if error <= NEAR}


def outcome(answer: dict, case: dict) -> tuple[dict[str, float], str]:
    """Return the definitions that an answer follows, and what it is if it follows none."""
    if "error" in answer:
        return {}, REFUSED
    if answer["value"] is None:
        return {}, UNDEFINED
    met = followed(answer, case)
    return met, "" if met else NONE


def convention(outcomes: Sequence[tuple[dict[str, float], str]]) -> str:
    """Return the definition that most of a function's answers follow; if several do, the first by name."""
    counts = Counter(name for met, _ in outcomes for name in met)
    return min(counts, key=lambda name: (-counts[name], name), default=NONE)


def tables(answers: Iterable[dict], cases: dict[str, dict]) -> tuple[list[dict], list[dict]]:
    """Return the rows of two tables: one for each function and kind of case, and one for each answer."""
    by_function: dict[tuple, list[dict]] = defaultdict(list)
    for answer in answers:
        by_function[tuple(answer[key] for key in KEY)].append(answer)
    matrix, rows = [], []
    for key, given in sorted(by_function.items()):
        outcomes = [outcome(answer, cases[answer["case"]]) for answer in given]
        plain = [made for answer, made in zip(given, outcomes, strict=True) if "average" not in answer]
        rule = convention(plain)
        by_kind: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for answer, (met, otherwise) in zip(given, outcomes, strict=True):
            expected = answer.get("average", rule)
            one_class = all(value is None for value in cases[answer["case"]]["values"].values())
            follows = expected if expected in met else min(met, key=lambda name: met[name], default=otherwise)
            if one_class and otherwise == NONE:
                follows = "a number"
            by_kind[cases[answer["case"]]["kind"]].append((follows, met.get(follows, 0.0)))
            value = answer.get("value", answer.get("error"))
            row = dict(zip(KEY, key, strict=True)) | {
                "case": answer["case"],
                "average": answer.get("average", ""),
            }
            rows.append(row | {"answer": value, "follows": follows, "error": f"{met.get(follows, 0.0):.1e}"})
        for kind, found in by_kind.items():
            counts = Counter(follows for follows, _ in found)
            of_rule = {rule, *(f"{rule}_{average}" for average in AVERAGES)}
            same = sum(n for follows, n in counts.items() if follows in of_rule)
            matrix.append(
                dict(zip(KEY, key, strict=True))
                | {
                    "convention": rule, "kind": kind, "n_cases": len(found), "n_same": same,
                    "otherwise": "; ".join(f"{k} {n}" for k, n in counts.most_common() if k not in of_rule),
                    "largest_error": f"{max(error for _, error in found):.1e}",
                }
            )  # fmt: skip
        for kind in not_run(rule, by_kind, cases):
            left_out = {"n_cases": 0, "n_same": 0, "otherwise": NOT_RUN, "largest_error": ""}
            matrix.append(dict(zip(KEY, key, strict=True)) | {"convention": rule, "kind": kind} | left_out)
    return matrix, rows


def write(path: Path, rows: Sequence[dict]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    texts = [Path(name).read_text(encoding="utf-8") for name in sys.argv[1:]]
    given = [json.loads(line) for text in texts for line in text.splitlines()]
    matrix, rows = tables(replaced(read_answers(), given), read_cases())
    write(FOLDER / "matrix.csv", matrix)
    write(FOLDER / "answers.csv", rows)
