"""A job says in one line what went wrong, and neither the line nor its log can control a terminal."""

import logging
from pathlib import Path

import pytest

from aucstudy.commands.engine import line_of
from aucstudy.errors import InputError
from aucstudy.jobs.environment import TAKES_LINES
from aucstudy.jobs.job import UNCAUGHT, job

EVIL = "\x1b]0;owned\x07\n\x9b31m\u202e"


@pytest.fixture(autouse=True)
def own_logging():
    """Restore the logging of the tests after each test."""
    root = logging.getLogger()
    handlers = root.handlers[:]
    yield
    for handler in set(root.handlers) - set(handlers):
        handler.close()
    root.handlers[:] = handlers
    logging.captureWarnings(False)


@pytest.mark.parametrize(("error", "code"), [(InputError, 1), (KeyError, UNCAUGHT)])
def test_the_line_of_an_error_is_one_line(tmp_path, capsys, error, code):
    log = tmp_path / "logs" / "job.log"

    def work():
        with job(log):
            logging.warning("column %s", EVIL)
            raise error(f"column {EVIL}")

    with pytest.raises(SystemExit) as caught:
        work()
    err = capsys.readouterr().err
    assert caught.value.code == code
    assert err.startswith("aucstudy: ")
    assert err.count("\n") == 1
    assert all(character.isprintable() or character == "\n" for character in err + log.read_text())


def test_a_long_name_does_not_fill_the_screen(tmp_path, capsys):
    with pytest.raises(SystemExit), job(tmp_path / "job.log"):
        raise InputError(f"t.csv: no column {'x' * 5000}; the columns are a, b")
    err = capsys.readouterr().err
    assert len(err) < 400
    assert err.endswith("the columns are a, b\n")
    assert "x" * 5000 in (tmp_path / "job.log").read_text()


def test_an_experiment_that_fails_leaves_its_line_for_the_run(tmp_path, capsys):
    with pytest.raises(SystemExit) as caught, job(tmp_path / "job.log", tmp_path / "failed" / "noise"):
        1 // 0  # noqa: B018
    assert caught.value.code == UNCAUGHT
    line = f"ZeroDivisionError: integer division or modulo by zero (traceback in {tmp_path / 'job.log'})"
    assert (tmp_path / "failed" / "noise").read_text() == line
    assert capsys.readouterr().err == f"aucstudy: experiment noise: {line}\n"
    assert "Traceback" in (tmp_path / "job.log").read_text()


def test_wrong_input_is_no_failure_of_an_experiment(tmp_path):
    with pytest.raises(SystemExit) as caught, job(tmp_path / "job.log", tmp_path / "failed" / "noise"):
        raise InputError("t.parquet: is empty")
    assert caught.value.code == 1
    assert not (tmp_path / "failed").exists()


def test_the_log_of_a_job_that_fails_says_why_and_no_more(tmp_path):
    with pytest.raises(SystemExit), job(tmp_path / "job.log"):
        raise InputError("t.csv: is empty")
    assert (tmp_path / "job.log").read_text() == "aucstudy: t.csv: is empty\n"


def test_a_line_that_is_taken_from_the_log_is_not_printed_too(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv(TAKES_LINES, "1")
    with pytest.raises(SystemExit), job(tmp_path / "job.log"):
        1 // 0  # noqa: B018
    assert capsys.readouterr().err == ""
    log = (tmp_path / "job.log").read_text()
    assert "Traceback" in log
    assert log.splitlines()[-1].startswith("aucstudy: ZeroDivisionError: integer division")
    assert line_of(tmp_path / "job.log") == log.splitlines()[-1].removeprefix("aucstudy: ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_log_on_a_full_disk_says_nothing_on_stderr(capsys):
    with job("/dev/full"):
        logging.getLogger().warning("lost")
    assert capsys.readouterr().err == ""
