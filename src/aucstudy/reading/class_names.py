"""Class names that mean the same though uploaders wrote them differently: quotes, blanks, 1 and 1.0."""

from collections.abc import Callable, Sequence


def same_labels(found: Sequence[str], wanted: Sequence[str]) -> list[int | None]:
    """For each of `found` the index in `wanted` of the class it means; None where it means none.

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
    best: list[int | None] = [None] * len(found)
    for key in (str, _bare, _number):
        matched = _match(found, wanted, key)
        if matched and sum(i is not None for i in matched) > sum(i is not None for i in best):
            best = matched
    return best


def _match(found: Sequence[str], wanted: Sequence[str], key: Callable) -> list[int | None] | None:
    index = {key(name): i for i, name in enumerate(wanted)}
    if len(index) < len(wanted) or len({key(name) for name in found}) < len(found):
        return None
    return [index.get(key(name)) for name in found]


def _bare(name: str) -> str:
    return name.strip().strip("'\"").strip()


def _number(name: str) -> float | str:
    try:
        return float(_bare(name))
    except ValueError:
        return _bare(name)
