"""The page in a browser: it opens, answers to clicks, keys and pointer, and asks nothing of any network."""

import json
import re
import time

import numpy as np
import pandas as pd
import pytest
from audit.made_page import METRICS, N_MODELS, N_TASKS, big_page, made_table, random_table
from browsing import element, faults, in_browser, opened, pointer, resized, script, until

from aucstudy.audit.analysis import Question, analyse
from aucstudy.audit.page import page, task_entry

QUICK, PHONE = Question(resamples=100), (390, 844)


@pytest.fixture(scope="module")
def big(browser, tmp_path_factory):
    """The big page, opened."""
    return opened(browser, tmp_path_factory.mktemp("page") / "big.html", big_page())


@in_browser
def test_a_page_of_886_tasks_opens(big):
    assert int(big.find_element("tag name", "html").get_attribute("data-ready")) > 0


@in_browser
def test_a_click_on_the_heat_map_opens_the_tasks_and_models_of_the_cell(big):
    script(big, "document.getElementById('heat-plot').scrollIntoView()")
    pointer(big, "heat-plot", 1, 2, "click")
    message = until(big, "document.querySelector('#cell h3')?.textContent")
    assert message.startswith("Rank 1 by AUPR, rank 2 by AUPRG: ")
    listed = script(big, "document.querySelectorAll('#cell li button').length")
    assert listed == min(200, int(message.split(": ")[1].split()[0])) > 0
    total = script(big, "heat.counts.flat().reduce((a, b) => a + b)")
    assert total == pytest.approx(N_TASKS * N_MODELS)


@in_browser
def test_the_heat_map_works_by_keyboard(big):
    from selenium.webdriver.common.keys import Keys

    script(big, "openCell(4, 4)")
    element(big, "#heat-plot").send_keys(Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ENTER)
    assert element(big, "#cell h3").text.startswith("Rank 5 by AUPR, rank 5 by AUPRG")


@in_browser
def test_the_table_sorts_both_ways_and_finds(big):
    cells = "[...document.querySelectorAll('#table tbody tr td:nth-child(2)')].map((c) => c.textContent)"
    of_tasks = script(
        big, "DATA.tasks.map((task) => correlation(task.ranks[0], task.ranks[1])).sort((a, b) => a - b)"
    )
    header = element(big, "#table th:nth-child(2) button")
    script(big, "arguments[0].scrollIntoView()", header)
    header.click()
    assert script(big, cells) == [f"{value:.3f}" for value in of_tasks[:50]]
    element(big, "#table th:nth-child(2) button").click()
    assert script(big, cells) == [f"{value:.3f}" for value in of_tasks[:-51:-1]]
    assert element(big, "#table th:nth-child(2)").get_attribute("aria-sort") == "descending"
    element(big, "#filter").send_keys("task 77")
    assert len(script(big, cells)) == 11
    element(big, "#filter").clear()
    element(big, "#filter").send_keys(" ")


@in_browser
def test_a_chosen_task_shows_its_models(big):
    script(big, "openTask(DATA.tasks[3])")
    assert element(big, "#task-title").text == "task 3"
    assert script(big, "$('areas').rows.length") == N_MODELS + 1
    assert not script(big, "$('roc')")


@in_browser
def test_a_phone_needs_no_sideways_scrolling(big):
    with resized(big, *PHONE, mobile=True):
        script(big, "openTask(DATA.tasks[1])")
        until(big, "document.documentElement.scrollWidth <= 390")


@pytest.fixture
def many_models(browser, tmp_path):
    """The page of a table of 30 models, of which four are drawn at first."""
    names = tuple(f"model {i}" for i in range(N_MODELS))
    table = random_table(n=400, models=N_MODELS, share=0.2, names=names)
    return opened(browser, tmp_path / "models.html", analyse(table, QUICK).page("mine.csv"))


