"""What every job does around its one call: its arithmetic, a log, what it took, and one line for bad input."""

import logging
import os
import re
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import numpy as np
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from aucstudy.errors import InputError
from aucstudy.printable import escaped, printable
from aucstudy.store.files import write_text

T = TypeVar("T")
AVX2 = {"X86_V3", "AVX2"}  # what numpy calls it, new and old
WIDER = ("X86_V4", "AVX512")


def arithmetic_of_avx2(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables under which OpenBLAS and numpy compute alike on every x86 processor that has AVX2.

    With AVX-512 sums have another order, so that scores of fitted models differ. What `environment` sets is left.

    >>> arithmetic_of_avx2({"OPENBLAS_CORETYPE": "Zen", "NPY_DISABLE_CPU_FEATURES": ""})
    {}
    """
    extensions = np.show_config(mode="dicts")["SIMD Extensions"]
    names = [*extensions.get("baseline", []), *extensions.get("found", [])]
    if not AVX2.intersection(names):
        return {}
    wider = " ".join(name for name in extensions.get("found", []) if name.startswith(WIDER))
    variables = {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": wider}
    return {name: value for name, value in variables.items() if name not in environment}


logger = logging.getLogger(__name__)
OF_EXPERIMENT = re.compile(r"(?m)^INFO (\S+): ([\d.]+) s of processor$")
LINE = re.compile(r"took ([\d.]+) s, ([\d.]+) s of processor, (\d+) MB of memory at the peak")


def spent() -> str | None:
    """Seconds since this process began, seconds of processor and peak of memory; None where there is no /proc.

    The peak that `getrusage` gives counts the process that started it, too.
    """
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        peak = int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1])
    except (OSError, TypeError):
        return None
    seconds = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    processor = sum(os.times()[:4])
    return f"took {seconds:.2f} s, {processor:.2f} s of processor, {peak / 1000:.0f} MB of memory at the peak"


UNCAUGHT = 70  # EX_SOFTWARE: a fault of ours; bad input is 1


class _Harmless(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return escaped(super().format(record), unescaped="\n")


class _Log(logging.FileHandler):
    def handleError(self, record: logging.LogRecord) -> None:
        """Nothing."""

    def close(self) -> None:
        with suppress(OSError):
            super().close()


class Attempts:
    """Work for several experiments: where one fails the others go on, and the job fails at its end.

    `failed` has the line of each experiment that failed.
    """

    def __init__(self, log: Path) -> None:
        self.failed: dict[str, str] = {}
        self._log = log

    def at(self, experiment: str, reads: Iterable[str], work: Callable[[], T]) -> T | None:
        """What `work` gives, None where it or what it reads failed; bad input or too little memory ends the job."""
        if not self.failed.keys().isdisjoint(reads):
            self.failed[experiment] = ""  # its own line would say what the other's says
            return None
        began = time.process_time()
        try:
            result = work()
            logger.info("%s: %.2f s of processor", experiment, time.process_time() - began)
            return result
        except (InputError, MemoryError):
            raise
        except Exception as error:
            self.failed[experiment] = f"{type(error).__name__}: {error} (traceback in {self._log})"
            logger.error("%s failed\n%s", experiment, traceback.format_exc())
            return None


@contextmanager
def job(log: Path | str, failures: Path | None = None) -> Iterator[Attempts]:
    """Run a job's work with one thread of BLAS; what goes wrong stands in its log and in one line on stderr.

    An InputError ends the process with exit code 1. Experiments that failed have a line each in the folder `failures`,
    too.
    """
    log = Path(log)
    log.parent.mkdir(parents=True, exist_ok=True)
    handler = _Log(log, mode="w", encoding="utf-8")
    handler.setFormatter(_Harmless("%(levelname)s %(message)s"))
    logging.basicConfig(handlers=[handler], force=True)
    logging.captureWarnings(True)
    logging.getLogger("aucstudy").setLevel(logging.INFO)
    attempts = Attempts(log)
    try:
        with threadpool_limits(1):
            yield attempts
        if cost := spent():
            logger.info(cost)
    except InputError as error:
        _end(log, str(error), str(error), 1)
    except MemoryError:
        _end(log, "the machine has too little memory for this job", traceback.format_exc(), 1)
    except Exception as error:
        _end(log, f"{type(error).__name__}: {error} (traceback in {log})", traceback.format_exc(), UNCAUGHT)
    lines = {name: line for name, line in attempts.failed.items() if line}
    for name, line in lines.items():
        write_text(failures / f"{name}.txt", line)
        print(f"aucstudy: {printable(f'experiment {name}: {line}')}", file=sys.stderr)
    if lines:
        sys.exit(UNCAUGHT)


def _end(log: Path, line: str, details: str, code: int) -> None:
    try:
        with log.open("a", encoding="utf-8") as stream:
            stream.write(escaped(details, unescaped="\n") + "\n")
    except OSError:
        pass  # a full disk must not hide the line below
    print(f"aucstudy: {printable(line)}", file=sys.stderr)
    sys.exit(code)


@contextmanager
def shared_progress(
    folder: Path | str, title: str, work: Mapping[str, int] | None
) -> Iterator[Callable[[str], None]]:
    """A progress bar over all jobs of a kind, on a terminal only.

    All jobs count the files that finished tasks leave in `folder`. `work` is what each task is predicted to take, None
    where the tasks are not known.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    total = sum(work.values()) if work else None
    # where tasks take unlike long the bar counts predicted seconds, and the tasks stand behind it
    in_tasks = not work or total == len(work)
    bar = tqdm(
        total=total, desc=title, unit="task" if in_tasks else "s", disable=None, leave=False, file=sys.stderr
    )
    done_before = {path.name for path in folder.iterdir()}

    def show() -> None:
        work_done = {path.name: work.get(path.name, 0) if work else 1 for path in folder.iterdir()}
        bar.n = sum(work_done.values())
        bar.initial = sum(work_done[name] for name in done_before)
        if not in_tasks:
            bar.set_postfix_str(f"{len(work_done)} of {len(work)} tasks", refresh=False)
        bar.refresh()

    def done(task_id: str) -> None:
        (folder / task_id).touch()
        show()

    show()
    try:
        yield done
    finally:
        bar.close()
