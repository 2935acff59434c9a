"""Functions that make task stores for the tests and read their bytes."""

from pathlib import Path

import numpy as np

from aucstudy.store.task_store import Predictions, task_row, write_predictions, write_store


def make_store(folder: Path, sizes: dict[str, int], flows: int = 4, repeats: int = 1) -> None:
    """Write a store of random tasks; `sizes` gives the number of rows of each.

    With several repeats, each row is predicted in each of them.
    """
    rng = np.random.default_rng(5)
    tasks, runs = [], []
    for name, n in sizes.items():
        row_id, repeat = np.tile(np.arange(n), repeats), np.repeat(np.arange(repeats), n)
        y = row_id % 3 == 0
        scores = rng.normal(y[:, None] * 0.3 + 0.4, 0.2, (len(y), flows))
        scores = np.asfortranarray(np.clip(scores, 0, 1))
        scores[:, 0] = scores[:, 0] > 0.5
        ids = tuple(f"{name}-{i}" for i in range(flows))
        predictions = Predictions(
            name, row_id, repeat, np.tile(rng.permutation(np.arange(n) % 10), repeats), y, scores, ids
        )
        classes = {"positive_class": "yes sir", "negative_class": "no"}
        facts = task_row(predictions, **classes, source="made", source_group=name, n_candidates=flows)
        write_predictions(folder, predictions, facts)
        tasks.append(facts)
        runs += [{"task_id": name, "run_id": run, "flow_name": f"flow{i}"} for i, run in enumerate(ids)]
    write_store(folder, tasks, runs, [])


def store_bytes(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file of a store by its path."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
