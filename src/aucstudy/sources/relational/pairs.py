"""The (student, professor) pairs of UW-CSE with a few relational features."""

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import pandas as pd

from aucstudy.errors import InputError
from aucstudy.learners.datasets import DataSet
from aucstudy.sources.relational.facts import Area


def student_professor_pairs(name: str, areas: Sequence[Area]) -> tuple[DataSet, np.ndarray]:
    """Pairs whose first person is a student and whose second is a professor; the files list all pairs of people.

    Returns
    -------
    data : features of each pair, target True where the professor advises the student.
    fold : (n,) the area of each pair, from 0.

    Raises
    ------
    InputError
        No area has such a pair, or all pairs are of one class.
    """
    rows, target, fold = [], [], []
    for number, area in enumerate(areas):
        students, professors = (
            {person for (person,) in area.facts.get(kind, ())} for kind in ("student", "professor")
        )
        features = _features_of(area)
        for label, pairs in ((True, area.positive), (False, area.negative)):
            kept = [pair for pair in pairs if pair[0] in students and pair[1] in professors]
            rows += [features(*pair) for pair in kept]
            target += [label] * len(kept)
            fold += [number] * len(kept)
    if len(set(target)) < 2:
        raise InputError(f"{name}: {len(target)} (student, professor) pairs, {sum(target)} of them positive")
    data = DataSet(name, name, pd.DataFrame(rows), np.array(target), "advisedby", "not advisedby")
    return data, np.array(fold)


def _features_of(area: Area):
    """The function that gives the features of a pair of this area."""
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
        student for student, own in titles.items() for other in position if own & titles.get(other, set())
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
