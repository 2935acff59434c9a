"""Labels of rows, with rules for which names mean the same class and which class is positive."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import numpy as np

from aucstudy.errors import InputError

TRUTH_VALUES = {"true": "1", "false": "0", "1": "true", "0": "false"}
POSITIVE_BY_ITSELF = ({0, 1}, {-1, 1}, {"false", "true"})
MISSING_BESIDE_NUMBERS = ("na", "n/a", "nan", "null", "none", "?")
_WHOLE_NUMBER = re.compile(r"([+-]?)(0|[1-9]\d*)(?:\.0*)?", re.ASCII)


@dataclass(frozen=True)
class Labels:
    """The (n,) texts of rows, each stored as its index in `categories`, or -1 where missing.

    This is like `pandas.Categorical`, but it does not import pandas.

    >>> np.asarray(Labels(np.array([1, 0]), ["no", "yes"])).tolist()
    ['yes', 'no']
    """

    codes: np.ndarray
    categories: Sequence[str]

    @classmethod
    def of(cls, texts: Sequence[str | None]) -> "Labels":
        categories = sorted({text for text in texts if text is not None})
        code_of = {text: i for i, text in enumerate(categories)}
        return cls(np.array([code_of.get(text, -1) for text in texts], dtype=int), categories)

    def __getitem__(self, rows: np.ndarray) -> "Labels":
        return Labels(self.codes[rows], self.categories)

    def __len__(self) -> int:
        return len(self.codes)

    def __array__(self, dtype: object = None, copy: bool | None = None) -> np.ndarray:
        return np.array([*self.categories, None], dtype=object)[self.codes]


def same_labels(names: Sequence[str], known: Sequence[str]) -> list[int | None]:
    """Return for each of `names` the index in `known` of the class it means, or None if it means none.

    Names are compared as they are, then without quotes and blanks around them, then as numbers. The
    comparison that finds the most classes counts. One that makes two names of the same list equal does
    not count.

    >>> same_labels(["'no'", "yes "], ["yes", "no"])
    [1, 0]
    >>> same_labels(["1.0", "-1.0"], ["-1", "1"])
    [1, 0]
    >>> same_labels(["a", "c"], ["a", "b"])
    [0, None]
    """
    best: list[int | None] = [None] * len(names)
    for key in (str, _bare, _number):
        matched = _match(names, known, key)
        if matched and sum(i is not None for i in matched) > sum(i is not None for i in best):
            best = matched
    return best


def _match(names: Sequence[str], known: Sequence[str], key: Callable) -> list[int | None] | None:
    index = {key(name): i for i, name in enumerate(known)}
    if len(index) < len(known) or len({key(name) for name in names}) < len(names):
        return None
    return [index.get(key(name)) for name in names]


def _bare(name: str) -> str:
    return name.strip().strip("'\"").strip()


def _number(name: str) -> Decimal | str:
    # As floats, two different ids of 19 digits could be equal.
    try:
        value = Decimal(_bare(name))
    except InvalidOperation:
        return _bare(name)
    return _bare(name) if value.is_nan() else value


def equal_numbers(names: Sequence[str]) -> list[str]:
    """Return each name, or the shortest of the names that are the same whole number.

    Names such as 01, 1.10 and 1e0 are taken as codes, not as numbers.

    >>> equal_numbers(["1.0", "1", "0.0", "01", "1.1", "1.10", "a"])
    ['1', '1', '0.0', '01', '1.1', '1.10', 'a']
    """
    values = [_whole(name) for name in names]
    if len(set(values)) == len(values):
        return list(names)
    shortest: dict[str, str] = {}
    for name, value in zip(names, values, strict=True):
        shortest[value] = min(name, shortest.get(value, name), key=lambda text: (len(text), text))
    return [shortest[value] for value in values]


def _whole(name: str) -> str:
    number = _WHOLE_NUMBER.fullmatch(name)
    if not number:
        return name
    return f"-{number[2]}" if number[1] == "-" and number[2] != "0" else number[2]


def one_class_spelt_twice(names: Sequence[str]) -> tuple[str, str] | None:
    """Return two of the names that look like one class, or None if there are none.

    >>> one_class_spelt_twice(["true", "false", "TRUE"]), one_class_spelt_twice(["1", "01"])
    (('true', 'TRUE'), ('1', '01'))
    >>> one_class_spelt_twice(["a", "b"])
    """
    name_by_key: dict[Decimal | str, str] = {}
    for name in names:
        key = _number(name.casefold())
        if key in name_by_key:
            return name_by_key[key], name
        name_by_key[key] = name
    return None


def class_counts(where: str, labels: Labels) -> dict[str, int]:
    """Return the number of rows of each class that occurs, by its name, in sorted order.

    Raise InputError if there are no rows, if two names look like one class (TRUE and true), or if a label
    such as NA is among labels that are numbers.
    """
    if not len(labels):
        raise InputError(f"{where}: no rows of data")
    times = np.bincount(labels.codes, minlength=len(labels.categories))
    by_name = sorted(zip(map(str, labels.categories), times.tolist(), strict=True))
    counts = {name: count for name, count in by_name if count}
    names = list(counts)
    missing = [name for name in names if name.lower() in MISSING_BESIDE_NUMBERS]
    if missing and len(names) > 1 and all(isinstance(_number(n), Decimal) for n in names if n not in missing):
        row, times = int(np.argmax(_rows_of(labels, missing[0]))) + 1, sum(counts[name] for name in missing)
        raise InputError(
            f"{where}: {times} labels are {missing[0]!r} beside numbers, the first in row {row} of the "
            "data; a class is needed in every row"
        )
    spelt_twice = one_class_spelt_twice(names)
    if spelt_twice:
        both = f"{spelt_twice[0]!r} and {spelt_twice[1]!r}"
        raise InputError(f"{where} holds {both}, which look like one class; one spelling is needed")
    return counts


def _rows_of(labels: Labels, name: str) -> np.ndarray:
    names = [*map(str, labels.categories)]
    return np.asarray(labels.codes) == (names.index(name) if name in names else -1)


def positive_rows(where: str, labels: Labels, positive: str | None) -> tuple[str, str, np.ndarray, list[str]]:
    """Return the positive class, the negative class, a (n,) mask of the positive rows, and notes.

    If several classes are negative, the negative class is called "not <positive>". Raise InputError as
    `class_counts` does, if `positive` is not among the labels, or if it is None and the labels do not show
    which class is positive.
    """
    names = list(class_counts(where, labels))
    first_names = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
    if positive is None:
        numbers = {_number(name.lower()): name for name in names}
        if not any(numbers.keys() <= pair for pair in POSITIVE_BY_ITSELF):
            raise InputError(f"{where} holds {first_names}: which one is positive? Give --positive")
        # If all rows are negative, the positive class is the other value of the pair, which no row has.
        positive = numbers.get(Decimal(1), numbers.get("true", "true" if "false" in numbers else "1"))
    else:
        index = same_labels([positive], names)[0]
        if index is None and positive.lower() in TRUTH_VALUES:
            # The name True also stands for true, TRUE and 1.
            lower = [name.lower() for name in names]
            same_truth = same_labels([positive.lower()], lower) + same_labels(
                [TRUTH_VALUES[positive.lower()]], lower
            )
            index = next((i for i in same_truth if i is not None), None)
        if index is None:
            raise InputError(f"{where}: --positive {positive!r} is not among its values {first_names}")
        positive = names[index]
    negative_names, is_positive = [name for name in names if name != positive], _rows_of(labels, positive)
    if len(negative_names) == 1:
        return positive, negative_names[0], is_positive, []
    several = f"{positive!r} is positive, all of {', '.join(map(repr, negative_names))[:200]} are negative"
    return positive, f"not {positive}", is_positive, [several] if negative_names else []


class NotBinary(InputError):
    """There are not exactly two classes of labels."""


def minority_class(where: str, labels: Labels) -> str:
    """Return the rarer of two classes. If both are equally frequent, return the last in sorted order.

    Raise NotBinary if there are not two classes.
    """
    counts = class_counts(where, labels)
    if len(counts) != 2:
        shown = ", ".join(map(repr, list(counts)[:5]))
        raise NotBinary(f"{where} holds {len(counts)} values ({shown}), two are needed")
    return [name for name, count in counts.items() if count == min(counts.values())][-1]


def crossed(*codes: np.ndarray) -> np.ndarray:
    """Return the (n,) number of the combination of codes that each row has."""
    return np.unique(np.column_stack(codes), axis=0, return_inverse=True)[1].reshape(-1)
