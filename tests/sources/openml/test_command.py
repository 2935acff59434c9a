"""What the command `aucstudy fetch` writes and says when it fetches from a server."""

import io
import re
import subprocess
import sys

import pytest
import yaml
from openml_server import OpenMLServer, TaskEntry, answers, failing, world_from_store
from openml_server.answering import error
from openml_server.stores import store_bytes

from aucstudy.commands.fetch import _selection
from aucstudy.commands.main import main
from aucstudy.store.rejections import Reason, read_rejections
from aucstudy.store.task_store import read_tasks


@pytest.fixture
def server(store):
    world = world_from_store(store)
    world.runs[2].file_status = 404
    suite = (99, "task", [2, 77])
    world.suites = {"1": (1, "run", [2]), "2": (2, "task", []), "99": suite, "OpenML-CC18": suite}
    with OpenMLServer(world) as started:
        yield started


@pytest.fixture
def path(server, tmp_path, monkeypatch):
    """Write a study file for the server and return its path. The data go to the folder of the test."""
    monkeypatch.chdir(tmp_path)
    return _write(tmp_path, server=server.url, pause=0, backoff=0, retries=0, outage=0, max_refused=0.4)


def _write(folder, **block):
    path = folder / "served.yaml"
    keys = {"study": "served", "source": "openml", "models_per_task": 3, "min_flows": 3, "openml": block}
    path.write_text(yaml.safe_dump(keys))
    return path


def _chosen(folder, name) -> dict:
    """Return the block `openml` of the study file that a fetch of chosen tasks wrote."""
    return yaml.safe_load((folder / f"data/{name}/study.yaml").read_text())["openml"]


def test_the_rejections_of_all_stages_are_written_and_counted(path, server, tmp_path, capsys):
    server.world.tasks[3] = TaskEntry(3, 1, procedure=3)
    assert main(["fetch", str(path)]) == 0
    printed = capsys.readouterr()
    rejections = read_rejections(tmp_path / "data" / "served" / "fetched_by_hand" / "rejections.csv")
    assert {(r.task_id, r.reason) for r in rejections} >= {("3", Reason.WRONG_PROCEDURE)}
    assert f"2 tasks, 6 runs, {len(rejections)} rejections: " in printed.out
    assert f"openml: done: 2 of 2 tasks, 6 runs kept, {len(rejections)} rejected" in printed.err


def test_some_tasks_of_a_study_leave_its_own_store_as_it_is(path, server, tmp_path, capsys):
    data = tmp_path / "data" / "served"
    assert main(["fetch", str(path)]) == 0
    whole, n = store_bytes(data), len(server.paths)
    assert main(["fetch", str(path), "--task", "2", "9999"]) == 0
    line = "task 9999 is left out: wrong_procedure, no classification task of this id"
    assert line in capsys.readouterr().out.splitlines()
    after = store_bytes(data)
    assert {name: after[name] for name in whole} == whole
    # Only the list of the chosen tasks is requested. What both studies need is not requested again.
    assert len(server.paths) - n == len(after) - len(whole) == 1
    chosen = tmp_path / "data" / "served-tasks-2-9999"
    assert read_tasks(chosen / "fetched_by_hand")["task_id"].tolist() == ["2"]
    assert (chosen / "raw" / "selection.csv").exists()
    assert yaml.safe_load((chosen / "study.yaml").read_text())["study"] == "served-tasks-2-9999"


def test_each_selection_of_a_study_has_a_folder_of_its_own(path, server, tmp_path):
    selections = {
        "served-tasks-2": ("--task", "2"),
        "served-tasks-1": ("--task", "1"),
        "served-suite-99": ("--suite", "99"),
    }
    server.world.runs[2].file_status = 200
    for words in selections.values():
        assert main(["fetch", str(path), *words]) == 0
    tasks = {
        name: read_tasks(tmp_path / "data" / name / "fetched_by_hand")["task_id"].tolist()
        for name in selections
    }
    assert tasks == {"served-tasks-2": ["2"], "served-tasks-1": ["1"], "served-suite-99": ["2"]}


def test_a_long_selection_has_a_short_name_of_its_own():
    names = {_selection([*map(str, range(100)), last], None) for last in ("100", "101")}
    assert len(names) == 2
    assert {len(name) for name in names} == {40}


