"""Snakemake with this package's own output: `python -m aucstudy.commands.engine` takes the arguments of `snakemake`.

It prints one line for each stage instead of several lines for each job. If a run fails, it writes the reasons
to a file for `aucstudy run`. Snakemake's own log in `.snakemake/log` has everything.
"""

import logging
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from aucstudy.jobs.environment import LINE, TAKES_LINES
from aucstudy.jobs.process import end_process
from aucstudy.printable import printable

PLUGIN = "snakemake_logger_plugin_aucstudy"
NAME = "aucstudy"  # Snakemake's name of this plugin

# For each job that has ended, Snakemake looks at all waiting jobs once in this timespan, in case they had to wait
# because too many began in it. With its own timespan of one second, it would look at them fifty times a second after
# fifty jobs.
FEWER_LOOKS = ("--max-jobs-per-timespan", "1000000/1h")

STAGES = {
    "fetch": "fetch: tasks, and the scores of their models",
    "score": "score: the areas of every model",
    "measure": "measure: the experiments, on batches of tasks",
    "tables": "tables and figures of the experiments",
    "claims": "claims: the published numbers beside the study's",
    "pages": "report",
}


def stage_of(rule: str) -> str:
    """Return the stage of a rule, or "" if it belongs to none.

    Rules that only serve others belong to none. Neither does the rule of the papers' own tables, which need
    no task.

    >>> stage_of("measure_noise"), stage_of("scores"), stage_of("code")
    ('measure', 'score', '')
    """
    name = rule.partition("_")[0]
    if rule == "tables_papers":
        return ""
    return "score" if name == "scores" else name if name in STAGES else ""


class Progress:
    """Progress of a run: a line when a stage begins and, below it on a terminal, the number of jobs done."""

    def __init__(self, stream: TextIO):
        self.stream = stream
        self.started = time.monotonic()
        self.stages: list[str] = []
        self.done, self.total = 0, 0

    def job_begins(self, rule: str) -> None:
        stage = stage_of(rule)
        if stage and stage not in self.stages:
            self.stages.append(stage)
            jobs = f", {self.done} of {self.total} jobs done" if stage != "fetch" and self.total else ""
            self.line(f"{STAGES[stage]} ({self._elapsed()}{jobs})")

    def jobs_done(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        # The stage `fetch` has a bar of its own, which must not be overwritten.
        if self.stream.isatty() and self.stages and self.stages[-1] != "fetch":
            self._write(f"\r\x1b[K{done} of {total} jobs done ({self._elapsed()})")

    def line(self, text: str) -> None:
        clear = "\r\x1b[K" if self.stream.isatty() else ""
        self._write(f"{clear}{printable(text)}\n")

    def end(self) -> None:
        if self.stream.isatty():
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()

    def _elapsed(self) -> str:
        minutes, seconds = divmod(int(time.monotonic() - self.started), 60)
        return f"{minutes}:{seconds:02d}"


class Reasons:
    """The reasons why a run failed.

    They are the messages of its jobs. If there are none, they are the jobs that ended without a message, or
    else Snakemake's own errors.
    """

    def __init__(self) -> None:
        self.told: list[str] = []
        self.wordless: list[str] = []
        self.errors: list[str] = []

    def job_failed(self, rule: str, logs: list[str]) -> None:
        lines = [line for log in logs if (line := line_of(Path(log)))]
        self.told += lines
        if not lines:
            where = f"; its log is {', '.join(logs)}" if logs else ""
            self.wordless.append(
                f"rule {rule}: a job ended without a word, as one that was killed does{where}"
            )

    def lines(self) -> list[str]:
        reasons = self.told or self.wordless or self.errors
        return list(dict.fromkeys(" ".join(reason.split()) for reason in reasons))


def line_of(log: Path) -> str:
    """Return the message that a failed job left at the end of its log, or "" if there is none."""
    try:
        last_line = log.read_text(encoding="utf-8", errors="replace").rstrip("\n").rpartition("\n")[2]
    except OSError:
        return ""
    return last_line.removeprefix(LINE) if last_line.startswith(LINE) else ""


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    reasons: str = field(
        default="",
        metadata={
            "help": "the file for the lines that say why a run failed",
            "env_var": False,
            "required": False,
        },
    )
    first_part: bool = field(
        default=False,
        metadata={
            "help": "another call makes the rest of the study, so it is no news that there is nothing to do",
            "env_var": False,
            "required": False,
        },
    )


class LogHandler(LogHandlerBase):
    """The handler of Snakemake's messages, in the form of a plugin for its logging."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        self.progress, self.reasons = Progress(sys.stderr), Reasons()
        self.is_first_part = getattr(self.settings, "first_part", False)

    def emit(self, record: logging.LogRecord) -> None:
        facts = vars(record)  # Snakemake adds facts to the message.
        event = facts.get("event")
        if event == LogEvent.JOB_INFO:
            self.progress.job_begins(facts["rule_name"])
        elif event == LogEvent.PROGRESS:
            self.progress.jobs_done(facts["done"], facts["total"])
        elif event == LogEvent.JOB_ERROR:
            self.reasons.job_failed(facts["rule_name"], list(facts["log"] or ()))
        elif record.levelno >= logging.ERROR and event != LogEvent.GROUP_ERROR:
            self.reasons.errors.append(record.getMessage())
        elif str(record.msg).startswith("Nothing to be done") and not self.is_first_part:
            self.progress.line(str(record.msg))

    def close(self) -> None:
        self.progress.end()
        file = getattr(self.settings, "reasons", "")
        if file and (lines := self.reasons.lines()):
            try:
                Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8")
            except OSError:  # A full disk must not hide the reasons.
                for line in lines:
                    self.progress.line(f"{LINE}{line}")
        super().close()


def main() -> None:
    from snakemake import cli
    from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry

    LoggerPluginRegistry().register_plugin(PLUGIN, sys.modules[__name__])
    if NAME in sys.argv:
        os.environ[TAKES_LINES] = "1"
    try:
        cli.main([*FEWER_LOOKS, *sys.argv[1:]])
    except SystemExit as ended:
        # Otherwise the process would wait for Snakemake's timers.
        end_process(int(ended.code or 0))


if __name__ == "__main__":
    main()
