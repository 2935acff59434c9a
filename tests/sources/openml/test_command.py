"""The command `aucstudy fetch` on a server: what it writes, and what it says."""

import io

import pytest
import yaml
from openml_server import OpenMLServer, Suite, TaskEntry, world_from_store
from openml_server.stores import store_bytes

from aucstudy.commands.main import main
from aucstudy.store.rejections import Reason, read_rejections
from aucstudy.store.task_store import read_tasks


@pytest.fixture
def study(store, tmp_path, monkeypatch):
    """A study file for a server with two tasks, whose data go to the folder of the test."""
    monkeypatch.chdir(tmp_path)
    world = world_from_store(store)
    world.runs[2].file_status = 404
    with OpenMLServer(world) as server:
        path = tmp_path / "served.yaml"
        block = {"server": server.url, "pause": 0, "backoff": 0, "retries": 0}
        keys = {"study": "served", "source": "openml", "models_per_task": 3, "min_flows": 3, "openml": block}
        path.write_text(yaml.safe_dump(keys))
        yield path, server


def test_the_rejections_of_all_stages_are_written_and_counted(study, tmp_path, capsys):
    path, server = study
    server.world.tasks[3] = TaskEntry(3, 1, "class", procedure=3)
    assert main(["fetch", str(path)]) == 0
    printed = capsys.readouterr()
    rejections = read_rejections(tmp_path / "data" / "served" / "fetched_by_hand" / "rejections.csv")
    assert {(r.task_id, r.reason) for r in rejections} >= {("3", Reason.WRONG_PROCEDURE)}
    assert f"2 tasks, 6 runs, {len(rejections)} rejections: " in printed.out
    assert f"openml: done: 2 of 2 tasks, 6 runs kept, {len(rejections)} rejected" in printed.err


def test_a_task_that_was_asked_for_and_is_left_out_is_named(study, capsys):
    path, _ = study
    assert main(["fetch", str(path), "--task", "1", "9999"]) == 0
    assert (
        "task 9999 is left out: wrong_procedure, no active classification task of this id"
        in capsys.readouterr().out.splitlines()
    )


def test_some_tasks_of_a_study_leave_its_own_store_as_it_is(study, tmp_path):
    path, server = study
    assert main(["fetch", str(path)]) == 0
    whole = store_bytes(tmp_path / "data" / "served")
    n = len(server.log.paths)
    assert main(["fetch", str(path), "--task", "2"]) == 0
    lists = [name for name in store_bytes(tmp_path / "data" / "served") if name not in whole]
    after = store_bytes(tmp_path / "data" / "served")
    assert {name: after[name] for name in whole if name != "raw/requests.jsonl"} == {
        name: body for name, body in whole.items() if name != "raw/requests.jsonl"
    }
    # What the two share is not asked for again: only the list of the chosen task.
    assert len(server.log.paths) - n == len(lists) == 2
    chosen = tmp_path / "data" / "served-chosen-tasks"
    assert read_tasks(chosen / "fetched_by_hand")["task_id"].tolist() == ["2"]
    assert (chosen / "raw" / "selection.csv").exists()
    assert yaml.safe_load((chosen / "study.yaml").read_text())["study"] == "served-chosen-tasks"


