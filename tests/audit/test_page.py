"""The page has the right numbers in words, tables and figures, and opens in a browser without a network."""

import json
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from audit.made_page import made_table, metric_table, random_table, rows_of
from browsing import element, in_browser, opened, pointer, resized, script, until

from aucstudy.audit import drawings, page
from aucstudy.audit.analysis import Question, analyse
from aucstudy.audit.drawings import curve_figures, heat_map
from aucstudy.audit.metric_tables import MetricTable, analyse_metrics
from aucstudy.audit.page import page_of
from aucstudy.metrics import areas

QUICK, PHONE = Question(resamples=100), (400, 850)
HOSTILE = ("</script><script>alert(1)</script>", "<b>bold</b>", 'it\'s "%{x}" & co')
TRACES = "document.getElementById(arguments[0]).data"


@pytest.fixture
def thirty(browser, tmp_path):
    """Open the page of 30 models, of which four are selected at first."""
    table = random_table(n=400, models=30, share=0.2, names=[f"model {i}" for i in range(30)])
    return opened(browser, tmp_path / "models.html", page_of(analyse(table, QUICK), "mine.csv"))


def shown(browser, plot, fill=False):
    """Return the models whose curves, or with `fill` whose bands, a plot shows."""
    kind = f"{'' if fill else '!'}trace.fill"
    traces = f"{TRACES}.filter((trace) => trace.meta !== undefined && {kind} && trace.visible)"
    return script(browser, f"{traces}.map((trace) => trace.meta)", plot)


def loaded_and_faulty(browser):
    """Return the addresses elsewhere that a page requested, and the faults in its console."""
    messages = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    requests = (m["params"] for m in messages if m["method"] == "Network.requestWillBeSent")
    asked = [one["request"]["url"] for one in requests if one["documentURL"].startswith("file:")]
    return [url[:80] for url in asked if not url.startswith(("file:", "data:", "blob:"))], [
        entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")
    ]


def test_the_table_has_values_limits_and_ranks_by_every_measure_best_first():
    analysis = analyse(random_table(), Question(resamples=100, target_metric="f1"))
    head, *rows = rows_of(page_of(analysis, "mine.csv"), "areas")
    assert head[1::2] == ["f1", "AUROC", "AUPR", "AUPRG", "AUCNPR", "AP"]
    assert [row[0] for row in rows] == [*analysis.shown_models, "(chance)", "(chance, 95 %)"]
    intervals = analysis.intervals.set_index(["metric", "model"])
    for row in rows[:3]:
        for measure, cell in zip(analysis.measures, row[1::2], strict=True):
            expected = intervals.loc[(measure, row[0])]
            assert cell == f"{expected['value']:.4f} {expected['low']:.3f} to {expected['high']:.3f}"
        assert float(row[4]) == analysis.areas.loc[row[0], "rank_auroc"]


def test_the_words_are_those_of_the_analysis():
    analysis = analyse(random_table(), QUICK)
    text = page_of(analysis, "mine.csv")
    for lines in analysis.said(html=True).sections.values():
        assert all(f"<li>{line}</li>" in text for line in lines)


def test_a_single_model_has_no_ranks():
    text = page_of(analyse(random_table(models=1), QUICK), "mine.csv")
    assert rows_of(text, "areas")[0] == ["model", "AUROC", "AUPR", "AUPRG", "AUCNPR", "AP"]


def test_curves_meet_their_areas_and_a_pointer_sees_the_same_operating_point_in_each_space():
    table = random_table(n=300)
    figures = curve_figures(analyse(table, QUICK), thresholds=True)
    index = {name: i for i, name in enumerate(table.names)}
    for space, area in (("roc", "auroc"), ("pr", "aupr"), ("prg", "auprg")):
        for trace in (trace for trace in figures[space].data if trace.text is not None):
            whole = getattr(areas(table.y_true, table.scores[:, index[trace.name]]), area)
            assert np.trapezoid(trace.y, trace.x) == pytest.approx(whole, abs=4e-3)
    for trace in (trace for trace in figures["roc"].data if trace.text is not None):
        P, N = table.y_true.sum(), (~table.y_true).sum()
        recall, rate, precision = trace.y[1:], trace.x[1:], trace.customdata[1:, 0]
        np.testing.assert_allclose(precision, recall * P / (recall * P + rate * N), rtol=1e-5)
        score = table.scores[:, index[trace.name]]
        recalls = [
            (score[table.y_true] >= float(value) - 5e-4 * abs(float(value))).mean()
            for value in trace.text[1:]
        ]
        np.testing.assert_allclose(recalls, trace.y[1:], atol=2 / P)
        assert trace.text[0] == "above every score"


