"""Functions that kill a process in the middle of its work."""

import os
import signal
from collections.abc import Callable


def killed(work: Callable[[], object]) -> None:
    """Run `work`, which calls `kill`, in a process of its own, and check that it was killed."""
    if (child := os.fork()) == 0:
        work()
        os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])


def kill(*_: object) -> None:
    """Kill this process by a signal that it cannot catch."""
    os.kill(os.getpid(), signal.SIGKILL)
