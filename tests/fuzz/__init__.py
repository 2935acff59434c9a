"""Random input against an independent answer, in the tests and for as long as one likes: `python -m fuzz.areas`."""

import time
from collections.abc import Iterator
from itertools import count


def numbers(first: int = 0, *, seconds: float | None = None, cases: int | None = None) -> Iterator[int]:
    """Numbers of cases: so many, or until the time is over."""
    end = None if seconds is None else time.monotonic() + seconds
    for case in count(first):
        if (end is not None and time.monotonic() >= end) or (cases is not None and case >= first + cases):
            return
        yield case
