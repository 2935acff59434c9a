"""docs/play.html in a browser: exact areas, limits as the package's, refusals in one line, phone width."""

import numpy as np
import pytest
from browsing import element, in_browser, script

from aucstudy.config import REPOSITORY
from aucstudy.metrics import interval, worth
from conformance.compare import read_cases

CASES = [case for case in read_cases().values() if case["kind"] != "several labels"]
GROUPS = "Areas.groupsOf(arguments[0].labels, arguments[0].scores, arguments[0].weights)"
WORTHS = [
    ("f", 1), ("f", 2), ("recall", 0.5), ("recall", 0.9), ("precision", 100), ("precision", 7), ("precision", 0.05),
    ("net", 1), ("net", 3), ("cost", 2), ("cost", 10),
]  # fmt: skip

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


def test_limits_of_many_rows_are_those_of_influence_functions(page):
    rng = np.random.default_rng(1)
    labels = np.arange(3000) < 1200
    scores = (rng.normal(size=3000) + labels).round(2)
    case = {"labels": labels.tolist(), "scores": scores.tolist()}
    for area, ends in script(page, f"Areas.limits({GROUPS})", case).items():
        expected = interval(labels, scores, area=area, method="influence")[1:]
        assert ends == pytest.approx(expected, abs=1e-9), area


def test_wants_are_worth_what_the_package_says(page):
    rng = np.random.default_rng(2)
    for digits, prevalence in ((3, 0.3), (0, 0.3), (1, 0.03)):
        labels = np.arange(400) < 400 * prevalence
        scores = (rng.normal(size=400) + labels).round(digits)
        case = {"labels": labels.tolist(), "scores": scores.tolist()}
        for kind, number in WORTHS:
            name = f"{kind}{'' if kind == 'f' else '@' if kind in ('recall', 'precision') else ':'}{number}"
            answer = script(page, f"Areas.worth({GROUPS}, arguments[1], arguments[2])", case, kind, number)
            assert answer == pytest.approx(worth(labels, scores, name), abs=1e-9), name


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