def test_a_server_that_stops_ends_the_command_with_one_line_and_no_table(path, server, tmp_path, capsys):
    assert main(["fetch", str(path), "--plan"]) == 0
    server.stop()
    capsys.readouterr()
    assert main(["fetch", str(path)]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    host = server.host.removeprefix("http://")
    assert last.startswith(
        f"aucstudy: {host} cannot be reached: the connection is refused; what was fetched is"
    )
    assert last.endswith("run the same command again to go on")
    assert not list(tmp_path.glob("data/served/fetched_by_hand/**/tasks.csv"))
    server.restart()
    assert main(["fetch", str(path)]) == 0


UNREACHABLE = {
    "http://no-such-host.invalid": "no-such-host.invalid cannot be reached: its name is not resolved",
    "http://127.0.0.1:9": "127.0.0.1:9 cannot be reached: the connection is refused",
}


@pytest.mark.parametrize("host", UNREACHABLE)
@pytest.mark.parametrize("words", [["--plan"], []])
def test_a_server_that_is_not_there_is_one_line_without_warnings(tmp_path, monkeypatch, host, words):
    """The command runs in a process of its own, since pytest takes the warnings of other packages."""
    path = _write(tmp_path, server=f"{host}/api/v1/xml", pause=0, backoff=0, retries=2)
    command = [sys.executable, "-m", "aucstudy", "fetch", str(path), *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == f"aucstudy: {UNREACHABLE[host]}; run the same command again later\n"


REFUSED = r"the server refused {} of {} runs \({}\). This is kept until 20..-..-.. ..:.. UTC; --ask-again .* asks again"


def test_what_the_server_refused_is_told_and_can_be_asked_for_again(path, server, capsys):
    assert main(["fetch", str(path)]) == 0
    line = REFUSED.format(1, 7, "1 with status 404")
    assert re.search(line, capsys.readouterr().err.splitlines()[-1])
    n = len(server.paths)
    assert main(["fetch", str(path)]) == 0
    assert len(server.paths) == n
    # The last line is the same if the refusal comes from the cache.
    assert re.search(line, capsys.readouterr().err.splitlines()[-1])
    server.world.runs[2].file_status = 200
    assert main(["fetch", str(path), "--ask-again"]) == 0
    assert server.paths[n:] == ["/data/download/1002/predictions.arff"]
    assert "refused" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("where", "statuses"),
    [
        ("/data/download/", "8 with status 404"),
        ("/data/v1/", "2 with status 404"),
        ("/run/.$", "8 with status 412"),
    ],
)
def test_a_server_that_lost_its_files_ends_the_fetch_with_one_line_and_no_table(
    path, server, tmp_path, capsys, where, statuses
):
    lost = (lambda reply: error(236, "Run not found")) if "run" in where else answers(404)
    server.fault = failing(lost, where)
    for _ in range(2):
        assert main(["fetch", str(path)]) == 1
        last = capsys.readouterr().err.splitlines()[-1]
        n = 6 if "v1" in where else 8
        assert re.search(
            f"^aucstudy: {REFUSED.format(n, n, statuses)}.*openml.max_refused, 0.4, allows", last
        )
        assert not list(tmp_path.glob("data/served/fetched_by_hand/**/tasks.csv"))
    server.fault = failing("503", times=0)
    server.world.runs[2].file_status = 200
    assert main(["fetch", str(path), "--ask-again"]) == 0


@pytest.mark.parametrize("where", ["/data/download/", "/data/v1/"])
@pytest.mark.parametrize("fault", ["page with 200", "text with 200", "content cut", "gzip torn"])
def test_files_that_are_all_broken_end_the_fetch_with_one_line_and_no_table(
    path, server, tmp_path, capsys, where, fault
):
    server.world.runs[2].file_status = 200
    server.fault = failing(fault, where)
    assert main(["fetch", str(path)]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert re.search(
        r"refused (6|8) of (6|8) runs \(\d broken files\). The same command asks again. That is", last
    )
    assert not list(tmp_path.glob("data/served/fetched_by_hand/**/tasks.csv"))


@pytest.fixture
def unevaluated(server):
    """Give the server a run that nobody evaluated, one without a value, and one that was refused."""
    runs = server.world.runs
    runs[1].engines, runs[1].error = [], None
    runs[5].engines[0].value = runs[5].engines[0].array = ""
    runs[6].engines, runs[6].error = [], "row ids do not match"


def test_runs_without_evaluation_are_counted_and_offered(path, unevaluated, tmp_path, capsys):
    offer = "listed runs without an evaluation: 2; --candidates listed draws from them too"
    assert main(["fetch", str(path), "--plan"]) == 0
    line = "not evaluated      2 listed runs; --candidates listed draws from them too"
    assert line in capsys.readouterr().out.splitlines()
    # No task has three runs left.
    assert main(["fetch", str(path), "--task", "1", "2"]) == 1
    assert offer in capsys.readouterr().out.splitlines()
    rejections = read_rejections(tmp_path / "data/served-tasks-1-2/fetched_by_hand/0/rejections.csv")
    missed = [(r.task_id, r.run_id) for r in rejections if r.reason == Reason.NOT_EVALUATED]
    assert missed == [("1", "1"), ("2", "5")]
    assert main(["fetch", str(path), "--task", "1", "2", "--candidates", "listed"]) == 0
    assert offer not in capsys.readouterr().out
    assert _chosen(tmp_path, "served-tasks-1-2")["candidates"] == "listed"


@pytest.mark.parametrize(("typed", "candidates"), [("y\n", "listed"), ("\n", "evaluated"), ("", "evaluated")])
def test_who_sits_at_a_terminal_is_asked_which_runs_to_draw_from(
    path, server, unevaluated, tmp_path, capsys, monkeypatch, typed, candidates
):
    server.world.runs[2].file_status = 200
    stdin = io.StringIO(typed)
    stdin.isatty = lambda: True
    monkeypatch.setattr("sys.stdin", stdin)
    assert main(["fetch", "--task", "1", str(path)]) == 0
    assert "listed runs without an evaluation: 1. Draw from them too? [y/N]" in capsys.readouterr().out
    assert _chosen(tmp_path, "served-tasks-1")["candidates"] == candidates


@pytest.mark.parametrize("name", ["99", "OpenML-CC18"])
def test_a_suite_is_one_request_and_its_tasks_are_those_that_are_fetched(
    path, server, tmp_path, capsys, name
):
    assert main(["fetch", "--suite", name, str(path)]) == 0
    assert not [p for p in server.paths if p.endswith("/task/1")]
    out = capsys.readouterr().out.splitlines()
    assert "task 77 is left out: wrong_procedure, no classification task of this id" in out
    study = f"served-suite-{name.lower()}"
    assert out[-1] == f"to study them: aucstudy run data/{study}/study.yaml"
    folder = tmp_path / "data" / study
    assert read_tasks(folder / "fetched_by_hand")["task_id"].tolist() == ["2"]
    assert _chosen(tmp_path, study)["suite"] == name
    # The study file names the kept answers by their full path.
    assert main(["fetch", str(folder / "study.yaml")]) == 0
    assert [p for p in server.paths if "/study/" in p] == [f"/api/v1/xml/study/{name}"]


def test_data_go_where_the_command_was_given_or_where_it_is_told(path, tmp_path, monkeypatch, capsys):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert main(["fetch", "--task", "2", str(path)]) == 0
    assert (tmp_path / "elsewhere/data/served-tasks-2/study.yaml").exists()
    folder = tmp_path / "my data"
    assert main(["fetch", "--task", "2", str(path), "--directory", str(folder)]) == 0
    study_file = folder / "data/served-tasks-2/study.yaml"
    line = f"to study them: aucstudy run '{study_file}' --directory '{folder}'"
    assert capsys.readouterr().out.splitlines()[-1] == line
    assert (folder / "data/served-tasks-2/fetched_by_hand/tasks.csv").exists()


# The key holds the words of the command, the value the line that refuses them. The words name no study
# or one of another source. With a suite, the served study is added.
REFUSALS = {
    "--suite 1": "/study/1 is a study of runs; expected: a suite of tasks",
    "--suite 2": "/study/2 is without tasks; expected: a suite of tasks",
    "--suite 3": "/study/3: the server says 601: Unknown study",
    "--task 2 iris": "--task: is 'iris'; expected: the id of a task, a number",
    "--task served.yaml": "--task: is 'served.yaml'; expected: the id of a task, a number",
    **{
        f"mine.yaml {option} {value}": f"mine.yaml: {option} is for the source openml, this study's is packaged"
        for option, value in (("--task", "1"), ("--suite", "99"), ("--candidates", "listed"))
    },
}


@pytest.mark.parametrize("words", REFUSALS)
def test_what_cannot_be_chosen_is_one_line(path, tmp_path, capsys, words):
    (tmp_path / "mine.yaml").write_text("study: mine\n")
    study_file = [str(path)] if words.startswith("--suite") else []
    assert main(["fetch", *words.split(), *study_file]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("aucstudy: ")
    assert REFUSALS[words] in line


NAME, KEY = (f"a {fault}; expected: an address without" for fault in ("name or password", "key or query"))
SECRETS = [
    ({"server": "http://ann:geheim@127.0.0.1/api/v1/xml"}, f"server: holds {NAME}"),
    ({"server": "http://ann:geheim@127.0.0.1/wrong"}, f"server: holds {NAME}"),
    ({"server": "http://127.0.0.1/api/v1/xml?api_key=geheim"}, f"server: holds {KEY}"),
    ({"server": "http://127.0.0.1/api/v1/xml/?key=geheim"}, f"server: holds {KEY}"),
    ({"server": "http://127.0.0.1/api_key/geheim/api/v1/xml"}, f"server: holds {KEY}"),
    ({"apikey": "geheim"}, "served.yaml: openml.apikey: unknown key; allowed: server, tasks, suite"),
]


@pytest.mark.parametrize(("block", "fault"), SECRETS)
@pytest.mark.parametrize("words", [["--plan"], []])
def test_a_secret_in_the_configuration_is_refused_and_not_repeated(tmp_path, capsys, block, fault, words):
    path = _write(tmp_path, **block)
    assert main(["fetch", str(path), *words]) == 1
    printed = capsys.readouterr()
    assert fault in printed.err
    assert "geheim" not in printed.out + printed.err
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == [path]