def test_the_target_metric_is_marked_where_it_is_highest():
    analysis = analyse(random_table(), Question(resamples=100, target_metric="f1"))
    f1 = analysis.intervals.set_index(["metric", "model"])["value"]["f1"]
    marks = [
        trace for trace in curve_figures(analysis, thresholds=True)["pr"].data if trace.mode == "markers"
    ]
    assert [mark.name for mark in marks] == analysis.shown_models
    for mark in marks:
        recall, precision = mark.x[0], mark.y[0]
        assert 2 * recall * precision / (recall + precision) == pytest.approx(f1[mark.name])


def test_a_page_without_thresholds_holds_the_same_curves_and_no_score():
    scores = np.array([0.9137, 0.7137, 0.4137, 0.1137, 0.2137, 0.3137])
    analysis = analyse(made_table(np.array([True, False] * 3), scores), QUICK)
    with_scores, without = (curve_figures(analysis, thresholds=thresholds) for thresholds in (True, False))
    assert "0.9137" in with_scores["pr"].to_json()
    assert "137" not in re.sub('"bdata":"[^"]*"', "", without["pr"].to_json())
    for space, figure in without.items():
        for one, other in zip(figure.data, with_scores[space].data, strict=True):
            assert one.text is None
            np.testing.assert_array_equal(one.x, other.x)
    assert "the scores at these corners as thresholds. It has no rows" in page_of(analysis, "t")
    assert "no scores. It has no rows" in page_of(analysis, "t", thresholds=False)


def test_of_many_models_the_first_are_drawn_and_all_stand_in_the_table(monkeypatch):
    monkeypatch.setattr(drawings, "MOST_CURVES", 6)
    analysis = analyse(random_table(models=9, names="abcdefghi"), QUICK)
    text = page_of(analysis, "mine.csv")
    assert "The first 6 of 9 models" in text
    assert len(rows_of(text, "areas")) == 1 + 9 + 2
    drawn = {trace.meta for trace in curve_figures(analysis, thresholds=True)["pr"].data} - {None}
    assert drawn == set(range(6))


def test_cells_of_the_heat_map_count_models_and_tied_ones_stand_together():
    values = pd.DataFrame({"x": [0.5, 0.5, 0.2], "y": [0.4, 0.4, 0.9]})
    table = MetricTable(np.array(["t"] * 3, object), np.array(list("abc"), object), values)
    assert np.array(heat_map(table).data[0].text).tolist() == [[0, 0, 1], [2, 0, 0], [0, 0, 0]]
    many = heat_map(metric_table(n_tasks=3, n_models=130))
    assert len(many.data) == 3
    assert [np.sum(trace.text) for trace in many.data] == [390] * 3
    assert len(many.data[0].x) == 44  # Each field of the map holds three ranks.


def test_tasks_are_listed_by_how_little_the_metrics_agree_with_their_best_models(monkeypatch):
    analysis = analyse_metrics(metric_table())
    head, *rows = rows_of(page_of(analysis, "many"), "tasks")
    assert head[3:] == ["best by aupr", "best by auprg", "best by auroc"]
    lowest = analysis.by_task.groupby("task")["rank_correlation"].min().sort_values()
    assert [float(row[2]) for row in rows] == pytest.approx(lowest.tolist(), abs=5e-4)
    best = analysis.by_task.drop_duplicates("task").set_index("task")
    assert {row[0]: row[3] for row in rows} == best["best_first"].to_dict()
    monkeypatch.setattr(page, "MOST_TASKS", 7)
    short = page_of(analysis, "many")
    assert len(rows_of(short, "tasks")) == 1 + 7
    assert "The first 7 of 20 tasks" in short


def test_tied_best_models_are_counted_and_a_metric_that_ties_all_has_no_correlation():
    values = pd.DataFrame({"x": [0.5, 0.5, 0.5], "y": [0.4, 0.4, 0.1]})
    table = MetricTable(np.array(["t"] * 3, object), np.array(list("abc"), object), values)
    assert rows_of(page_of(analyse_metrics(table), "many"), "tasks")[1] == [
        "t", "3", "–", "a and 2 tied", "a and 1 tied",
    ]  # fmt: skip


@cache
def page_of_hostile_names(kind):
    if kind == "predictions":
        table = replace(random_table(names=HOSTILE), positive=HOSTILE[0])
        return page_of(analyse(table, Question(resamples=100, target_metric="f1")), HOSTILE[0])
    metrics = metric_table(metrics=HOSTILE)
    metrics.tasks[:5] = HOSTILE[0]
    metrics.models[:3] = HOSTILE
    return page_of(analyse_metrics(metrics), HOSTILE[1])


of_hostile_names = pytest.mark.parametrize("kind", ["predictions", "metrics"])


@of_hostile_names
def test_names_of_others_are_text_and_nothing_more(kind):
    text = page_of_hostile_names(kind)
    assert "<script>alert" not in text
    assert "<b>bold" not in text.replace("<b>%{fullData.name}", "")
    assert "&lt;b&gt;bold" in text


