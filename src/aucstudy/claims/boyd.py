"""The claims of Boyd, Santos Costa, Davis & Page 2012.

Some follow from arithmetic, from theorems or from the paper's own table 3. The others are measured here.
"""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial

import numpy as np

from aucstudy.claims.verdicts import (
    Claim,
    Finding,
    Item,
    Judge,
    Verdict,
    item_of,
    items_of,
    joined,
    measured,
)
from aucstudy.experiments.fold_cuts import OWN
from aucstudy.experiments.papers import (
    F1_LEVEL,
    FIGURE_4_PREVALENCE,
    f1_score,
    figure_4_points,
    largest_recall_above_chance,
)
from aucstudy.metrics.areas import areas, average_precision
from aucstudy.metrics.bounds import ap_min, aucpr_min, min_precision
from aucstudy.published import half_unit, normalised, printed_table, table_1, table_2, table_3
from aucstudy.statistics.intervals import FEWEST_GROUPS
from aucstudy.store.tables import TooFewRows, rows_with

CLASS_SIZES = ((1, 9), (4, 4), (7, 3), (30, 500))
LARGEST_ERROR = 1e-12
OFTEN, SELDOM = 95, 5  # per cent of the resamples
# A share of resamples that lies closer to these bounds, in its standard errors, could be another seed's.
NOISE = 3.3
SPREADS_COMPARED = (
    "prevalence 0.4 or more", "prevalence under 0.1", "prevalence 0.4 or more minus under 0.1"
)  # fmt: skip


# Arithmetic and theorems.


def _table_1(claim: Claim) -> Finding:
    valid, invalid = table_1().to_dict("records")
    return claim.arithmetic(valid["TN"], invalid["FP"], invalid["TN"], valid["largest_recall"])


