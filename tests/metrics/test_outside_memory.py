"""Areas of tables larger than memory: the same bits whatever the cuts, the chunks, their order and the files."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

from aucstudy.area_names import AREAS
from aucstudy.metrics import areas, areas_of_chunks, interval, intervals_of_chunks

N = 3000
OPTIONS = [
    {},
    {"prevalence": 0.01},
    {"prevalence": 1e-90},
    {"prevalence": 0.999},
    {"recall_range": (0.2, 0.7)},
    {"negative_gains": "clip"},
]
FIELDS = ("auroc", "aupr", "auprg", "aucnpr", "average_precision", "prevalence", "reference_prevalence")


def made(seed, n=N, decimals=2, share=0.3):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return (
        y,
        (rng.normal(size=n) + y).round(decimals),
        rng.gamma(1.0, size=n) * 10.0 ** rng.integers(-3, 4, n),
    )


def chunked(columns, size, seed=None):
    """Chunks of rows, in another order where a seed is given."""
    order = (
        np.arange(len(columns[0]))
        if seed is None
        else np.random.default_rng(seed).permutation(len(columns[0]))
    )
    return [tuple(column[order[i : i + size]] for column in columns) for i in range(0, len(order), size)]


def agree(one, other):
    for name in FIELDS:
        a, b = getattr(one, name), getattr(other, name)
        assert abs(a - b) <= 1e-12 * max(1, abs(b)), name
    assert (one.n, one.n_positive) == (other.n, other.n_positive)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("decimals", [1, 17])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.995])
def test_agrees_with_the_areas_of_the_whole_table(options, decimals, share):
    y, score, weight = made(1, decimals=decimals, share=share)
    agree(areas_of_chunks([(y, score)], **options), areas(y, score, **options))
    agree(areas_of_chunks([(y, score, weight)], **options), areas(y, score, sample_weight=weight, **options))


@pytest.mark.parametrize("compute", [areas_of_chunks, intervals_of_chunks])
@pytest.mark.parametrize("with_weights", [False, True])
@pytest.mark.parametrize("decimals", [0, 2, 17])
def test_order_chunks_and_files_change_no_bit(tmp_path, compute, with_weights, decimals):
    columns = made(2, decimals=decimals)[: 3 if with_weights else 2]
    wanted = compute([columns])
    for seed, size, held in ((None, 100, 10_000), (1, 7, 2_000), (2, 500, 1 << 20), (3, 64, 1)):
        assert compute(iter(chunked(columns, size, seed)), held=held, scratch=tmp_path) == wanted
    by_score = tuple(column[np.argsort(columns[1])] for column in columns)
    assert compute(chunked(by_score, 50), held=3_000, scratch=tmp_path) == wanted
    assert not list(tmp_path.iterdir())
    estimates = [ends.estimate for ends in intervals_of_chunks([columns]).values()]
    assert estimates == list(areas_of_chunks([columns])[: len(AREAS)])


def test_integers_that_float64_ties_stay_apart():
    y, score = np.array([1, 0, 1, 0]), 2**60 + np.array([3, 2, 1, 0])
    assert areas_of_chunks([(y, score)]).auroc == 0.75
    assert areas_of_chunks([(y, score.astype(np.uint64))]).auroc == 0.75


def test_infinite_scores_and_both_zeros_order_and_tie_as_in_areas():
    y, score = np.array([1, 0, 1, 0, 1, 0]), np.array([np.inf, np.inf, 0.0, -0.0, -np.inf, -1])
    assert areas_of_chunks([(y[:3], score[:3]), (y[3:], score[3:])]).auroc == areas(y, score).auroc


def test_a_score_with_more_rows_than_are_held_is_counted_not_sorted(tmp_path):
    y, score, weight = made(4)
    score[::2] = 0.5
    for columns in ((y, score), (y, score, weight)):
        small = areas_of_chunks(chunked(columns, 90, 1), held=3_000, scratch=tmp_path)
        assert small == areas_of_chunks([columns])


def test_a_score_whose_rows_weigh_nothing_adds_nothing(tmp_path):
    y, score, weight = made(6)
    score[::2], weight[::2] = 0.5, 0.0
    columns = y, np.where(weight > 0, score + 10 * (score == 0.5), 0.5), weight
    small = areas_of_chunks(chunked(columns, 90, 1), held=3_000, scratch=tmp_path)
    assert small == areas_of_chunks([columns])


def influence_limits(y, score, weight=None, **options):
    """As `interval` gives them, of every area."""
    options |= {"method": "influence", "sample_weight": weight}
    return {area: interval(y, score, area=area, **options) for area in AREAS}


@pytest.mark.parametrize("prevalence", [None, 0.013, 0.7])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("decimals", [0, 1, 17])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.97])
def test_intervals_are_those_of_influence_functions_of_all_rows(share, decimals, weighted, prevalence):
    y, score, weight = made(7, decimals=decimals, share=share)
    weight[::7] = 0
    columns = (y, score, weight)[: 3 if weighted else 2]
    ends = intervals_of_chunks(chunked(columns, 400), level=0.9, prevalence=prevalence)
    for area, wanted in influence_limits(*columns, level=0.9, prevalence=prevalence).items():
        # of a difference of two numbers near 1 its digits are those of these
        assert ends[area] == pytest.approx(wanted, rel=0, abs=1e-9 * (wanted.high - wanted.low) + 1e-13), area


@pytest.mark.parametrize("prevalence", [None, 0.05])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sizes", [(5, 20), (60, 2000)])
@pytest.mark.parametrize("sign", [1, -1, 0], ids=["perfect", "worst", "constant"])
def test_without_spread_limits_are_those_of_what_may_look_alike(sign, sizes, weighted, prevalence):
    y = np.repeat([1, 0], sizes)
    score = sign * (y + np.linspace(0, 0.5, y.size).round(2))
    weight = (np.random.default_rng(9).gamma(1.0, size=y.size),) if weighted else ()
    own = intervals_of_chunks([(y, score, *weight)], prevalence=prevalence)
    wanted = influence_limits(y, score, *weight, prevalence=prevalence)
    for area in AREAS:
        assert own[area] == pytest.approx(wanted[area], abs=1e-9), area


def exact_auprg(y, score, weight):
    """Of fractions, so that nothing is rounded."""
    sums = {s: [Fraction(0), Fraction(0)] for s in sorted(set(score.tolist()), reverse=True)}
    for positive, s, w in zip(y, score.tolist(), weight.tolist(), strict=True):
        sums[s][0 if positive else 1] += Fraction(w)
    P, N = (sum(column) for column in zip(*sums.values(), strict=True))
    first, t, f, loss = P * P / (P + N), Fraction(0), Fraction(0), Fraction(0)
    for d, e in sums.values():
        if d and t + d > first:
            share = max(first - t, 0) / d
            t0, f0 = t + share * d, f + share * e
            loss += P * P / N * (t + d - t0) / (t0 * (t + d)) * P / N * (f0 / t0 + (f + e) / (t + d)) / 2
        t, f = t + d, f + e
    return float(1 - loss)


@pytest.mark.parametrize("span", [20, 52, 58])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_auprg_holds_where_weights_are_far_apart(span, share):
    for seed in range(20):
        rng = np.random.default_rng([seed, span])
        y, score = rng.random(40) < share, rng.integers(0, 8 if seed % 2 else 1000, 40).astype(float)
        y[:2], weight = [True, False], 2.0 ** rng.uniform(0, span, 40)
        exact = exact_auprg(y, score, weight)
        for held in (1, 1 << 20):
            own = areas_of_chunks(chunked((y, score, weight), 7), held=held).auprg
            assert abs(own - exact) <= 1e-12 * max(1, abs(exact))


@pytest.mark.parametrize("weights", [[1e30, 1, 1, 1], [1e308, 1e308, 1e-308, 1]])
def test_weights_too_far_apart_are_refused_with_how_far(weights):
    for compute in (areas_of_chunks, intervals_of_chunks):
        with pytest.raises(ValueError, match=r"times the smallest; .* at most 1\.84e\+19 times is wanted"):
            compute([([1, 0, 1, 0], [4.0, 3, 2, 1], np.array(weights))])


def test_one_row_with_all_the_weight_has_the_interval_of_all_rows():
    y, score, weight = np.array([1, 0, 1, 0, 1, 0]), np.arange(6.0), np.array([1e17, 1e17, 1, 1, 1, 1])
    own, wanted = intervals_of_chunks([(y, score, weight)]), influence_limits(y, score, weight)
    for area in AREAS:
        assert own[area] == pytest.approx(wanted[area], abs=1e-9)
    assert interval(y, score, area="auroc", sample_weight=weight)[1:] == (0, 1)


def test_chunks_without_rows_change_nothing():
    y, score, weight = made(5)
    empty = tuple(column[:0] for column in (y, score, weight))
    assert areas_of_chunks([empty, (y, score, weight), empty]) == areas_of_chunks([(y, score, weight)])


def test_one_class_is_nan_with_a_warning():
    with pytest.warns(UserWarning, match="one class only"):
        result = areas_of_chunks([([1, 1], [0.5, 0.2])])
    assert np.isnan(result.auroc)
    assert (result.n, result.n_positive) == (2, 2)


FOUR, SCORES = [1, 0, 1, 0], [4, 3, 2, 1]
REFUSED = {
    areas_of_chunks: [
        (([],), {}, "no rows"),
        (([([1, 0], [0.5, np.nan])],), {}, "NaN, the first at index 1"),
        (([([1, 0], [0.5])],), {}, "must have the same number"),
        (([([1, 0], [0.5, 1], [1, 1]), ([1, 0], [0.5, 1])],), {}, "only some have weights"),
        (([([1, 0], [0.5, 1], [1, -1])],), {}, "finite and not negative"),
        (([([1, 0], [0.5, 1], [1e260, 1e260])],), {}, r"between 2\^-200 and 2\^200, not 1e\+260"),
        (([([1, 0], ["a", "b"])],), {}, "floats or integers"),
        (([([1, 0], [0.5, 1]), ([1, -1], [0.5, 1])],), {}, "0 and 1 in some chunks, -1 and 1 in others"),
        (([(FOUR, SCORES)],), {"scratch": "/no/such"}, "scratch must be a folder .*, not '/no/such'"),
    ],
    intervals_of_chunks: [
        (([([1, 0, 0], [2, 1, 0])],), {}, "one row or none; an interval wants two"),
        (([(FOUR, SCORES)],), {"level": 2}, "level must lie"),
    ],
    interval: [
        ((FOUR, SCORES), {"area": "aupr", "seed": seed}, "seed must be a whole number of at least 0, not")
        for seed in (-1, "a", 1.5)
    ],
}


@pytest.mark.parametrize(
    ("function", "arguments", "options", "message"),
    [(function, *case) for function, cases in REFUSED.items() for case in cases],
)
def test_what_is_no_table_is_refused(function, arguments, options, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments, **options)


def test_rows_in_memory_stay_below_what_may_be_held(tmp_path):
    y, score, _ = made(8, n=4_000_000, decimals=17)
    chunks, held = chunked((y, score), 20_000), 20_000_000
    areas_of_chunks(chunks[:2], held=1)
    tracemalloc.start()
    areas_of_chunks(iter(chunks), held=held, rows=y.size, scratch=tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < held + 7_000_000  # blocks of rows and of groups, whatever the size of the table
