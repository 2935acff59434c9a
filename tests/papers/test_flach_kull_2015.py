"""Proofs of the statements of Flach & Kull 2015, "Precision-Recall-Gain Curves: PR Analysis Done Right".

The docstring of a test has the statement in our words, and the section or theorem of the paper. Where the
project has an entry on the statement, the docstring has its id too. A proof holds for all tables of counts,
all prevalences and all beta. After each proof, the test alters the statement and shows that the altered one
is false.

The paper's supplement has proofs of its own. These proofs do not follow it.
"""

import sympy
from proofs import equal, positive
from sympy import Expr, Integer, Rational, symbols

TP, FP, FN, TN = cells = symbols("TP FP FN TN", positive=True)
BETA2 = sympy.Symbol("beta2", positive=True)  # beta squared
PI = sympy.Symbol("pi", positive=True)  # the prevalence; not the number pi
X, Y, AREA = symbols("x y area")  # a point of a curve, and the area under the curve


def prevalence(tp: Expr, fp: Expr, fn: Expr, tn: Expr) -> Expr:
    return (tp + fn) / (tp + fp + fn + tn)


def precision(tp: Expr, fp: Expr, fn: Expr, tn: Expr) -> Expr:
    return tp / (tp + fp)


def recall(tp: Expr, fp: Expr, fn: Expr, tn: Expr) -> Expr:
    return tp / (tp + fn)


def accuracy(tp: Expr, fp: Expr, fn: Expr, tn: Expr) -> Expr:
    return (tp + tn) / (tp + fp + fn + tn)


def f_of(prec: Expr, rec: Expr, beta2: Expr = BETA2) -> Expr:
    """Return F_beta as the weighted harmonic mean of precision and recall: equation 2, its first form."""
    return 1 / (1 / (1 + beta2) / prec + beta2 / (1 + beta2) / rec)


def f_score(*table: Expr, beta2: Expr = BETA2) -> Expr:
    return f_of(precision(*table), recall(*table), beta2)


def gain(value: Expr, pi: Expr) -> Expr:
    """Return a rate on the harmonic scale from pi to 1: equation 3."""
    return (value - pi) / ((1 - pi) * value)


def gains(*table: Expr) -> tuple[Expr, Expr]:
    """Return the precision gain and the recall gain of a table of counts."""
    pi = prevalence(*table)
    return gain(precision(*table), pi), gain(recall(*table), pi)


def delta(precision_gain: Expr, recall_gain: Expr, pi: Expr) -> Expr:
    """Return Delta, by which recall exceeds precision: section 3.3."""
    return recall_gain / pi - precision_gain / (1 - pi)


def integral(value: Expr, spread: Expr, start: tuple[Expr, Expr], end: tuple[Expr, Expr]) -> Expr:
    """Return the integral of `value` d(`spread`) along a curve in the plane of x and y.

    The result holds for every continuous curve of finitely many smooth pieces from `start` to `end` under
    which the integral of y dx is `area`. Vertical pieces are allowed. Both arguments are polynomials in x and
    y, and the curl of the form value d(spread) is constant. The form without curl * y dx is then the
    differential of a potential, and its integral is the difference of the potential between the ends.
    """
    along_x, along_y = (value * spread.diff(direction) for direction in (X, Y))
    curl = sympy.expand(along_x.diff(Y) - along_y.diff(X))
    assert not curl.has(X, Y)
    exact = along_x - curl * Y
    potential = sympy.integrate(exact, X) + sympy.integrate(along_y.subs(X, 0), Y)
    assert equal(potential.diff(X), exact)
    assert equal(potential.diff(Y), along_y)
    ends = [potential.subs({X: x, Y: y}, simultaneous=True) for x, y in (start, end)]
    return ends[1] - ends[0] + curl * AREA


def mean_over(value: Expr, spread: Expr, start: tuple[Expr, Expr], end: tuple[Expr, Expr]) -> Expr:
    """Return the mean of `value` over the points of a curve that are spread uniformly in `spread`."""
    return integral(value, spread, start, end) / integral(Integer(1), spread, start, end)


# Section 1: properties of ROC curves


