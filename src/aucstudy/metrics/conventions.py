"""Seven numbers that well-used tools all call the area under the precision-recall curve."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.areas import Areas, areas
from aucstudy.metrics.counts import Counts, ranking_counts
from aucstudy.metrics.curves import precision_at

MANY = 100_000  # vertices: of shorter curves, leaving some out saves nothing


class Curve(NamedTuple):
    """One ranking, as a convention gets it: its areas, its counts, and recall and precision at each threshold."""

    areas: Areas
    counts: Counts
    recall: np.ndarray
    precision: np.ndarray


class Convention(NamedTuple):
    """One rule for the area: a function of the curve, what it does, and whose tool does so."""

    area: Callable[[Curve], float]
    rule: str
    tool: str


def aupr_conventions(y_true: ArrayLike, y_score: ArrayLike) -> dict[str, float]:
    """Compute every convention in use for "area under the precision-recall curve" on one ranking.

    Parameters
    ----------
    y_true, y_score
        As for `aucstudy.metrics.areas`.

    Returns
    -------
    dict of str to float, the names of `CONVENTIONS`.

    Examples
    --------
    >>> values = aupr_conventions([1] * 3 + [0] * 7, [0.5] * 10)
    >>> round(values["exact"], 6), round(values["trapezoid"], 6), values["left_dropped"]
    (0.3, 0.65, 0.0)
    """
    whole = areas(y_true, y_score)
    if np.isnan(whole.aupr):
        return dict.fromkeys(CONVENTIONS, np.nan)
    counts = ranking_counts(y_true, y_score)
    if counts.thresholds.size > MANY:
        counts = _corners(counts)
    curve = Curve(whole, counts, counts.true_positives / counts.P, precision_at(counts))
    return {name: convention.area(curve) for name, convention in CONVENTIONS.items()}


def _corners(counts: Counts) -> Counts:
    """Without the vertices between two others of the same recall: no rule integrates anything there."""
    t = counts.true_positives
    kept = np.ones(t.size, dtype=bool)
    kept[2:-1] = (t[1:-2] != t[2:-1]) | (t[2:-1] != t[3:])
    return Counts(*(field[kept] for field in counts))


def _trapezoid(recall: np.ndarray, precision: np.ndarray) -> float:
    return float(np.trapezoid(precision, recall))


def _at_recalls(counts: Counts, true_positives: np.ndarray) -> float:
    """Trapezoid over the vertices and the points of the hyperbolas at further counts of true positives."""
    t, f = counts.true_positives, counts.false_positives
    ends = np.searchsorted(t, true_positives)
    inside = t[ends] != true_positives
    ends, new = ends[inside], true_positives[inside]
    share = (new - t[ends - 1]) / (t[ends] - t[ends - 1])
    at = [counts.thresholds[ends], new, f[ends - 1] + share * (f[ends] - f[ends - 1])]
    finer = Counts(*(np.insert(field, ends, values) for field, values in zip(counts, at, strict=True)))
    return _trapezoid(finer.true_positives / counts.P, precision_at(finer))


CONVENTIONS = {
    # the integral of the hyperbolas between points, as PRROC's auc.integral too
    "exact": Convention(lambda curve: curve.areas.aupr, "exact integral", "this project"),
    # torchmetrics and polars-ds have the same
    "average_precision": Convention(
        lambda curve: curve.areas.average_precision, "average precision", "scikit-learn"
    ),
    # over scikit-learn's points: overestimates where scores tie
    "trapezoid": Convention(
        lambda curve: _trapezoid(curve.recall, np.concatenate([[1.0], curve.precision[1:]])),
        "trapezoid from (0, 1)",
        "scikit-learn's points",
    ),
    # straight lines over points one true positive apart
    "davis_goadrich_unit": Convention(
        lambda curve: _at_recalls(curve.counts, np.arange(1, curve.counts.P)),
        "unit steps with straight lines",
        "PRROC, Davis-Goadrich",
    ),
    # the hyperbolas at recalls of 1/1000, then straight lines; precrec to 1e-5 where scores tie
    "grid_1000": Convention(
        lambda curve: _at_recalls(curve.counts, np.arange(1, 1000) / 1000 * curve.counts.P),
        "grid of 1/1000",
        "precrec",
    ),
    # from (0, precision of the first group)
    "trapezoid_first_point": Convention(
        lambda curve: _trapezoid(curve.recall, curve.precision), "trapezoid from the first point", "classeval"
    ),
    # without what lies left of the first threshold
    "left_dropped": Convention(
        lambda curve: _trapezoid(curve.recall[1:], curve.precision[1:]),
        "trapezoid, left part dropped",
        "MLmetrics",
    ),
}
