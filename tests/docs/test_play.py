"""docs/play.html in a browser: exact areas, limits as the package's, refusals in one line, phone width."""

import pytest
from browsing import element, in_browser, script

from aucstudy.config import REPOSITORY
from aucstudy.metrics import interval
from conformance.compare import read_cases

CASES = [case for case in read_cases().values() if case["kind"] != "several labels"]
GROUPS = "Areas.groupsOf(arguments[0].labels, arguments[0].scores, arguments[0].weights)"

pytestmark = in_browser


@pytest.fixture
def page(browser):
    browser.get((REPOSITORY / "docs" / "play.html").as_uri())
    return browser


def test_areas_are_the_exact_ones(page):
    assert len(CASES) == 285
    answers = script(
        page,
        "arguments[0].map(c => { let g = Areas.groupsOf(c.labels, c.scores, c.weights);"
        "if (c.prevalence) g = Areas.atPrevalence(g, c.prevalence); return Areas.areas(g, c.recall_range); })",
        [{key: value for key, value in case.items() if key != "values"} for case in CASES],
    )
    for case, areas in zip(CASES, answers, strict=True):
        for name in areas.keys() & case["values"].keys():
            exact = case["values"][name]
            assert areas[name] == (exact and pytest.approx(exact["float"], abs=1e-9)), (case["id"], name)


@pytest.mark.parametrize(
    "name", ["tied-0", "tied-6", "untied-0", "untied-24", "few-positives-0", "hard-labels-0"]
)
def test_limits_are_those_of_influence_functions(page, name):
    [case] = [case for case in CASES if case["id"] == name]
    limits = script(page, f"Areas.limits({GROUPS})", {key: case[key] for key in ("labels", "scores")})
    for area, ends in limits.items():
        if ends is not None:
            expected = interval(case["labels"], case["scores"], area=area, method="influence")[1:]
            assert ends == pytest.approx(expected, abs=1e-9), area


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y,a\n0,1\n1,x\n", 'row 2, column a: "x" is not a number'),
        ("y,a\n0,1\n1\n", "row 2 has 1 cells, the header 2"),
        ("y,a\ncat,1\ndog,2\n", "column y: which class is positive? Choose it above"),
    ],
)
def test_bad_files_are_refused_in_one_line(page, text, message):
    script(page, "guarded(() => read(arguments[0]))", text)
    assert element(page, "#problem").text == message


def test_the_example_fits_a_phone(page):
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 400, "height": 900, "deviceScaleFactor": 1, "mobile": True},
    )
    element(page, "#example").click()
    assert script(page, "document.documentElement.scrollWidth") == 400
    assert len(page.find_elements("css selector", "svg")) == 5
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
