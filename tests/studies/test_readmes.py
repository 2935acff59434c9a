"""The intervals on the pages of the studies wide and weka are those of docs/results.md."""

import re

import pytest

from aucstudy.config import REPOSITORY, STUDIES

POPULATIONS = (REPOSITORY / "docs/results.md").read_text()


@pytest.mark.parametrize("study", ["wide", "weka"])
def test_every_interval_stands_on_the_page_of_the_populations(study):
    text = " ".join((STUDIES / study / "README.md").read_text().split())
    intervals = re.findall(r"([\d.]+) (?:%|points) \(([\d.]+ to [\d.]+)\)", text)
    assert len(intervals) >= 3
    for estimate, interval in intervals:
        assert f"{estimate} ({interval})" in POPULATIONS
