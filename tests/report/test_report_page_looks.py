"""The report in a browser, on a wide screen and on a phone."""

from pathlib import Path

import pytest
from browsing import element, in_browser, opened, resized, script

from aucstudy.claims.verdicts import Evidence
from aucstudy.config import load_config
from aucstudy.experiments.contract import studied
from aucstudy.report.page import report_page

RESULTS = Path(__file__).parents[2] / "results"
WIDE, PHONE = (1400, 900), (400, 800)


@pytest.fixture(scope="module")
def page():
    tables, figures = RESULTS / "default" / "tables", RESULTS / "default" / "figures"
    evidence = Evidence(tables, "packaged")
    return report_page(evidence, "default", figures, studied(load_config(None)), sorted(tables.glob("*.csv")))


@pytest.fixture
def report(browser, page, tmp_path):
    return opened(browser, tmp_path / "report.html", page)


def box(report, selector):
    return script(report, "document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector)


@in_browser
@pytest.mark.parametrize("size", [WIDE, (1024, 768), PHONE])
def test_nothing_lies_beside_the_page(report, size):
    with resized(report, *size):
        assert script(report, "document.documentElement.scrollWidth") <= size[0]


@in_browser
def test_the_title_the_main_table_and_the_answers_figure_are_on_the_first_screen(report):
    with resized(report, *WIDE):
        for selector in ("h1", "table.main", "img"):
            assert 0 <= box(report, selector)["top"] < box(report, selector)["bottom"] <= WIDE[1]
    assert script(report, "document.querySelector('img').complete")


@in_browser
def test_the_contents_are_at_the_side_and_on_a_phone_above_the_text(report):
    with resized(report, *WIDE):
        assert box(report, "nav")["right"] <= box(report, "main")["left"]
        assert box(report, "main")["width"] <= 46 * 16
    with resized(report, *PHONE):
        assert box(report, "header")["bottom"] <= box(report, "nav")["top"]
        assert box(report, "nav")["bottom"] <= box(report, "main")["top"]


@in_browser
def test_what_is_folded_opens_by_the_keyboard(report):
    summary = element(report, "details:not([open]) > summary")
    script(report, "arguments[0].focus()", summary)
    summary.send_keys("\ue007")
    assert script(report, "document.activeElement.parentElement.open")
