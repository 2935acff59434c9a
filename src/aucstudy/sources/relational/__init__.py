"""The source `relational`: UW-CSE, who advises whom, the task of Boyd et al. 2012, table 3.

Its areas are the folds, as in the paper. The paper's learner, SAYU, is not available; ordinary learners on a few
relational features take its place.
"""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from aucstudy.errors import InputError
from aucstudy.learners.cross_validation import prepare_fold
from aucstudy.learners.datasets import DataSet
from aucstudy.learners.flows import FLOWS
from aucstudy.learners.tasks import fill_task
from aucstudy.sources.relational.facts import read_areas
from aucstudy.sources.relational.pairs import student_professor_pairs
from aucstudy.store.task_store import write_store

TASK = "uw-cse"


def check(settings: Mapping[str, Any], *, models_per_task: int, min_flows: int) -> None:
    """Say what is wrong with the block `relational`, before anything is fitted.

    Raises
    ------
    InputError
        A flow is not known, more are asked for than are listed, or `folder` is no folder.
    """
    unknown = [name for name in settings["flows"] if name not in FLOWS]
    if unknown:
        raise InputError(f"relational.flows: {unknown[0]!r} is not known; known are {', '.join(FLOWS)}")
    for key, value in (("models_per_task", models_per_task), ("min_flows", min_flows)):
        if value > len(settings["flows"]):
            raise InputError(f"{key}: {value} is asked for, relational.flows lists {len(settings['flows'])}")
    folder = settings.get("folder")
    if folder is not None and not Path(folder).is_dir():
        raise InputError(
            f"relational.folder: {folder} is no folder; wanted: fold1 ... fold5, each with "
            "test/test_facts.txt, test_pos.txt and test_neg.txt, or null for the package relational-datasets"
        )


def task_ids(settings: Mapping[str, Any]) -> list[str]:
    """The one task of this source."""
    return [TASK]


def rows(settings: Mapping[str, Any], task_id: str, seed: int) -> tuple[DataSet, np.ndarray]:
    """The (student, professor) pairs with their features, and the area of each."""
    return student_professor_pairs(TASK, read_areas(settings.get("folder")))


def fetch(
    folder: Path,
    settings: Mapping[str, Any],
    *,
    models_per_task: int,
    min_flows: int,
    seed: int,
    batch: int,
    batches: int,
    progress: Callable[[str], None],
) -> None:
    """Fit the flows on four areas, score the fifth, and write the one task as a task store."""
    data, areas = rows(settings, TASK, seed)
    flows = [FLOWS[name] for name in FLOWS if name in settings["flows"]]
    with threadpool_limits(limits=1):
        filled = fill_task(
            folder,
            data,
            [
                prepare_fold(data, np.flatnonzero(areas != k), np.flatnonzero(areas == k))
                for k in np.unique(areas)
            ],
            flows,
            models_per_task=models_per_task,
            min_flows=min_flows,
            seed=seed,
            source="relational",
            sha256=hashlib.sha256(data.features.to_csv().encode()).hexdigest(),
        )
    write_store(folder, filled.tasks, filled.runs, filled.rejections)
    progress(TASK)
