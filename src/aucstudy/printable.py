"""Text of others (names of files, columns, classes, what a server says) on a terminal: shown, never obeyed."""

import re

LONGEST_WORD, LONGEST_LINE = 200, 1000  # characters
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")


def escaped(text: str, kept: str = "") -> str:
    """Text with escapes, as in Python's own `repr`, for what a terminal would obey or could not show.

    These are control characters (those of the C1 block too), marks that turn the direction of writing, line ends of
    every kind and the bytes of a file name that are no text.

    Parameters
    ----------
    kept : characters to leave as they are.

    >>> escaped("a\\nb\\x1b[31m")
    'a\\\\nb\\\\x1b[31m'
    """
    return "".join(
        character
        if character.isprintable() or character in kept
        else character.encode("unicode_escape").decode()
        for character in text
    )


def printable(text: object, longest: int = LONGEST_LINE) -> str:
    """Anything as one escaped line; words and lines that are too long lose their middle.

    >>> printable("abcdefghij", longest=6)
    'abc…ij'
    """
    line = escaped(str(text))
    return shortened(_LONG_WORD.sub(lambda word: shortened(word[0], LONGEST_WORD), line), longest)


def shortened(text: str, longest: int) -> str:
    """Without its middle, where it is too long."""
    if len(text) <= longest:
        return text
    end = (longest - 1) // 2
    return f"{text[: longest - 1 - end]}…{text[len(text) - end :]}"
