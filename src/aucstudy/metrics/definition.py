"""Every area, defined by how many positives and negatives have each score.

Rows of the same score are one group. Groups come from the highest score down, and the curve runs from group to group:
above one lie `t` positives and `f` negatives, in it `d` and `e`, so that it ends at t1 = t + d and f1 = f + e. Within a
group of tied rows positives and negatives come at one rate, as in expectation when ties are broken at random.

Davis and Goadrich 2006; Keilwagen, Grosse and Grau 2014; Boyd et al. 2012; Flach and Kull 2015.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.area_names import AREAS
from aucstudy.metrics import inputs

GROUPS_AT_ONCE = 1 << 17
LARGEST_TOTAL = 2.0**200  # products of four totals stay finite


def areas_of_counts(
    positives: ArrayLike,
    rows: ArrayLike,
    *,
    recall_range: tuple[float, float] | None = None,
    prevalence: float | None = None,
    negative_gains: str = "signed",
) -> dict[str, float]:
    """Compute all areas of a table of which only the counts by score are known, as a data base returns them.

    Parameters
    ----------
    positives, rows : array_like of shape (n_scores,)
        How many positives, and how many rows in all, have each score, the highest score first; or sums of weights.
    recall_range, prevalence, negative_gains
        As for `areas`.

    Returns
    -------
    dict
        The area by its name. NaN, with UndefinedMetricWarning, where only one class has rows. Counts give what `areas`
        gives to 1e-12. Of sums of weights, negatives are a difference: beyond a hundred positives for a negative, each
        factor of ten costs a digit.

    Raises
    ------
    ValueError
        Lengths that differ, more dimensions, no rows, numbers that are negative or not finite, more positives than
        rows, options out of range.

    Examples
    --------
    Scores .8 .8 .6 .4 .4 .2 of labels 1 1 0 0 1 0:

    >>> result = areas_of_counts(positives=[2, 0, 1, 0], rows=[2, 1, 2, 1])
    >>> {area: round(value, 6) for area, value in result.items()}
    {'auroc': 0.833333, 'aupr': 0.875902, 'auprg': 0.708333, 'aucnpr': 0.820965, 'average_precision': 0.866667}
    """
    d, m = _checked_counts(positives, "positives"), _checked_counts(rows, "rows")
    inputs.same_length(m.size, d.size, "positives")
    e = m - d
    if (e < 0).any():
        i = int(np.argmax(e < 0))
        raise ValueError(f"positives must be at most rows, not {d[i]} of {m[i]} at index {i}")
    options = {"recall_range": recall_range, "prevalence": prevalence, "negative_gains": negative_gains}
    running = RunningAreas(d.sum().item(), e.sum().item(), **options)
    for start in range(0, d.size, GROUPS_AT_ONCE):
        running.add(d[start : start + GROUPS_AT_ONCE], e[start : start + GROUPS_AT_ONCE])
    if not running.has_both_classes:
        inputs.warn_one_class("rows hold one class only: areas", stacklevel=3)
    return running.areas()


def _checked_counts(values: ArrayLike, name: str) -> np.ndarray:
    counts = inputs.vector(inputs.real_numbers(values, name))
    # of unsigned or short integers, differences and sums would overflow
    counts = counts.astype(np.int64 if counts.dtype.kind in "biu" else np.float64)
    if counts.ndim != 1 or not counts.any():
        raise ValueError(f"{name} must be one-dimensional and not all 0, not of shape {counts.shape}")
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise ValueError(f"{name} must be finite and not negative")
    return counts


class RunningAreas:
    """The areas of P positives and N negatives, whose groups are added in batches, the highest score first."""

    def __init__(
        self,
        P: float,
        N: float,
        *,
        recall_range: tuple[float, float] | None = None,
        prevalence: float | None = None,
        negative_gains: str = "signed",
    ) -> None:
        (_, self._clip, *self._recalls), prevalence = inputs.checked_options(
            recall_range, prevalence, negative_gains
        )
        for total in (P, N):
            if not (total == 0 or 1 / LARGEST_TOTAL <= total <= LARGEST_TOTAL):
                raise ValueError(f"totals must be 0 or lie between 2^-200 and 2^200, not {total:g}")
        self.has_both_classes = P > 0 and N > 0
        # at another prevalence every negative counts as `scale` negatives
        self._scale = P * (1 - prevalence) / (prevalence * N) if prevalence and N else 1.0
        self.P, self.N = P, N * self._scale
        self.true_positives = self.false_positives = (
            0  # of all batches so far; int or float, as the counts are
        )
        self._sums: list[list[float]] = []  # of each batch

    def add(self, positives: np.ndarray, negatives: np.ndarray) -> None:
        """Add groups of (n,) counts, which are integers or floats."""
        t1, f1 = self.true_positives + np.cumsum(positives), self.false_positives + np.cumsum(negatives)
        t, f = np.append(self.true_positives, t1[:-1]), np.append(self.false_positives, f1[:-1])
        self.true_positives, self.false_positives = t1[-1].item(), f1[-1].item()
        if self.has_both_classes:
            # where a group has no positive, recall stands still and no area grows
            has_positive = positives > 0
            t, f, d, e = (column[has_positive] for column in (t, f, positives, negatives))
            self._sums.append(self._sums_of_groups(t, f * self._scale, d, e * self._scale))

    def _sums_of_groups(self, t: np.ndarray, f: np.ndarray, d: np.ndarray, e: np.ndarray) -> list[float]:
        """Sums of pairs in the right order, precision at steps, precision, 1 - precision, and lost gain."""
        pairs = d * (self.N - f - e / 2)
        steps = d * ((t + d) / (t + d + (f + e)))
        inside, outside = precision_integrals(*self._within_recalls(t, f, d, e))
        lost_gain = self._lost_gain(t, f, d, e)
        return [float(terms.sum()) for terms in (pairs, steps, inside, outside, lost_gain)]

    def _within_recalls(self, t, f, d, e) -> tuple[np.ndarray, ...]:
        """The groups, cut to the recalls that precision is integrated over."""
        low, high = (recall * self.P for recall in self._recalls)
        start, end = np.clip(t, low, high), np.clip(t + d, low, high)
        inside = end > start
        t, f, d, e, start, end = (column[inside] for column in (t, f, d, e, start, end))
        return start, f + e * ((start - t) / d), end - start, e * ((end - start) / d)

    def _lost_gain(self, t, f, d, e) -> np.ndarray:
        """Integrate 1 - precision gain over the recall gains from 0 to 1.

        Both gains, 1 - k f / t and 1 + k - k P / t with k = P / N, are straight lines in 1 / t within a group, so the
        integral is a trapezoid. Recall gain is 0 at t = P^2 / (P + N), where a group may have to be cut.
        """
        P, N, k = self.P, self.N, self.P / self.N
        t_star = P * P / (P + N)
        # the positives of a group that lie beyond t_star, by the rarer class, which has the exact digits
        beyond = P * (N / (P + N)) - (P - (t + d)) if P > N else t + d - t_star
        reaches = beyond > 0
        t, f, d, e, beyond = (column[reaches] for column in (t, f, d, e, beyond))
        width = np.minimum(beyond, d)
        t0, f0 = np.maximum(t, t_star), f + e * (1 - width / d)
        lost0, lost1 = k * f0 / t0, k * (f + e) / (t + d)
        lost = (lost0 + lost1) / 2
        if self._clip:
            # negative gains count as 0: where the line crosses 0, a triangle is left of it
            highest, lowest = 1 - np.minimum(lost0, lost1), 1 - np.maximum(lost0, lost1)
            crosses = (highest > 0) & (lowest < 0)
            triangle = np.divide(highest**2, 2 * (highest - lowest), out=np.zeros_like(lost), where=crosses)
            lost = np.where(lowest < 0, 1 - triangle, lost)
        return k * P * width / (t0 * (t + d)) * lost

    def areas(self) -> dict[str, float]:
        """The areas by name, once all groups were added."""
        if not self.has_both_classes:
            return dict.fromkeys(AREAS, math.nan)
        P, N, (a, b) = self.P, self.N, self._recalls
        pairs, steps, inside, outside, lost_gain = (
            math.fsum(column) for column in zip(*self._sums, strict=True)
        )
        # the larger of two parts of a whole is known best by the smaller one
        aupr = inside / P if 2 * inside < (b - a) * P else (b - a) - outside / P
        # the worst ranking has all negatives above the positives: Boyd et al. 2012, Theorem 2 and Corollary 4
        largest_outside = N * math.log1p((b - a) * P / (a * P + N))
        aucnpr = min(max(1 - outside / largest_outside, 0.0), 1.0)
        values = (pairs / (P * N), aupr, 1 - lost_gain, aucnpr, steps / P)
        return {area: float(value) for area, value in zip(AREAS, values, strict=True)}


def precision_integrals(t, f, d, e) -> tuple[np.ndarray, np.ndarray]:
    """Integrate precision, and 1 - precision, over the true positives of each group (d > 0).

    Davis and Goadrich's interpolation: precision is (t + d u) / (q + m u) at the share u of a group, with q = t + f and
    m = d + e. With x = m / q and h = 1 - log(1 + x) / x the integrals are sums of positive terms. Keilwagen, Grosse and
    Grau 2014.
    """
    q, m = t + f, d + e
    # a group with no row above has the same precision all through: h = 1
    x = np.divide(m, q, out=np.ones(m.shape), where=q > 0)
    log = np.where(q > 0, np.log1p(x), 0.0)
    h = 1 - log / x
    return d / m * (d * h + t * log), d / m * (e * h + f * log)