def test_a_server_that_stops_ends_the_command_with_one_line_and_no_table(study, tmp_path, capsys):
    path, server = study
    assert main(["fetch", str(path), "--plan"]) == 0
    server.stop()
    capsys.readouterr()
    assert main(["fetch", str(path)]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("aucstudy: tasks that wait for an answer: 1, 2, the first for: no answer to GET ")
    assert last.endswith("run the same command again to go on (requests without an answer: 2)")
    assert not list(tmp_path.glob("data/served/fetched_by_hand/**/tasks.csv"))
    server.restart()
    assert main(["fetch", str(path)]) == 0


@pytest.fixture
def unevaluated(study):
    """The study with a run that nobody evaluated, one whose evaluation has no value, and one that was refused."""
    path, server = study
    server.world.runs[1].engines, server.world.runs[1].error = [], None
    server.world.runs[5].engines[0].value = server.world.runs[5].engines[0].array = ""
    server.world.runs[6].engines, server.world.runs[6].error = [], "row ids do not match"
    return path, server


OFFER = "listed runs without an evaluation: 2; --candidates listed draws from them too"


def test_runs_without_evaluation_are_counted_and_offered(unevaluated, tmp_path, capsys):
    path, _ = unevaluated
    assert main(["fetch", str(path), "--plan"]) == 0
    line = "not evaluated      2 listed runs; --candidates listed draws from them too"
    assert line in capsys.readouterr().out.splitlines()
    assert main(["fetch", str(path), "--task", "1", "2"]) == 1  # no task has three runs left
    assert OFFER in capsys.readouterr().out.splitlines()
    folder = tmp_path / "data" / "served-chosen-tasks" / "fetched_by_hand" / "0"
    missed = [
        (r.task_id, r.run_id)
        for r in read_rejections(folder / "rejections.csv")
        if r.reason == Reason.NOT_EVALUATED
    ]
    assert missed == [("1", "1"), ("2", "5")]
    assert main(["fetch", str(path), "--task", "1", "2", "--candidates", "listed"]) == 0
    assert OFFER not in capsys.readouterr().out
    chosen = yaml.safe_load((tmp_path / "data" / "served-chosen-tasks" / "study.yaml").read_text())
    assert chosen["openml"]["candidates"] == "listed"


@pytest.mark.parametrize(
    ("answer", "candidates"), [("y\n", "listed"), ("\n", "evaluated"), ("", "evaluated")]
)
def test_who_sits_at_a_terminal_is_asked_which_runs_to_draw_from(
    unevaluated, tmp_path, capsys, monkeypatch, answer, candidates
):
    path, server = unevaluated
    server.world.runs[2].file_status = 200
    stdin = io.StringIO(answer)
    stdin.isatty = lambda: True
    monkeypatch.setattr("sys.stdin", stdin)
    assert main(["fetch", "--task", "1", str(path)]) == 0
    assert "listed runs without an evaluation: 1. Draw from them too? [y/N]" in capsys.readouterr().out
    chosen = yaml.safe_load((tmp_path / "data" / "served-chosen-tasks" / "study.yaml").read_text())
    assert chosen["openml"]["candidates"] == candidates


def test_a_study_may_stand_behind_the_ids_of_tasks(study, tmp_path, capsys):
    path, _ = study
    assert main(["fetch", "--task", "2", str(path)]) == 0
    assert (tmp_path / "data" / "served-chosen-tasks" / "study.yaml").exists()
    for words, wanted in (
        (["--task", "2", "iris"], "--task: is 'iris'; wanted: the id of a task, a number"),
        (["--task", str(path)], f"--task: is {str(path)!r}; wanted: the id of a task, a number"),
    ):
        assert main(["fetch", *words]) == 1
        assert wanted in capsys.readouterr().err


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        (
            "http://ann:geheim@127.0.0.1/api/v1/xml",
            "server: holds a name or password; wanted: an address without",
        ),
        ("http://ann:geheim@127.0.0.1/wrong", "server: holds a name or password; wanted: an address without"),
        (
            "http://127.0.0.1/api/v1/xml?api_key=geheim",
            "server: holds a key or query; wanted: an address without",
        ),
        (
            "http://127.0.0.1/api/v1/xml/?key=geheim",
            "server: holds a key or query; wanted: an address without",
        ),
        (
            "http://127.0.0.1/api_key/geheim/api/v1/xml",
            "server: holds a key or query; wanted: an address without",
        ),
    ],
)
def test_a_secret_in_the_address_of_the_server_is_refused_and_not_repeated(
    study, tmp_path, capsys, address, fault
):
    path, _ = study
    keys = yaml.safe_load(path.read_text())
    keys["openml"]["server"] = address
    path.write_text(yaml.safe_dump(keys))
    assert main(["fetch", str(path), "--plan"]) == 1
    printed = capsys.readouterr()
    assert fault in printed.err
    assert "geheim" not in printed.out + printed.err
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and file != path]