def test_lines_of_equal_accuracy_have_the_slope_of_negatives_to_positives_in_roc_space():
    """Section 1: accuracy is the same along lines of slope (1 - pi) / pi in ROC space."""
    acc = PI * Y + (1 - PI) * (1 - X)
    at_rates = {X: FP / (FP + TN), Y: recall(*cells), PI: prevalence(*cells)}
    assert equal(acc.subs(at_rates), accuracy(*cells))
    slope = -acc.diff(X) / acc.diff(Y)
    assert equal(slope, (1 - PI) / PI)
    assert not equal(slope, PI / (1 - PI))


def test_expected_accuracy_is_linear_in_auroc():
    """Section 1 (FK-Eacc): E[acc] = pi (1 - pi) (2 AUROC - 1) + 1/2 if all rates of positive predictions are
    equally likely. The proof is for every ROC curve from (0, 0) to (1, 1)."""
    acc, rate = PI * Y + (1 - PI) * (1 - X), PI * Y + (1 - PI) * X
    ends = (Integer(0), Integer(0)), (Integer(1), Integer(1))
    stated = PI * (1 - PI) * (2 * AREA - 1) + Rational(1, 2)
    assert equal(mean_over(acc, rate, *ends), stated)
    assert not equal(mean_over(acc, rate, *ends), PI * (1 - PI) * (AREA - 1) + Rational(1, 2))
    # If the false positive rate is uniform instead, the expected accuracy is another number.
    assert not equal(mean_over(acc, X, *ends), stated)
    assert equal(mean_over(acc, X, *ends), PI * AREA + (1 - PI) / 2)


def test_the_score_of_a_roc_segment_is_the_share_of_positives_among_its_rows():
    """Section 1: the slope r of a segment of the ROC hull gives the score c = pi r / (pi r + 1 - pi). It is the
    share of positives among the rows of the segment."""
    positives, negatives = symbols("d e", positive=True)
    pi = prevalence(*cells)
    r = (positives / (TP + FN)) / (negatives / (FP + TN))
    assert equal(pi * r / (pi * r + 1 - pi), positives / (positives + negatives))
    assert not equal(r / (r + 1), positives / (positives + negatives))


def test_two_ends_of_a_roc_segment_have_the_same_skew_sensitive_accuracy_at_one_minus_its_score():
    """Sections 1 and 3.4 say that the ends of a segment with score c have the same acc_c, which section 1
    defines as 2 c pi tpr + 2 (1 - c) (1 - pi) (1 - fpr). With this definition they have the same acc of
    1 - c. The statement holds if c and 1 - c are exchanged in the definition. At c = 1/2, both are the
    accuracy."""
    c, run, rise = symbols("c run rise", positive=True)

    def skew_sensitive(fpr: Expr, tpr: Expr, weight: Expr) -> Expr:
        return 2 * weight * PI * tpr + 2 * (1 - weight) * (1 - PI) * (1 - fpr)

    def step(weight: Expr) -> Expr:
        return skew_sensitive(X + run, Y + rise, weight) - skew_sensitive(X, Y, weight)

    r = rise / run
    score = PI * r / (PI * r + 1 - PI)
    assert equal(skew_sensitive(X, Y, Rational(1, 2)), PI * Y + (1 - PI) * (1 - X))
    (same,) = sympy.solve(step(c), c)
    assert equal(same, 1 - score)
    assert not equal(same, score)
    (same_after_exchange,) = sympy.solve(step(1 - c), c)
    assert equal(same_after_exchange, score)


# Section 2: precision, recall and F


def test_precision_rises_with_the_angle_of_the_roc_line_and_is_not_proportional_to_it():
    """Section 2 says that precision is proportional to the angle between the x-axis and the line from the origin
    to the ROC point. Precision does increase with this angle, but its quotient by the angle is not constant.
    At pi = .5 and a true positive rate of 1, the quotient is .637, .602, .618 and .637 at false positive rates
    of 1, .5, .1 and 0."""
    tangent, odds = symbols("t odds", positive=True)
    prec = PI * tangent / (PI * tangent + 1 - PI)
    at_rates = {PI: prevalence(*cells), tangent: recall(*cells) * (FP + TN) / FP}
    assert equal(prec.subs(at_rates), precision(*cells))
    # The tangent increases with the angle, from 0 to infinity.
    assert positive(prec.subs(PI, odds / (1 + odds)).diff(tangent))
    quotient = (prec / sympy.atan(tangent)).subs(PI, Rational(1, 2))
    quotients = [quotient.subs(tangent, inverse_fpr) for inverse_fpr in (1, 2, 10)]
    quotients.append(sympy.limit(quotient, tangent, sympy.oo))
    assert [f"{float(value):.3f}" for value in quotients] == ["0.637", "0.602", "0.618", "0.637"]
    assert quotients[1] < quotients[2] < quotients[0]
    assert quotients[0] == quotients[3] == 2 / sympy.pi


