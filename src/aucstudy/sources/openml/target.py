"""The truth of a task: the target column of its data set, in the order of the file's rows."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from aucstudy.reading.arff import Arff, ArffError
from aucstudy.reading.labels import same_labels
from aucstudy.store.rejections import Reason


class Unusable(Exception):
    """A task or run that cannot be used: the reason from the store's list, and the detail in words."""

    def __init__(self, reason: Reason, detail: str = ""):
        super().__init__(f"{reason.value}: {detail}")
        self.reason, self.detail = reason, detail


@dataclass(frozen=True)
class Target:
    """The classes of a task and the class of each row.

    Attributes
    ----------
    classes : tuple of str
        The classes in the order in which the data set declares them, those that never occur included.
    codes : (n,) integer array
        The class of each row, an index into `classes`; -1 where it is missing.
    """

    classes: tuple[str, ...]
    codes: np.ndarray

    @cached_property
    def counts(self) -> np.ndarray:
        """How many rows each class has."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.classes))

    @cached_property
    def known(self) -> np.ndarray:
        """(n,) bool array: the rows whose class is not missing."""
        return self.codes >= 0

    def positive_and_negative(self) -> tuple[int, int]:
        """The indices of the minority class and of the other one; of two equal ones the later declared is positive.

        Raises
        ------
        Unusable
            Not exactly two classes occur.

        Examples
        --------
        >>> Target(("yes", "no"), np.array([0, 1, 1])).positive_and_negative()
        (0, 1)
        >>> Target(("yes", "no"), np.array([0, 1])).positive_and_negative()
        (1, 0)
        """
        counts = self.counts
        present = np.flatnonzero(counts)
        if len(present) < 2:
            names = ", ".join(repr(self.classes[i]) for i in present)
            raise Unusable(Reason.ONE_CLASS, f"of the target only {names or 'nothing'} occurs")
        if len(present) > 2:
            raise Unusable(Reason.NOT_BINARY, f"{len(present)} classes of the target occur")
        first, second = (int(i) for i in present)
        return (first, second) if counts[first] < counts[second] else (second, first)


def read_target(body: bytes, name: str) -> Target:
    """Read the target column `name` out of the ARFF file of a data set, every row of it.

    Raises
    ------
    Unusable
        The file is damaged, has no such column, or one that is not nominal (reason truth_unavailable, not_binary).
    """
    try:
        file = Arff.from_bytes(body)
        column = file.index(name)
        if column is None:
            raise Unusable(Reason.TRUTH_UNAVAILABLE, f"the data set has no column {name!r}")
        labels = file.labels(column)
    except ArffError as error:
        raise Unusable(Reason.TRUTH_UNAVAILABLE, f"data set: {error}") from None
    declared = file.attributes[column]
    if declared.kind != "nominal":
        raise Unusable(Reason.NOT_BINARY, f"the target {name!r} is {declared.kind}, not nominal")
    seen = tuple(str(value) for value in labels.categories)
    order = same_labels(seen, declared.values)
    strange = [value for value, at in zip(seen, order, strict=True) if at is None]
    if strange:
        raise Unusable(
            Reason.TRUTH_UNAVAILABLE, f"the target holds {strange[0]!r}, which it does not declare"
        )
    codes = np.array([*order, -1], dtype=np.int64)[labels.codes]
    return Target(declared.values, codes)
