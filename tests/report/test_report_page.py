"""The report: the main table, the answer's figure, the tasks, the questions, every claim, and the files beside it."""

import hashlib
import re
import shutil
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import jinja2
import pandas as pd
import pytest

from aucstudy import __version__
from aucstudy.claims.entries import entries
from aucstudy.claims.verdicts import Evidence
from aucstudy.config import STUDIES, load_config, shipped_experiments
from aucstudy.estimates import COLUMNS
from aucstudy.experiments.contract import QUESTIONS, studied, tables_of_every_study
from aucstudy.figures import charts
from aucstudy.report.page import (
    findings,
    marked_up,
    report_page,
    rule_in_plain_words,
    settings_shown,
    shown_claims,
    verdict_counts,
    verdict_words,
)
from aucstudy.report.tasks_and_models import metrics_that_tell, standings, who_may_be_best

RESULTS = Path(__file__).parents[2] / "results"
SHOWN = ("answer", "disagreement", "noise", "downsampling", "papers")
CLAIM = {"id": "mine-x", "claim": "c", "verdict": "measured: supports", "note": "n"}
FRAMES = {
    "claims": [CLAIM],
    "claims_values": [
        {"id": "mine-x", "item": "share", "published": ".5", "unit": "%", "here": 50, "low": 5, "high": 95, "n": 9,
         "rule": "r", "amended": "2026-11-22: why."}
    ],
    "tasks": [{"prevalence": 0.1, "source_group": "g", "n_rows": 10}],
}  # fmt: skip
# The entries of the claims. Those of one number are alike but for their ids and groups.
WRITTEN = "source: FK\npaper: mine\nclaims:\n" + "".join(
    f"""  {name}:
    title: F is at most twice pi ({name})
    place: section 1
    kind: measured on other data
    judge: {{function: claims.mine}}
    numbers: {{share: {{printed: "50", unit: "%", words: share}}}}
    rule: r
    amended: [{{date: "2026-11-22", change: why.}}]
"""
    for name in ("mine-x", "mine-0", "mine-1", "mine-2", "mine-3")
)
EXPERIMENTS = shipped_experiments()


@pytest.fixture
def small(tmp_path):
    """Return the folder of a study with one claim and without the table of any experiment."""
    for name, rows in FRAMES.items():
        pd.DataFrame(rows).to_csv(tmp_path / f"{name}.csv", index=False)
    pd.DataFrame({"run_id": [], "reason": [], "stage": []}).to_csv(tmp_path / "rejections.csv", index=False)
    (tmp_path / "claims.yaml").write_text(WRITTEN)
    return tmp_path


def page_of(folder, experiments=(), tables=()):
    return report_page(Evidence(folder, "openml"), "mine", folder, experiments, tables, folders=[folder])


@pytest.fixture(scope="module")
def page():
    """Return the page of the committed study `default`, with a few experiments."""
    results = RESULTS / "default"
    shown = [experiment for experiment in EXPERIMENTS.values() if experiment.main in SHOWN]
    return report_page(Evidence(results / "tables", "packaged"), "default", results / "figures", shown)


def test_every_table_is_linked_with_its_caption(small):
    tables = sorted(small.glob("*.csv"))
    page = page_of(small, tables=tables)
    links = re.findall(r'<a href="([^"#]+)"', page)
    assert sorted(links) == [f"tables/{path.name}" for path in tables]
    for path in tables:
        assert tables_of_every_study()[path.stem]["caption"] in page
    digests = "".join(f"{path.name}  {hashlib.sha256(path.read_bytes()).hexdigest()}\n" for path in tables)
    assert f"aucstudy {__version__}. SHA-256 of these tables together: " in page
    assert hashlib.sha256(digests.encode()).hexdigest() in page


def test_a_table_of_few_rows_opens_on_the_page_and_a_larger_one_does_not(small):
    names = [f"<b>{i}</b>" for i in range(51)]
    rows = pd.DataFrame({"prevalence": 0.123456, "source_group": names, "n_rows": 10})
    for n_rows, shown in ((50, True), (51, False)):
        rows[:n_rows].to_csv(small / "tasks.csv", index=False)
        page = page_of(small, tables=[small / "tasks.csv"])
        assert ("&lt;b&gt;49&lt;/b&gt;" in page) == ("0.1235" in page) == shown
        assert "<b>49" not in page


