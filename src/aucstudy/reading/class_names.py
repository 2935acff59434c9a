"""Class names that mean the same though uploaders wrote them differently: quotes, blanks, 1 and 1.0."""

import re
from collections.abc import Callable, Sequence

_PLAIN_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d+)?", re.ASCII)


def same_labels(given: Sequence[str], wanted: Sequence[str]) -> list[int | None]:
    """For each of `given` the index in `wanted` of the class it means; None where it means none.

    Exact names are tried first for all of them, then names without quotes and blanks around them, then numbers of
    equal value. A way of comparing counts only if it does not take two different names of one side for the same.

    Examples
    --------
    >>> same_labels(["'no'", "yes "], ["yes", "no"])
    [1, 0]
    >>> same_labels(["1.0", "-1.0"], ["-1", "1"])
    [1, 0]
    >>> same_labels(["a", "c"], ["a", "b"])
    [0, None]
    """
    best: list[int | None] = [None] * len(given)
    for key in (str, _bare, _number):
        matched = _match(given, wanted, key)
        if matched and sum(i is not None for i in matched) > sum(i is not None for i in best):
            best = matched
    return best


def equal_numbers(names: Sequence[str]) -> list[str]:
    """Each name, or the shortest one that is a number of equal value; 01 is a code and no number.

    Examples
    --------
    >>> equal_numbers(["1.0", "1", "0.0", "01", "a"])
    ['1', '1', '0.0', '01', 'a']
    """
    values = {name: float(name) for name in names if _PLAIN_NUMBER.fullmatch(name)}
    if len(set(values.values())) == len(values):
        return list(names)
    shortest: dict[float, str] = {}
    for name in sorted(values, key=lambda name: (len(name), name)):
        shortest.setdefault(values[name], name)
    return [shortest[values[name]] if name in values else name for name in names]


def one_class_spelt_twice(names: Sequence[str]) -> tuple[str, str] | None:
    """Two names that look like one class spelt in two ways, or None.

    Examples
    --------
    >>> one_class_spelt_twice(["true", "false", "TRUE"]), one_class_spelt_twice(["1", "01"])
    (('true', 'TRUE'), ('1', '01'))
    >>> one_class_spelt_twice(["a", "b"])
    """
    seen: dict[float | str, str] = {}
    for name in names:
        key = _number(name.casefold())
        if key in seen:
            return seen[key], name
        seen[key] = name
    return None


def is_number(name: str) -> bool:
    """Whether a name is a number, in whatever notation."""
    return isinstance(_number(name), float)


def _match(given: Sequence[str], wanted: Sequence[str], key: Callable) -> list[int | None] | None:
    index = {key(name): i for i, name in enumerate(wanted)}
    if len(index) < len(wanted) or len({key(name) for name in given}) < len(given):
        return None
    return [index.get(key(name)) for name in given]


def _bare(name: str) -> str:
    return name.strip().strip("'\"").strip()


def _number(name: str) -> float | str:
    try:
        value = float(_bare(name))
    except ValueError:
        return _bare(name)
    return value if value == value else _bare(name)
