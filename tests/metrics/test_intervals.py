"""Intervals of a metric and of a difference agree with pROC's, have a width, and are equal for equal data."""

import math

import numpy as np
import pytest
from scipy import stats

from aucstudy.metrics import (
    areas,
    compare,
    compare_models,
    interval,
)
from aucstudy.metrics.kernel import order_of
from aucstudy.metrics.registry import index, keys
from aucstudy.metrics.uncertainty.intervals import limits_of_all
from aucstudy.metrics.uncertainty.sample import Sample, number_of_halves, random_halves
from aucstudy.metrics.uncertainty.standard_errors import (
    Counted,
    influence_will_do,
    sampling_errors,
    t_quantile,
    t_tail,
    unit_influences,
)

AREAS = keys()

# The 113 patients of aSAH [Turck et al. 2010] in the package pROC. Expected values are those of pROC 1.19.1.
POOR = (
    "000011010010110010111010000000001001101100000000011000100010"
    "10011101101111000110100000010000000000001111110001000"
)
S100B = (
    "13 14 10 4 13 10 47 16 18 10 12 10 44 71 4 8 49 4 7 33 9 9 7 11 7 17 7 11 13 19 5 16 41 14 34 35 48 9 96 25 50 46 "
    "16 7 43 45 11 8 9 86 52 8 6 13 207 10 14 15 7 6 77 5 9 30 3 9 4 23 70 9 27 71 8 26 8 16 9 13 10 8 11 33 11 28 7 "
    "10 32 22 7 5 24 38 10 15 8 14 10 7 4 19 56 14 58 32 82 74 15 47 17 44 15 50 48"
)
WFNS = (
    "111132541252551252252111121211342145414255112411255212512221"
    "51125214524414121421232421451154221113125225552445111"
)
ROWS = [1, 0], [1, 2]
TWO_EACH = [1, 0, 1, 0], [4, 3, 2, 1], [1, 2, 3, 4]
Y, WFNS = np.array(list(POOR), dtype=int), np.array(list(WFNS), dtype=int)
S100B = np.array(S100B.split(), dtype=int) / 100


def test_delong_is_that_of_proc():
    assert (len(Y), Y.sum()) == (113, 41)
    for score, area, variance, printed in (
        (S100B, 0.73136856368563685, 0.0026686824571724378, ("0.6301", "0.8326")),
        (WFNS, 0.82367886178861793, 0.0014699147088236264, ("0.7485", "0.8988")),
    ):
        reach = stats.norm.ppf(0.975) * math.sqrt(variance)
        delong = interval(Y, score, metric="auroc", method="delong")
        assert delong == pytest.approx((area, area - reach, area + reach), abs=1e-10)
        assert (f"{delong.low:.4f}", f"{delong.high:.4f}") == printed
    p = compare(Y, S100B, WFNS, metric="auroc", method="delong").p
    assert p == pytest.approx(0.02717578222918815, abs=1e-10)


def made(n=120, positives=25):
    rng = np.random.default_rng(1)
    y = np.arange(n) < positives
    return y, rng.normal(size=n) + y, rng.normal(size=n) + 0.5 * y


@pytest.mark.parametrize("df", [1, 2, 3, 9, 30, 999])
def test_students_t_is_scipys(df):
    for level in (0.5, 0.95, 0.999):
        assert t_quantile(level, df) == pytest.approx(stats.t.ppf(0.5 + level / 2, df), rel=1e-10)
    for t in (0.0, 0.3, 2.0, 30.0):
        assert t_tail(t, df) == pytest.approx(stats.t.sf(t, df), abs=1e-13)
    assert t_quantile(0.95, math.inf) == pytest.approx(stats.norm.ppf(0.975), rel=1e-12)
    # One row alone tells nothing about its spread.
    assert (t_quantile(0.95, 0), t_tail(3.0, 0)) == (math.inf, 0.5)


@pytest.mark.parametrize("area", AREAS)
# 120 rows have intervals by halves, 600 rows by influence functions.
@pytest.mark.parametrize("n", [120, 600])
def test_the_interval_holds_the_area_and_a_higher_level_is_wider(area, n):
    y, a, b = made(n, 25 if n == 120 else 300)
    narrow, wide = (interval(y, a, metric=area, level=level) for level in (0.8, 0.99))
    assert wide.low < narrow.low < narrow.estimate < narrow.high <= wide.high <= 1
    assert narrow.estimate == pytest.approx(getattr(areas(y, a), area), abs=1e-12)
    lead, back = (compare(y, *pair, metric=area) for pair in ((a, b), (b, a)))
    assert lead == pytest.approx((-back.estimate, -back.high, -back.low, back.p), abs=1e-12)
    # At level 1 - p, the interval ends at 0.
    assert compare(y, a, b, metric=area, level=1 - lead.p).low == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("area", AREAS)