def test_a_study_that_measured_no_question_shows_its_claims(small):
    page = page_of(small)
    assert "1 supported" in page
    assert "0.5&nbsp;%" in page
    assert "50&nbsp;% (5 to 95)" in page
    assert "Rule: r<" in page
    assert "Amended on 2026-11-22: why.<" in page


def test_the_page_on_choosing_is_linked_where_it_stands_in_the_repository(small, page):
    assert 'href="../../docs/choosing.md"' in page
    assert "See docs/choosing.md of the repository" in page_of(small)


def test_what_was_left_out_is_counted_by_reason(small):
    rejections = {"run_id": ["7", "8", None], "reason": ["fit_failed"] * 2 + ["one_class"], "stage": "fetch"}
    pd.DataFrame(rejections).to_csv(small / "rejections.csv")
    assert "2 runs fit_failed, 1 task one_class." in " ".join(page_of(small).split())


def test_tasks_are_counted_by_the_repetitions_of_their_cross_validation(small):
    assert "repetition" not in page_of(small)
    task = FRAMES["tasks"][0]
    tasks = [task, task, task | {"n_repeats": 10}]
    pd.DataFrame(tasks).to_csv(small / "tasks.csv", index=False)
    words = " ".join(page_of(small).split())
    assert (
        "The cross-validation of 2 tasks has 1 repetition and that of 1 task has 10 repetitions. Only the"
        in words
    )


def test_the_comparison_with_the_server_is_said_where_there_is_one(small):
    assert "server recorded" not in page_of(small)
    row = {"n_runs": 30, "n_compared": 25, "n_agree": 24, "share": 0.96, "largest_difference": 0.02}
    pd.DataFrame([row]).to_csv(small / "server_check.csv", index=False)
    words = " ".join(page_of(small).split())
    assert "In 24 of 25 runs, our AUROC agrees with" in words
    assert "the server recorded (the largest difference is 0.02)" in words


def test_the_answer_comes_first_then_the_tasks_then_the_questions_then_the_claims(page):
    headings = re.findall(r'<h2 id="(.*?)">(.*?)</h2>', page)
    questions = [QUESTIONS[key] for key in ("disagreement", "noise", "skew", "papers")]
    assert [unescape(title) for _, title in headings] == [
        "The answer",
        "The tasks",
        *questions,
        "What the papers say and what was found here",
        "Where the numbers come from",
    ]
    contents = page[page.index("<nav") : page.index("</nav>")]
    assert re.findall(r'<a href="#(.*?)">(.*?)</a>', contents) == headings
    assert page.index('<table class="main">') < page.index("<img") < page.index("The tasks</h2>")


@pytest.fixture(scope="module")
def whole_page():
    """Return the page of the committed study `default`, with all its experiments and tables."""
    results = RESULTS / "default"
    tables = sorted((results / "tables").glob("*.csv"))
    experiments = studied(load_config(None))
    return report_page(
        Evidence(results / "tables", "packaged"), "default", results / "figures", experiments, tables
    )


def test_the_page_loads_no_other_file(whole_page):
    assert set(re.findall(r'\ssrc="([^",]+)', whole_page)) == {"data:image/png;base64"}
    assert re.findall(r"<link [^>]+>", whole_page) == ['<link rel="icon" href="data:,">']
    for word in ("<script", "url(", "@import", "<iframe", "<object"):
        assert word not in whole_page
    assert "default-src 'none'" in whole_page


def test_every_figure_and_every_table_of_the_study_is_on_the_page_once(whole_page):
    results = RESULTS / "default"
    figures = [path.stem for path in sorted((results / "figures").glob("*.png"))]
    assert sorted(re.findall(r'<figure id="figure-(.*?)"', whole_page)) == figures
    assert whole_page.count("<img ") == len(figures)
    tables = [f"tables/{path.name}" for path in sorted((results / "tables").glob("*.csv"))]
    assert sorted(re.findall(r'href="(tables/[^"]+)"', whole_page)) == tables


def test_a_table_that_was_made_for_another_experiment_is_on_the_page_too(small):
    shutil.copy(RESULTS / "default" / "tables" / "conventions_tasks.csv", small)
    page = page_of(small, tables=[small / "conventions_tasks.csv"])
    numbers = page[page.index('<h2 id="section-numbers">') :]
    assert 'href="tables/conventions_tasks.csv"' in numbers


