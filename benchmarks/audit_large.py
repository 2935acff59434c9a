"""`aucstudy audit --html` of large made tables: wall and CPU time, and peak memory, of a process of its own.

Models are correlated, some curves cross, one model's scores have two decimals, one has one.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.store.tables import write_table

N_ROWS, N_MODELS = 2_000_000, 10
FOLDS = 10


def predictions(n: int, n_models: int, prevalence: float) -> pd.DataFrame:
    """Labels, folds and scores: the even models are good at the top of the ranking, the odd ones below it."""
    rng = np.random.default_rng(1)
    y = rng.random(n) < prevalence
    shared = rng.normal(size=n)
    columns = {"label": y.astype(int), "part": rng.integers(0, FOLDS, n)}
    for model in range(n_models):
        top = rng.random(n) < (0.02 * (n_models - model) if model % 2 == 0 else 0)
        better = y * (0.8 + 0.1 * model + 3 * top)
        scores = 0.6 * shared + 0.8 * rng.normal(size=n) + better
        columns[f"model_{model}"] = scores.round(3 - model) if model in (1, 2) else scores
    return pd.DataFrame(columns)


def measured(words: list[str]) -> dict[str, float]:
    """Seconds and MB of one command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-m", "aucstudy", *words], check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # the largest of all commands so far: the smallest table comes first
    return {"seconds": wall, "cpu_seconds": cpu, "peak_mb": after.ru_maxrss / 1024}


def run(out: Path, largest: int) -> None:
    """Write `audit_large.csv` into `out`; `largest` bounds the rows of the tables."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.pop(name, None)  # the command as a user has it
    n_rows, rows = min(N_ROWS, largest), []
    with tempfile.TemporaryDirectory() as folder:
        for prevalence in (0.05, 0.5):
            table = predictions(n_rows, N_MODELS, prevalence)
            parquet, csv = (Path(folder, f"t.{ending}") for ending in ("parquet", "csv"))
            table.to_parquet(parquet, index=False)
            table.to_csv(csv, index=False)
            words = ["--label", "label", "--html", str(Path(folder, "page.html"))]
            names = [word for name in table if "model" in name for word in ("--score", name)]
            for file, more in ((parquet, []), (csv, []), (parquet, ["--fold", "part"])):
                if not rows:
                    measured(["audit", str(file), *names, *words])  # compiles, where that has not been done
                took = measured(["audit", str(file), *names, *words, *more])
                facts = {
                    "rows": n_rows,
                    "models": N_MODELS,
                    "prevalence": prevalence,
                    "file": file.suffix[1:],
                }
                rows.append({**facts, "folds": FOLDS if more else 0, **took})
                print(rows[-1], flush=True)
    frame = pd.DataFrame(rows).round(2)
    print(frame.to_string(index=False))
    write_table(frame, out / "audit_large.csv")
