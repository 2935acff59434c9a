"""An OpenML predictions file as columns: its confidences, folds and rows, and the upload fault to refuse."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.errors import InputError
from aucstudy.reading.arff import Arff
from aucstudy.reading.class_names import same_labels
from aucstudy.reading.column_files import ColumnFile

CONFIDENCE = "confidence."
TRUTH = ("truth", "correct")


class OpenMLFile(ColumnFile):
    """A predictions file as the uploaders of OpenML write it."""

    def __init__(self, path: Path, file: Arff):
        super().__init__(path, [attribute.name for attribute in file.attributes])
        self.file = file

    def load(self, texts: Sequence[str], numbers: Sequence[str]) -> None:
        """The file is in memory already."""
        for name in (*texts, *numbers):
            self.check(name)

    def numeric(self, name: str) -> bool:
        return self.file.attributes[self.file.index(name)].kind in ("numeric", "real", "integer")

    def text(self, name: str) -> pd.Categorical:
        found = (
            pd.Categorical([f"{value:g}" for value in self.numbers(name)])
            if self.numeric(name)
            else self.file.labels(self.file.index(name))
        )
        missing = np.flatnonzero(found.codes < 0)
        if len(missing):
            raise InputError(
                f"{self.path}: column {name!r}: {len(missing)} values are missing, the first in row "
                f"{missing[0] + 1} of the data"
            )
        return found

    def numbers(self, name: str) -> np.ndarray:
        at = self.file.index(name)
        values = self.file.numbers([at])[at]
        missing = np.flatnonzero(np.isnan(values))
        if len(missing):
            raise InputError(
                f"{self.path}: column {name!r}: {len(missing)} values are no numbers, the first is missing in row "
                f"{missing[0] + 1} of the data"
            )
        return values

    def confidence(self, positive: str) -> str:
        """The column of the confidence for a class."""
        names = self._confidences()
        at = same_labels([positive], list(names))[0]
        if at is None:
            told = ", ".join(map(repr, names))[:300] or "no class"
            raise InputError(
                f"{self.path}: no column {CONFIDENCE}{positive}; there are confidences for {told}"
            )
        return list(names.values())[at]

    def own_folds(self) -> np.ndarray | None:
        """(n,) a number for each (repeat, fold), None where the file does not say."""
        found = self._keys(("repeat", "repeat_nr"), ("fold", "fold_nr"))
        return (
            None
            if not found
            else np.unique(np.column_stack(found), axis=0, return_inverse=True)[1].reshape(-1)
        )

    def own_rows(self) -> np.ndarray | None:
        """(n,) the rows of the data set, None where the file does not say."""
        found = self._keys(("row_id", "rowid"))
        return found[0] if found else None

    def _keys(self, *names: tuple[str, ...]) -> list[np.ndarray]:
        at = [i for i in (self.file.index(*some) for some in names) if i is not None]
        found = list(self.file.numbers(at, whole=at).values())
        return [] if any(np.isnan(values).any() for values in found) else found

    def check_not_swapped(self, label: str) -> None:
        """Versions 0.11 to 0.13.0 of the Python client wrote the truth into `prediction`.

        Then what stands in `correct` is the most confident class in every row, and `prediction` is not.
        """
        names = self._confidences()
        predicted = self.file.index("prediction")
        if label.lower() not in TRUTH or predicted is None or not names:
            return
        confidences = np.column_stack([self.numbers(column) for column in names.values()])
        rows = np.arange(len(confidences))
        surest = confidences.max(axis=1)

        def is_surest(column: str) -> np.ndarray:
            found = self.text(column)
            meant = same_labels([str(name) for name in found.categories], list(names))
            codes = np.array([*(-1 if i is None else i for i in meant), -1])[found.codes]
            return (codes >= 0) & (confidences[rows, codes] == surest)

        if is_surest(label).all() and not is_surest(self.names[predicted]).all():
            raise InputError(
                f"{self.path}: the columns 'prediction' and {label!r} were swapped by the uploader "
                f"({label!r} is the most confident class in every row, 'prediction' is not), so the truth is in "
                "doubt; if you trust it, give --label prediction"
            )

    def _confidences(self) -> dict[str, str]:
        """The columns of the confidences by their class."""
        return {name[len(CONFIDENCE) :]: name for name in self.names if name.lower().startswith(CONFIDENCE)}