def test_every_link_within_the_page_has_its_target_and_no_id_is_used_twice(whole_page, own):
    for page in (whole_page, page_of_own(own)):
        ids = re.findall(r'\sid="([^"]+)"', page)
        assert len(ids) == len(set(ids))
        targets = set(re.findall(r'href="#([^"]+)"', page))
        assert targets
        assert targets <= set(ids)


def test_the_main_table_has_the_estimates_and_the_papers_numbers(page):
    text = " ".join(unescape(re.sub("<[^>]+>", " ", page)).replace("\xa0", " ").split())
    estimates = pd.read_csv(RESULTS / "default" / "tables" / "estimates.csv", dtype={"at": str})
    rows = estimates.query(
        "experiment == 'disagreement' and first == 'aupr' and second == 'auprg' and weight == 'task' "
        "and subset == 'not simulated'"
    )
    best, three = (rows.query(f"quantity == 'differs' and at == '{top}'").iloc[0] for top in (1, 3))
    ranks = rows.query("quantity == 'pearson_of_ranks'").iloc[0]
    best, three = (
        f"{100 * row.estimate:.0f} % ({100 * row.low:.0f} to {100 * row.high:.0f})" for row in (best, three)
    )
    ranks = f"{ranks.estimate:.3f} ({ranks.low:.3f} to {ranks.high:.3f})"
    assert f"AUPR and AUPRG 24 % {best} 58 % {three} 0.95 {ranks} AUPR and AUROC 29 %" in text


def test_a_study_of_ones_own_has_no_number_of_the_paper_in_its_main_table(own):
    rows = pd.read_csv(RESULTS / "default" / "tables" / "estimates.csv")
    rows[rows["experiment"] == "disagreement"].to_csv(own / "estimates.csv", index=False)
    page = page_of_own(own)
    table = page[page.index('<table class="main">') : page.index("</table>", page.index('class="main"'))]
    assert "AUPR and AUPRG" in table
    assert "AUCNPR" not in table
    assert "paper" not in table
    assert "24&nbsp;%" not in table


def test_the_settings_are_those_of_the_study_and_show_no_path():
    config = load_config(STUDIES / "quick.yaml") | {
        "metrics": ["aupr", "/home/me/mine.py"],
        "source": "/home/me/own.py",
    }
    settings = settings_shown(config, [EXPERIMENTS["noise"], EXPERIMENTS["downsampling.refitting"]])
    assert (settings["study"], settings["models_per_task"]) == ("quick", 10)
    assert settings["noise"] == config["noise"]
    assert "refitting" in settings["downsampling"]
    assert "selection" not in settings
    assert "/home" not in str(settings)


def test_claims_that_no_study_decides_are_linked_where_there_is_a_checkout(small, page):
    assert "docs/claims.md of the repository" in page_of(small)
    assert '<a href="../../docs/claims.md">' in page


OF_STUDIES = tuple(sorted(STUDIES.glob("*/claims.yaml")))


@pytest.mark.parametrize("study", ["default", "wide", "weka", "uw-cse"])
def test_a_claim_is_told_in_the_words_of_its_entry(study):
    folder = RESULTS / study
    evidence = Evidence(folder / "tables", "packaged")
    tables = sorted((folder / "tables").glob("claims*.csv"))
    page = " ".join(
        unescape(
            report_page(
                evidence, study, folder / "figures", [], tables, folders=[file.parent for file in OF_STUDIES]
            )
        ).split()
    )
    for name in evidence.table("claims")["id"]:
        entry = entries(OF_STUDIES)[name]
        assert f'{marked_up(entry["title"])} <span class="id">({name})</span></h4>' in page
        assert unescape(marked_up(rule_in_plain_words(entry))) in page, name
        assert entry.shown, name


def test_the_card_of_a_claim_says_what_the_paper_says_what_was_measured_and_how_it_is_judged(page):
    card = page[page.index('<h4 id="fk-favour">') : page.index('<h4 id="fk-select">')]
    words = " ".join(unescape(re.sub("<[^>]+>", " ", card)).split())
    assert words.startswith("AUPR can easily favour models")
    assert "The paper says so (abstract and section 1)." in words
    assert re.search(
        r"expected F-Gain of AUPRG's choice minus that of AUPR's choice -?0\.\d\d points \(-", words
    )
    assert re.search(
        r"Verdict: [a-z ]+ \. The second number .* Data, method and rule We used 60 and \d+ tasks\. AUPRG and AUPR",
        words,
    )
    assert "Rule: A difference of less than half a point does not matter." in words
    assert "Amended on 2026-11-23: The margin is now half a point" in words


