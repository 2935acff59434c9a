"""Files and folders are written whole; what a killed process leaves is found by its name and removed."""

from functools import partial

import pytest
from killed import kill, killed

from aucstudy.store.files import new_folder, remove_parts, write_whole


def a_file(path):
    write_whole(path, kill)


def a_folder(path):
    with new_folder(path) as part:
        (part / "inside.csv").touch()
        kill()


@pytest.mark.parametrize("written", [a_file, a_folder])
@pytest.mark.parametrize("name", ["table.csv", "a.csv.gz", "0", "long" * 60 + ".csv"])
def test_what_a_killed_process_left_is_removed_and_nothing_else(tmp_path, written, name):
    kept = {tmp_path / name for name in (".hidden.csv", ".x.part-short.csv", "x.part-0a1b2c3d.csv")}
    for path in kept:
        path.touch()
    killed(partial(written, tmp_path / name))
    assert len(list(tmp_path.iterdir())) == len(kept) + 1
    remove_parts(tmp_path)
    assert set(tmp_path.iterdir()) == kept
