"""Measure the seconds and the peak memory of `aucstudy score` on tables larger than memory.

The tables consist of ten Parquet files, and a tenth of the rows is positive. Scores are normal, and distinct
or rounded to three digits. Each command runs in a process of its own. A peak above twice `--memory` is an
error. Where AUCSTUDY_BEFORE names the src of another commit, each command is measured with that too, right
before, so that the load of the machine affects both.
"""

import os
import sys
import tempfile
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from made_studies import timed
from origin import write_measured

from aucstudy.config import REPOSITORY

PARTS = 10
TABLES = (  # kind of scores, rows
    ("rounded", 30_000_000),
    ("distinct", 30_000_000),
    ("weighted", 30_000_000),
    ("distinct", 100_000_000),
)
MEMORY_MB = 2000
# The first table is not reported: its rows are just enough to compile everything.
FIRST = 200_000


def make(folder: Path, kind: str, n_rows: int) -> None:
    rng = np.random.default_rng(1)
    for i in range(PARTS):
        y = rng.random(n_rows // PARTS) < 0.1
        scores = rng.normal(size=y.size) + y
        columns = {"label": y.astype(np.int8), "score": scores.round(3) if kind == "rounded" else scores}
        if kind == "weighted":
            columns["weight"] = rng.gamma(1.0, size=y.size)
        pq.write_table(pa.table(columns), folder / f"{i}.parquet", row_group_size=1 << 17)


def run(out: Path, largest: int) -> None:
    """Write `large_tables.csv` into `out`; `largest` bounds the rows."""
    for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.pop(name, None)  # Users run the command without these.
    sources = {"now": str(REPOSITORY / "src")}
    if "AUCSTUDY_BEFORE" in os.environ:
        sources = {"before": os.environ["AUCSTUDY_BEFORE"], **sources}
    tables = [(kind, n_rows) for kind, n_rows in TABLES if n_rows <= largest]
    rows: list[dict] = []
    for kind, n_rows in [("weighted", FIRST), *tables]:
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as scratch:
            # Another process makes the table: what this one held would count as held by those that it starts.
            making = get_context("spawn").Process(target=make, args=(Path(folder), kind, n_rows))
            making.start()
            making.join()
            words = ["-m", "aucstudy", "score", folder, "--label", "label", "--score", "score"]
            words += ["--memory", f"{MEMORY_MB}MB", "--scratch", scratch]
            words += ["--weight", "weight"] if kind == "weighted" else []
            for version, source in sources.items():
                path = os.pathsep.join([source, *filter(None, [os.environ.get("PYTHONPATH")])])
                load = os.getloadavg()[0]
                cost = timed([sys.executable, *words], env=os.environ | {"PYTHONPATH": path})
                facts = {"scores": kind, "rows": n_rows, "version": version, "memory_mb": MEMORY_MB}
                print(facts, cost, file=sys.stderr, flush=True)
                if version == "now" and cost.peak_mb > 2 * MEMORY_MB:
                    raise RuntimeError(f"a peak of {cost.peak_mb:.0f} MB is more than twice --memory")
                if n_rows > FIRST:
                    rows.append({**facts, **cost._asdict(), "load": load})
                    write_measured(pd.DataFrame(rows).round(2), out / "large_tables.csv")
