"""Printing of text that others wrote, such as names of files, so that a terminal shows but never obeys it."""

import math
import re
import sys
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    import pandas as pd

LONGEST_WORD, LONGEST_LINE = 200, 1000  # characters
SECONDS_BETWEEN_LINES = 10.0  # between the lines of a fetch's progress, in a pipe or a log
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")


def escaped(text: str, unescaped: str = "") -> str:
    """Return the text with escapes for all that a terminal would obey or could not show.

    The characters in `unescaped` stay as they are.

    >>> escaped("a\\nb\\x1b[31m")
    'a\\\\nb\\\\x1b[31m'
    """
    return "".join(
        character
        if character.isprintable() or character in unescaped
        else character.encode("unicode_escape").decode()
        for character in text
    )


def printable(text: object, longest: int = LONGEST_LINE) -> str:
    """Return the text as one escaped line. Long words and long lines lose their middle.

    >>> printable("abcdefghij", longest=6)
    'abc…ij'
    """
    line = escaped(str(text))
    return shortened(_LONG_WORD.sub(lambda word: shortened(word[0], LONGEST_WORD), line), longest)


def shortened(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    end = (longest - 1) // 2
    return f"{text[: longest - 1 - end]}…{text[len(text) - end :]}"


class _Terminal:
    """Standard output that escapes its text, except the line ends."""

    def write(self, text: str) -> object:
        return sys.stdout.write(escaped(text, unescaped="\n"))


def data_stream() -> TextIO | _Terminal:
    """Return standard output, which escapes its text if it is a terminal."""
    return _Terminal() if sys.stdout.isatty() else sys.stdout


def print_csv(table: "pd.DataFrame") -> None:
    table.to_csv(data_stream(), index=False, float_format="%.12g", lineterminator="\n")


def plain(value: object) -> object:
    """Return a value that JSON can hold, None for NaN and infinity."""
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def at_most_every(seconds: float, say: Callable[[str], object]) -> Callable[[str], None]:
    """Return a function that works as `say`, but drops lines that come too soon.

    A line comes too soon if the last line was said fewer than `seconds` ago.
    """
    last_said = -math.inf

    def sometimes(line: str) -> None:
        nonlocal last_said
        if time.monotonic() - last_said >= seconds:
            last_said = time.monotonic()
            say(line)

    return sometimes


def print_notes(notes: Iterable[str]) -> None:
    """Print each note as a line on stderr.

    The commands do so once nothing can be refused any more, because an error is printed alone.
    """
    for note in notes:
        print(f"aucstudy: note: {printable(note)}", file=sys.stderr)
