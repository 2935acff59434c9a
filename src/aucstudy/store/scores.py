"""The areas of every task and model on disk."""

from pathlib import Path

import pandas as pd
import pyarrow as pa

from aucstudy.area_names import AREAS
from aucstudy.errors import InputError
from aucstudy.store.parquet import read_parquet, write_parquet

SCORE_COLUMNS = (
    "task_id", "run_id", "flow_name", "aggregation", "n", "n_positive", "prevalence", *AREAS,
    "n_folds_left_out",
)  # fmt: skip


def write_scores(scores: pd.DataFrame, path: Path | str) -> None:
    """Write scores in the order of task, run and aggregation."""
    ordered = scores.sort_values(["task_id", "run_id", "aggregation"], kind="stable", ignore_index=True)
    write_parquet(pa.Table.from_pandas(ordered, preserve_index=False), path)


def read_scores(path: Path | str, aggregation: str | None = None) -> pd.DataFrame:
    """Read scores, those of one aggregation or all.

    Raises
    ------
    InputError
        The file is missing, is damaged or no Parquet, or lacks a column.
    """
    try:
        # Arrow's types say all; what pandas wrote beside them could only contradict them.
        scores = read_parquet(path, "delete it").replace_schema_metadata().to_pandas()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    missing = [name for name in SCORE_COLUMNS if name not in scores]
    if missing:
        raise InputError(f"{path}: column {missing[0]!r} is missing; delete the file")
    return (
        scores if aggregation is None else scores[scores["aggregation"] == aggregation].reset_index(drop=True)
    )
