"""Lists that come in pages: whether rows got lost between them, which a server that does not order them can do.

Each page is a slice of the whole list in the order of that moment. Where the order changes between two pages, as many
rows as come again are missing.
"""

from collections.abc import Hashable, Sequence
from xml.etree.ElementTree import Element

from aucstudy.sources.openml.parsing import child

KEYS = ("task_id", "run_id", "evaluation_engine_id")


def row_key(row: Element) -> tuple[str, ...]:
    """What a row is about: a task, a run, or one engine's value of a run."""
    return tuple(child(row, name) for name in KEYS)


def paging_fault(pages: Sequence[Sequence[Hashable]], size: int) -> str:
    """What shows that the pages of a list do not fit together, "" where nothing does.

    Parameters
    ----------
    pages : the keys of the rows of each page, in the order in which they came.
    size : how many rows were asked for at a time.

    Examples
    --------
    >>> paging_fault(["abc", "dea", "f"], 3)
    '1 row came on two pages, so that as many others may be missing'
    >>> paging_fault(["ab", "def", "g"], 3)
    'page 1 of 3 has 2 of 3 rows'
    >>> paging_fault(["abb", "bcd", "d"], 3)  # a run has a row for each engine, and they may fall on two pages
    ''
    """
    seen: set[Hashable] = set()
    repeated = 0
    for before, page in zip([[], *pages], pages, strict=False):
        split = {page[0]} if before and page and page[0] == before[-1] else set()
        repeated += len((set(page) & seen) - split)
        seen.update(page)
    if repeated:
        rows = "row" if repeated == 1 else "rows"
        return f"{repeated} {rows} came on two pages, so that as many others may be missing"
    for number, page in enumerate(pages[:-1], 1):
        if len(page) < size:
            return f"page {number} of {len(pages)} has {len(page)} of {size} rows"
    return ""