def test_the_forms_of_f1_and_of_f_beta_are_the_same():
    """Section 2.1, equations 1 and 2: F_beta is a weighted harmonic mean of precision and recall, and a quotient
    of counts."""
    prec, rec = precision(*cells), recall(*cells)
    f1 = f_score(*cells, beta2=Integer(1))
    for form in (2 / (1 / prec + 1 / rec), 2 * prec * rec / (prec + rec), TP / (TP + (FP + FN) / 2)):
        assert equal(f1, form)
    by_counts = (1 + BETA2) * TP / ((1 + BETA2) * TP + FP + BETA2 * FN)
    assert equal(f_score(*cells), by_counts)
    assert not equal(f_score(*cells), by_counts.subs({FP: FN, FN: FP}, simultaneous=True))


def test_f1_is_the_accuracy_of_the_table_with_the_true_positives_as_true_negatives():
    """Section 2.1: F1 is the accuracy after the true negatives are replaced by a copy of the true positives."""
    f1 = f_score(*cells, beta2=Integer(1))
    assert equal(f1, accuracy(TP, FP, FN, TP))
    assert not equal(f1, accuracy(*cells))
    assert not equal(f_score(*cells), accuracy(TP, FP, FN, TP))  # F_beta of any other beta


# Section 3.1: the baseline and the gains


def test_f_of_a_random_classifier_is_as_printed_and_increases_with_its_rate_of_positive_predictions():
    """Section 3.1 (FK-random): predicting positive with probability p has F_beta (1 + beta^2) p pi / (p + beta^2 pi).
    It increases in p, so it is largest for p = 1, predicting every row positive."""
    p, odds, P, N = symbols("p odds P N", positive=True)
    table = p * P, p * N, (1 - p) * P, (1 - p) * N
    stated = (1 + BETA2) * p * PI / (p + BETA2 * PI)
    assert equal(f_score(*table), stated.subs(PI, P / (P + N)))
    assert not equal(f_score(*table), ((1 + BETA2) * p * PI / (BETA2 * p + PI)).subs(PI, P / (P + N)))
    assert positive(stated.subs(PI, odds / (1 + odds)).diff(p))
    # The precision of such a classifier does not increase: it is pi for every p.
    assert equal(precision(*table), P / (P + N))
    assert not positive(precision(*table).diff(p))


def test_precision_under_the_prevalence_loses_against_always_positive_and_recall_from_beta_1_upwards():
    """Section 3.1 (FK-baseline) says that a model whose precision or recall is less than pi has a lower F_beta than
    predicting every row positive. This is true of precision. Of recall it is true for beta from 1 upwards, and it is
    false for smaller beta."""
    less, miss, odds, more = symbols("less miss odds more", positive=True)
    pi = odds / (1 + odds)

    def lead(prec: Expr, rec: Expr, beta2: Expr = BETA2) -> Expr:
        return f_of(pi, Integer(1), beta2) - f_of(prec, rec, beta2)

    below_pi, below_1 = pi / (1 + less), 1 / (1 + miss)
    assert positive(lead(below_pi, below_1))
    assert positive(lead(below_pi, Integer(1)))
    assert positive(lead(below_1, below_pi, 1 + more))
    assert positive(lead(Integer(1), below_pi, 1 + more))
    assert positive(lead(Integer(1), below_pi, Integer(1)))
    assert not positive(lead(below_1, below_pi))
    counterexample = Rational(1), Rational(27, 100), Rational(1, 16)
    assert lead(*counterexample).subs(odds, Rational(3, 7)) < 0


def test_gains_are_the_rates_on_a_harmonic_scale_from_the_prevalence_to_1():
    """Section 3.1, equations 3 and 4: the three forms of precision gain and of recall gain are the same."""
    pi = prevalence(*cells)
    rates = precision(*cells), recall(*cells)
    for rate, errors, gained in zip(rates, (FP, FN), gains(*cells), strict=True):
        assert equal(gained, (1 / rate - 1 / pi) / (1 - 1 / pi))
        assert equal(gained, 1 - pi / (1 - pi) * errors / TP)
        assert not equal(gained, (rate - pi) / (1 - pi))  # the linear scale


