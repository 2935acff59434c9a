"""The main table: how far two metrics choose the same models, with the numbers of Flach & Kull beside ours."""

from typing import NamedTuple

import pandas as pd

from aucstudy.claims.entries import entries, printed_shares
from aucstudy.experiments.compared import AREA_LABELS, AREAS_COMPARED, DISTINCT_AREAS
from aucstudy.wording import number, percent, selected, single

COLUMNS = ("best model differs", "first three differ", "correlation of ranks")


class Cell(NamedTuple):
    """A number of ours with its 95 % interval, and the number that the paper prints, or "" if it prints none."""

    ours: str
    printed: str


def main_table(estimates: pd.DataFrame) -> dict[str, list[Cell]]:
    """Return the cells of COLUMNS for each pair of metrics, by the labels of the pair.

    `estimates` are the rows of estimates.csv of the experiment disagreement, with one weight and of one subset of the
    tasks. AUCNPR is left out, because it ranks the models of a task as AUPR does.
    """
    shares, correlations = printed_shares(), entries()["FK-corr"].numbers
    left_out = set(AREAS_COMPARED) - set(DISTINCT_AREAS)
    table = {}
    for pair, rows in estimates.groupby(["first", "second"], sort=False):
        if left_out & set(pair):
            continue
        cells = []
        for top in (1, 3):
            ours = single(selected(rows, quantity="differs", at=top), f"{pair}, {top}")
            printed = f"{shares[*pair, top]:.0f} %" if (*pair, top) in shares else ""
            cells.append(Cell(percent(ours), printed))
        ours = single(selected(rows, quantity="pearson_of_ranks"), f"correlation of {pair}")
        labels = [AREA_LABELS.get(area, area) for area in pair]
        printed = correlations["-".join(labels)].printed if "-".join(labels) in correlations else ""
        cells.append(Cell(number(ours), printed))
        table[" and ".join(labels)] = cells
    return table
