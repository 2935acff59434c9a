"""What a source gets to fill a task store, and what it fills it with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aucstudy.store.rejections import Rejection


@dataclass(frozen=True)
class Batch:
    """One batch of the tasks of a study.

    Attributes
    ----------
    folder : of the task store that the batch is fetched into.
    settings : the source's block of the configuration.
    number, n_batches : which batch it is, from 0, of how many.
    progress : called with the id of each task, rejected or not.
    """

    folder: Path
    settings: Mapping[str, Any]
    models_per_task: int
    min_flows: int
    seed: int
    number: int = 0
    n_batches: int = 1
    progress: Callable[[str], object] = str


@dataclass(frozen=True)
class Filled:
    """Rows of the tables of a task store."""

    tasks: list[dict[str, object]] = field(default_factory=list)
    runs: list[dict[str, object]] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)

    def __add__(self, more: "Filled") -> "Filled":
        return Filled(self.tasks + more.tasks, self.runs + more.runs, self.rejections + more.rejections)