@in_browser
def test_a_pointer_links_the_three_curves(many_models):
    drawn = script(many_models, "$('roc').data.filter((trace) => trace.meta !== undefined).length")
    box = element(many_models, "#models input:not(:checked)")
    script(many_models, "arguments[0].scrollIntoView({block: 'center'})", box)
    box.click()
    assert (
        script(many_models, "$('prg').data.filter((trace) => trace.meta !== undefined).length") == drawn + 1
    )
    script(many_models, "document.getElementById('pr').scrollIntoView({block: 'center'})")
    first = "$('pr').data.find((trace) => trace.meta !== undefined)"
    at = script(many_models, f"[{first}.x, {first}.y].map((along) => along[Math.floor(along.length / 2)])")
    before = element(many_models, "#readout").text
    for step in range(20):  # a pointer that comes while the plots take their places is not yet seen
        pointer(many_models, "pr", at[0] + 0.02 * (step % 3), at[1], "move")
        time.sleep(0.05)
        if element(many_models, "#readout").text != before:
            break
    assert element(many_models, "#readout").text != before
    marks = script(
        many_models, "['roc', 'pr', 'prg'].map((id) => $(id).data.at(-1)).map((d) => [d.x[0], d.y[0]])"
    )
    (fpr, tpr), (recall, precision), (recall_gain, precision_gain) = marks
    odds = script(many_models, "current.task.curves.P / current.task.curves.N")
    assert recall == tpr
    assert precision == pytest.approx(odds * tpr / (odds * tpr + fpr))
    assert recall_gain == pytest.approx(1 - odds * (1 - tpr) / tpr)
    assert precision_gain == pytest.approx(1 - fpr / tpr)


@in_browser
def test_the_slider_moves_the_threshold_by_keyboard(many_models):
    from selenium.webdriver.common.keys import Keys

    before = element(many_models, "#readout").text
    element(many_models, "#position").send_keys(Keys.ARROW_RIGHT)
    assert element(many_models, "#readout").text != before


@in_browser
def test_nothing_is_asked_of_a_network_and_nothing_goes_wrong(many_models):
    asked = [
        message["params"]["request"]["url"][:80]
        for entry in many_models.get_log("performance")
        if (message := json.loads(entry["message"])["message"])["method"] == "Network.requestWillBeSent"
        # the browser's own first page asks for its parts
        and message["params"]["documentURL"].startswith("file:")
    ]
    assert asked
    assert [url for url in asked if not url.startswith(("file:///", "data:", "blob:"))] == []
    assert [
        entry for entry in many_models.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")
    ] == []


@in_browser
def test_the_page_of_one_file_opens_on_its_verdict_curves_and_models(browser, tmp_path):
    table = random_table(names=("a", "b", "<b>"))
    opened(browser, tmp_path / "page.html", analyse(table, QUICK).page("mine.csv"))
    assert element(browser, "h1").text == "mine.csv"
    assert element(browser, "#verdict li").text.startswith("Take ")
    assert not script(browser, "$('filter').checkVisibility()")
    with resized(browser, 1280, 900):
        ends = "['verdict', 'roc', 'areas'].map((id) => $(id).getBoundingClientRect().bottom)"
        assert script(browser, ends) == sorted(script(browser, ends))
        until(browser, f"{ends}.every((end) => end < 900)")
    ranks = "METRICS.map((_, k) => correlation(current.task.ranks[heat.x], current.task.ranks[k]))"
    assert script(browser, f"Math.min(...{ranks}) === {ranks}[heat.y]")
    assert script(browser, "$('pr').data.filter((trace) => trace.meta !== undefined).length") == 3
    bands = "['roc', 'pr', 'prg'].map((id) => $(id).data.filter((trace) => trace.fill === 'toself').length)"
    assert script(browser, bands) == [3, 3, 3]
    element(browser, "#models input").click()
    assert script(browser, bands) == [2, 2, 2]
    assert "<b>" in element(browser, "#areas").text
    assert faults(browser) == []


def opened_page_of_file(browser, tmp_path, prevalence, models, want=None):
    """The page of 4,000 rows and binormal models; its analysis."""
    rng = np.random.default_rng(3)
    y = rng.random(4000) < prevalence
    scores = rng.normal(size=(4000, models)) + y[:, None] * np.linspace(1.5, 0.5, models)
    analysis = analyse(made_table(y, scores), Question(resamples=100, want=want))
    opened(browser, tmp_path / "page.html", analysis.page("page"))
    assert until(browser, "document.documentElement.dataset.ready")
    return analysis


