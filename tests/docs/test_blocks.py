"""The tables of numbers in README and the docs are those that cog writes from the committed tables."""

from pathlib import Path

import pytest
from cogapp import Cog
from printed import printed

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if "[[[cog" in page.read_text(encoding="utf-8")
]


def changes(page):
    """Return whether cog would change the page."""
    options = ["--check", "--diff", "-P", "-I", str(ROOT / "docs" / "making")]
    return Cog().main(["cog", *options, str(page)]) != 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_cog_would_change_no_block_of_a_page(page):
    assert not changes(page)


def test_a_block_that_was_edited_by_hand_is_noticed(tmp_path):
    text = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
    edited = tmp_path / "figures.md"
    edited.write_text(
        text.replace("| our first model | 0.496", "| our first model | 0.497"), encoding="utf-8"
    )
    assert changes(edited)


def test_a_command_that_fails_is_shown_on_no_page():
    with pytest.raises(RuntimeError, match="exit code 1"):
        printed("aucstudy audit docs/no-such-file.csv --label churned")
