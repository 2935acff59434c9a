"""`aucstudy run`: the lock on a folder, signals to Snakemake, and what is said when a study fails."""

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from aucstudy.commands import run
from aucstudy.commands.arguments import parser
from aucstudy.errors import InputError

SOURCE = Path(__file__).parents[2] / "src"
# This program takes the place of Snakemake. It prints its process id, then waits until its standard input is
# closed or a signal comes.
STAND_IN = """
import os, signal, sys
def end(number, frame):
    print("signal", int(number), flush=True)
    sys.exit(1)
signal.signal(signal.SIGTERM, end)
signal.signal(signal.SIGINT, end)
print(os.getpid(), flush=True)
sys.stdin.read()
"""
PARENT = """
import signal, sys
from pathlib import Path
from aucstudy.commands import run
from aucstudy.commands.arguments import parser
signal.signal(signal.SIGINT, signal.default_int_handler)
folder = Path(sys.argv[1])
run.ENGINE = (sys.executable, str(folder / "stand_in.py"))
with run._alone(folder) as (lock, _):
    run.snakemake(folder, held=[lock])
"""


@pytest.fixture
def parent(tmp_path):
    """Start a run in a process of its own and wait until its stand-in for Snakemake is at work."""
    (tmp_path / "stand_in.py").write_text(STAND_IN)
    child = subprocess.Popen(
        [sys.executable, "-c", PARENT, tmp_path],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert int(child.stdout.readline()) != child.pid
    yield child
    child.kill()
    child.communicate()


def locked(folder):
    try:
        with run._alone(folder):
            return False
    except InputError:
        return True


def test_the_lock_stays_with_snakemake_when_the_run_is_killed(parent, tmp_path):
    parent.kill()
    parent.wait()
    assert locked(tmp_path)
    # This returns when no process can write to the pipes any more, so Snakemake has ended.
    parent.communicate()
    assert not locked(tmp_path)


def test_a_request_to_end_is_passed_on_to_snakemake(parent):
    parent.send_signal(signal.SIGTERM)
    assert parent.stdout.read() == f"signal {int(signal.SIGTERM)}\n"
    assert parent.wait() == 128 + signal.SIGTERM
    last_line = parent.stderr.read().splitlines()[-1]
    assert last_line == "aucstudy: stopped by SIGTERM; what is done is kept, run the same command to go on"


def test_another_run_is_told_which_process_is_at_work_and_where_else_it_may_run(parent, tmp_path):
    with pytest.raises(InputError) as error:
        run._alone(tmp_path).__enter__()
    at_work = (
        f"{tmp_path}: another study is running here (process {parent.pid}); wait for it, or run this one "
    )
    assert str(error.value) == f"{at_work}elsewhere: --directory DIR"


def test_the_lock_names_the_last_run_alone(tmp_path):
    (tmp_path / ".snakemake").mkdir()
    (tmp_path / ".snakemake" / "aucstudy.lock").write_text("1")
    with run._alone(tmp_path) as (_, was_killed):
        assert was_killed
        assert (tmp_path / ".snakemake" / "aucstudy.lock").read_text() == str(os.getpid())


@pytest.mark.parametrize("name", ["random", "types", "tokenize"])
def test_a_file_called_like_a_module_of_python_is_not_imported(tmp_path, name):
    (tmp_path / f"{name}.py").write_text("raise SystemExit('my own file')")
    done = subprocess.run(
        [*run.ENGINE, "--version"], cwd=tmp_path, env=run.environment(tmp_path), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_where_home_cannot_be_written_caches_stand_in_the_folder_of_the_study(tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert "MPLCONFIGDIR" not in run.environment(tmp_path)
    (tmp_path / "file").touch()
    for home in (str(tmp_path / "file"), "/proc"):
        monkeypatch.setenv("HOME", home)
        variables = run.environment(tmp_path)
        cache = Path(variables["XDG_CACHE_HOME"])
        assert cache == tmp_path / ".snakemake" / "cache"
        assert variables["MPLCONFIGDIR"] == str(cache / "matplotlib")


def test_why_it_failed_comes_last_and_only_as_often_as_is_read(tmp_path, monkeypatch, capfd):
    reasons = "".join(f"{i}.csv: is empty\\n" for i in range(12))
    code = f"from pathlib import Path; Path('.snakemake/aucstudy.reasons').write_text('{reasons}'); raise SystemExit(1)"
    monkeypatch.setattr(run, "ENGINE", (sys.executable, "-c", code))
    (tmp_path / ".snakemake").mkdir()
    assert run.snakemake(tmp_path) == 1
    lines = capfd.readouterr().err.splitlines()
    assert lines[0] == "aucstudy: 0.csv: is empty"
    assert lines[10].startswith("aucstudy: and 2 more")
    assert len(lines) == 11
    # The reasons of an earlier run are not printed again.
    monkeypatch.setattr(run, "ENGINE", (sys.executable, "-c", "raise SystemExit(1)"))
    assert run.snakemake(tmp_path) == 1
    assert capfd.readouterr().err == ""


def test_an_interrupt_of_the_run_alone_is_passed_on_and_ends_it(parent):
    parent.send_signal(signal.SIGINT)
    assert parent.stdout.read() == f"signal {int(signal.SIGINT)}\n"
    # Python ends itself by the signal when it does not catch a KeyboardInterrupt.
    assert parent.wait() == -signal.SIGINT


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / ".snakemake").write_text("no folder")
    with pytest.raises(
        InputError, match=r"aucstudy\.lock: cannot be written \(File exists\); a study runs in"
    ):
        run._alone(tmp_path).__enter__()


def test_a_folder_with_braces_is_one_line(tmp_path):
    with pytest.raises(InputError, match=r"my\{first\}study: Snakemake cannot work in a folder with braces"):
        run.check_workflow(tmp_path / "my{first}study")


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Return a function that runs a study, with a function in place of Snakemake, and returns its exit code.

    The given function gets the arguments of Snakemake and returns Snakemake's exit code.
    """
    (tmp_path / "mine.yaml").write_text("study: mine\nexperiments: [noise, decomposition]\n")

    def run_by(snakemake, *options):
        monkeypatch.setattr(run, "snakemake", lambda folder, *words, held: snakemake(list(words)))
        arguments = {
            "verbose": False,
            "study": tmp_path / "mine.yaml",
            "cores": 1,
            "directory": tmp_path,
            "options": list(options),
        }
        return run.run(argparse.Namespace(**arguments))

    return run_by


def report_of(words):
    return Path(words[words.index("--report") + 1])


def test_a_study_that_ends_names_its_report_last_and_snakemakes_own_report_if_there_is_one(
    stand_in, tmp_path, capsys
):
    results = tmp_path / "results/mine"

    def snakemake(words):
        results.mkdir(parents=True, exist_ok=True)
        (results / "report.html").write_text("<html>")
        return 0

    def snakemake_with_own_report(words):
        report_of(words).write_text("<html>")
        return snakemake(words)

    assert stand_in(snakemake) == 0
    lines = capsys.readouterr().out
    assert lines.endswith("results/mine/report.html\n")
    assert "provenance" not in lines
    assert stand_in(snakemake_with_own_report) == 0
    assert {path.name for path in results.iterdir()} == {"report.html", "provenance.html"}
    provenance, report = capsys.readouterr().out.splitlines()[-2:]
    assert provenance.startswith("jobs, times and code: ")
    assert provenance.endswith("results/mine/provenance.html")
    assert report.startswith("report: ")
    assert report.endswith("results/mine/report.html")


def test_options_behind_two_dashes_are_those_of_snakemake(stand_in, capsys):
    given = []
    assert stand_in(lambda words: given.extend(words) or 0, "--dry-run") == 0
    assert {"--dry-run", "--keep-going", "--rerun-incomplete"} <= set(given)
    # Committed figures have no captions yet, so a report would fail on them.
    assert "--report" not in given
    # Our logger would hide the list of jobs that a dry run prints.
    assert "--logger" not in given
    assert "report:" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "part", [["--until", "scores"], ["data/mine/scores.parquet"], ["--omit-from", "tables_noise"]]
)
def test_a_part_of_a_study_is_made_without_a_report(stand_in, part):
    given = []
    assert stand_in(lambda words: given.extend(words) or 0, *part) == 0
    assert set(part) <= set(given)
    assert "--report" not in given


def test_an_old_store_of_the_users_own_files_is_brought_up_to_date_first(stand_in, tmp_path):
    """Else all batches would be computed again, since they follow a repeated job."""
    (tmp_path / "own.csv").write_text("label,a\n")
    files = "source: files\nfiles: {tasks: [own.csv], label: label, positive: minority}\n"
    (tmp_path / "mine.yaml").write_text(f"study: mine\nexperiments: [noise]\n{files}")
    calls = []
    for n_calls in (1, 3):
        assert stand_in(lambda words: calls.append(words) or 0) == 0
        assert len(calls) == n_calls
        (tmp_path / "data/mine").mkdir(parents=True, exist_ok=True)
        (tmp_path / "data/mine/tasks.csv").touch()
    assert calls[1][0] == "data/mine/tasks.csv"
    assert "--report" not in calls[1]
    assert "--report" in calls[2]


@pytest.mark.parametrize(
    ("words", "study", "cores"),
    [
        (["mine", "--cores", "2"], Path("mine"), 2),
        (["--cores", "2", "mine"], Path("mine"), 2),
        ([], None, None),
    ],
)
def test_two_dashes_may_stand_behind_anything(words, study, cores):
    arguments = parser().parse_args(["run", *words, "--", "--dry-run", "--jobs", "3"])
    assert (arguments.study, arguments.cores) == (study, cores)
    assert arguments.options == ["--dry-run", "--jobs", "3"]


def test_a_study_goes_on_once_without_an_experiment_that_failed(stand_in, tmp_path, capsys):
    stale = [
        tmp_path / "results/mine" / name for name in ("tables/noise_tasks.csv", "figures/noise_halves.svg")
    ]
    for path in stale:
        path.parent.mkdir(parents=True)
        path.write_text("of an earlier run")
    calls = []

    def snakemake(words):
        calls.append(words)
        if len(calls) > 1:
            return 0
        (tmp_path / "data/mine/failed").mkdir(parents=True)
        (tmp_path / "data/mine/failed/noise").write_text("KeyError: 'a'")
        return 1

    assert stand_in(snakemake) == 1
    assert len(calls) == 2
    assert yaml.safe_load(Path(calls[1][-1]).read_text()) == {"failed": {"noise": "KeyError: 'a'"}}
    assert not any(path.exists() for path in stale)
    assert capsys.readouterr().err == "aucstudy: experiment noise: KeyError: 'a'\n"


def test_a_study_whose_input_is_wrong_ends_at_once(stand_in):
    calls = []
    assert stand_in(lambda words: calls.append(words) or 1) == 1
    assert len(calls) == 1
