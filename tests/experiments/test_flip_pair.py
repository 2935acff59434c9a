"""The pair of figure 5 is found by its rule, or is the one that was pinned."""

import numpy as np
import pandas as pd

from aucstudy.experiments.disagreement import clearest_flip, tied_positives
from aucstudy.store.task_store import Predictions


def scores(rows):
    frame = pd.DataFrame(rows, columns=["task_id", "run_id", "aupr", "auprg"])
    return frame.assign(flow_name="f", auroc=0.5, prevalence=0.1, n_positive=5)


def predictions(*tied):
    """Of any task: every model ranks without ties but those named, which score 0 and 1 only."""

    def of_task(task_id):
        run_ids, zeros = tuple("abcdez"), np.zeros(6, dtype=int)
        columns = [np.arange(6) % 2 if run_id in tied else np.arange(6) for run_id in run_ids]
        y = np.array([True, False, True, True, False, False])
        return Predictions(task_id, np.arange(6), zeros, zeros, y, np.column_stack(columns) / 6, run_ids)

    return of_task


ROWS = [
    ("t", "a", 0.9, 0.5),
    ("t", "b", 0.6, 0.6),
    ("t", "c", 0.7, 0.9),
    ("u", "d", 0.9, 0.1),
    ("u", "e", 0.1, -3.0),
]


def test_the_pair_with_the_largest_smaller_margin_is_taken():
    found = clearest_flip(scores(ROWS), predictions())
    assert found["run_id"].tolist() == ["a", "c"]


def test_models_with_negative_auprg_are_not_taken():
    rows = [("t", "a", 0.9, -2.0), ("t", "b", 0.6, 0.6), ("t", "c", 0.7, 0.5)]
    assert clearest_flip(scores(rows), predictions())["run_id"].tolist() == ["c", "b"]


def test_no_pair_is_taken_where_none_flips():
    assert clearest_flip(scores([("t", "a", 0.9, 0.9), ("t", "b", 0.6, 0.6)]), predictions()).empty


def test_a_pinned_pair_is_taken_as_it_is():
    found = clearest_flip(scores(ROWS), predictions(), ["t", "b", "a"])
    assert found["run_id"].tolist() == ["b", "a"]
    assert set(found["rule"]) == {"pinned"}


def test_a_pinned_pair_that_is_not_there_is_chosen_by_rule_and_told():
    found = clearest_flip(scores(ROWS), predictions(), ["t", "a", "z"])
    assert found["run_id"].tolist() == ["a", "c"]
    assert found["rule"].str.contains("runs a and z of task t are not both in the scores").all()


def test_a_pair_with_a_tied_model_is_passed_over_for_the_next_clearest():
    task = predictions("c")("t")
    assert (tied_positives(task, "a"), tied_positives(task, "c")) == (0, 1)
    rows = [("t", "a", 0.9, 0.5), ("t", "b", 0.6, 0.6), ("t", "c", 0.7, 0.9)]
    assert clearest_flip(scores(rows), predictions("c"))["run_id"].tolist() == ["a", "b"]
    assert clearest_flip(scores(rows), predictions("a", "c")).empty


def test_flips_that_are_equally_clear_are_taken_in_the_order_of_ids():
    rows = [("u", "a", 0.75, 0.5), ("u", "b", 0.5, 0.75), ("t", "c", 0.75, 0.5), ("t", "b", 0.5, 0.75)]
    assert clearest_flip(scores(rows), predictions())["run_id"].tolist() == ["c", "b"]
