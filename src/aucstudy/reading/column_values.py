"""The values of a column, by which a question about it is decided."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from aucstudy.reading.tables import Table, as_numpy, floats, is_numeric, is_text
from aucstudy.reading.written_numbers import PLAIN, are_plain
from aucstudy.statistics.chance import fewest_units

FIRST_ROWS = 10_000
FEWEST_ROWS = 10  # of each model in a table in long format
_WHOLE = r"^[+-]?[0-9]+(?:\.0*)?$"
_BEGINNING = (
    r"^(?P<beginning>.*[^_/\\:#.-])[_/\\:#.-]+[^_/\\:#.-]+$"  # what stands before the last part of a text
)
_FILE_ENDING = r"\.[A-Za-z][A-Za-z0-9]{1,4}$"


class Values(NamedTuple):
    """The values of a column.

    `codes` (n,) numbers the value of each row from 0 to `n_values` - 1, and is -1 where it is missing. Numbers are
    coded by their size. The values are words, numbers (which may all be whole) or something else.
    """

    codes: np.ndarray
    n_values: int
    are_words: bool = False
    are_whole: bool = False
    are_numbers: bool = False

    def of_rows(self, rows: np.ndarray | None) -> "Values":
        """Return the values of some rows, or of all of them if `rows` is None."""
        if rows is None:
            return self
        codes, n_values = _coded_anew(self.codes[rows])
        return self._replace(codes=codes, n_values=n_values)

    def crossed(self, other: "Values") -> "Values":
        """Return the pairs of values of two columns."""
        is_missing = (self.codes < 0) | (other.codes < 0)
        pairs = np.where(is_missing, -1, self.codes.astype(np.int64) * other.n_values + other.codes)
        return Values(*_coded_anew(pairs))

    def have_like_sizes(self) -> bool:
        """Return whether no value has more than twice as many rows as values have in the mean."""
        size = np.bincount(self.codes[self.codes >= 0])
        return bool(size.max() <= 2 * size.mean())

    def stand_together(self) -> bool:
        """Return whether the rows of each value follow each other."""
        return bool(np.count_nonzero(np.diff(self.codes[self.codes >= 0])) == self.n_values - 1)

    def labels_in_values(self, y_true: np.ndarray) -> tuple[bool, float]:
        """Return whether each value has rows of one class only, and the probability of this by chance."""
        codes, y = self.codes[self.codes >= 0], y_true[self.codes >= 0]
        size, positives = np.bincount(codes), np.bincount(codes, weights=y)
        have_one_label = bool(((positives == 0) | (positives == size)).all())
        share = y.mean()
        return have_one_label, float(np.prod(share**size + (1 - share) ** size))

    def have_like_classes(self, y_true: np.ndarray, most_times: int = 2) -> bool:
        """Return whether no value has more than `most_times` the positives, or the negatives, of another one."""
        is_present = self.codes >= 0
        for rows in (self.codes[is_present & y_true], self.codes[is_present & ~y_true]):
            times = np.bincount(rows, minlength=self.n_values)
            if times.max() > most_times * times.min():
                return False
        return True

    def suffice_as_groups(self, y_true: np.ndarray, n_models: int) -> bool:
        """Return whether as many groups as there are values can show that a model is better than chance."""
        codes, y = self.codes[self.codes >= 0], y_true[self.codes >= 0]
        n_rarer, n_commoner = sorted(int(np.count_nonzero(np.bincount(codes, side))) for side in (y, ~y))
        return n_rarer >= fewest_units(n_models, n_commoner)

    def divide(self, scores: np.ndarray) -> bool:
        """Return whether the scores of each value are all above or all below those of each other value."""
        least, most = np.full(self.n_values, np.inf), np.full(self.n_values, -np.inf)
        codes, scores = self.codes[self.codes >= 0], scores[self.codes >= 0]
        np.minimum.at(least, codes, scores)
        np.maximum.at(most, codes, scores)
        order = np.argsort(least)
        return bool((most[order][:-1] < least[order][1:]).all())

    def repeat_the_labels(self, y_true: np.ndarray) -> bool:
        """Return whether the rows of each value have the same labels in the same order."""
        n_rows, rest = divmod(self.codes.size, self.n_values)
        if rest or n_rows < FEWEST_ROWS or (np.bincount(self.codes + 1, minlength=2)[1:] != n_rows).any():
            return False
        labels = y_true[np.argsort(self.codes, kind="stable")].reshape(self.n_values, n_rows)
        return bool((labels == labels[0]).all())


def values_of(table: Table, name: str, column: pa.ChunkedArray) -> Values | None:
    """Return the values of a column, or None for one of fractions, of lists or of bytes that are no text."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_nested(column.type):
        return None
    try:
        if is_text(column.type):
            return _values_of_texts(table, name, column.cast(pa.string()))
        if pa.types.is_floating(column.type):
            column = column.cast(pa.float64())
            column = pc.if_else(pc.is_nan(column), None, column)
        encoded = column.combine_chunks().dictionary_encode()
    except pa.ArrowException:
        return None
    codes, n_values = as_numpy(encoded.indices, -1), len(encoded.dictionary)
    if not is_numeric(column.type):
        return Values(codes, n_values)
    numbers = floats(pa.chunked_array([encoded.dictionary]))
    are_whole = pa.types.is_integer(column.type) or (
        pa.types.is_floating(column.type) and hold_whole_numbers(numbers)
    )
    return Values(_by_size(codes, numbers), n_values, are_whole=are_whole, are_numbers=True)


