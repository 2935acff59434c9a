"""After a kill, a damaged file or a full disk the next run ends with the same tables, or names the file in one line."""

import os
import random

import pytest

from faults.kinds import KINDS, OUTCOMES, Undisturbed

pytestmark = pytest.mark.whole


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The study, run to its end."""
    return Undisturbed.run(tmp_path_factory.mktemp("faults") / "undisturbed")


def outcome(undisturbed, kind, tmp_path, seed=0):
    return undisturbed.after(kind, tmp_path / "fault", random.Random(f"{kind} {seed}"))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.startswith("kill")])
def test_a_study_in_which_a_process_was_killed_ends_with_the_same_tables(undisturbed, tmp_path, kind):
    assert outcome(undisturbed, kind, tmp_path) == OUTCOMES[0]


@pytest.mark.parametrize(
    "kind", ["store file flipped", "table of tasks flipped", "score file truncated", "measured file deleted"]
)
def test_a_damaged_file_changes_no_table_unseen(undisturbed, tmp_path, kind):
    assert outcome(undisturbed, kind, tmp_path) in OUTCOMES


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount the small disk")
@pytest.mark.parametrize("seed", range(3))
def test_a_study_on_a_full_disk_says_so_in_one_line_and_goes_on_once_there_is_room(
    undisturbed, tmp_path, seed
):
    assert outcome(undisturbed, "full disk", tmp_path, seed) in OUTCOMES