def test_always_positive_has_recall_gain_1_and_precision_gain_0_whatever_the_prevalence():
    """Section 3.1: predicting every row positive lies at the lower right corner of the plane of gains. In PR space
    its precision depends on the class distribution."""
    P, N, p = symbols("P N p", positive=True)
    precision_gain, recall_gain = gains(P, N, Integer(0), Integer(0))
    assert equal(recall_gain, Integer(1))
    assert equal(precision_gain, Integer(0))
    assert equal(precision(P, N, Integer(0), Integer(0)), P / (P + N))
    # A random classifier with another rate p of positive predictions does not lie there.
    precision_gain, recall_gain = gains(p * P, p * N, (1 - p) * P, (1 - p) * N)
    assert equal(precision_gain, Integer(0))
    assert not equal(recall_gain, Integer(1))


# Section 3.2: Theorems 1 and 2


def test_theorem_1_a_mixture_of_tables_lies_on_the_line_between_their_gains():
    """Theorem 1 (FK-T1): the table lambda C1 + (1 - lambda) C2 has the gains mu G1 + (1 - mu) G2 with
    mu = lambda TP1 / (lambda TP1 + (1 - lambda) TP2)."""
    mix, P, N, TP1, FP1, TP2, FP2 = symbols("lambda P N TP1 FP1 TP2 FP2", positive=True)
    first, second = (TP1, FP1, P - TP1, N - FP1), (TP2, FP2, P - TP2, N - FP2)
    mixture = [mix * a + (1 - mix) * b for a, b in zip(first, second, strict=True)]
    mu = mix * TP1 / (mix * TP1 + (1 - mix) * TP2)
    for mixed, a, b in zip(gains(*mixture), gains(*first), gains(*second), strict=True):
        assert equal(mixed, mu * a + (1 - mu) * b)
        assert not equal(mixed, mix * a + (1 - mix) * b)


def test_theorem_2_f_gain_is_the_mean_of_the_gains_with_weights_1_and_beta_squared():
    """Theorem 2 (FK-T2): precG + beta^2 recG = (1 + beta^2) FG_beta, where FG_beta is F_beta on the same scale,
    1 - pi / (1 - pi) (FP + beta^2 FN) / ((1 + beta^2) TP). So the lines of equal F_beta have the slope -beta^2."""
    pi = prevalence(*cells)
    precision_gain, recall_gain = gains(*cells)
    f_gain = gain(f_score(*cells), pi)
    assert equal(precision_gain + BETA2 * recall_gain, (1 + BETA2) * f_gain)
    assert equal(f_gain, 1 - pi / (1 - pi) * (FP + BETA2 * FN) / ((1 + BETA2) * TP))
    assert not equal(BETA2 * precision_gain + recall_gain, (1 + BETA2) * f_gain)
    assert not equal(precision_gain + BETA2 * recall_gain, (1 + BETA2) * f_score(*cells))
    f_gain_at_point = (Y + BETA2 * X) / (1 + BETA2)
    assert equal(-f_gain_at_point.diff(X) / f_gain_at_point.diff(Y), -BETA2)


# Section 3.3: Delta and Theorem 3


def test_delta_never_falls_along_a_ranking():
    """Section 3.3: Delta = recG / pi - precG / (1 - pi) increases as the threshold moves towards more positive
    predictions. It stays the same only if every negative is predicted positive already."""
    tnr, pi = TN / (FP + TN), prevalence(*cells)
    by_rates = 1 / pi - tnr / recall(*cells) / (1 - pi)
    assert equal(delta(*gains(*cells), pi), by_rates)
    more_positives, more_negatives = symbols("s u", positive=True)
    # Before the threshold moves, the rows that it adds are false negatives and true negatives.
    before = TP, FP, FN + more_positives, TN + more_negatives
    after = TP + more_positives, FP + more_negatives, FN, TN
    tables = [dict(zip(cells, table, strict=True)) for table in (before, after)]
    start, end = (by_rates.subs(table, simultaneous=True) for table in tables)
    assert positive(end - start)
    assert positive((end - start).subs(more_negatives, 0))
    assert positive((end - start).subs(more_positives, 0))
    assert equal((end - start).subs({more_negatives: 0, TN: 0}), Integer(0))
    # Without the weights, or with the weights exchanged, Delta can fall.
    counts = {TP: 1, FP: 10, FN: 0, TN: 80, more_positives: 1, more_negatives: 0}
    for weights in ((1, 1), (1 - pi, pi)):
        precision_gain, recall_gain = gains(*cells)
        altered = recall_gain / weights[0] - precision_gain / weights[1]
        start, end = (altered.subs(table, simultaneous=True).subs(counts) for table in tables)
        assert end < start


