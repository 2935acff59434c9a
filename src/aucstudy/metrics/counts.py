"""The metrics of counts by score, by their definition: of a whole table of counts, or of batches that are added."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.errors import InputError
from aucstudy.metrics import inputs
from aucstudy.metrics.definition import Totals
from aucstudy.metrics.kernel import (
    Options,
    Order,
    areas_of_groups,
    class_totals,
    groups_of,
    running_sum,
    totals_of,
)
from aucstudy.metrics.registry import Metric, further_metrics, metrics

LARGEST_TOTAL = 2.0**200  # products of four totals stay finite
LARGEST_EXACT = 2.0**53  # floats hold smaller whole numbers exactly
LARGEST_WHOLE = 2.0**62  # a larger sum of whole numbers is computed in floats
ROUNDING = 1e-9  # by which a metric of one's own may pass its bounds


def areas_of_counts(
    positives: ArrayLike,
    rows: ArrayLike,
    *,
    recall_range: tuple[float, float] | None = None,
    prevalence: float | None = None,
    negative_gains: str = "signed",
) -> dict[str, float]:
    """Compute all metrics from a table with the number of positives and of rows for each score.

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
        The metric by its key. All are NaN, with UndefinedMetricWarning, where all rows are positive or none is. From
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
    running = RunningAreas(
        float(d.sum()),
        float(e.sum()),
        recall_range=recall_range,
        prevalence=prevalence,
        negative_gains=negative_gains,
    )
    if not running.has_both_classes:
        inputs.warn_one_class("rows hold one class only: areas", stacklevel=3)
    running.add(d, e)
    return running.areas()


def _checked_counts(values: ArrayLike, name: str) -> np.ndarray:
    counts = inputs.vector(inputs.real_numbers(values, name))
    # Differences and sums of unsigned or short integers would overflow, and those of very large ones in int64, too.
    whole = counts.dtype.kind in "biu" and counts.sum(dtype=float) < LARGEST_WHOLE
    counts = counts.astype(np.int64 if whole else np.float64)
    if counts.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, not of shape {counts.shape}")
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise ValueError(f"{name} must be finite and not negative")
    return counts


class RunningAreas:
    """The metrics of P positives and N negatives, whose groups of tied rows are added in batches.

    The highest score comes first. A group must not be spread over two batches, as it would count as two groups, the
    first one above the second. Options are as for `areas`.

    Examples
    --------
    >>> running = RunningAreas(3, 3)
    >>> running.add(np.array([2, 0]), np.array([0, 1]))
    >>> running.add(np.array([1, 0]), np.array([1, 1]))
    >>> {area: round(value, 6) for area, value in running.areas().items()}
    {'auroc': 0.833333, 'aupr': 0.875902, 'auprg': 0.708333, 'aucnpr': 0.820965, 'average_precision': 0.866667}
    """

    def __init__(
        self,
        P: float,
        N: float,
        *,
        recall_range: tuple[float, float] | None = None,
        prevalence: float | None = None,
        negative_gains: str = "signed",
    ) -> None:
        prevalence, clip, recalls = inputs.checked_options(recall_range, prevalence, negative_gains)
        for total in (P, N):
            if not (total == 0 or 1 / LARGEST_TOTAL <= total <= LARGEST_TOTAL):
                raise ValueError(f"totals must be 0 or lie between 2^-200 and 2^200, not {total:g}")
        self.has_both_classes = P > 0 and N > 0
        self._scale = negative_scale(P, N, prevalence)
        self._totals = Totals(float(P), N * self._scale, recalls, clip)
        self._metrics = metrics()
        # The positives and the negatives of all batches so far, and what was rounded off their sums.
        self._true_positives, self._false_positives = (0.0, 0.0), (0.0, 0.0)
        self._batches: list[list[list[float]]] = []

    @property
    def true_positives(self) -> float:
        return sum(self._true_positives)

    @property
    def false_positives(self) -> float:
        return sum(self._false_positives)

    def add(self, positives: np.ndarray, negatives: np.ndarray) -> None:
        """Add the (n,) counts of positives and of negatives in each group, which are integers or floats."""
        t_before, f_before = self.true_positives, self.false_positives
        t_after, self._true_positives = _running_sum(positives, *self._true_positives)
        f_after, self._false_positives = _running_sum(negatives, *self._false_positives)
        if not self.has_both_classes:
            return
        d, e = np.asarray(positives, dtype=float), np.asarray(negatives, dtype=float)
        t, f = np.append(t_before, t_after[:-1]), np.append(f_before, f_after[:-1])
        # No metric changes in a group without a positive.
        with_positive = np.flatnonzero(d)
        t, f, d, e = (column[with_positive] for column in (t, f, d, e))
        self._batches.append(_sums(self._metrics, t, f * self._scale, d, e * self._scale, self._totals))

    def areas(self) -> dict[str, float]:
        """Return the metrics by key, after all groups have been added."""
        if not self.has_both_classes:
            return dict.fromkeys((entry.key for entry in self._metrics), math.nan)
        sums = [
            [math.fsum(batches) for batches in zip(*of_metric, strict=True)]
            for of_metric in zip(*self._batches, strict=True)
        ]
        return {
            entry.key: _value_of(entry, self._totals, of_metric)
            for entry, of_metric in zip(self._metrics, sums, strict=True)
        }


