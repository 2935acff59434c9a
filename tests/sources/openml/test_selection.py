"""The choice of tasks and runs: the rules on lists, the seeded draw, and the plan of a fetch."""

import random
import re
from dataclasses import replace

import numpy as np
import pytest
from openml_server import Engine, OpenMLServer, TaskEntry, answers, failing, world_from_store
from openml_server.stores import make_store, store_bytes

from aucstudy.errors import InputError
from aucstudy.sources.openml import plan
from aucstudy.sources.openml.lists import ListedRun
from aucstudy.sources.openml.run import Run, recorded_auroc
from aucstudy.sources.openml.selection import draw_runs, source_group
from aucstudy.sources.openml.task import Target
from aucstudy.store.rejections import Reason, Stage, read_rejections
from aucstudy.store.task_store import read_runs, read_tasks

RUNS = tuple(
    ListedRun("7", str(10 * flow + i), str(flow), f"flow{flow // 2}({flow})", "1", "2014")
    for flow in range(6)
    for i in range(4)
)
either_draw = pytest.mark.parametrize("draw", ["flow_then_run", "runs"])


@pytest.mark.parametrize(("draw", "n_runs"), [("flow_then_run", 4), ("runs", 1)])
def test_each_slot_of_a_draw_is_a_flow_with_all_its_runs_or_a_run(draw, n_runs):
    slots = draw_runs("7", RUNS, draw, seed=1)
    assert all(len(slot) == n_runs and len({run.flow_id for run in slot}) == 1 for slot in slots)
    assert sorted(run.run_id for slot in slots for run in slot) == sorted(run.run_id for run in RUNS)


@either_draw
def test_a_draw_depends_on_the_seed_and_not_on_the_order_of_the_list(draw):
    assert draw_runs("7", RUNS, draw, 1) == draw_runs("7", RUNS[::-1], draw, 1)
    assert draw_runs("7", RUNS, draw, 1) != draw_runs("7", RUNS, draw, 2)


@either_draw
def test_first_runs_stand_before_all_others_and_change_nothing_else(draw):
    plain = draw_runs("7", RUNS, draw, seed=1)
    last = plain[-1][-1].run_id
    slots = draw_runs("7", RUNS, draw, seed=1, first_runs={last})
    assert [slot[0].run_id for slot in slots] == [last, *(slot[0].run_id for slot in plain[:-1])]


def test_a_group_is_the_stem_of_the_name_and_the_target():
    assert source_group("BNG(tic-tac-toe,1000,5)", "Class") == source_group("tic-tac-toe", "class")
    assert source_group("autoUniv-au1-1000", "Class") == source_group("autoUniv-au1-500", "class")
    assert source_group("kc1", "defects") != source_group("kc2", "defects")
    assert source_group("kc1", "defects") != source_group("kc1", "top5")


# Each row has settings, the tasks that are fetched, and the reasons why others are not.
RULES = [
    ({}, ["1", "2"], {"3": Reason.WRONG_PROCEDURE, "4": Reason.TOO_FEW_FLOWS}),
    ({"min_rows": 35}, ["1"], {"2": Reason.TOO_FEW_ROWS}),
    ({"max_rows": 35}, ["2"], {"1": Reason.TOO_MANY_ROWS}),
    ({"min_rows": 40, "max_rows": 40}, ["1"], {"2": Reason.TOO_FEW_ROWS}),
    ({"max_tasks": 1}, ["1"], {}),
    ({"tags": ["study_14"]}, ["2"], {}),
    ({"tasks_per_list": 50}, ["1", "2"], {"4": Reason.TOO_FEW_FLOWS}),
]


@pytest.mark.parametrize(("settings", "tasks", "reasons"), RULES)
def test_the_rules_on_lists_reject_with_their_reasons(store, fetched, settings, tasks, reasons):
    world = world_from_store(store)
    world.tasks[2].tags = ("study_14",)
    world.tasks[3] = TaskEntry(3, 1, procedure=3)
    world.tasks[4] = TaskEntry(4, 2)
    with OpenMLServer(world) as server:
        folder = fetched(server, **settings)
    assert read_tasks(folder)["task_id"].tolist() == tasks
    rejections = read_rejections(folder / "rejections.csv")
    assert {r.task_id: r.reason for r in rejections}.items() >= reasons.items()