Y0 = sympy.Symbol("y0", real=True)  # the precision gain at a recall gain of 0
PRG_ENDS = (Integer(0), Y0), (Integer(1), Integer(0))
STATED_F1_GAIN = (AREA / 2 + Rational(1, 4) - PI * (1 - Y0**2) / 4) / (1 - PI * (1 - Y0))


def test_theorem_3_expected_f1_gain_follows_from_auprg_and_the_precision_gain_at_the_start():
    """Theorem 3 (FK-T3): if Delta is uniform, E[FG1] = (AUPRG/2 + 1/4 - pi (1 - y0^2)/4) / (1 - pi (1 - y0)).
    The proof is for every curve from (0, y0) to (1, 0) in the plane of gains, with the signed area."""
    by_delta = delta(Y, X, PI)
    assert equal(mean_over((X + Y) / 2, by_delta, *PRG_ENDS), STATED_F1_GAIN)
    assert not equal(mean_over((X + Y) / 2, X, *PRG_ENDS), STATED_F1_GAIN)  # uniform recall gain
    for altered in (STATED_F1_GAIN.subs(Y0, -Y0), STATED_F1_GAIN.subs(PI, 1 - PI)):
        assert not equal(mean_over((X + Y) / 2, by_delta, *PRG_ENDS), altered)


def test_theorem_3_with_y0_of_1_needs_no_prevalence():
    """Section 3.3: if y0 = 1, the expected FG1 is AUPRG/2 + 1/4."""
    assert equal(STATED_F1_GAIN.subs(Y0, 1), AREA / 2 + Rational(1, 4))
    assert not equal(STATED_F1_GAIN.subs(Y0, 0), AREA / 2 + Rational(1, 4))


def test_expected_f_beta_gain_follows_from_the_same_numbers():
    """Section 3.3 mentions a more general result for FG_beta, which is in the supplement. This is our own form of
    it: with the same Delta, E[FG_beta] is (((1 - pi) + beta^2 pi) AUPRG + beta^2 (1 - pi)/2 + pi y0^2/2) /
    ((1 + beta^2) (1 - pi (1 - y0))). For beta = 1 it is Theorem 3."""
    f_gain = (Y + BETA2 * X) / (1 + BETA2)
    size = (1 - PI + BETA2 * PI) * AREA + BETA2 * (1 - PI) / 2 + PI * Y0**2 / 2
    stated = size / ((1 + BETA2) * (1 - PI * (1 - Y0)))
    assert equal(mean_over(f_gain, delta(Y, X, PI), *PRG_ENDS), stated)
    assert equal(stated.subs(BETA2, 1), STATED_F1_GAIN)
    assert not equal(mean_over(f_gain, delta(Y, X, PI), *PRG_ENDS), STATED_F1_GAIN)
    # With y0 = 1, the prevalence matters unless beta is 1.
    at_the_top = stated.subs(Y0, 1)
    assert at_the_top.subs({BETA2: 4, PI: Rational(1, 2)}) != at_the_top.subs({BETA2: 4, PI: Rational(1, 4)})


def test_expected_reciprocal_of_f1_follows_from_the_expected_f1_gain():
    """Section 3.3 (FK-T3): E[1/F1] = (1 - (1 - pi) E[FG1]) / pi."""
    f1_gain = gain(f_score(*cells, beta2=Integer(1)), prevalence(*cells))
    pi = prevalence(*cells)
    assert equal(1 / f_score(*cells, beta2=Integer(1)), (1 - (1 - pi) * f1_gain) / pi)
    # The relation is affine, so it holds for expectations.
    reciprocal = (1 - (1 - PI) * (X + Y) / 2) / PI
    stated = (1 - (1 - PI) * STATED_F1_GAIN) / PI
    assert equal(mean_over(reciprocal, delta(Y, X, PI), *PRG_ENDS), stated)
    assert not equal(mean_over(reciprocal, delta(Y, X, PI), *PRG_ENDS), (1 - PI * STATED_F1_GAIN) / PI)


