"""Prediction files damaged at random, each of which must be read as what it says or refused with one line.

Damage can turn a file into another valid one, for instance with a digit more or a row less. So an answer that
differs from that of the undamaged file is right only if an independent strict reader of the format reads the
same from the damaged bytes.

With this folder's parent on the path, `python -m fuzz.files --seconds 60` tries as many cases as fit. A case
is given by its seed, so `python -m fuzz.files --seed 7` tries case 7 again.
"""

import argparse
import csv
import io
import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import arff as liac
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from openml_server.dialects import Dialect, write_predictions_file

from aucstudy.errors import InputError
from aucstudy.reading.prediction_tables import Columns, read_scored_table
from aucstudy.sources.openml.files import Unusable
from aucstudy.sources.openml.run import read_predictions
from aucstudy.sources.openml.task import Target
from fuzz import numbers

N = 30
FOLDS = np.arange(N) % 10
TRUTH = (np.arange(N) % 3 == 0).astype(int)
CLASSES = ("no", "yes")

Answer = tuple[tuple[bool, ...], tuple[float, ...]]


@dataclass(frozen=True)
class Kind:
    """A kind of file, with functions that make one, read it with the project, and read it independently."""

    ending: str
    make: Callable[[np.random.Generator], bytes]
    read: Callable[[Path], Answer]
    independent: Callable[[bytes], Answer]


def _answer(labels, scores) -> Answer:
    return tuple(bool(label) for label in labels), tuple(float(score) for score in scores)


def _scored(path: Path) -> Answer:
    table = read_scored_table(path, Columns(label="label", scores=["score"], positive="yes"))
    return _answer(table.y_true, table.scores[:, 0])


def _openml_scored(path: Path) -> Answer:
    table = read_scored_table(path, Columns(positive="yes"))
    return _answer(table.y_true, table.scores[:, 0])


def _openml_fetched(path: Path) -> Answer:
    read = read_predictions(path.read_bytes(), Target(CLASSES, TRUTH), 1)
    return _answer(TRUTH[read.row_id], read.score)


def _rows(rng: np.random.Generator) -> list[list[str]]:
    scores = rng.random(N).round(int(rng.integers(1, 8)))
    return [[str(i), CLASSES[TRUTH[i]], repr(float(scores[i])), str(FOLDS[i])] for i in range(N)]


_DECLARED = re.compile(r"(@attribute)\s+('[^']*'|\"[^\"]*\"|\S+)[^\n]*", re.IGNORECASE)
INSERTED = (b"\0", b"\n", b"'", b'"', b",", b"%", b"{", b"\xff", b"?", b"\\", b"NaN", b";")
HEADER = ["id", "label", "score", "fold"]


def _make_csv(rng: np.random.Generator) -> bytes:
    text = io.StringIO()
    separator = str(rng.choice([",", ";", "\t"]))
    quoting = int(rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    writer = csv.writer(
        text, delimiter=separator, quoting=quoting, lineterminator=str(rng.choice(["\n", "\r\n"]))
    )
    rows = _rows(rng)
    # Two columns have the name `fold`, which is not read.
    twice = [[*row, row[3]] for row in (HEADER, *rows)]
    writer.writerows(twice if rng.random() < 0.2 else [HEADER, *rows])
    return text.getvalue().encode()


def _make_openml(rng: np.random.Generator) -> bytes:
    score = rng.random(N).round(int(rng.integers(2, 8)))
    dialect = Dialect(
        quote=str(rng.choice(["", "'", '"'])),
        order=str(rng.choice(["old", "new", "r"])),
        comments=bool(rng.integers(2)),
        newline=str(rng.choice(["\n", "\r\n"])),
    )
    confidences = np.column_stack([1 - score, score])
    return write_predictions_file(dialect, CLASSES, np.zeros(N, int), FOLDS, np.arange(N), confidences, TRUTH)


def _make_parquet(rng: np.random.Generator) -> bytes:
    ids, labels, scores, folds = zip(*_rows(rng), strict=True)
    columns = [ids, labels, [*map(float, scores)], [*map(int, folds)]]
    twice = [3] if rng.random() < 0.2 else []
    order = [*range(4), *twice]
    table = pa.table([pa.array(columns[i]) for i in order], names=[HEADER[i] for i in order])
    body = io.BytesIO()
    compression = str(rng.choice(["none", "snappy", "zstd"]))
    pq.write_table(table, body, compression=compression, write_page_checksum=True)
    return body.getvalue()


def _independent_csv(body: bytes) -> Answer:
    """Read a CSV file by Python's own reader. A separator must give every row the length of the header."""
    text = body.decode("utf-8-sig", "replace")
    for separator in (",", "\t", ";"):
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]
        if len(rows[0]) > 1 and all(len(row) == len(rows[0]) for row in rows):
            label, score = (rows[0].index(name) for name in ("label", "score"))
            return _answer(
                [row[label].strip() == "yes" for row in rows[1:]], [row[score] for row in rows[1:]]
            )
    raise ValueError("no separator fits")


