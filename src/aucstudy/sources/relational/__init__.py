"""The source `relational`: UW-CSE, who advises whom, the task of Boyd et al. 2012, table 3.

Its areas are the folds, as in the paper. The paper's learner, SAYU, is not to be had; ordinary learners on a few
relational features stand in its place.
"""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from aucstudy.errors import InputError
from aucstudy.learners.cross_validation import draw_flows, prepare_fold
from aucstudy.learners.datasets import DataSet
from aucstudy.learners.flows import FLOWS
from aucstudy.sources.relational.facts import read_areas
from aucstudy.sources.relational.pairs import student_professor_pairs
from aucstudy.store.task_store import (
    Predictions,
    Reason,
    Rejection,
    Stage,
    describe_scores,
    write_predictions,
    write_store,
)

TASK = "uw-cse"


def check(settings: Mapping[str, object], *, models_per_task: int, min_flows: int) -> None:
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


def task_ids(settings: Mapping[str, object]) -> list[str]:
    """The one task of this source."""
    return [TASK]


def rows(settings: Mapping[str, object], task_id: str) -> tuple[DataSet, np.ndarray]:
    """The (student, professor) pairs with their features, and the area of each."""
    return student_professor_pairs(TASK, read_areas(settings.get("folder")))


def fetch(
    folder: Path,
    settings: Mapping[str, object],
    *,
    models_per_task: int,
    min_flows: int,
    seed: int,
    batch: int,
    batches: int,
    progress: Callable[[str], None],
) -> None:
    """Fit the flows on four areas, score the fifth, and write the one task as a task store."""
    data, areas = rows(settings, TASK)
    flows = [FLOWS[name] for name in FLOWS if name in settings["flows"]]
    numbers = np.unique(areas)
    with threadpool_limits(limits=1):
        folds = [prepare_fold(data, np.flatnonzero(areas != k), np.flatnonzero(areas == k)) for k in numbers]
        drawn = draw_flows(flows, folds, TASK, models_per_task, seed)
    names = [f"{TASK}.{flow.name}" for flow in drawn.flows]
    n = len(data.target)
    predictions = Predictions(
        TASK,
        np.arange(n),
        np.zeros(n),
        np.searchsorted(numbers, areas),
        data.target,
        drawn.scores,
        tuple(names),
    )
    task = {
        "task_id": TASK, "dataset_id": TASK, "dataset_name": TASK, "n_rows": n,
        "n_positive": int(data.target.sum()), "prevalence": float(data.target.mean()),
        "positive_class": data.positive_class, "negative_class": data.negative_class, "n_folds": len(numbers),
        "source": "relational", "source_group": TASK, "n_candidates": len(flows) - len(drawn.failures),
    }  # fmt: skip
    digest = hashlib.sha256(data.features.to_csv().encode()).hexdigest()
    runs = [
        {
            "task_id": TASK, "run_id": name, "flow_id": flow.name, "flow_name": flow.name, "setup_id": flow.setup_id,
            "upload_time": "", "server_auroc": np.nan, "sha256": digest, **describe_scores(drawn.scores[:, i]),
        }
        for i, (name, flow) in enumerate(zip(names, drawn.flows, strict=True))
    ]  # fmt: skip
    failed = [
        Rejection(TASK, f"{TASK}.{name}", Stage.FETCH, Reason.FIT_FAILED, why)
        for name, why in drawn.failures.items()
    ]
    if len(drawn.flows) < min_flows:
        told = f"{len(drawn.flows)} flows are usable, min_flows is {min_flows}"
        failed.append(Rejection(TASK, "", Stage.FETCH, Reason.TOO_FEW_FLOWS, told))
        task, runs = None, []
    else:
        write_predictions(folder, predictions, task)
    write_store(folder, [task] if task else [], runs, failed)
    progress(TASK)
