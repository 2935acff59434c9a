"""The source of the study `uw-cse`: who advises whom, the task in table 3 of Boyd et al. 2012.

The areas of the department are the folds, as in the paper. The paper's learner, SAYU, is not available, so
ordinary learners on a few relational features take its place. The files have one ground atom on each line, as
BoostSRL's do.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from aucstudy.config import check_packages
from aucstudy.errors import InputError
from aucstudy.learners.cross_validation import fill_task, prepare_fold
from aucstudy.learners.datasets import DataSet
from aucstudy.learners.flows import FLOWS
from aucstudy.sources import check_numbers, fill
from aucstudy.store.task_store import Batch, Filled

NAME = "relational"
ROWS_DEPEND_ON = ("folder",)
PATHS = ("folder",)

TASK = "uw-cse"
ATOM = re.compile(r"\s*(\w+)\(\s*([^()]*?)\s*\)\s*\.?\s*")
FOLDS = 5
VERSION = "v0.0.4"  # of the files that the package relational-datasets downloads

Atom = tuple[str, ...]


def check(settings: Mapping[str, Any], *, models_per_task: int, min_flows: int) -> None:
    if unknown := settings.keys() - {"folder", "flows"}:
        raise InputError(f"source_settings.{min(unknown)}: unknown key; known are folder, flows")
    names = settings.get("flows")
    if not isinstance(names, list) or not names or any(names.count(name) > 1 for name in names):
        raise InputError(f"source_settings.flows: is {names!r}; expected: a list of flows, each once")
    for name in names:
        if name not in FLOWS:
            raise InputError(f"source_settings.flows: {name!r} is not known; known are {', '.join(FLOWS)}")
    check_numbers("source_settings.flows", len(names), models_per_task=models_per_task, min_flows=min_flows)
    folder = settings.get("folder")
    if folder is None:
        check_packages(["relational"])
    elif not (isinstance(folder, str) and Path(folder).is_dir()):
        layout = "fold1 ... fold5, each with test/test_facts.txt, test_pos.txt and test_neg.txt"
        expected = f"{layout}, or null for the package relational-datasets"
        raise InputError(f"source_settings.folder: {folder} is no folder; expected: {expected}")


def task_ids(settings: Mapping[str, Any]) -> list[str]:
    return [TASK]


@dataclass(frozen=True)
class Area:
    name: str
    facts: dict[str, list[Atom]]
    positive: list[Atom]
    negative: list[Atom]


def read_areas(folder: Path | str | None) -> list[Area]:
    """Return the five areas, which are the test parts of the folds.

    They are read from a folder or, without one, through relational-datasets.
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
        missing = "no folder is given and the package relational-datasets is not installed"
        raise InputError(f"source_settings.folder: {missing} (pip install relational-datasets)") from None
    try:
        _, test = load("uwcse", VERSION, fold=fold)
    except OSError as error:  # of urllib
        raise InputError(
            f"UW-CSE cannot be downloaded ({error}); source_settings.folder may name a folder of its facts"
        ) from None
    atoms = (parse_atoms(lines, f"uwcse fold {fold}") for lines in (test.facts, test.pos, test.neg))
    return _area(f"fold{fold}", *atoms)


def parse_atoms(lines: Iterable[str], where: str) -> list[tuple[str, Atom]]:
    """Return the predicate and the arguments of each line.

    Empty lines and comments (//) are skipped. InputError names a line that is no atom.

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


def student_professor_pairs(name: str, areas: Sequence[Area]) -> tuple[DataSet, np.ndarray]:
    """Return the pairs of a student and a professor with their features, and the (n,) area of each.

    The files list all pairs of people. The target is True if the professor advises the student.
    """
    rows, target, fold = [], [], []
    for number, area in enumerate(areas):
        students, professors = (
            {person for (person,) in area.facts.get(kind, ())} for kind in ("student", "professor")
        )
        features = _features_of(area)
        for label, pairs in ((True, area.positive), (False, area.negative)):
            pairs = [pair for pair in pairs if pair[0] in students and pair[1] in professors]
            rows += [features(*pair) for pair in pairs]
            target += [label] * len(pairs)
            fold += [number] * len(pairs)
    if len(set(target)) < 2:
        raise InputError(f"{name}: {len(target)} (student, professor) pairs, {sum(target)} of them positive")
    data = DataSet(name, name, pd.DataFrame(rows), np.array(target), "advisedby", "not advisedby")
    return data, np.array(fold)


def _features_of(area: Area):
    titles, courses, assisted = defaultdict(set), defaultdict(set), defaultdict(set)
    for title, person in area.facts.get("publication", ()):
        titles[person].add(title)
    for course, person, term in area.facts.get("taughtby", ()):
        courses[person].add((course, term))
    for course, person, term in area.facts.get("ta", ()):
        assisted[person].add((course, term))
    position, phase, years = (
        dict(area.facts.get(key, ())) for key in ("hasposition", "inphase", "yearsinprogram")
    )
    with_professors = Counter(
        student
        for student, papers in titles.items()
        for professor in position
        if papers & titles.get(professor, set())
    )

    def features(student: str, professor: str) -> dict[str, object]:
        common = len(titles[student] & titles[professor])
        year = years.get(student, "")
        return {
            "common_publications": float(common),
            "share_of_students_publications": common / max(len(titles[student]), 1),
            "courses_assisted": float(len(assisted[student] & courses[professor])),
            "publications_of_student": float(len(titles[student])),
            "publications_of_professor": float(len(titles[professor])),
            "professors_published_with": float(with_professors[student]),
            "courses_taught": float(len(courses[professor])),
            "courses_assisted_at_all": float(len(assisted[student])),
            "years_in_programme": float(year.removeprefix("year_")) if year else np.nan,
            "phase": phase.get(student, "unknown"),
            "position": position.get(professor, "unknown"),
        }

    return features


def rows(settings: Mapping[str, Any], task_id: str, seed: int) -> tuple[DataSet, np.ndarray]:
    return student_professor_pairs(TASK, read_areas(settings.get("folder")))


def fetch(batch: Batch) -> None:
    fill(batch, {TASK: 1}, partial(_filled, batch))


def _filled(batch: Batch, task_id: str) -> Filled:
    data, areas = rows(batch.settings, task_id, batch.seed)
    flows = [flow for name, flow in FLOWS.items() if name in batch.settings["flows"]]
    sha256 = hashlib.sha256(data.features.to_csv().encode()).hexdigest()
    with threadpool_limits(limits=1):
        splits = [(np.flatnonzero(areas != area), np.flatnonzero(areas == area)) for area in np.unique(areas)]
        folds = [prepare_fold(data, *split) for split in splits]
        return fill_task(batch, data, folds, flows, source=NAME, sha256=sha256)
