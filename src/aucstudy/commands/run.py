"""The command `aucstudy run`: Snakemake on this package's workflow, then its report."""

import argparse
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import yaml

from aucstudy.commands.arguments import add_cores, add_study
from aucstudy.commands.main import LEAST_ROOM
from aucstudy.config import WORKFLOW, load_config, study_meant, working_folder
from aucstudy.errors import InputError
from aucstudy.experiments.contract import Experiment, experiments_of, made_from
from aucstudy.printable import printable
from aucstudy.store.files import path_here, write_text

CLOCKS_DIFFER = 1  # seconds that the clock of a file server may be ahead
FAILED = "failed"  # in a study's data: a file of each experiment that failed, with its line
PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    add_cores(parser)


def run(arguments: argparse.Namespace) -> int:
    """1 when a job failed and has said why; the report is made without experiments that failed, and says so."""
    directory = working_folder(arguments.directory)
    check_workflow(directory)
    study = study_meant(arguments.study)
    config = load_config(study)
    overlay = overlaid(directory, study)
    results = directory / "results" / config["study"]
    report = results / "report.html"
    folders = directory / "data" / config["study"], results
    inputs = WORKFLOW / "workflow", WORKFLOW / "config.yaml", study
    reported = [*folders, *filter(None, inputs)]
    # under its name once it is whole: half a page would be newer than all that it shows
    draft = report.with_name(".report.html")
    failed: dict[str, str] = {}
    with _alone(directory) as (lock, was_killed):
        # Snakemake holds the lock too: as long as it lives, even without us, nothing else starts here
        snakemake_here = partial(snakemake, directory, held=[lock])
        for folder in folders:
            make_usable(folder)
        if was_killed:
            snakemake_here("--unlock", "--quiet", "all", *overlay)
        # what failed before is tried again
        shutil.rmtree(folders[0] / FAILED, ignore_errors=True)
        reporting = ["--report", str(draft)]
        outdated = not is_newest(report, reported)
        try:
            # by the run itself where one is wanted: another start of Snakemake takes seconds
            options = [*quiet_run(arguments.cores), *[*reporting, "--report-after-run"] * outdated]
            while snakemake_here(*options, *overlay):
                lines = failures(folders[0] / FAILED)
                if lines == failed:
                    check_room(directory)
                    return 1
                failed = lines
                print(printable(f"going on without {', '.join(failed)}"), flush=True)
                without = leave_out(experiments_of(config), failed, folders[0] / FAILED, results)
                overlay = overlaid(directory, study, without)
            if not outdated and not is_newest(report, reported) and snakemake_here(*reporting, *overlay):
                check_room(directory)
                return 1
            if draft.exists():
                draft.replace(report)
        finally:
            draft.unlink(missing_ok=True)
    for name, line in failed.items():
        print(f"aucstudy: {printable(f'experiment {name}: {line}')}", file=sys.stderr)
    print(f"report{' without these' if failed else ''}: {printable(path_here(report))}")
    return 1 if failed else 0


def failures(folder: Path) -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt"))}


def leave_out(
    declared: Mapping[str, Experiment], failed: Mapping[str, str], folder: Path, results: Path
) -> Path:
    """A study file for the rest; what an earlier run made of the failed experiments is removed."""
    for experiment in made_from(declared, failed):
        for file in experiment.files.values():
            (results / "tables" / file).unlink(missing_ok=True)
        for name in experiment.figures:
            (results / "figures" / f"{name}.png").unlink(missing_ok=True)
            (results / "figures" / f"{name}.svg").unlink(missing_ok=True)
    path = folder / "without.yaml"
    text = yaml.safe_dump({"failed": dict(failed)}, allow_unicode=True)
    write_text(path, text)
    return path


def is_newest(page: Path, shown: Sequence[Path]) -> bool:
    paths_below = (Path(top, name) for folder in shown for top, _, names in os.walk(folder) for name in names)
    files = [path for path in (page, *shown, *paths_below) if path.is_file()]
    return page in files and page.stat().st_mtime_ns == max(path.stat().st_mtime_ns for path in files)


