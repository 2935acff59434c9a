"""Plain text and rows as Markdown."""

import re
from collections.abc import Iterable, Sequence


def plain(text: str) -> str:
    """A text with its angle brackets kept, which Markdown would take for a tag of HTML.

    >>> plain("in results/<study> and `data/<study>`")
    'in results/&lt;study> and `data/<study>`'
    """
    return re.sub(r"(`[^`]*`)|<", lambda found: found[1] or "&lt;", text)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a bar in a cell is not the end of it."""
    lines = [header, ["---"] * len(header), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