@pytest.mark.parametrize("ranking", ["perfect", "worst", "constant"])
@pytest.mark.parametrize("n", [4, 60, 900])
def test_no_interval_has_no_width(area, ranking, n):
    y = np.arange(n) < n // 3 + 1
    score = {"perfect": 1.0 * y + 0.1 * np.arange(n) / n, "worst": -1.0 * y, "constant": np.zeros(n)}[ranking]
    estimate, low, high = interval(y, score, metric=area)
    assert low <= estimate + 1e-12
    assert estimate <= high + 1e-12
    assert high - low > 0.5 / n
    alike = compare(y, score, 2 * score, metric=area)
    assert (alike.estimate, alike.p) == (0, 1)
    assert alike.low == pytest.approx(-alike.high)
    assert alike.high > 0.5 / n


def test_the_unseen_rows_of_a_perfect_ranking_are_one_of_each_class_at_the_wrong_end():
    y = np.arange(30) < 10
    errors = sampling_errors(Sample(y, 1.0 * y[:, None]))
    perfect = dict(zip(AREAS, errors.areas[0], strict=True))
    one_negative_on_top = areas([0, 1, 0], [3, 2, 1], sample_weight=[1, 10, 20], prevalence=1 / 3)
    one_positive_at_bottom = areas([1, 0, 1], [3, 2, 1], sample_weight=[10, 20, 1], prevalence=1 / 3)
    for k, area in enumerate(AREAS):
        effects = [perfect[area] - getattr(of, area) for of in (one_negative_on_top, one_positive_at_bottom)]
        assert errors.unseen[:, k, 0] == pytest.approx([effects[0] ** 2 + effects[1] ** 2, 0], abs=1e-12)
        # No row that was seen lowers a perfect ranking.
        reach = stats.norm.ppf(0.975) * math.hypot(*effects)
        assert errors.limits(k, 0.95)[:, 0] == pytest.approx([max(1 - reach, errors.floor[k]), 1])


@pytest.mark.parametrize(("positives", "quantile"), [(9, stats.t.ppf(0.975, 8)), (10, stats.norm.ppf(0.975))])
def test_from_ten_units_of_the_rarer_class_on_the_limits_of_one_model_are_normal(positives, quantile):
    y, a, _ = made(100, positives)
    twice = Sample(np.repeat(y, 2), np.repeat(a, 2)[:, None], groups=np.repeat(np.arange(100), 2))
    for sample in (Sample(y, a[:, None]), twice):
        errors = sampling_errors(sample)
        low = errors.areas[0, 0] - quantile * math.sqrt(errors.covariance[0, 0, 0] + errors.unseen[0, 0, 0])
        assert errors.limits(0, 0.95)[0, 0] == pytest.approx(low)


def test_a_difference_reaches_further_away_from_0_than_towards_it():
    """The test and the limit towards 0 use the variance and an eighth of the squared effects of unseen rows.

    The other limit uses all of them.
    """
    y, a, b = made()
    errors = sampling_errors(Sample(y, np.column_stack([a, b])))
    for k in range(len(AREAS)):
        difference = errors.difference(k, 0, 1)
        covariance = errors.covariance[k]
        variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
        assert difference.estimate > 0
        unseen = errors.unseen[0, k, 0] + errors.unseen[1, k, 1]
        assert difference.down == pytest.approx(math.sqrt(variance + unseen / 8))
        unseen = errors.unseen[1, k, 0] + errors.unseen[0, k, 1]
        assert difference.up == pytest.approx(math.sqrt(variance + unseen))
        assert difference.p() == pytest.approx(2 * stats.t.sf(difference.estimate / difference.down, 24))


def test_the_test_of_delong_uses_the_variance_alone_beside_a_perfect_model():
    y, a, _ = made()
    counted = Counted.of(Sample(y, a[:, None]), order_of(y, a[:, None]))
    influences = unit_influences(counted, index("auroc"))
    lead = 1 - areas(y, a).auroc
    compared = compare(y, y, a, metric="auroc", method="delong")
    assert compared.p == pytest.approx(2 * stats.norm.sf(lead / math.sqrt(np.sum(influences**2))))