def test_a_claim_shown_in_points_has_no_published_number_in_another_unit():
    for name, entry in entries(OF_STUDIES).items():
        for number in entry.numbers.values():
            if number.printed and number.unit != "%" and number.words:
                assert not entry.get("in"), name


@pytest.mark.parametrize(
    ("published", "words"),
    [
        ([".5"], "the printed number lies inside our interval"),
        ([".5", ".6"], "all printed numbers lie inside our intervals"),
        (
            [".5", ".1", ".2"],
            "of the printed numbers, 0.5 lies inside, and 0.1 and 0.2 lie below our intervals",
        ),
    ],
)
def test_numbers_on_other_tasks_are_compared_side_by_side(published, words):
    items = [{"published": text, "low": 0.4, "high": 0.7} for text in published]
    assert (
        verdict_words("other population: published value inside our interval", items)
        == f"measured on other tasks: {words}"
    )


def test_claims_that_a_study_brings_stand_under_a_heading_of_their_own_and_a_study_may_decide_none(small):
    (small / "claims.yaml").write_text(WRITTEN.replace("source: FK", 'source: ""'))
    page = page_of(small)
    assert "<h3>Claims that the study brings</h3>" in page
    for words in ("F is at most twice pi (mine-x) <span", "<td>share</td>", "Rule: r<", "</span>. N"):
        assert words in page
    for name in ("claims", "claims_values"):
        pd.read_csv(small / f"{name}.csv").head(0).to_csv(small / f"{name}.csv", index=False)
    assert "<h3>" not in page_of(small)


SCORES = pd.DataFrame(
    {
        "task_id": ["churn"] * 4, "aggregation": ["pooled"] * 3 + ["fold_mean"], "flow_name": ["a", "b", "c", "a"],
        "aupr": [0.5, 0.7, 0.7 + 1e-15, 0.1], "auprg": [0.3, 0.2, 0.1, 0.1], "auroc": [0.8, 0.9, 0.7, 0.1],
    }
)  # fmt: skip


@pytest.fixture
def own(small):
    """Return the folder of a study of the user's own files, with one claim for each of four verdicts."""
    tasks = {
        "task_id": "churn",
        "positive_class": "yes",
        "prevalence": 0.1,
        "source_group": "g",
        "n_rows": 1200,
    }
    pd.DataFrame([tasks]).to_csv(small / "tasks.csv", index=False)
    verdicts = ("measured: supports", "too few data", "theorem: proved", "arithmetic: does not come out")
    claims = [{**CLAIM, "id": f"mine-{i}", "claim": v.upper(), "verdict": v} for i, v in enumerate(verdicts)]
    values = [{**FRAMES["claims_values"][0], "id": f"mine-{i}"} for i in range(len(verdicts))]
    pd.DataFrame(claims).to_csv(small / "claims.csv", index=False)
    pd.DataFrame(values).to_csv(small / "claims_values.csv", index=False)
    return small


def page_of_own(folder):
    return report_page(Evidence(folder, "files"), "mine", folder, [], scores=SCORES, folders=[folder])


def test_a_study_of_ones_own_tells_of_its_tasks_and_models_first(own):
    page = page_of_own(own)
    text = " ".join(unescape(re.sub("<[^>]+>", " ", page)).split())
    assert "1 task from 1 source of data, with 3 models for each task." in text
    assert page.index("The tasks and their models</h2>") < page.index("Do the metrics agree?</h2>")
    assert page.count("The tasks and their models</h2>") == 1
    assert page.index("Mean ranks of the models (1 is best)") < page.index("Best by AUPR")
    assert "they come from 1 source of data, and 6 are needed." in text
    assert "<details><summary>Mean ranks" not in page
    assert "churn 1,200 yes (0.100) 3 b, c (0.700) a (0.300) b (0.900)" in text
    assert "b 1 1.5 2.0 1.0" in text


def ranked(orders):
    """Return the tasks, each a source, and the scores of models that come in these orders in the tasks."""
    rows = [
        {
            "task_id": f"t{i}",
            "aggregation": "pooled",
            "flow_name": model,
            "aupr": value,
            "auprg": value,
            "auroc": 0.5,
        }
        for i, order in enumerate(orders)
        for value, model in zip((0.9, 0.6, 0.3), order, strict=True)
    ]
    tasks = pd.DataFrame({"task_id": [f"t{i}" for i in range(len(orders))]})
    return tasks.assign(source_group=tasks["task_id"]), pd.DataFrame(rows)


