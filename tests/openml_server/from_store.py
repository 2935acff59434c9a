"""A task store served as if it were OpenML: its tasks become data sets and its models runs."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from aucstudy.store.task_store import Predictions, read_predictions, read_runs, read_tasks
from openml_server.dialects import Dialect, write_predictions_file
from openml_server.world import DataSet, Engine, Feature, RunEntry, TaskEntry, World


def world_from_store(folder: Path, dialects: Sequence[Dialect] = (Dialect(),)) -> World:
    """The world of a store; file `i` is written in dialect `i` modulo their number, flows keep their names."""
    tasks, runs = read_tasks(folder), read_runs(folder)
    flows = {name: 100 + i for i, name in enumerate(sorted(set(runs["flow_name"])))}
    world = World()
    for number, task in enumerate(tasks.itertuples(), 1):
        predictions = read_predictions(folder, task.task_id)
        classes = (task.negative_class, task.positive_class)
        add_task(world, number, task.dataset_name, predictions, classes)
        for row in runs[runs["task_id"] == task.task_id].itertuples():
            i = len(world.runs) + 1
            run = RunEntry(i, number, flows[row.flow_name], f"{row.flow_name}(1)", setup=i, file=None)
            score = predictions.scores[:, predictions.run_ids.index(row.run_id)]
            _evaluate(run, predictions, score, classes, dialects[i % len(dialects)])
            world.add_run(run)
    return world


def add_task(
    world: World, number: int, name: str, predictions: Predictions, classes: tuple[str, str]
) -> None:
    """A data set of one useless feature and the target, and a task on it, both of the given id."""
    target = np.full(int(predictions.row_id.max()) + 1, "?", dtype=object)
    target[predictions.row_id] = [f"'{classes[int(positive)]}'" for positive in predictions.y_true]
    rows = "".join(f"{i % 7},{label}\n" for i, label in enumerate(target))
    declared = ",".join(f"'{label}'" for label in classes)
    head = f"@relation '{name}'\n@attribute x numeric\n@attribute class {{{declared}}}\n@data\n"
    file = (head + rows).encode()
    fewest, most = sorted(np.unique(predictions.y_true, return_counts=True)[1])
    world.data_sets[number] = DataSet(
        id=number,
        name=name,
        file=file,
        md5=hashlib.md5(file).hexdigest(),
        features=[Feature("x"), Feature("class", "nominal", tuple(sorted(classes)))],
        qualities={
            "MajorityClassSize": f"{most}.0",
            "MinorityClassSize": f"{fewest}.0",
            "NumberOfClasses": "2.0",
            "NumberOfInstances": f"{len(target)}.0",
        },
    )
    world.tasks[number] = TaskEntry(number, number, "class")


def _evaluate(
    run: RunEntry, predictions: Predictions, score: np.ndarray, classes: tuple[str, str], dialect: Dialect
) -> None:
    """Give a run its file, with the score as confidence of the positive class, and what the server makes of it."""
    order = np.argsort(predictions.fold, kind="stable")
    repeat, fold, row_id, truth, score = (
        values[order]
        for values in (predictions.repeat, predictions.fold, predictions.row_id, predictions.y_true, score)
    )
    confidences = np.column_stack([1 - score, score])
    run.file = write_predictions_file(dialect, classes, repeat, fold, row_id, confidences, truth.astype(int))
    run.upload_time = f"{2013 + run.id % 4}-04-06 23:30:40"
    area, n_positive = _auroc(truth, score), int(truth.sum())
    run.engines = [
        Engine(1, "area_under_roc_curve", f"{area:.6f}", f"[{area:.6f},{area:.6f}]"),
        Engine(1, "number_of_instances", str(len(score)), f"[{len(score) - n_positive},{n_positive}]"),
    ]


def _auroc(y_true: np.ndarray, score: np.ndarray) -> float:
    """Probability that a positive stands above a negative, ties half: the pairs counted one by one."""
    positive, negative = score[y_true][:, None], score[~y_true][None, :]
    return float((positive > negative).mean() + (positive == negative).mean() / 2)
