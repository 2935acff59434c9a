"""The first page of the report: the answer's figure, the tasks, the questions, every claim, and the files beside it."""

import hashlib
import re
from html import unescape
from pathlib import Path

import pandas as pd
import pytest

from aucstudy import __version__
from aucstudy.claims.verdicts import Evidence
from aucstudy.config import shipped_experiments
from aucstudy.experiments.contract import QUESTIONS
from aucstudy.figures import charts
from aucstudy.report.front_page import findings, front_page, verdict_counts

RESULTS = Path(__file__).parents[2] / "results"
SHOWN = ("answer", "disagreement", "noise", "downsampling", "papers")
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
            "amended": "2026-11-22: why.",
        }
        | {"here": 50, "low": 5, "high": 95}
        for name in ("FK-x", "FK-y")
    ],
    "tasks": [{"prevalence": 0.1, "source_group": "g", "n_rows": 10}],
}
EXPERIMENTS = shipped_experiments()


@pytest.fixture
def small(tmp_path):
    """A study of two claims that has measured nothing."""
    for name, rows in FRAMES.items():
        pd.DataFrame(rows).to_csv(tmp_path / f"{name}.csv", index=False)
    pd.DataFrame({"run_id": [], "reason": [], "stage": []}).to_csv(tmp_path / "rejections.csv", index=False)
    return tmp_path


def page_of(folder, experiments=(), tables=(), *, audited=False):
    return front_page(Evidence(folder, "openml"), "mine", folder, experiments, tables, audited=audited)


@pytest.fixture(scope="module")
def page():
    """The page of the committed results, with a few experiments."""
    results = RESULTS / "default"
    shown = [experiment for experiment in EXPERIMENTS.values() if experiment.room in SHOWN]
    return front_page(Evidence(results / "tables", "packaged"), "default", results / "figures", shown)


def test_every_table_and_the_audit_page_are_linked(small):
    tables = sorted(small.glob("*.csv"))
    page = page_of(small, tables=tables, audited=True)
    assert re.findall(r'href="([^"#]+)"', page) == ["audit.html", *(f"tables/{path.name}" for path in tables)]
    assert "more than 150 kB" in page
    assert "audit.html" not in page_of(small, tables=tables)
    digests = "".join(f"{path.name}  {hashlib.sha256(path.read_bytes()).hexdigest()}\n" for path in tables)
    assert f"aucstudy {__version__}. SHA-256 of these tables together: " in page
    assert hashlib.sha256(digests.encode()).hexdigest() in page


def test_a_study_that_measured_no_question_shows_its_claims(small):
    page = page_of(small)
    assert "1 supported" in page
    assert "0.5&nbsp;%" in page
    assert "50&nbsp;% (5 to 95)" in page
    assert "r Amended 2026-11-22: why." in page


def test_what_to_choose_by_stands_with_its_interval_where_there_are_groups_enough(small):
    ends = {"aupr": (-0.03, -0.01), "auprg": (-0.02, 0.01), "average_precision": (0.004, 0.012)}
    rows = [
        {"design": "halves", "tasks": tasks, "chooser": chooser, "utility": utility}
        | {"difference": (low + high) / 2}
        | {"simultaneous_low": low, "simultaneous_high": high, "n_tasks": 20, "n_groups": n_groups}
        for tasks, n_groups in (("all", 15), ("few", 14))
        for utility in ("f1", "recall_at_90")
        for chooser, (low, high) in ends.items()
        if (chooser, utility) != ("average_precision", "f1")
    ]
    pd.DataFrame(rows).to_csv(small / "selection.csv", index=False)
    page = page_of(small)
    assert re.findall(r"<th scope=.row.>(.+?)</th><td class=.number.>(.+?)</td>", page) == [
        ("F1", "open, not AUPR (2.0)"),
        ("recall at precision .9", "AP +0.8 (0.4 to 1.2)"),
    ]
    assert "all (20 tasks)" in page
    assert "few (" not in page


def test_the_rare_study_names_areas_in_both_arms_by_share_of_positives():
    folder = RESULTS / "rare"
    page = front_page(Evidence(folder / "tables", "held_out"), "rare", folder / "figures", [])
    for arm in ("thinned", "natural"):
        assert f"{arm}, 0.3 %".replace(" %", "&nbsp;%") in page
    cells = r"(<td class=.number.>[^<]*</td>\s*)*?"
    assert re.search(rf"net benefit, odds</th>{cells}<td class=.number.>AUROC \+\d", page)
    assert 'href="../../docs/choosing.md"' in page


def test_what_was_left_out_is_counted_by_reason(small):
    rejections = {"run_id": ["7", "8", None], "reason": ["fit_failed"] * 2 + ["one_class"], "stage": "fetch"}
    pd.DataFrame(rejections).to_csv(small / "rejections.csv")
    assert "2 runs fit_failed, 1 task one_class." in " ".join(page_of(small).split())