def beginnings_of(table: Table, name: str, column: pa.ChunkedArray) -> Values | None:
    """Return what stands before the last part of each text, or None if not all texts have several parts.

    The parts are divided by one of the signs _ - / \\ . : #, and the ending of a file's name is no part. So patients
    are the beginnings of img/p017_03.png and img/p017_04.png.
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not is_text(column.type):
        return None
    for rows in (column[:FIRST_ROWS], column):  # The first rows show that most columns have none that repeat.
        try:
            whole = pc.replace_substring_regex(
                pc.utf8_trim_whitespace(rows.cast(pa.string())), _FILE_ENDING, ""
            )
            beginnings = pc.struct_field(pc.extract_regex(whole, _BEGINNING), 0).combine_chunks()
        except pa.ArrowException:
            return None
        encoded = beginnings.dictionary_encode()
        if encoded.null_count or len(encoded.dictionary) > len(rows) / 2:
            return None
    return Values(as_numpy(encoded.indices, -1), len(encoded.dictionary), are_words=True)


def _by_size(codes: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return codes that follow the size of the numbers for which they stand."""
    rank = np.empty(len(numbers) + 1, dtype=codes.dtype)
    rank[np.argsort(numbers, kind="stable")] = np.arange(len(numbers))
    rank[-1] = -1  # the code of a missing number
    return rank[codes]


def _values_of_texts(table: Table, name: str, column: pa.ChunkedArray) -> Values | None:
    # The first rows show most columns of scores, whose values would take long to count.
    if table.separator is not None and _has_fractions(column[:FIRST_ROWS]):
        first_rows = column[:FIRST_ROWS]
        if pc.count_distinct(first_rows).as_py() > len(first_rows) / 2:
            return None
    encoded = column.combine_chunks().dictionary_encode()
    codes, values = as_numpy(encoded.indices, -1), encoded.dictionary
    is_empty = as_numpy(pc.binary_length(values), 0) == 0
    if is_empty.any():
        # The number of each value, and at the end that of missing texts, whose code is -1.
        number = np.append(np.where(is_empty, -1, np.cumsum(~is_empty) - 1), -1)
        codes, values = number[codes], values.filter(pa.array(~is_empty))
    texts = pa.chunked_array([values])
    if table.separator is not None and are_plain(texts):
        numbers = floats(texts)
        are_whole = bool(pc.all(pc.match_substring_regex(texts, _WHOLE)).as_py())
        return Values(_by_size(codes, numbers), len(values), are_whole=are_whole, are_numbers=True)
    return Values(codes, len(values), are_words=table.holds_words(name, texts))


def _has_fractions(texts: pa.ChunkedArray) -> bool:
    is_number, is_whole = (pc.match_substring_regex(texts, pattern) for pattern in (PLAIN, _WHOLE))
    return bool(pc.any(pc.and_(is_number, pc.invert(is_whole))).as_py())


def _coded_anew(codes: np.ndarray) -> tuple[np.ndarray, int]:
    """Return codes without gaps from 0 on, in the same order, and their number. Missing ones stay -1."""
    present, codes = np.unique(codes, return_inverse=True)
    # The number of the first value that is not missing.
    first = int(present.size > 0 and present[0] == -1)
    return codes.reshape(-1) - first, present.size - first


def hold_whole_numbers(scores: np.ndarray) -> bool:
    # The first rows show most columns of fractions.
    return bool((scores[:100] == np.floor(scores[:100])).all() and (scores == np.floor(scores)).all())
