"""Tables in Markdown, as README and the pages of docs/ have them."""

from collections.abc import Iterable, Sequence


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are text already.

    >>> print(markdown_table(["area", "tasks"], [["AUPR", "60"]]))
    | area | tasks |
    |---|---|
    | AUPR | 60 |
    """
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(heads), *lines[1:]])
