"""The tables of the report as pages: searched, sorted and scrolled in the browser, whole up to a stated size."""

import base64
import json
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from aucstudy.experiments.contract import why_empty
from aucstudy.store.files import write_whole
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
    """A table for its page: all rows as `pack` gives them, and whether the numbers have all their digits."""

    cells: bytes
    n_rows: int
    all_digits: bool


def packed_table(path: Path, with_all_digits: int = WITH_ALL_DIGITS) -> Packed:
    """A CSV file, packed; with DIGITS significant digits where it would need more than so many bytes."""
    refuse_cut(path)
    rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    cells = pack_within(_columns(rows), with_all_digits)
    if cells is not None:
        return Packed(cells, len(rows), True)
    return Packed(pack(_columns(rows.apply(_shortened))), len(rows), False)


def table_page(name: str, table: Packed, limit: int = MOST_OF_ONE) -> str:
    """The page of a table, with its first rows where all need more than `limit` bytes. It says what it leaves out."""
    cells, n_shown = _first_rows(table, limit)
    beside = f"tables/{name}.csv beside the report"
    all_rows = n_shown == table.n_rows
    share = f"All {n_shown:,} rows" if all_rows else f"The first {n_shown:,} of {table.n_rows:,} rows"
    share = share if table.n_rows else f"No row: {why_empty(name)}"
    digits = "" if table.all_digits else f", with {DIGITS} significant digits"
    has_all = "" if table.all_digits and all_rows else f"; {beside} has every row and digit"
    template = html_templates("aucstudy.report").get_template("table_page.html")
    return template.render(
        title=name, note=f"{share}{digits}{has_all}.", beside=beside, packed=base64.b64encode(cells).decode()
    )


def write_table_pages(tables: Sequence[Path], pages: Sequence[Path], limit: int = MOST_TOGETHER) -> None:
    """Write the page of each table; together they hold at most so many bytes of packed cells."""
    packed_tables = [packed_table(path) for path in tables]
    share = min(fair_share([len(table.cells) for table in packed_tables], limit), MOST_OF_ONE)
    for path, table, page in zip(tables, packed_tables, pages, strict=True):
        text = table_page(path.stem, table, share)
        write_whole(page, lambda temporary, text=text: temporary.write_text(text, encoding="utf-8"))


def fair_share(needs: Sequence[int], total: int) -> int:
    """What each may have at most, so that all together have `total`: small needs are met, large ones share the rest.

    >>> fair_share([1, 2, 30, 40], 23), fair_share([1, 2, 3], 10)
    (10, 3)
    """
    for i, need in enumerate(sorted(needs)):
        if need > (share := total // (len(needs) - i)):
            return share
        total -= need
    return max(needs, default=0)


def pack(columns: Sequence[Sequence[str]]) -> bytes:
    """Columns, deflated: a text a column, its name and its cells a line each, so that like stands beside like."""
    return zlib.compress(_json_of(columns), 9)


def pack_within(columns: Sequence[Sequence[str]], limit: int) -> bytes | None:
    """As `pack`; None where they need more than `limit` bytes: a large table is given up as soon as that shows."""
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
