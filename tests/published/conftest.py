"""A fixture that judges a claim by tables and estimates that a test makes up."""

import pandas as pd
import pytest

from aucstudy.claims.entries import entries
from aucstudy.claims.judge import finding_on
from aucstudy.claims.verdicts import Evidence
from aucstudy.estimates import COLUMNS
from aucstudy.store.estimates import KEYS
from aucstudy.store.tables import write_table

DEFAULTS = dict.fromkeys((*KEYS, "family"), "") | {"subset": "all", "kind": "mean", "at": None}
SIZES = {"n_tasks": 25, "n_sources": 14, "n_models": None}


@pytest.fixture
def judged(tmp_path):
    """Return a function that judges a claim by the given tables and those of earlier calls in the test.

    `estimates` are rows of estimates.csv. A row that names no weight is written with both.
    """

    def judged(name, *, same_population=False, estimates=None, **tables):
        made = None
        if estimates is not None:
            rows = [
                {**DEFAULTS, **SIZES, "weight": weight, **row}
                for row in estimates
                for weight in ("task", "source")
            ]
            tables["estimates"] = pd.DataFrame(rows, columns=list(COLUMNS)).drop_duplicates()
            made = frozenset(tables["estimates"]["experiment"])
        for table, rows in tables.items():
            write_table(pd.DataFrame(rows), tmp_path / f"{table}.csv")
        return finding_on(entries()[name], Evidence(tmp_path, "packaged", same_population, made=made))

    return judged
