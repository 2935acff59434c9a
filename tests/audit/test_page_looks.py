"""What a page looks like: dark where that is preferred, long names wrapped, every section open on paper."""

import re
from dataclasses import replace

import pandas as pd
import pytest
from audit.made_page import random_table
from browsing import in_browser, opened, script, until

from aucstudy.audit.analysis import Question, analyse
from aucstudy.audit.page import page, task_entry


@pytest.fixture
def page_of_one_table(browser, tmp_path):
    page = analyse(random_table(), Question(resamples=100)).page("mine.csv")
    return opened(browser, tmp_path / "page.html", page)


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
    sections = {"h" * 300: ["s" * 300], "two": ["2"], "three": ["3"]}
    opened(browser, tmp_path / "long.html", page("t" * 300, "l" * 300, sections, metrics, names, tasks))
    script(browser, "openTask(DATA.tasks[0])")
    return browser


@in_browser
def test_long_names_need_no_sideways_scrolling(long_names):
    assert script(long_names, "document.documentElement.scrollWidth") <= script(long_names, "innerWidth")


@in_browser
def test_names_of_any_length_are_cut_in_their_middle_and_are_whole_as_titles(browser, tmp_path):
    names = tuple(f"{letter}{'-' * 10_000}{letter}" for letter in "abc")
    table = replace(random_table(names=names), positive="1" * 10_000)
    opened(browser, tmp_path / "page.html", analyse(table, Question(resamples=100)).page("mine.csv"))
    script(browser, "openCell(current.task.ranks[heat.x][0], current.task.ranks[heat.y][0])")
    for section in ("details", "#table td", "#areas th[scope=row]", "#models label", "#readout", "#cell"):
        assert script(browser, f"document.querySelector('{section}').offsetHeight") < 900, section
    assert script(browser, "document.documentElement.scrollHeight") < 6000
    for where in ("#found", "#table", "#areas", "#models", "#cell"):
        titled = f"[...document.querySelectorAll('{where} [title]')].map((node) => node.title)"
        titles = script(browser, titled)
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