def test_a_plan_counts_the_requests_that_a_fetch_then_makes(store, fetched, tmp_path):
    folder, study = tmp_path / "study" / "fetched" / "0", {"models_per_task": 3, "min_flows": 3, "seed": 1}
    with OpenMLServer(world_from_store(store)) as server:
        settings = {"server": server.url, "pause": 0, "backoff": 0}
        cost = plan(settings, folder, **study)
        made = len(server.paths)
        fetched(server)
        again = plan(settings | {"pause": 30}, folder, **study)
    # There is one request for procedures, one for the list of tasks, and two for the lists of runs and of
    # evaluations of each task. A run is fetched to see how long it takes.
    assert (cost.n_list_requests, cost.n_requests_made, made) == (1 + 1 + 2 * 2, 6 + 2, 8)
    # There are two requests for each run and four for each data set.
    assert cost.n_requests == len(server.paths) - made == 2 * 4 + 2 * 3 * 2 - 2
    assert len(server.paths) == len(set(server.paths))
    assert (again.n_requests, again.n_requests_made) == (0, 0)
    assert (cost.n_tasks, cost.n_runs, cost.n_candidate_runs) == (2, 6, 8)


def test_the_time_of_a_plan_is_the_pause_or_the_time_of_files_and_not_that_of_lists(store, tmp_path, clock):
    def slow(path, reply):
        clock.now += 28 if "list" in path else 5 if "download" in path else 0.1
        return reply

    study = {"models_per_task": 3, "min_flows": 3, "seed": 1}
    with OpenMLServer(world_from_store(store), slow) as server:
        cost = plan({"server": server.url, "pause": 2}, tmp_path / "a/b/c", **study)
        four = plan({"server": server.url, "pause": 2, "connections": 4}, tmp_path / "d/e/f", **study)
    # 7 files and 11 descriptions are left.
    assert cost.n_requests == 7 + 11
    assert cost.seconds == pytest.approx(7 * 5 + 11 * 2)
    assert four.seconds == 2 * 18
    assert "0:00:57" in str(cost)


@pytest.mark.parametrize("size", [2, 5, 10])
def test_a_list_whose_page_says_no_results_once_is_not_cut_short(tiny, fetched, monkeypatch, size):
    """The five runs have ten rows in the list of runs, and five in the list of evaluations."""
    monkeypatch.setattr("aucstudy.sources.openml.lists.PAGE", size)
    for run in tiny.runs.values():
        run.engines.append(Engine("predictive_accuracy", "0.5", id=2))
    with OpenMLServer(tiny) as server:
        clean = store_bytes(fetched(server, "clean", models=5, flows=5))
        for page in range(0, 10, size):
            server.fault = failing("no results", rf"/offset/{page}\b", times=1)
            folder = fetched(server, f"page {page}", models=5, flows=5)
            assert store_bytes(folder) == clean
            # The answer is not kept, so the next fetch depends on it as little.
            server.fault = failing("503", times=0)
            assert store_bytes(fetched(server, f"page {page}", models=5, flows=5)) == clean


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("task/list", "no task is listed (status all, number_classes 2)"),
        ("run/list", "no run is listed of any of 2 tasks"),
    ],
)
def test_a_server_whose_lists_are_all_empty_ends_fetch_and_plan_with_one_line(
    store, fetched, tmp_path, where, words
):
    with OpenMLServer(world_from_store(store), failing("no results", where)) as server:
        line = f"{re.escape(f'{server.url}: {words}')}; if there should be some, run the same command again later"
        with pytest.raises(InputError, match=line):
            fetched(server)
        with pytest.raises(InputError, match=line):
            plan(
                {"server": server.url, "pause": 0}, tmp_path / "a/b/c", models_per_task=3, min_flows=3, seed=1
            )
    assert not list(tmp_path.rglob("tasks.csv"))


