"""The statements of Boyd et al. 2012 that need no data: bounds, arithmetic, and the paper's own tables."""

from dataclasses import replace
from decimal import Decimal
from functools import partial

import numpy as np

from aucstudy.claims.verdicts import (
    Claim,
    Finding,
    Verdict,
)
from aucstudy.experiments.papers import (
    F1_LEVEL,
    FIGURE_4_PREVALENCE,
    f1_score,
    figure_4_points,
    largest_recall_above_chance,
)
from aucstudy.metrics.areas import areas, average_precision
from aucstudy.metrics.bounds import ap_min, aucpr_min, min_precision
from aucstudy.published import half_unit, printed_table
from aucstudy.published.implied import normalised, table_1, table_2, table_3

CLASS_SIZES = ((1, 9), (4, 4), (7, 3), (30, 500))
LARGEST_ERROR = 1e-12


# Arithmetic and theorems.


def matrices_of_table_1(claim: Claim) -> Finding:
    valid, invalid = table_1().to_dict("records")
    return claim.arithmetic(valid["TN"], invalid["FP"], invalid["TN"], valid["largest_recall"])


def worst_ranking(n_positive: int, n_negative: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and scores with every negative above every positive and without ties."""
    n = n_positive + n_negative
    return np.arange(n) >= n_negative, -np.arange(n, dtype=float)


def worst_ranking_has(claim: Claim, bound: str) -> Finding:
    """Judge a bound by the worst ranking of several class sizes."""
    largest = max(abs(float(BOUNDS[bound](P, N))) for P, N in CLASS_SIZES)
    return claim.exact_if(largest <= LARGEST_ERROR, largest, n=len(CLASS_SIZES))


def _lowest_precision(P: int, N: int) -> float:
    t = np.arange(1, P + 1)
    return np.abs(t / (t + N) - min_precision(t / P, P / (P + N))).max()


def _least_area(P: int, N: int, recall_range: tuple[float, float] | None = None) -> float:
    return areas(*worst_ranking(P, N), recall_range=recall_range).aupr - aucpr_min(P / (P + N), recall_range)


def _least_precision(P: int, N: int) -> float:
    return average_precision(*worst_ranking(P, N)) - ap_min(P, N)


BOUNDS = {
    "least precision": _lowest_precision,
    "least area": _least_area,
    "least area on a range": partial(_least_area, recall_range=(0.25, 0.8)),
    "least average precision": _least_precision,
}


def rise_of_the_minimum(claim: Claim) -> Finding:
    return claim.arithmetic(aucpr_min(0.5) - aucpr_min(0.01), aucpr_min(0.1))


def gender(claim: Claim) -> Finding:
    return claim.arithmetic(aucpr_min(0.5))


def genre(claim: Claim) -> Finding:
    (minimum,) = claim.printed.values()
    ends = [float(minimum + sign * half_unit(minimum)) for sign in (-1, 1)]
    # The import is here because it is slow and no study judges this claim.
    from scipy.optimize import brentq

    low, high = (brentq(lambda pi, end=end: float(aucpr_min(pi)) - end, 1e-6, 0.5) for end in ends)
    return claim.arithmetic(aucpr_min(0.05), low, high, low=low, high=high)


def high_recall(claim: Claim) -> Finding:
    ranges = ((0.0, 1.0), (0.5, 1.0), (0.8, 1.0))
    prevalences = np.logspace(-2, np.log10(0.999), 100)
    min_area_per_width = np.array([aucpr_min(prevalences, (a, b)) / (b - a) for a, b in ranges])
    rises = bool((np.diff(min_area_per_width, axis=0) > 0).all())
    minima = [float(aucpr_min(0.5, limits)) for limits in ranges]
    area_per_width = (area / (b - a) for area, (a, b) in zip(minima, ranges, strict=True))
    return claim.exact_if(rises, *area_per_width, *minima, n=len(prevalences))


def point_4(claim: Claim) -> Finding:
    numbers, holds = [], True
    for prevalence, above_random in ((0.5, False), (0.05, True)):  # gender, genre
        aucnpr = float(normalised(Decimal("0.4"), prevalence))
        chance = float(normalised(Decimal(str(prevalence)), prevalence))
        numbers += [aucnpr, chance]
        holds &= (aucnpr > chance) == above_random
    return claim.exact_if(holds, *numbers)


def means_of_table_2(claim: Claim) -> Finding:
    table = printed_table(2)
    means = [sum(table[area]) / len(table) for area in ("aucpr", "aucnpr")]
    return claim.arithmetic(*means, n=len(table))


def row_of_table_2(claim: Claim, predicate: str) -> Finding:
    (printed_number,) = claim.printed.values()
    row = table_2().set_index("predicate").loc[predicate]
    low, high = row["implied_low"], row["implied_high"]
    # The exact number behind the one in the text may differ from it by half a unit of the last digit.
    half_digit, text = float(half_unit(printed_number)), float(printed_number)
    finding = claim.exact_if(low - half_digit <= text <= high + half_digit, row["implied_minimum"])
    return replace(finding, items=[replace(finding.items[0], low=low, high=high)])


def cells_of_table_3(claim: Claim) -> Finding:
    table = table_3()
    n_at_digit, n_within = int(table["at_printed_digit"].sum()), int(table["within_rounding"].sum())
    if n_at_digit == len(table):
        verdict = Verdict.COMES_OUT
    else:
        verdict = Verdict.WITHIN_ROUNDING if n_within == len(table) else Verdict.DOES_NOT_COME_OUT
    return Finding(verdict, claim.numbers(n_at_digit, n_within, n=len(table)), claim.note())


def order(claim: Claim) -> Finding:
    rng = np.random.default_rng(1)
    y, scores = np.arange(60) < 15, rng.normal(size=(60, 100))
    n_turned = 0
    for prevalence in (None, 0.01, 0.5):
        model_areas = [areas(y, column, prevalence=prevalence) for column in scores.T]
        plain, rescaled = (
            np.array([getattr(values, area) for values in model_areas]) for area in ("aupr", "aucnpr")
        )
        opposite = np.subtract.outer(plain, plain) * np.subtract.outer(rescaled, rescaled) < 0
        n_turned += int(opposite.sum() / 2)
    return claim.exact_if(n_turned == 0, n_turned, n=3 * 100 * 99 // 2)


def quotients(claim: Claim) -> Finding:
    """Judge the drawbacks of (AUCPR - pi) / (1 - pi): its range depends on the skew, and it can be negative."""
    prevalences = np.array([0.5, 0.01])
    least = (aucpr_min(prevalences) - prevalences) / (1 - prevalences)
    return claim.exact_if(least[0] != least[1] and bool((least < 0).all()), *least)


def outweighs(claim: Claim) -> Finding:
    """Judge the claim by random models of tasks with a prevalence of .05, whose AUPR is this prevalence."""
    minimum, of_random = float(aucpr_min(0.5)), 0.05
    return claim.exact_if(6 * of_random < minimum, minimum, 6 * of_random, 7 * of_random)


def degenerate(claim: Claim) -> Finding:
    near_0, near_1 = float(aucpr_min(1e-12)), float(aucpr_min(1 - 1e-12))
    return claim.exact_if(near_0 < 1e-9 and near_1 > 1 - 1e-9, near_0, near_1)


def f1_unbounded(claim: Claim) -> Finding:
    """Judge the points of precision 1, which have every F1 at some recall."""
    f1, pi = np.meshgrid(np.linspace(0.01, 0.99, 99), np.linspace(0.01, 0.99, 99))
    distance = (1 - min_precision(f1 / (2 - f1), pi)).min()
    return claim.exact_if(distance > 0, distance)


def figure_4(claim: Claim) -> Finding:
    points = figure_4_points()
    values = [float(f1_score(*point)) for point in points.values()]
    slack = {name: p - min_precision(r, FIGURE_4_PREVALENCE) for name, (r, p) in points.items()}
    as_printed = claim.comes_out(claim.numbers(*(round(value, 12) for value in values)))
    holds = as_printed and slack["A"] < 0 < slack["B"] < slack["C"]
    points_in_words = ", ".join(f"{name} (r={r:.3f}, p={p:.3f})" for name, (r, p) in points.items())
    return claim.exact_if(holds, *values, f1=F1_LEVEL, points=points_in_words)


def point_b(claim: Claim) -> Finding:
    recall = largest_recall_above_chance(F1_LEVEL, FIGURE_4_PREVALENCE)
    nearest_p = figure_4_points()["B"][1]
    numbers = (recall, min_precision(recall, FIGURE_4_PREVALENCE), nearest_p)
    facts = {"f1": F1_LEVEL, "prevalence": FIGURE_4_PREVALENCE}
    return claim.exact_if(nearest_p > FIGURE_4_PREVALENCE, *numbers, **facts)


def no_f1(claim: Claim) -> Finding:
    pi = FIGURE_4_PREVALENCE
    first, last = min_precision(0, pi), min_precision(1, pi)
    return claim.exact_if(first == 0 and abs(last - pi) < LARGEST_ERROR, first, last)


def relaxed_f1(recall: np.ndarray, precision: np.ndarray, pi: float) -> np.ndarray:
    """Return the score of section 4.4, which is 0 on the minimum curve and never falls as recall or precision rises.

    It is 0 for points worse than random guessing, and else the harmonic mean of recall and (p - pi) / (1 - pi).

    >>> relaxed_f1(np.array([0.6, 1.0]), np.array([0.7, 0.2]), 0.33).round(3).tolist()
    [0.575, 0.0]
    """
    return f1_score(recall, np.maximum((precision - pi) / (1 - pi), 0))


def relaxed(claim: Claim) -> Finding:
    pi, steps = FIGURE_4_PREVALENCE, np.linspace(0, 1, 201)
    recall, precision = np.meshgrid(steps, steps, indexing="ij")
    values = relaxed_f1(recall, precision, pi)
    falls = max(float(-np.diff(values, axis=axis).min()) for axis in (0, 1))
    on_the_curve = relaxed_f1(steps, min_precision(steps, pi), pi)
    largest_violation = max(falls, float(np.abs(on_the_curve).max()))
    example = float(relaxed_f1(np.array(0.6), np.array(0.7), pi))
    return claim.exact_if(largest_violation <= LARGEST_ERROR, max(0.0, largest_violation), example)


# What the paper concludes from averages and from table 3: in its own table, and measured here.


def _columns(test_set: str, area: str) -> np.ndarray:
    table = printed_table(3)
    return table.loc[table["test_set"] == test_set, area].to_numpy(dtype=float)


def less_variation(claim: Claim) -> Finding:
    cut, original = (
        {area: _columns(test_set, area) for area in ("aucpr", "aucnpr")}
        for test_set in ("downsampled", "original")
    )
    spread = {area: values.std(ddof=1) for area, values in cut.items()}
    of_original = [values.std(ddof=1) for values in original.values()]
    holds = spread["aucnpr"] < spread["aucpr"]
    relative = {area: spread[area] / cut[area].mean() for area in cut}
    return claim.exact_if(holds, *spread.values(), *of_original, n=7, **relative)


def twice(claim: Claim) -> Finding:
    times = _columns("downsampled", "aucnpr")[0] / _columns("original", "aucnpr")[0]
    return claim.exact_if(times > 2, times)


def trend_of_table_3(claim: Claim) -> Finding:
    differences = _columns("downsampled", "aucpr") - _columns("original", "aucpr")
    at_1_to_3, at_1_to_4 = differences[2:4]
    return claim.exact_if((np.diff(differences) < 0).all(), at_1_to_3, at_1_to_4)


def recall_of_points(claim: Claim) -> Finding:
    return claim.arithmetic(4 / (4 + 4), 1)  # 4 positives and 4 negatives
