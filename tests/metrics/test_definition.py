"""The definition of every metric agrees with `areas`, and batches of counts give what all counts give."""

import math

import numpy as np
import pytest

from aucstudy.metrics import areas, areas_of_counts
from aucstudy.metrics.counts import RunningAreas
from aucstudy.metrics.registry import keys

AREAS = keys()

OPTIONS = [
    {},
    {"prevalence": 0.01},
    {"prevalence": 1e-90},
    {"prevalence": 0.999},
    {"recall_range": (0.2, 0.7)},
    {"negative_gains": "clip"},
    {"negative_gains": "clip", "prevalence": 0.4},
]


def made(seed, share, decimals, n=3000):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    scores = (rng.normal(size=n) + y).round(decimals)
    return y, scores, rng.gamma(1.0, size=n) * 10.0 ** rng.integers(-3, 4, n)


def counted(y, scores, weight=None):
    """Return the numbers of positives and of negatives of each score, the highest score first."""
    codes = np.unique(-scores, return_inverse=True)[1]
    weight = np.ones(len(y), dtype=np.int64) if weight is None else weight
    by_class = (np.bincount(codes, weight * side) for side in (y, ~y))
    return [counts.astype(weight.dtype) for counts in by_class]


def agree(own, expected):
    for area in AREAS:
        exact = getattr(expected, area)
        assert abs(own[area] - exact) <= 1e-12 * max(1, abs(exact)), area


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("decimals", [1, 17])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.995])
def test_counts_and_weights_have_the_areas_of_their_rows(options, decimals, share):
    y, scores, weight = made(1, share, decimals)
    positives, negatives = counted(y, scores)
    agree(areas_of_counts(positives, positives + negatives, **options), areas(y, scores, **options))
    positives, negatives = counted(y, scores, weight)
    running = RunningAreas(weight[y].sum(), weight[~y].sum(), **options)
    for start in range(0, positives.size, 500):
        running.add(positives[start : start + 500], negatives[start : start + 500])
    agree(running.areas(), areas(y, scores, sample_weight=weight, **options))


@pytest.mark.parametrize(("P", "N"), [(10**7, 1), (10**7, 30), (3, 10**7)])
def test_classes_of_far_apart_sizes_keep_their_digits(P, N):
    rng = np.random.default_rng(2)
    positives, negatives = (rng.multinomial(size, np.full(2000, 1 / 2000)) for size in (P, N))
    y = np.r_[np.ones(P, dtype=bool), np.zeros(N, dtype=bool)]
    scores = -np.r_[np.repeat(np.arange(2000), positives), np.repeat(np.arange(2000), negatives)]
    agree(areas_of_counts(positives, positives + negatives), areas(y, scores))


def test_a_perfect_ranking_has_exactly_1_and_the_worst_exactly_0():
    assert set(areas_of_counts([3, 2, 0, 0], [3, 2, 4, 1]).values()) == {1.0}
    worst = areas_of_counts([0, 5], [5, 5])
    assert (worst["auroc"], worst["aucnpr"]) == (0, 0)


def test_unsigned_and_short_counts_do_not_overflow():
    expected = areas_of_counts([100, 0, 100], [100, 100, 100])
    for kind in (np.uint8, np.uint64, np.int8):
        assert areas_of_counts(np.array([100, 0, 100], kind), np.array([100, 100, 100], kind)) == expected


@pytest.mark.parametrize("positives", [[1, 2], [0, 0]])
def test_one_class_is_nan_with_a_warning(positives):
    with pytest.warns(UserWarning, match="one class only"):
        assert np.isnan(list(areas_of_counts(positives, [1, 2]).values())).all()


@pytest.mark.parametrize(
    ("positives", "rows", "options", "message"),
    [
        ([2], [1], {}, "positives must be at most rows, not 2 of 1 at index 0"),
        ([1], [1, 1], {}, "^rows has 2 scores and positives has 1; they must have the same number"),
        ([0.5, np.nan], [1, 1], {}, "positives must be finite"),
        ([1, -1], [2, 2], {}, "positives must be finite and not negative"),
        ([[1, 1]], [[2, 2]], {}, "one-dimensional"),
        ([], [], {}, "rows must not be empty or all 0"),
        ([0, 0], [0, 0], {}, "rows must not be empty or all 0"),
        ([1e260, 0], [1e260, 1e260], {}, r"between 2\^-200 and 2\^200"),
        ([1, 0], [1, 1], {"prevalence": 2}, "prevalence must lie"),
    ],
)
def test_what_are_no_counts_is_refused(positives, rows, options, message):
    with pytest.raises(ValueError, match=message):
        areas_of_counts(positives, rows, **options)


def test_whole_numbers_beyond_what_int64_can_sum_are_computed_as_floats():
    expected = areas_of_counts([2, 0, 1], [3, 1, 2])
    for scale in (2**60, 2**62):
        assert areas_of_counts([2 * scale, 0, scale], [3 * scale, scale, 2 * scale]) == pytest.approx(
            expected, rel=1e-12
        )
    half = np.full(4, 2**61)
    assert areas_of_counts(half, 2 * half)["auroc"] == pytest.approx(0.5)
    assert areas_of_counts(half.astype(np.uint64), 2 * half.astype(np.uint64))["auroc"] == pytest.approx(0.5)


def test_sums_of_a_million_weights_keep_12_digits_also_in_batches():
    rng = np.random.default_rng(7)
    n = 1_000_000
    y, weight = rng.random(n) < 0.3, rng.random(n) * 10.0 ** rng.integers(-4, 4, n)
    exact = areas(y, -np.arange(n), sample_weight=weight)
    # The weights of negatives are given as they are, because a difference of two sums would have fewer digits.
    running = RunningAreas(math.fsum(weight[y]), math.fsum(weight[~y]))
    for start in range(0, n, 50_000):
        batch = slice(start, start + 50_000)
        running.add(weight[batch] * y[batch], weight[batch] * ~y[batch])
    agree(running.areas(), exact)


@pytest.mark.parametrize("largest", [10, 2**40, 2**50])
def test_sums_of_whole_numbers_in_batches_are_the_exact_ones_also_beyond_what_floats_hold(largest):
    rng = np.random.default_rng(0)
    d, e = rng.integers(1, largest, 5000), rng.integers(0, largest, 5000)
    by_kind = []
    for kind in (int, float):
        running = RunningAreas(float(d.sum()), float(e.sum()))
        for rows in np.array_split(np.arange(5000), 3):
            running.add(d[rows].astype(kind), e[rows].astype(kind))
        by_kind.append(running.areas())
        assert (running.true_positives, running.false_positives) == (
            float(sum(d.tolist())),
            float(sum(e.tolist())),
        )
    assert by_kind[0] == by_kind[1]
