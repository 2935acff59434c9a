"""Which definition each tool's answers follow: `python -m conformance.compare answers.jsonl ...` writes the tables.

A line of the answers names tool, version, language, function and case, and has a value (null: undefined) or an error.
An answer follows a definition where it is within 1e-5 of it, as sums of 32-bit floats are.
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
UNDEFINED, REFUSED, NONE = "undefined", "refused", "none of these"


def read_cases(path: Path = FOLDER / "cases.json") -> dict[str, dict]:
    return {case["id"]: case for case in json.loads(path.read_text(encoding="utf-8"))["cases"]}


def followed(answer: dict, case: dict) -> dict[str, float]:
    """The definitions that an answer is near to, each with how far off it is."""
    values = case["values"]
    if "average" in answer:
        values = {answer["average"]: values[answer["average"]]}
    off = {name: abs(answer["value"] - value["float"]) for name, value in values.items() if value}
    return {name: error for name, error in off.items() if error <= NEAR}


def outcome(answer: dict, case: dict) -> tuple[dict[str, float], str]:
    """The definitions that are met, and what the answer is where none is."""
    if "error" in answer:
        return {}, REFUSED
    if answer["value"] is None:
        return {}, UNDEFINED
    met = followed(answer, case)
    return met, "" if met else NONE


def convention(outcomes: Sequence[tuple[dict[str, float], str]]) -> str:
    """The definition that most of a function's answers follow; of equals the first by name."""
    counts = Counter(name for met, _ in outcomes for name in met)
    return min(counts, key=lambda name: (-counts[name], name), default=NONE)


def tables(answers: Iterable[dict], cases: dict[str, dict]) -> tuple[list[dict], list[dict]]:
    """A row for each function and kind of case, and one for each answer."""
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
            same = sum(n for follows, n in counts.items() if follows.startswith(rule))
            matrix.append(
                dict(zip(KEY, key, strict=True))
                | {
                    "convention": rule, "kind": kind, "n_cases": len(found), "n_same": same,
                    "otherwise": "; ".join(f"{k} {n}" for k, n in counts.most_common() if not k.startswith(rule)),
                    "largest_error": f"{max(error for _, error in found):.1e}",
                }
            )  # fmt: skip
    return matrix, rows


def write(path: Path, rows: Sequence[dict]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    texts = [Path(name).read_text(encoding="utf-8") for name in sys.argv[1:]]
    answers = [json.loads(line) for text in texts for line in text.splitlines()]
    matrix, rows = tables(answers, read_cases())
    write(FOLDER / "matrix.csv", matrix)
    write(FOLDER / "answers.csv", rows)
