"""ARFF files as tables.

For a file of predictions in the format of OpenML, the table finds labels, scores, folds and rows by itself.
"""

from collections.abc import Collection

import numpy as np

from aucstudy.errors import InputError
from aucstudy.reading.arff import NUMERIC, TRUTH, Arff, OpenMLPredictions
from aucstudy.reading.labels import Labels, crossed, same_labels
from aucstudy.reading.tables import Table


class OpenMLTable(Table):
    def __init__(self, where: str, body: bytes) -> None:
        self.file = OpenMLPredictions(Arff(body))
        columns = tuple(self.file.arff.texts(i) for i in range(len(self.file.names)))
        super().__init__(where, tuple(self.file.names), columns)

    def labels(self, name: str) -> Labels:
        """Return the same as for any table. Also raise InputError for a class that is not declared."""
        labels, declared = super().labels(name), self.file.arff.attributes[self.names.index(name)]
        if declared.kind == "nominal" and None in same_labels(labels.categories, declared.values):
            classes, values = ", ".join(declared.values), ", ".join(labels.categories)
            raise InputError(f"{self.named(name)} holds {values[:200]}; declared are {classes[:200]}")
        return labels

    def numbers(self, name: str) -> np.ndarray:
        """Return the numbers of a column. If all confidences of a row are zero, the predicted class has 1.

        The server treats such rows in the same way.
        """
        values, index, prediction = super().numbers(name), self.names.index(name), self.file.prediction
        if prediction is None or index not in self.file.confidences:
            return values
        zero = self.file.without_confidence(self._confidences())
        if not zero.any():
            return values
        note = f"{zero.sum()} rows have no confidence above zero: their prediction counts, as on OpenML"
        self.notes.extend({note} - set(self.notes))
        # This raises InputError for a missing or undeclared class.
        self.labels(self.names[prediction])
        predicted = self.file.codes(prediction, self.file.classes)
        return np.where(zero, predicted == self.file.confidences.index(index), values)

    def score_columns(self, others: Collection[str]) -> tuple[tuple[str, ...], dict[str, str]]:
        """Return no columns if the file has confidences. Then `own_score` takes that of the positive class.

        Other files are treated like any table.
        """
        return ((), {}) if self.file.confidences else super().score_columns(others)

    def _no_numbers(self, name: str, column: object) -> str:
        kind = self.file.arff.attributes[self.names.index(name)].kind
        return "" if kind in NUMERIC else f"is {kind}"

    def own_label(self) -> str:
        return super().own_label() if self.file.truth is None else self.names[self.file.truth]

    def own_score(self, positive: str) -> str:
        index = same_labels([positive], self.file.classes)[0]
        return super().own_score(positive) if index is None else self.names[self.file.confidences[index]]

    def without_missing(self, label: str, scores: Collection[str]) -> Table:
        raise InputError(f"{self.where}: --drop-missing needs a CSV, TSV or Parquet file")

    def own_columns(self) -> Collection[str]:
        return self.names if self.file.confidences else ()

    def own_folds(self) -> np.ndarray | None:
        keys = [self._codes(column) for column in (self.file.repeat, self.file.fold) if column is not None]
        return crossed(*keys) if keys and all(codes is not None for codes in keys) else None

    def own_rows(self) -> np.ndarray | None:
        return self._codes(self.file.row_id)

    def check_truth(self, label: str) -> None:
        """Raise InputError if `prediction` seems to hold the true class and `label` the predicted one.

        Versions 0.11 to 0.13.0 of OpenML's Python client wrote such files.
        """
        if label.lower() not in TRUTH or self.file.prediction is None or not self.file.confidences:
            return
        self.labels(self.names[self.file.prediction])
        confidences = np.column_stack([*self._confidences().values()])

        def is_surest(column: int) -> bool:
            codes = self.file.codes(column, self.file.classes)
            chosen = confidences[np.arange(len(codes)), codes]
            return bool(((codes >= 0) & (chosen == confidences.max(axis=1))).all())

        if is_surest(self.names.index(label)) and not is_surest(self.file.prediction):
            raise InputError(
                f"{self.where}: the columns 'prediction' and {label!r} were swapped by the uploader: {label!r} is the "
                "most confident class in every row; if you trust it, give --label prediction"
            )

    def _confidences(self) -> dict[int, np.ndarray]:
        return {column: Table.numbers(self, self.names[column]) for column in self.file.confidences}

    def _codes(self, column: int | None) -> np.ndarray | None:
        # The codes are made from texts, because as float64 two ids of many digits could be equal.
        if column is None or self.columns[column].null_count:
            return None
        return self.labels(self.names[column]).codes
