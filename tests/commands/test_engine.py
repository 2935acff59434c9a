"""A run prints one line for each stage of Snakemake's work and says why jobs failed."""

import io
import logging

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from aucstudy.commands import engine


@pytest.fixture
def handler(tmp_path):
    """Return a log handler with a stream of its own, which leaves the reasons of failures in a file."""
    made = engine.LogHandler(None, engine.LogHandlerSettings(str(tmp_path / "reasons")))
    made.progress.stream = io.StringIO()
    return made


def tell(handler, event, message="", level=logging.INFO, **facts):
    record = logging.LogRecord("snakemake", level, "file", 1, message, (), None)
    record.__dict__ |= {"event": event, **facts}
    handler.emit(record)


def begin(handler, rule):
    tell(handler, LogEvent.JOB_INFO, rule_name=rule)


def fail(handler, rule, *logs):
    tell(handler, LogEvent.JOB_ERROR, level=logging.ERROR, rule_name=rule, log=list(map(str, logs)))


def reasons(handler, tmp_path):
    handler.close()
    file = tmp_path / "reasons"
    return file.read_text().splitlines() if file.exists() else []


def test_a_stage_is_one_line_with_how_far_the_run_is(handler):
    for rule in ("code", "tables_papers", "fetch", "fetch", "task_store"):
        begin(handler, rule)
    tell(handler, LogEvent.PROGRESS, done=7, total=90)
    for rule in ("score", "scores", "measure_noise", "measure_fold_skew", "all"):
        begin(handler, rule)
    lines = handler.progress.stream.getvalue().splitlines()
    assert [line.partition(":")[0] for line in lines] == ["fetch", "score", "measure"]
    assert lines[1].endswith("(0:00, 7 of 90 jobs done)")


def test_on_a_terminal_the_number_of_jobs_stands_below_the_last_stage(handler):
    handler.progress.stream.isatty = lambda: True
    begin(handler, "fetch")
    # The fetching jobs draw a progress bar of their own on this line.
    tell(handler, LogEvent.PROGRESS, done=1, total=9)
    assert "of 9" not in handler.progress.stream.getvalue()
    begin(handler, "score")
    tell(handler, LogEvent.PROGRESS, done=2, total=9)
    assert handler.progress.stream.getvalue().endswith("\r\x1b[K2 of 9 jobs done (0:00)")


def test_jobs_that_failed_say_why_once_each(handler, tmp_path):
    (tmp_path / "a.log").write_text("INFO begun\nTraceback ...\naucstudy: KeyError: 'a'\n")
    (tmp_path / "b.log").write_text("aucstudy: t.csv: is empty\n")
    (tmp_path / "of_a_job_that_was_ended.log").write_text("INFO begun\n")
    for log in ("a.log", "b.log", "b.log", "of_a_job_that_was_ended.log"):
        fail(handler, "fetch", tmp_path / log)
    tell(
        handler,
        LogEvent.ERROR,
        "WorkflowError: At least one job did not complete successfully.",
        logging.ERROR,
    )
    assert reasons(handler, tmp_path) == ["KeyError: 'a'", "t.csv: is empty"]


def test_a_job_that_was_killed_is_named_where_nothing_else_is_known(handler, tmp_path):
    fail(handler, "measure_noise", tmp_path / "gone.log")
    tell(handler, None, "Exiting because a job execution failed", logging.ERROR)
    (line,) = reasons(handler, tmp_path)
    assert line.startswith(
        "rule measure_noise: a job ended without a word, as one that was killed does; its log is"
    )


def test_errors_of_snakemake_itself_are_one_line_each(handler, tmp_path):
    tell(handler, LogEvent.ERROR, "WorkflowError in file x, line 3:\nmine.yaml: is wrong", logging.ERROR)
    assert reasons(handler, tmp_path) == ["WorkflowError in file x, line 3: mine.yaml: is wrong"]


def test_a_run_without_a_fault_leaves_no_reasons(handler, tmp_path):
    tell(handler, None, "Nothing to be done (all requested files are present and up to date).")
    assert "Nothing to be done" in handler.progress.stream.getvalue()
    assert reasons(handler, tmp_path) == []


def test_on_a_full_disk_the_reasons_are_printed(handler, tmp_path):
    # As on a full disk, no file can be written where a folder has its name.
    (tmp_path / "reasons").mkdir()
    tell(handler, None, "No space left on device", logging.ERROR)
    handler.close()
    assert handler.progress.stream.getvalue() == "aucstudy: No space left on device\n"
