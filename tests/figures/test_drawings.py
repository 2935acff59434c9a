"""Figures show every model and every convention that their tables hold."""

from functools import partial
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from measured import estimates, measured, predictions_of

from aucstudy.area_names import PAIRS
from aucstudy.experiments import conventions
from aucstudy.experiments.quantities import selected
from aucstudy.figures import charts
from aucstudy.figures.conventions import convention_choices
from aucstudy.figures.disagreement import quartile_tasks, rank_heat_map
from aucstudy.metrics.conventions import CONVENTIONS


def test_each_panel_of_the_heat_map_holds_all_models_cells_under_a_half_too():
    cells = [(1, 1, 0.7), (1, 2, 0.3), (2, 1, 0.3), (2, 2, 0.7), (3, 3, 1.0)]
    heat = pd.DataFrame(
        [(*pair, *cell) for pair in PAIRS for cell in cells],
        columns=["first", "second", "rank_first", "rank_second", "count"],
    )
    figure = rank_heat_map(SimpleNamespace(table=lambda name: heat))
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
    figure = rank_heat_map(SimpleNamespace(table=lambda name: heat))
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


def test_each_quartile_task_has_a_panel_and_the_flip_is_encircled():
    models = {"run_id": list("abcd"), "aupr": [0.9, 0.6, 0.5, 0.4], "auprg": [0.6, 0.8, 0.4, -0.2]}
    scores = pd.concat([pd.DataFrame({"task_id": task_id, **models}) for task_id in "tu"])
    by_task = pd.DataFrame(
        {"task_id": ["t", "u"], "first": "aupr", "second": "auprg", "rank_correlation": [0.5, 0.9]}
    )

    def predictions(task_id):
        return predictions_of(np.arange(8) % 2 == 0, np.column_stack([np.arange(8) / 8] * 4), task_id, "abcd")

    study = SimpleNamespace(
        scores=lambda aggregation: scores, rows=lambda name, **where: by_task, predictions=predictions
    )
    figure = quartile_tasks(study, quartile_tasks=None, aggregation="pooled")
    lower, upper = figure.axes
    assert lower.collections[-1].get_offsets().tolist() == [[0.9, 0.6], [0.6, 0.8]]
    assert [panel.get_title().splitlines()[0] for panel in (lower, upper)] == ["t", "u"]
    assert all("(1 model with AUPRG < 0 not drawn)" in panel.get_title() for panel in (lower, upper))
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