def _loaded(body: bytes, *names_read: str) -> tuple[list[str], list[list[object]]]:
    """Return the column names and the rows of an ARFF file. Columns that are not read may hold anything."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        text = body.decode("latin-1")

    asked = []

    def relaxed(declared: re.Match) -> str:
        asked.append(declared[2].strip("'\"").lower() in names_read)
        return declared[0] if asked[-1] else f"{declared[1]} {declared[2]} STRING"

    def blanked(row: str) -> str:
        cells = row.split(",")
        # A quote has a meaning only where a value begins. Inside a value of such a column it is a letter.
        plain = not re.search(r"(^|,)\s*[\"'{]|^%", row) and len(cells) == len(asked)
        return ",".join(c if a else "?" for c, a in zip(cells, asked, strict=True)) if plain else row

    head, data, rows = re.split(r"(^\s*@data)", text.replace("\r\n", "\n"), maxsplit=1, flags=re.I | re.M)
    head = _DECLARED.sub(relaxed, head)
    try:
        file = liac.loads("\n".join([head + data, *map(blanked, rows.split("\n"))]))
    except liac.BadLayout:
        # liac-arff refuses a row for a quote too many, even in a column that is not read.
        return [name.lower() for name, _ in liac.loads(head + data)["attributes"]], _cells(rows, asked)
    return [name.lower() for name, _ in file["attributes"]], file["data"]


def _cells(rows: str, asked: list[bool]) -> list[list[object]]:
    """Return the rows split at commas outside quotes, with numbers in the columns that are read."""
    lines = [line for line in rows.split("\n") if line.strip() and not line.startswith("%")]
    cells = [row for line in lines for row in csv.reader([line], skipinitialspace=True)]
    if any(len(row) != len(asked) for row in cells):
        raise ValueError("a row of another length")
    return [
        [_number(cell.strip(" '")) if a else cell for cell, a in zip(row, asked, strict=True)]
        for row in cells
    ]


def _number(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text


def _independent_openml(body: bytes) -> Answer:
    names, rows = _loaded(body, "truth", "correct", "prediction", "confidence.yes")
    label = next(names.index(name) for name in ("truth", "correct") if name in names)
    return _answer(
        [row[label] == "yes" for row in rows], [row[names.index("confidence.yes")] for row in rows]
    )


def _independent_fetch(body: bytes) -> Answer:
    """Return the labels of the task, and the scores of the file in the order of its row numbers."""
    names, rows = _loaded(body, "row_id", "confidence.yes")
    rows = sorted(rows, key=lambda row: row[names.index("row_id")])
    return _answer(TRUTH, [row[names.index("confidence.yes")] for row in rows])


def _independent_parquet(body: bytes) -> Answer:
    table = pq.read_table(pa.BufferReader(body)).to_pandas(ignore_metadata=True)
    return _answer(table["label"] == "yes", table["score"])


KINDS = {
    "csv": Kind("csv", _make_csv, _scored, _independent_csv),
    "parquet": Kind("parquet", _make_parquet, _scored, _independent_parquet),
    "openml": Kind("arff", _make_openml, _openml_scored, _independent_openml),
    "openml fetched": Kind("arff", _make_openml, _openml_fetched, _independent_fetch),
}


def damaged(body: bytes, rng: np.random.Generator) -> bytes:
    """Return the bytes with one kind of damage, done once or three times."""
    body = bytearray(body)
    kind = rng.integers(6)
    for _ in range(int(rng.choice([1, 1, 1, 3]))):
        at, end = sorted(rng.integers(len(body) + 1, size=2).tolist())
        end = min(end, at + int(rng.choice([1, 2, 5, 40])))
        if kind == 0 and at < len(body):
            body[at] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            del body[at:]
        elif kind == 2:
            del body[at:end]
        elif kind == 3:
            body[at:at] = body[at:end]
        elif kind == 4:
            body[at:at] = INSERTED[rng.integers(len(INSERTED))]
        elif kind == 5:
            body[at:end] = rng.bytes(end - at)
    return bytes(body)


@dataclass(frozen=True)
class Outcome:
    """The result of a case: `same`, `refused`, `as damaged`, or a description of what is wrong."""

    kind: str
    what: str
    right: bool = True


def outcome(seed: int, folder: Path) -> Outcome:
    """Damage one file and read it; the damaged file stays in `folder`."""
    rng = np.random.default_rng(seed)
    name = list(KINDS)[seed % len(KINDS)]
    kind = KINDS[name]
    body = kind.make(rng)
    path = folder / f"case.{kind.ending}"
    path.write_bytes(body)
    whole = kind.read(path)
    changed = damaged(body, rng)
    path.write_bytes(changed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            answer = kind.read(path)
    except (InputError, Unusable):
        return Outcome(name, "refused")
    except Exception as error:  # Any other exception is a fault of the project.
        return Outcome(name, f"{type(error).__name__}: {error}", False)
    if answer == whole:
        return Outcome(name, "same")
    try:
        expected = kind.independent(changed)
    except Exception as error:  # The other reader has exceptions of its own.
        return Outcome(name, f"another answer, which the other reader refuses ({error!r})"[:300], False)
    if np.array_equal(expected[0], answer[0]) and np.array_equal(expected[1], answer[1]):
        return Outcome(name, "as damaged")
    return Outcome(name, "another answer than the other reader's", False)


def outcomes(seeds: Iterator[int]) -> Iterator[tuple[int, Outcome]]:
    """Yield each seed with the result of its case."""
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            yield seed, outcome(seed, Path(folder))


def main() -> int:
    """Try cases for some seconds; return 1 if one of them is wrong."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, help="try this case alone")
    arguments = parser.parse_args()
    seen, wrong = Counter(), 0
    seeds = numbers(seconds=arguments.seconds) if arguments.seed is None else iter([arguments.seed])
    for seed, case in outcomes(seeds):
        seen[case.kind, case.what if case.right else "wrong"] += 1
        if not case.right:
            wrong += 1
            print(f"seed {seed}: {case.kind}: {case.what}")
    for (kind, what), times in sorted(seen.items()):
        print(f"{kind:15} {what:12} {times}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
