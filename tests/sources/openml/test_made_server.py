"""The server of benchmarks/fetch_speed.py: its runs are read as they were made, and those of no use are of no use."""

from pathlib import Path

import numpy as np
import pytest

from aucstudy.sources.openml.predictions import Unusable, read_predictions, read_target

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
MODELS = 20


@pytest.fixture
def world(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    from fetch_server import made_world

    return made_world(4, MODELS)


def test_the_largest_task_comes_first_and_a_usable_run_is_read_in_full(world):
    sizes = [len(world.runs[i * len(world.runs) // 4 + 1].keys.y_true) for i in range(4)]
    assert sizes == sorted(sizes, reverse=True)
    run = world.runs[1]
    target = read_target(world.data_sets[1].file, "class")
    read = read_predictions(run.file, target, positive=1)
    assert len(read.score) == sizes[0]
    assert np.array_equal(run.keys.fold[np.argsort(run.keys.row_id)], read.fold)


def test_a_run_of_no_use_is_missing_or_lacks_rows(world):
    broken = [run for run in world.runs.values() if run.broken]
    assert {run.file_status for run in broken} == {200, 404}
    for run in broken:
        target = read_target(world.data_sets[run.task].file, "class")
        with pytest.raises(Unusable, match="rows_incomplete"):
            read_predictions(run.file, target, positive=1)