def overlaid(directory: Path, *studies: Path | None) -> list[str]:
    """Snakemake's arguments for study files laid on config.yaml, from any folder."""
    over = [str(study.absolute()) for study in studies if study]
    if directory == WORKFLOW:
        return ["--configfile", "config.yaml", *over] if over else []
    return [f"--snakefile={WORKFLOW / 'Snakefile'}", "--configfile", str(WORKFLOW / "config.yaml"), *over]


def quiet_run(cores: int | None) -> list[str]:
    return ["--cores", str(cores or "all"), "--quiet", "rules", "reason", "host"]


def check_workflow(directory: Path) -> None:
    if not (WORKFLOW / "Snakefile").exists():
        raise InputError(
            f"{WORKFLOW}: no Snakefile here; a study runs from a checkout of the repository or an installed wheel"
        )
    for folder in (WORKFLOW, directory):
        if set(str(folder)) & set("{}"):
            raise InputError(
                f"{folder}: Snakemake cannot work in a folder with braces in its path; rename or move it"
            )


def make_usable(folder: Path) -> None:
    """Refuse a folder that a study cannot write; what is dated in the future, where Snakemake ends, is dated now."""
    now, existing = time.time(), folder
    while not existing.exists():
        existing = existing.parent
    paths_below = [Path(top, name) for top, folders, files in os.walk(folder) for name in (*folders, *files)]
    for path in (existing, *paths_below):
        # a job that outlived a killed run may still rename its files
        with suppress(FileNotFoundError):
            status = path.lstat()
            if (path == existing or path.is_dir()) and not (path.is_dir() and os.access(path, os.W_OK)):
                raise InputError(
                    f"{path}: a folder that the study can write is wanted; delete it or let it be written"
                )
            if status.st_mtime > now + CLOCKS_DIFFER:
                os.utime(path, follow_symlinks=False)


def check_room(folder: Path) -> None:
    if shutil.disk_usage(folder).free < LEAST_ROOM:
        raise InputError(f"{folder}: the disk is full; make room and run the same command again to go on")


def snakemake(folder: Path, *arguments: str, held: Sequence[int] = ()) -> int:
    """Its exit code; it holds the file descriptors `held` to its end."""
    command = [sys.executable, "-m", "snakemake", *arguments]
    child = subprocess.Popen(command, cwd=folder, pass_fds=held)
    with _passed_on_to(child) as sent:
        code = child.wait()
    if signal.SIGINT in sent:
        raise KeyboardInterrupt
    if code < 0:
        raise InputError(f"Snakemake was ended by signal {-code}; run the same command to go on")
    return code


@contextmanager
def _passed_on_to(child: subprocess.Popen) -> Iterator[set[int]]:
    """The requests to end that came; those that came to us alone are sent to the child as well."""
    sent: set[int] = set()

    def pass_on(number: int, frame: object) -> None:
        sent.add(number)
        if number != signal.SIGINT or not _at_a_terminal():
            child.send_signal(number)

    # an interrupt that a shell lets its background jobs ignore stays ignored
    signal_numbers = [number for number in PASSED_ON if signal.getsignal(number) != signal.SIG_IGN]
    handlers_before = {number: signal.signal(number, pass_on) for number in signal_numbers}
    try:
        yield sent
    finally:
        for number, handler in handlers_before.items():
            signal.signal(number, handler)


def _at_a_terminal() -> bool:
    """Whether a terminal interrupts our group of processes, and Snakemake with it."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    finally:
        os.close(terminal)


@contextmanager
def _alone(directory: Path) -> Iterator[tuple[int, bool]]:
    """The lock of a directory, and whether the last run was killed, so that a lock of Snakemake's is a left-over."""
    path = directory / ".snakemake" / "aucstudy.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("a+")
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}); a study runs in a folder that can be written"
        ) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{directory}: another study is running here; wait for it") from None
        lock.seek(0)
        was_killed = bool(lock.read())
        try:
            os.write(lock.fileno(), str(os.getpid()).encode())
        except OSError as error:
            raise InputError(f"{path}: cannot be written ({error.strerror})") from None
        yield lock.fileno(), was_killed
        lock.truncate(0)  # not reached where Snakemake was killed or interrupted: the mark stays
