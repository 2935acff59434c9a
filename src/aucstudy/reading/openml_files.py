"""ARFF files as tables: one as the uploaders of OpenML write it knows its own labels, scores, folds and rows."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from aucstudy.errors import InputError
from aucstudy.reading.arff import CONFIDENCE, NUMERIC, TRUTH, Arff, OpenMLPredictions
from aucstudy.reading.column_files import ColumnFile
from aucstudy.reading.labels import Labels, crossed, equal_numbers, same_labels
from aucstudy.reading.numbers import too_large, whole_texts


class OpenMLFile(ColumnFile):
    def __init__(self, path: Path, body: bytes) -> None:
        self.file = OpenMLPredictions(Arff.from_bytes(body))
        super().__init__(path, self.file.names)

    def _columns(self, texts: tuple[str, ...], numbers: tuple[str, ...]) -> dict[str, pa.ChunkedArray]:
        return {}  # the file is in memory already

    def _column(self, name: str) -> pa.ChunkedArray:
        column = self._index(name)
        values = self.file.arff.numbers([column])[column]
        return pa.chunked_array([pa.array(values, from_pandas=True)])  # NaN as missing

    def _labels(self, name: str) -> Labels:
        labels = self.file.arff.labels(self._index(name))
        self._check_declared(name, labels)
        return Labels.of([*equal_numbers([str(value) for value in labels.categories]), None])[labels.codes]

    def _check_declared(self, name: str, labels: Labels) -> None:
        declared = self.file.arff.attributes[self._index(name)]
        same_class = same_labels([str(value) for value in labels.categories], declared.values)
        if declared.kind == "nominal" and None in same_class:
            row = int(np.argmax(labels.codes == same_class.index(None)))
            fault = f"{str(labels.categories[labels.codes[row]])[:60]!r} in row {row + 1} of the data is not declared"
            classes = ", ".join(map(repr, declared.values))[:200]
            raise InputError(f"{self.where(name)}: {fault}; the declared classes are {classes}")

    def scores(self, name: str) -> np.ndarray:
        """A confidence counts as on the server: where all are zero, the predicted class has 1."""
        values = self.numbers(name)
        if self.file.prediction is None or self._index(name) not in self.file.confidences:
            return values
        zero = self.file.without_confidence(self._confidences())
        if not zero.any():
            return values
        n = zero.sum()
        note = f"{n} rows have no confidence above zero: their prediction counts, as on OpenML's server"
        self.notes += [note] if note not in self.notes else []
        self.text(self.names[self.file.prediction])  # refuses what is missing or not declared
        predicted = self.file.codes(self.file.prediction, self.file.classes)
        return np.where(zero, predicted == self.file.confidences.index(self._index(name)), values)

    def all_scores(self, not_scores: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
        """None by name where there are confidences: which one is meant, the positive class says."""
        return ((), {}) if self.file.confidences else super().all_scores(not_scores)

    def why_no_scores(self, name: str) -> str:
        kind = self.file.arff.attributes[self._index(name)].kind
        return "" if kind in NUMERIC else f"is {kind}"

    def own_label(self) -> str:
        if self.file.truth is None:
            missing = "--label is missing, and there is no column truth or correct"
            raise InputError(f"{self.path}: {missing}; the columns are {self.listed()}")
        return self.names[self.file.truth]

    def own_score(self, positive: str) -> str:
        index = same_labels([positive], self.file.classes)[0]
        if index is None:
            class_names = ", ".join(map(repr, self.file.classes))[:300] or "no class"
            missing = f"no column {CONFIDENCE}{positive}"
            raise InputError(f"{self.path}: {missing}; there are confidences for {class_names}")
        return self.names[self.file.confidences[index]]

    def own_folds(self) -> np.ndarray | None:
        keys = self._keys(self.file.repeat, self.file.fold)
        return crossed(*keys) if keys else None

    def own_rows(self) -> np.ndarray | None:
        keys = self._keys(self.file.row_id)
        return keys[0] if keys else None

    def check_truth(self, label: str) -> None:
        """Refuse what versions 0.11 to 0.13.0 of the Python client wrote: the truth in `prediction`."""
        if label.lower() not in TRUTH or self.file.prediction is None or not self.file.confidences:
            return
        self._check_declared(self.names[self.file.prediction], self.file.arff.labels(self.file.prediction))
        confidences = np.column_stack([*self._confidences().values()])
        rows, surest = np.arange(len(confidences)), confidences.max(axis=1)

        def is_surest(column: int) -> np.ndarray:
            codes = self.file.codes(column, self.file.classes)
            return (codes >= 0) & (confidences[rows, codes] == surest)

        if is_surest(self._index(label)).all() and not is_surest(self.file.prediction).all():
            raise InputError(
                f"{self.path}: the columns 'prediction' and {label!r} were swapped by the uploader "
                f"({label!r} is the most confident class in every row, 'prediction' is not), so the truth is in "
                "doubt; if you trust it, give --label prediction"
            )

    def _index(self, name: str) -> int:
        return self.file.arff.index(name)

    def _confidences(self) -> dict[int, np.ndarray]:
        return {column: self.numbers(self.names[column]) for column in self.file.confidences}

    def _keys(self, *columns: int | None) -> list[np.ndarray]:
        present = [column for column in columns if column is not None]
        keys = self.file.arff.numbers(present)
        if any(np.isnan(values).any() for values in keys.values()):
            return []
        # ids that float64 would tie are told apart as text
        return [self.text(self.names[i]).codes if too_large(keys[i]) else keys[i] for i in present]

    def _whole_numbers(self, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray | None:
        texts = np.asarray(self.file.arff.labels(self._index(name)), dtype=object)
        return whole_texts(pa.chunked_array([pa.array(texts, pa.string())]), self.where(name))
