"""The pair of figure 5 is found by its rule, or is the one that was pinned."""

import numpy as np
import pandas as pd
import pytest
from measured import predictions_of

from aucstudy.experiments.disagreement import clearest_flip, tied_positives


def scores(rows):
    frame = pd.DataFrame(rows, columns=["task_id", "run_id", "aupr", "auprg"])
    return frame.assign(flow_name="f", auroc=0.5, prevalence=0.1, n_positive=5)


def predictions(*tied):
    """Return a function that gives the predictions of any task.

    Every model ranks without ties, except those in `tied`, which have two distinct scores.
    """

    def of_task(task_id):
        columns = [np.arange(6) % 2 if run_id in tied else np.arange(6) for run_id in "abcdez"]
        return predictions_of([1, 0, 1, 1, 0, 0], np.column_stack(columns) / 6, task_id, "abcdez")

    return of_task


ROWS = [
    ("t", "a", 0.9, 0.5),
    ("t", "b", 0.6, 0.6),
    ("t", "c", 0.7, 0.9),
    ("u", "d", 0.9, 0.1),
    ("u", "e", 0.1, -3.0),
]


SMALL = ROWS[:3]
EQUAL = [("u", "a", 0.75, 0.5), ("u", "b", 0.5, 0.75), ("t", "c", 0.75, 0.5), ("t", "b", 0.5, 0.75)]


@pytest.mark.parametrize(
    ("rows", "tied", "pair"),
    [
        pytest.param(ROWS, "", ["a", "c"], id="the largest smaller margin is taken"),
        pytest.param([("t", "a", 0.9, -2.0), ("t", "b", 0.6, 0.6), ("t", "c", 0.7, 0.5)], "", ["c", "b"],
                     id="models with negative AUPRG are not taken"),
        pytest.param([("t", "a", 0.9, 0.9), ("t", "b", 0.6, 0.6)], "", [], id="nothing flips"),
        pytest.param(SMALL, "c", ["a", "b"], id="a tied model is passed over for the next clearest"),
        pytest.param(SMALL, "ac", [], id="every flip has a tied model"),
        pytest.param(EQUAL, "", ["c", "b"], id="equally clear flips are taken in the order of ids"),
    ],
)  # fmt: skip
def test_the_pair_is_found_by_its_rule(rows, tied, pair):
    assert clearest_flip(scores(rows), predictions(*tied))["run_id"].tolist() == pair


def test_tied_positives_are_counted():
    task = predictions("c")("t")
    assert (tied_positives(task, "a"), tied_positives(task, "c")) == (0, 1)


def test_a_pinned_pair_is_taken_as_it_is():
    found = clearest_flip(scores(ROWS), predictions(), ["t", "b", "a"])
    assert found["run_id"].tolist() == ["b", "a"]
    assert set(found["rule"]) == {"pinned"}


def test_a_pinned_pair_that_is_not_there_is_chosen_by_rule_and_told():
    found = clearest_flip(scores(ROWS), predictions(), ["t", "a", "z"])
    assert found["run_id"].tolist() == ["a", "c"]
    assert found["rule"].str.contains("runs a and z of task t are not both in the scores").all()
