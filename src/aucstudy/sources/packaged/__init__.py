"""The source `packaged`: real data sets out of installed packages, learners of scikit-learn or WEKA, no network."""

from collections.abc import Mapping

from aucstudy.learners.datasets import DataSet, at_most
from aucstudy.learners.packaged import load
from aucstudy.sources.packaged.filling import fetch, work
from aucstudy.sources.packaged.settings import check, task_ids

__all__ = ["check", "fetch", "rows", "task_ids", "work"]


def rows(settings: Mapping[str, object], task_id: str, seed: int) -> tuple[DataSet, None]:
    """The data set of a task, with the rows that were fitted; its folds are not fixed by the source."""
    return at_most(load(task_id), settings.get("rows"), seed), None
