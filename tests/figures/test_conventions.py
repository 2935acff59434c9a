"""The conventions figure shows what its tables hold."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.experiments.conventions.numbers import compare_conventions, convention_shares, convention_values
from aucstudy.experiments.conventions.telling import convention_choices
from aucstudy.metrics.conventions import CONVENTIONS
from aucstudy.store.task_store import Predictions


def test_every_task_is_a_dot_and_every_rival_a_row():
    rng = np.random.default_rng(1)
    y = np.arange(30) < 9
    frames = []
    for i in range(3):
        scores, zeros = rng.integers(0, 5, (30, 4)) / 5, np.zeros(30, dtype=int)
        task = Predictions(f"t{i}", np.arange(30), zeros, zeros, y, scores, ("a", "b", "c", "d"))
        frames.append(compare_conventions(task, f"g{i}", convention_values(task)))
    by_task = pd.concat(frames)
    figure = convention_choices(convention_shares(by_task), by_task)
    left, right = figure.axes[:2]
    assert len(left.get_yticklabels()) == len(CONVENTIONS)
    assert len(right.collections[0].get_offsets()) == 3
    plt.close(figure)
