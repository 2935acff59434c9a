"""The data sets, tasks and runs that a server knows, as plain records made from a task store."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

from aucstudy.store.task_store import Predictions, read_predictions, read_runs, read_tasks
from openml_server.dialects import Dialect, write_predictions_file


@dataclass
class DataSet:
    """A data set of a column x and a target with these classes. Without classes the target is numeric."""

    id: int
    name: str
    file: bytes
    n_rows: int
    classes: tuple[str, ...]
    format: str = "ARFF"
    file_status: int = 200
    parquet: bytes | None = None
    status: str = "active"


@dataclass
class TaskEntry:
    """A task of supervised classification on a data set."""

    id: int
    data: int
    procedure: int = 1
    tags: tuple[str, ...] = ()


@dataclass
class Engine:
    """The value that one evaluation engine recorded for a run and one function."""

    function: str
    value: str = ""
    array: str = ""
    id: int = 1


@dataclass
class RunEntry:
    """A run.

    `error` is the server's error; None means that the run was never evaluated. `message` is the error that
    the uploader reported. If `file` is None, no predictions were uploaded. If `file_status` is 403 or 404,
    they cannot be downloaded.
    """

    id: int
    task: int
    flow: int
    flow_name: str
    setup: int
    file: bytes | None
    engines: list[Engine] = field(default_factory=list)
    upload_time: str = "2014-04-06 23:30:40"
    file_status: int = 200
    error: str | None = ""
    message: str = ""

    @property
    def file_id(self) -> int:
        return 1000 + self.id


@dataclass
class World:
    """All data sets, tasks, runs and suites that a server knows."""

    data_sets: dict[int, DataSet] = field(default_factory=dict)
    tasks: dict[int, TaskEntry] = field(default_factory=dict)
    runs: dict[int, RunEntry] = field(default_factory=dict)
    # The key is a number or a name. The value is the number, the kind (`task`, or `run` for a study of runs)
    # and the tasks.
    suites: dict[str, tuple[int, str, list[int]]] = field(default_factory=dict)
    # The order of the rows of a list changes from request to request, as on a server that does not sort them.
    shuffle: random.Random | None = None
    ignores_offset: bool = False


def world_from_store(folder: Path, dialects: Sequence[Dialect] = (Dialect(),)) -> World:
    """Return the world of a store. The runs' files take the dialects in turn; flows keep their names."""
    world, runs = World(), read_runs(folder)
    flows = {name: 100 + i for i, name in enumerate(sorted(set(runs["flow_name"])))}
    for number, task in enumerate(read_tasks(folder).itertuples(), 1):
        predictions = read_predictions(folder, task.task_id)
        classes = (task.negative_class, task.positive_class)
        add_task(world, number, task.dataset_name, predictions, classes)
        order = np.argsort(predictions.fold, kind="stable")
        truth = predictions.y_true[order]
        keys = [getattr(predictions, name)[order] for name in ("repeat", "fold", "row_id")]
        for row in runs[runs["task_id"] == task.task_id].itertuples():
            i = len(world.runs) + 1
            score = predictions.scores[order, predictions.run_ids.index(row.run_id)]
            confidences = np.column_stack([1 - score, score])
            dialect = dialects[i % len(dialects)]
            file = write_predictions_file(dialect, classes, *keys, confidences, truth.astype(int))
            area = f"{roc_auc_score(truth, score):.6f}"
            engines = [
                Engine("area_under_roc_curve", area, f"[{area},{area}]"),
                Engine("number_of_instances", str(len(truth)), f"[{(~truth).sum()},{truth.sum()}]"),
            ]
            flow, uploaded = f"{row.flow_name}(1)", f"{2013 + i % 4}-04-06 23:30:40"
            world.runs[i] = RunEntry(i, number, flows[row.flow_name], flow, i, file, engines, uploaded)
    return world


def add_task(
    world: World, number: int, name: str, predictions: Predictions, classes: tuple[str, str]
) -> None:
    """Add a data set of one useless feature and the target, and a task on it; both have the id `number`."""
    target = np.full(int(predictions.row_id.max()) + 1, "?", dtype=object)
    target[predictions.row_id] = [f"'{classes[int(positive)]}'" for positive in predictions.y_true]
    rows = "".join(f"{i % 7},{label}\n" for i, label in enumerate(target))
    declared = ",".join(f"'{label}'" for label in classes)
    head = f"@relation '{name}'\n@attribute x numeric\n@attribute class {{{declared}}}\n@data\n"
    file = (head + rows).encode()
    world.data_sets[number] = DataSet(number, name, file, len(target), tuple(sorted(classes)))
    world.tasks[number] = TaskEntry(number, number)
