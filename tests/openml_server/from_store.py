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
    run_id = 0
    for number, task in enumerate(tasks.itertuples(), 1):
        predictions = read_predictions(folder, task.task_id)
        classes = (task.negative_class, task.positive_class)
        add_task(world, number, task.dataset_name, predictions, classes)
        for row in runs[runs["task_id"] == task.task_id].itertuples():
            run_id += 1
            add_run(
                world,
                run_id,
                number,
                (flows[row.flow_name], f"{row.flow_name}(1)"),
                predictions,
                predictions.scores[:, predictions.run_ids.index(row.run_id)],
                classes,
                dialects[run_id % len(dialects)],
            )
    return world


def add_task(
    world: World, number: int, name: str, predictions: Predictions, classes: tuple[str, str]
) -> None:
    """A data set of one useless feature and the target, and a task on it, both of the given id."""
    labels = np.array(classes)[predictions.y_true.astype(int)]
    n = int(predictions.row_id.max()) + 1
    target = np.full(n, "?", dtype=object)
    target[predictions.row_id] = [f"'{label}'" for label in labels]
    rows = "".join(f"{i % 7},{label}\n" for i, label in enumerate(target))
    declared = ",".join(f"'{name}'" for name in classes)
    file = (
        f"@relation '{name}'\n@attribute x numeric\n@attribute class {{{declared}}}\n@data\n{rows}".encode()
    )
    counts = sorted(np.unique(predictions.y_true, return_counts=True)[1])
    world.data_sets[number] = DataSet(
        id=number,
        name=name,
        file=file,
        md5=hashlib.md5(file).hexdigest(),
        features=[Feature("x"), Feature("class", "nominal", tuple(sorted(classes)))],
        qualities={
            "MajorityClassSize": f"{counts[-1]}.0",
            "MinorityClassSize": f"{counts[0]}.0",
            "NumberOfClasses": "2.0",
            "NumberOfInstances": f"{n}.0",
        },
    )
    world.tasks[number] = TaskEntry(number, number, "class")


def add_run(
    world: World,
    run_id: int,
    task: int,
    flow: tuple[int, str],
    predictions: Predictions,
    score: np.ndarray,
    classes: tuple[str, str],
    dialect: Dialect,
) -> None:
    """A run with the score as confidence of the positive class, evaluated as the server does it."""
    order = np.argsort(predictions.fold, kind="stable")
    confidences = np.column_stack([1 - score, score])[order]
    truth = predictions.y_true.astype(int)[order]
    file = write_predictions_file(
        dialect,
        classes,
        predictions.repeat[order],
        predictions.fold[order],
        predictions.row_id[order],
        confidences,
        truth,
    )
    area = auroc(predictions.y_true, score)
    counts = np.bincount(predictions.y_true, minlength=2)
    world.add_run(
        RunEntry(
            id=run_id,
            task=task,
            flow=flow[0],
            flow_name=flow[1],
            setup=run_id,
            file=file,
            upload_time=f"{2013 + run_id % 4}-04-06 23:30:40",
            engines=[
                Engine(1, "area_under_roc_curve", f"{area:.6f}", f"[{area:.6f},{area:.6f}]"),
                Engine(1, "number_of_instances", str(len(score)), f"[{counts[0]},{counts[1]}]"),
            ],
        )
    )


def auroc(y_true: np.ndarray, score: np.ndarray) -> float:
    """Probability that a positive stands above a negative, ties half: the pairs counted one by one."""
    positive, negative = score[y_true][:, None], score[~y_true][None, :]
    return float((positive > negative).mean() + (positive == negative).mean() / 2)
