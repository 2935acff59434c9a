"""Tables larger than memory: `aucstudy score` in a bounded memory, beside reading whole columns and a data base's sort.

Each command runs in a process of its own; scores are normal, a tenth of the rows positive, the third model is rounded
to two decimals. DuckDB is measured where it is installed, and scikit-learn (two of the five areas) where it fits. What
`large_tables.csv` already holds is not measured again.
"""

import importlib.util
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

from aucstudy.store.tables import write_table

SIZES = (10_000_000, 100_000_000, 1_000_000_000)
FIRST = 200_000  # enough to compile everything
PARTS, MODELS = 10, 3
FITS = {
    "aucstudy score --memory 600MB": 100_000_000,
    "scikit-learn": 100_000_000,
    "areas()": 100_000_000,
    "duckdb, one column sorted": 100_000_000,
}
FEWER_MODELS_FROM = 1_000_000_000
READ = "import pandas as pd; t = pd.read_parquet({folder!r}, columns=['label', {model!r}]).to_numpy('float64').T; "
AREAS = READ + "from aucstudy.metrics import areas; print(areas(t[0], t[1]))"
SKLEARN = (
    READ + "from sklearn.metrics import roc_auc_score as a, average_precision_score as b; print(a(*t), b(*t))"
)
SORTED = """
import duckdb
settings = {{"memory_limit": "1500MB", "temp_directory": {scratch!r}, "preserve_insertion_order": "false"}}
query = "SELECT {model}, label FROM '{folder}/*.parquet' ORDER BY 1 DESC"
print(sum(len(batch) for batch in duckdb.connect(config=settings).sql(query).to_arrow_reader(1 << 17)))
"""


def make(folder: Path, n_rows: int, n_models: int) -> None:
    rng = np.random.default_rng(1)
    for i in range(PARTS):
        y = rng.random(n_rows // PARTS) < 0.1
        columns = {"label": y.astype(np.int8)}
        for model in range(n_models):
            scores = rng.normal(size=y.size) + y
            columns[f"m{model}"] = scores.round(2) if model == 2 else scores
        pq.write_table(pa.table(columns), folder / f"{i}.parquet", row_group_size=1 << 17)


def commands(folder: str, scratch: str, n_models: int) -> dict[str, tuple[int, list[str]]]:
    """By name how many models a command reads, and the words that Python gets."""
    scores = [word for model in range(n_models) for word in ("--score", f"m{model}")]
    score = ["-m", "aucstudy", "score", folder, "--label", "label", *scores, "--scratch", scratch]
    ours = {
        f"aucstudy score --memory {memory}": (n_models, [*score, "--memory", *memory.split()])
        for memory in ("2GB", "2GB --interval", "600MB")
    }
    codes = {"areas()": AREAS, "scikit-learn": SKLEARN}
    if importlib.util.find_spec("duckdb"):
        codes["duckdb, one column sorted"] = SORTED
    paths = {"folder": folder, "model": "m0", "scratch": scratch}
    return ours | {name: (1, ["-c", code.format(**paths)]) for name, code in codes.items()}


def run(out: Path, largest: int) -> None:
    """Write `large_tables.csv` into `out`; `largest` bounds the rows."""
    for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.pop(name, None)  # the command as a user has it
    table = out / "large_tables.csv"
    rows: list[dict] = pd.read_csv(table).to_dict("records") if table.exists() else []
    done = {(row["rows"], row["command"]) for row in rows}
    # the first only compiles
    for n_rows in (FIRST, *(size for size in SIZES if size <= largest)):
        n_models = 1 if n_rows >= FEWER_MODELS_FROM else MODELS
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as scratch:
            # in a process of its own: what this one holds would count as held by those that it starts
            making = get_context("spawn").Process(target=make, args=(Path(folder), n_rows, n_models))
            making.start()
            making.join()
            for command, (counted, words) in commands(folder, scratch, n_models).items():
                if n_rows > FITS.get(command, n_rows) or (n_rows, command) in done:
                    continue
                cost = timed([sys.executable, *words])._asdict()
                facts = {"rows": n_rows, "models": counted, "command": command}
                rows.append({**facts, **cost, "load": os.getloadavg()[0]})
                print(rows[-1], file=sys.stderr, flush=True)
                if n_rows > FIRST:
                    write_table(pd.DataFrame(rows).query("rows > @FIRST").round(2), table)