ALIKE = "no model has a significantly better mean rank than another one."


@pytest.mark.parametrize(
    ("orders", "by_aupr"),
    [
        (["abc"] * 8, "a is the best. Each other model has a significantly worse mean rank."),
        (["abc", "bac"] * 4, "a or b may be the best. The other models have significantly worse mean ranks."),
        (["abc", "bca", "cab"] * 3, ALIKE),
    ],
)
def test_the_models_that_may_be_best_over_the_tasks_are_named(orders, by_aupr):
    tasks, scores = ranked(orders)
    models = standings(tasks, scores)
    said = who_may_be_best(models, tasks["source_group"].nunique())
    assert "AUPR" in said[by_aupr]
    assert "AUROC" in said[ALIKE]
    assert metrics_that_tell(models) == ([] if by_aupr == ALIKE else ["AUPR", "AUPRG"])


def test_five_sources_of_data_are_too_few_to_tell_which_model_is_best_on_average():
    tasks, scores = ranked(["abc"] * 10)
    assert who_may_be_best(standings(tasks, scores), 10)
    related = tasks.assign(source_group=[f"g{i % 5}" for i in range(10)])
    models = standings(related, scores)
    assert who_may_be_best(models, 5) == {}
    assert models[0].ranks["AUPR"] == "1.0"


def test_a_source_counts_once_however_many_tasks_it_has():
    tasks, scores = ranked(["abc"] * 6 + ["bac"] * 12)
    one = tasks.assign(source_group=["own" if i >= 6 else f"g{i}" for i in range(18)])
    by_model = {each.model: each.ranks["AUPR"] for each in standings(one, scores)}
    assert by_model["a"].startswith("1.1 ")
    by_task = {each.model: each.ranks["AUPR"] for each in standings(one, scores, "task")}
    assert by_task["a"].startswith("1.7 ")


def test_the_models_of_a_stranger_are_judged_by_no_claim_of_a_paper(own):
    claims = pd.read_csv(own / "claims.csv")
    of_paper = {**CLAIM, "id": "FK-select", "claim": "FK-SELECT", "verdict": "measured: supports"}
    pd.concat([claims, pd.DataFrame([of_paper])]).to_csv(own / "claims.csv", index=False)
    shown = shown_claims(Evidence(own, "files"))["id"].tolist()
    assert shown == ["mine-0"]
    assert "FK-select" in shown_claims(Evidence(own, "packaged"))["id"].tolist()


@pytest.mark.parametrize(("source", "shown"), [("openml", True), ("files", False)])
def test_the_papers_own_figures_are_left_out_of_a_study_of_ones_own(small, source, shown):
    for name in ("boyd_table_1", "boyd_table_2", "boyd_table_3"):
        shutil.copy(RESULTS / "default" / "tables" / f"{name}.csv", small)
    figures, papers = RESULTS / "default" / "figures", EXPERIMENTS["papers"]
    tables = sorted(small.glob("boyd*.csv"))
    page = report_page(Evidence(small, source), "mine", figures, [papers], tables, folders=[small])
    for text in (
        "Can the papers' own figures and tables be computed again?",
        "The papers' own figures",
        "boyd_table_1.csv",
    ):
        assert (text in unescape(page)) == shown


@pytest.mark.parametrize(("source", "title"), [("packaged", "Do AUPR"), ("files", "Which models are best")])
def test_the_title_is_that_of_a_replication_or_of_a_study_of_ones_own(small, source, title):
    page = report_page(Evidence(small, source), "mine", small, [], folders=[small])
    assert f"<h1>{title}" in page
    assert ("replication" in page) == (source == "packaged")


@pytest.mark.parametrize("trim_blocks", [False, True])
def test_the_first_page_of_snakemakes_own_report_links_the_report(trim_blocks):
    rst = (RESULTS.parent / "workflow" / "report" / "workflow.rst").read_text(encoding="utf-8")
    template = jinja2.Environment(trim_blocks=trim_blocks).from_string(rst)
    text = template.render(snakemake=SimpleNamespace(config={"study": "mine"}))
    assert text.startswith("How the study was made\n===")
    assert "the study *mine*" in text
    assert "`report.html <report.html>`_" in text


