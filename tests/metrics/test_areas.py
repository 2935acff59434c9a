"""Metrics agree with hand-worked values and exact fractions, up to the limits of what floats distinguish."""

import numpy as np
import pytest

from aucstudy.metrics import areas, areas_many, aucpr_min, rows
from aucstudy.metrics.kernel import (
    AHEAD,
    count_groups_of_classes,
    count_groups_of_keys,
    groups_of,
    order_of,
)

FIELDS = ("auroc", "average_precision", "aupr", "auprg", "aucnpr")
UNTIED_25 = [int(c) for c in "1110111111011101001000101"]
HELD = {  # labels, scores: AUROC, AP, AUPR, AUPRG, AUCNPR
    "six rows": (
        [1, 1, 0, 0, 1, 0],
        [0.8, 0.8, 0.6, 0.4, 0.4, 0.2],
        (0.833333333333, 0.866666666667, 0.875902135314, 0.708333333333, 0.820964626032),
    ),
    "25 untied": (
        UNTIED_25,
        range(25, 0, -1),
        (0.743055555556, 0.845781945894, 0.838401339592, 0.432462103574, 0.718801784772),
    ),
    "three groups": (
        [1, 1, 0, 1, 0, 1, 0, 0],
        [3, 3, 3, 2, 2, 1, 1, 1],
        (0.65625, 0.608333333333, 0.625815893624, 0.333333333333, 0.460166445352),
    ),
    "perfect": ([1] * 5 + [0] * 5, range(10, 0, -1), (1, 1, 1, 1, 1)),
    "worst": ([0] * 5 + [1] * 5, range(10, 0, -1), (0, 0.354365079365, 0.306852819440, -0.5, 0)),
    "constant": ([1] * 3 + [0] * 7, [0.5] * 10, (0.5, 0.3, 0.3, 0, 0.158898024383)),
    "positive last": ([0] * 9 + [1], range(10, 0, -1), (0, 0.1, 0.051755359080, -4.5, 0)),
    "positive tied in the middle": (
        [0] * 9 + [1],
        [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.05],
        (0.5, 0.166666666667, 0.094534891892, -1.555555555556, 0.045114447228),
    ),
}


def as_dict(got):
    return {name: getattr(got, name) for name in FIELDS}


def check(got, exact):
    for name in FIELDS:
        assert getattr(got, name) == pytest.approx(exact[name], rel=1e-12, abs=1e-12), name


@pytest.mark.parametrize("case", HELD.values(), ids=HELD)
def test_hand_worked_values_hold(case):
    y, s, values = case
    got = as_dict(areas(y, list(s)))
    assert list(got.values()) == pytest.approx(list(values), abs=1e-12)


def from_classes(y, s, t, f, groups):
    classes = (np.append(np.full(AHEAD, np.nan), np.sort(-s[side])) for side in (y, ~y))
    return count_groups_of_classes(*classes, t, f, groups)


def from_keys(y, s, t, f, groups):
    numbers = np.unique(s, return_inverse=True)[1]
    return count_groups_of_keys(np.sort(2 * numbers + y).astype(np.uint32), t, f, groups)


def counted(count, y, s, width):
    """Return the groups of tied rows, counted `width` at a time."""
    t, f = np.count_nonzero(y), np.count_nonzero(~y)
    groups, blocks = np.full((4, width), np.nan), []
    while t > 0:
        start, t, f = count(y, s, t, f, groups)
        blocks.insert(0, groups[:, start:].copy())
    return np.concatenate(blocks, axis=1)


@pytest.mark.parametrize("count", [from_classes, from_keys])
@pytest.mark.parametrize("width", [1, 2, 3, 10])
def test_groups_of_tied_rows_are_counted_from_sorted_numbers(count, width):
    y = np.array([1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 0], dtype=bool)
    s = np.array([9, 8, 7, 7, 7, 6, 5, 4, 4, 4, 3])
    assert counted(count, y, s, width).T.tolist() == [[0, 0, 1, 0], [1, 1, 1, 2], [2, 5, 3, 0]]


