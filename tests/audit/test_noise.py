"""A swap is called real only where resampling supports both of its signs."""

import numpy as np
import pandas as pd
import pytest

from aucstudy.area_names import AREAS
from aucstudy.audit.noise import (
    Influences,
    Resamples,
    Spread,
    excluded,
    resampled_areas,
    row_noise,
    support,
    swaps,
    verdict,
    winners,
)
from aucstudy.audit.rankings import Rankings
from aucstudy.metrics import areas, areas_many
from aucstudy.statistics.seeds import generator

MODELS = pd.Index(["early", "late", "poor"], name="model")


def crossing(n=4000, seed=5):
    """Two models whose ROC curves cross: one is good at the top of the ranking, the other below it."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.2
    early = np.where(y & (rng.random(n) < 0.45), 4 + rng.random(n), rng.normal(size=n))
    late = rng.normal(size=n) + 1.1 * y
    return y, np.column_stack([early, late, rng.normal(size=n)])


def values(y, scores):
    return pd.DataFrame(Rankings(y, scores).values(), columns=list(AREAS), index=MODELS)


def test_rankings_give_the_areas_of_the_metrics_module():
    y, scores = crossing(300)
    scores = scores.round(1)
    found, want = Rankings(y, scores).values(), areas_many(y, scores)
    for k, metric in enumerate(AREAS):
        assert found[:, k] == pytest.approx(getattr(want, metric), abs=1e-13)
    moved = Rankings(y, scores).values(prevalence=0.01)
    assert moved[0, 2] == pytest.approx(areas(y, scores[:, 0], prevalence=0.01).auprg, abs=1e-12)


def test_a_resampled_ranking_is_the_ranking_of_the_repeated_rows():
    y, scores = crossing(60)
    rankings = Rankings(y, scores)
    times = np.random.default_rng(1).integers(0, 4, 60)
    want = areas_many(np.repeat(y, times), np.repeat(scores, times, axis=0))
    for k, metric in enumerate(AREAS):
        assert rankings.values(times)[:, k] == pytest.approx(getattr(want, metric), abs=1e-12)


def test_a_clear_crossing_is_more_than_noise():
    y, scores = crossing()
    draws = row_noise(Rankings(y, scores), resamples=200)
    found = swaps(values(y, scores), draws, ("auroc", "aupr"))
    assert found[["preferred_first", "preferred_second", "real"]].values.tolist() == [["late", "early", True]]
    assert min(found["difference_first"].iloc[0], found["difference_second"].iloc[0]) > 0
    assert verdict(values(y, scores), draws) == "real"


def test_a_swap_of_equally_good_models_is_noise():
    rng = np.random.default_rng(2)
    real = 0
    for _ in range(20):
        y = rng.random(200) < 0.3
        scores = rng.normal(size=(200, 3)) + y[:, None]
        draws = row_noise(Rankings(y, scores), resamples=100)
        real += swaps(values(y, scores), draws, ("auroc", "aupr", "auprg"))["real"].sum()
    assert real <= 1


def test_one_supported_sign_is_not_enough():
    names = pd.Index(["a", "b"])
    areas_of = pd.DataFrame({metric: [0.6, 0.5] for metric in AREAS}, index=names).assign(aupr=[0.5, 0.6])
    draws = np.zeros((100, 2, 5))
    draws[:, 0, AREAS.index("auroc")] = 1  # always a
    draws[:60, 1, AREAS.index("aupr")] = 1  # b in 60 of 100, tied else
    found = swaps(areas_of, Resamples(draws), ("auroc", "aupr")).iloc[0]
    assert (found["support_first"], found["support_second"], found["real"]) == (1, 0.8, False)


def test_the_swap_whose_weaker_sign_is_supported_best_comes_first():
    supports = {(0, 1): 0.9, (0, 2): 0.99, (1, 2): 0.95}

    class Known:
        def difference(self, k, first, second):
            return Spread(0.0, 0.0, supports[min(first, second), max(first, second)])

    areas_of = pd.DataFrame({"auroc": [0.9, 0.8, 0.7], "aupr": [0.7, 0.8, 0.9]}, index=MODELS)
    swapped = swaps(areas_of, Known(), ["auroc", "aupr"])
    assert swapped["support_first"].tolist() == [0.99, 0.95, 0.9]
    assert swapped["real"].tolist() == [True, False, False]


def test_the_interval_of_a_lead_holds_the_lead():
    y, scores = crossing(800)
    won = winners(values(y, scores), row_noise(Rankings(y, scores), resamples=300)).set_index("metric")
    assert ((won["low"] < won["lead"]) & (won["lead"] < won["high"])).all()
    assert won.loc["auroc", ["best", "second"]].to_list() == ["late", "early"]
    assert won.loc["aupr", "best"] == "early"


def test_resampling_keeps_the_positives_of_every_fold():
    y = np.arange(40) % 4 == 0
    folds = np.arange(40) // 20
    scores = np.column_stack([folds + 0.0, np.arange(40.0)])  # the first model knows the fold alone
    draws = resampled_areas(Rankings(y, scores), folds, resamples=30)
    assert np.ptp(draws[:, 0], axis=0).max() < 1e-12
    assert np.ptp(draws[:, 1, 0]) > 0


def test_the_same_seed_gives_the_same_draws():
    y, scores = crossing(100)
    first, again, other = (resampled_areas(Rankings(y, scores), resamples=5, seed=seed) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_ties_support_both_signs_by_half():
    assert support(np.array([0.0, 0.0, 1.0, -1.0])) == 0.5


def test_the_limit_of_resampling_has_the_intervals_and_the_support_of_4000_resamples():
    """An end of the interval is off by 5 % of the width and three Monte Carlo standard errors at most."""
    y, scores = crossing(8000)
    scores[:, 0] = scores[:, 0].round(1)
    folds = np.arange(len(y)) % 3
    rankings = Rankings(y, scores)
    limit = row_noise(rankings, folds)
    drawn = Resamples(resampled_areas(rankings, folds, resamples=4000))
    assert isinstance(limit, Influences)
    for k in range(len(AREAS)):
        for first, second in ((0, 1), (0, 2), (1, 2)):
            low, high, held = limit.difference(k, first, second)
            want = drawn.difference(k, first, second)
            # a 2.5 % point of 4000 normal draws has a standard error of 1 % of the distance between two of them
            assert abs(low - want.low) < 0.08 * (want.high - want.low)
            assert abs(high - want.high) < 0.08 * (want.high - want.low)
            assert held == pytest.approx(want.support, abs=0.04)
    assert limit.of([2, 0]).difference(1, 1, 0) == limit.difference(1, 0, 2)


@pytest.mark.parametrize(
    ("n", "n_positive", "method"),
    [
        (2000, 1000, "influence functions"),
        (2000, 1001, "resampling"),  # 999 negatives
        (2000, 999, "resampling"),
        (10_000, 1000, "influence functions"),  # recall gain 0 at 100 positives
        (10_010, 1000, "resampling"),
    ],
)
def test_intervals_of_few_rows_of_a_class_or_few_positives_below_gain_zero_are_resampled(
    n, n_positive, method
):
    y = np.arange(n) < n_positive
    scores = np.random.default_rng(0).normal(size=(n, 2))
    assert row_noise(Rankings(y, scores), resamples=2).method == method


def test_every_row_of_a_large_table_that_is_resampled_has_its_chance():
    counts = []
    y = np.arange(250_000) % 50_000 == 0
    rankings = Rankings(y, np.zeros((len(y), 1)))
    rankings.values = lambda drawn: counts.append(drawn) or np.zeros((1, len(AREAS)))
    assert row_noise(rankings, resamples=3).resamples == 3
    assert [drawn.sum() for drawn in counts] == [len(y)] * 3
    # a row is left out of a resample with probability 1/e
    assert np.mean(np.stack(counts) > 0) == pytest.approx(1 - np.exp(-1), abs=0.002)


def test_models_that_rank_alike_have_no_noise_between_them():
    y, scores = crossing(6000)
    noise = row_noise(Rankings(y, np.column_stack([scores[:, 1], 2 * scores[:, 1], scores[:, 0]])))
    for k in range(len(AREAS)):
        low, high, held = noise.difference(k, 0, 1)
        assert (low, held) == (-high, 0.5)
        assert high < 1e-6


def test_groups_of_one_row_are_rows():
    y, scores = crossing(80)
    rankings = Rankings(y, scores)
    rows = resampled_areas(rankings, resamples=20)
    assert resampled_areas(rankings, groups=np.arange(80), resamples=20) == pytest.approx(rows, abs=1e-12)


def test_rows_that_stand_twice_in_their_group_add_no_certainty():
    y, scores = crossing(80)
    rows = resampled_areas(Rankings(y, scores), resamples=20)
    twice = Rankings(np.repeat(y, 2), np.repeat(scores, 2, axis=0))
    groups = np.repeat(np.arange(80), 2)
    assert resampled_areas(twice, groups=groups, resamples=20) == pytest.approx(rows, abs=1e-12)


def test_a_resample_of_groups_that_all_hold_positives_has_both_classes():
    y = np.array([True, True, True, False, True, False])
    draws = resampled_areas(Rankings(y, np.arange(12.0).reshape(6, 2)), groups=np.array([0, 1, 2, 2, 3, 3]))
    assert np.isfinite(draws).all()


def clustered(groups=400, seed=8):
    """Groups of 16 rows that share part of their scores, with different numbers of positives."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), 16)
    y = rng.random(len(group)) < np.repeat(rng.beta(1, 2, groups), 16)
    shared = np.repeat(rng.normal(size=(groups, 2)), 16, axis=0)
    return y, 0.7 * y[:, None] + shared + rng.normal(size=(len(y), 2)), group


