"""No damage to a stored file goes unseen, and files without a digest are taken."""

import io
from functools import partial

import numpy as np
import pandas as pd
import pytest

from aucstudy.errors import InputError
from aucstudy.store import tables
from aucstudy.store.files import digest_path
from aucstudy.store.measured import SCORE_COLUMNS, read_scores, write_scores
from aucstudy.store.rejections import Reason, Rejection, Stage, read_rejections
from aucstudy.store.tables import link_parquet
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


def flipped_bits(path, seed):
    """Write the file 600 times, each with a bit flipped, and then as it was."""
    body, rng = path.read_bytes(), np.random.default_rng(seed)
    for position, bit in zip(rng.integers(len(body), size=600), rng.integers(8, size=600), strict=True):
        damaged = bytearray(body)
        damaged[position] ^= 1 << bit
        path.write_bytes(damaged)
        yield
    path.write_bytes(body)


@pytest.mark.parametrize("stored", STORES)
def test_a_flipped_bit_is_always_seen_and_told_in_one_line(tmp_path, stored):
    path, read = STORES[stored](tmp_path)
    for _ in flipped_bits(path, 1):
        with pytest.raises(InputError, match="delete") as error:
            read()
        assert "\n" not in str(error.value)
        assert str(path) in str(error.value)
    read()


@pytest.mark.parametrize("name", ["tasks", "runs", "rejections"])
def test_a_table_that_lost_its_last_rows_is_told_with_what_to_delete(tmp_path, name):
    path, read = STORES[name](tmp_path)
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    with pytest.raises(InputError, match=rf"{name}\.csv: .* digest is in .*; delete .*/fetched/0 and run"):
        read()


@pytest.mark.parametrize("stored", ["predictions", "scores"])
def test_damage_to_a_file_without_a_digest_never_ends_in_another_exception(tmp_path, stored):
    path, read = STORES[stored](tmp_path)
    digest_path(path).unlink()
    refused = []
    for _ in flipped_bits(path, 2):
        try:
            read()
        except InputError as error:
            refused.append(str(error))
    assert refused
    assert all(str(path) in line and "\n" not in line for line in refused)


@pytest.mark.parametrize("stored", STORES)
def test_a_file_without_a_digest_is_taken(tmp_path, stored):
    path, read = STORES[stored](tmp_path)
    digest_path(path).unlink()
    read()


def test_the_digest_of_another_file_and_a_damaged_one_are_refused(tmp_path):
    path, read = store_predictions(tmp_path)
    message = r"t\.parquet: not a readable .* digest is in t\.parquet\.sha256\); delete"
    for body in (b"", b"\xff\xfe", b"0" * 64):
        digest_path(path).write_bytes(body)
        with pytest.raises(InputError, match=message):
            read()


def test_the_check_reads_the_file_once(tmp_path, monkeypatch):
    path, read = store_predictions(tmp_path)
    opened, real_open, real_parquet = [], io.open, tables.pq.ParquetFile

    def counted(file, *words, **options):
        opened.append(str(file))
        return real_open(file, *words, **options)

    def from_memory(source, **options):
        assert not isinstance(source, str)
        return real_parquet(source, **options)

    monkeypatch.setattr(io, "open", counted)
    monkeypatch.setattr(tables.pq, "ParquetFile", from_memory)
    read()
    assert opened.count(str(path)) == 1


def test_a_linked_file_keeps_its_digest_and_takes_none_from_before(tmp_path):
    path, read = store_predictions(tmp_path / "0")
    target, _ = store_predictions(tmp_path / "whole")
    link_parquet(path, target)
    assert digest_path(target).read_text() == digest_path(path).read_text()
    digest_path(path).unlink()
    link_parquet(path, target)
    assert not digest_path(target).exists()
    read()


def test_integers_of_any_size_are_taken_from_files_of_other_tools(tmp_path):
    path, read = store_predictions(tmp_path)
    table = tables.read_parquet(path, "")
    for i, name in enumerate(table.column_names):
        if name in ("row_id", "repeat", "fold"):
            table = table.set_column(i, name, table[name].cast("int64"))
    tables.write_parquet(table, path)
    assert read().row_id.tolist() == list(range(N))
