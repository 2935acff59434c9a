"""F1 in precision-recall space: contours, the part of them that cannot be reached, Boyd et al.'s modified F1."""

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.bounds import min_precision

FIGURE_4_PREVALENCE, F1_LEVEL = 0.33, 0.45  # of Boyd et al. 2012, figure 4


def f1_score(recall: ArrayLike, precision: ArrayLike) -> np.ndarray | float:
    """Harmonic mean of recall and precision, 0 where both are 0.

    >>> round(f1_score(0.5, 1.0), 4)
    0.6667
    """
    r, p = np.asarray(recall, dtype=float), np.asarray(precision, dtype=float)
    total = r + p
    f1 = np.divide(2 * r * p, total, out=np.zeros_like(total), where=total > 0)
    return float(f1) if f1.ndim == 0 else f1


def f1_contour(f1: float, recall: ArrayLike) -> np.ndarray:
    """Precision at each recall on the contour of an F1: F r / (2 r - F); NaN where no precision up to 1 has it.

    >>> f1_contour(0.5, [0.25, 0.5, 1.0]).round(4).tolist()
    [nan, 0.5, 0.3333]
    """
    r = np.asarray(recall, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = f1 * r / (2 * r - f1)
    return np.where((2 * r > f1) & (precision <= 1), precision, np.nan)


def largest_recall_of_f1(f1: float, prevalence: float) -> float:
    """The recall where a contour meets the minimum curve, F / (pi (2 - F)), at most 1: beyond it nothing is reached.

    >>> round(largest_recall_of_f1(0.45, 0.33), 4)
    0.8798
    """
    return min(1.0, f1 / (prevalence * (2 - f1)))


def largest_recall_above_chance(f1: float, prevalence: float) -> float:
    """The recall at which a contour of F1 comes down to the precision of random guessing, F pi / (2 pi - F).

    The contour must come down to it: F1 below 2 pi / (1 + pi).

    >>> round(largest_recall_above_chance(0.45, 0.33), 4)
    0.7071
    """
    return f1 * prevalence / (2 * prevalence - f1)


def modified_f1(recall: ArrayLike, precision: ArrayLike, prevalence: float) -> np.ndarray | float:
    """F1 of recall and the precision above chance, (p - pi) / (1 - pi); 0 where precision is at most pi.

    References
    ----------
    Boyd, Santos Costa, Davis, Page 2012, section 4.4.

    Examples
    --------
    >>> modified_f1(1.0, 1.0, 0.33), modified_f1(1.0, 0.33, 0.33)
    (1.0, 0.0)
    """
    return f1_score(
        recall, np.clip((np.asarray(precision, dtype=float) - prevalence) / (1 - prevalence), 0, None)
    )


def at_modified_f1(precision: ArrayLike, prevalence: float) -> np.ndarray | float:
    """Precision at which the modified F1 has the value that F1 has at a precision and the same recall.

    >>> round(modified_f1(0.5, at_modified_f1(0.5, 0.33), 0.33), 12)
    0.5
    """
    return prevalence + (1 - prevalence) * np.asarray(precision, dtype=float)


def figure_4_points() -> dict[str, tuple[float, float]]:
    """Points (recall, precision) of one F1 like A, B and C of Boyd et al. 2012, figure 4.

    A lies halfway between the last recall that can be reached at this F1 and 1, B as far below that recall that its
    precision is .01 above the minimum, C where precision is twice recall.
    """
    edge = largest_recall_of_f1(F1_LEVEL, FIGURE_4_PREVALENCE)
    low, high = F1_LEVEL, edge
    for _ in range(60):
        middle = (low + high) / 2
        slack = f1_contour(F1_LEVEL, middle) - min_precision(middle, FIGURE_4_PREVALENCE)
        low, high = (middle, high) if slack > 0.01 else (low, middle)
    recalls = {"A": (edge + 1) / 2, "B": low, "C": 0.75 * F1_LEVEL}
    return {name: (recall, float(f1_contour(F1_LEVEL, recall))) for name, recall in recalls.items()}


def chance_point() -> tuple[float, float]:
    """The point B' of the contour of A, B and C that is random guessing: B of the paper is said to be marginally better
    than that and very near the minimum curve, which no point of the contour is."""
    return largest_recall_above_chance(F1_LEVEL, FIGURE_4_PREVALENCE), FIGURE_4_PREVALENCE
