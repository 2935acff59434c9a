"""A ranking change is called real only where both of its signs are supported."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from aucstudy.audit.noise import row_noise, swaps, verdict, winner_differences, winners
from aucstudy.audit.rankings import Rankings
from aucstudy.metrics import areas, areas_many, compare
from aucstudy.metrics.registry import keys, ranking_keys
from aucstudy.statistics.best import SUPPORT, Spread

AREAS = keys()

MODELS = pd.Index(["early", "late", "poor"], name="model")


def crossing(n=4000, seed=5):
    """Draw labels and the scores of three models, of which the last is random.

    The ROC curves of the first two cross: one is good at the top of the ranking, the other below it.
    """
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.2
    early = np.where(y & (rng.random(n) < 0.45), 4 + rng.random(n), rng.normal(size=n))
    late = rng.normal(size=n) + 1.1 * y
    return y, np.column_stack([early, late, rng.normal(size=n)])


def values(y, scores):
    return pd.DataFrame(Rankings(y, scores).values(), columns=list(AREAS), index=MODELS)


def exact(y, scores):
    of_models = areas_many(y, scores)
    return np.column_stack([getattr(of_models, metric) for metric in AREAS])


def test_rankings_give_the_areas_of_the_metrics_module_and_of_repeated_rows_if_weighted():
    y, scores = crossing(300)
    scores = scores.round(1)
    rankings, times = Rankings(y, scores), np.random.default_rng(1).integers(1, 4, 300)
    np.testing.assert_allclose(rankings.values(), exact(y, scores), atol=1e-13)
    repeated = exact(np.repeat(y, times), np.repeat(scores, times, axis=0))
    np.testing.assert_allclose(Rankings(y, scores, times.astype(float)).values(), repeated, atol=1e-12)
    moved = rankings.values(prevalence=0.01)
    assert moved[0, 2] == pytest.approx(areas(y, scores[:, 0], prevalence=0.01).auprg, abs=1e-12)
    assert (exact(y, rankings.ranks()) == exact(y, scores)).all()


def test_a_clear_crossing_is_more_than_noise():
    y, scores = crossing(seed=6)
    draws = row_noise(Rankings(y, scores), resamples=200)
    found = swaps(values(y, scores), draws, ("auroc", "aupr"))
    assert found[["preferred_first", "preferred_second", "real"]].values.tolist() == [["late", "early", True]]
    assert min(found["difference_first"].iloc[0], found["difference_second"].iloc[0]) > 0
    assert verdict(values(y, scores), draws, ranking_keys()) == "real"


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
    known = SimpleNamespace(difference=lambda k, *_: Spread(0.0, 0.0, {"auroc": 1.0, "aupr": 0.8}[AREAS[k]]))
    found = swaps(areas_of, known, ("auroc", "aupr")).iloc[0]
    assert (found["support_first"], found["support_second"], found["real"]) == (1, 0.8, False)


def test_the_swap_whose_weaker_sign_is_supported_best_comes_first():
    supports = {(0, 1): 0.9, (0, 2): 0.99, (1, 2): 0.95}

    def difference(k, first, second):
        pairs = zip(np.minimum(first, second), np.maximum(first, second), strict=True)
        return Spread(0.0, 0.0, np.array([supports[pair] for pair in pairs]))

    areas_of = pd.DataFrame({"auroc": [0.9, 0.8, 0.7], "aupr": [0.7, 0.8, 0.9]}, index=MODELS)
    swapped = swaps(areas_of, SimpleNamespace(difference=difference), ["auroc", "aupr"])
    assert swapped["support_first"].tolist() == [0.99, 0.95, 0.9]
    assert swapped["real"].tolist() == [True, False, False]


def test_the_interval_of_a_lead_holds_the_lead():
    y, scores = crossing(800)
    won = winners(values(y, scores), row_noise(Rankings(y, scores), resamples=300), ranking_keys()).set_index(
        "metric"
    )
    assert ((won["low"] < won["lead"]) & (won["lead"] < won["high"])).all()
    assert won.loc["auroc", ["best", "second"]].to_list() == ["late", "early"]
    assert won.loc["aupr", "best"] == "early"


@pytest.mark.parametrize("options", [{}, {"folds": np.arange(300) % 3}, {"groups": np.arange(300) // 2}])
def test_the_interval_and_the_support_of_few_rows_are_those_of_compare(options):
    """Both draw random halves of their own, so that they agree only approximately."""
    y, scores = crossing(300)
    noise = row_noise(Rankings(y, scores), **options)
    assert (noise.method, noise.resamples) == ("halves", 1000)
    for k, area in enumerate(AREAS):
        low, high, held = noise.difference(k, 0, 1)
        _, wanted_low, wanted_high, p = compare(y, scores[:, 0], scores[:, 1], metric=area, **options)
        assert (low, high) == pytest.approx((wanted_low, wanted_high), abs=0.15 * (high - low))
        assert 1 - abs(2 * held - 1) == pytest.approx(p, abs=0.1)
        # A one-sided support of .975 means that the interval lies above 0.
        assert (held >= SUPPORT) == (low > 0)
        assert noise.difference(k, 1, 0) == pytest.approx((-high, -low, 1 - held), abs=1e-9)
        assert noise.of([2, 0, 1]).difference(k, 1, 2) == pytest.approx((low, high, held), abs=1e-9)


def test_the_same_seed_gives_the_same_noise():
    y, scores = crossing(100)
    first, again, other = (row_noise(Rankings(y, scores), resamples=50, seed=seed) for seed in (1, 1, 2))
    assert first.difference(1, 0, 1) == again.difference(1, 0, 1) != other.difference(1, 0, 1)


def test_models_that_rank_alike_and_a_single_positive_have_wide_intervals():
    y, scores = crossing(100)
    alike = row_noise(Rankings(y, scores[:, [0, 0]])).difference(0, 0, 1)
    assert alike.low == -alike.high < -0.01
    assert alike.support == 0.5
    single = row_noise(Rankings(np.arange(50) < 1, scores[:50])).difference(1, 0, 1)
    assert single.low < -0.9
    assert single.high > 0.9
    assert single.support == 0.5


@pytest.mark.parametrize("rare", [True, False])
def test_a_single_row_of_a_class_shows_no_real_disagreement(rare):
    places = np.arange(40)
    # Where the single row is one of six that are tied in front, AUROC is higher than where it is fourth
    # alone, and average precision is lower.
    scores = np.column_stack([places < 6, -np.where(places < 1, 3.5, places), places == 7])
    y = (places < 1) == rare
    areas_of = values(y, scores if rare else -scores)
    assert (
        verdict(areas_of, row_noise(Rankings(y, scores if rare else -scores), resamples=100), ranking_keys())
        == "noise"
    )


@pytest.mark.parametrize("options", [{}, {"folds": np.arange(8000) % 3}, {"groups": np.arange(8000) // 4}])
def test_influence_functions_give_the_intervals_of_compare(options):
    y, scores = crossing(8000)
    scores[:, 0] = scores[:, 0].round(1)
    noise = row_noise(Rankings(y, scores), **options)
    assert (noise.method, noise.resamples) == ("influence functions", 0)
    for k, area in enumerate(AREAS):
        for first, second in ((0, 1), (0, 2), (1, 2)):
            low, high, held = noise.difference(k, first, second)
            compared = compare(y, scores[:, first], scores[:, second], metric=area, **options)
            assert (low, high) == pytest.approx(compared[1:3], abs=1e-9)
            assert 1 - abs(2 * held - 1) == pytest.approx(compared.p, abs=1e-9)
    assert noise.of([2, 0]).difference(1, 1, 0) == noise.difference(1, 0, 2)


@pytest.mark.parametrize(
    ("n", "n_positive", "method"),
    [
        (400, 200, "influence functions"),
        (400, 199, "halves"),
        (1000, 890, "halves"),  # 110 negatives
        (10_000, 1000, "influence functions"),  # recall gain 0 at 100 positives
        (10_010, 1000, "halves"),
    ],
)
def test_intervals_of_few_rows_of_a_class_or_few_positives_below_gain_zero_are_by_halves(
    n, n_positive, method
):
    y = np.arange(n) < n_positive
    scores = np.random.default_rng(0).normal(size=(n, 2))
    assert row_noise(Rankings(y, scores), resamples=2).method == method


def test_models_that_rank_alike_are_kept_apart_by_unseen_rows_alone():
    y, scores = crossing(6000)
    noise = row_noise(Rankings(y, np.column_stack([scores[:, 1], 2 * scores[:, 1], scores[:, 0]])))
    for k in range(len(AREAS)):
        low, high, held = noise.difference(k, 0, 1)
        assert (low, held) == (-high, 0.5)
        assert 0 < high < 0.01


def clustered(groups=400, seed=8):
    """Draw groups of 16 rows that share part of their scores and have different numbers of positives."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), 16)
    y = rng.random(len(group)) < np.repeat(rng.beta(1, 2, groups), 16)
    shared = np.repeat(rng.normal(size=(groups, 2)), 16, axis=0)
    return y, 0.7 * y[:, None] + shared + rng.normal(size=(len(y), 2)), group


