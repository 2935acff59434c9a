"""Which tasks and runs: the rules on the lists, the seeded draw, the plan."""

import numpy as np
import pytest
from openml_server import OpenMLServer, TaskEntry, world_from_store

from aucstudy.sources.openml import plan
from aucstudy.sources.openml.client import Evaluation, ListedTask
from aucstudy.sources.openml.selection import Candidate, draw_runs
from aucstudy.sources.openml.task import source_group
from aucstudy.store.rejections import Reason, read_rejections
from aucstudy.store.task_store import read_tasks

TASK = ListedTask("7", "3", "kr-vs-kp", "1", "class", 10.0)


def candidate(flows: int = 6, runs_each: int = 4) -> Candidate:
    runs = [
        Evaluation("7", str(10 * flow + i), str(flow), f"flow{flow // 2}({flow})", "1", "2014")
        for flow in range(flows)
        for i in range(runs_each)
    ]
    return Candidate(TASK, tuple(runs))


def test_a_draw_by_flow_has_each_flow_once_with_all_its_runs():
    places = draw_runs(candidate(), "flow_then_run", seed=1)
    flows = [{run.flow_id for run in place} for place in places]
    assert all(len(of_place) == 1 for of_place in flows)
    assert set().union(*flows) == set("012345")
    assert all(len(place) == 4 for place in places)


def test_a_draw_of_runs_has_each_run_once_in_a_place_of_its_own():
    places = draw_runs(candidate(), "runs", seed=1)
    assert sorted(run.run_id for (run,) in places) == sorted(run.run_id for run in candidate().runs)


@pytest.mark.parametrize("how", ["flow_then_run", "runs"])
def test_a_draw_depends_on_the_seed_and_not_on_the_order_of_the_list(how):
    one = candidate()
    other = Candidate(TASK, tuple(np.random.default_rng(0).permutation(np.array(one.runs, object)).tolist()))
    assert draw_runs(one, how, 1) == draw_runs(other, how, 1)
    assert draw_runs(one, how, 1) != draw_runs(one, how, 2)


def test_flows_are_counted_by_id_and_by_name():
    assert (candidate().n_flows, candidate().n_flow_names) == (6, 3)


def test_a_group_is_the_stem_of_the_name_and_the_target():
    assert source_group("BNG(tic-tac-toe,1000,5)", "Class") == source_group("tic-tac-toe", "class")
    assert source_group("autoUniv-au1-1000", "Class") == source_group("autoUniv-au1-500", "class")
    assert source_group("kc1", "defects") != source_group("kc2", "defects")
    assert source_group("kc1", "defects") != source_group("kc1", "top5")


def test_the_rules_on_lists_reject_with_their_reasons(store, fetched):
    world = world_from_store(store)
    world.tasks[3] = TaskEntry(3, 1, "class", procedure=3)
    world.tasks[4] = TaskEntry(4, 2, "class")
    with OpenMLServer(world) as server:
        folder = fetched(server, min_rows=35)
        reasons = {r.task_id: r.reason for r in read_rejections(folder / "rejections.csv")}
        assert reasons["3"] == Reason.WRONG_PROCEDURE
        assert Reason.TOO_FEW_ROWS in reasons.values()
        reasons = {
            r.task_id: r.reason for r in read_rejections(fetched(server, "b", max_rows=35) / "rejections.csv")
        }
        assert Reason.TOO_MANY_ROWS in reasons.values()
        assert reasons["4"] == Reason.TOO_FEW_FLOWS
        assert len(read_tasks(fetched(server, "c", max_tasks=1))) == 1


def test_a_data_set_of_as_many_rows_as_both_limits_is_taken(store, fetched):
    with OpenMLServer(world_from_store(store)) as server:
        assert read_tasks(fetched(server, min_rows=40, max_rows=40))["n_rows"].tolist() == [40]


def test_tags_and_groups_of_tasks_give_the_same_store(store, fetched):
    world = world_from_store(store)
    world.tasks[2].tags = ["study_14"]
    with OpenMLServer(world) as server:
        assert read_tasks(fetched(server, tags=["study_14"]))["task_id"].tolist() == ["2"]
        assert len(read_tasks(fetched(server, "b", tasks_per_list=50))) == 2


def test_a_plan_counts_the_requests_that_a_fetch_then_makes(store, fetched, tmp_path):
    folder = tmp_path / "study" / "fetched" / "0"
    with OpenMLServer(world_from_store(store)) as server:
        settings = {"server": server.url, "pause": 0, "backoff": 0}
        cost = plan(settings, folder, models_per_task=3, min_flows=3, seed=1)
        listed = len(server.log.paths)
        fetched(server)
        assert cost.n_list_requests == listed
        assert cost.n_requests == len(server.log.paths) - listed
        again = plan(settings, folder, models_per_task=3, min_flows=3, seed=1)
    assert (again.n_requests, again.n_list_requests) == (0, 0)
    assert (cost.n_tasks, cost.n_runs, cost.n_candidate_runs, cost.n_tasks_by_name) == (2, 6, 8, 2)


def test_a_plan_is_never_faster_than_the_pause_allows(store, tmp_path):
    with OpenMLServer(world_from_store(store)) as server:
        cost = plan(
            {"server": server.url, "pause": 30}, tmp_path / "a/b/c", models_per_task=3, min_flows=3, seed=1
        )
    assert cost.seconds == 30 * cost.n_requests
    assert "10 min" in str(cost)


@pytest.mark.parametrize("how", ["flow_then_run", "runs"])
def test_first_runs_stand_before_all_others_and_change_nothing_else(how):
    plain = draw_runs(candidate(), how, seed=1)
    wanted = plain[-1][-1].run_id
    places = draw_runs(candidate(), how, seed=1, first_runs={wanted})
    assert places[0][0].run_id == wanted
    assert [place[0].run_id for place in places[1:]] == [place[0].run_id for place in plain[:-1]]