def test_a_study_of_ones_own_shows_the_claims_that_its_data_decide_alone(own):
    page = page_of_own(own)
    assert "(mine-0)" in page
    assert "<li>1 supported</li>" in page
    for other in ("(mine-1)", "(mine-2)", "(mine-3)", "proved</li>", "does not come out</li>"):
        assert other not in page
    claims = pd.read_csv(own / "claims.csv").iloc[1:]
    claims.to_csv(own / "claims.csv", index=False)
    assert "What the papers say" not in page_of_own(own)
    assert "What the papers say" in page_of(own)


def test_every_figure_has_a_text_in_its_place_and_a_caption(page):
    picture = r'<figure id="[^"]+"><img src="[^"]+" alt="([^"]+)"><figcaption>(.+?)</figcaption>'
    figures = re.findall(picture, page)
    shown = sum(len(experiment.figures) for experiment in EXPERIMENTS.values() if experiment.main in SHOWN)
    assert len(figures) == page.count("<img ") == shown


@pytest.mark.parametrize("study", ["default", "wide", "weka", "few_natural", "few_thinned", "uw-cse"])
def test_the_findings_of_an_experiment_have_no_gap(study):
    evidence = Evidence(RESULTS / study / "tables", "")
    for name in {experiment.main for experiment in EXPERIMENTS.values()}:
        text = findings(EXPERIMENTS[name], evidence)
        assert "nan" not in text.split()
        assert "None" not in text


def test_an_experiment_that_was_left_out_or_has_no_task_says_nothing(tmp_path):
    evidence = Evidence(tmp_path, "packaged")
    assert findings(EXPERIMENTS["noise"], evidence) == ""
    pd.DataFrame(columns=list(COLUMNS)).to_csv(tmp_path / "estimates.csv", index=False)
    assert findings(EXPERIMENTS["noise"], Evidence(tmp_path, "packaged")) == ""


def test_claims_of_the_papers_and_of_later_ones_are_counted_apart_and_what_is_nobodys_claim_is_not():
    verdicts = {
        "FK-select": "measured: supports", "B-T1": "theorem: proved", "H-tasks": "measured: contradicts",
        "L-tools": "measured: supports", "B-ri": "erratum", "C1": "confirmed",
    }  # fmt: skip
    assert verdict_counts(pd.Series(verdicts), entries()) == {
        "the two papers": {"supported": 1, "proved": 1},
        "later papers": {"supported": 1},
    }


def test_what_is_empty_says_why_once_and_no_picture_stands_in_its_place(small):
    for name, table in EXPERIMENTS["noise"].tables.items():
        pd.DataFrame(columns=list(table.columns)).to_csv(small / f"{name}.csv", index=False)
    why = "in every random split of every task, at least one half lacks a class"
    for name, shown in (("noise_halves", why), ("answer", "none of the four questions")):
        charts.save(shown, {kind: small / f"{name}.{kind}" for kind in ("png", "svg")})
    page = page_of(small, [EXPERIMENTS["answer"], EXPERIMENTS["noise"]])
    assert "<img" not in page
    assert re.findall(r"Empty: ([^<]+)<", page) == [
        "figure answer. None of the four questions.",
        f"figure noise_halves, noise_tasks.csv. I{why[1:]}.",
        "noise_swaps.csv. In every task, any two metrics have a best model in common.",
    ]


def test_a_number_that_the_data_do_not_give_is_called_unknown(tmp_path):
    nan = float("nan")
    keys = {
        "experiment": "selection",
        "quantity": "gain",
        "setting": "halves",
        "subset": "all",
        "weight": "source",
    }
    ends = {"estimate": nan, "low": nan, "high": nan, "n_tasks": 9}
    contrasts = [("auprg", "aupr", "f1", "simultaneous"), ("auprg", "aupr", "expected_fg1", "simultaneous")]
    rows = [
        {**keys, **ends, "first": first, "second": second, "target": target, "kind": kind}
        for first, second, target, kind in [*contrasts, ("random", "auroc", "f1", "mean")]
    ]
    pd.DataFrame(rows, columns=list(COLUMNS)).to_csv(tmp_path / "estimates.csv", index=False)
    primary = {"design": ["halves"], "verdict": ["undecided"]}
    pd.DataFrame(primary).to_csv(tmp_path / "selection_primary.csv", index=False)
    said = findings(EXPERIMENTS["selection"], Evidence(tmp_path, "files"))
    assert "is unknown. For expected F-Gain, this difference is unknown." in said
