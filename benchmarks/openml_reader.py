"""The predictions reader against liac-arff, which the openml package uses, and against pandas.read_csv."""

import io
import time
from collections.abc import Callable
from pathlib import Path

import arff as liac
import numpy as np
import pandas as pd

from aucstudy.sources.openml.predictions import Target, read_predictions
from aucstudy.store.tables import write_table

N_ROWS = 100_000


def predictions_file(n_rows: int, decimals: int, quote: str = "") -> tuple[bytes, np.ndarray]:
    """A file as the Python client writes it, and its truth; 17 decimals are all a double has, WEKA writes 6."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n_rows)
    score = rng.random(n_rows).round(decimals)
    names = [f"{quote}{name}{quote}" for name in ("negative", "positive")]
    columns = "".join(
        f"@ATTRIBUTE {name} NUMERIC\n"
        for name in ("repeat", "fold", "row_id", "confidence.negative", "confidence.positive")
    )
    classes = f"{{{','.join(names)}}}"
    head = f"@RELATION r\n{columns}@ATTRIBUTE prediction {classes}\n@ATTRIBUTE correct {classes}\n@DATA\n"
    rows = (
        f"0,{i % 10},{i},{round(1 - s, decimals)!r},{s!r},{names[s > 0.5]},{names[t]}\n"
        for i, (s, t) in enumerate(zip(score.tolist(), truth.tolist(), strict=True))
    )
    return (head + "".join(rows)).encode(), truth


def seconds(call: Callable[[], object], repeats: int) -> float:
    """The shortest of some calls."""
    took = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        took.append(time.perf_counter() - start)
    return min(took)


def run(out: Path, largest: int) -> None:
    """Write `openml_reader.csv` into `out`: times in ms and ratios, the shortest of some calls each.

    `largest` bounds the rows of the file.
    """
    n_rows = min(N_ROWS, largest)
    rows = []
    for file, decimals, quote in (
        ("6 decimals", 6, ""),
        ("17 digits", 17, ""),
        ("6 decimals, quoted", 6, "'"),
    ):
        body, truth = predictions_file(n_rows, decimals, quote)
        target = Target(("negative", "positive"), truth)
        data = body.partition(b"@DATA\n")[2]
        ours = seconds(lambda body=body, target=target: read_predictions(body, target, 1), 20)
        pandas = seconds(lambda data=data: pd.read_csv(io.BytesIO(data), header=None), 5)
        liac_arff = seconds(lambda body=body: liac.loads(body.decode()), 2)
        rows.append(
            {
                "file": file,
                "rows": n_rows,
                "MB": len(body) / 1e6,
                "reader ms": ours * 1e3,
                "liac-arff / reader": liac_arff / ours,
                "reader / pandas.read_csv": ours / pandas,
            }
        )
    table = pd.DataFrame(rows).round(3)
    print(table.to_string(index=False))
    write_table(table, out / "openml_reader.csv")
