"""The claims of Boyd, Santos Costa, Davis & Page 2012 that follow from arithmetic or a theorem."""

from decimal import Decimal

import numpy as np
from scipy.optimize import brentq

from aucstudy.claims import boyd_measured
from aucstudy.claims.verdicts import (
    Evidence,
    Finding,
    Item,
    Judge,
    Verdict,
    arithmetic,
    exact_if,
    not_available,
)
from aucstudy.experiments.papers import (
    F1_LEVEL,
    FIGURE_4_PREVALENCE,
    f1_score,
    figure_4_points,
    largest_recall_above_chance,
)
from aucstudy.metrics.areas import areas
from aucstudy.metrics.bounds import ap_min, aucpr_min, min_precision
from aucstudy.metrics.single import average_precision
from aucstudy.published.boyd_tables import normalised, printed_table, table_1, table_2, table_3
from aucstudy.published.values import comes_out, half_unit

CLASS_SIZES = ((1, 9), (4, 4), (7, 3), (30, 500))
LARGEST_ERROR = 1e-12


def _table_1(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    valid, invalid = table_1().to_dict("records")
    items = [
        Item("(a) TN at r=.2 p=.2", float(valid["TN"])),
        Item("(b) FP at r=.6 p=.2", float(invalid["FP"])),
        Item("(b) TN at r=.6 p=.2", float(invalid["TN"])),
        Item("largest recall at p=.2", valid["largest_recall"]),
    ]
    return arithmetic(items, printed, "table arithmetic")


def worst_ranking(n_positive: int, n_negative: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores with every negative above every positive, no ties."""
    n = n_positive + n_negative
    return np.arange(n) >= n_negative, -np.arange(n, dtype=float)


def _theorem(difference) -> Judge:
    """A bound is exact if the worst ranking reaches it at every size tried."""

    def judge(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
        largest = max(abs(float(difference(P, N))) for P, N in CLASS_SIZES)
        item = Item("largest difference", largest, n=len(CLASS_SIZES))
        note = "the bound against the worst ranking of several class sizes"
        return exact_if(largest <= LARGEST_ERROR, [item], note)

    return judge


def _lowest_precision(P: int, N: int) -> float:
    t = np.arange(1, P + 1)
    return np.abs(t / (t + N) - min_precision(t / P, P / (P + N))).max()


def _least_area(P: int, N: int, recall_range: tuple[float, float] | None = None) -> float:
    return areas(*worst_ranking(P, N), recall_range=recall_range).aupr - aucpr_min(P / (P + N), recall_range)


def _skew(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    items = [
        Item("rise of the minimum from pi=.01 to .5", float(aucpr_min(0.5) - aucpr_min(0.01))),
        Item("minimum at pi=.1", float(aucpr_min(0.1))),
    ]
    return arithmetic(items, printed, "Theorem 2")


def _gender(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    return arithmetic([Item("minimum at pi=.5", float(aucpr_min(0.5)))], printed, "Theorem 2 at pi = .5")


def _genre(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    minimum = printed["minimum at pi=.05"]
    ends = [float(minimum + side * half_unit(minimum)) for side in (-1, 1)]
    low, high = (brentq(lambda pi, end=end: float(aucpr_min(pi)) - end, 1e-6, 0.5) for end in ends)
    items = [
        Item("minimum at pi=.05", float(aucpr_min(0.05))),
        Item("smallest prevalence whose minimum prints as .02", low),
        Item("largest prevalence whose minimum prints as .02", high),
    ]
    note = (
        f"Theorem 2 at pi = .05; the text says close to .05, and prevalences from {low:.4f} to {high:.4f} do print "
        ".02, so this alone may be rounding; what no rounding explains is table 2, whose row for genre implies .033 "
        "(B-tab2-genre)"
    )
    return arithmetic(items, printed, note)


def _high_recall(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    ranges = {"[0, 1]": (0.0, 1.0), "[.5, 1]": (0.5, 1.0), "[.8, 1]": (0.8, 1.0)}
    prevalences = np.logspace(-2, np.log10(0.999), 100)
    relative = np.array([aucpr_min(prevalences, (a, b)) / (b - a) for a, b in ranges.values()])
    rises = bool((np.diff(relative, axis=0) > 0).all())
    least = {name: float(aucpr_min(0.5, limits)) for name, limits in ranges.items()}
    items = [
        Item(f"minimum on {name}, relative, pi=.5", least[name] / (b - a)) for name, (a, b) in ranges.items()
    ] + [Item(f"minimum on {name}, absolute, pi=.5", value) for name, value in least.items()]
    note = "relatively, at every prevalence; absolutely, as figure 3 draws it, the minimum is smaller at high recall"
    return exact_if(rises, items, note)


def _point_4(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    items, right = [], True
    for name, prevalence, above_random in (("gender", 0.5, False), ("genre", 0.05, True)):
        reached = float(normalised(Decimal("0.4"), prevalence))
        chance = float(normalised(Decimal(str(prevalence)), prevalence))
        items += [Item(f"AUCNPR of .4 on {name}", reached), Item(f"AUCNPR of chance on {name}", chance)]
        right &= (reached > chance) == above_random
    return exact_if(right, items, "chance has an AUCPR of pi: .5 on gender, .05 on genre")


def _table_2(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table = printed_table(2)
    means = {area: sum(table[area]) / len(table) for area in ("aucpr", "aucnpr")}
    items = [Item(f"mean {area.upper()}", float(mean), n=len(table)) for area, mean in means.items()]
    right = all(comes_out(printed[f"mean {area.upper()}"], mean) for area, mean in means.items())
    return exact_if(right, items, "half a unit of the printed digit allowed")


def _row_of_table_2(predicate: str) -> Judge:
    def judge(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
        name = "minimum that the row implies"
        row = table_2().set_index("predicate").loc[predicate]
        low, high = row["implied_low"], row["implied_high"]
        # what prints as the text's number may be half a unit off
        half, text = float(half_unit(printed[name])), float(printed[name])
        item = Item(name, row["implied_minimum"], low, high)
        note = "low and high: what half a unit of the row's AUCPR and AUCNPR allows"
        return exact_if(low - half <= text <= high + half, [item], note)

    return judge


def _table_3(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table = table_3()
    at_digit, within = int(table["at_printed_digit"].sum()), int(table["within_rounding"].sum())
    items = [
        Item("cells at the printed digit", at_digit, n=len(table)),
        Item("cells within rounding", within, n=len(table)),
    ]
    if at_digit == len(table):
        verdict = Verdict.EXACT
    else:
        verdict = Verdict.WITHIN_ROUNDING if within == len(table) else Verdict.DOES_NOT_COME_OUT
    note = "a printed AUCPR gives its AUCNPR only as an interval: AUCPR plus or minus half its last digit"
    return Finding(verdict, items, note)


def _interpolated_recall(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    positives, negatives = 4, 4
    last = {"i/n": positives / (positives + negatives), "i/pos": 1.0}
    items = [Item(f"last recall with {name}", value) for name, value in last.items()]
    right = comes_out(printed["last recall with i/n"], last["i/n"])
    note = "4 positives, 4 negatives: with i/n the curve would end at recall pi, so i/pos is meant"
    return exact_if(right, items, note)


def _figure_4(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    points = figure_4_points()
    items = [Item(f"F1 of {name}", float(f1_score(*point))) for name, point in points.items()]
    slack = {name: p - min_precision(r, FIGURE_4_PREVALENCE) for name, (r, p) in points.items()}
    right = slack["A"] < 0 < slack["B"] < slack["C"] and all(
        comes_out(printed[item.name], round(item.here, 12)) for item in items
    )
    places = ", ".join(f"{name} (r={r:.3f}, p={p:.3f})" for name, (r, p) in points.items())
    return exact_if(right, items, f"F1 = {F1_LEVEL}: {places}; A unachievable")


def _point_b(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    recall = largest_recall_above_chance(F1_LEVEL, FIGURE_4_PREVALENCE)
    minimum = float(min_precision(recall, FIGURE_4_PREVALENCE))
    near = figure_4_points()["B"][1]
    items = [
        Item("largest recall with precision above pi", recall),
        Item("minimum precision at that recall", minimum),
        Item("precision of the point .01 above the minimum curve", near),
    ]
    note = (
        f"on the contour F1 = {F1_LEVEL} precision is above pi = {FIGURE_4_PREVALENCE} up to that recall only, where "
        "the minimum curve is far below; the figure draws B near the curve and B' at that recall"
    )
    return exact_if(near > FIGURE_4_PREVALENCE, items, note)


def _no_f1(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    pi = FIGURE_4_PREVALENCE
    ends = [Item("minimum precision at recall 0", float(min_precision(0, pi))),
            Item("minimum precision at recall 1", float(min_precision(1, pi)))]  # fmt: skip
    contradiction = ends[0].here == 0 and abs(ends[1].here - pi) < LARGEST_ERROR
    note = (
        "(0, 0) and (1, pi) both lie on the minimum curve, so f' is 0 at both (eq. 3), yet it rises with precision "
        "from (0, 0) to (0, pi) (eq. 5) and with recall from there to (1, pi) (eq. 4): 0 < 0"
    )
    return exact_if(contradiction, ends, note)


JUDGES: dict[str, Judge] = {
    "B-tab1": _table_1,
    "B-T1": _theorem(_lowest_precision),
    "B-T2": _theorem(_least_area),
    "B-T3": _theorem(lambda P, N: average_precision(*worst_ranking(P, N)) - ap_min(P, N)),
    "B-C4": _theorem(lambda P, N: _least_area(P, N, (0.25, 0.8))),
    "B-skew": _skew,
    "B-range-gender": _gender,
    "B-range-genre": _genre,
    "B-imdb-pi": lambda evidence, printed: not_available("the IMDB data of the paper are not available"),
    "B-04": _point_4,
    "B-recall": _high_recall,
    "B-tab2": _table_2,
    "B-tab2-gender": _row_of_table_2("gender"),
    "B-tab2-genre": _row_of_table_2("genre"),
    "B-tab3": _table_3,
    "B-ri": _interpolated_recall,
    "B-fig4": _figure_4,
    "B-fig4-B": _point_b,
    "B-f1": _no_f1,
    **boyd_measured.JUDGES,
}