def test_the_comparison_with_the_server_is_said_where_there_is_one(small):
    assert "server recorded" not in page_of(small)
    row = {"n_runs": 30, "n_compared": 25, "n_agree": 24, "share": 0.96, "largest_difference": 0.02}
    pd.DataFrame([row]).to_csv(small / "server_check.csv", index=False)
    assert "in 24 of 25 runs (largest difference 0.02)" in " ".join(page_of(small).split())


def test_the_answer_comes_first_then_the_tasks_then_the_questions_then_the_claims(page):
    headings = re.findall(r"<h2.*?>(.*?)</h2>", page)
    asked = [QUESTIONS[key] for key in ("disagreement", "noise", "skew", "papers")]
    assert list(map(unescape, headings)) == [
        "The tasks",
        *asked,
        "What the papers say and what was found here",
    ]
    assert page.index("<img") < page.index("<h2>")


def test_what_needs_no_data_is_folded_away(small):
    page = page_of(small)
    folded = re.search(r"<details>\s*<summary>1 of arithmetic.*?</details>", page, re.S).group()
    assert "FK-y" in folded
    assert "FK-x" not in folded


def test_every_figure_has_a_text_in_its_place_and_a_caption(page):
    picture = r'<figure><img src="[^"]+" alt="([^"]+)" loading="lazy"><figcaption>(.+?)</figcaption>'
    figures = re.findall(picture, page)
    shown = sum(len(experiment.figures) for experiment in EXPERIMENTS.values() if experiment.room in SHOWN)
    assert len(figures) == page.count("<img ") == shown


@pytest.mark.parametrize(
    "study", ["default", "wide", "weka", "rare", "natural", "uw-cse", "known_truth", "variance"]
)
def test_the_findings_of_a_room_are_two_sentences_an_experiment_and_have_no_gap(study):
    evidence = Evidence(RESULTS / study / "tables", "")
    for room in {experiment.room for experiment in EXPERIMENTS.values()}:
        text = findings(EXPERIMENTS[room], evidence)
        assert "nan" not in text.split()
        assert "None" not in text
        own = sum(experiment.room == room for experiment in EXPERIMENTS.values())
        assert len(re.findall(r"(?<!\bal)\.(?= [A-Z]|$)", text)) <= 2 * own, text


def test_an_experiment_that_was_left_out_or_has_no_task_says_nothing(tmp_path):
    evidence = Evidence(tmp_path, "packaged")
    assert findings(EXPERIMENTS["noise"], evidence) == ""
    columns = list(EXPERIMENTS["noise"].tables["noise"].columns)
    pd.DataFrame(columns=columns).to_csv(tmp_path / "noise.csv", index=False)
    assert findings(EXPERIMENTS["noise"], evidence) == ""


def test_claims_of_the_papers_and_of_later_ones_are_counted_apart_and_what_is_nobodys_claim_is_not():
    verdicts = {
        "FK-select": "measured: supports", "B-T1": "arithmetic: exact", "B-tasks": "measured: contradicts",
        "L-tools": "measured: supports", "B-ri": "erratum", "C1": "confirmed",
    }  # fmt: skip
    assert verdict_counts(pd.Series(verdicts)) == {
        "the two papers": {"supported": 1, "exact": 1},
        "later papers": {"supported": 1},
    }


def test_what_is_empty_says_why_once_and_no_picture_stands_in_its_place(small):
    for name, table in EXPERIMENTS["noise"].tables.items():
        pd.DataFrame(columns=list(table.columns)).to_csv(small / f"{name}.csv", index=False)
    why = "in no task do random halves of the test rows hold both classes"
    for name, shown in (("noise_halves", why), ("answer", "none of the four questions")):
        charts.save(shown, {kind: small / f"{name}.{kind}" for kind in ("png", "svg")})
    page = page_of(small, [EXPERIMENTS["answer"], EXPERIMENTS["noise"]])
    assert "<img" not in page
    assert re.findall(r"Empty: ([^<]+)<", page) == [
        "figure answer. None of the four questions.",
        f"figure noise_halves, noise.csv, noise_pairs.csv, noise_tasks.csv. I{why[1:]}.",
        "noise_swaps.csv. No certain swap of best models could be tested.",
    ]


def test_a_number_that_the_data_do_not_give_is_called_unknown(tmp_path):
    nan = float("nan")
    columns = {"design": "halves", "tasks": "all", "chooser": "random", "verdict": "undecided"}
    ends = {"difference": nan, "low": nan, "high": nan, "simultaneous_low": nan, "simultaneous_high": nan}
    rows = [{**columns, **ends, "utility": utility} for utility in ("f1", "expected_fg1")]
    for name in ("selection", "selection_primary"):
        pd.DataFrame(rows).to_csv(tmp_path / f"{name}.csv", index=False)
    said = findings(EXPERIMENTS["selection"], Evidence(tmp_path, "files"))
    assert "is unknown in F1 and unknown in expected F-Gain: undecided" in said
