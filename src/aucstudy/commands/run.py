"""The command `aucstudy run`: Snakemake on this package's workflow, then Snakemake's own report of the jobs."""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum, auto
from pathlib import Path

import yaml

from aucstudy.commands.arguments import CommandParser, add_cores, add_study
from aucstudy.commands.what_was_used import what_was_used
from aucstudy.config import WORKFLOW, load_config, study_meant, working_folder
from aucstudy.errors import InputError
from aucstudy.experiments.contract import Experiment, experiments_of, made_from
from aucstudy.jobs.environment import imports_of
from aucstudy.printable import printable
from aucstudy.store.files import lock_alone, path_here, write_text

FAILED = "failed"  # folder in a study's data with a file for each failed experiment, which holds its message
WITHOUT = "without.yaml"  # study file in that folder for a run without the failed experiments
PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
# With -P, a file in the working folder with the name of a Python module, such as random.py, is not imported.
ENGINE = (sys.executable, "-P", "-m", "aucstudy.commands.engine")
REASONS = Path(".snakemake", "aucstudy.reasons")  # where the engine writes why a run failed
MOST_REASONS = 10
FIRST_PART = "--logger-aucstudy-first-part"  # the engine's option if the rest of the study is made after this


class Scope(Enum):
    """What a run makes: the whole study with its report, a part of it, or only a plan of the jobs."""

    WHOLE = auto()
    PART = auto()
    PLAN = auto()


def add_arguments(parser: CommandParser) -> None:
    add_study(parser)
    add_cores(parser)
    parser.add_argument("--verbose", action="store_true", help="print the full output of Snakemake")
    parser.passes_on = True
    parser.usage = "%(prog)s [-h] [--directory DIR] [--cores N] [--verbose] [STUDY] [-- OPTIONS OF SNAKEMAKE]"


def run(arguments: argparse.Namespace) -> int:
    """Run a study and return 0, or 1 if a job failed and has said why.

    Experiments that failed are left out of the report, which says so.
    """
    directory = working_folder(arguments.directory)
    check_workflow(directory)
    study = study_meant(arguments.study)
    config = load_config(study)
    data, results = (directory / name / config["study"] for name in ("data", "results"))
    report, provenance, draft = (
        results / name for name in ("report.html", "provenance.html", ".provenance.html")
    )
    scope = scope_of(arguments.options)
    own_options = [
        *running(arguments.cores, verbose=arguments.verbose or scope is Scope.PLAN),
        "--keep-going",
        "--rerun-incomplete",
    ]
    options = [*own_options, *arguments.options]
    # Snakemake's own report shows captions that are made last. A plan or a part of the study does not make them.
    reporting = ["--report", str(draft), "--report-after-run"] if scope is Scope.WHOLE else []
    overlay = overlaid(directory, study)
    failed: dict[str, str] = {}
    with _alone(directory) as (lock, was_killed):
        if was_killed:
            snakemake(directory, "--unlock", "--quiet", "all", *overlay, held=[lock])
        # Experiments that failed in an earlier run are tried again.
        shutil.rmtree(data / FAILED, ignore_errors=True)
        # Snakemake repeats all jobs that follow a repeated job, even if this one has written the same files
        # again. So an old task store is brought up to date first, and then only those batches are computed
        # again that have changed. The tasks of installed packages change only if all models are fitted again.
        store = data / "tasks.csv"
        if store.exists() and config["source"] != "packaged" and not arguments.options:
            target = str(store.relative_to(directory))
            if snakemake(directory, target, *own_options, FIRST_PART, *overlay, held=[lock]):
                return 1
        while snakemake(directory, *options, *reporting, *overlay, held=[lock]):
            lines = failures(data / FAILED)
            if lines == failed:
                return 1
            failed = lines
            print(printable(f"going on without {', '.join(failed)}"), flush=True)
            without = leave_out(experiments_of(config), failed, data / FAILED, results)
            overlay = overlaid(directory, study, without)
    reported = scope is Scope.WHOLE and report.exists()
    if reported:
        for line in what_was_used(config, results / "tables"):
            print(printable(line), flush=True)
    if draft.exists():
        draft.replace(provenance)
        print(f"jobs, times and code: {printable(path_here(provenance))}", flush=True)
    for name, line in failed.items():
        print(f"aucstudy: {printable(f'experiment {name}: {line}')}", file=sys.stderr)
    if reported:
        print(f"report{' without these' if failed else ''}: {printable(path_here(report))}")
    return 1 if failed else 0


def scope_of(options: Sequence[str]) -> Scope:
    """Return what Snakemake makes of a study with these options of the user's."""
    if not options:
        return Scope.WHOLE
    from snakemake.cli import get_argument_parser  # This takes a second.

    read = get_argument_parser().parse_args(options)
    if read.dryrun:
        return Scope.PLAN
    return Scope.PART if read.targets or read.until or read.omit_from else Scope.WHOLE


def failures(folder: Path) -> dict[str, str]:
    """Return the message of each experiment that failed, by its name."""
    files = (path for path in sorted(folder.glob("*")) if path.name != WITHOUT)
    return {path.name: path.read_text(encoding="utf-8") for path in files}


