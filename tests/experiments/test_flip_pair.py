"""The pair of figure 5 is found by its rule, or is the one that was pinned."""

import pandas as pd

from aucstudy.experiments.disagreement.flip_pair import clearest_flip


def scores(rows):
    frame = pd.DataFrame(rows, columns=["task_id", "run_id", "aupr", "auprg"])
    return frame.assign(flow_name="f", auroc=0.5, prevalence=0.1, n_positive=5)


ROWS = [
    ("t", "a", 0.9, 0.5),
    ("t", "b", 0.6, 0.6),
    ("t", "c", 0.7, 0.9),
    ("u", "d", 0.9, 0.1),
    ("u", "e", 0.1, -3.0),
]


def test_the_pair_with_the_largest_smaller_margin_is_taken():
    found = clearest_flip(scores(ROWS))
    assert found["run_id"].tolist() == ["a", "c"]


def test_models_with_negative_auprg_are_not_taken():
    rows = [("t", "a", 0.9, -2.0), ("t", "b", 0.6, 0.6), ("t", "c", 0.7, 0.5)]
    assert clearest_flip(scores(rows))["run_id"].tolist() == ["c", "b"]


def test_no_pair_is_taken_where_none_flips():
    assert clearest_flip(scores([("t", "a", 0.9, 0.9), ("t", "b", 0.6, 0.6)])).empty


def test_a_pinned_pair_is_taken_as_it_is():
    found = clearest_flip(scores(ROWS), ["t", "b", "a"])
    assert found["run_id"].tolist() == ["b", "a"]
    assert set(found["rule"]) == {"pinned"}


def test_a_pinned_pair_that_is_not_there_is_chosen_by_rule_and_told():
    found = clearest_flip(scores(ROWS), ["t", "a", "z"])
    assert found["run_id"].tolist() == ["a", "c"]
    assert found["rule"].str.contains("runs a and z of task t are not both in the scores").all()