@pytest.mark.parametrize("count", [from_classes, from_keys])
@pytest.mark.parametrize("share", [0.004, 0.1, 0.5, 0.79, 0.81, 0.996])
@pytest.mark.parametrize("decimals", [0, 1, 2, 16])
def test_sorted_numbers_have_the_groups_of_the_order_of_rows(count, share, decimals):
    rng = np.random.default_rng(3)
    y = rng.random(1500) < share
    s = (rng.normal(size=1500) + y).round(decimals)
    s[rng.integers(0, 1500, 30)] = np.repeat([np.inf, -np.inf, -0.0], 10)
    expected = groups_of(order_of(y, s[:, None]), 0)
    for width in (1, 7, 256):
        np.testing.assert_array_equal(counted(count, y, s, width), expected)


FLOAT32 = {
    "probabilities": lambda rng, n: rng.random(n, dtype=np.float32),
    "tied": lambda rng, n: rng.random(n, dtype=np.float32).round(1),
    "saturated": lambda rng, n: rng.choice(np.float32([0.0, -0.0, 1e-45, 1e-38, 1 - 2**-24, 1.0]), n),
    "large": lambda rng, n: rng.choice(np.float32([0.0, 2.0, 3.4e38, np.inf]), n),
}


@pytest.fixture
def sorts_of_floats(monkeypatch):
    """Count how often areas are computed from the sorted floats of each class, and not from keys."""
    calls, fill = [], rows._fill_from_classes
    monkeypatch.setattr(rows, "_fill_from_classes", lambda *arguments: (calls.append(1), fill(*arguments)))
    return calls


@pytest.mark.parametrize("scores", FLOAT32.values(), ids=FLOAT32)
@pytest.mark.parametrize("n_positive", [1, 2, 300, 598, 599])
def test_float32_scores_have_the_areas_of_float64_ones(sorts_of_floats, scores, n_positive):
    rng = np.random.default_rng(n_positive)
    y, s = rng.permutation(np.arange(600) < n_positive), scores(rng, 600)
    as_float32, as_float64 = areas(y, s), areas(y, s.astype(float))
    assert sorts_of_floats == []
    assert as_float32 == as_float64
    # Ranks below 0 have no keys.
    assert as_float32 == areas(y, np.unique(s, return_inverse=True)[1] - 600.0)
    assert sorts_of_floats == [1]


def test_hand_worked_values_of_float32_hold(sorts_of_floats):
    for y, s, values in HELD.values():
        got = as_dict(areas(y, np.asarray(s, dtype=np.float32)))
        assert list(got.values()) == pytest.approx(list(values), abs=1e-12)
    assert sorts_of_floats == []


@pytest.mark.parametrize("score", [0.1, -1.0, -np.inf, 1e300, 1e-50, 2.0**24 + 1])
def test_one_score_without_a_key_is_enough_to_sort_floats(sorts_of_floats, exact_areas, score):
    y, s = np.array([1, 0, 1, 0, 1, 0]), np.array([0.5, 0.25, 0.125, 0.0625, 0.75, score])
    check(areas(y, s), exact_areas(y, np.unique(s, return_inverse=True)[1]))
    assert sorts_of_floats == [1]
    many = areas_many(y, np.column_stack([[*s[:5], 0.5], s]))
    assert many.aupr.tolist() == [areas(y, [*s[:5], 0.5]).aupr, areas(y, s).aupr]


def test_a_perfect_ranking_has_areas_of_exactly_one():
    rng = np.random.default_rng(0)
    y = rng.random(3000) < 0.3
    assert set(as_dict(areas(y, y + rng.random(3000))).values()) == {1.0}


def test_the_worst_ranking_has_the_minimum():
    y = np.repeat([0, 1], [4000, 1000])
    got = areas(y, -np.arange(5000))
    assert got.auroc == 0
    assert got.aucnpr == pytest.approx(0, abs=1e-15)
    assert got.aupr == pytest.approx(aucpr_min(0.2), rel=1e-12)
    assert got.auprg == pytest.approx((1 - 1 / 0.2) / 2, rel=1e-12)


