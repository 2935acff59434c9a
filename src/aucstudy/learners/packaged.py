"""The data sets of the packaged source, from both of its tables: `datasets.csv` and `outcomes.csv`."""

from collections.abc import Sequence
from pathlib import Path

from aucstudy.learners import datasets
from aucstudy.learners.datasets import DataSet, default_names, listed
from aucstudy.learners.outcomes import load_outcome, outcome_file, outcomes


def known_names() -> list[str]:
    """Names of all data sets: those of the default study's table first."""
    return [*listed(), *outcomes()]


def names_meant(word: str) -> Sequence[str] | None:
    """The names that a word of the settings stands for: `default` or `wide`; None for another word."""
    meant = {"default": default_names, "wide": lambda: list(outcomes())}
    return meant[word]() if word in meant else None


def load(name: str) -> DataSet:
    """Read a data set of either table, see `datasets.load` and `load_outcome`."""
    return load_outcome(name) if name in outcomes() else datasets.load(name)


def source_file(name: str) -> Path:
    """The file inside an installed package that holds the data set."""
    return outcome_file(name) if name in outcomes() else datasets.source_file(name)


# Of all flows in ten folds, measured: a task costs some seconds, and more with its rows and their features.
SECONDS_A_TASK, SECONDS_A_ROW, SECONDS_A_CELL = 5.0, 4e-3, 1.3e-4
# where the table of data sets does not tell how many features there are
USUAL_FEATURES = 12


def predicted_seconds(name: str, rows: int | None) -> float:
    """How long fitting the flows of a task takes, its data set cut to so many rows."""
    if name in outcomes():
        n_rows, n_features = outcomes()[name].n_rows, outcomes()[name].n_features
    else:
        n_rows, n_features = listed()[name].n_rows, USUAL_FEATURES
    n_rows = min(n_rows, rows or n_rows)
    return SECONDS_A_TASK + n_rows * (SECONDS_A_ROW + n_features * SECONDS_A_CELL)
