"""The first page of the report: the answer first, then the questions, then every claim, and the files beside it."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from aucstudy.experiments.registry import EXPERIMENTS
from aucstudy.report.answer import SAID, answer
from aucstudy.report.questions import QUESTIONS, sections

from aucstudy.claims.verdicts import Evidence
from aucstudy.report.front_page import front_page

RESULTS = Path(__file__).parents[2] / "results"
TOLD = ("disagreement", "noise", "downsampling", "running_example")
CLAIM = {"id": "FK-x", "claim": "c", "verdict": "measured: supports", "note": "n"}
FRAMES = {
    "claims": [CLAIM, CLAIM | {"id": "FK-y", "verdict": "arithmetic: exact"}],
    "claims_values": [
        {
            "id": name,
            "item": "share",
            "published": ".5",
            "unit": "%",
            "rule": "r",
            "here": 50,
            "low": 5,
            "high": 95,
        }
        for name in ("FK-x", "FK-y")
    ],
    "tasks": [{"prevalence": 0.1, "source_group": "g", "n_rows": 10}],
}


@pytest.fixture
def small(tmp_path):
    """A study of two claims that has measured nothing."""
    for name, rows in FRAMES.items():
        pd.DataFrame(rows).to_csv(tmp_path / f"{name}.csv", index=False)
    pd.DataFrame({"reason": [], "stage": []}).to_csv(tmp_path / "rejections.csv", index=False)
    return tmp_path


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page of the committed results, with findings of a few experiments."""
    folder = tmp_path_factory.mktemp("told")
    for name in TOLD:
        (folder / name).mkdir()
        figures = dict.fromkeys(EXPERIMENTS[name].figures, f"caption of {name}")
        findings = {"question": f"About {name}?", "sentences": [f"{name} says so."], "figures": figures}
        (folder / name / "findings.json").write_text(json.dumps(findings))
    results = RESULTS / "default"
    return front_page(
        Evidence(results / "tables", "packaged"), "default", results / "figures", [folder / name for name in TOLD],
        beside={name: RESULTS / name / "tables" for name in ("uw-cse", "wide")},
    )  # fmt: skip


def test_every_table_and_the_audit_page_are_linked(small):
    tables = sorted(small.glob("*.csv"))
    page = front_page(Evidence(small, "openml"), "mine", small, [], tables, audited=True)
    assert re.findall(r'href="([^"]*)"', page) == ["audit.html", *(f"tables/{path.name}" for path in tables)]
    assert "more than 150 kB" in page
    assert "audit.html" not in front_page(Evidence(small, "openml"), "mine", small, [], tables)


def test_each_question_that_is_shown_has_the_short_answer_of_the_studies_of_many_tasks(page):
    tasks = len((RESULTS / "wide" / "tables" / "tasks.csv").read_text().splitlines()) - 1
    assert page.count(f"<p>Study wide ({tasks} tasks, new data): ") == 3
    assert "<p>Study uw-cse" not in page


def test_a_study_that_measured_no_question_shows_its_claims(small):
    page = front_page(Evidence(small, "openml"), "mine", small, [])
    assert "The answer" not in page
    assert "1 supported" in page
    assert "0.5&nbsp;%" in page
    assert "50&nbsp;% (5 to 95)" in page


def test_the_answer_comes_first_then_the_questions_then_the_claims(page):
    headings = re.findall(r"<h2>(.*?)</h2>", page)
    asked = [question.question for question in QUESTIONS if set(question.experiments) & set(TOLD)]
    assert headings[:2] == ["The answer", "Verdicts"]
    assert [heading for heading in headings if heading in SAID] == asked
    assert headings.index("What the papers say and what was found here") > headings.index(asked[-1])


def test_what_needs_no_data_is_folded_away(small):
    page = front_page(Evidence(small, "openml"), "mine", small, [])
    folded = re.search(r"<details>\s*<summary>1 claims? of arithmetic.*?</details>", page, re.S).group()
    assert "FK-y" in folded
    assert "FK-x" not in folded


def test_every_figure_has_a_text_in_its_place_and_a_caption(page):
    figures = re.findall(
        r'<figure><img src="[^"]+" alt="([^"]+)" loading="lazy"><figcaption>(.+?)</figcaption>', page
    )
    assert len(figures) == page.count("<img ") == 1 + sum(len(EXPERIMENTS[name].figures) for name in TOLD)


def test_the_study_of_table_3s_own_task_is_told_as_a_range_with_the_papers_number(page):
    assert "0.153 to 0.198 (the paper&#39;s 0.183 lies inside)" in page


def test_every_experiment_has_its_question_or_stands_with_the_rest():
    placed = [name for _, names in sections(EXPERIMENTS) for name in names]
    assert sorted(placed) == sorted(EXPERIMENTS)
    assert {name for question in QUESTIONS for name in question.experiments} <= set(EXPERIMENTS)


def test_the_answer_has_one_part_a_question():
    parts = answer(Evidence(RESULTS / "default" / "tables", "packaged"))
    assert [part.question for part in parts] == [question.question for question in QUESTIONS] == list(SAID)


def test_one_task_is_answered_without_intervals():
    (skew,) = answer(Evidence(RESULTS / "uw-cse" / "tables", "relational"))
    assert skew.short.startswith("Cutting a test set to 1:1 moves AUPR by 53 points,")
    assert "On the one task" in skew.numbers
    assert "nan" not in skew.short + skew.numbers


@pytest.mark.parametrize("question", SAID)
def test_what_was_not_measured_is_not_answered(tmp_path, question):
    for path in (RESULTS / "default" / "tables").glob("*.csv"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    measured = dict(
        zip(SAID, ("disagreement", "noise", None, "selection_primary", "downsampling"), strict=True)
    )
    if measured[question] is None:
        values = pd.read_csv(tmp_path / "claims_values.csv")
        values.loc[values["id"] == "FK-cause", ["here", "low", "high"]] = None
        values.to_csv(tmp_path / "claims_values.csv", index=False)
    else:
        path = tmp_path / f"{measured[question]}.csv"
        pd.read_csv(path).iloc[:0].to_csv(path, index=False)
    assert [part.question for part in answer(Evidence(tmp_path, "packaged"))] == [
        other for other in SAID if other != question
    ]
