"""Limits that hold for many means at once: centred on nothing but the means, wider to the side of the long tail."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from aucstudy.config import REPOSITORY
from aucstudy.statistics.intervals import joint_limits, largest_of_class, limits, reach_of, resampled_t


def test_limits_are_means_and_standard_errors_of_what_is_there():
    values = np.array([[1.0, 5.0], [2.0, np.nan], [6.0, 7.0], [3.0, 9.0]])
    made = limits(values, np.array([3.0, 2.0]))
    np.testing.assert_allclose(made.estimate, [3.0, 7.0])
    error = np.array([np.std([1, 2, 6, 3], ddof=1) / 2, 2 / np.sqrt(3)])
    np.testing.assert_allclose(made.low, made.estimate - [3, 2] * error)
    np.testing.assert_allclose(made.high, made.estimate + [3, 2] * error)


def test_a_long_tail_reaches_further_either_way():
    values = np.random.default_rng(0).normal(size=(60, 5))
    skewed = np.random.default_rng(0).lognormal(0, 1.2, size=(60, 5))
    assert (reach_of(skewed, 1000, 1) > 1.3 * reach_of(values, 1000, 1)).all()
    np.testing.assert_allclose(reach_of(-skewed, 1000, 1), reach_of(skewed, 1000, 1))


def test_more_means_reach_further_and_one_of_many_groups_that_of_the_normal():
    values = np.random.default_rng(1).normal(size=(400, 40))
    one, all_ = reach_of(values[:, :1], 4000, 1), reach_of(values, 4000, 1)
    np.testing.assert_allclose(one, 2.24, atol=0.12)
    assert np.min(all_) > np.max(one) + 0.8


def test_a_mean_of_groups_that_are_alike_decides_nothing():
    values = np.random.default_rng(2).normal(size=(20, 2))
    values[:, 1] = 0.25
    made = joint_limits(values, 300, 1)
    assert (made.low[1], made.high[1]) == (0.25, 0.25)
    np.testing.assert_allclose(reach_of(values, 300, 1)[:1], reach_of(values[:, :1], 300, 1))
    sparse = np.zeros((20, 1))
    sparse[:2] = 1.0
    assert np.isfinite(joint_limits(sparse, 300, 1)).all()


def test_the_same_seed_gives_the_same_limits():
    values = np.random.default_rng(3).normal(size=(30, 4))
    first, again, other = (reach_of(values, 200, seed) for seed in (7, 7, 8))
    assert (first == again).all()
    assert (first != other).any()


def test_means_of_few_groups_do_not_widen_those_of_many():
    values = np.random.default_rng(5).exponential(size=(100, 6))
    values[20:, 3:] = np.nan
    t, n = resampled_t(values, 2000, 1), np.isfinite(values).sum(axis=0)
    apart, together = largest_of_class(t, n), largest_of_class(t, n, classes=())
    assert (apart == reach_of(values, 2000, 1)).all()
    assert len(np.unique(apart)) == 2
    assert len(np.unique(together)) == 1
    assert apart[0] < together[0] <= apart[-1]


@pytest.mark.parametrize("n_cells", [3, 30])
def test_they_all_hold_in_most_samples_of_skewed_groups(n_cells):
    random, missed = np.random.default_rng(4), 0
    for _ in range(60):
        values = random.exponential(size=(60, n_cells)) - 1
        made = joint_limits(values, 300, 1)
        missed += bool((made.low > 0).any() | (made.high < 0).any())
    assert missed <= 9


def test_the_limits_in_use_are_those_that_the_committed_draws_take(monkeypatch):
    monkeypatch.syspath_prepend(REPOSITORY / "benchmarks")
    benchmark = import_module("joint_limits")
    levels = pd.read_csv(REPOSITORY / "results" / "benchmarks" / "joint_limits.csv")
    assert benchmark.chosen(levels) == benchmark.CHOSEN
    made = benchmark.candidates(
        np.random.default_rng(6).exponential(size=(40, 3)), np.random.default_rng(0), 100
    )
    assert set(made) == set(levels["limits"])


def test_the_rule_of_the_benchmark_takes_the_narrowest_that_holds(monkeypatch):
    monkeypatch.syspath_prepend(REPOSITORY / "benchmarks")
    benchmark = import_module("joint_limits")
    errors = {
        "wide": (0.01, 0.01, 0.0),
        "narrow": (0.05, 0.03, 0.02),
        "one tail": (0.05, 0.05, 0.0),
        "no": (0.3, 0.2, 0.1),
    }
    rows = [
        {"scenario": scenario, "limits": name, "errs": any_, "errs_below": below, "errs_above": above}
        | {"width": width, "n_draws": 400}
        for scenario in ("redrawn", "smooth")
        for width, (name, (any_, below, above)) in enumerate(reversed(errors.items()))
    ]
    table = pd.DataFrame(rows)
    assert benchmark.chosen(table) == "narrow"
    assert benchmark.chosen(table[table["limits"].isin(["one tail", "no"])]) == "one tail"
