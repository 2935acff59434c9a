"""The page of a study: measured in batches or in one go, it is the same page."""

import json

import numpy as np
import pandas as pd
import pytest

from aucstudy.area_names import AREAS
from aucstudy.audit.study_page import (
    least_agreeing,
    read_payloads,
    study_page,
    task_payloads,
    write_payloads,
)
from aucstudy.errors import InputError
from aucstudy.metrics import areas_many
from aucstudy.store.task_store import Predictions, write_predictions

TASKS = ("1", "10", "2", "3")
SETTINGS = {"curve_tasks": 2, "resamples": 20, "seed": 3}


@pytest.fixture
def study(tmp_path):
    """A store of four tasks of three models each, two of them of one data set, and its scores."""
    rng = np.random.default_rng(7)
    rows = []
    for task_id in TASKS:
        y = rng.random(120) < 0.3
        scores = np.asfortranarray(rng.normal(size=(120, 3)) + y[:, None])
        runs = tuple(f"{task_id}-{flow}" for flow in "abc")
        keys = {"row_id": np.arange(120), "repeat": np.zeros(120, int), "fold": np.arange(120) % 4}
        write_predictions(tmp_path, Predictions(task_id, y_true=y, scores=scores, run_ids=runs, **keys), {})
        areas = pd.DataFrame(areas_many(y, scores)._asdict())[list(AREAS)]
        rows.append(areas.assign(task_id=task_id, run_id=runs, flow_name=[f"flow {run[-1]}" for run in runs]))
    tasks = pd.DataFrame({"task_id": TASKS, "dataset_name": ["iris", "glass", "iris", "wine"]})
    return tmp_path, pd.concat(rows), tasks


def test_batches_in_any_order_give_the_page_of_one_go(study, tmp_path):
    store, scores, tasks = study
    whole = study_page("mine", tasks, task_payloads(store, scores, **SETTINGS))
    paths = []
    for batch in (("3", "10"), ("2", "1")):
        paths.append(tmp_path / f"{batch[0]}.json")
        write_payloads(task_payloads(store, scores, batch, **SETTINGS), paths[-1])
    assert study_page("mine", tasks, read_payloads(paths)) == whole
    assert "4 tasks, 3 models. The page holds the curves of the 2 tasks" in whole
    assert '"name":"iris (1)"' in whole


def test_the_least_agreeing_tasks_have_the_curves(study):
    store, scores, _ = study
    payloads = task_payloads(store, scores, **SETTINGS)
    correlations = {
        task: rows["aupr"].corr(rows["auprg"], method="spearman") for task, rows in scores.groupby("task_id")
    }
    with_curves = [payload["task_id"] for payload in payloads if "curves" in payload["entry"]]
    assert sorted(with_curves) == sorted(least_agreeing(scores, 2))
    highest = max(correlations[task] for task in with_curves)
    assert all(highest <= correlations[task] for task in TASKS if task not in with_curves)
    assert json.loads(json.dumps(payloads)) == payloads


def test_payloads_that_are_broken_or_not_as_they_were_written_are_named(tmp_path):
    path = tmp_path / "0.json"
    path.write_text("[{")
    with pytest.raises(InputError, match=r"0\.json: not JSON .*; delete it"):
        read_payloads([path])
    write_payloads([{"task_id": "a", "n": 10}], path)
    assert read_payloads([path]) == [{"task_id": "a", "n": 10}]
    path.write_text('[{"task_id":"a","n":11}]')
    with pytest.raises(InputError, match=r"0\.json: .*its bytes are not those whose digest is .*; delete it"):
        read_payloads([path])
