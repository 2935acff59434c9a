"""Make task stores of any size from random numbers, with the shapes of real ones."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtri
from scipy.stats import rankdata

from aucstudy.store.task_store import Predictions, describe_scores, write_predictions, write_store

MEDIAN_ROWS = 700
# This is the standard deviation of the logarithm of the rows: of 886 tasks, five have more than 50,000.
SPREAD = 1.7
FEWEST_ROWS = 50
PREVALENCES = (0.005, 0.5)
FOLDS = 10
FEWEST_POSITIVES = FOLDS
FAMILIES = 5  # families of models whose errors are alike
SHARED = 0.7  # share of the errors' variance that a family has in common
FLOWS = 60  # flows in all, of which each task has some
REPEATED_EVERY = 10  # One in so many tasks is cross-validated twice.


class Shape(NamedTuple):
    """The size of one task: rows of its data set, positives among them, and repeats of cross-validation."""

    n_rows: int
    n_positive: int
    repeats: int


def shapes(n_tasks: int, median_rows: int = MEDIAN_ROWS, spread: float = SPREAD) -> list[Shape]:
    """Return the shapes of so many tasks.

    Rows are log-normal and prevalences log-uniform. Both are taken at even quantiles, so that few tasks have
    the same distribution of shapes as many.
    """
    at = (np.arange(n_tasks) + 0.5) / n_tasks
    rows = np.maximum(median_rows * np.exp(spread * ndtri(at)), FEWEST_ROWS).astype(int)
    low, high = np.log(PREVALENCES)
    prevalences = np.random.default_rng(0).permutation(np.exp(low + (high - low) * at))
    positives = np.maximum(rows * prevalences, FEWEST_POSITIVES).astype(int)
    repeats = 1 + (np.arange(n_tasks) % REPEATED_EVERY == REPEATED_EVERY // 2)
    return [Shape(*map(int, shape)) for shape in zip(rows, positives, repeats, strict=True)]


def made_predictions(task_id: str, shape: Shape, n_models: int, rng: np.random.Generator) -> Predictions:
    """Make the predictions of one task.

    Models belong to families. Of each six models, one has hard scores, one has scores with 11 values and one
    with 101.
    """
    n = shape.n_rows * shape.repeats
    y_true = np.tile(rng.permutation(np.arange(shape.n_rows) < shape.n_positive), shape.repeats)
    fold = np.concatenate([rng.permutation(shape.n_rows) % FOLDS for _ in range(shape.repeats)])
    families = rng.normal(size=(n, FAMILIES))
    task_quality = rng.uniform(0.5, 3)
    scores = np.empty((n, n_models), order="F")
    for m in range(n_models):
        errors = SHARED**0.5 * families[:, m % FAMILIES] + (1 - SHARED) ** 0.5 * rng.normal(size=n)
        score = expit((task_quality + rng.normal(scale=0.3)) * (y_true - 0.5) + errors)
        decimals = {0: 0, 1: 1, 2: 2}.get(m % 6)
        scores[:, m] = score if decimals is None else score.round(decimals)
    return Predictions(
        task_id=task_id,
        row_id=np.tile(np.arange(shape.n_rows), shape.repeats),
        repeat=np.repeat(np.arange(shape.repeats), shape.n_rows),
        fold=fold,
        y_true=y_true,
        scores=scores,
        run_ids=tuple(f"{task_id}{m:03d}" for m in range(n_models)),
    )


def make_store(
    folder: Path,
    n_tasks: int,
    n_models: int,
    seed: int = 0,
    median_rows: int = MEDIAN_ROWS,
    spread: float = SPREAD,
) -> None:
    """Fill a task store as the source `openml` would.

    Two tasks share a data set, and flows are drawn anew for each task.
    """
    tasks, runs = [], []
    for number, shape in enumerate(shapes(n_tasks, median_rows, spread)):
        rng = np.random.default_rng((seed, number))
        made = made_predictions(str(number + 1), shape, n_models, rng)
        dataset = f"made-{number // 2}"
        tasks.append(
            {
                "task_id": made.task_id,
                "dataset_id": dataset,
                "dataset_name": dataset,
                "n_rows": len(made.y_true),
                "n_positive": int(made.y_true.sum()),
                "prevalence": made.y_true.mean(),
                "positive_class": "1",
                "negative_class": "0",
                "n_folds": FOLDS,
                "source": "openml",
                "source_group": dataset,
                "n_candidates": FLOWS,
            }
        )
        write_predictions(folder, made, tasks[-1])
        runs.extend(_runs(made, rng))
    write_store(folder, tasks, runs, [])


def _runs(made: Predictions, rng: np.random.Generator) -> Iterator[dict[str, object]]:
    flows = rng.choice(max(FLOWS, len(made.run_ids)), len(made.run_ids), replace=False)
    n_positive = int(made.y_true.sum())
    n_pairs = n_positive * (len(made.y_true) - n_positive)
    for m, (run_id, flow) in enumerate(zip(made.run_ids, flows, strict=True)):
        above = rankdata(made.scores[:, m])[made.y_true].sum() - n_positive * (n_positive + 1) / 2
        yield {
            "task_id": made.task_id,
            "run_id": run_id,
            "flow_id": str(flow),
            "flow_name": f"flow_{flow}",
            "setup_id": str(flow),
            "upload_time": "2014-06-01 12:00:00",
            **describe_scores(made.scores[:, m]),
            "server_auroc": above / n_pairs,
            "sha256": f"{int(run_id):064x}",
        }