def test_groups_leave_more_open_than_rows_and_few_are_halved_however_many_rows():
    y, scores, groups = clustered(800)
    rankings = Rankings(y, scores)
    by_groups, by_rows = row_noise(rankings, groups=groups), row_noise(rankings)
    assert by_groups.method == by_rows.method == "influence functions"
    for k in range(len(AREAS)):
        low, high, _ = by_groups.difference(k, 0, 1)
        assert high - low > 1.5 * np.subtract(*by_rows.difference(k, 0, 1)[1::-1])
    assert row_noise(rankings, groups=groups % 30, resamples=2).method == "halves"


def test_winners_that_differ_have_a_bound_on_their_difference_in_the_areas_that_chose_them():
    y, scores = crossing(200)
    areas_of_models = values(y, scores)
    noise = row_noise(Rankings(y, scores), resamples=100)
    table = winner_differences(areas_of_models, noise, ranking_keys())
    best = {metric: areas_of_models[metric].idxmax() for metric in table["metric"]}
    assert set(best.values()) == {"early", "late"}
    for row in table.itertuples():
        models = map(list(MODELS).index, (row.first, row.second))
        low, high, _ = noise.difference(AREAS.index(row.metric), *models)
        assert (row.low, row.high, row.bound) == (low, high, max(-low, high))