def leave_out(
    declared: Mapping[str, Experiment], failed: Mapping[str, str], folder: Path, results: Path
) -> Path:
    """Write a study file without the failed experiments, and return its path.

    Tables and figures that an earlier run made of them, or of experiments that read them, are removed.
    """
    for experiment in made_from(declared, failed):
        stale = [f"tables/{file}" for file in experiment.files.values()]
        stale += [f"figures/{name}.{kind}" for name in experiment.figures for kind in ("png", "svg")]
        for file in stale:
            (results / file).unlink(missing_ok=True)
    path = folder / WITHOUT
    write_text(path, yaml.safe_dump({"failed": dict(failed)}, allow_unicode=True))
    return path


def overlaid(directory: Path, *studies: Path | None) -> list[str]:
    """Return Snakemake's arguments, in any folder, for study files that change keys of config.yaml."""
    over = [str(study.absolute()) for study in studies if study]
    if directory == WORKFLOW:
        return ["--configfile", "config.yaml", *over] if over else []
    return [f"--snakefile={WORKFLOW / 'Snakefile'}", "--configfile", str(WORKFLOW / "config.yaml"), *over]


def running(cores: int | None, *, verbose: bool = False) -> list[str]:
    """Return options of the engine: the cores and, unless `verbose`, one line of output for each stage."""
    output = [] if verbose else ["--logger", "aucstudy", "--logger-aucstudy-reasons", str(REASONS)]
    return ["--cores", str(cores or "all"), *output]


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


def snakemake(folder: Path, *arguments: str, held: Sequence[int] = ()) -> int:
    """Run Snakemake and return its exit code.

    If it fails, the reasons that the engine wrote are printed. Snakemake keeps the file descriptors `held`
    open until it ends.
    """
    (folder / REASONS).unlink(missing_ok=True)
    # In a session of its own, Snakemake and its jobs get an interrupt from the terminal only once, by way of
    # this process.
    child = subprocess.Popen(
        [*ENGINE, *arguments], cwd=folder, pass_fds=held, start_new_session=True, env=environment(folder)
    )
    with _passed_on_to(child) as requests:
        code = child.wait()
    if signal.SIGINT in requests:
        raise KeyboardInterrupt
    if requests:
        name = signal.Signals(min(requests)).name
        print(
            f"aucstudy: stopped by {name}; what is done is kept, run the same command to go on",
            file=sys.stderr,
        )
        sys.exit(128 + min(requests))
    if code < 0:
        raise InputError(f"Snakemake was ended by signal {-code}; run the same command to go on")
    if code and (folder / REASONS).exists():
        lines = (folder / REASONS).read_text(encoding="utf-8").splitlines()
        for line in lines[:MOST_REASONS]:
            print(f"aucstudy: {printable(line)}", file=sys.stderr)
        if len(lines) > MOST_REASONS:
            print(f"aucstudy: and {len(lines) - MOST_REASONS} more of {folder / REASONS}", file=sys.stderr)
    return code


def environment(folder: Path) -> dict[str, str]:
    """Return the environment variables of Snakemake and its jobs.

    If nothing can be written at home, the caches are in `folder`.
    """
    variables = {**os.environ, **imports_of(os.environ, WORKFLOW / "src")}
    if not _can_be_written(Path(variables.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())):
        cache = folder.absolute() / ".snakemake" / "cache"
        variables |= {"XDG_CACHE_HOME": str(cache), "MPLCONFIGDIR": str(cache / "matplotlib")}
    return variables


def _can_be_written(cache: Path) -> bool:
    try:
        (cache / "snakemake").mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cache / "snakemake"):
            return cache.is_absolute()
    except OSError:
        return False


@contextmanager
def _passed_on_to(child: subprocess.Popen) -> Iterator[set[int]]:
    """Pass signals to end on to the child and its jobs, and yield the set of those that came."""
    requests: set[int] = set()

    def pass_on(number: int, frame: object) -> None:
        requests.add(number)
        os.killpg(child.pid, number)

    # A shell lets its background jobs ignore interrupts. An ignored signal stays ignored.
    numbers = [number for number in PASSED_ON if signal.getsignal(number) != signal.SIG_IGN]
    handlers_before = {number: signal.signal(number, pass_on) for number in numbers}
    try:
        yield requests
    finally:
        for number, handler in handlers_before.items():
            signal.signal(number, handler)


@contextmanager
def _alone(directory: Path) -> Iterator[tuple[int, bool]]:
    """Lock a directory, and yield the lock's file descriptor and whether the last run was killed.

    If it was killed, Snakemake's own lock is a left-over. Snakemake holds this lock too: as long as it runs,
    even after this process has ended, no other study starts here.
    """
    path = directory / ".snakemake" / "aucstudy.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("a+")
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}); a study runs in a folder that can be written"
        ) from None
    with lock:
        lock_alone(
            lock,
            lambda text: (
                f"{directory}: another study is running here ({_holder(text)}); wait for it, or run this one "
                "elsewhere: --directory DIR"
            ),
        )
        lock.seek(0)
        was_killed = bool(lock.read())
        lock.truncate(0)
        try:
            os.write(lock.fileno(), str(os.getpid()).encode())
        except OSError as error:
            raise InputError(f"{path}: cannot be written ({error.strerror})") from None
        yield lock.fileno(), was_killed
        lock.truncate(0)  # If Snakemake was killed or interrupted, this is not reached and the mark stays.


def _holder(text: str) -> str:
    """Return which process holds the lock, from the text in the lock's file."""
    if text.isdigit() and Path("/proc", text).exists():
        return f"process {text}"
    return "the Snakemake of a run that was itself ended"