@pytest.mark.parametrize("decimals", [1, 2, 16])
@pytest.mark.parametrize("pi", [0.003, 0.1, 0.5, 0.97])
def test_thousands_of_rows_agree_with_exact_fractions(exact_areas, pi, decimals):
    rng = np.random.default_rng(int(pi * 1000) + decimals)
    y = rng.random(3000) < pi
    y[:2] = True, False
    s = np.round(rng.normal(size=3000) + y, decimals)
    check(areas(y, s), exact_areas(y, s))


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("prevalence", [None, 0.001, 0.6])
@pytest.mark.parametrize("recall_range", [(0, 1), (0.25, 0.7)])
def test_options_and_weights_agree_with_exact_fractions(exact_areas, recall_range, prevalence, clip):
    rng = np.random.default_rng(5)
    y = rng.random(2000) < 0.3
    s = np.where(rng.random(2000) < 0.5, np.round(rng.normal(size=2000), 1), rng.normal(size=2000)) + 0.3 * y
    negative_gains = "clip" if clip else "signed"
    for w in (None, rng.integers(0, 64, 2000) / 16):
        got = areas(
            y,
            s,
            sample_weight=w,
            recall_range=recall_range,
            prevalence=prevalence,
            negative_gains=negative_gains,
        )
        check(got, exact_areas(y, s, w, prevalence, recall_range, clip))
        assert got.reference_prevalence == (prevalence or got.prevalence)