def test_a_perfect_model_beats_a_constant_one():
    y = np.arange(600) < 200
    for area in AREAS:
        estimate, low, high, p = compare(y, y, np.zeros(600), metric=area)
        assert 0 < low < estimate < high + 1e-12
        assert 0 < p < 0.05


@pytest.mark.parametrize(
    ("positives", "negatives", "by_influence"),
    [(200, 200, True), (199, 199, False), (1000, 9000, True), (1000, 9010, False)],
)
def test_influence_functions_do_where_the_rarer_class_times_the_prevalence_is_100_rows(
    positives, negatives, by_influence
):
    n = positives + negatives
    sample = Sample(np.arange(n) < positives, np.random.default_rng(1).normal(size=(n, 1)))
    assert influence_will_do(sample) == by_influence
    assert (sampling_errors(sample, halves=5).halves[0] == 0) == by_influence


def test_weights_of_two_are_rows_twice_in_their_group():
    y, a, _ = made(40, 12)
    twice, groups = [np.repeat(values, 2) for values in (y, a)], np.repeat(np.arange(40), 2)
    for area in AREAS:
        options = {"metric": area, "prevalence": 0.3}
        alone = interval(y, a, **options)
        grouped = interval(*twice, groups=groups, **options)
        assert interval(y, a, sample_weight=np.full(40, 2.0), **options) == pytest.approx(alone, abs=1e-12)
        assert grouped == pytest.approx(alone, abs=1e-12)
        # Without groups, copies count as independent rows, so that the interval becomes narrower.
        assert interval(*twice, metric=area).low > grouped.low - 0.05


def test_the_same_prevalence_and_rows_without_weight_change_nothing():
    y, a, b = made()
    for area in AREAS:
        plain = compare(y, a, b, metric=area)
        assert compare(y, a, b, metric=area, prevalence=25 / 120) == pytest.approx(plain, abs=1e-10)
        more = [np.concatenate([values, values[:9]]) for values in (y, a, b)]
        weight = np.r_[np.ones(120), np.zeros(9)]
        assert compare(*more, metric=area, sample_weight=weight) == pytest.approx(plain, abs=1e-10)


