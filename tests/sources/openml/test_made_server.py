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


def test_usable_runs_are_read_in_full_and_those_of_no_use_are_missing_or_lack_rows(world):
    targets = {i: read_target(data.file, "class") for i, data in world.data_sets.items()}
    sizes = [len(target.codes) for target in targets.values()]
    assert sizes == sorted(sizes, reverse=True)  # the largest task comes first
    run = world.runs[1]
    read = read_predictions(run.file, targets[1], positive=1)
    assert np.array_equal(run.keys.fold[np.argsort(run.keys.row_id)], read.fold)
    broken = [run for run in world.runs.values() if run.broken]
    assert {run.file_status for run in broken} == {200, 404}
    for run in broken:
        with pytest.raises(Unusable, match="rows_incomplete"):
            read_predictions(run.file, targets[run.task], positive=1)
