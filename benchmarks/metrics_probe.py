"""What only a fresh process can tell: the cost of the import and of the first call, and peak memory."""

import time
from pathlib import Path


def first_call(n: int) -> dict[str, float]:
    """Seconds to import the module and to make its first call on n rows."""
    import numpy as np

    y, s = np.arange(n) % 2, np.random.default_rng(0).random(n)
    start = time.perf_counter()
    from aucstudy.metrics import areas

    imported = time.perf_counter()
    areas(y, s)
    return {"import": imported - start, "call": time.perf_counter() - imported}


def memory(n: int) -> dict[str, float]:
    """Peak memory above that of a small call, input included, over the size of the input."""
    import numpy as np

    from aucstudy.metrics import areas

    areas(np.arange(1000) % 2, np.arange(1000.0))
    before = _peak_bytes()
    rng = np.random.default_rng(0)
    y, s = np.empty(n, dtype=np.int64), np.empty(n)
    for start in range(0, n, 10_000):
        stop = min(start + 10_000, n)
        y[start:stop] = rng.integers(0, 2, stop - start)
        s[start:stop] = rng.normal(size=stop - start)
    areas(y, s)
    return {"ratio": (_peak_bytes() - before) / (y.nbytes + s.nbytes)}


def _peak_bytes() -> int:
    """Peak resident memory of this process (Linux); getrusage reports the parent's where that was larger."""
    (line,) = (x for x in Path("/proc/self/status").read_text().splitlines() if x.startswith("VmHWM"))
    return int(line.split()[1]) * 1024
