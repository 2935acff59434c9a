"""A slow reference in exact fractions, logarithms with 60 digits: it shares no line with the package."""

from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction


def _decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


def _groups(rows):
    """For each score that a positive has, from the top: t0, f0, d, e."""
    d, e = Counter(), Counter()
    for (label, score, weight), count in rows.items():
        (d if label else e)[score] += Fraction(weight) * count
    t = f = Fraction(0)
    for score in sorted(set(d) | set(e), reverse=True):
        if d[score]:
            yield t, f, d[score], Fraction(e[score])
        t, f = t + d[score], f + e[score]


def _gain_area(groups, P, N, clip):
    """Trapezoids between points in gain space, from recall gain 0; where clipped, cut at the crossing."""
    pi, k, area = P / (P + N), P / N, Fraction(0)
    for t, f, d, e in groups:
        if t + d <= pi * P:
            continue
        start = max(t, pi * P)
        ends = []
        for x in (start, t + d):
            y = f + e * (x - t) / d
            ends.append((1 - k * (P - x) / x, 1 - k * y / x))
        (r0, p0), (r1, p1) = ends
        if clip and (p0 < 0 or p1 < 0):
            if p0 <= 0 and p1 <= 0:
                continue
            high = max(p0, p1)
            area += (r1 - r0) * high / (high - min(p0, p1)) * high / 2
        else:
            area += (r1 - r0) * (p0 + p1) / 2
    return area


def _hyperbolas(groups, P, low, high):
    """Integral of precision over recall, of positives from low to high, by the closed form."""
    total = Decimal(0)
    for t, f, d, e in groups:
        start, stop = max(t, low), min(t + d, high)
        if stop <= start:
            continue
        f, d, e, t = f + e * (start - t) / d, stop - start, e * (stop - start) / d, start
        q, m = t + f, d + e
        if q == 0:
            total += _decimal(d * d / m)
        else:
            total += _decimal(d / m) * (_decimal(d) + _decimal(t - d * q / m) * _decimal(1 + m / q).ln())
    return total / _decimal(P)


def exact_areas(y, s, w=None, prevalence=None, recall_range=(0, 1), clip=False):
    """The areas as floats by name; `y` labels, `s` scores, `w` weights, any numbers that a Fraction holds."""
    with localcontext() as context:
        context.prec = 60
        rows = Counter(zip(y, s, [1] * len(y) if w is None else w, strict=True))
        P = sum(Fraction(weight) * count for (label, _, weight), count in rows.items() if label)
        N = sum(Fraction(weight) * count for (label, _, weight), count in rows.items() if not label)
        groups = list(_groups(rows))
        auroc = sum(d * (N - f - e / 2) for _, f, d, e in groups) / (P * N)
        if prevalence is not None:
            scale = P * (1 - Fraction(prevalence)) / Fraction(prevalence) / N
            groups, N = [(t, f * scale, d, e * scale) for t, f, d, e in groups], N * scale
        a, b = (Fraction(x) for x in recall_range)
        aupr = _hyperbolas(groups, P, a * P, b * P)
        worst = _hyperbolas([(Fraction(0), N, P, Fraction(0))], P, a * P, b * P)
        return {
            "auroc": float(auroc),
            "aupr": float(aupr),
            "auprg": float(_gain_area(groups, P, N, clip)),
            "aucnpr": float((aupr - worst) / (_decimal(b - a) - worst)),
            "average_precision": float(sum(d * (t + d) / (t + d + f + e) for t, f, d, e in groups) / P),
        }
