"""What a task adds to the page of a study: little enough that the papers' 886 tasks weigh less than 12 MB."""

from pathlib import Path

import pandas as pd
import pytest

from aucstudy.audit.page import area_metrics, page
from aucstudy.audit.study_page import study_page, task_payloads
from aucstudy.jobs.scoring import score_task
from aucstudy.store.task_store import merge_stores, read_predictions, read_runs, read_tasks

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
N_TASKS, N_MODELS, WITH_CURVES = 40, 30, 12
MOST, TASK, CURVES = 12_000_000, 2_200, 130_000  # bytes of the whole page, of a task, of its curves


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Tasks and payloads of a made store of 40 tasks x 30 models."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        from made_store import make_store

        folder = tmp_path_factory.mktemp("store")
        make_store(folder / "fetched", N_TASKS, N_MODELS, median_rows=200)
    merge_stores([folder / "fetched"], folder)
    tasks, flows = read_tasks(folder), read_runs(folder).set_index("run_id")["flow_name"]
    scored = pd.concat([score_task(read_predictions(folder, task_id))[0] for task_id in tasks["task_id"]])
    pooled = scored[scored["aggregation"] == "pooled"]
    scores = pooled.assign(flow_name=pooled["run_id"].map(flows))
    return tasks, task_payloads(folder, scores, curve_tasks=WITH_CURVES, resamples=2, seed=1)


def test_a_task_of_thirty_models_adds_2_kilobytes_and_886_tasks_stay_below_12_megabytes(study):
    tasks, payloads = study
    plain = [{**p, "entry": {k: v for k, v in p["entry"].items() if k != "curves"}} for p in payloads]
    frame = len(page("mine", "", {}, area_metrics(), [], []))
    bare, whole = (len(study_page("mine", tasks, entries)) for entries in (plain, payloads))
    assert (bare - frame) / N_TASKS < TASK
    assert (whole - bare) / WITH_CURVES < CURVES
    assert frame + 886 * TASK + WITH_CURVES * CURVES < MOST
