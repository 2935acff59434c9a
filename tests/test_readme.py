"""README and docs tell what the committed results say."""

import re
from pathlib import Path

import matplotlib
import pytest
from aucstudy.report.choosing import rule_table
from aucstudy.report.key_claims import KEYS, key_table
from aucstudy.report.readme import (
    CLAIMS_PAGE,
    README,
    TABLES,
    claims_page,
    readme_parts,
    with_parts,
)

from aucstudy.claims.verdicts import Evidence
from aucstudy.published.values import RULES_FIXED

ROOT = Path(__file__).parents[1]
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
EVIDENCE = Evidence(TABLES, "packaged")


@pytest.mark.parametrize("name", readme_parts(EVIDENCE))
def test_each_made_part_of_the_readme_is_that_of_the_committed_results(name):
    text = README.read_text(encoding="utf-8")
    assert with_parts(text, {name: readme_parts(EVIDENCE)[name]}) == text


def test_the_page_of_claims_is_that_of_the_committed_results():
    assert CLAIMS_PAGE.read_text(encoding="utf-8") == claims_page(EVIDENCE)


def test_a_changed_table_changes_the_answer(tmp_path):
    for file in TABLES.glob("*.csv"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    shares = tmp_path / "disagreement.csv"
    shares.write_text(shares.read_text().replace("aupr,auprg,1,expected,0.2", "aupr,auprg,1,expected,0.9"))
    assert "AUPR and AUPRG in 92 %" in readme_parts(Evidence(tmp_path, "packaged"))["answer"]


def test_verdicts_of_other_studies_stand_beside_one_that_they_do_not_share():
    here = "undecided"
    table = key_table(
        EVIDENCE, "page.md", {"FK-cause": {"a": "contradicted", "b": here, "c": "contradicted"}}
    )
    (line,) = (line for line in table.splitlines() if "#fk-cause)" in line)
    assert line.endswith(f"[{here}](page.md#fk-cause); *a*, *c*: contradicted |")


def test_the_rule_names_the_area_that_loses_and_the_one_that_chose():
    decision = EVIDENCE.table("decision")
    worst = decision[decision["quantity"] == "cost"]["high"].idxmax()
    decision.loc[worst, ["first", "second"]] = ["aupr", "auroc"]
    assert "points of AUROC, by AUPR's choice" in rule_table(decision)[-1]


def test_the_readme_is_read_in_a_minute():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


def test_the_readme_begins_with_the_answer_and_its_figure():
    text = README.read_text(encoding="utf-8")
    assert text.index("<!-- answer") < text.index("results/default/figures/answer.png") < text.index("\n## ")


def test_table_3s_own_task_is_told_as_a_range_with_the_papers_number():
    answer = readme_parts(EVIDENCE)["answer"]
    assert "for AUPR 0.153 to 0.198 (the paper's 0.183 lies inside)" in answer


def test_every_page_says_in_one_wording_when_the_rules_were_fixed():
    pages = [readme_parts(EVIDENCE)["verdicts"], claims_page(EVIDENCE)]
    pages += [
        (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("how-it-works", "limits")
    ]
    assert all(RULES_FIXED in " ".join(page.split()) for page in pages)


def test_a_claim_that_holds_without_shifted_odds_is_said_to_hold_there():
    verdicts = readme_parts(EVIDENCE)["verdicts"]
    rows = EVIDENCE.table("thresholds_calibration")
    unmoved = rows[(rows["against"] == "isotonic_plug_in") & (rows["odds"] == 1)]
    assert ("without shift the claim holds" in verdicts) == (unmoved["low"].min() > -0.01)


def test_every_claim_is_linked_to_where_it_stands():
    headings = {heading.lower() for heading in re.findall(r"^### (\S+)$", CLAIMS_PAGE.read_text(), re.M)}
    assert {key.id.lower() for key in KEYS} <= headings
    assert set(EVIDENCE.table("claims")["id"].str.lower()) == headings


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_shows_or_links_exists(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_example_of_the_metrics_module_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", page, re.S).group(1)
    exec(compile(example, "metrics.md", "exec"), {})
    assert (tmp_path / "curves.png").stat().st_size > 0
    assert "auprg=" in capsys.readouterr().out