def test_the_page_names_nothing_that_a_browser_would_load():
    for text in (page_of(analyse(random_table(), QUICK), "t"), page_of(analyse_metrics(metric_table()), "t")):
        own = text.replace(page.get_plotlyjs(), "")
        assert "src=" not in own
        assert "://" not in own
        assert "default-src 'none'" in own


def test_long_names_lose_their_middle_and_are_whole_as_titles():
    name = "a" * 5000 + "z"
    text = page_of(analyse(random_table(names=(name, "b", "c")), QUICK), "mine.csv")
    own = text.replace(page.get_plotlyjs(), "")
    assert own.count(name) == own.count(f'title="{name}"') > 0


def test_a_page_of_many_rows_and_models_weighs_no_more_than_is_said():
    rng, n, m = np.random.default_rng(1), 20_000, 20
    y = rng.random(n) < 0.2
    scores = rng.normal(size=(n, m)) + y[:, None]
    text = page_of(analyse(made_table(y, scores, names=[f"m{i}" for i in range(m)]), QUICK), "t")
    assert len(text) - len(page.get_plotlyjs()) < 100_000 * m


@in_browser
@pytest.mark.parametrize("size", [(1280, 900), PHONE])
@of_hostile_names
def test_a_page_opens_at_both_widths_loads_nothing_and_has_no_fault(browser, tmp_path, kind, size):
    loaded_and_faulty(browser)  # This discards the logs of earlier pages.
    with resized(browser, *size, mobile=size == PHONE):
        opened(browser, tmp_path / "page.html", page_of_hostile_names(kind))
        assert until(browser, "document.documentElement.dataset.ready")
        until(browser, "document.documentElement.scrollWidth <= innerWidth")
        widths = "[...document.querySelectorAll('.plot')].map((plot) => plot._fullLayout.width)"
        until(browser, f"{widths}.every((width) => 250 < width && width <= innerWidth)")
        drawn = "[...document.querySelectorAll('.plot')].every((plot) => plot.querySelector('.trace, .hm'))"
        until(browser, drawn)
        assert not script(browser, "[...document.querySelectorAll('.plot b')].length")
    assert loaded_and_faulty(browser) == ([], [])


@in_browser
def test_boxes_choose_the_models_of_all_three_plots_and_bands_are_shown_of_few(thirty):
    first = shown(thirty, "pr")
    assert len(first) == 4
    for plot in ("pr", "prg", "roc"):
        assert shown(thirty, plot) == shown(thirty, plot, fill=True) == first
    box = element(thirty, "#models input[value]:not(:checked)")
    box.click()
    more = sorted([*first, int(box.get_attribute("value"))])
    for plot in ("pr", "prg", "roc"):
        assert (shown(thirty, plot), shown(thirty, plot, fill=True)) == (more, [])
    element(thirty, "#all").click()
    assert shown(thirty, "roc") == list(range(30))


@in_browser
def test_a_pointer_on_a_curve_sees_its_model_threshold_and_rates(thirty):
    script(thirty, "document.getElementById('pr').scrollIntoView({block: 'center'})")
    curve = f"{TRACES}.findIndex((trace) => trace.text && trace.visible)"
    point = "[...document.getElementById(arguments[0]).calcdata[%s]].at(-40)"
    at = script(
        thirty,
        f"(() => {{ const p = {point % curve}; return [p.x, p.y, p.i]; }}).apply(null, arguments)",
        "pr",
    )
    text = "document.querySelector('#pr .hovertext')?.textContent"
    # A pointer that comes while the plots still move into place is not seen.
    for step in range(20):
        pointer(thirty, "pr", at[0] + 1e-4 * (step % 3), at[1], "move")
        if script(thirty, text):
            break
        until(thirty, "new Promise((done) => setTimeout(() => done(true), 50))")
    seen = until(thirty, text)
    assert re.match(
        r"model \d+threshold -?[\d.]+recall [\d.]+precision [\d.]+recall gain -?[\d.]+precision gain", seen
    )


@in_browser
def test_the_menu_changes_the_pair_of_metrics(browser, tmp_path):
    opened(browser, tmp_path / "page.html", page_of(analyse_metrics(metric_table()), "many"))
    until(browser, "document.querySelector('#heat .updatemenu-header')")
    element(browser, "#heat .updatemenu-header").click()
    until(browser, "document.querySelectorAll('#heat .updatemenu-dropdown-button').length === 3")
    browser.find_elements("css selector", "#heat .updatemenu-dropdown-button")[2].click()
    until(browser, "document.querySelector('#heat .xtitle').textContent === 'rank by auprg'")
    assert script(browser, f"{TRACES}.map((trace) => trace.visible)", "heat") == [False, False, True]
