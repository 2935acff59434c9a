"""The definition of every area, from the numbers of positives and negatives with each score.

P positives and N negatives are ranked by their scores. Rows with equal scores form a group of tied rows. The groups are
taken in order from the highest score down. For each group, `t` positives and `f` negatives have higher scores, and the
group itself has `d` positives and `e` negatives. Within a group the curve is a straight line from (t, f) to
(t + d, f + e), because this is the average over all ways to break the ties. At a point of the curve with TP true and FP
false positives, precision is TP / (TP + FP), recall is TP / P and the false positive rate is FP / N.

| area | is the integral of | over |
|---|---|---|
| AUROC | 1 - false positive rate | recall |
| average precision | precision at the end of each group | recall |
| AUPR | precision | recall, or a range of it |
| AUPRG | precision gain, 1 - k FP / TP with k = P / N | recall gain, 1 + k - k P / TP, from 0 to 1 |

AUCNPR is (AUPR - MIN) / (MAX - MIN), where MIN is the AUPR of the worst ranking and MAX that of a perfect one, over the
same recalls.

Davis and Goadrich 2006; Keilwagen, Grosse and Grau 2014; Boyd et al. 2012; Flach and Kull 2015.

The areas of rows are computed by the compiled `aucstudy.metrics.kernel`, which has closed forms of its own. Tests
compare it with the code below and with exact arithmetic. `RunningAreas`, the steps from AUPR to AUPRG and, in part, the
influence functions call the functions below.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.area_names import AREAS
from aucstudy.metrics import inputs

LARGEST_TOTAL = 2.0**200  # products of four totals stay finite


def areas_of_counts(
    positives: ArrayLike,
    rows: ArrayLike,
    *,
    recall_range: tuple[float, float] | None = None,
    prevalence: float | None = None,
    negative_gains: str = "signed",
) -> dict[str, float]:
    """Compute all areas from a table with the number of positives and of rows for each score.

    Parameters
    ----------
    positives, rows : array_like of shape (n_scores,)
        How many positives, and how many rows of both classes together, have each score. The highest score comes
        first. Sums of weights are accepted, too.
    recall_range, prevalence, negative_gains
        As for `areas`.

    Returns
    -------
    dict
        The area by its name. All are NaN, with UndefinedMetricWarning, where all rows are positive or none is. From
        counts, the areas differ from those of `areas` by at most 1e-12 max(1, |value|); `aucnpr` over recalls (a, b)
        by 1e-15 / (b - a), if that is more. From sums of weights, the negatives are a difference of two sums: beyond a
        hundred positives for a negative, each further factor of ten costs a digit.

    Raises
    ------
    ValueError
        Lengths that differ, more dimensions, no rows, numbers that are negative or not finite, more positives than
        rows, sums beyond 2^200 or below 2^-200, options out of range.

    Examples
    --------
    Scores .8 .8 .6 .4 .4 .2 of labels 1 1 0 0 1 0:

    >>> result = areas_of_counts(positives=[2, 0, 1, 0], rows=[2, 1, 2, 1])
    >>> {area: round(value, 6) for area, value in result.items()}
    {'auroc': 0.833333, 'aupr': 0.875902, 'auprg': 0.708333, 'aucnpr': 0.820965, 'average_precision': 0.866667}
    """
    d, m = _checked_counts(positives, "positives"), _checked_counts(rows, "rows")
    if m.size != d.size:
        raise ValueError(
            f"rows has {m.size} scores and positives has {d.size}; they must have the same number"
        )
    if not m.any():
        raise ValueError("rows must not be empty or all 0")
    e = m - d
    if (e < 0).any():
        i = int(np.argmax(e < 0))
        raise ValueError(f"positives must be at most rows, not {d[i]} of {m[i]} at index {i}")
    prevalence, clip, recalls = inputs.checked_options(recall_range, prevalence, negative_gains)
    P, N = d.sum().item(), e.sum().item()
    check_totals(P, N)
    if not (P and N):
        inputs.warn_one_class("rows hold one class only: areas", stacklevel=3)
        return dict.fromkeys(AREAS, math.nan)
    t, f = np.cumsum(d) - d, np.cumsum(e) - e
    # At another prevalence every negative counts as `scale` negatives.
    scale = 1.0 if prevalence is None else P * (1 - prevalence) / (prevalence * N)
    # Every area is an integral over recall or recall gain, which do not change in a group without a positive.
    t, f, d, e = (column[d > 0] for column in (t, f, d, e))
    sums = sums_of_groups(t, f * scale, d, e * scale, P, N * scale, recalls, clip)
    return areas_of_sums(sums, P, N * scale, recalls, clip)


def _checked_counts(values: ArrayLike, name: str) -> np.ndarray:
    counts = inputs.vector(inputs.real_numbers(values, name))
    # Differences and sums of unsigned or short integers would overflow.
    counts = counts.astype(np.int64 if counts.dtype.kind in "biu" else np.float64)
    if counts.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, not of shape {counts.shape}")
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise ValueError(f"{name} must be finite and not negative")
    return counts


def check_totals(P: float, N: float) -> None:
    for total in (P, N):
        if not (total == 0 or 1 / LARGEST_TOTAL <= total <= LARGEST_TOTAL):
            raise ValueError(f"totals must be 0 or lie between 2^-200 and 2^200, not {total:g}")


def sums_of_groups(
    t, f, d, e, P: float, N: float, recalls: tuple[float, float] = (0.0, 1.0), clip: bool = False
) -> list[float]:
    """Return five sums over the groups with d > 0, from which `areas_of_sums` computes the areas.

    The sums are: the pairs of a positive with a negative below it (a tied pair counts half); the precision at the end
    of the group of each positive; the integrals of precision and of 1 - precision over the true positives within
    `recalls`; the integral of 1 - precision gain over recall gain.
    """
    pairs = d * (N - f - e / 2)
    steps = d * ((t + d) / (t + d + (f + e)))
    inside, outside = precision_integrals(*within_recalls(t, f, d, e, P, recalls))
    lost = lost_gain(t, f, d, e, P, N, clip)
    return [float(terms.sum()) for terms in (pairs, steps, inside, outside, lost)]


def areas_of_sums(
    sums: list[float], P: float, N: float, recalls: tuple[float, float] = (0.0, 1.0), clip: bool = False
) -> dict[str, float]:
    """Return each area by its name."""
    pairs, steps, inside, outside, lost = sums
    low, high = recalls
    # Of two parts of a whole, the larger one is most exact if it is computed from the smaller one.
    aupr = inside / P if 2 * inside < (high - low) * P else (high - low) - outside / P
    # the worst ranking has all negatives above the positives: Boyd et al. 2012, Theorem 2 and Corollary 4
    largest_outside = N * math.log1p((high - low) * P / (low * P + N))
    aucnpr = min(max(1 - outside / largest_outside, 0.0), 1.0)
    # a sum of clipped gains can only be below 0 by rounding
    auprg = max(1 - lost, 0.0) if clip else 1 - lost
    values = (pairs / (P * N), aupr, auprg, aucnpr, steps / P)
    return {area: float(value) for area, value in zip(AREAS, values, strict=True)}


def within_recalls(t, f, d, e, P: float, recalls: tuple[float, float]) -> tuple[np.ndarray, ...]:
    """Return t, f, d and e of the parts of the groups within a range of recall."""
    low, high = (recall * P for recall in recalls)
    start, end = np.clip(t, low, high), np.clip(t + d, low, high)
    inside = end > start
    t, f, d, e, start, end = (column[inside] for column in (t, f, d, e, start, end))
    return start, f + e * ((start - t) / d), end - start, e * ((end - start) / d)


def precision_integrals(t, f, d, e) -> tuple[np.ndarray, np.ndarray]:
    """Integrate precision, and 1 - precision, over the true positives of each group (d > 0).

    Davis and Goadrich's interpolation: after a share u of the group, precision is (t + d u) / (q + m u), with q = t + f
    and m = d + e. With x = m / q and h = 1 - log(1 + x) / x, the integrals are sums of positive terms (Keilwagen,
    Grosse and Grau 2014).
    """
    q, m = t + f, d + e
    # if no row has a higher score, precision is constant within the group: h = 1
    x = np.divide(m, q, out=np.ones(m.shape), where=q > 0)
    log = np.where(q > 0, np.log1p(x), 0.0)
    h = 1 - log / x
    return d / m * (d * h + t * log), d / m * (e * h + f * log)


def lost_gain(t, f, d, e, P: float, N: float, clip: bool = False) -> np.ndarray:
    """Integrate 1 - precision gain over the recall gains from 0 to 1 in each group. The sum over groups is 1 - AUPRG.

    With k = P / N, precision gain is 1 - k FP / TP and recall gain is 1 + k - k P / TP. Within a group both are linear
    in 1 / TP, so the integral is a trapezoid (Flach and Kull 2015). Recall gain is 0 at TP = P^2 / (P + N). A group
    that contains this point is cut there.
    """
    k = P / N
    t_star = P * P / (P + N)
    # The positives of each group before and beyond t_star. If positives are the more common class, t_star is close to
    # P, and t - t_star would lose digits. Both are then counted from P down.
    if P > N:
        before, beyond = (P - t) - P * (N / (P + N)), P * (N / (P + N)) - (P - (t + d))
    else:
        before, beyond = t_star - t, t + d - t_star
    reaches = beyond > 0
    t, f, d, e, before, beyond = (column[reaches] for column in (t, f, d, e, before, beyond))
    width = np.minimum(beyond, d)
    t0, f0 = np.maximum(t, t_star), f + e * (np.maximum(before, 0) / d)
    lost0, lost1 = k * f0 / t0, k * (f + e) / (t + d)
    lost = (lost0 + lost1) / 2
    if clip:
        # negative gains count as 0: if the line crosses 0, a triangle remains
        highest, lowest = 1 - np.minimum(lost0, lost1), 1 - np.maximum(lost0, lost1)
        crosses = (highest > 0) & (lowest < 0)
        triangle = np.divide(highest**2, 2 * (highest - lowest), out=np.zeros_like(lost), where=crosses)
        lost = np.where(lowest < 0, 1 - triangle, lost)
    return k * P * width / (t0 * (t + d)) * lost
