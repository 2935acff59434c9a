"""A table of the report as a page: searched, sorted and scrolled in the browser, whole up to a stated size."""

import base64
import json
import re
import zlib
from pathlib import Path

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from aucstudy.store.tables import write_whole

# bytes of a packed table on its page; in the report they are written in base64 twice, 1.8 times as many
WITH_ALL_DIGITS = 150_000
MOST_BYTES = 500_000
DIGITS = 4


def table_page(path: Path, most: int = MOST_BYTES, with_all_digits: int = WITH_ALL_DIGITS) -> str:
    """The page of a table, its cells packed.

    Parameters
    ----------
    path : of the CSV file.
    most : bytes of the packed cells; where they need more, the page has the first rows only.
    with_all_digits : where they need more than so many bytes, numbers have DIGITS significant digits. The page says
        what it leaves out.
    """
    rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    packed, note = pack(rows), f"All {len(rows):,} rows."
    beside = f"tables/{path.name} beside the report"
    if len(packed) > with_all_digits:
        packed, kept = _first_rows(rows.apply(_shortened), most)
        share = f"All {kept:,} rows" if kept == len(rows) else f"The first {kept:,} of {len(rows):,} rows"
        note = f"{share}, with {DIGITS} significant digits; {beside} has every row and digit."
    environment = Environment(
        loader=PackageLoader("aucstudy.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    return environment.get_template("table_page.html").render(
        title=path.stem,
        note=note,
        beside=beside,
        packed=base64.b64encode(packed).decode(),
        script=Path(__file__).with_name("table_page.js").read_text(encoding="utf-8"),
    )


def pack(rows: pd.DataFrame) -> bytes:
    """A frame of texts, deflated: a text a column, its name and its cells a line each. Like stands beside like."""
    columns = [
        "\n".join(re.sub(r"[\r\n]+", " ", cell) for cell in (name, *cells)) for name, cells in rows.items()
    ]
    return zlib.compress(json.dumps(columns, ensure_ascii=False, separators=(",", ":")).encode(), 9)


def _first_rows(rows: pd.DataFrame, most: int) -> tuple[bytes, int]:
    """As many rows as fit, packed, and their number."""
    kept = len(rows)
    while len(packed := pack(rows.head(kept))) > most and kept:
        # rows pack alike, so this aims a little below the bound
        kept = min(int(0.98 * kept * most / len(packed)), kept - 1)
    return packed, kept


def _shortened(column: pd.Series) -> pd.Series:
    """A column of numbers with fewer digits; whole numbers and texts as they are."""
    numbers = pd.to_numeric(column.where(column != ""), errors="coerce")
    if numbers.isna().sum() > (column == "").sum():
        return column
    fraction = column.str.contains("[.e]")
    return column.mask(fraction, numbers.map(f"{{:.{DIGITS}g}}".format))


def write_table_page(table: Path, path: Path) -> None:
    """Write the page of a table, whole or not at all."""
    page = table_page(table)
    write_whole(path, lambda temporary: temporary.write_text(page, encoding="utf-8"))