@in_browser
def test_what_is_wanted_is_the_first_column_with_limits_and_a_mark_on_each_curve(browser, tmp_path):
    analysis = opened_page_of_file(browser, tmp_path, 0.2, 3, "f1")
    rows = "[...$('areas').rows].map((row) => [...row.cells].map((cell) => cell.textContent))"
    cells = script(browser, rows)
    assert cells[0][1::2] == ["f1", "AUROC", "AUPR", "AUPRG", "AUCNPR", "AP"]
    assert [row[0] for row in cells[1:4]] == analysis.shown_models
    of_page = analysis.intervals.set_index(["metric", "model"])
    for row in cells[1:4]:
        for measure, cell in zip(analysis.measures, row[1::2], strict=True):
            seen = of_page.loc[(measure, row[0])]
            assert cell == f"{seen['value']:.4f}{seen['low']:.3f} to {seen['high']:.3f}"
    diamonds = "$('pr').data.filter((trace) => trace.marker?.symbol === 'diamond')"
    marks = f"{diamonds}.map((trace) => [trace.x[0], trace.y[0]])"
    for model, (recall, precision) in zip(analysis.shown_models, script(browser, marks), strict=True):
        assert recall == pytest.approx(analysis.operating_points.loc[model, "recall"])
        worth = of_page.loc[("f1", model), "value"]
        assert 2 * recall * precision / (recall + precision) == pytest.approx(worth)


@in_browser
def test_low_precision_is_zoomed_and_one_model_has_neither_ranks_nor_heat_map(browser, tmp_path):
    opened_page_of_file(browser, tmp_path, 0.01, 1)
    top = "$('pr').layout.yaxis.range[1]"
    assert 0 < script(browser, top) < 0.7
    element(browser, "#zoom").click()
    assert script(browser, top) == 1.02
    assert not script(browser, "$('heat').checkVisibility() || $('prevalence').checkVisibility()")
    assert script(browser, "$('areas').rows[0].cells.length") == 6
    assert faults(browser) == []
    opened_page_of_file(browser, tmp_path, 0.2, 2)
    assert not script(browser, "$('zoom-label').checkVisibility()")
    assert script(browser, top) == 1.02
    with resized(browser, *PHONE, mobile=True):
        until(browser, "document.documentElement.scrollWidth <= 390")
        until(browser, "$('roc').getBoundingClientRect().width <= 390 && $('roc')._fullLayout.width <= 390")


def opened_page_of_models(browser, path, values):
    """A page of one task and as many models as there are values of two metrics."""
    names = [f"m{i}" for i in range(len(values))]
    metrics = [{"key": key, "label": key} for key in values]
    tasks = [task_entry("task", range(len(names)), values)]
    return opened(browser, path, page("t", "l", {}, metrics, names, tasks))


@in_browser
@pytest.mark.parametrize("decimals", [9, 2])
def test_more_models_than_a_call_takes_arguments_have_every_section(browser, tmp_path, decimals):
    values = pd.DataFrame(np.random.default_rng(1).random((400, 2)).round(decimals), columns=["x", "y"])
    opened_page_of_models(browser, tmp_path / "many.html", values)
    assert int(until(browser, "document.documentElement.dataset.ready")) > 0
    assert script(browser, "document.querySelectorAll('#heat-plot .hm').length") == 1
    assert script(browser, "heat.counts.flat().reduce((a, b) => a + b)") == pytest.approx(400)
    assert script(browser, "$('heat-plot')._fullLayout.xaxis._length / heat.size") > 4  # pixels a cell
    script(browser, "openCell(cellOf(current.task.ranks[0][0]), cellOf(current.task.ranks[1][0]))")
    assert re.match(r"Rank \d+ to \d+ by x, rank \d+ to \d+ by y: ", element(browser, "#cell h3").text)
    assert "task: m0" in element(browser, "#cell").text
    assert script(browser, "$('table').tBodies[0].rows.length") == 1
    assert script(browser, "$('areas').rows.length") == 401


