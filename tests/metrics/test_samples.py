"""The rows of a sample keep the order of all rows, and thresholds are set between their scores."""

import numpy as np
import pytest

from aucstudy.metrics.kernel import (
    descending_scores,
    order_of,
    room_for,
    rows_accepted,
    select_rows,
    threshold_of,
)


def selected(scores, in_sample):
    scores = np.asarray(scores, dtype=float)[:, None]
    order = order_of(np.ones(len(scores), dtype=bool), scores)
    descending = descending_scores(order, scores)[0]
    return descending, *select_rows(order.rows[0], descending, np.asarray(in_sample), room_for(len(scores)))


@pytest.mark.parametrize("seed", range(5))
def test_a_selection_keeps_the_order_and_ends_its_own_groups(seed):
    rng = np.random.default_rng(seed)
    scores, in_sample = rng.integers(0, 9, 40).astype(float), rng.random(40) < 0.5
    descending, rows, ends_group, ranks = selected(scores, in_sample)
    assert sorted(rows) == np.flatnonzero(in_sample).tolist()
    assert ranks[-1] == 40
    assert (descending[ranks[:-1]] == scores[rows]).all()
    assert ends_group.tolist() == [*(np.diff(scores[rows]) < 0), True]


def test_a_threshold_lies_half_way_to_the_next_score_of_the_sample():
    descending, _, _, ranks = selected([9, 8, 6, 5.5, 4, 1], [1, 0, 1, 0, 1, 0])
    thresholds = [threshold_of(descending, ranks, n) for n in range(4)]
    assert thresholds == [np.inf, 7.5, 5, 4]
    assert [rows_accepted(descending, ranks, n) for n in range(4)] == [0, 2, 4, 5]


def test_a_threshold_at_an_infinite_score_is_that_score():
    descending, _, _, ranks = selected([np.inf, np.inf, 3, -np.inf], [1, 0, 1, 1])
    assert [threshold_of(descending, ranks, n) for n in range(4)] == [np.inf, np.inf, 3, -np.inf]
    assert [rows_accepted(descending, ranks, n) for n in range(4)] == [0, 2, 3, 4]


def test_a_threshold_between_neighbouring_floats_accepts_only_the_higher_one():
    high = np.nextafter(0.5, 1)
    next_higher = np.nextafter(high, 1)
    for upper, lower in ((high, 0.5), (next_higher, high)):
        descending, _, _, ranks = selected([upper, lower], [1, 1])
        assert [rows_accepted(descending, ranks, n) for n in range(3)] == [0, 1, 2]
