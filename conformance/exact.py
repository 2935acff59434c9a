"""Every metric and convention in exact fractions, with logarithms of 60 digits.

It shares no line with the package.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import NamedTuple

DIGITS = 60
Exact = Fraction | Decimal


class Group(NamedTuple):
    """Rows of one score: `d` positives and `e` negatives, ranked below `t` positives and `f` negatives."""

    t: Fraction
    f: Fraction
    d: Fraction
    e: Fraction


def decimal(x: Exact) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator) if isinstance(x, Fraction) else x


def groups_of(
    y: Sequence, s: Sequence, w: Sequence | None = None, counts: Sequence | None = None
) -> list[Group]:
    """Return groups of tied rows, from the highest score on.

    Labels, scores and weights are numbers that a Fraction holds. `counts` says how many equal rows each row
    stands for.
    """
    rows: Counter = Counter()
    ones = [1] * len(y)
    for label, score, weight, count in zip(
        y, s, ones if w is None else w, ones if counts is None else counts, strict=True
    ):
        rows[label, score, weight] += count
    sums: dict = {}
    for (label, score, weight), count in rows.items():
        sums.setdefault(score, [Fraction(0), Fraction(0)])[not label] += Fraction(weight) * count
    groups, t, f = [], Fraction(0), Fraction(0)
    for score in sorted(sums, reverse=True):
        d, e = sums[score]
        groups.append(Group(t, f, d, e))
        t, f = t + d, f + e
    return groups


def totals(groups: Sequence[Group]) -> tuple[Fraction, Fraction]:
    return groups[-1].t + groups[-1].d, groups[-1].f + groups[-1].e


def at_prevalence(groups: Sequence[Group], prevalence: Fraction) -> list[Group]:
    """Return groups with the same ROC curve at another prevalence: negatives count for more or less."""
    P, N = totals(groups)
    scale = P * (1 - Fraction(prevalence)) / Fraction(prevalence) / N
    return [Group(t, f * scale, d, e * scale) for t, f, d, e in groups]


def auroc(groups: Sequence[Group]) -> Fraction:
    P, N = totals(groups)
    return sum((d * (N - f - e / 2) for _, f, d, e in groups), Fraction(0)) / (P * N)


def average_precision(groups: Sequence[Group]) -> Fraction:
    P, _ = totals(groups)
    return sum((d * (t + d) / (t + d + f + e) for t, f, d, e in groups if d), Fraction(0)) / P


def auprg(groups: Sequence[Group], clip: bool = False) -> Fraction:
    """Return the area of trapezoids between points in gain space, from recall gain 0 on.

    With `clip`, precision gains below 0 count as 0, and a trapezoid is cut where it crosses 0.
    """
    P, N = totals(groups)
    least, odds, area = P / (P + N) * P, P / N, Fraction(0)
    for t, f, d, e in groups:
        if not d or t + d <= least:
            continue
        start = max(t, least)
        ends = []
        for x in (start, t + d):
            y = f + e * (x - t) / d
            ends.append((1 - odds * (P - x) / x, 1 - odds * y / x))
        (r0, p0), (r1, p1) = ends
        if clip and (p0 < 0 or p1 < 0):
            if p0 > 0 or p1 > 0:
                high = max(p0, p1)
                area += (r1 - r0) * high / (high - min(p0, p1)) * high / 2
        else:
            area += (r1 - r0) * (p0 + p1) / 2
    return area


def aupr(groups: Sequence[Group], recall_range: tuple = (0, 1)) -> Decimal:
    """Return the integral of precision over recall along the hyperbolas, by its closed form."""
    P, _ = totals(groups)
    low, high = (Fraction(end) * P for end in recall_range)
    total = Decimal(0)
    for t, f, d, e in groups:
        start, stop = max(t, low), min(t + d, high)
        if stop <= start:
            continue
        f, e = f + e * (start - t) / d, e * (stop - start) / d
        t, d = start, stop - start
        q, m = t + f, d + e
        if q == 0:
            total += decimal(d * d / m)
        else:
            total += decimal(d / m) * (decimal(d) + decimal(t - d * q / m) * decimal(1 + m / q).ln())
    return total / decimal(P)


def aucnpr(groups: Sequence[Group], recall_range: tuple = (0, 1)) -> Decimal:
    P, N = totals(groups)
    worst = aupr([Group(Fraction(0), N, P, Fraction(0))], recall_range)
    width = decimal(Fraction(recall_range[1]) - Fraction(recall_range[0]))
    return (aupr(groups, recall_range) - worst) / (width - worst)


Point = tuple[Fraction, Fraction]  # recall and precision


def pr_points(groups: Sequence[Group]) -> list[Point]:
    """Return recall and precision after each group.

    The first point is at recall 0. It has the precision of the first group, or 0 if this has no positive.
    """
    P, _ = totals(groups)
    below = [((t + d) / P, (t + d) / (t + d + f + e)) for t, f, d, e in groups]
    first = below[0][1] if groups[0].d else Fraction(0)
    return [(Fraction(0), first), *below]


def roc_points(groups: Sequence[Group]) -> list[Point]:
    P, N = totals(groups)
    return [(Fraction(0), Fraction(0)), *(((f + e) / N, (t + d) / P) for t, f, d, e in groups)]


def lines(points: Iterable[Point]) -> Fraction:
    """Return the area under straight lines between points."""
    steps = pairwise(points)
    return sum(((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in steps), Fraction(0))


def trapezoid(groups: Sequence[Group]) -> Fraction:
    return lines([(Fraction(0), Fraction(1)), *pr_points(groups)[1:]])


def trapezoid_first_point(groups: Sequence[Group]) -> Fraction:
    return lines(pr_points(groups))


def left_dropped(groups: Sequence[Group]) -> Fraction:
    return lines(pr_points(groups)[1:])


def cut(groups: Sequence[Group], at: Iterable[Fraction]) -> Iterator[Group]:
    """Cut groups after the numbers of positives in `at`, with negatives in proportion."""
    cuts = sorted(at)
    for t, f, d, e in groups:
        ends = [t, *(x for x in cuts if t < x < t + d), t + d]
        for start, stop in pairwise(ends):
            if d:
                yield Group(start, f + e * (start - t) / d, stop - start, e * (stop - start) / d)
            else:
                yield Group(t, f, d, e)


def davis_goadrich_unit(groups: Sequence[Group]) -> Fraction:
    P, _ = totals(groups)
    return trapezoid_first_point([*cut(groups, map(Fraction, range(1, int(P))))])


def grid_1000(groups: Sequence[Group]) -> Decimal:
    """Return the area under lines between points, with further points at each thousandth of recall.

    It is computed in decimals: fractions with a thousand denominators would be as long as a page.
    """
    P, _ = totals(groups)
    points = pr_points([*cut(groups, (P * k / 1000 for k in range(1, 1000)))])
    steps = pairwise([(decimal(recall), decimal(precision)) for recall, precision in points])
    return sum(((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in steps), Decimal(0))


def fewest_false_positives(groups: Sequence[Group]) -> Fraction:
    """Return the area by ROCR's rule, which takes the best point of each recall and fills wide gaps.

    Points that fill the i-th gap are put after the i-th point of the list as it has grown, so that from the
    second gap on they are in a wrong place.
    """
    P, _ = totals(groups)
    best: dict[Fraction, Fraction] = {}
    for t, f, d, e in groups:
        best.setdefault(t, f)
        best.setdefault(t + d, f + e)
    t, f = [*best], [*best.values()]
    points = [(Fraction(0), Fraction(1)), *((a / P, a / (a + b)) for a, b in zip(t[1:], f[1:], strict=True))]
    for i in range(len(t) - 1):
        gap = t[i + 1] - t[i]
        if gap > 2:
            slope = (f[i + 1] - f[i]) / gap
            x = range(1, int(gap) + 1)
            points[i + 1 : i + 1] = [((k + t[i]) / P, (k + t[i]) / (t[i] + f[i] + k + slope * k)) for k in x]
    return lines(points)


def points_by_row(y: Sequence, s: Sequence) -> list[Point]:
    """Return recall and precision after each row; tied rows come one after the other, in the given order."""
    rows = sorted(range(len(y)), key=lambda i: -s[i])
    true = [*accumulate(int(y[i]) for i in rows)]
    return [(Fraction(t, true[-1]), Fraction(t, n)) for n, t in enumerate(true, start=1)]


def row_by_row(y: Sequence, s: Sequence) -> Fraction:
    return lines(points_by_row(y, s))


def best_precision(points: Sequence[Point], recall: Fraction) -> Fraction:
    return max(precision for reached, precision in points if reached >= recall)


def envelope(y: Sequence, s: Sequence) -> Fraction:
    """Return computer vision's AP, in which each step of recall has the best precision from its end on."""
    points = points_by_row(y, s)
    recalls = sorted({Fraction(0), *(recall for recall, _ in points)})
    steps = pairwise(recalls)
    return sum(((end - start) * best_precision(points, end) for start, end in steps), Fraction(0))


