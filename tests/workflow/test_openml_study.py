"""A study on an OpenML server, from its lists to the report, and again from the kept answers."""

import pytest
import yaml
from openml_server import OpenMLServer, world_from_store
from openml_server.dialects import Dialect
from openml_server.stores import make_store, store_bytes

from aucstudy.store.rejections import read_rejections
from aucstudy.store.task_store import read_runs, read_tasks

DIALECTS = (
    Dialect(),
    Dialect(order="old", sample=True, comments=True),
    Dialect(order="r", quote='"', keywords="lower", tail=b"\0"),
    Dialect(quote="'", newline="\r\n", blanks=True),
)

MISSING = "/data/download/1002/predictions.arff"

pytestmark = pytest.mark.whole


def test_a_study_on_a_server_runs_to_its_report_and_again_from_what_was_kept(fresh, tmp_path):
    make_store(tmp_path / "store", {f"data-{i}": 30 + 10 * i for i in range(5)}, flows=6)
    world = world_from_store(tmp_path / "store", DIALECTS)
    world.runs[2].file_status = 404
    study = tmp_path / "served.yaml"
    with OpenMLServer(world) as server:
        tiny = yaml.safe_load(fresh.study.read_text())
        tiny |= {"study": "served", "source": "openml", "models_per_task": 5, "min_flows": 5}
        tiny |= {"experiments": ["disagreement"]}
        tiny |= {"openml": {"server": server.url, "pause": 0, "backoff": 0, "retries": 0}}
        study.write_text(yaml.safe_dump(tiny))
        plan = fresh.run("aucstudy", "fetch", "--plan", str(study)).stdout
        assert "tasks that qualify 5 on 5 data sets" in plan
        assert "runs to fetch      25, drawn from 30" in plan
        fresh.run("aucstudy", "run", str(study))
        # No path is requested twice.
        assert MISSING in server.paths
        assert len(server.paths) == len(set(server.paths))
        store = fresh.folder / "data" / "served"
        fetched = store / "fetched" / "0"
        before = store_bytes(fetched)
        n_asked = len(server.paths)
        fresh.snakemake("--force", "data/served/fetched/0", study=study)
        # The kept answers are enough.
        assert len(server.paths) == n_asked
        assert store_bytes(fetched) == before
    assert len(read_tasks(store)) == 5
    assert len(read_runs(store)) == 25
    assert {r.run_id for r in read_rejections(fetched / "rejections.csv")} <= {"2"}
    report = (fresh.folder / "results" / "served" / "report.html").read_text(encoding="utf-8")
    assert "In 25 of 25 runs, our AUROC agrees with the AUROC that the server recorded" in report
    assert fresh.tables("served")["server_check_exceptions.csv"].count(b"\n") == 1
