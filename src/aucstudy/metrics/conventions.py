"""Seven numbers that well-used tools all call the area under the precision-recall curve."""

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.areas import areas
from aucstudy.metrics.counts import Counts, ranking_counts
from aucstudy.metrics.curves import precision_at

CONVENTIONS = (
    "exact",
    "average_precision",
    "trapezoid",
    "davis_goadrich_unit",
    "grid_1000",
    "trapezoid_first_point",
    "left_dropped",
)


def aupr_conventions(y_true: ArrayLike, y_score: ArrayLike) -> dict[str, float]:
    """Compute every convention in use for "area under the precision-recall curve" on one ranking.

    Parameters
    ----------
    y_true, y_score
        As for `aucstudy.metrics.areas`.

    Returns
    -------
    dict of str to float
        exact
            Integral of the hyperbolas between points (PRROC's auc.integral, this project).
        average_precision
            Steps, no interpolation (scikit-learn, torchmetrics, polars-ds).
        trapezoid
            Straight lines from (0, 1) over scikit-learn's points: overestimates where scores tie.
        davis_goadrich_unit
            Straight lines over points one true positive apart (PRROC's auc.davis.goadrich).
        grid_1000
            Hyperbolas sampled at recalls of 1/1000, then straight lines (precrec, to 1e-5 where scores tie).
        trapezoid_first_point
            Straight lines from (0, precision of the first group) (classeval's tutorial).
        left_dropped
            Straight lines without what lies left of the first threshold (MLmetrics).

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
    recall, precision = counts.true_positives / counts.P, precision_at(counts)
    return {
        "exact": whole.aupr,
        "average_precision": whole.average_precision,
        "trapezoid": _trapezoid(recall, np.concatenate([[1.0], precision[1:]])),
        "davis_goadrich_unit": _at_recalls(counts, np.arange(1, counts.P)),
        "grid_1000": _at_recalls(counts, np.arange(1, 1000) / 1000 * counts.P),
        "trapezoid_first_point": _trapezoid(recall, precision),
        "left_dropped": _trapezoid(recall[1:], precision[1:]),
    }


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
