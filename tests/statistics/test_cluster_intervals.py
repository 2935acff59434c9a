"""Intervals of a mean over grouped tasks agree with values worked out by hand and by other tools."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from aucstudy.statistics.intervals import (
    correlation_intervals,
    group_sums,
    group_weights,
    mean_interval,
    ratio_interval,
    satterthwaite_t,
    share_interval,
    statistic_interval,
    unanimous,
)

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    from interval_candidates import (
        bootstrap_t,
        effective_exact,
        exact_where_unanimous,
        jackknife_t,
        linearised_t,
        percentile,
    )

RNG = np.random.default_rng(7)
VALUES = RNG.normal(size=12)
GROUPS = np.array(list("aaabbcddddef"))
SUMS, SIZES = group_sums(VALUES, GROUPS)
ALONE = np.ones(6)


@pytest.mark.parametrize("method", [linearised_t, satterthwaite_t, jackknife_t])
def test_groups_of_one_task_have_students_interval(method):
    values = RNG.normal(size=6)
    expected = stats.t.interval(0.95, 5, values.mean(), stats.sem(values))
    assert np.allclose(method(values, ALONE), expected, rtol=1e-12)


def test_the_jackknife_is_that_of_the_mean_without_each_group():
    without = np.array([VALUES[name != GROUPS].mean() for name in "abcdef"])
    variance = 5 / 6 * np.sum((without - without.mean()) ** 2)
    reach = stats.t.ppf(0.975, 5) * np.sqrt(variance)
    assert np.allclose(jackknife_t(SUMS, SIZES), (VALUES.mean() - reach, VALUES.mean() + reach))


def test_satterthwaites_variance_and_freedom_are_those_of_bell_and_mccaffrey():
    """They are written out with the hat matrix of a constant and (I - H_gg)^(-1/2) of every group."""
    n = len(VALUES)
    centred = np.eye(n) - np.full((n, n), 1 / n)
    rows = []
    for name in "abcdef":
        members = np.flatnonzero(name == GROUPS)
        values, vectors = np.linalg.eigh(np.eye(len(members)) - np.full((len(members),) * 2, 1 / n))
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        rows.append(np.ones(len(members)) @ root @ centred[members] / n)
    rows = np.array(rows)
    variance, spread = np.sum((rows @ VALUES) ** 2), rows @ rows.T
    freedom = np.trace(spread) ** 2 / np.trace(spread @ spread)
    reach = stats.t.ppf(0.975, freedom) * np.sqrt(variance)
    assert np.allclose(satterthwaite_t(SUMS, SIZES), (VALUES.mean() - reach, VALUES.mean() + reach))


def test_a_group_with_most_of_the_tasks_widens_satterthwaites_interval_more_than_the_linearised_one():
    sums, sizes = np.array([7.0, 0.0, 1.0, 0.0]), np.array([12.0, 1.0, 1.0, 1.0])
    widths = [np.ptp(method(sums, sizes)) for method in (linearised_t, satterthwaite_t)]
    assert widths[1] > widths[0]


def test_the_percentile_interval_is_that_of_the_project():
    weights = group_weights(np.array(list("abcdef")), 400, 3)
    usual = statistic_interval(lambda w: w @ VALUES / w.sum(axis=1), GROUPS, 400, 3)
    assert np.allclose(percentile(SUMS, SIZES, weights), (usual.low, usual.high))


def test_the_bootstrap_t_is_scipys_where_groups_are_single_tasks():
    values = RNG.exponential(size=9)
    weights = RNG.multinomial(9, np.full(9, 1 / 9), size=300)
    resampled = [drawn for counts in weights if np.ptp(drawn := np.repeat(values, counts)) > 0]
    t = [(drawn.mean() - values.mean()) / (drawn.std() / 3) for drawn in resampled]
    low, high = np.percentile(t, [2.5, 97.5])
    error = values.std() / 3
    expected = values.mean() - high * error, values.mean() - low * error
    assert np.allclose(bootstrap_t(values, np.ones(9), weights), expected)


def test_fishers_z_keeps_an_interval_of_correlations_inside_one():
    low, high = jackknife_t(np.array([0.999, 0.98, 0.99, 0.2]), np.ones(4), fisher=True)
    assert -1 < low < 0.8 < high < 1
    assert jackknife_t(np.array([0.999, 0.98, 0.99, 0.2]), np.ones(4)).high > 1


def test_many_data_sets_at_once_have_the_intervals_of_each():
    several = np.stack([SUMS, SUMS[::-1] + 1])
    weights = group_weights(np.array(list("abcdef")), 50, 3)
    for method, *resamples in (
        (linearised_t,), (satterthwaite_t,), (jackknife_t,), (percentile, weights), (bootstrap_t, weights),
    ):  # fmt: skip
        each = [method(sums, SIZES, *resamples) for sums in several]
        assert np.allclose(np.array(method(several, SIZES, *resamples)).T, each)


def test_a_share_of_independent_tasks_has_clopper_and_pearsons_interval():
    shares = np.array([1.0, 0, 0, 1, 0, 0, 0, 0, 1, 0])
    for values, tolerance in ((shares, 0.02), (np.zeros(10), 1e-9)):
        exact = stats.binomtest(int(values.sum()), 10).proportion_ci(0.95, "exact")
        assert effective_exact(values, np.ones(10)) == pytest.approx((exact.low, exact.high), abs=tolerance)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_where_all_tasks_agree_the_bound_is_the_projects_exact_one(share):
    sums = share * SIZES
    usual = unanimous(mean_interval(np.full(12, share), GROUPS), 6)
    assert np.allclose(exact_where_unanimous(linearised_t(sums, SIZES), sums, SIZES), (usual.low, usual.high))


def test_one_group_has_no_interval():
    for method in (linearised_t, satterthwaite_t, jackknife_t):
        assert np.isnan(method(np.array([3.0]), np.array([4.0]))).all()


def test_the_projects_mean_has_satterthwaites_interval_and_leaves_nan_out():
    mean = mean_interval(np.append(VALUES, np.nan), np.append(GROUPS, "z"))
    assert mean.estimate == pytest.approx(VALUES.mean())
    assert np.allclose((mean.low, mean.high), satterthwaite_t(SUMS, SIZES))


@pytest.mark.parametrize(
    ("above", "below", "groups"),
    [([0], [0], ["z"]), ([np.nan, 5.0, np.nan], [1.0, np.nan, np.nan], ["a", "y", "z"])],
)
def test_a_ratio_leaves_out_groups_of_nothing_and_what_either_side_lacks(above, below, groups):
    rows = np.append(VALUES, above), np.append(np.ones(12), below), np.append(GROUPS, groups)
    assert ratio_interval(*rows) == mean_interval(VALUES, GROUPS)
    assert np.isnan(ratio_interval(np.zeros(2), np.zeros(2), np.array(["a", "b"])).estimate)


def test_a_ratio_counts_groups_whose_denominator_is_negative():
    above, below = np.array([1.0, 2.0, -1.0]), np.array([2.0, 3.0, -1.0])
    ratio = ratio_interval(above, below, np.array(["a", "b", "c"]))
    assert ratio.estimate == 0.5
    assert ratio.low < 0.5 < ratio.high


def test_a_share_has_no_interval_beyond_0_and_1():
    rare = np.array([1.0] + [0.0] * 11)
    assert mean_interval(rare, GROUPS).low < 0
    assert share_interval(rare, np.ones(12), GROUPS).low == 0
    assert share_interval(1 - rare, np.ones(12), GROUPS, exact=True).high == 1


def test_the_interval_of_a_correlation_is_the_jackknife_of_the_mean_of_single_tasks():
    values, groups = np.array([0.9, 0.7, 0.95, 0.2]), np.array(list("abcd"))
    tables = np.column_stack([values, np.ones(4)])
    mean, perfect = correlation_intervals(
        lambda sums: np.stack([sums[:, 0] / sums[:, 1], np.ones(len(sums))]), tables, groups
    )
    assert mean.estimate == pytest.approx(values.mean())
    assert np.allclose((mean.low, mean.high), jackknife_t(values, np.ones(4), fisher=True))
    assert (perfect.low, perfect.high) == (1, 1)


def test_a_correlation_of_one_group_has_no_interval_even_if_it_is_1():
    (perfect,) = correlation_intervals(lambda sums: np.ones((1, len(sums))), np.ones((3, 2)), np.zeros(3))
    assert perfect.estimate == 1
    assert np.isnan([perfect.low, perfect.high]).all()


def test_many_groups_are_left_out_some_at_a_time(monkeypatch):
    tables = np.random.default_rng(0).integers(0, 9, (12, 3, 3)).astype(float)
    groups = np.array(list("abcdeabcdefg"))

    def corner(sums):
        return sums[None, :, 0, 0] / sums.sum(axis=(1, 2))

    at_once = correlation_intervals(corner, tables, groups)
    monkeypatch.setattr("aucstudy.statistics.intervals.GROUPS_AT_ONCE", 3)
    assert correlation_intervals(corner, tables, groups) == at_once


@pytest.mark.parametrize(("n_groups", "high"), [(1, 0.975), (2, 0.842), (5, 0.522), (6, 0.0)])
def test_a_share_of_none_of_a_few_groups_is_not_surely_none(n_groups, high):
    none = share_interval(np.zeros(n_groups), np.ones(n_groups), np.arange(n_groups))
    assert (none.low, round(none.high, 3)) == (0, high)
