"""The frames of a measured batch are all there, or the missing one is named."""

from contextlib import suppress

import pandas as pd
import pytest

from aucstudy.errors import InputError
from aucstudy.store.measured import LIST, read_frames, write_frames

FRAMES = {name: pd.DataFrame({"task_id": ["t"], name: [0.5]}) for name in ("areas", "shares")}


@pytest.fixture
def folder(tmp_path):
    write_frames(FRAMES, tmp_path / "experiment" / "0")
    return tmp_path / "experiment" / "0"


def test_frames_come_back_as_they_were_written(folder):
    for name, frame in read_frames(folder).items():
        pd.testing.assert_frame_equal(frame, FRAMES[name])


def test_a_batch_without_a_frame_is_no_fault(tmp_path):
    write_frames({}, tmp_path / "0")
    assert read_frames(tmp_path / "0") == {}


@pytest.mark.parametrize("name", ["shares.parquet", LIST])
def test_a_file_that_vanished_is_named_with_what_to_delete(folder, name):
    (folder / name).unlink()
    with pytest.raises(InputError, match=rf"{folder}: cannot be read .*{name}.*; delete {folder} and run"):
        read_frames(folder)


def test_a_damaged_list_is_named(folder):
    (folder / LIST).write_bytes(b"\xff")
    with pytest.raises(InputError, match=rf"{folder}: cannot be read"):
        read_frames(folder)


def test_a_flipped_bit_changes_no_number_unseen(folder):
    path = folder / "shares.parquet"
    body = path.read_bytes()
    for position in range(0, len(body), 3):
        path.write_bytes(body[:position] + bytes([body[position] ^ 1]) + body[position + 1 :])
        with suppress(InputError):
            assert read_frames(folder)["shares"].to_numpy().tolist() == [["t", 0.5]]