@pytest.mark.parametrize("area", AREAS)
def test_influences_halves_and_resampled_rows_have_one_spread_of_many_rows(area):
    y, a, _ = made(4000, 800)
    weight = np.random.default_rng(2).random(4000) + 0.2
    k = index(area)
    for options in ({}, {"weight": weight}, {"prevalence": 0.1}, {"groups": np.arange(4000) // 2}):
        sample = Sample(y, a[:, None], **options)
        by_halves, by_influence = (
            math.sqrt(sampling_errors(sample, ks=[k], by_influence=choice).covariance[k, 0, 0])
            for choice in (False, True)
        )
        assert by_halves == pytest.approx(by_influence, rel=0.15)


@pytest.mark.parametrize("by_influence", [True, False])
def test_rows_at_random_bring_other_prevalences(by_influence):
    rng = np.random.default_rng(5)
    y = np.arange(3000) < 600
    score = rng.normal(size=3000) + y
    counts = rng.multinomial(3000, np.full(3000, 1 / 3000), 400).astype(float)
    resampled = np.array([areas(y, score, sample_weight=weight)[:5] for weight in counts])
    rows = y, score[:, None]
    free, fixed, at_prevalence = (
        sampling_errors(Sample(*rows, **options), by_influence=by_influence).covariance
        for options in ({"sampling": "rows"}, {}, {"sampling": "rows", "prevalence": 0.2})
    )
    assert np.sqrt(free[:, 0, 0]) == pytest.approx(resampled.std(axis=0), rel=0.12)
    assert free[1, 0, 0] > 1.1 * fixed[1, 0, 0]
    assert at_prevalence == pytest.approx(fixed)


def test_unequal_weights_count_for_fewer_rows():
    sample = Sample(np.arange(20) < 8, np.zeros((20, 1)))
    weight = np.where(np.arange(20) == 0, 7.0, 1.0)
    assert sample._replace(weight=weight).n_minority() == pytest.approx(14**2 / 56)
    assert sample.n_minority() == 8


def test_folds_take_out_what_lies_between_them():
    folds = np.arange(200) % 2
    y = np.arange(200) % 4 < 2
    score = folds + 1e-3 * np.random.default_rng(1).normal(size=200)
    for by_influence in (True, False):
        rows, within = (
            sampling_errors(sample, by_influence=by_influence).covariance[0, 0, 0]
            for sample in (Sample(y, score[:, None]), Sample(y, score[:, None], folds=folds))
        )
        assert within < 0.5 * rows


def test_halves_are_halves_of_each_stratum():
    strata = np.array([0, 1, 1, 1, 2, 2, 2, 2])
    halves = random_halves(strata, 400, np.random.default_rng(1))
    for stratum, sizes in enumerate(({0, 1}, {1, 2}, {2})):
        assert set(halves[:, strata == stratum].sum(axis=1)) == sizes
    assert halves.mean(axis=0) == pytest.approx(np.full(8, 0.5), abs=0.1)


def test_limits_of_many_models_are_those_of_each():
    y, a, b = made()
    both = limits_of_all(Sample(y, np.column_stack([a, b])))
    for k, area in enumerate(AREAS):
        assert both[1, k].tolist() == pytest.approx(list(interval(y, b, metric=area)[1:]), abs=1e-12)


def test_models_are_compared_as_two_alone_and_their_p_is_adjusted_for_how_many_they_are():
    rng = np.random.default_rng(3)
    y = np.arange(200) < 60
    scores = {f"m{i}": rng.normal(size=200) + shift * y for i, shift in enumerate((0.5, 0.9, 1.6))}
    for area in ("auroc", "aupr", "auprg"):
        pairs = compare_models(y, scores, metric=area)
        assert [pair[:2] for pair in pairs] == [("m0", "m1"), ("m0", "m2"), ("m1", "m2")]
        for first, second, *numbers, _ in pairs:
            assert numbers == pytest.approx(
                [*compare(y, scores[first], scores[second], metric=area)], rel=1e-9
            )
        p = np.sort([pair.p for pair in pairs])
        steps = np.maximum.accumulate(p * [3, 2, 1]).clip(max=1)  # Holm 1979
        assert np.sort([pair.p_adjusted for pair in pairs]) == pytest.approx(steps)
    pairs = compare_models(y, scores, metric="auroc", against="m1")
    assert [pair[:2] for pair in pairs] == [("m1", "m0"), ("m1", "m2")]


def test_auprg_of_less_than_one_positive_below_gain_zero_may_be_anything():
    y = np.arange(1000) < 20
    assert interval(y, np.arange(1000) % 7, metric="auprg")[1:] == (-24.5, 1)


def test_the_same_seed_gives_the_same_interval_and_labels_may_be_words():
    y, a, _ = made()
    words = np.where(y, "yes", "no")
    assert interval(words, a, metric="aupr", pos_label="yes") == interval(y, a, metric="aupr")
    assert interval(y, a, metric="aupr", seed=2) != interval(y, a, metric="aupr")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"metric": "auc"},
            "metric 'auc' is not known; did you mean 'auroc'.*, or a target metric such as f1",
        ),
        ({"level": 95}, "level must lie strictly between 0 and 1, not 95"),
        ({"method": "bca"}, "method must be 'delong' or None, not 'bca'"),
        ({"method": "delong", "metric": "aupr"}, "method 'delong' is for metric 'auroc', not 'aupr'"),
        ({"groups": [1, 1, 1, 1, 2, 3], "folds": [1] * 6}, "groups and folds were both given"),
        ({"groups": [1, 1, 1, 2, 3, 4]}, "1 group holds a positive; .* two"),
        ({"y_true": [1, 0, 0, 0, 0, 0]}, "1 row holds a positive; .* two"),
        ({"y_true": [1, 1, 1, 1, 1, 1]}, "0 rows hold a negative; .* two"),
        ({"y_score": [1, 2]}, "y_true has 6 rows and y_score has 2"),
        ({"folds": [1, 2]}, "y_true has 6 rows and folds has 2"),
        *(({"seed": seed}, "seed must be a whole number of at least 0, not") for seed in (-1, "a", 1.5)),
    ],
)
def test_bad_input_is_refused_with_what_is_wanted(options, message):
    call = {"y_true": [1, 1, 1, 0, 0, 0], "y_score": [1, 2, 3, 4, 5, 6], "metric": "auroc"} | options
    with pytest.raises(ValueError, match=message):
        interval(**call)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compare(*TWO_EACH, metric="auroc", margin=0), "margin must lie .* between 0 and 1, not 0"),
        (
            lambda: compare(*TWO_EACH, metric="aupr", margin=0.7),
            r"between 0 and 0\.693147, not 0\.7: .* of aupr differ",
        ),
        (lambda: compare(*TWO_EACH, metric="auprg", margin=1.5), r"between 0 and 1\.5, not 1\.5"),
        (lambda: compare_models([1, 0], {"a": [1, 2]}, metric="auroc"), r"two or more models, not \['a'\]"),
        (lambda: compare_models([1, 0], {"a": [1, 2], "b": [1, 2]}, metric="auroc", against="c"), "not 'c'"),
    ],
)
def test_comparisons_refuse_what_makes_no_sense(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def one_wrong_pair(positives, negatives):
    """Return labels, a perfect ranking, and one with the last positive and the first negative exchanged."""
    n = positives + negatives
    perfect = -np.arange(n, dtype=float)
    swapped = perfect.copy()
    swapped[[positives - 1, positives]] = swapped[[positives, positives - 1]]
    return np.arange(n) < positives, perfect, swapped


@pytest.mark.parametrize("area", AREAS)
@pytest.mark.parametrize("counts", [(10, 90), (30, 30), (100, 900), (99, 11)])
def test_a_perfect_ranking_is_not_shown_better_than_one_with_a_wrong_pair(area, counts):
    y, perfect, swapped = one_wrong_pair(*counts)
    for pair, sign in (((perfect, swapped), 1), ((swapped, perfect), -1)):
        difference = compare(y, *pair, metric=area)
        assert difference.p > 0.3
        assert difference.low < 0 < difference.high
        assert sign * difference.estimate > 0
    # A difference far from 0 stays possible, but not every difference.
    assert max(abs(end) for end in difference[1:3]) < 0.8
    assert compare(y, swapped, -perfect, metric=area).p < 0.01


def test_variances_of_a_perfect_ranking_and_one_with_a_wrong_pair_are_not_below_0():
    y, perfect, swapped = one_wrong_pair(100, 900)
    errors = sampling_errors(Sample(y, np.column_stack([perfect, swapped])))
    assert (errors.covariance.diagonal(axis1=1, axis2=2) >= 0).all()
    for k in range(len(AREAS)):
        assert errors.difference(k, 0, 1).down > 0


@pytest.mark.parametrize(("n", "halves"), [(1000, 500), (100_000, 300), (1_000_000, 50)])
def test_large_samples_have_fewer_halves(n, halves):
    assert number_of_halves(n, 500) == halves


@pytest.mark.parametrize("area", ["auroc", "aupr"])
def test_a_margin_is_kept_to_where_the_interval_lies_above_it(area):
    rng = np.random.default_rng(5)
    y = rng.random(400) < 0.3
    b = rng.normal(size=400) + y
    for a in (0.8 * b + 0.4 * rng.normal(size=400), b + rng.normal(size=400), 2 * y + rng.normal(size=400)):
        margins = (0.01, 0.05, 0.1, 0.3)
        compared = [compare(y, a, b, metric=area, margin=margin) for margin in margins]
        assert {comparison[:3] for comparison in compared} == {compare(y, a, b, metric=area)[:3]}
        p = [comparison.p for comparison in compared]
        assert [number < 0.025 for number in p] == [compared[0].low > -margin for margin in margins]
        assert p == sorted(p, reverse=True)


def test_a_margin_of_auprg_may_be_as_wide_as_its_range():
    assert 0 < compare(*TWO_EACH, metric="auprg", margin=1.2).p < 0.5


@pytest.mark.filterwarnings("error")
def test_equal_rankings_are_within_any_margin_by_delong():
    y, scores, _ = TWO_EACH
    assert compare(y, scores, scores, metric="auroc", method="delong", margin=0.01) == (0, 0, 0, 1e-15)


@pytest.mark.parametrize("units", [{}, {"folds": np.arange(40) % 2}, {"groups": np.arange(40) % 20}])
def test_at_a_given_prevalence_both_kinds_of_sampling_keep_the_classes(units):
    rng = np.random.default_rng(7)
    y, scores = np.arange(40) < 10, rng.normal(size=40)
    limits = [
        interval(y, scores, metric="aupr", prevalence=0.1, sampling=sampling, **units)
        for sampling in ("classes", "rows")
    ]
    assert limits[0] == limits[1]


def test_a_margin_by_delong_is_a_normal_test():
    rng = np.random.default_rng(6)
    y = np.arange(300) < 100
    a, b = rng.normal(size=(2, 300)) + [[0.9], [1.0]] * y
    estimate, low, _, p = compare(y, a, b, metric="auroc", method="delong", margin=0.05)
    sd = (estimate - low) / stats.norm.ppf(0.975)
    assert p == pytest.approx(stats.norm.sf((estimate + 0.05) / sd), abs=1e-9)
