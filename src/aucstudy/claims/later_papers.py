"""The statements of later papers that need no data."""

import numpy as np

from aucstudy.claims.boyd import LARGEST_ERROR
from aucstudy.claims.theorems import random_rankings
from aucstudy.claims.verdicts import Claim, Finding
from aucstudy.metrics.areas import areas, average_precision

# The labels of a ranking in which AP rises more at the ranks 22 and 23 than at the ranks 10 and 11.
COUNTEREXAMPLE = np.repeat([False, True, False, True], [10, 11, 1, 1])


def mistakes(claim: Claim) -> Finding:
    deviations = np.array([_gains_off(*ranking) for ranking in random_rankings(untied=True)])
    at_the_top, further_down = (rises(COUNTEREXAMPLE, rank)[1] for rank in (10, 22))
    holds = deviations.max() <= LARGEST_ERROR and at_the_top >= further_down
    numbers = (*deviations.max(axis=0), at_the_top, further_down)
    return claim.exact_if(holds, *numbers, n=len(deviations))


def rises(labels: np.ndarray, rank: int) -> tuple[float, float]:
    """Return by how much AUROC and AP rise if the rows at a rank, counted from 1, and the next one change places."""
    corrected = labels.copy()
    corrected[[rank - 1, rank]] = labels[[rank, rank - 1]]
    falling = -np.arange(len(labels), dtype=float)
    roc = areas(corrected, falling).auroc - areas(labels, falling).auroc
    return roc, average_precision(corrected, falling) - average_precision(labels, falling)


def _gains_off(y: np.ndarray, scores: np.ndarray) -> tuple[float, float]:
    """Return how far the gains in AUROC and in AP from correcting one pair of rows lie from their formulas.

    Of the adjacent pairs in the wrong order the middle one is corrected. Without one both numbers are 0.
    """
    labels = y[np.argsort(-scores)]
    wrong = np.flatnonzero(~labels[:-1] & labels[1:])
    if not len(wrong):
        return 0.0, 0.0
    k = int(wrong[len(wrong) // 2]) + 1
    P, N, tp = labels.sum(), (~labels).sum(), labels[: k + 1].sum()
    roc, ap = rises(labels, k)
    return abs(roc - 1 / (P * N)), abs(ap - tp / (P * k * (k + 1)))