def test_a_key_in_the_configuration_is_refused_and_not_repeated(study, capsys):
    path, _ = study
    keys = yaml.safe_load(path.read_text())
    keys["openml"]["apikey"] = "geheim"
    path.write_text(yaml.safe_dump(keys))
    assert main(["fetch", str(path)]) == 1
    printed = capsys.readouterr()
    assert "served.yaml: openml.apikey: unknown key; allowed: server, tasks, suite" in printed.err
    assert "geheim" not in printed.out + printed.err


@pytest.mark.parametrize("name", ["99", "OpenML-CC18"])
def test_a_suite_is_one_request_and_its_tasks_are_those_that_are_fetched(study, tmp_path, capsys, name):
    path, server = study
    server.world.suites.append(Suite(99, "OpenML-CC18", [2, 77]))
    assert main(["fetch", "--suite", name, str(path)]) == 0
    assert [p for p in server.log.paths if "/study/" in p] == [f"/api/v1/xml/study/{name}"]
    assert not [p for p in server.log.paths if p.endswith("/task/1")]
    out = capsys.readouterr().out.splitlines()
    assert "task 77 is left out: wrong_procedure, no active classification task of this id" in out
    assert out[-1] == "to study them: aucstudy run data/served-chosen-tasks/study.yaml"
    folder = tmp_path / "data" / "served-chosen-tasks"
    assert read_tasks(folder / "fetched_by_hand")["task_id"].tolist() == ["2"]
    assert yaml.safe_load((folder / "study.yaml").read_text())["openml"]["suite"] == name
    assert main(["fetch", str(folder / "study.yaml")]) == 0  # it names the kept answers by their full path
    assert [p for p in server.log.paths if "/study/" in p] == [f"/api/v1/xml/study/{name}"]


def test_a_suite_that_is_none_is_one_line(study, capsys):
    path, server = study
    server.world.suites += [Suite(1, "", [2], kind="run"), Suite(2, "", [])]
    for name, fault in (
        ("1", "/study/1 is a study of runs; wanted: a suite of tasks"),
        ("2", "/study/2 is without tasks; wanted: a suite of tasks"),
        ("3", "/study/3: the server says 601: Unknown study"),
    ):
        assert main(["fetch", "--suite", name, str(path)]) == 1
        assert fault in capsys.readouterr().err.splitlines()[-1]


def test_data_go_where_the_command_was_given_or_where_it_is_told(study, tmp_path, monkeypatch, capsys):
    path, _ = study
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert main(["fetch", "--task", "2", str(path)]) == 0
    assert (tmp_path / "elsewhere/data/served-chosen-tasks/study.yaml").exists()
    assert main(["fetch", "--task", "2", str(path), "--directory", str(tmp_path / "my data")]) == 0
    line = capsys.readouterr().out.splitlines()[-1]
    folder = tmp_path / "my data"
    assert (
        line
        == f"to study them: aucstudy run '{folder}/data/served-chosen-tasks/study.yaml' --directory '{folder}'"
    )
    assert (folder / "data/served-chosen-tasks/fetched_by_hand/tasks.csv").exists()


@pytest.mark.parametrize("words", [["--task", "1"], ["--suite", "99"], ["--candidates", "listed"]])
def test_what_only_a_server_can_choose_is_refused_for_another_source(tmp_path, capsys, words):
    path = tmp_path / "mine.yaml"
    path.write_text("study: mine\n")
    assert main(["fetch", str(path), *words]) == 1
    line = f"{path}: {words[0]} is for the source openml, this study's is packaged"
    assert capsys.readouterr().err == f"aucstudy: {line}\n"