def test_a_tag_without_a_task_is_named(store, fetched):
    with (
        OpenMLServer(world_from_store(store)) as server,
        pytest.raises(InputError, match=r"no task is listed \(status all, number_classes 2, tag study_15\)"),
    ):
        fetched(server, tags=["study_15"])


def test_a_task_with_listed_runs_and_no_evaluation_counts_with_the_refused_ones(store, fetched, capsys):
    world = world_from_store(store)
    with OpenMLServer(world, failing("no results", "evaluation/list/.*/task/2")) as server:
        refused = r"refused 3 of 6 runs \(1 tasks without an evaluation\). --candidates listed .* asks again"
        with pytest.raises(InputError, match=f"{refused}. That is more than openml.max_refused, 0.4, allows"):
            fetched(server, max_refused=0.4)
        folder = fetched(server, max_refused=0.5)
        assert re.search(refused, capsys.readouterr().err.splitlines()[-1])
        assert read_tasks(folder)["task_id"].tolist() == ["1"]
        assert len(read_tasks(fetched(server, "listed", candidates="listed", max_refused=0))) == 2
        # It would not have had enough flows, with or without evaluations.
        for run in [run for run in world.runs.values() if run.task == 2][:2]:
            del world.runs[run.id]
        assert read_tasks(fetched(server, "few", max_refused=0))["task_id"].tolist() == ["1"]


@pytest.mark.parametrize("seed", range(2))
def test_a_list_whose_order_changes_from_page_to_page_loses_no_run(tmp_path, fetched, monkeypatch, seed):
    monkeypatch.setattr("aucstudy.sources.openml.lists.PAGE", 10)
    make_store(tmp_path / "many", {"tiny": 20}, flows=24)
    world = world_from_store(tmp_path / "many")
    for run in world.runs.values():
        run.engines.append(Engine("predictive_accuracy", "0.5", id=2))
    with OpenMLServer(world) as server:
        clean = store_bytes(fetched(server, "clean", models=24, flows=24))
        world.shuffle = random.Random(seed)
        assert store_bytes(fetched(server, models=24, flows=24)) == clean
        n = len(server.paths)
        assert store_bytes(fetched(server, models=24, flows=24)) == clean
        # Only the ends of lists that end with a full page are requested again.
        assert all(re.search(r"offset/(24|48)/|estimationprocedure", path) for path in server.paths[n:])


def test_a_server_that_gives_the_same_page_for_ever_ends_the_fetch(tiny, fetched, monkeypatch):
    monkeypatch.setattr("aucstudy.sources.openml.lists.PAGE", 2)
    with OpenMLServer(tiny) as server:
        tiny.ignores_offset = True
        with pytest.raises(InputError, match=r"run/list/task/1: all pages are the same"):
            fetched(server)


def test_a_long_list_of_several_tasks_is_requested_task_by_task(store, fetched, monkeypatch):
    with OpenMLServer(world_from_store(store)) as server:
        clean = store_bytes(fetched(server, "clean"))
        monkeypatch.setattr("aucstudy.sources.openml.lists.PAGE", 8)
        assert store_bytes(fetched(server, tasks_per_list=2)) == clean
        assert [path.split("/task/")[1] for path in server.paths if "limit/8" in path and "run/" in path] == [
            "1,2", "1", "2",
        ]  # fmt: skip


def test_a_plan_counts_the_lists_that_a_fetch_has_to_repeat(store, fetched, tmp_path):
    world = world_from_store(store)
    world.tasks[3] = TaskEntry(3, 1)
    with OpenMLServer(world) as server:
        settings = {"server": server.url, "pause": 0, "backoff": 0}
        cost = plan(settings, tmp_path / "study/fetched/0", models_per_task=3, min_flows=3, seed=1)
        made = len(server.paths)
        fetched(server)
    assert len([path for path in server.paths[:made] if path.endswith("/task/3")]) == 2
    assert cost.n_requests == len(server.paths) - made


def test_a_list_that_does_not_come_for_several_tasks_comes_for_each(store, fetched):
    with OpenMLServer(world_from_store(store)) as server:
        one_by_one = fetched(server, "clean")
        server.fault = failing(answers(504), "task/1,2")
        assert read_runs(fetched(server, tasks_per_list=2, retries=1)).equals(read_runs(one_by_one))


