"""Whole numbers as arguments, within bounds."""

import argparse
from collections.abc import Callable


def whole_number(lowest: int, highest: int, what: str) -> Callable[[str], int]:
    """A type for argparse: a whole number from `lowest` to `highest`; `what` says of what, for the error."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = None
        if value is None or not lowest <= value <= highest:
            raise argparse.ArgumentTypeError(
                f"{text[:60]!r}: {what} is a whole number from {lowest:,} to {highest:,}"
            )
        return value

    return read
