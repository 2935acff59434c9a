"""Damage to a stored file is reported in one line that says what to delete."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from aucstudy.errors import InputError
from aucstudy.store import tables
from aucstudy.store.measured import SCORE_COLUMNS, read_scores, write_scores
from aucstudy.store.rejections import Reason, Rejection, Stage, read_rejections
from aucstudy.store.task_store import (
    Predictions,
    predictions_path,
    read_predictions,
    read_runs,
    read_tasks,
    write_predictions,
    write_store,
)

N = 20


def store_predictions(folder):
    scores = np.asfortranarray(np.random.default_rng(0).random((N, 2)))
    keys = {"row_id": np.arange(N), "repeat": np.zeros(N, int), "fold": np.arange(N) % 2}
    stored = Predictions("t", **keys, y_true=np.arange(N) % 3 == 0, scores=scores, run_ids=("a", "b"))
    write_predictions(folder, stored, {"task_id": "t"})
    return predictions_path(folder, "t"), partial(read_predictions, folder, "t")


def store_scores(folder):
    texts = {"task_id": "t", "run_id": "r", "flow_name": "f", "aggregation": "pooled"}
    frame = pd.DataFrame({name: texts.get(name, np.arange(N) / 7) for name in SCORE_COLUMNS})
    write_scores(frame, folder / "scores.parquet")
    return folder / "scores.parquet", partial(read_scores, folder / "scores.parquet")


def store_table(name, read, folder):
    folder = folder / "fetched" / "0"
    row = {"task_id": "t", "run_id": "r", "n_rows": 20, "n_positive": 5, "prevalence": 0.25}
    write_store(folder, [row], [row], [Rejection("t", "r", Stage.READ, Reason.FILE_BROKEN, "a detail")])
    return folder / name, partial(read, folder / name if name == "rejections.csv" else folder)


STORES = {"predictions": store_predictions, "scores": store_scores} | {
    name: partial(store_table, f"{name}.csv", read)
    for name, read in {"tasks": read_tasks, "runs": read_runs, "rejections": read_rejections}.items()
}


@pytest.mark.parametrize("stored", ["predictions", "scores"])
def test_a_flipped_bit_never_ends_in_another_exception(tmp_path, stored):
    path, read = STORES[stored](tmp_path)
    body, rng, refused = path.read_bytes(), np.random.default_rng(2), []
    for position, bit in zip(rng.integers(len(body), size=300), rng.integers(8, size=300), strict=True):
        damaged = bytearray(body)
        damaged[position] ^= 1 << bit
        path.write_bytes(damaged)
        try:
            read()
        except InputError as error:
            refused.append(str(error))
    assert refused
    assert all(str(path) in line and "\n" not in line for line in refused)


@pytest.mark.parametrize("name", ["tasks", "runs", "rejections"])
def test_a_table_that_is_cut_in_its_last_line_is_told_with_what_to_delete(tmp_path, name):
    path, read = STORES[name](tmp_path)
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(
        InputError, match=rf"{name}\.csv: cut off in its last line; delete .*/fetched/0 and run"
    ):
        read()


def test_integers_of_any_size_are_taken_from_files_of_other_tools(tmp_path):
    path, read = store_predictions(tmp_path)
    table = tables.read_parquet(path, "")
    for i, name in enumerate(table.column_names):
        if name in ("row_id", "repeat", "fold"):
            table = table.set_column(i, name, table[name].cast("int64"))
    tables.write_parquet(table, path)
    assert read().row_id.tolist() == list(range(N))
