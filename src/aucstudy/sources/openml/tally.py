"""What is said of a fetch under way, on stderr: tasks, runs, rejections, requests, time left."""

import sys
import time

from tqdm import tqdm

from aucstudy.sources.openml.transport import Transport


def say(line: str) -> None:
    """Write a line to stderr, above any bars of progress."""
    tqdm.write(f"openml: {line}", file=sys.stderr)


class Tally:
    """Counts of a fetch; `rejected` starts with what the lists have ruled out."""

    EVERY = 60.0

    def __init__(self, transport: Transport, n_tasks: int = 0, rejected: int = 0):
        self.transport, self.n_tasks, self.rejected = transport, n_tasks, rejected
        self.done = self.runs = 0
        self.started = self.last = time.monotonic()

    def task(self, n_runs: int, n_rejected: int) -> None:
        """Count a task that is through."""
        self.done += 1
        self.runs += n_runs
        self.rejected += n_rejected
        self.now_and_then("fetching")

    def now_and_then(self, what: str) -> None:
        """Write the line if the last one is a minute old."""
        if time.monotonic() - self.last > self.EVERY:
            self.say(what)

    def say(self, what: str) -> None:
        """Write the line."""
        self.last = now = time.monotonic()
        took = now - self.started
        counts = [
            f"{self.done} of {self.n_tasks} tasks",
            f"{self.runs} runs kept",
            f"{self.rejected} rejected",
            f"{self.transport.n_requests} requests",
            f"{self.transport.n_bytes / 1e6:.1f} MB",
        ]
        if took > 1:
            counts.append(f"{self.transport.n_requests / took:.1f} requests/s")
        if self.transport.unanswered:
            counts.append(f"{len(self.transport.unanswered)} without an answer")
        if 0 < self.done < self.n_tasks:
            counts.append(f"{duration(took / self.done * (self.n_tasks - self.done))} left")
        say(f"{what}: {', '.join(counts)}")


def duration(seconds: float) -> str:
    """Seconds in words.

    >>> duration(59), duration(3700), duration(100_000)
    ('59 s', '1 h 02 min', '27 h 47 min')
    """
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"
