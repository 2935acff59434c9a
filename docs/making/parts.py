"""The table of what the default study costs that cog writes into docs/costs.md, from runs at several commits."""

import pandas as pd
from committed import ROOT

from aucstudy.wording import markdown_table

MEASURED = ROOT / "results" / "benchmarks" / "study_parts.csv"


def table() -> str:
    """Return the median seconds of processor of each part, with a column for each commit, and the seconds elapsed."""
    measured = pd.read_csv(MEASURED, dtype={"commit": str})
    commits, parts = measured["commit"].unique(), measured["part"].unique()
    median = measured.groupby(["part", "commit"])[["cpu_seconds", "seconds"]].median()
    lines = [[part, *(_seconds(*median.loc[(part, commit)]) for commit in commits)] for part in parts]
    return markdown_table(["part", *(f"commit `{commit}`" for commit in commits)], lines)


def _seconds(of_processor: float, elapsed: float) -> str:
    """Return seconds of processor as a cell, with the elapsed seconds where they were measured.

    >>> _seconds(432.1, 250.4), _seconds(3.4, float("nan"))
    ('432 s (250 s elapsed)', '3 s')
    """
    return f"{of_processor:.0f} s" + (f" ({elapsed:.0f} s elapsed)" if elapsed == elapsed else "")
