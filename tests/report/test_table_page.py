"""A table's page: every cell where it is light, fewer digits and then fewer rows where not, and the page says so."""

import base64
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from browsing import element, in_browser, script, until

from aucstudy.report.table_page import MOST_OF_ONE, packed_table, table_page, unpack, write_table_pages


def cells(page: str) -> pd.DataFrame:
    """The table that a page holds, as texts."""
    packed = re.search(r'id="packed"[^>]*>([^<]*)<', page).group(1)
    return pd.DataFrame({name: values for name, *values in unpack(base64.b64decode(packed))})


def page_of(path: Path, most: int = MOST_OF_ONE, **settings: int) -> str:
    return table_page(path.stem, packed_table(path, **settings), most)


@pytest.fixture
def noise(tmp_path):
    """A table of 2,000 rows of numbers that hardly pack."""
    rng = np.random.default_rng(1)
    path = tmp_path / "noise.csv"
    frame = pd.DataFrame({"task_id": np.arange(2000), "value": rng.random(2000), "n": 1234567})
    frame.to_csv(path, index=False, lineterminator="\n")
    return path


def test_a_light_table_is_on_its_page_cell_by_cell(tmp_path):
    path = tmp_path / "claims.csv"
    path.write_text('id,claim,here\n7,"a, ""b"" </script><b>",0.123456789012\n8,NA,\n', encoding="utf-8")
    page = page_of(path)
    assert cells(page).equals(pd.read_csv(path, dtype=str, keep_default_na=False))
    assert "All 2 rows." in page
    assert "digits" not in page.split("<script")[0]


def test_a_table_without_rows_has_a_page_that_says_why(tmp_path):
    (tmp_path / "noise_swaps.csv").write_text("task_id,value\n")
    page = page_of(tmp_path / "noise_swaps.csv")
    assert "No row: no certain swap of best models could be tested." in page
    assert list(cells(page)) == ["task_id", "value"]


def test_a_heavier_table_has_fewer_digits_and_says_so(noise):
    page = page_of(noise, with_all_digits=10_000)
    shown, whole = cells(page), pd.read_csv(noise)
    assert "All 2,000 rows, with 4 significant digits; tables/noise.csv beside the report has every" in page
    np.testing.assert_allclose(shown["value"].astype(float), whole["value"], rtol=5.1e-4)
    assert shown["value"].str.len().max() <= len("0.0001234")
    assert set(shown["n"]) == {"1234567"}, "whole numbers stay whole"


def test_the_heaviest_table_has_its_first_rows_and_says_how_many(noise):
    page = page_of(noise, most=5000, with_all_digits=2000)
    shown = cells(page)
    assert f"The first {len(shown):,} of 2,000 rows, with 4 significant digits" in page
    assert shown["task_id"].tolist() == [str(i) for i in range(len(shown))]
    assert len(shown) > 500


def test_no_page_weighs_more_than_what_is_stated(noise):
    around = len(page_of(noise, most=0, with_all_digits=0))
    assert around < 10_000
    for most in (1000, 5000):
        assert len(page_of(noise, most=most, with_all_digits=0)) <= around + most * 4 / 3 + 100


def test_all_pages_together_hold_what_is_stated_and_small_tables_are_whole(noise, tmp_path):
    small = tmp_path / "small.csv"
    small.write_text("task_id,value\n1,0.5\n")
    tables = [noise, small, noise]
    pages = [tmp_path / f"{i}.html" for i in range(3)]
    write_table_pages(tables, pages, limit=12_000)
    noisy, whole, again = (cells(page.read_text()) for page in pages)
    assert len(whole) == 1
    assert 400 < len(noisy) == len(again) < 2000
    around = len(page_of(noise, most=0))
    assert sum(len(page.read_text()) for page in pages) <= 3 * around + 12_000 * 4 / 3 + 100


@pytest.fixture
def opened(browser, tmp_path):
    """The page of 5,000 rows, opened."""
    values = [i * 7919 % 5000 - 2500.5 if i % 100 else np.nan for i in range(5000)]
    rows = pd.DataFrame({"task": [f"task {i}" for i in range(5000)], "value": values})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    write_table_pages([tmp_path / "rows.csv"], [tmp_path / "rows.html"])
    browser.get((tmp_path / "rows.html").as_uri())
    until(browser, "document.documentElement.dataset.ready")
    return browser


def column(browser, k):
    cells = f"[...document.querySelectorAll('tbody tr:not(.space) td:nth-child({k})')]"
    return script(browser, f"{cells}.map((c) => c.textContent)")


@in_browser
def test_all_rows_are_sorted_and_the_rows_in_sight_are_drawn(opened):
    press = element(opened, "th:nth-child(2) button")
    press.click()
    assert column(opened, 2)[0] == "-2499.5"
    press.click()
    assert column(opened, 2)[0] == "2498.5"
    assert element(opened, "th:nth-child(2)").get_attribute("aria-sort") == "descending"
    assert len(column(opened, 1)) < 100
    script(opened, "$('scroll').scrollTo(0, 1e9)")
    last = "[...document.querySelectorAll('tbody tr:not(.space)')].at(-1)"
    until(opened, f"{last}.children[1].textContent === ''")
    assert len(column(opened, 1)) < 100


@in_browser
def test_all_rows_are_searched(opened):
    element(opened, "#find").send_keys("TASK 4321")
    assert column(opened, 1) == ["task 4321"]
    assert element(opened, "#count").text == "1 of 5,000 rows"


@in_browser
def test_the_page_needs_no_sideways_scrolling_but_in_its_table(opened):
    assert script(opened, "document.documentElement.scrollWidth <= innerWidth")
    assert [entry for entry in opened.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_a_line_break_in_a_cell_is_a_space_on_the_page(tmp_path):
    (tmp_path / "t.csv").write_text('id,said\n1,"two\r\nlines"\n2,one\n', newline="", encoding="utf-8")
    assert cells(page_of(tmp_path / "t.csv"))["said"].tolist() == ["two lines", "one"]
