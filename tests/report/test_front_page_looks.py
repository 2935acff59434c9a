"""The first page in a browser, inside the frame that Snakemake's report puts around it: phone, keyboard, paper."""

import base64
import re
from pathlib import Path

import pytest
from browsing import element, in_browser, opened, resized, script

from aucstudy.claims.verdicts import Evidence
from aucstudy.experiments.contract import experiments
from aucstudy.report.front_page import front_page

RESULTS = Path(__file__).parents[2] / "results"
# the classes of Snakemake's report that matter here, as its style sheet has them
FRAME = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>report</title><style>
body { margin: 0 } .flex { display: flex } .flex-row { flex-direction: row } .grow { flex-grow: 1 }
.w-screen { width: 100vw } .h-screen { height: 100vh } .overflow-auto { overflow: auto } nav { min-width: 247px }
.items-start { align-items: flex-start } .items-center { align-items: center }
.justify-center { justify-content: center }
.vega-embed { width: 637px }
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
    return front_page(evidence, "default", figures, [answer], sorted(tables.glob("*.csv")))


@pytest.fixture
def report(browser, fragment, tmp_path):
    return opened(browser, tmp_path / "report.html", FRAME % fragment)


@in_browser
@pytest.mark.parametrize("width", [390, 768, 1366])
def test_nothing_lies_beside_the_window(report, width):
    every = "[...document.querySelectorAll('.aucstudy *')]"
    beyond = f"{every}.filter(e => e.getBoundingClientRect().right > innerWidth + 1)"
    with resized(report, width, 844, mobile=width < 600):
        assert script(report, "document.scrollingElement.scrollWidth") <= width
        assert script(report, f"{beyond}.map(e => e.outerHTML.slice(0, 80))") == []


@in_browser
def test_on_a_phone_the_page_has_the_whole_width_and_comes_before_the_menu(report):
    boxes = (
        "(() => { const box = document.querySelector('.aucstudy').getBoundingClientRect();"
        "return [box.left, box.width, box.top, document.querySelector('nav').getBoundingClientRect().top]; })()"
    )
    with resized(report, 390, 844, mobile=True):
        left, width, top, menu = script(report, boxes)
    assert width > 300
    assert left < 40
    assert top < menu


@in_browser
def test_the_answers_figure_and_the_rule_of_use_are_the_first_screen(report):
    place = "document.querySelector(`.aucstudy ${arguments[0]}`).getBoundingClientRect().bottom"
    with resized(report, 1280, 900):
        assert script(report, place, "a[href='../../docs/choosing.md']") < 900
    assert script(report, "document.querySelector('.aucstudy img').complete")


@in_browser
def test_what_is_folded_opens_by_the_keyboard(report):
    summary = element(report, ".aucstudy details:not([open]) > summary")
    script(report, "arguments[0].focus()", summary)
    summary.send_keys("\ue007")
    assert script(report, "document.activeElement.parentElement.open")


@in_browser
def test_paper_shows_every_page_and_what_is_folded(report):
    printed = base64.b64decode(report.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert len(re.findall(rb"/Type\s*/Page[^s]", printed)) > 10
    report.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    height = script(
        report, "document.querySelector('.claim details:not([open]) p').getBoundingClientRect().height"
    )
    report.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert height > 0
