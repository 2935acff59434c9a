"""What the pages of studies say was found is what the page of the populations has from the committed tables."""

import re

import pytest

from aucstudy.config import REPOSITORY, STUDIES

POPULATIONS = (REPOSITORY / "docs/populations.md").read_text()


@pytest.mark.parametrize("study", ["wide", "weka"])
def test_every_interval_stands_on_the_page_of_the_populations(study):
    text = " ".join((STUDIES / study / "README.md").read_text().split())
    intervals = re.findall(r"([\d.]+) (?:%|points) \(([\d.]+ to [\d.]+)\)", text)
    assert len(intervals) >= 3
    for estimate, interval in intervals:
        assert f"{estimate} ({interval})" in POPULATIONS
