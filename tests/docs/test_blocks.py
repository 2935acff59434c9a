"""The tables of numbers in README and the docs are those that cog writes from the committed tables."""

from pathlib import Path

import pytest
from cogapp import Cog
from printed import printed

from aucstudy.metrics.registry import METRICS

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in (
        ROOT / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
        ROOT / "paper/rescience/article.md",
    )
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


def test_the_page_of_definitions_has_every_metric_of_the_registry_and_its_paper():
    text = (ROOT / "docs" / "definitions.md").read_text(encoding="utf-8")
    table = text[text.index("| name | definition | range | paper |") :].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    assert [(row[0], row[-1]) for row in rows] == [(metric.short_label, metric.paper) for metric in METRICS]