def envelope_at(y: Sequence, s: Sequence, steps: int) -> Fraction:
    """Return the mean of the best precision from a recall on, over recalls 0, 1/steps, ..., 1."""
    points = points_by_row(y, s)
    best = [best_precision(points, Fraction(k, steps)) for k in range(steps + 1)]
    return sum(best, Fraction(0)) / (steps + 1)


def envelope_11(y: Sequence, s: Sequence) -> Fraction:
    return envelope_at(y, s, 10)


def envelope_101(y: Sequence, s: Sequence) -> Fraction:
    return envelope_at(y, s, 100)


def thresholds_200(y: Sequence, s: Sequence) -> Decimal:
    """Return the integral over 200 equally spaced thresholds; a score passes those that it lies above.

    The outermost thresholds lie just outside [0, 1].
    """
    return aupr(groups_of(y, [sum(score > Fraction(i, 199) for i in range(1, 199)) for score in s]))


OF_GROUPS: Mapping[str, Callable[[Sequence[Group]], Exact]] = {
    rule.__name__: rule
    for rule in (
        auroc, average_precision, aupr, auprg, aucnpr, trapezoid, trapezoid_first_point, left_dropped,
        davis_goadrich_unit, grid_1000, fewest_false_positives,
    )
} | {"auprg_clipped": lambda groups: auprg(groups, clip=True)}  # fmt: skip
OF_ROWS: Mapping[str, Callable[[Sequence, Sequence], Exact]] = {
    rule.__name__: rule for rule in (row_by_row, thresholds_200, envelope, envelope_11, envelope_101)
}
WITH_WEIGHTS = (
    "auroc", "average_precision", "aupr", "auprg", "auprg_clipped", "aucnpr", "trapezoid", "trapezoid_first_point",
    "left_dropped",
)  # fmt: skip
WITH_PREVALENCE = ("auroc", "average_precision", "aupr", "auprg", "auprg_clipped", "aucnpr")
WITH_RANGE = ("aupr", "aucnpr")


def exact_areas(
    y: Sequence,
    s: Sequence,
    w: Sequence | None = None,
    prevalence: Fraction | None = None,
    recall_range: tuple = (0, 1),
    clip: bool = False,
) -> dict[str, float]:
    """Return the five metrics as floats, by name."""
    with localcontext() as context:
        context.prec = DIGITS
        groups = groups_of(y, s, w)
        roc = auroc(groups)
        if prevalence is not None:
            groups = at_prevalence(groups, prevalence)
        values = {
            "auroc": roc,
            "aupr": aupr(groups, recall_range),
            "auprg": auprg(groups, clip),
            "aucnpr": aucnpr(groups, recall_range),
            "average_precision": average_precision(groups),
        }
        return {name: float(value) for name, value in values.items()}
