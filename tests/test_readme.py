"""The README tells what the committed results say."""

import re
from pathlib import Path

from aucstudy.published.verdicts import Evidence
from aucstudy.report.readme import README, TABLES, claims_markdown, with_claims

ROOT = Path(__file__).parents[1]


def test_the_claims_table_is_that_of_the_committed_results():
    text = README.read_text(encoding="utf-8")
    assert with_claims(text, claims_markdown(Evidence(TABLES, "packaged"))) == text


def test_every_file_that_the_readme_shows_or_links_exists():
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README.read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), target
