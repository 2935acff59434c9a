"""Random files, names, arguments and configurations for every command: it ends with 0, 1 or 2, and 1 is one line.

`python -m fuzz.commands --seconds 60` (with tests/ and src/ on the path) goes on for as long as one likes.
"""

import argparse
import contextlib
import gzip
import io
import random
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from aucstudy.commands.main import main
from aucstudy.config import REPOSITORY
from fuzz import numbers

ROWS = 30
NASTY = (
    "", " ", "\t", "a\nb", "\x1b[31m", "\x07", "\x9b2J", "\u202e", "\ufeff", "模型", "é", "x" * 5000, "-", "--", "%s",
    "{0}", "[bold]", "<b>", "a|b", ",", '"', "'", ";", "=1+1", "NaN", "None", "null", "1e999", "-1", "\udcff", "../..",
    "quick\n",
)  # fmt: skip
NASTY_TEXT = tuple(text for text in NASTY if text != "\udcff")
STEMS = ("t", "a b", "模型", "x" * 200, "a\x1b[31mb")
VALUES = (
    "0", "1", "0.5", "-3", "1e308", "-1.8e308", "inf", "nan", "", "NA", "high", "1,5", "99999999999999999999",
    "1234567890123456788", "1234567890123456789", "12e4567", "1.1", "1.10",
)  # fmt: skip
NUMBERS = (-1, 0, 1, 3, 99, 100, 10**9, 10**30, 0.5, float("nan"), float("inf"), -0.0, 1e308)


class Dice(random.Random):
    """The random numbers of one case, which is right, nearly right or wild throughout."""

    def __init__(self, *names: object) -> None:
        super().__init__(" ".join(map(str, names)))
        self.wildness = self.choice((0.0, 0.1, 1.0, 1.0))

    def odd(self, probability: float) -> bool:
        """Whether something odd is to happen here, with this probability in a wild case."""
        return self.random() < probability * self.wildness


def choice_of_name(dice: Dice, names: list[str]) -> str:
    """Mostly a name that is there, else a nasty one."""
    return dice.choice(NASTY) if dice.odd(0.2) else dice.choice(names)


def damaged(dice: Dice, content: bytes) -> bytes:
    """Bytes changed in some places, or none of them as before."""
    at, to = sorted(dice.randrange(len(content) + 1) for _ in range(2))
    if not dice.odd(0.7):
        return content
    kind = dice.randrange(2, 7)
    if kind == 2:
        return content[:at] + dice.randbytes(dice.randrange(1, 20)) + content[at:]
    if kind == 3:
        return content[:at] + content[to:]
    if kind == 4:
        return content[:at]
    if kind == 5:
        return content[:to] + content[at:]
    return dice.randbytes(dice.randrange(200))


def written_table(dice: Dice, folder: Path) -> tuple[Path, list[str], str]:
    """A file that is, or was, a table; the names of its columns, and one of its classes."""
    names = [dice.choice(NASTY) if dice.odd(0.15) else name for name in ("y", "a", "b", "c", "fold")]
    labels = dice.choice((["0", "1"], ["yes", "no"]))
    if dice.odd(0.6):
        labels = dice.choice((["1"], ["a", "b", "c"], list(VALUES), list(NASTY)))
    columns = [[dice.choice(labels) for _ in range(ROWS)]]
    for _ in names[1:4]:
        odd = dice.odd(0.2)
        columns.append([dice.choice(VALUES) if odd else f"{dice.gauss(0, 1):.3g}" for _ in range(ROWS)])
    folds = [str(dice.randrange(3)) for _ in range(ROWS)]
    columns.append([f"123456789012345678{fold}" for fold in folds] if dice.odd(0.2) else folds)
    if dice.odd(0.1):
        names[dice.randrange(1, 4)] = dice.choice(names)
    frame = pd.DataFrame(dict(enumerate(columns))).set_axis(names, axis=1)
    ending = dice.choice(
        ("arff", "txt", "gz") if dice.odd(0.2) else ("csv", "csv", "tsv", "parquet", "csv.gz")
    )
    path = folder / f"{dice.choice(STEMS)}.{ending}"
    if ending == "parquet" and not any("\udcff" in name for name in names):
        unreadable = frame.map(lambda text: text.encode(errors="replace").decode())
        numeric = unreadable.apply(
            lambda column: pd.to_numeric(column, errors="coerce") if not dice.odd(0.3) else column
        )
        arrays = [pa.array(numeric.iloc[:, i]) for i in range(len(names))]
        body = io.BytesIO()
        pq.write_table(pa.table(arrays, names=names), body)
        content = body.getvalue()
    else:
        text = frame.to_csv(index=False, sep="\t" if ending == "tsv" else ",")
        if dice.odd(0.1):
            text = dice.choice((" ", "\n", " \n", "% c\n")) * dice.choice((26, 40, 5000)) + text
        text = text.replace("\n", "\r") if dice.odd(0.03) else text
        content = (
            text.encode("utf-16", "replace") if dice.odd(0.03) else text.encode(errors="surrogateescape")
        )
    content = damaged(dice, content)
    path.write_bytes(gzip.compress(content) if ending.endswith("gz") else content)
    return path, names, labels[0]


