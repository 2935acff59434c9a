"""What a job has taken, for its log: the benchmark of whole studies adds these lines up."""

import os
import re
import time
from pathlib import Path

LINE = re.compile(r"took ([\d.]+) s, ([\d.]+) s of processor, (\d+) MB of memory at the peak")


def spent() -> str | None:
    """Seconds since this process began, seconds of processor and peak of memory; None where there is no /proc.

    The peak is that of the program itself: what `getrusage` gives counts the process that started it, too.
    """
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        peak = int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1])
    except (OSError, TypeError):
        return None
    seconds = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    processor = sum(os.times()[:4])
    return f"took {seconds:.2f} s, {processor:.2f} s of processor, {peak / 1000:.0f} MB of memory at the peak"