@in_browser
def test_tied_models_stand_in_one_cell_of_the_heat_map(browser, tmp_path):
    values = pd.DataFrame({"x": [0.5, 0.5, 0.2], "y": [0.4, 0.4, 0.9]})
    opened_page_of_models(browser, tmp_path / "tied.html", values)
    assert script(browser, "heat.counts") == [[0, 0, 1], [2, 0, 0], [0, 0, 0]]
    script(browser, "openCell(1, 2)")
    listed = "[...document.querySelectorAll('#cell li')].map((item) => item.textContent)"
    assert script(browser, listed) == ["task: m0", "task: m1"]


@in_browser
def test_what_cannot_be_drawn_is_said(browser, tmp_path):
    values = pd.DataFrame(np.random.default_rng(1).random((3, 2)), columns=["x", "y"])
    opened_page_of_models(browser, tmp_path / "few.html", values)
    assert not script(browser, "document.getElementById('failed').checkVisibility()")
    entry = task_entry("task", range(3), values[["x"]])  # no values of the second metric
    metrics = [{"key": key, "label": key} for key in values]
    opened(browser, tmp_path / "broken.html", page("t", "l", {}, metrics, ["a", "b", "c"], [entry]))
    assert until(browser, "document.getElementById('failed').checkVisibility()")
    assert element(browser, "#failed").text.startswith("A part of this page cannot be drawn: ")
    browser.get_log("browser")  # the error was wanted


def test_the_page_names_nothing_that_a_browser_would_load():
    text = page("t", "l", {}, METRICS, [], [])
    own = text[: text.index("<script>")]
    assert "://" not in own
    assert "src=" not in own
    assert "default-src 'none'" in own


def test_every_plot_has_a_text_in_its_place():
    whole = analyse(random_table(), QUICK).page("mine.csv")
    plots = re.findall(r'<div id="[^"]*" class="plot"[^>]*>', whole)
    assert len(plots) == 7
    assert all('aria-label="' in plot for plot in plots)


def test_names_from_a_file_cannot_end_the_data():
    values = pd.DataFrame({metric["key"]: [0.5] for metric in METRICS})
    entry = task_entry("</script><script>alert(1)", [0], values)
    text = page("t", "l", {}, METRICS, ["</script>"], [entry])
    assert "</script><script>alert" not in text


@in_browser
def test_a_page_without_thresholds_names_the_corner_instead(browser, tmp_path):
    scores = np.array([[0.9, 0.2], [0.7, 0.8], [0.4, 0.6], [0.1, 0.3]])
    analysis = analyse(made_table(np.array([True, False, True, False]), scores), QUICK)
    opened(browser, tmp_path / "p.html", analysis.page("four rows", thresholds=False))
    assert until(browser, "document.documentElement.dataset.ready")
    script(browser, "markThreshold(current.task, 0, 1)")
    assert ", corner 1 of " in element(browser, "#readout").text
    assert "no scores" in element(browser, "#holds").text
    assert "they tell scores" in element(browser, "#uses-missing").text
    assert not script(browser, "$('benefit').checkVisibility()")


@in_browser
def test_probabilities_have_net_benefit_and_calibration_and_other_scores_are_named(browser, tmp_path):
    rng = np.random.default_rng(1)
    y = rng.random(200) < 0.3
    margin = rng.normal(size=200) + y
    table = made_table(y, 1 / (1 + np.exp(-margin)), margin)
    opened(browser, tmp_path / "page.html", analyse(table, QUICK).page("two"))
    for plot in ("benefit", "calibration"):
        names = until(browser, f"$('{plot}').data?.filter((trace) => trace.name).map((trace) => trace.name)")
        assert names == ["a"]
    assert "Brier score, the mean squared error: a 0." in element(browser, "#uses-note").text
    assert element(browser, "#uses-missing").text == "Left out, as their scores are not all in [0, 1]: b."
    assert "what share is positive by score" in element(browser, "#holds").text
    for _ in "ab":  # the boxes are made anew
        element(browser, "#models input:checked").click()
    assert not script(browser, "$('benefit').checkVisibility()")
    assert faults(browser) == []
