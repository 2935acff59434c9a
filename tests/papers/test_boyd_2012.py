"""Proofs of the statements of Boyd et al. 2012, "Unachievable Region in Precision-Recall Space".

The docstring of a test has the statement in our words, and the section or theorem of the paper. Where the
project has an entry on the statement, the docstring has its id too. A proof holds for all recalls and all
prevalences. After each proof, the test alters the statement and shows that the altered one is false.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import pytest
import sympy
from proofs import equal, never_negative, positive
from sympy import Expr, Integer, Rational, log, oo, symbols

TP, FP, FN, TN = cells = symbols("TP FP FN TN", positive=True)
R, P = symbols("r p", positive=True)  # recall and precision
PI = sympy.Symbol("pi", positive=True)  # the prevalence; not the number pi
ODDS = sympy.Symbol("odds", positive=True)  # pi / (1 - pi), for proofs that need a prevalence below 1
AREA, LEAST = symbols("area least", positive=True)

BY_COUNTS = {PI: (TP + FN) / (TP + FP + FN + TN), R: TP / (TP + FN), P: TP / (TP + FP)}
LEAST_PRECISION = PI * R / (1 - PI + PI * R)  # equation 1
LEAST_AREA = 1 + (1 - PI) * log(1 - PI) / PI  # equation 2
F1 = 2 * P * R / (P + R)


def at_odds(value: Expr) -> Expr:
    """Return the value as a function of the odds, which may be any positive number, in place of the prevalence."""
    return value.subs(PI, ODDS / (1 + ODDS))


# Section 2: the unachievable region


def test_theorem_1_no_table_has_a_precision_below_the_minimum_at_its_recall():
    """Theorem 1 (B-T1): p >= pi r / (1 - pi + pi r). Precision equals the minimum if every negative is predicted
    positive."""
    slack = (P - LEAST_PRECISION).subs(BY_COUNTS)
    assert positive(slack)
    assert equal(slack.subs(TN, 0), Integer(0))
    # A higher bound does not hold, and a lower one is not reached.
    assert (P - PI * R / (1 - PI)).subs(BY_COUNTS).subs({TP: 4, FN: 0, FP: 4, TN: 0}) < 0
    assert not equal((P - PI * R).subs(BY_COUNTS).subs(TN, 0), Integer(0))


def test_the_worst_ranking_has_the_minimum_precision_at_every_recall():
    """Section 2.2: interpolation between (0, 0) and (1, pi) goes along the minimum curve. The interpolated tables
    have i true positives and all negatives as false positives. Their recall is i/pos, and is misprinted as i/n
    (B-ri)."""
    i, pos, neg = symbols("i pos neg", positive=True)
    least = LEAST_PRECISION.subs(PI, pos / (pos + neg))
    assert equal(least.subs(R, i / pos), i / (i + neg))
    assert not equal(least.subs(R, i / (pos + neg)), i / (i + neg))


def test_low_precision_has_a_largest_recall():
    """Section 4.4: a precision p below pi is achievable up to the recall p (1 - pi) / (pi (1 - p)), which is below
    1. A precision of pi or more is achievable at every recall."""
    largest = P * (1 - PI) / (PI * (1 - P))
    assert equal(LEAST_PRECISION.subs(R, largest), P)
    less, miss = symbols("less miss", positive=True)
    below_pi = at_odds(PI) / (1 + less)
    assert positive(1 - at_odds(largest).subs(P, below_pi))
    assert positive(at_odds(PI - LEAST_PRECISION).subs(R, 1 / (1 + miss)))
    assert not equal(LEAST_PRECISION.subs(R, P / PI), P)


def integral_of_least_precision(a: Expr, b: Expr) -> Expr:
    """Return the area under the minimum curve between two recalls: Corollary 4."""
    return (b - a) + (1 - PI) / PI * log((PI * (a - 1) + 1) / (PI * (b - 1) + 1))


def is_area_from_to(stated: Callable[[Expr, Expr], Expr]) -> bool:
    """Return whether a formula is the integral of the minimum curve from a to b, for all a, b and pi.

    It is if it is 0 for b = a, and if its derivative by b is the minimum precision at the recall b.
    """
    a, b = symbols("a b", positive=True)
    derivative = stated(a, b).diff(b)
    return equal(stated(a, a), Integer(0)) and equal(derivative, LEAST_PRECISION.subs(R, b))


def test_corollary_4_area_of_the_unachievable_region_between_two_recalls():
    """Corollary 4 (B-C4): over recalls from a to b, the minimum of AUCPR is
    b - a + (1 - pi) / pi * ln((pi (a - 1) + 1) / (pi (b - 1) + 1))."""
    assert is_area_from_to(integral_of_least_precision)
    assert not is_area_from_to(
        lambda a, b: (b - a) - (1 - PI) / PI * log((PI * (a - 1) + 1) / (PI * (b - 1) + 1))
    )
    assert not is_area_from_to(lambda a, b: (b - a) + (1 - PI) / PI * log((PI * a + 1) / (PI * b + 1)))


def test_theorem_2_area_of_the_unachievable_region():
    """Theorem 2 (B-T2): the minimum of AUCPR is 1 + (1 - pi) ln(1 - pi) / pi."""
    assert equal(integral_of_least_precision(Integer(0), Integer(1)), LEAST_AREA)
    # The paper's own way: an antiderivative by recall.
    antiderivative = (R * PI + (PI - 1) * log(PI * (R - 1) + 1)) / PI
    assert equal(antiderivative.diff(R), LEAST_PRECISION)
    assert equal(antiderivative.subs(R, 1) - antiderivative.subs(R, 0), LEAST_AREA)
    for altered in (1 - (1 - PI) * log(1 - PI) / PI, 1 + PI * log(1 - PI) / (1 - PI), 1 + log(1 - PI) / PI):
        assert not equal(integral_of_least_precision(Integer(0), Integer(1)), altered)


def test_theorem_3_each_positive_of_a_ranking_has_at_least_the_precision_of_the_sum():
    """Theorem 3 (B-T3): the minimum of AP is the mean of i / (i + neg) over the positives i = 1 to pos. The proof is
    for each term, and so for any number of positives."""
    i, pos, before, after = symbols("i pos before after", positive=True)
    neg = before + after
    term = i / (i + neg)
    # With i positives and some negatives at or above the i-th positive, the precision there is at least the
    # term. It is equal if no negative is left.
    assert positive(i / (i + before) - term)
    assert positive((i / (i + before) - term).subs(before, 0))
    assert equal((i / (i + before) - term).subs(after, 0), Integer(0))
    # The term is the minimum of Theorem 1 at the recall i / pos, as in the paper's proof.
    assert equal(LEAST_PRECISION.subs({PI: pos / (pos + neg), R: i / pos}), term)
    assert not equal(LEAST_PRECISION.subs({PI: pos / (pos + neg), R: i / (pos + neg)}), term)


@pytest.mark.parametrize(("pos", "neg"), [(1, 5), (3, 4), (4, 2)])
def test_theorem_3_the_sum_is_the_smallest_of_all_rankings(pos, neg):
    """Theorem 3 (B-T3), checked on all rankings of some small numbers of rows without ties."""
    stated = sum(Fraction(i, i + neg) for i in range(1, pos + 1)) / pos
    ranks_of_positives = combinations(range(1, pos + neg + 1), pos)
    precisions = [
        sum(Fraction(i, rank) for i, rank in enumerate(ranks, 1)) / pos for ranks in ranks_of_positives
    ]
    assert min(precisions) == stated
    assert precisions.count(stated) == 1
    assert stated != sum(Fraction(i, i + pos + neg) for i in range(1, pos + 1)) / pos


def test_without_positives_or_without_negatives_the_minimum_is_not_defined():
    """Section 3: at pi = 0 and at pi = 1, the minimum of AUCPR and AUCNPR are not defined. The minimum tends to 0
    and 1 there."""
    for prevalence, limit, side in ((0, 0, "+"), (1, 1, "-")):
        assert LEAST_AREA.subs(PI, prevalence) is sympy.nan
        assert sympy.limit(LEAST_AREA, PI, prevalence, side) == limit
    # At pi = 1 every AUCPR is 1 as well, so that AUCNPR divides 0 by 0.
    normalised = (AREA - LEAST) / (1 - LEAST)
    assert normalised.subs({AREA: 1, LEAST: 1}, simultaneous=True) is sympy.nan
    assert LEAST_AREA.subs(PI, Rational(1, 2)) == 1 + log(Rational(1, 2))


# Section 3: what replaces AUCPR


def test_aucnpr_orders_models_as_aucpr_does_and_has_the_same_range_at_every_prevalence():
    """Section 3 has two requirements on a replacement of AUCPR: on one test set it orders models as AUCPR does, and
    its range is the same for every prevalence. AUCNPR meets both. AUCPR meets only the first."""
    more = sympy.Symbol("more", positive=True)
    aucnpr = (AREA - LEAST) / (1 - LEAST)
    # AUCPR_MIN is below 1 because ln(1 - pi) is negative. So AUCNPR increases with AUCPR.
    assert equal(1 - LEAST_AREA, -(1 - PI) / PI * log(1 - PI))
    assert sympy.expand_log(log(sympy.cancel(at_odds(1 - PI)))).is_negative
    assert positive(aucnpr.diff(AREA).subs(LEAST, 1 / (1 + more)))
    assert equal(aucnpr.subs(AREA, LEAST), Integer(0))
    assert equal(aucnpr.subs(AREA, 1), Integer(1))
    # Without the denominator, the largest value depends on the prevalence, as the smallest of AUCPR does.
    assert not equal((AREA - LEAST).subs(AREA, 1), Integer(1))
    ends = [LEAST_AREA.subs(PI, Rational(1, share)) for share in (2, 100)]
    assert ends[0] - ends[1] > Rational(1, 4)
    # Over a range of recalls from a to b, the largest area is b - a.
    width = sympy.Symbol("width", positive=True)
    partial = (AREA - LEAST) / (width - LEAST)
    assert equal(partial.subs(AREA, width), Integer(1))
    assert not equal(aucnpr.subs(AREA, width), Integer(1))


def test_normalising_by_random_guessing_has_a_range_that_depends_on_the_prevalence_and_negative_values():
    """Section 3 (B-divide): one could normalise by the AUCPR of random guessing, which is pi. The range of
    (AUCPR - pi) / (1 - pi) depends on the prevalence, and its value is negative below random guessing."""
    less = sympy.Symbol("less", positive=True)
    by_guessing = (AREA - PI) / (1 - PI)
    assert equal(by_guessing.subs(AREA, 1), Integer(1))
    assert equal(by_guessing.subs(AREA, PI), Integer(0))
    assert positive(-at_odds(by_guessing.subs(AREA, PI / (1 + less))))
    # The lower end is 1 + ln(1 - pi) / pi. It is -.39 at pi = .5 and has no bound as pi grows.
    lower_end = 1 + log(1 - PI) / PI
    assert equal(by_guessing.subs(AREA, LEAST_AREA), lower_end)
    assert round(float(lower_end.subs(PI, Rational(1, 2))), 2) == -0.39
    assert sympy.limit(lower_end, PI, 0, "+") == 0
    assert sympy.limit(lower_end, PI, 1, "-") == -oo
    # A quotient by pi is never negative, so the second drawback is not one of the quotient.
    assert never_negative(at_odds(AREA / PI))
    assert not never_negative(at_odds(by_guessing))


# Section 1: the minimum of one task and the areas of others


def test_minimum_area_of_one_task_can_be_larger_than_all_areas_of_other_tasks_together():
    """Section 1 (B-outweigh): the area under the minimum curve of a task without skew may be larger than the total
    area of all other tasks. This is a statement of existence. One example has two other tasks of one positive and
    99 negatives, and models that rank three negatives above the positive: their AUROC is .97. The statement does
    not hold for all models, because a perfect model has an area of 1."""
    unskewed = LEAST_AREA.subs(PI, Rational(1, 2))
    # With one positive below m negatives, the area is the integral of t / (t + m) over recalls t from 0 to 1.
    recall, m = symbols("t m", positive=True)
    antiderivative = recall - m * log(recall + m)
    assert equal(antiderivative.diff(recall), recall / (recall + m))
    area = antiderivative.subs(recall, 1) - antiderivative.subs(recall, 0)
    total = 2 * area.subs(m, 3)
    assert total < unskewed
    assert (round(float(total), 3), round(float(unskewed), 3)) == (0.274, 0.307)
    assert sympy.limit(area, m, 0, "+") == 1
    # The area of random guessing is pi. Six tasks of prevalence .05 are another example, and seven are not.
    assert 6 * Rational(5, 100) < unskewed < 7 * Rational(5, 100)


# Section 4.4: F1


def test_f1_alone_is_not_bounded_by_the_prevalence():
    """Section 4.4: the unachievable region puts no bound on F1. Every F1 is that of the point with precision 1 and
    recall F1 / (2 - F1), which is achievable at every prevalence. At a fixed recall, F1 has a bound."""
    value, less = symbols("F less", positive=True)
    recall = value / (2 - value)
    assert equal(F1.subs({R: recall, P: 1}), value)
    assert positive(1 - recall.subs(value, 1 / (1 + less)))
    assert positive(at_odds(1 - LEAST_PRECISION))
    # At recall 1 the precision is at least pi, and F1 at least 2 pi / (1 + pi).
    bound = 2 * PI / (1 + PI)
    assert equal(LEAST_PRECISION.subs(R, 1), PI)
    assert equal(F1.subs({R: 1, P: PI}), bound)
    assert positive(at_odds(F1.subs({R: 1, P: PI * (1 + less)}) - bound))


def test_no_modified_f1_is_0_on_the_minimum_curve_and_strictly_increasing():
    """Section 4.4 (B-f1): no score is 0 on the minimum curve (equation 3) and strictly increases with recall
    (equation 4) and precision (equation 5). It would need 0 = f(0, 0) < f(0, pi) < f(1, pi) = 0. If it may stay
    the same, such scores exist, and they are 0 wherever p <= pi."""
    curve_at = {recall: LEAST_PRECISION.subs(R, recall) for recall in (0, 1)}
    assert (curve_at[0], sympy.simplify(curve_at[1])) == (0, PI)  # So f is 0 at (0, 0) and (1, pi).
    at_corner = sympy.Symbol("f(0, pi)", real=True)
    assert sympy.And(at_corner > 0, at_corner < 0).as_set() == sympy.S.EmptySet
    assert sympy.And(at_corner >= 0, at_corner <= 0).as_set() == sympy.FiniteSet(0)
    # The same for each point with p <= pi: the curve has a point of the same precision and one of the same recall.
    # If the point is achievable, then f(r, minimum at r) <= f(r, p) <= f(largest recall at p, p), and both ends
    # are 0. If it is not, the signs are the other way round. The largest recall exists where p <= pi.
    less = sympy.Symbol("less", positive=True)
    largest = P * (1 - PI) / (PI * (1 - P))
    assert equal(LEAST_PRECISION.subs(R, largest), P)
    assert positive(at_odds(1 - largest).subs(P, at_odds(PI) / (1 + less)))
    assert not positive(at_odds(1 - largest).subs(P, at_odds(PI) * (1 + less)))


def test_harmonic_mean_of_recall_and_precision_above_guessing_meets_the_relaxed_conditions():
    """Section 4.4 (B-f1-relaxed): a score that is 0 for points worse than random guessing, and else the harmonic mean
    of recall and (p - pi) / (1 - pi), is 0 on the minimum curve and never decreases with recall or precision. At
    r = .6, p = .7 and pi = .33 it is .575."""
    normalised = (P - PI) / (1 - PI)
    mean = 2 * R * normalised / (R + normalised)
    miss, above = symbols("miss above", positive=True)
    # No point of the minimum curve has a precision above pi, so the score is 0 there by its first case.
    on_curve = at_odds(PI - LEAST_PRECISION)
    assert positive(on_curve.subs(R, 1 / (1 + miss)))
    assert equal(on_curve.subs(R, 1), Integer(0))
    # The second case begins at 0, is positive, and increases with recall and precision: p = pi + above (1 - pi).
    assert equal(mean.subs(P, PI), Integer(0))
    better = {P: PI + above * (1 - PI)}
    assert positive(mean.subs(better))
    for direction in (R, P):
        assert positive(at_odds(mean.diff(direction).subs(better)))
    point = {R: Rational(6, 10), P: Rational(7, 10), PI: Rational(33, 100)}
    assert round(float(mean.subs(point)), 3) == 0.575
    # It does not increase where it is 0, so it does not meet the strict conditions. Neither F1 nor its
    # product with the normalised precision is this score.
    assert not equal(F1.subs(P, LEAST_PRECISION), Integer(0))
    assert not equal(F1 * normalised, mean)
    assert round(float((F1 * normalised).subs(point)), 3) == 0.357