def test_runs_that_were_never_evaluated_can_be_drawn_from_the_list_of_runs(tiny, fetched):
    tiny.runs[3].engines, tiny.runs[3].error = [], None
    tiny.runs[4].message = "Out of memory"
    with OpenMLServer(tiny) as server:
        assert read_tasks(fetched(server, "evaluated", models=4, flows=5)).empty
        folder = fetched(server, models=4, flows=4, candidates="listed")
    runs = read_runs(folder).set_index("run_id")["server_auroc"]
    assert runs.index.tolist() == ["1", "2", "3", "5"]
    assert np.isnan(runs["3"])
    (rejection,) = read_rejections(folder / "rejections.csv")
    assert (rejection.run_id, rejection.stage, rejection.detail) == ("4", Stage.SELECT, "Out of memory")


def test_only_runs_from_before_the_day_are_drawn(tiny, fetched):
    with OpenMLServer(tiny) as server:
        folder = fetched(server, uploaded_before="2016-01-01", draw="runs")
    assert read_runs(folder)["upload_time"].max() < "2016"
    assert read_tasks(folder)["n_candidates"].tolist() == [4]


def test_a_task_of_a_deactivated_data_set_is_counted_and_not_fetched(store, fetched, tmp_path):
    world = world_from_store(store)
    world.data_sets[2].status = "deactivated"
    world.data_sets[3] = replace(world.data_sets[2], id=3)
    world.tasks[3] = TaskEntry(3, 3)
    with OpenMLServer(world) as server:
        folder = fetched(server)
        cost = plan({"server": server.url, "pause": 0}, folder, models_per_task=3, min_flows=3, seed=1)
        by_id = fetched(server, "by id", tasks=["2", "9"])
    details = {r.task_id: (r.reason, r.detail) for r in read_rejections(folder / "rejections.csv")}
    assert read_tasks(folder)["task_id"].tolist() == ["1"]
    assert details == {
        "2": (Reason.NOT_ACTIVE, "the data set is deactivated; 4 flows"),
        "3": (Reason.TOO_FEW_FLOWS, "0 flows"),
    }
    assert "not active         1 further tasks, whose data set was deactivated" in str(cost).splitlines()
    reasons = {r.task_id: r.reason for r in read_rejections(by_id / "rejections.csv")}
    assert reasons == {"2": Reason.NOT_ACTIVE, "9": Reason.WRONG_PROCEDURE}


def test_a_plan_counts_tasks_by_repetitions_and_by_day(store, tmp_path):
    world = world_from_store(store)
    world.tasks[2].procedure = 3
    settings = {"pause": 0, "repeats": [1, 10], "count_before": ["2016-01-01", "2015-01-01"]}
    study = {"models_per_task": 3, "min_flows": 3, "seed": 1}
    with OpenMLServer(world) as server:
        cost = plan(settings | {"server": server.url}, tmp_path / "a/b/c", **study)
        n_list_requests = plan(settings | {"server": server.url}, tmp_path / "a/b/c", **study).n_list_requests
    assert n_list_requests == 0
    counts = str(cost).splitlines()
    assert (
        "tasks that qualify 2 on 2 data sets (1 with 1 x, 1 with 10 x cross-validation) by the lists"
        in counts
    )
    assert "before 2016-01-01  2 on 2 data sets (1 with 1 x, 1 with 10 x cross-validation)" in counts
    assert "before 2015-01-01  0 on 0 data sets (0 with 1 x, 0 with 10 x cross-validation)" in counts


@pytest.mark.parametrize(("counts", "auroc"), [((2.0, 1.0), 0.7), ((1.0, 2.0), 0.4)])
def test_an_engine_that_has_the_classes_in_reverse_is_known_by_their_counts(counts, auroc):
    target = Target(("no", "yes"), np.array([0, 0, 1]))
    listed = ListedRun("1", "1", "1", "flow", "1", "2015", auroc=0.55, per_class=(0.4, 0.7))
    described = Run("1", "flow", "1", "", "file", class_counts=counts)
    assert recorded_auroc(listed, described, target, positive=1) == auroc
