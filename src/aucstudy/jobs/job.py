"""The surroundings of every job's work: one thread of BLAS, a log, and one line that says what went wrong."""

import logging
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from threadpoolctl import threadpool_limits
from tqdm import tqdm

from aucstudy.errors import InputError
from aucstudy.jobs.environment import LINE, TAKES_LINES
from aucstudy.printable import escaped, printable
from aucstudy.store.files import write_text

UNCAUGHT = 70  # EX_SOFTWARE: an error of this package, unlike wrong input, which exits with 1


class _Harmless(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return escaped(super().format(record), unescaped="\n")


class _Log(logging.FileHandler):
    def handleError(self, record: logging.LogRecord) -> None:
        """Do nothing: an entry that cannot be written must not disturb the job."""

    def close(self) -> None:
        with suppress(OSError):
            super().close()


@contextmanager
def job(log: Path | str, failures: Path | None = None) -> Iterator[None]:
    """Run a job's work with one thread of BLAS, and end the process with a message if it fails.

    The message is the last line of the log, and it is printed on stderr unless `aucstudy run` takes it from
    there. The exit code is 1 if the input is wrong or the memory too small. If an experiment fails for
    another reason, the message also goes to the file `failures`, so that `aucstudy run` can go on without the
    experiment.
    """
    log = Path(log)
    log.parent.mkdir(parents=True, exist_ok=True)
    handler = _Log(log, mode="w", encoding="utf-8")
    handler.setFormatter(_Harmless("%(levelname)s %(message)s"))
    logging.basicConfig(handlers=[handler], force=True)
    logging.captureWarnings(True)
    logging.getLogger("aucstudy").setLevel(logging.INFO)
    try:
        with threadpool_limits(1):
            yield
    except InputError as error:
        _end(log, str(error), "", 1)
    except MemoryError:
        _end(log, "the machine has too little memory for this job", traceback.format_exc(), 1)
    except Exception as error:
        line = f"{type(error).__name__}: {error} (traceback in {log})"
        if failures:
            write_text(failures, line)
            line = f"experiment {failures.stem}: {line}"
        _end(log, line, traceback.format_exc(), UNCAUGHT)


def _end(log: Path, line: str, details: str, code: int) -> None:
    logged = False
    try:
        with log.open("a", encoding="utf-8") as stream:
            stream.write(
                escaped(f"{details}\n" if details else "", unescaped="\n") + f"{LINE}{escaped(line)}\n"
            )
        logged = True
    except OSError:
        pass  # A full disk must not hide the message below.
    if not (logged and os.environ.get(TAKES_LINES)):
        print(f"{LINE}{printable(line)}", file=sys.stderr)
    sys.exit(code)


@contextmanager
def shared_progress(
    folder: Path | str, title: str, work: Mapping[str, int] | None
) -> Iterator[Callable[[str], None]]:
    """Show a progress bar over all jobs of a kind, if on a terminal. Yield a function to mark a task as done.

    The function leaves a file in `folder`, and all jobs count these files. `work` is the predicted work of
    each task, in seconds or as 1 each. It is None if the tasks are not known.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    total = sum(work.values()) if work else None
    # If tasks differ in work, the bar counts predicted seconds, and the number of tasks is written after it.
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
