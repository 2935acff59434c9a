"""The packaged study served as if it were OpenML gives the scores of the packaged path, bit for bit."""

import pytest
from openml_server import OpenMLServer, world_from_store
from openml_server.dialects import Dialect

from aucstudy.area_names import AREAS
from aucstudy.jobs.scoring import compare_with_server, score_tasks
from aucstudy.sources.packaged import fetch as fetch_packaged
from aucstudy.store.batch import Batch
from aucstudy.store.rejections import read_rejections
from aucstudy.store.task_store import read_runs, read_tasks

DIALECTS = (
    Dialect(),
    Dialect(order="old", sample=True, comments=True, encoding="latin-1"),
    Dialect(order="r", quote='"', keywords="lower", tail=b"\0"),
    Dialect(quote="'", newline="\r\n", blanks=True, quote_values=True),
)
FLOWS = ["naive_bayes", "knn_3", "decision_stump", "zero_r"]


@pytest.fixture(scope="module")
def packaged(tmp_path_factory):
    """The task store of three packaged data sets."""
    folder = tmp_path_factory.mktemp("packaged")
    settings = {"datasets": ["iris", "wine", "glass6"], "flows": FLOWS, "folds": 10}
    fetch_packaged(Batch(folder, settings, models_per_task=4, min_flows=4, seed=1))
    return folder


def _scores(folder):
    tasks, runs = read_tasks(folder), read_runs(folder)
    scores, _ = score_tasks(folder, tasks["task_id"], runs)
    scores = scores.merge(tasks[["task_id", "dataset_name"]], on="task_id")
    scores["flow_name"] = scores["flow_name"].str.removesuffix("(1)")
    keys = ["dataset_name", "flow_name", "aggregation"]
    return scores.set_index(keys).sort_index()


def test_the_packaged_study_over_http_has_the_same_scores_bit_for_bit(packaged, fetched):
    with OpenMLServer(world_from_store(packaged, DIALECTS)) as server:
        folder = fetched(server, models=4, flows=4)
    ours, theirs = _scores(folder), _scores(packaged)
    assert len(ours) == 3 * 4 * 2
    assert not read_rejections(folder / "rejections.csv")
    for column in (*AREAS, "n", "n_positive", "prevalence"):
        assert (ours[column] == theirs[column]).all()


def test_our_areas_agree_with_those_the_server_recorded(packaged, fetched):
    world = world_from_store(packaged)
    world.runs[5].engines[0].array = "[0.5,0.5]"
    world.runs[6].engines[0].value, world.runs[6].engines[0].array = "?", ""
    with OpenMLServer(world) as server:
        folder = fetched(server, models=4, flows=4, candidates="listed")
    scores, _ = score_tasks(folder, read_tasks(folder)["task_id"], read_runs(folder))
    check, exceptions = compare_with_server(read_runs(folder), scores)
    assert (check["n_compared"].item(), exceptions["run_id"].tolist()) == (11, ["5"])
    assert check["share"].item() == pytest.approx(10 / 11)
