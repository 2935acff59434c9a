"""The numbers behind those figures and tables of the two papers that need no data of a study."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from aucstudy.experiments.inputs import Study
from aucstudy.metrics.bounds import min_precision
from aucstudy.published.implied import table_1, table_2, table_3

# The positives and negatives of each segment of the ROC hull in the running example of Flach & Kull 2015. The
# paper does not print them. The page papers.md says how they were found.
HULL_STEPS = ((1, 0), (6, 2), (10, 25), (23, 104), (1, 18), (3, 60), (3, 106), (1, 69))
N_POSITIVE, N_NEGATIVE = 48, 452
FIGURE_4_PREVALENCE, F1_LEVEL = 0.33, 0.45  # of Boyd et al. 2012, figure 4
Points = tuple[np.ndarray, np.ndarray]


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    return {"boyd_table_1": table_1(), "boyd_table_2": table_2(), "boyd_table_3": table_3()}


def running_example() -> Points:
    """Return labels and scores of 500 rows whose ROC hull has the segments `HULL_STEPS`.

    The scores fall from row to row without ties. Within a segment, each positive comes as early as the hull
    permits.
    """
    labels: list[bool] = []
    for positives, negatives in HULL_STEPS:
        negatives_before = np.ceil(np.arange(positives + 1) * negatives / positives).astype(int)
        for new in np.diff(negatives_before):
            labels += [False] * int(new) + [True]
    labels += [False] * (N_POSITIVE + N_NEGATIVE - len(labels))
    return np.array(labels), np.arange(len(labels), 0, -1) / len(labels)


def f1_score(recall: ArrayLike, precision: ArrayLike) -> np.ndarray | float:
    r, p = np.asarray(recall, dtype=float), np.asarray(precision, dtype=float)
    total = r + p
    f1 = np.divide(2 * r * p, total, out=np.zeros_like(total), where=total > 0)
    return float(f1) if f1.ndim == 0 else f1


def f1_contour(f1: float, recall: ArrayLike) -> np.ndarray:
    """Return the precision that gives the F1 at each recall, NaN where no precision up to 1 does.

    For an F1 of F and a recall r, this precision is F r / (2 r - F).
    """
    r = np.asarray(recall, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = f1 * r / (2 * r - f1)
    return np.where((2 * r > f1) & (precision <= 1), precision, np.nan)


def largest_recall_of_f1(f1: float, prevalence: float) -> float:
    """Return the largest recall, at most 1, that a ranking can have at an F1 and a prevalence.

    The contour of the F1 meets the curve of minimum precision at recall F / (pi (2 - F)). At higher recalls,
    it lies below this curve, where no ranking has a point.
    """
    return min(1.0, f1 / (prevalence * (2 - f1)))


def largest_recall_above_chance(f1: float, prevalence: float) -> float:
    """Return the recall at which the contour of an F1 falls to the precision of random guessing.

    There is such a recall only for an F1 of at most 2 pi / (1 + pi).
    """
    return f1 * prevalence / (2 * prevalence - f1)


def at_modified_f1(precision: ArrayLike, prevalence: float) -> np.ndarray | float:
    """Return the precision at which the modified F1 equals F1 at the given precision and the same recall."""
    return prevalence + (1 - prevalence) * np.asarray(precision, dtype=float)


def figure_4_points() -> dict[str, tuple[float, float]]:
    """Return three points (recall, precision) of the same F1, like A, B and C of Boyd et al. 2012, figure 4.

    A lies half way between 1 and the largest recall that can be reached at this F1, so no ranking reaches A.
    B lies at a lower recall, where precision is .01 above the minimum. At C, precision is twice the recall.
    """
    edge = largest_recall_of_f1(F1_LEVEL, FIGURE_4_PREVALENCE)
    low, high = F1_LEVEL, edge
    for _ in range(60):
        middle = (low + high) / 2
        slack = f1_contour(F1_LEVEL, middle) - min_precision(middle, FIGURE_4_PREVALENCE)
        low, high = (middle, high) if slack > 0.01 else (low, middle)
    recalls = {"A": (edge + 1) / 2, "B": low, "C": 0.75 * F1_LEVEL}
    return {name: (recall, float(f1_contour(F1_LEVEL, recall))) for name, recall in recalls.items()}
