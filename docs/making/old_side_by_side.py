"""The populations side by side: the share of tasks with another best model in each study, from their common table."""

from pathlib import Path

import pandas as pd
from aucstudy.report.wording import percent

from aucstudy.area_names import DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.store.tables import read_table

TABLE = Path("populations", "tables", "populations.csv")
HEADS = ["study", "tasks", *(PAIR_LABELS[pair] for pair in DISTINCT_PAIRS)]


def side_by_side(results: Path) -> list[list[str]]:
    """HEADS and a row a study, in words; nothing before `results/populations` was made.

    Parameters
    ----------
    results : the folder of the results of all studies.
    """
    if not (results / TABLE).exists():
        return []
    table = read_table(results / TABLE)
    best = table[(table["positives"] == "all") & (table["quantity"] == "best model differs")]
    return [HEADS, *(_row(study, rows) for study, rows in best.groupby("study", sort=False))]


def _row(study: str, rows: pd.DataFrame) -> list[str]:
    shares = rows.set_index(["first", "second"])
    known = [shares.loc[pair] if pair in shares.index else None for pair in DISTINCT_PAIRS]
    cells = ["–" if row is None or pd.isna(row["estimate"]) else percent(row) for row in known]
    return [study, f"{rows['n_tasks'].max():,.0f}", *cells]