def worst_ranking(n_positive: int, n_negative: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and scores with every negative above every positive and without ties."""
    n = n_positive + n_negative
    return np.arange(n) >= n_negative, -np.arange(n, dtype=float)


def _theorem(claim: Claim, difference: Callable[[int, int], float]) -> Finding:
    largest = max(abs(float(difference(P, N))) for P, N in CLASS_SIZES)
    return claim.exact_if(largest <= LARGEST_ERROR, largest, n=len(CLASS_SIZES))


def _lowest_precision(P: int, N: int) -> float:
    t = np.arange(1, P + 1)
    return np.abs(t / (t + N) - min_precision(t / P, P / (P + N))).max()


def _least_area(P: int, N: int, recall_range: tuple[float, float] | None = None) -> float:
    return areas(*worst_ranking(P, N), recall_range=recall_range).aupr - aucpr_min(P / (P + N), recall_range)


def _least_precision(P: int, N: int) -> float:
    return average_precision(*worst_ranking(P, N)) - ap_min(P, N)


def _genre(claim: Claim) -> Finding:
    (minimum,) = claim.printed.values()
    ends = [float(minimum + sign * half_unit(minimum)) for sign in (-1, 1)]
    # The import is here because it is slow and no study judges this claim.
    from scipy.optimize import brentq

    low, high = (brentq(lambda pi, end=end: float(aucpr_min(pi)) - end, 1e-6, 0.5) for end in ends)
    return claim.arithmetic(aucpr_min(0.05), low, high, low=low, high=high)


def _high_recall(claim: Claim) -> Finding:
    ranges = ((0.0, 1.0), (0.5, 1.0), (0.8, 1.0))
    prevalences = np.logspace(-2, np.log10(0.999), 100)
    min_area_per_width = np.array([aucpr_min(prevalences, (a, b)) / (b - a) for a, b in ranges])
    rises = bool((np.diff(min_area_per_width, axis=0) > 0).all())
    minima = [float(aucpr_min(0.5, limits)) for limits in ranges]
    area_per_width = (area / (b - a) for area, (a, b) in zip(minima, ranges, strict=True))
    return claim.exact_if(rises, *area_per_width, *minima)


def _point_4(claim: Claim) -> Finding:
    numbers, holds = [], True
    for prevalence, above_random in ((0.5, False), (0.05, True)):  # gender, genre
        aucnpr = float(normalised(Decimal("0.4"), prevalence))
        chance = float(normalised(Decimal(str(prevalence)), prevalence))
        numbers += [aucnpr, chance]
        holds &= (aucnpr > chance) == above_random
    return claim.exact_if(holds, *numbers)


def _table_2(claim: Claim) -> Finding:
    table = printed_table(2)
    means = [sum(table[area]) / len(table) for area in ("aucpr", "aucnpr")]
    return claim.arithmetic(*means, n=len(table))


def _row_of_table_2(claim: Claim, predicate: str) -> Finding:
    (printed_number,) = claim.printed.values()
    row = table_2().set_index("predicate").loc[predicate]
    low, high = row["implied_low"], row["implied_high"]
    # The exact number behind the one in the text may differ from it by half a unit of the last digit.
    half_digit, text = float(half_unit(printed_number)), float(printed_number)
    finding = claim.exact_if(low - half_digit <= text <= high + half_digit, row["implied_minimum"])
    return replace(finding, items=[replace(finding.items[0], low=low, high=high)])


def _table_3(claim: Claim) -> Finding:
    table = table_3()
    n_at_digit, n_within = int(table["at_printed_digit"].sum()), int(table["within_rounding"].sum())
    if n_at_digit == len(table):
        verdict = Verdict.EXACT
    else:
        verdict = Verdict.WITHIN_ROUNDING if n_within == len(table) else Verdict.DOES_NOT_COME_OUT
    return Finding(verdict, claim.numbers(n_at_digit, n_within, n=len(table)), claim.note())


def _order(claim: Claim) -> Finding:
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


def _quotients(claim: Claim) -> Finding:
    prevalences = np.array([0.5, 0.01])
    minima = aucpr_min(prevalences)
    largest, smallest = 1 / prevalences, minima / prevalences
    extremes_differ = largest[0] != largest[1] and smallest[0] != smallest[1]
    ends = [[float(normalised(Decimal(area), pi)) for area in (1.0, least_area)] for pi, least_area in
            zip(prevalences, minima, strict=True)]  # fmt: skip
    holds = extremes_differ and np.allclose(ends, [[1, 0], [1, 0]], atol=LARGEST_ERROR, rtol=0)
    return claim.exact_if(holds, *largest, *smallest)


def _figure_4(claim: Claim) -> Finding:
    points = figure_4_points()
    values = [float(f1_score(*point)) for point in points.values()]
    slack = {name: p - min_precision(r, FIGURE_4_PREVALENCE) for name, (r, p) in points.items()}
    as_printed = claim.comes_out(claim.numbers(*(round(value, 12) for value in values)))
    holds = as_printed and slack["A"] < 0 < slack["B"] < slack["C"]
    points_in_words = ", ".join(f"{name} (r={r:.3f}, p={p:.3f})" for name, (r, p) in points.items())
    return claim.exact_if(holds, *values, f1=F1_LEVEL, points=points_in_words)


def _point_b(claim: Claim) -> Finding:
    recall = largest_recall_above_chance(F1_LEVEL, FIGURE_4_PREVALENCE)
    nearest_p = figure_4_points()["B"][1]
    numbers = (recall, min_precision(recall, FIGURE_4_PREVALENCE), nearest_p)
    facts = {"f1": F1_LEVEL, "prevalence": FIGURE_4_PREVALENCE}
    return claim.exact_if(nearest_p > FIGURE_4_PREVALENCE, *numbers, **facts)


def _no_f1(claim: Claim) -> Finding:
    pi = FIGURE_4_PREVALENCE
    first, last = min_precision(0, pi), min_precision(1, pi)
    return claim.exact_if(first == 0 and abs(last - pi) < LARGEST_ERROR, first, last)


def relaxed_f1(recall: np.ndarray, precision: np.ndarray, pi: float) -> np.ndarray:
    """Return an F1 that is 0 on the minimum curve and never falls as recall or precision rises.

    >>> relaxed_f1(np.array([0.5, 1.0]), np.array([0.5, 0.2]), 0.2).round(4).tolist()
    [0.1875, 0.0]
    """
    return f1_score(recall, precision) * np.maximum((precision - pi) / (1 - pi), 0)


def _relaxed_f1(claim: Claim) -> Finding:
    pi, steps = FIGURE_4_PREVALENCE, np.linspace(0, 1, 201)
    recall, precision = np.meshgrid(steps, steps, indexing="ij")
    values = relaxed_f1(recall, precision, pi)
    falls = max(float(-np.diff(values, axis=axis).min()) for axis in (0, 1))
    on_the_curve = relaxed_f1(steps, min_precision(steps, pi), pi)
    largest_violation = max(falls, float(np.abs(on_the_curve).max()))
    numbers = (abs(largest_violation), values[precision <= pi].max())
    return claim.exact_if(largest_violation <= LARGEST_ERROR, *numbers)


# What the paper concludes from averages and from table 3: in its own table, and measured here.


def _columns(test_set: str, area: str) -> np.ndarray:
    table = printed_table(3)
    return table.loc[table["test_set"] == test_set, area].to_numpy(dtype=float)


def _less_variation(claim: Claim) -> Finding:
    cut = {area: _columns("downsampled", area) for area in ("aucpr", "aucnpr")}
    spread = {area: values.std(ddof=1) for area, values in cut.items()}
    holds = claim.comes_out(claim.numbers(*spread.values())) and spread["aucnpr"] < spread["aucpr"]
    relative = {area: spread[area] / cut[area].mean() for area in cut}
    return claim.exact_if(holds, *spread.values(), n=7, **relative)


def _twice(claim: Claim) -> Finding:
    times = _columns("downsampled", "aucnpr")[0] / _columns("original", "aucnpr")[0]
    (printed_number,) = claim.printed.values()
    return claim.exact_if(times > float(printed_number), times)


def _trend(claim: Claim) -> Finding:
    differences = _columns("downsampled", "aucpr") - _columns("original", "aucpr")
    at_1_to_3, at_1_to_4 = differences[2:4]
    return claim.exact_if((np.diff(differences) < 0).all(), at_1_to_3, at_1_to_4)


def _trend_here(claim: Claim) -> Finding:
    steps = claim.estimates("downsampling", quantity="rise", first="aupr")
    smallest = steps.sort_values("estimate", kind="stable").iloc[0]
    note = claim.note(smallest=f"rise from {smallest['setting']}", steps=len(steps))
    return measured(claim.items([smallest]), items_of(steps, "{setting}"), note)


def _folds(claim: Claim) -> Finding:
    effect = "size in model SDs"
    remains = claim.estimates(
        "fold_skew", known=["at"], quantity=f"{effect} minus the control", first="aucnpr", second=""
    )
    remains = remains.loc[remains["at"].idxmax()]
    gains = claim.estimates("fold_skew", quantity=effect, first="aupr", second="aucnpr")
    gain = rows_with(gains, "estimates", setting=remains["setting"]).iloc[0]
    own_folds, *names = claim.names
    items = [item_of(name, row) for name, row in zip(names, (gain, remains), strict=True)]
    study_folds = items_of(gains[gains["setting"] == OWN], own_folds)
    return measured([*study_folds, *items], items, claim.note(cut=remains["setting"]))


def _outweighs(claim: Claim) -> Finding:
    *names, count = claim.names
    equal_minima = Item(count, float(aucpr_min(0.5)) / float(aucpr_min(0.01)))
    try:
        rows = [
            claim.estimate("fold_skew", quantity="SD over models", subset=kind) for kind in SPREADS_COMPARED
        ]
    except TooFewRows:
        return Finding(Verdict.TOO_FEW_DATA, [equal_minima], claim.note())
    n_groups = min(int(row["n_sources"]) for row in rows[:2])
    if n_groups < FEWEST_GROUPS:
        return Finding(Verdict.TOO_FEW_DATA, [equal_minima], claim.note())
    items = [replace(item_of(name, row), n_groups=n_groups) for name, row in zip(names, rows, strict=True)]
    return measured([*items, equal_minima], items[-1:], claim.note())


def _tasks(claim: Claim) -> Finding:
    aupr, aucnpr = (
        claim.row("task_aggregation", average=average) for average in ("mean AUPR", "mean AUCNPR")
    )
    averaged = claim.rows("task_aggregation_tasks")["task_id"]
    groups = claim.table("tasks").set_index("task_id")["source_group"]
    best_differ, share = aupr["best"] != aucnpr["best"], 100 * aucnpr["differs"]
    noise = NOISE * np.sqrt(share * (100 - share) / aucnpr["resamples"])
    verdict = Verdict.UNDECIDED
    if groups[groups.index.isin(averaged)].nunique() < FEWEST_GROUPS:
        verdict = Verdict.TOO_FEW_DATA
    elif best_differ and share - noise >= OFTEN:
        verdict = Verdict.SUPPORTS
    elif not best_differ and share + noise <= SELDOM:
        verdict = Verdict.CONTRADICTS
    bound = OFTEN if best_differ else SELDOM
    within = claim.note("within noise", bound=bound) if abs(share - bound) < noise else ""
    note = joined(claim.note("winners", aupr=aupr["best"], aucnpr=aucnpr["best"]), within)
    return Finding(verdict, claim.numbers(share, n=int(aucnpr["n_tasks"])), note)


EXACT: dict[str, Judge] = {
    "B-tab1": _table_1,
    "B-T1": partial(_theorem, difference=_lowest_precision),
    "B-T2": partial(_theorem, difference=_least_area),
    "B-T3": partial(_theorem, difference=_least_precision),
    "B-C4": partial(_theorem, difference=partial(_least_area, recall_range=(0.25, 0.8))),
    "B-order": _order,
    "B-divide": _quotients,
    "B-skew": lambda claim: claim.arithmetic(aucpr_min(0.5) - aucpr_min(0.01), aucpr_min(0.1)),
    "B-range-gender": lambda claim: claim.arithmetic(aucpr_min(0.5)),
    "B-range-genre": _genre,
    "B-04": _point_4,
    "B-recall": _high_recall,
    "B-tab2": _table_2,
    "B-tab2-gender": partial(_row_of_table_2, predicate="gender"),
    "B-tab2-genre": partial(_row_of_table_2, predicate="genre"),
    "B-tab3": _table_3,
    "B-tab3-var": _less_variation,
    "B-tab3-twice": _twice,
    "B-tab3-trend": _trend,
    "B-ri": lambda claim: claim.arithmetic(4 / (4 + 4), 1),  # 4 positives and 4 negatives
    "B-fig4": _figure_4,
    "B-fig4-B": _point_b,
    "B-f1": _no_f1,
    "B-f1-relaxed": _relaxed_f1,
}
JUDGES: dict[str, Judge] = {
    "B-outweigh": _outweighs,
    "B-tab3-trend-here": _trend_here,
    "B-folds": _folds,
    "B-tasks": _tasks,
}
