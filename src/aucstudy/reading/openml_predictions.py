"""What the columns of an OpenML predictions file mean, whatever program of an uploader wrote it."""

from collections.abc import Mapping, Sequence

import numpy as np

from aucstudy.reading.arff import Arff
from aucstudy.reading.class_names import same_labels

CONFIDENCE = "confidence."
TRUTH = ("truth", "correct")


class OpenMLPredictions:
    """A predictions file with its columns found by name; an index is None where there is no such column.

    Attributes
    ----------
    arff : Arff
    classes : tuple of str
        The classes that have a confidence: all that follows the first `confidence.`, word by word.
    confidences : tuple of int
        The indices of their columns.
    """

    def __init__(self, arff: Arff) -> None:
        self.arff = arff
        self.confidences = tuple(
            i for i, name in enumerate(self.names) if name.lower().startswith(CONFIDENCE)
        )
        self.classes = tuple(self.names[i][len(CONFIDENCE) :] for i in self.confidences)

    @property
    def row_id(self) -> int | None:
        """The column of the rows of the data set."""
        return self.arff.index("row_id", "rowid")

    @property
    def repeat(self) -> int | None:
        """The column of the repeats."""
        return self.arff.index("repeat", "repeat_nr")

    @property
    def fold(self) -> int | None:
        """The column of the folds."""
        return self.arff.index("fold", "fold_nr")

    @property
    def prediction(self) -> int | None:
        """The column of the predicted classes."""
        return self.arff.index("prediction")

    @property
    def truth(self) -> int | None:
        """The column of the true classes, which some uploaders wrote."""
        return self.arff.index(*TRUTH)

    @property
    def names(self) -> list[str]:
        """The columns as declared."""
        return [attribute.name for attribute in self.arff.attributes]

    def codes(self, column: int, classes: Sequence[str]) -> np.ndarray:
        """(n,) the classes in a column as indices into `classes`; -1 where it is none of them."""
        labels = self.arff.labels(column)
        meant = same_labels([str(name) for name in labels.categories], classes)
        return np.array([*(-1 if i is None else i for i in meant), -1])[labels.codes]

    def without_confidence(self, numbers: Mapping[int, np.ndarray]) -> np.ndarray:
        """(n,) the rows whose confidences are all zero: there `prediction` counts as 1, as it does on the server."""
        return np.logical_and.reduce([numbers[column] == 0 for column in self.confidences])
