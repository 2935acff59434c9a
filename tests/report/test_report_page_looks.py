"""The first page in a browser, inside the frame that Snakemake's report puts around it."""

from pathlib import Path

import pytest
from browsing import element, in_browser, opened, resized, script

from aucstudy.claims.verdicts import Evidence
from aucstudy.experiments.contract import experiments
from aucstudy.report.page import report_page

RESULTS = Path(__file__).parents[2] / "results"
# These classes are in the style sheet of Snakemake's report and decide where the page lies.
FRAME = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>report</title><style>
body { margin: 0 } .flex { display: flex } .flex-row { flex-direction: row } .grow { flex-grow: 1 }
.w-screen { width: 100vw } .h-screen { height: 100vh } .overflow-auto { overflow: auto } nav { min-width: 247px }
.items-start { align-items: flex-start } .items-center { align-items: center }
.justify-center { justify-content: center }
.vega-embed { min-width: 637px } .prose { max-width: 32rem }
</style>
<div class="flex flex-row w-screen h-screen"><nav>menu</nav>
<div class="grow flex items-center justify-center h-screen overflow-auto"><div class="grow flex items-start">
<div class="py-2"><div class="prose prose-sm">
<h1>Do AUPR, AUPRG, AUROC and AUCNPR agree, and which should choose?</h1>
%s</div></div><div class="vega-embed"></div></div></div></div></html>"""


@pytest.fixture(scope="module")
def fragment():
    tables, figures = RESULTS / "default" / "tables", RESULTS / "default" / "figures"
    evidence, answer = Evidence(tables, "packaged"), experiments()["answer"]
    return report_page(evidence, "default", figures, [answer], sorted(tables.glob("*.csv")))


@pytest.fixture
def report(browser, fragment, tmp_path):
    return opened(browser, tmp_path / "report.html", FRAME % fragment)


@in_browser
@pytest.mark.parametrize("width", [768, 1366])
def test_the_page_is_seen_from_its_first_line_to_its_last_and_nothing_lies_beside_it(report, width):
    box = "document.querySelector('.aucstudy')"
    with resized(report, width, 844):
        assert script(report, "document.querySelector('h1').getBoundingClientRect().top") >= 0
        assert script(report, f"{box}.getBoundingClientRect().bottom") <= 844
        assert script(report, f"{box}.scrollWidth <= {box}.clientWidth")
        script(report, f"{box}.scrollTo(0, 1e9)")
        assert 0 < script(report, f"{box}.lastElementChild.getBoundingClientRect().bottom") <= 844


@in_browser
def test_the_menu_covers_no_text_where_the_window_is_too_narrow_for_all(report):
    with resized(report, 1280, 900):
        left = script(report, "document.querySelector('h1').getBoundingClientRect().left")
        assert left >= script(report, "document.querySelector('nav').getBoundingClientRect().right")


@in_browser
def test_the_answers_figure_is_on_the_first_screen(report):
    figure = "document.querySelector('.aucstudy img')"
    with resized(report, 1280, 900):
        assert script(report, f"{figure}.getBoundingClientRect().bottom") < 900
    assert script(report, f"{figure}.complete")


@in_browser
def test_what_is_folded_opens_by_the_keyboard(report):
    summary = element(report, ".aucstudy details:not([open]) > summary")
    script(report, "arguments[0].focus()", summary)
    summary.send_keys("\ue007")
    assert script(report, "document.activeElement.parentElement.open")
