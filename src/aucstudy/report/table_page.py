"""The tables of the report as pages to search and sort, whole up to a stated size."""

import base64
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from aucstudy.experiments.contract import Experiment, why_empty
from aucstudy.store.files import write_text
from aucstudy.store.tables import refuse_cut
from aucstudy.wording import html_templates

# bytes of packed tables; in the report they are written in base64 twice, 1.8 times as many
WITH_ALL_DIGITS = 150_000
MOST_TOGETHER = 2_000_000
# a browser opens no frame of more than 2 MB
MOST_OF_ONE = 1_000_000
DIGITS = 4
PIECE = 1 << 20  # bytes that are deflated before a look at the size


class Packed(NamedTuple):
    """All rows of a table as `pack` gives them."""

    cells: bytes
    n_rows: int
    all_digits: bool


def packed_table(path: Path, with_all_digits: int = WITH_ALL_DIGITS) -> Packed:
    """A CSV file, with DIGITS significant digits where all need more bytes."""
    refuse_cut(path)
    rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    cells = pack_within(_columns(rows), with_all_digits)
    if cells is not None:
        return Packed(cells, len(rows), True)
    return Packed(pack(_columns(rows.apply(_shortened))), len(rows), False)


def table_page(
    name: str, table: Packed, limit: int = MOST_OF_ONE, declared: Mapping[str, Experiment] | None = None
) -> str:
    """With the first rows where all need more than `limit` bytes; it says what it leaves out."""
    cells, n_shown = _first_rows(table, limit)
    return (
        html_templates("aucstudy.report")
        .get_template("table_page.html")
        .render(
            title=name,
            n_shown=n_shown,
            n_rows=table.n_rows,
            digits=None if table.all_digits else DIGITS,
            why_empty="" if table.n_rows else why_empty(name, declared),
            packed=base64.b64encode(cells).decode(),
        )
    )


def write_table_pages(
    tables: Sequence[Path],
    pages: Sequence[Path],
    declared: Mapping[str, Experiment] | None = None,
    limit: int = MOST_TOGETHER,
) -> None:
    """Pages that together hold at most `limit` bytes of packed cells."""
    packed_tables = [packed_table(path) for path in tables]
    share = min(fair_share([len(table.cells) for table in packed_tables], limit), MOST_OF_ONE)
    for path, table, page in zip(tables, packed_tables, pages, strict=True):
        write_text(page, table_page(path.stem, table, share, declared))


def fair_share(needs: Sequence[int], total: int) -> int:
    """What each may have at most: small needs are met, large ones share the rest of the `total`.

    >>> fair_share([1, 2, 30, 40], 23), fair_share([1, 2, 3], 10)
    (10, 3)
    """
    for i, need in enumerate(sorted(needs)):
        if need > (share := total // (len(needs) - i)):
            return share
        total -= need
    return max(needs, default=0)


def pack(columns: Sequence[Sequence[str]]) -> bytes:
    """Deflated, a text a column of its name and cells, a line each."""
    return zlib.compress(_json_of(columns), 9)


def pack_within(columns: Sequence[Sequence[str]], limit: int) -> bytes | None:
    """As `pack`; None as soon as they need more than `limit` bytes."""
    text, packing, packed = _json_of(columns), zlib.compressobj(9), b""
    for start in range(0, len(text), PIECE):
        packed += packing.compress(text[start : start + PIECE])
        if len(packed) > limit:
            return None
    packed += packing.flush()
    return packed if len(packed) <= limit else None


def _json_of(columns: Sequence[Sequence[str]]) -> bytes:
    texts = ["\n".join(cells) for cells in columns]
    return json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode()


def unpack(cells: bytes) -> list[list[str]]:
    return [text.split("\n") for text in json.loads(zlib.decompress(cells))]


def _columns(rows: pd.DataFrame) -> list[list[str]]:
    return [_in_lines([name, *cells]) for name, cells in rows.items()]


def _in_lines(cells: list[str]) -> list[str]:
    line_break = re.search(r"[\r\n]", "".join(cells))
    return [re.sub(r"[\r\n]+", " ", cell) for cell in cells] if line_break else cells


def _first_rows(table: Packed, limit: int) -> tuple[bytes, int]:
    cells, n_shown = table.cells, table.n_rows
    columns = unpack(cells) if len(cells) > limit else []
    while len(cells) > limit and n_shown:
        # rows pack alike, so this aims a little below the bound
        n_shown = min(int(0.98 * n_shown * limit / len(cells)), n_shown - 1)
        cells = pack([column[: n_shown + 1] for column in columns])
    return cells, n_shown


def _shortened(column: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(column.where(column != ""), errors="coerce")
    if numbers.isna().sum() > (column == "").sum():
        return column
    return column.mask(column.str.contains("[.e]"), numbers.map(f"{{:.{DIGITS}g}}".format))