def options(dice: Dice, offered: dict[str, Callable[[], str]]) -> list[str]:
    """Some of the options, each with a value of its own, in a wild case also again."""
    words = []
    for option, value in offered.items():
        if dice.random() < 0.4:
            words.append(f"{option}={value()}")
        while dice.odd(0.3):
            words.append(f"{option}={value()}")
    return words


def number(dice: Dice, right: object) -> str:
    """A number that is right, or any other."""
    return str(dice.choice(NUMBERS) if dice.odd(0.5) else right)


def predictions_case(dice: Dice, folder: Path) -> list[str]:
    """Words for score, curves or audit."""
    path, names, positive = written_table(dice, folder)
    command = dice.choice(("score", "curves", "audit"))
    words = [command, str(path)]
    for option, known in (("label", names[:1]), ("positive", [positive]), ("score", ["a"]), ("score", ["b"])):
        if not dice.odd(0.2):
            words.append(f"--{option}={choice_of_name(dice, known)}")
    formats = ("xml",) if dice.odd(0.1) else ("csv", "json")
    offered = {"--score": lambda: choice_of_name(dice, names[1:4]), "--format": lambda: dice.choice(formats)}
    if command != "curves":
        offered["--fold"] = lambda: choice_of_name(dice, names[4:])
    if command == "score":
        offered["--prevalence"] = lambda: number(dice, 0.3)
        if dice.random() < 0.2:
            words += ["--recall-range", number(dice, 0.1), number(dice, 0.9)]
    elif command == "curves":
        offered |= {"--kind": lambda: dice.choice(("roc", "pr", "prg")), "--points": lambda: number(dice, 5)}
    else:
        words += ["--resamples=100"]
        offered["--group"] = lambda: choice_of_name(dice, names[4:])
        offered |= {"--row": lambda: choice_of_name(dice, names), "--seed": lambda: number(dice, 7)}
        if dice.random() < 0.1:
            words.append(f"--html={page_path(dice, folder, path)}")
    return words + options(dice, offered)


def page_path(dice: Dice, folder: Path, table: Path) -> Path:
    """Where a page is to go: free, taken, an input, no place for a file."""
    other = folder / "other.html"
    other.write_text("mine")
    return dice.choice(
        (folder / "page.html", table, other, folder, other / "page.html", folder / "a" / "p\x1b.html")
    )


def metrics_case(dice: Dice, folder: Path) -> list[str]:
    """Words for an audit of metric values."""
    names = ["task", "model", "accuracy", "loss"]
    rows = [[f"t{i % 4}", f"m{i // 4}", dice.random(), dice.random()] for i in range(20)]
    for row in rows:
        if dice.odd(0.02):
            row[dice.randrange(4)] = dice.choice(VALUES + NASTY)
    path = folder / "scores.csv"
    text = pd.DataFrame(rows, columns=names).to_csv(index=False)
    path.write_bytes(damaged(dice, text.encode(errors="surrogateescape")))
    words = ["audit", f"--scores={path}", "--resamples=100"]
    for option, name in (("task", "task"), ("model", "model"), ("metric", "accuracy"), ("metric", "loss")):
        if not dice.odd(0.1):
            words.append(f"--{option}={choice_of_name(dice, [name])}")
    offered = {
        "--lower-is-better": lambda: choice_of_name(dice, names),
        "--format": lambda: dice.choice(("table", "json", "csv")),
        "--html": lambda: page_path(dice, folder, path),
    }
    return words + (options(dice, offered) if dice.random() < 0.5 else [])