def test_the_interval_of_delta_lacks_a_pair_of_parentheses_in_theorem_3():
    """Theorem 3 prints the interval of Delta as [-y0/1 - pi, 1/pi]. The lower end is -y0/(1 - pi), as in the text
    before the theorem. With the interval as printed, the theorem would be false."""
    low, high = (delta(y, x, PI) for x, y in PRG_ENDS)
    assert equal(low, -Y0 / (1 - PI))
    assert equal(high, 1 / PI)
    printed = -Y0 / 1 - PI
    assert not equal(low, printed)
    total = integral((X + Y) / 2, delta(Y, X, PI), *PRG_ENDS)
    assert equal(total / (high - low), STATED_F1_GAIN)
    assert not equal(total / (high - printed), STATED_F1_GAIN)


# Section 3.4: calibration and Theorem 4


def test_theorem_4_two_models_have_the_same_f_beta_at_the_stated_beta_alone():
    """Theorem 4 (FK-T4): if prec1 > prec2 and rec1 < rec2, the two models have the same F_beta if and only if
    beta^2 = -(1/prec1 - 1/prec2) / (1/rec1 - 1/rec2). The first model is better for smaller beta, the second for
    larger beta."""
    less_precise, missing, prec1_odds, rec2_odds = symbols("a c s u", positive=True)
    prec1, prec2 = 1 / (1 + prec1_odds), 1 / (1 + prec1_odds + less_precise)
    rec1, rec2 = 1 / (1 + rec2_odds + missing), 1 / (1 + rec2_odds)
    stated = -(1 / prec1 - 1 / prec2) / (1 / rec1 - 1 / rec2)
    lead = f_of(prec1, rec1) - f_of(prec2, rec2)
    # The lead is a positive factor times (stated - beta^2). So it has the sign of this difference.
    assert positive(lead / (stated - BETA2))
    assert positive(stated)
    assert not positive(lead / (1 / stated - BETA2))
    assert not equal(lead.subs(BETA2, 1 / stated), Integer(0))


def test_theorem_4_the_score_of_a_segment_of_gains_is_1_over_1_plus_beta_squared():
    """Section 3.4, equation 7: d = 1 / (beta^2 + 1) is (1/rec1 - 1/rec2) / ((1/rec1 - 1/rec2) - (1/prec1 - 1/prec2)),
    for the beta of equation 6. So beta^2 = (1 - d) / d."""
    prec1, prec2, rec1, rec2 = symbols("prec1 prec2 rec1 rec2", positive=True)
    by_precision, by_recall = 1 / prec1 - 1 / prec2, 1 / rec1 - 1 / rec2
    beta2 = -by_precision / by_recall
    d = by_recall / (by_recall - by_precision)
    assert equal(d, 1 / (beta2 + 1))
    assert equal((1 - d) / d, beta2)
    assert equal(f_of(prec1, rec1, (1 - d) / d), f_of(prec2, rec2, (1 - d) / d))
    assert not equal(f_of(prec1, rec1, d / (1 - d)), f_of(prec2, rec2, d / (1 - d)))
    assert not equal(by_recall / (by_recall + by_precision), 1 / (beta2 + 1))


def test_the_score_for_f_does_not_follow_from_the_score_for_accuracy():
    """Section 3.4: no relationship between the scores c of ROC segments and d of segments of gains holds for all
    models. For rows with the score c, d also depends on the counts above these rows."""
    c, added, P = symbols("c added P", positive=True)
    # The segment starts at the counts TP and FP. Its rows hold `added` positives and have the score c.
    tp, fp = TP + added, FP + added * (1 - c) / c
    by_recall, by_precision = P / TP - P / tp, (TP + FP) / TP - (tp + fp) / tp
    d = by_recall / (by_recall - by_precision)
    assert equal(d, c * P / (c * (P - FP) + (1 - c) * TP))
    assert not equal(d, c)
    # Both segments have the score c = 1/2, and both models have the same 10 positives.
    d = d.subs({c: Rational(1, 2), P: 10, added: 1})
    assert d.subs({TP: 1, FP: 0}) == Rational(10, 11)
    assert d.subs({TP: 8, FP: 2}) == Rational(5, 8)
