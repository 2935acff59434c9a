"""Figures show every model and every convention that their tables hold."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from measured import estimates, measured, predictions_of

from aucstudy.config import REPOSITORY
from aucstudy.estimates import read_estimates
from aucstudy.experiments import conventions
from aucstudy.experiments.compared import AREAS_COMPARED, MARGIN, PAIRS
from aucstudy.experiments.contract import experiments
from aucstudy.experiments.inputs import Study
from aucstudy.figures import charts, papers
from aucstudy.figures.conventions import convention_choices
from aucstudy.figures.disagreement import quartile_tasks, rank_heat_map
from aucstudy.figures.downsampling import PRINTED, refitting
from aucstudy.figures.selection import selection_strata
from aucstudy.metrics.conventions import CONVENTIONS
from aucstudy.store.estimates import selected

TABLES = REPOSITORY / "results" / "default" / "tables"
DEFAULT = Study(
    Path("a store that no table needs"), TABLES, estimates=read_estimates(TABLES / "estimates.csv")
)


def test_each_panel_of_the_heat_map_holds_all_models_cells_under_a_half_too():
    cells = [(1, 1, 0.7), (1, 2, 0.3), (2, 1, 0.3), (2, 2, 0.7), (3, 3, 1.0)]
    heat = pd.DataFrame(
        [(*pair, *cell) for pair in PAIRS for cell in cells],
        columns=["first", "second", "rank_first", "rank_second", "count"],
    )
    figure = rank_heat_map(SimpleNamespace(table=lambda name: heat), metrics=list(AREAS_COMPARED))
    *panels, bar = figure.axes
    assert [(panel.get_xlabel(), panel.get_ylabel()) for panel in panels] == [
        ("rank by AUPR", "rank by AUPRG"),
        ("rank by AUPR", "rank by AUROC"),
        ("rank by AUPRG", "rank by AUROC"),
    ]
    for panel in panels:
        drawn = panel.collections[0].get_array()
        assert drawn.sum() == pytest.approx(3)
        assert drawn.count() == len(cells)
    assert bar.get_ylabel() == "models (3 a panel)"
    plt.close(figure)


@pytest.mark.parametrize(
    ("size", "ticks"),
    [(1, [1]), (4, [1, 2, 3, 4]), (30, [1, 5, 10, 15, 20, 25, 30]), (100, [1, 20, 40, 60, 80, 100])],
)
def test_few_ranks_have_their_numbers_and_those_of_many_do_not_overprint(size, ticks):
    heat = pd.DataFrame(
        [(*pair, rank, rank, 1.0) for pair in PAIRS for rank in range(1, size + 1)],
        columns=["first", "second", "rank_first", "rank_second", "count"],
    )
    figure = rank_heat_map(SimpleNamespace(table=lambda name: heat), metrics=list(AREAS_COMPARED))
    assert list(figure.axes[0].get_xticks()) == ticks
    plt.close(figure)


def rows_of_one(low, high):
    return [0], pd.DataFrame({"low": [low], "high": [high]}), "red"


@pytest.mark.parametrize("upright", [False, True])
def test_an_interval_that_would_flatten_the_others_ends_in_arrows(upright):
    figure, axis = charts.panels(height=2)
    axis.set(xlim=(-3000, 3000), ylim=(-3000, 3000))
    charts.far_ends_as_arrows(axis, [rows_of_one(-2500, 20), rows_of_one(10, 40)], upright=upright)
    cut, whole = (axis.get_ylim(), axis.get_xlim())[:: 1 if upright else -1]
    assert (cut, whole) == ((-52, 52), (-3000, 3000))
    (arrow,) = axis.lines
    assert arrow.get_marker() == ("v" if upright else "<")
    assert arrow.get_xydata().tolist() == ([[0, -52]] if upright else [[-52, 0]])
    plt.close(figure)


def test_intervals_of_one_size_or_within_what_areas_can_differ_by_are_drawn_whole():
    figure, axis = charts.panels(height=2)
    axis.set(xlim=(-3000, 3000))
    for ends in ((-2500, 2500), (-900, 20), (5, 40)), ((-99, 99), (0, 1)):
        charts.far_ends_as_arrows(axis, [rows_of_one(*pair) for pair in ends])
    assert axis.get_xlim() == (-3000, 3000)
    assert not axis.lines
    plt.close(figure)


def study_of_two_tasks(models):
    """Return a study in whose two tasks, t and u, the same models have the same metrics."""
    scores = pd.concat([pd.DataFrame({"task_id": task_id, **models}) for task_id in "tu"], ignore_index=True)
    by_task = pd.DataFrame(
        {"task_id": ["t", "u"], "first": "aupr", "second": "auprg", "rank_correlation": [0.5, 0.9]}
    )

    def predictions(task_id):
        run_ids = models["run_id"]
        untied = np.column_stack([np.arange(8) / 8] * len(run_ids))
        return predictions_of(np.arange(8) % 2 == 0, untied, task_id, run_ids)

    return SimpleNamespace(
        scores=lambda aggregation: scores, rows=lambda name, **where: by_task, predictions=predictions
    )


def test_each_quartile_task_has_a_panel_and_the_flip_is_encircled():
    models = {"run_id": list("abcd"), "aupr": [0.9, 0.6, 0.5, 0.4], "auprg": [0.6, 0.8, 0.4, -0.2]}
    figure = quartile_tasks(study_of_two_tasks(models), quartile_tasks=None, aggregation="pooled")
    lower, upper = figure.axes
    assert lower.collections[-1].get_offsets().tolist() == [[0.9, 0.6], [0.6, 0.8]]
    assert [panel.get_title().splitlines()[0] for panel in (lower, upper)] == ["t", "u"]
    assert all("(1 model with AUPRG < 0 not drawn)" in panel.get_title() for panel in (lower, upper))
    plt.close(figure)


def test_a_model_far_below_all_others_is_an_arrow_and_does_not_squeeze_them():
    aupr = np.append(np.linspace(0.6, 0.8, 9), 0.1)
    models = {"run_id": list("abcdefghij"), "aupr": aupr, "auprg": np.append(np.linspace(0.9, 0.98, 9), 0.5)}
    figure = quartile_tasks(study_of_two_tasks(models), quartile_tasks=None, aggregation="pooled")
    for panel in figure.axes:
        drawn = np.concatenate([marks.get_offsets() for marks in panel.collections])
        assert {*drawn[:, 0]} == {*aupr[:-1]}
        (x, _), (y, _) = panel.get_xlim(), panel.get_ylim()
        assert x > 0.55
        assert y > 0.88
        (arrow,) = panel.texts
        assert arrow.xy == (x, y)
        assert panel.get_title().endswith("(arrow: a model with AUPR 0.100, AUPRG 0.500)")
    plt.close(figure)


def test_a_quartile_task_whose_models_all_have_auprg_below_0_keeps_its_empty_panel():
    models = {"run_id": list("abcd"), "aupr": [0.9, 0.6, 0.5, 0.4], "auprg": [0.6, 0.8, 0.4, 0.2]}
    study = study_of_two_tasks(models)
    scores = study.scores("pooled")
    scores.loc[scores["task_id"] == "u", "auprg"] = -0.5
    study.scores = lambda aggregation: scores
    figure = quartile_tasks(study, quartile_tasks=None, aggregation="pooled")
    lower, upper = figure.axes
    assert "(4 models with AUPRG < 0 not drawn)" in upper.get_title()
    assert "not drawn" not in lower.get_title()
    plt.close(figure)


def test_a_model_that_is_low_in_one_metric_has_an_arrow_straight_down_and_two_are_counted():
    aupr, auprg = np.linspace(0.6, 0.8, 12), np.linspace(0.9, 0.98, 12)
    auprg[[2, 5]] = 0.1, 0.5
    models = {"run_id": list("abcdefghijkl"), "aupr": aupr, "auprg": auprg}
    figure = quartile_tasks(study_of_two_tasks(models), quartile_tasks=None, aggregation="pooled")
    for panel in figure.axes:
        lowest = panel.get_ylim()[0]
        assert [arrow.xy for arrow in panel.texts] == [(aupr[2], lowest), (aupr[5], lowest)]
        assert all(arrow.xyann[0] == 0 < arrow.xyann[1] for arrow in panel.texts)
        assert panel.get_title().endswith("(arrows: 2 models beyond the axes)")
    plt.close(figure)


@pytest.mark.parametrize(
    "auprg",
    [
        [
            0.1,
            0.5,
            *np.linspace(0.55, 0.98, 8),
        ],  # The gap is wide, but not wider than the range of the others.
        [0.1, 0.2, 0.25, *np.linspace(0.95, 0.98, 7)],  # More than a quarter of the models lie below the gap.
        [0.1, *[0.9] * 9],  # The others have no range.
    ],
)
def test_models_that_squeeze_no_others_are_all_drawn(auprg):
    models = {"run_id": list("abcdefghij"), "aupr": np.linspace(0.6, 0.8, 10), "auprg": auprg}
    figure = quartile_tasks(study_of_two_tasks(models), quartile_tasks=None, aggregation="pooled")
    for panel in figure.axes:
        assert not panel.texts
        assert "arrow" not in panel.get_title()
        assert len(panel.collections[0].get_offsets()) == 10
    plt.close(figure)


def test_both_panels_of_the_running_example_have_each_non_dominated_point():
    figure = papers.running_example_curves(None)
    roc, pr = (
        next(line for line in panel.lines if line.get_marker() == "o").get_xydata() for panel in figure.axes
    )
    assert len(roc) == len(pr) == 44
    assert pr[0] == pytest.approx([1 / 48, 1])
    assert pr[:, 0] == pytest.approx(roc[:, 1])  # Recall is the true positive rate.
    assert pr[:, 1] == pytest.approx(48 * roc[:, 1] / (48 * roc[:, 1] + 452 * roc[:, 0]))
    plt.close(figure)


def test_no_number_of_the_hulls_covers_a_dot_of_the_grid_or_hides_a_part_of_it():
    figure = papers.running_example_hulls(None)
    figure.draw_without_rendering()
    for panel in figure.axes:
        dots = next(line for line in panel.lines if line.get_marker() == ".")
        places = dots.get_transform().transform(dots.get_xydata())
        assert 60 < len(places) < 100
        for number in panel.texts:
            assert number.get_bbox_patch() is None
            box = number.get_window_extent()
            assert not ((places > box.min) & (places < box.max)).all(axis=1).any()
    plt.close(figure)


def test_refitted_learners_are_drawn_by_both_metrics_of_the_papers_table_3():
    table = DEFAULT.table("refitting_table_3")
    figure = refitting(DEFAULT)
    (aupr, aucnpr), (aupr_effects, aucnpr_effects) = np.reshape(figure.axes, (2, 2))
    for panel, area, printed in ((aupr, "aupr", 0.851 - 0.363), (aucnpr, "aucnpr", 0.785 - 0.349)):
        firsts = [line.get_ydata()[0] for line in panel.lines if len(line.get_ydata()) > 2]
        for _, rows in table.groupby("flow_name"):
            rows = rows.set_index("ratio")
            for kind in ("downsampled", "original"):
                rise = rows.loc["1:1", f"{area}_{kind}"] - rows.loc["original", f"{area}_original"]
                assert min(np.abs(np.subtract(firsts, rise))) < 1e-12
        (sayu,) = (line for line in panel.lines if line.get_label() == PRINTED)
        assert sayu.get_ydata()[0] == pytest.approx(printed)
    assert [panel.get_title() for panel in (aupr, aucnpr)] == ["AUPR", "AUCNPR"]
    assert len(aupr_effects.containers) == 4
    assert len(aucnpr_effects.containers) == 3
    plt.close(figure)


def test_a_figure_shades_the_margin_of_the_claims_and_its_caption_says_how_wide_it_is():
    width = f"from -{100 * MARGIN:g} to {100 * MARGIN:g} points".replace("0.", ".")
    figure = selection_strata(DEFAULT)
    for axis in figure.axes:
        band = axis.patches[0].get_extents().transformed(axis.transData.inverted())
        assert (band.x0, band.x1) == pytest.approx((-100 * MARGIN, 100 * MARGIN))
    caption = experiments()["selection"].figures["selection_strata"]
    assert f"the grey band, {width}, are too small to matter" in caption
    plt.close(figure)


def test_every_task_is_a_dot_of_every_rival_and_every_rival_a_row():
    rng = np.random.default_rng(1)
    y = np.arange(30) < 9
    tasks = [predictions_of(y, rng.integers(0, 5, (30, 4)) / 5, f"t{i}") for i in range(3)]
    frames = measured(conventions, tasks)
    table = estimates(conventions, frames).assign(experiment="conventions")
    study = SimpleNamespace(table=frames.get, numbers=partial(selected, table, weight="task"))
    figure = convention_choices(study)
    left, right = figure.axes
    assert len(left.get_yticklabels()) == len(CONVENTIONS)
    *dots, means = right.lines
    assert [len(line.get_xdata()) for line in dots] == [3] * len(conventions.RIVALS)
    assert len(means.get_xdata()) == len(conventions.RIVALS)
    plt.close(figure)
