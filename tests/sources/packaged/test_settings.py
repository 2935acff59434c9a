"""Settings that request something that does not exist are refused before anything is fitted."""

import numpy as np
import pytest

from aucstudy.errors import InputError
from aucstudy.learners.flows import FLOWS
from aucstudy.sources import even_batches
from aucstudy.sources.packaged import check, chosen, task_ids

DEFAULT = {"datasets": "default", "flows": "all", "folds": 10, "rows": None}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"datasets": ["iris", "wisconsn"]}, r"packaged\.datasets: 'wisconsn' .* 'wisconsin'"),
        ({"flows": ["random_forest_10O"]}, r"packaged\.flows: 'random_forest_10O' .* 'random_forest_10"),
        (
            {"datasets": "listed"},
            r"packaged\.datasets: 'listed' means all sets of packaged\.lists, which names no file",
        ),
        ({"lists": ["/absent.csv"]}, r"/absent\.csv: a list of data sets is needed"),
        ({"flows": "some"}, r"packaged\.flows: 'some' is neither 'all' nor a list of names"),
    ],
)
def test_a_wrong_setting_is_named_with_its_key(change, message):
    with pytest.raises(InputError, match=message):
        check({**DEFAULT, **change}, models_per_task=1, min_flows=1)


def test_more_flows_than_there_are_cannot_be_asked_for():
    n = len(FLOWS)
    check(DEFAULT, models_per_task=n, min_flows=n)
    with pytest.raises(InputError, match=f"min_flows: {n + 1} is asked for, packaged.flows allows {n}"):
        check(DEFAULT, models_per_task=30, min_flows=n + 1)
    with pytest.raises(InputError, match=r"models_per_task: 3 .* packaged\.flows allows 2"):
        check({**DEFAULT, "flows": ["zero_r", "one_r"]}, models_per_task=3, min_flows=1)


def test_tasks_have_the_names_of_their_data_sets():
    assert task_ids({**DEFAULT, "datasets": ["wine", "iris"]}) == ["wine", "iris"]
    assert len(task_ids(DEFAULT)) == 60


def test_the_order_of_flows_in_the_settings_does_not_matter():
    assert chosen({**DEFAULT, "flows": ["one_r", "zero_r"]}) == chosen(
        {**DEFAULT, "flows": ["zero_r", "one_r"]}
    )


def test_batches_hold_every_task_once_and_differ_by_no_more_than_one_task():
    seconds = {f"t{i}": float(cost) for i, cost in enumerate(np.random.default_rng(1).exponential(10, 60))}
    parts = even_batches(seconds, 7)
    assert sorted(name for piece in parts for name in piece) == sorted(seconds)
    sums = [sum(seconds[name] for name in piece) for piece in parts]
    assert max(sums) - min(sums) <= max(seconds.values())
