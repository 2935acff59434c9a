"""Read relational data in the form of BoostSRL and relational-datasets: one ground atom a line."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from aucstudy.errors import InputError

ATOM = re.compile(r"\s*(\w+)\(\s*([^()]*?)\s*\)\s*\.?\s*")
FOLDS = 5
VERSION = "v0.0.4"  # of the files that the package relational-datasets downloads

Atom = tuple[str, ...]


@dataclass(frozen=True)
class Area:
    """One area: its facts by predicate, and the pairs that the target relation holds for, or does not."""

    name: str
    facts: dict[str, list[Atom]]
    positive: list[Atom]
    negative: list[Atom]


def parse_atoms(lines: Iterable[str], where: str) -> list[tuple[str, Atom]]:
    """Predicate and arguments of each line; empty lines and comments (//) are left out.

    Raises
    ------
    InputError
        A line is no ground atom: file, line number and text are named.

    Examples
    --------
    >>> parse_atoms(["advisedby(person309,person378)."], "test_pos.txt")
    [('advisedby', ('person309', 'person378'))]
    """
    atoms = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("//"):
            continue
        match = ATOM.fullmatch(text)
        if not match:
            raise InputError(f"{where}: line {number}: {text[:60]!r} is no atom like predicate(a,b).")
        atoms.append((match[1].lower(), tuple(argument.strip() for argument in match[2].split(","))))
    return atoms


def read_areas(folder: Path | str | None) -> list[Area]:
    """The five areas: the test part of each fold, from a folder or, without one, through relational-datasets.

    Raises
    ------
    InputError
        A file is missing or unreadable, or the package is not installed.
    """
    if folder is None:
        return [_downloaded(fold) for fold in range(1, FOLDS + 1)]
    folds = sorted(path for path in Path(folder).glob("fold*") if path.is_dir())
    if not folds:
        raise InputError(f"{folder}: no folders fold1, fold2, ... in it")
    return [
        _area(path.name, *(_lines(path / "test" / f"test_{kind}.txt") for kind in ("facts", "pos", "neg")))
        for path in folds
    ]


def _area(name: str, facts: list, positive: list, negative: list) -> Area:
    by_predicate = defaultdict(list)
    for predicate, arguments in facts:
        by_predicate[predicate].append(arguments)
    return Area(name, dict(by_predicate), [pair for _, pair in positive], [pair for _, pair in negative])


def _lines(path: Path) -> list[tuple[str, Atom]]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as text ({error})") from None
    return parse_atoms(text.splitlines(), str(path))


def _downloaded(fold: int) -> Area:
    try:
        from relational_datasets import load
    except ImportError:
        raise InputError(
            "relational.folder: no folder is given and the package relational-datasets is not installed "
            "(pip install relational-datasets)"
        ) from None
    _, test = load("uwcse", VERSION, fold=fold)
    atoms = (parse_atoms(lines, f"uwcse fold {fold}") for lines in (test.facts, test.pos, test.neg))
    return _area(f"fold{fold}", *atoms)
