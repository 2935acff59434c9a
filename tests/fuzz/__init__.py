"""Tests on random input, each result compared with an independent answer or with what must always hold.

The tests try some cases. `python -m fuzz.areas`, and likewise `fuzz.files` and `fuzz.studies`, try
more for as long as one likes.
"""

import time
from collections.abc import Iterator
from itertools import count


def numbers(first: int = 0, *, seconds: float | None = None, cases: int | None = None) -> Iterator[int]:
    """Yield the numbers of cases from `first` on: at most `cases` of them, and none after `seconds`."""
    end = None if seconds is None else time.monotonic() + seconds
    for case in count(first):
        if (end is not None and time.monotonic() >= end) or (cases is not None and case >= first + cases):
            return
        yield case