def configuration_case(dice: Dice, folder: Path) -> list[str]:
    """Words for a run, or the plan of a fetch, of a study file that is not quite right."""
    whole = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
    study = {}
    for key in dice.sample(list(whole), dice.randrange(1, 4)):
        value = whole[key]
        if isinstance(value, dict) and dice.random() < 0.8:
            below = dice.choice([*value, "typo"])
            value = {below: odd_value(dice, value.get(below))}
        else:
            value = odd_value(dice, value)
        study[dice.choice(NASTY_TEXT) if dice.odd(0.1) else key] = value
    text = yaml.safe_dump(study, allow_unicode=True).encode(errors="surrogateescape")
    path = folder / "study.yaml"
    path.write_bytes(damaged(dice, text) if dice.random() < 0.5 else text)
    cores = [f"--cores={dice.choice(NUMBERS)}"]
    return ["run", str(path), *dice.choice(([], [], cores))]


def odd_value(dice: Dice, value: object) -> object:
    """The value itself, or one of another kind or size."""
    text, number = dice.choice(NASTY_TEXT), dice.choice(NUMBERS)
    others = (None, True, [], {}, "text", *NUMBERS, text, [value], {"a": value}, [number])
    return dice.choice(others) if dice.odd(0.7) else value


CASES = (predictions_case, predictions_case, predictions_case, metrics_case, configuration_case)


@contextlib.contextmanager
def without_snakemake() -> Iterator[None]:
    """A configuration that is right after all starts nothing."""
    with (
        patch("aucstudy.commands.run.snakemake", return_value=0),
        patch("aucstudy.commands.run._alone", return_value=contextlib.nullcontext((-1, False))),
    ):
        yield


def outcome(words: list[str]) -> tuple[int, str, str]:
    """Exit code, output and errors of a command in this process; 70 and a traceback for an uncaught exception."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace") for _ in range(2))
    with (
        contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), without_snakemake(),
        warnings.catch_warnings(),
    ):  # fmt: skip
        warnings.simplefilter("always")
        for unseen in (DeprecationWarning, PendingDeprecationWarning, ResourceWarning):
            warnings.simplefilter("ignore", unseen)
        warnings.showwarning = lambda message, kind, *_: err.write(f"{kind.__name__}: {message}\n")
        try:
            code = main(words)
        except SystemExit as end:
            code = end.code
        except BaseException:
            code = 70
            err.write(traceback.format_exc())
    for stream in (out, err):
        stream.flush()
    return code, *(stream.buffer.getvalue().decode() for stream in (out, err))


def fault(code: int, out: str, err: str) -> str:
    """What is wrong with an outcome, or ""."""
    if code not in (0, 1, 2) or "Traceback" in err:
        return f"exit code {code}"
    if code == 1 and (err.count("\n") != 1 or not err.startswith("aucstudy: ")):
        return "more or less than one line on stderr"
    if "Warning: " in err:
        return "a warning of a library"
    if not all(character.isprintable() or character == "\n" for character in err):
        return "stderr holds what a terminal obeys"
    return "" if len(err) < 4000 else "stderr is long"


def fuzz(*, cases: int | None = None, seconds: float | None = None, seed: int = 0) -> tuple[int, list[str]]:
    """Run random cases, so many or for so long; returns how many and a description of each that went wrong."""
    faults, case = [], -1
    for case in numbers(seconds=seconds, cases=cases):
        dice = Dice(seed, case)
        with tempfile.TemporaryDirectory() as folder:
            words = dice.choice(CASES)(dice, Path(folder))
            result = outcome(words)
        if wrong := fault(*result):
            faults.append(f"seed {seed}, case {case}: {wrong}\n{words!r:.600}\n{result[2][-1500:]}")
    return case + 1, faults


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--seed", type=int, default=int(time.time()))
    given = arguments.parse_args()
    count, faults = fuzz(seconds=given.seconds, seed=given.seed)
    print(*faults, f"{count} cases from seed {given.seed}, {len(faults)} faults", sep="\n")
    raise SystemExit(bool(faults))
