"""What a page looks like: dark where that is preferred, long names wrapped, every section open on paper."""

import re

import numpy as np
import pandas as pd
import pytest
from browsing import in_browser, script, until

from aucstudy.audit.analysis import Question, analyse
from aucstudy.audit.page import page, task_entry
from aucstudy.reading.prediction_tables import ScoredTable
from aucstudy.store.files import write_text


@pytest.fixture
def page_of_one_table(browser, tmp_path):
    rng = np.random.default_rng(1)
    y = rng.random(200) < 0.3
    table = ScoredTable(
        y, np.asfortranarray(rng.normal(size=(200, 3)) + y[:, None]), ("a", "b", "c"), None, "1", "0"
    )
    write_text(tmp_path / "page.html", analyse(table, Question(resamples=100)).page("mine.csv"))
    browser.get((tmp_path / "page.html").as_uri())
    return browser


def contrast(ink, paper):
    """The ratio of two colours' luminance, as WCAG 2 has it; 4.5 is readable."""

    def luminance(colour):
        channels = [int(value) / 255 for value in re.findall(r"\d+", colour)[:3]]
        linear = [
            value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4 for value in channels
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dim = sorted((luminance(ink), luminance(paper)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@in_browser
def test_who_prefers_dark_gets_a_dark_page_with_readable_text_and_plots_and_light_paper(page_of_one_table):
    def scheme(value):
        media = {"features": [{"name": "prefers-color-scheme", "value": value}]}
        page_of_one_table.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def colour(selector, of="color"):
        return script(page_of_one_table, f"getComputedStyle(document.querySelector('{selector}')).{of}")

    scheme("dark")
    until(page_of_one_table, "$('roc')._fullLayout.font.color === DARK.ink")
    paper = colour("body", "backgroundColor")
    assert contrast("rgb(255, 255, 255)", paper) > 12
    for selector in ("h1", ".note", "#table td button", "#heat-x", "#heat-plot .xtick text"):
        of = "fill" if "text" in selector else "color"
        assert contrast(colour(selector, of), paper) > 4.5, selector
    script(page_of_one_table, "dispatchEvent(new Event('beforeprint'))")
    assert script(page_of_one_table, "$('roc')._fullLayout.font.color === LIGHT.ink")
    script(page_of_one_table, "dispatchEvent(new Event('afterprint'))")
    scheme("light")
    until(page_of_one_table, "$('roc')._fullLayout.font.color === LIGHT.ink")
    assert colour("body", "backgroundColor") == "rgb(255, 255, 255)"


@pytest.fixture
def long_names(browser, tmp_path):
    """A page of metric values on which every name is long and has no place to break."""
    names = [f"{letter * 300}" for letter in "abc"]
    metrics = [{"key": key, "label": key * 200, "lower": False} for key in "xy"]
    values = pd.DataFrame({"x": [0.1, 0.2, 0.3], "y": [0.3, 0.2, 0.1]})
    tasks = [task_entry(f"{number}" * 300, [0, 1, 2], values) for number in range(3)]
    text = page(
        "t" * 300, "l" * 300, {"h" * 300: ["s" * 300], "two": ["2"], "three": ["3"]}, metrics, names, tasks
    )
    write_text(tmp_path / "long.html", text)
    browser.get((tmp_path / "long.html").as_uri())
    script(browser, "openTask(DATA.tasks[0])")
    return browser


@in_browser
def test_long_names_need_no_sideways_scrolling(long_names):
    assert script(long_names, "document.documentElement.scrollWidth") <= script(long_names, "innerWidth")


@in_browser
def test_names_of_any_length_are_cut_in_their_middle_and_are_whole_as_titles(browser, tmp_path):
    names = tuple(f"{letter}{'-' * 10_000}{letter}" for letter in "abc")
    rng = np.random.default_rng(1)
    y = rng.random(200) < 0.3
    scores = np.asfortranarray(rng.normal(size=(200, 3)) + y[:, None])
    table = ScoredTable(y, scores, names, None, "1" * 10_000, "0")
    write_text(tmp_path / "page.html", analyse(table, Question(resamples=100)).page("mine.csv"))
    browser.get((tmp_path / "page.html").as_uri())
    script(browser, "openCell(current.task.ranks[heat.x][0], current.task.ranks[heat.y][0])")
    for section in ("details", "#table td", "#areas th[scope=row]", "#models label", "#readout", "#cell"):
        assert script(browser, f"document.querySelector('{section}').offsetHeight") < 900, section
    assert script(browser, "document.documentElement.scrollHeight") < 6000
    for where in ("#found", "#table", "#areas", "#models", "#cell"):
        titles = script(
            browser, f"[...document.querySelectorAll('{where} [title]')].map((node) => node.title)"
        )
        assert titles
        assert all(any(name in title for name in names) for title in titles)
    shown = script(browser, "document.querySelector('#areas th[title^=a]').textContent")
    assert re.fullmatch(r"a-+…-+a", shown)
    assert len(shown) == 100


@in_browser
def test_every_section_is_open_on_paper_and_closed_again_on_the_screen(long_names):
    closed = "document.querySelectorAll('details:not([open])').length"
    assert script(long_names, closed) == 1
    script(long_names, "dispatchEvent(new Event('beforeprint'))")
    assert script(long_names, closed) == 0
    script(long_names, "dispatchEvent(new Event('afterprint'))")
    assert script(long_names, closed) == 1
