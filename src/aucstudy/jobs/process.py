"""The end of a process whose work is done and whose files are closed."""

import atexit
import os
import sys
from contextlib import suppress
from typing import NoReturn


def end_process(code: int = 0) -> NoReturn:
    """End the process without the destructors of modules and of C++ libraries.

    On a busy machine, idle threads of Arrow sometimes abort a process that is done (apache/arrow#34314). And the
    destructors of numba and pandas take half a second, which a study would pay once for each of its jobs.
    """
    atexit._run_exitfuncs()
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