def _running_sum(counts: np.ndarray, total: float, rounding: float) -> tuple[np.ndarray, tuple[float, float]]:
    """Return what `kernel.running_sum` does. Of whole numbers, the sums are exact without it.

    They are then computed without compiled code, which takes longer to load than most tables to be counted.
    """
    counts = np.asarray(counts)
    is_whole = counts.dtype.kind in "iu" and not rounding and float(total).is_integer()
    if is_whole and total + counts.sum(dtype=float) < LARGEST_EXACT:
        sums = total + np.cumsum(counts)
        return sums, (float(sums[-1]) if sums.size else total, 0.0)
    return running_sum(counts.astype(float, copy=False), total, rounding)


def negative_scale(P: float, N: float, prevalence: float | None) -> float:
    """Return how many negatives each negative counts as at a prevalence, which is 1 at the observed one."""
    return P * (1 - prevalence) / (prevalence * N) if prevalence and N else 1.0


def _sums(entries: Sequence[Metric], t, f, d, e, totals: Totals) -> list[list[float]]:
    """Return for each metric the sums of its terms. Metrics with the same terms share them."""
    by_terms = {}
    for terms in dict.fromkeys(entry.terms for entry in entries):
        arrays = terms(t, f, d, e, totals)
        arrays = arrays if isinstance(arrays, tuple) else (arrays,)
        by_terms[terms] = [float(array.sum()) for array in arrays]
    return [by_terms[entry.terms] for entry in entries]


def _defined_by_groups(
    entries: Sequence[Metric], groups: np.ndarray, P: float, N: float, options: Options
) -> list[float]:
    if not entries:
        return []
    scale = negative_scale(P, N, options.prevalence)
    totals = Totals(P, N * scale, (options.low, options.high), bool(options.clip))
    t, f, d, e = groups
    sums = _sums(entries, t, f * scale, d, e * scale, totals)
    return [_value_of(entry, totals, of_metric) for entry, of_metric in zip(entries, sums, strict=True)]


def _value_of(entry: Metric, totals: Totals, sums: Sequence[float]) -> float:
    """Return a metric from the sums of its terms. InputError for one of one's own that passes its bounds or is NaN."""
    value = float(entry.value(totals, *sums))
    if not entry.compiled:
        low, high = entry.lowest(totals.P, totals.N), entry.highest(totals.P, totals.N)
        if not low - ROUNDING <= value <= high + ROUNDING:
            raise InputError(
                f"metric {entry.key!r}: is {value:g} for {totals.P:g} positives and {totals.N:g} negatives; by its "
                f"lowest and highest, a number from {low:g} to {high:g} is needed"
            )
    return value


def areas_of_kernel_groups(groups: np.ndarray, P: float, N: float, options: Options) -> list[float]:
    """Return all metrics (n_metrics,) of P positives and N negatives in (4, k) `kernel.groups`."""
    areas = list(areas_of_groups(groups, groups.shape[1], totals_of(P, N, options)))
    return [*areas, *_defined_by_groups(further_metrics(), groups, P, N, options)]


def defined_areas(
    entries: Sequence[Metric], order: Order, weight: np.ndarray, options: Options
) -> np.ndarray:
    """Return some metrics of every model (m, n_entries) by their definition, from rows with weights (n,).

    They are NaN where the rows with weight have one class.
    """
    P, N = (float(total) for total in class_totals(order.positive, weight))
    areas = np.full((len(order.rows), len(entries)), np.nan)
    if P > 0 and N > 0:
        for model in range(len(areas)):
            areas[model] = _defined_by_groups(entries, groups_of(order, model, weight), P, N, options)
    return areas
