"""Which data the default study has, read from `datasets.csv` without the code that reads data sets."""

import csv
from functools import cache
from pathlib import Path


@cache
def known_groups() -> frozenset[str]:
    """Return the source groups of the default study."""
    with Path(__file__).with_name("datasets.csv").open(encoding="utf-8", newline="") as file:
        return frozenset(row["source_group"] for row in csv.DictReader(file) if row["default"] == "yes")
