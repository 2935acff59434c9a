"""A fixture that judges a claim by tables that a test makes up."""

import pandas as pd
import pytest

from aucstudy.claims.claims import MATHEMATICS, MEASURED
from aucstudy.claims.verdicts import Evidence
from aucstudy.store.tables import write_table


@pytest.fixture
def judged(tmp_path):
    """Return a function that judges a claim by the given tables and those of earlier calls in the test."""

    def judged(name, *, same_population=False, **tables):
        for table, rows in tables.items():
            write_table(pd.DataFrame(rows), tmp_path / f"{table}.csv")
        rulebook = next(book for book in (MEASURED, MATHEMATICS) if name in book.judges)
        return rulebook.judge(name, Evidence(tmp_path, "packaged", same_population))

    return judged
