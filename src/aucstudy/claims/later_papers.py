"""The statements of later papers that need no data."""

import numpy as np

from aucstudy.claims.boyd import LARGEST_ERROR
from aucstudy.claims.theorems import random_rankings
from aucstudy.claims.verdicts import Claim, Finding
from aucstudy.metrics.areas import areas, average_precision


def mistakes(claim: Claim) -> Finding:
    deviations = np.array([_gains_off(*ranking) for ranking in random_rankings(untied=True)])
    return claim.exact_if(deviations.max() <= LARGEST_ERROR, *deviations.max(axis=0), n=len(deviations))


def _gains_off(y: np.ndarray, scores: np.ndarray) -> tuple[float, float]:
    """Return how far the gains in AUROC and in AP from correcting one pair of rows lie from their formulas.

    Of the adjacent pairs in the wrong order the middle one is corrected. Without one both numbers are 0.
    """
    labels = y[np.argsort(-scores)]
    wrong = np.flatnonzero(~labels[:-1] & labels[1:])
    if not len(wrong):
        return 0.0, 0.0
    k = int(wrong[len(wrong) // 2])
    corrected = labels.copy()
    corrected[[k, k + 1]] = True, False
    falling = -np.arange(len(y), dtype=float)
    P, N, tp = labels.sum(), (~labels).sum(), labels[: k + 2].sum()
    roc = areas(corrected, falling).auroc - areas(labels, falling).auroc
    ap = average_precision(corrected, falling) - average_precision(labels, falling)
    return abs(roc - 1 / (P * N)), abs(ap - tp / (P * (k + 1) * (k + 2)))
