"""The frames of a measured batch are all there, or the one that is not is named."""

import pandas as pd
import pytest

from aucstudy.errors import InputError
from aucstudy.store.files import digest_path
from aucstudy.store.measured import LIST, read_frames, write_frames

FRAMES = {name: pd.DataFrame({"task_id": ["t"], name: [0.5]}) for name in ("areas", "shares")}


@pytest.fixture
def folder(tmp_path):
    write_frames(FRAMES, tmp_path / "room" / "0")
    return tmp_path / "room" / "0"


def test_frames_come_back_as_they_were_written(folder):
    for name, frame in read_frames(folder).items():
        pd.testing.assert_frame_equal(frame, FRAMES[name])


def test_a_batch_without_a_frame_is_no_fault(tmp_path):
    write_frames({}, tmp_path / "0")
    assert read_frames(tmp_path / "0") == {}


def test_a_frame_that_vanished_is_named_with_what_to_delete(folder):
    (folder / "shares.parquet").unlink()
    message = rf"shares.parquet: no such file, .* {LIST} .*; delete .*/\*.json and"
    with pytest.raises(InputError, match=message):
        read_frames(folder)


@pytest.mark.parametrize("damaged", [b"", b"areas.parquet\n", b"areas.parquet\nshares.parquft\n", b"\xff"])
def test_a_damaged_list_is_named(folder, damaged):
    (folder / LIST).write_bytes(damaged)
    with pytest.raises(InputError, match=LIST):
        read_frames(folder)


def test_frames_without_digests_are_taken_as_they_are(folder):
    for path in map(digest_path, folder.glob("*.parquet")):
        path.unlink()
    assert set(read_frames(folder)) == set(FRAMES)


def test_a_list_that_vanished_and_a_folder_that_did_are_named(folder):
    (folder / LIST).unlink()
    for gone in (folder, folder.with_name("none")):
        with pytest.raises(InputError, match=rf"{gone / LIST}: cannot be read \(No such file"):
            read_frames(gone)
