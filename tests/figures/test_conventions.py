"""The conventions figure shows what its tables hold."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
from measured import measured

from aucstudy.experiments import conventions
from aucstudy.figures.conventions import convention_choices
from aucstudy.metrics.conventions import CONVENTIONS
from aucstudy.store.task_store import Predictions


def test_every_task_is_a_dot_of_every_rival_and_every_rival_a_row():
    rng = np.random.default_rng(1)
    y = np.arange(30) < 9
    tasks = []
    for i in range(3):
        scores, zeros = rng.integers(0, 5, (30, 4)) / 5, np.zeros(30, dtype=int)
        tasks.append(Predictions(f"t{i}", np.arange(30), zeros, zeros, y, scores, ("a", "b", "c", "d")))
    frames = measured(conventions, tasks)
    tables = frames | conventions.over_all(SimpleNamespace(frames=frames), seed=1)
    figure = convention_choices(SimpleNamespace(table=tables.get))
    left, right = figure.axes
    assert len(left.get_yticklabels()) == len(CONVENTIONS)
    *dots, means = right.lines
    assert [len(line.get_xdata()) for line in dots] == [3] * len(conventions.RIVALS)
    assert len(means.get_xdata()) == len(conventions.RIVALS)
    plt.close(figure)