def test_the_limit_over_groups_is_that_of_resampling_them():
    y, scores, groups = clustered()
    rankings = Rankings(y, scores)
    limit = row_noise(rankings, groups=groups)
    assert isinstance(limit, Influences)
    drawn = Resamples(resampled_areas(rankings, groups=groups, resamples=1000))
    of_rows = row_noise(rankings)
    for k in range(len(AREAS)):
        low, high, _ = limit.difference(k, 0, 1)
        want = drawn.difference(k, 0, 1)
        assert high - low == pytest.approx(want.high - want.low, rel=0.15)
        assert high - low > 1.5 * np.subtract(*of_rows.difference(k, 0, 1)[1::-1])


def test_few_groups_are_resampled_however_many_rows():
    y, scores, groups = clustered()
    assert row_noise(Rankings(y, scores), groups=groups % 30, resamples=2).method == "resampling"


def test_winners_that_differ_have_a_bound_on_their_difference_in_the_areas_that_chose_them():
    y, scores = crossing(200)
    areas_of_models = values(y, scores)
    noise = row_noise(Rankings(y, scores), resamples=100)
    table = excluded(areas_of_models, noise)
    best = {metric: areas_of_models[metric].idxmax() for metric in table["metric"]}
    assert set(best.values()) == {"early", "late"}
    for row in table.itertuples():
        low, high, _ = noise.difference(
            AREAS.index(row.metric), *map(list(MODELS).index, (row.first, row.second))
        )
        assert (row.low, row.high, row.bound) == (low, high, max(-low, high))


def test_many_resamples_drawn_at_once_are_those_drawn_one_stratum_after_the_other():
    y, scores = crossing(60)
    folds = np.where(np.arange(60) == np.flatnonzero(y)[0], 2, np.arange(60) % 2)
    rankings, rng, expected = Rankings(y, scores), generator(1, "audit", "resampled rows"), []
    for _ in range(3):
        counts = np.zeros(60)
        for positive, fold in [(True, 0), (True, 1), (True, 2), (False, 0), (False, 1)]:
            rows = np.flatnonzero((y == positive) & (folds == fold))
            np.add.at(counts, rows[rng.integers(len(rows), size=len(rows))], 1)
        expected.append(rankings.values(counts))
    assert (resampled_areas(rankings, folds, resamples=3, seed=1) == np.stack(expected)).all()
