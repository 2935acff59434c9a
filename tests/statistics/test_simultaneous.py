"""Intervals of many means hold together as often as they say, and say nothing where there is nothing to say."""

import numpy as np
import pytest

from aucstudy.statistics.intervals import simultaneous_intervals
from aucstudy.statistics.stratified import stratified_parts


def samples(groups, means, repeats, seed):
    """Correlated, skewed values of tasks that share the deviation of their group; all true means are 0."""
    rng = np.random.default_rng(seed)
    for _ in range(repeats):
        group = np.repeat(np.arange(groups), 1 + rng.poisson(0.6, groups))
        factors = rng.exponential(size=(groups, 4))[group] + rng.exponential(size=(len(group), 4)) - 2
        yield factors @ rng.normal(size=(4, means)), group.astype(str)


@pytest.mark.parametrize("groups", [14, 38])
def test_all_intervals_together_cover_the_true_means_about_as_often_as_they_say(groups):
    covered, single = [], []
    for values, group in samples(groups, 12, 250, 1):
        made = simultaneous_intervals(values, group, 300, 1)
        covered.append(((made.low <= 0) & (made.high >= 0)).all())
        alone = simultaneous_intervals(values[:, :1], group, 300, 1)
        single.append(made.high[0] - made.low[0] >= alone.high[0] - alone.low[0])
    assert 0.89 <= np.mean(covered) <= 0.99
    assert all(single)


def test_the_means_are_those_of_the_tasks_and_unknown_values_are_left_out():
    values = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 4.0], [8.0, 9.0], [4.0, 1.0], [0.0, 2.0], [7.0, 3.0]])
    made = simultaneous_intervals(values, np.array(list("aabcdef")), 100, 1)
    np.testing.assert_allclose(made.estimate, np.nanmean(values, axis=0))
    assert (made.low < made.estimate).all()
    np.testing.assert_allclose(made.high - made.estimate, made.estimate - made.low)


def test_a_mean_that_does_not_vary_has_no_width_and_widens_no_other():
    rng = np.random.default_rng(2)
    values, group = rng.normal(size=(20, 1)), np.arange(20).astype(str)
    alone = simultaneous_intervals(values, group, 200, 1)
    beside = simultaneous_intervals(np.hstack([values, np.full((20, 1), 0.1)]), group, 200, 1)
    assert (beside.low[0], beside.high[0]) == (alone.low[0], alone.high[0])
    assert beside.low[1] == beside.high[1] == pytest.approx(0.1)


def test_fewer_than_six_groups_give_no_interval():
    values = np.arange(6.0)[:, None]
    for groups in ("aaaaaa", "aaabbb", "abcdee"):
        made = simultaneous_intervals(values, np.array(list(groups)), 100, 1)
        assert made.estimate[0] == pytest.approx(2.5)
        assert np.isnan([made.low[0], made.high[0]]).all()


def test_quarters_are_stratified_by_class_and_fold_and_the_even_ones_are_a_half():
    rng = np.random.default_rng(1)
    y, folds = rng.random(203) < 0.2, rng.integers(0, 7, 203)
    quarter = stratified_parts(y, folds, np.arange(203), 4, 50, rng)
    for value in (True, False):
        for inside in (y == value, *((y == value) & (folds == fold) for fold in range(7))):
            for part in range(4):
                assert abs(4 * (quarter[:, inside] == part).sum(axis=1) - inside.sum()).max() <= 4
            assert abs(2 * (quarter[:, inside] % 2).sum(axis=1) - inside.sum()).max() <= 1
