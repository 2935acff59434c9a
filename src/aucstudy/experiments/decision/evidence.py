"""The evidence that comes with the package, so that the rule works without a study: decision.csv of the default study.

`python -m aucstudy.experiments.decision.page` copies it from results/default and writes docs/choosing.md anew.
"""

from functools import cache
from pathlib import Path

import pandas as pd

from aucstudy.store.tables import read_table

EVIDENCE = Path(__file__).with_name("evidence.csv")


@cache
def evidence() -> pd.DataFrame:
    """The table, as `decide` takes it."""
    return read_table(EVIDENCE)
