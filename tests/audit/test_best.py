"""What the audit says of the best model holds in as many samples as it says."""

import math

import numpy as np
import pandas as pd
import pytest

from aucstudy.audit.noise import row_noise
from aucstudy.audit.rankings import Rankings
from aucstudy.metrics.registry import index, ranking_keys
from aucstudy.metrics.uncertainty.sample import Sample, random_halves
from aucstudy.statistics.best import (
    TargetValues,
    compared_with_leader,
    critical_values,
    normal_spread,
    target_values_of,
)

DRAWS = 500


class Normal:
    """A noise in which the difference between any two models has standard deviation 1."""

    method, resamples, df = "normal", 0, math.inf

    def __init__(self, values):
        self.values = values

    def difference(self, k, first, second, level=0.95):
        return normal_spread(np.asarray(self.values[first] - self.values[second]), np.ones(1), level)

    def covariance_of(self, k):
        return np.eye(len(self.values)) / 2


def may_be_best(*values):
    frame = pd.DataFrame({"auroc": values})
    return compared_with_leader(frame, Normal(frame["auroc"].to_numpy()), [0])


def test_critical_values_are_dunnetts():
    """The values are those of Dunnett 1955, table 1a: one-sided, 5 %, correlation .5."""
    for m, df, value in (
        (3, math.inf, 1.92),
        (6, math.inf, 2.23),
        (10, math.inf, 2.42),
        (6, 20.0, 2.39),
    ):
        assert np.abs(critical_values(np.eye(m), df) - value).max() < 0.06


def test_a_model_is_excluded_where_the_first_beats_it_beyond_what_many_comparisons_allow():
    assert may_be_best(2.0, 0.0)["may_be_best"].tolist() == [True, False]
    assert may_be_best(1.9, 0.0)["may_be_best"].tolist() == [True, True]
    # Dunnett's value for ten models is 2.42, up to simulation and steps. Bonferroni's is 2.54.
    assert may_be_best(2.37, *[0.0] * 9)["may_be_best"].all()
    assert may_be_best(2.5, *[0.0] * 9)["may_be_best"].sum() == 1
    assert may_be_best(1.0, 0.5)["positives"].iloc[1] == pytest.approx((1.959964 / 0.5) ** 2)


def test_a_model_that_compare_excludes_beside_hopeless_ones_is_excluded():
    """Eight of ten models are far behind, so that Holm's correction compares the second as if alone."""
    assert may_be_best(6.0, 4.0, *[0.0] * 8)["may_be_best"].tolist() == [True, *[False] * 9]
    assert may_be_best(6.0, 4.1, *[0.0] * 8)["may_be_best"].tolist() == [True, True, *[False] * 8]


def test_half_of_all_leads_lie_where_the_range_of_positives_says():
    seen = may_be_best(1.0, 0.0).iloc[1]
    at = [(1.959964 / lead) ** 2 for lead in (1.6745, 1.0, 0.3255)]
    assert seen[["positives_low", "positives", "positives_high"]].tolist() == pytest.approx(at)
    assert may_be_best(1.0, 0.5)["positives_high"].iloc[1] == math.inf
    assert may_be_best(1.0, 1.0)["positives_low"].iloc[1] == pytest.approx((1.959964 / 0.6745) ** 2)


def test_the_first_may_be_short_by_the_lowest_of_its_corrected_leads():
    lows = may_be_best(1.0, 0.9, -3.0)["low"]
    assert lows.tolist() == pytest.approx([0, 0.1 - 1.959964, 4 - 1.959964], abs=1e-5)


def equal_models(rng, positives, n, m):
    y = np.arange(n) < positives
    return y, 0.8 * rng.normal(size=(n, 1)) + 0.6 * rng.normal(size=(n, m)) + 1.2 * y[:, None]


@pytest.mark.whole
@pytest.mark.parametrize("positives", [20, 100])
@pytest.mark.parametrize("m", [2, 5])
def test_of_equal_models_each_is_kept_in_95_percent_of_samples(positives, m):
    """Equal models are the hardest case.

    The leader falls short of the best by 0, so that its bound always holds.
    """
    places = [index(metric) for metric in ranking_keys()]
    kept = []
    for draw in range(DRAWS):
        y, scores = equal_models(np.random.default_rng([positives, m, draw]), positives, 10 * positives, m)
        rankings = Rankings(y, scores)
        values = pd.DataFrame(rankings.values()[:, places], columns=list(ranking_keys()))
        of_draw = compared_with_leader(values, row_noise(rankings, resamples=200, seed=draw), places)
        values = target_values_of("f1", Sample(y, scores), draws=200, seed=draw)
        of_target = compared_with_leader(pd.DataFrame({"f1": values.values}), values, [0])
        both = pd.concat([of_draw, of_target])
        kept.append(both.groupby("metric")["may_be_best"].mean())  # Each of the equal models is the best.
    share = pd.DataFrame(kept).mean()
    print(positives, m, share.round(3).to_dict())
    assert share.min() > 0.95 - 2 * np.sqrt(0.05 * 0.95 / DRAWS)


def test_halves_spread_as_samples_do():
    """A difference in f1 has the same standard deviation from the halves of one sample as over samples."""
    rng = np.random.default_rng(0)
    differences, sds = [], []
    for _ in range(100):
        y, scores = equal_models(rng, 60, 300, 2)
        values = target_values_of("f1", Sample(y, scores), draws=200, seed=1)
        low, high, _ = values.difference(0, 0, 1)
        differences.append(values.values[0] - values.values[1])
        sds.append((high - low) / 2 / 1.959964)
    assert np.mean(sds) == pytest.approx(np.std(differences), rel=0.2)


def test_a_half_holds_half_of_each_stratum():
    strata = np.array([2, 0, 0, 2, 2, 0, 0, 2, 1])
    kept = random_halves(strata, 400, np.random.default_rng(0))
    in_each = np.stack([kept[:, strata == stratum].sum(axis=1) for stratum in range(3)])
    assert [np.unique(counts).tolist() for counts in in_each] == [[2], [0, 1], [2]]
    assert kept.mean(axis=0) == pytest.approx(0.5, abs=0.1)


def test_halves_take_whole_groups():
    y = np.arange(40) % 4 == 0
    scores = np.random.default_rng(0).random((40, 2))
    twice = target_values_of("f1", Sample(y, scores, groups=np.arange(40) // 4), draws=100, seed=1)
    assert isinstance(twice, TargetValues)
    assert twice.errors.deviations.shape == (100, 2)