@pytest.mark.parametrize("options", [{}, {"recall_range": (0.25, 0.7), "negative_gains": "clip"}], ids=str)
@pytest.mark.parametrize("balance", ["observed", "prevalence of 1/64", "mostly positive"])
@pytest.mark.parametrize("tied", [False, True], ids=["untied", "tied"])
@pytest.mark.parametrize("n_groups", [31, 32, 33, 255, 256, 257, 600])
def test_few_groups_and_blocks_of_many_agree_with_exact_fractions(
    exact_areas, n_groups, tied, balance, options
):
    """From 32 groups on, the kernel has a loop for each term. One block has at most 256 groups."""
    rng = np.random.default_rng(n_groups)
    n_positive = rng.integers(1, 4, n_groups) if tied else np.ones(n_groups, dtype=int)
    s_positive = np.repeat(np.arange(n_groups), n_positive)
    s_negative = rng.integers(0, n_groups, 2 * n_groups) - (0 if tied else 0.5)
    y = np.repeat([True, False], [s_positive.size, s_negative.size])
    s = np.append(s_positive, s_negative)
    w = prevalence = None
    if balance == "prevalence of 1/64":
        prevalence = 1 / 64
    if balance == "mostly positive":
        # Recall gain is above 0 only for about as many positives at the bottom as there are negatives. Positives of
        # the lower half weigh little, so that hundreds of groups have such positives.
        w = np.where(y, np.where(s < n_groups / 2, 1 / 64, 4), 1 / 256)
        assert w[y].sum() > 64 * w[~y].sum()
    exact = exact_areas(
        y, s, w, prevalence, options.get("recall_range", (0, 1)), clip="negative_gains" in options
    )
    got = areas(y, s, sample_weight=w, prevalence=prevalence, **options)
    assert as_dict(got) == pytest.approx(exact, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("large", [0, 17, 39])
def test_a_single_large_group_among_many_small_ones_agrees_with_exact_fractions(exact_areas, large):
    """The kernel integrates precision over small groups by a series, and over large ones in another loop."""
    n_positive = np.where(np.arange(40) == large, 500, 1)
    y = np.repeat([False, True], [1000, n_positive.sum()])
    s = np.append(np.full(1000, 40), np.repeat(np.arange(40), n_positive))
    check(areas(y, s), exact_areas(y, s))


def test_two_rows_are_enough():
    assert as_dict(areas([1, 0], [2, 1])) == dict.fromkeys(FIELDS, 1.0)
    assert areas([1, 0], [1, 2]).aupr == pytest.approx(1 - np.log(2), abs=1e-15)
    assert areas([1, 0], [1, 1]).auprg == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(("y", "n_positive"), [([1] + [0] * 999, 1), ([0] + [1] * 999, 999)])
def test_one_row_of_a_class_is_enough(exact_areas, y, n_positive):
    s = np.random.default_rng(1).random(1000)
    got = areas(y, s)
    assert got.n_positive == n_positive
    check(got, exact_areas(y, s))


@pytest.mark.parametrize(
    "scores",
    [
        [5e-324, 1e-323, 0.0, 1.5e-323, 2e-323, -5e-324],
        [np.inf, np.inf, 1e308, -1e308, -np.inf, -np.inf],
        [2.0**53, 2.0**53 + 2, 2.0**53 + 4, 2.0**53 - 1, 2.0**53 - 2, 2.0**53 + 6],
        [1.0, np.nextafter(1, 2), np.nextafter(1, 0), 1.0, np.nextafter(1, 2), 0.5],
    ],
    ids=["denormals", "infinities", "neighbours of 2^53", "neighbours of 1"],
)
@pytest.mark.parametrize("negatives", [3, 400])
def test_extreme_scores_order_as_any_other(exact_areas, scores, negatives):
    y = [1, 0, 1, 0, 1, 0] + [0] * negatives
    s = scores + [scores[2 + i % 4] for i in range(negatives)]
    ranks = np.unique(s, return_inverse=True)[1]
    check(areas(y, s), exact_areas(y, ranks.tolist()))


def test_a_negative_zero_ties_with_zero():
    assert areas([1, 0], [0.0, -0.0]).auroc == 0.5


def test_counts_and_weights_are_reported():
    got = areas([1, 0, 1, 0], [4, 3, 2, 1], sample_weight=[1, 2, 0.5, 0.5], prevalence=0.1)
    assert (got.n, got.n_positive, got.weight, got.weight_positive) == (4, 2, 4.0, 1.5)
    assert (got.prevalence, got.reference_prevalence) == (0.375, 0.1)


def test_a_recall_range_moves_only_the_areas_of_precision_and_recall():
    y, s = [1, 0, 1, 0, 1], [5, 4, 3, 2, 1]
    whole, inner = areas(y, s), areas(y, s, recall_range=(0.2, 0.9))
    same = ("auroc", "auprg", "average_precision")
    assert [getattr(whole, f) for f in same] == [getattr(inner, f) for f in same]
    assert inner.aupr < whole.aupr


@pytest.mark.parametrize("weighted", [False, True])
def test_areas_many_gives_the_areas_of_each_group_and_column(weighted):
    rng = np.random.default_rng(2)
    y, groups = rng.integers(0, 2, 700), rng.choice(["a", "b", "c", "d"], 700, p=[0.6, 0.3, 0.07, 0.03])
    scores = np.round(rng.normal(size=(700, 5)), 1)
    scores[rng.integers(0, 700, 50)] = -np.inf
    w = rng.random(700) if weighted else None
    for matrix in (scores, np.asfortranarray(scores), np.repeat(scores, 2, axis=1)[:, ::2]):
        got = areas_many(y, matrix, groups=groups, sample_weight=w)
        assert got.auroc.shape == got.n.shape == (4, 5)
        for i, group in enumerate(np.unique(groups)):
            rows = groups == group
            for j in range(5):
                one = areas(y[rows], scores[rows, j], sample_weight=None if w is None else w[rows])
                np.testing.assert_allclose([field[i, j] for field in got], one, rtol=1e-12, atol=1e-13)


def test_areas_many_without_groups_has_one_value_a_model():
    got = areas_many([1, 0, 1], [[3, 1], [2, 2], [1, 3]])
    assert got.auroc.tolist() == [0.5, 0.5]
    assert got.n_positive.tolist() == [2, 2]


def test_a_group_of_one_class_is_nan_and_warned_about_once():
    with pytest.warns(UserWarning, match="2 of 3 groups hold one class only") as caught:
        got = areas_many([1, 0, 1, 1, 0], np.ones((5, 2)), groups=[0, 0, 1, 1, 2])
    assert len(caught) == 1
    assert np.isnan(got.aupr[1:]).all()
    assert (got.auroc[0] == 0.5).all()
    assert got.n_positive[:, 0].tolist() == [1, 2, 0]


@pytest.mark.parametrize("n_negative", [1, 3])
def test_few_negatives_among_ten_million_keep_the_promise(n_negative):
    """The worst ranking has AUPRG -N/(2P) and AUCNPR 0 in closed form; its reverse is perfect."""
    n = 10**7
    y, s = np.ones(n, dtype=np.int64), np.arange(n, 0.0, -1)
    y[:n_negative] = 0
    got = areas(y, s)
    assert got.auprg == pytest.approx(-n_negative / (n - n_negative) / 2, abs=1e-15)
    assert got.aucnpr == pytest.approx(0, abs=1e-12)
    assert areas(y, -s)[:5] == (1, 1, 1, 1, 1)


@pytest.mark.parametrize("prevalence", [0.99999, 1 - 1e-9, 1 - 2**-53])
def test_a_prevalence_close_to_one_keeps_the_promise(exact_areas, prevalence):
    y, s = [1, 0, 1, 1, 0, 1, 1, 0], [8, 7, 6, 5, 5, 4, 3, 2]
    for recall_range in ((0, 1), (0.3, 0.8)):
        got = areas(y, s, prevalence=prevalence, recall_range=recall_range)
        check(got, exact_areas(y, s, prevalence=prevalence, recall_range=recall_range))


@pytest.mark.parametrize("w", [[1e16, 1, 1], [1e16, 1, 3], [1, 1e16, 1], [1e8, 1, 1e-8], [3e-9, 1e16, 1e16]])
def test_positives_of_great_weight_keep_the_promise(exact_areas, w):
    for y in ([1, 0, 1], [0, 1, 1], [1, 1, 0]):
        check(areas(y, [3, 2, 1], sample_weight=w), exact_areas(y, [3, 2, 1], w))


def test_weights_beside_large_sums_keep_their_digits(exact_areas):
    y, s, w = [0, 1] * 40, list(range(80, 0, -1)), [1e9 if i % 7 == 0 else 1e-9 for i in range(80)]
    check(areas(y, s, sample_weight=w), exact_areas(y, s, w))


def test_tied_rows_of_one_weight_keep_the_promise_however_many_there_are():
    """Plain sums of .1 are too far off after a million rows."""
    y = np.arange(1_000_000) < 800_000
    got = areas(y, np.zeros(len(y)), sample_weight=np.full(len(y), 0.1), prevalence=0.001)
    assert got.auroc == pytest.approx(0.5, abs=1e-12)
    assert got.aupr == pytest.approx(0.001, abs=1e-12)
    assert got.auprg == pytest.approx(0, abs=1e-12)
    assert got.average_precision == pytest.approx(0.001, abs=1e-12)


@pytest.mark.parametrize("width", [1e-5, 1e-8, 1e-11, 1e-14])
def test_a_narrow_recall_range_keeps_the_promise_or_the_stated_limit_of_weights(exact_areas, width):
    rng = np.random.default_rng(8)
    for _ in range(100):
        y, s, w = np.append(rng.random(9) < 0.5, [True, False]), rng.integers(0, 8, 11), rng.random(11)
        for weight, tolerance in ((None, 1e-12), (w, 1e-12 + 1e-15 / width)):
            # The range holds a vertex, whose place matters most there.
            reached = np.cumsum(
                np.where(y, 1 if weight is None else weight, 0)[np.argsort(-s, kind="stable")]
            )
            low = max(0.0, float(rng.choice(reached) / reached[-1] - width * rng.random()))
            recall_range = low, min(1.0, low + width)
            got = areas(y, s, sample_weight=weight, recall_range=recall_range).aucnpr
            expected = exact_areas(y, s, weight, recall_range=recall_range)["aucnpr"]
            assert got == pytest.approx(expected, rel=0, abs=tolerance)


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e160, 1e307])
def test_the_size_of_weights_does_not_matter(size):
    y, s, w = [0, 1, 1, 0, 1, 0], [6, 5, 4, 3, 3, 1], np.array([1.0, 2, 4, 3, 2, 5])
    expected = as_dict(areas(y, s, sample_weight=w))
    got = areas(y, s, sample_weight=w * size)
    assert as_dict(got) == pytest.approx(expected, abs=1e-14)
    assert got.weight == pytest.approx(17 * size)
    # The same holds beside a group of ordinary weights.
    both = areas_many(y * 2, np.array([s * 2]).T, groups=[0] * 6 + [1] * 6, sample_weight=[*w, *(w * size)])
    assert both.auprg[1, 0] == pytest.approx(both.auprg[0, 0], abs=1e-14)
    assert both.weight[:, 0] == pytest.approx([17, 17 * size])


def test_a_weight_that_vanishes_beside_the_others_changes_nothing():
    y, s = [1, 0, 1, 0, 1], [9, 8, 3, 2, 1]
    for tiny in (5e-324, 1e-290, 1e-200):
        got = areas(y, s, sample_weight=[tiny, tiny, 1, 1, 1])
        assert as_dict(got) == pytest.approx(as_dict(areas(y[2:], s[2:])), abs=1e-14)
