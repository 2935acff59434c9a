"""Write results/populations and docs/populations.md: `python -m aucstudy.report.populations [STUDY ...]`.

Without names: those of default, weka, wide and uw-cse whose tables are committed. The first study is the one that the
others are compared with.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from aucstudy.presentation.style import save
from aucstudy.report.populations.factors import factors
from aucstudy.report.populations.figure import populations_figure
from aucstudy.report.populations.numbers import Population, overlap, rules, side_by_side
from aucstudy.report.populations.page import populations_page

from aucstudy.errors import InputError
from aucstudy.store.files import write_whole
from aucstudy.store.tables import read_table, write_table

ROOT = Path(__file__).parents[4]
STUDIES = ("default", "weka", "wide", "uw-cse")


def write_populations(root: Path, names: Sequence[str]) -> None:
    """Write the tables, the figure and the page of the named studies of a checkout.

    Raises
    ------
    InputError
        A named study has no tables, or one file cannot be written.
    """
    results = root / "results"
    populations = [Population(name, results / name / "tables") for name in names]
    tables = {
        "populations": side_by_side(populations),
        "populations_factors": factors(populations),
        "populations_rules": rules(populations),
        "populations_overlap": overlap(populations),
    }
    out = results / "populations"
    for name, table in tables.items():
        write_table(table, out / "tables" / f"{name}.csv")
    # from the files, whose digits anybody can read again
    written = [read_table(out / "tables" / f"{name}.csv") for name in tables]
    figure = out / "figures" / "populations"
    save(populations_figure(written[0]), {kind: f"{figure}.{kind}" for kind in ("png", "svg")})
    page = populations_page(*written)
    write_whole(root / "docs" / "populations.md", lambda path: path.write_text(page, encoding="utf-8"))


if __name__ == "__main__":
    finished = [name for name in STUDIES if (ROOT / "results" / name / "tables" / "tasks.csv").exists()]
    try:
        write_populations(ROOT, sys.argv[1:] or finished)
    except InputError as error:
        sys.exit(f"aucstudy: {error}")
