"""The statements of Flach & Kull 2015 that need no data: what follows from theorems, and the running example."""

import numpy as np

from aucstudy.claims.boyd import LARGEST_ERROR
from aucstudy.claims.theorems import random_rankings
from aucstudy.claims.verdicts import Claim, Finding
from aucstudy.experiments.papers import running_example
from aucstudy.metrics.bounds import min_precision
from aucstudy.metrics.hulls import prg_hull, roc_hull

PREVALENCES = np.linspace(0.05, 0.95, 19)
BETAS = (0.25, 0.5, 1.0, 2.0, 4.0)
COUNTEREXAMPLE = (0.3, 1.0, 0.27, 0.25)  # pi, precision, recall, beta
# The positives and negatives of each group of tied rows, in two rankings with the same class sizes. The
# second groups of both rankings have the same c.
SAME_C = (((4, 0), (1, 1), (1, 11)), ((2, 0), (1, 1), (3, 11)))
SAME, APART = 1e-9, 0.01


def models_plotted(claim: Claim) -> Finding:
    return claim.arithmetic(886 * 30)


def figure_3(claim: Claim) -> Finding:
    roc, prg = roc_hull(*running_example()), prg_hull(*running_example())
    # The first segment of the PRG hull leads to precision 1. The paper lists the segments after it, and two
    # of them as beta^2.
    items = claim.numbers(*roc.probability, *prg.d[1:], *(1 / prg.d[2:4] - 1))
    return claim.arithmetic(*(item.here for item in items))


def f_beta(precision: np.ndarray, recall: np.ndarray, beta: float) -> np.ndarray:
    """Return F_beta of precisions and recalls above 0.

    >>> round(f_beta(1.0, 0.27, 0.25), 3)
    0.863
    """
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def _leads() -> np.ndarray:
    """Return three rows: beta, whether precision is below the prevalence, and the lead in F_beta.

    The lead is that over the model that predicts every row positive. Each column is a beta and an achievable
    model whose precision or recall is below the prevalence.
    """
    grid = np.linspace(0.01, 1, 100)
    pi, r, p = (axis.reshape(-1) for axis in np.meshgrid(PREVALENCES, grid, grid))
    below_baseline = ((r < pi) | (p < pi)) & (p >= min_precision(r, pi))
    pi, r, p = pi[below_baseline], r[below_baseline], p[below_baseline]
    leads = ((np.full(len(r), b), p < pi, f_beta(p, r, b) - f_beta(pi, 1.0, b)) for b in BETAS)
    return np.hstack([np.stack(columns) for columns in leads])


def baseline(claim: Claim) -> Finding:
    beta, is_imprecise, lead = _leads()
    pi, precision, recall, b = COUNTEREXAMPLE
    largest_leads = (lead[cases].max() for cases in (beta < 1, beta >= 1, is_imprecise == 1))
    return claim.exact_if(lead.max() <= 0, f_beta(precision, recall, b), f_beta(pi, 1.0, b), *largest_leads)


def random_model(claim: Claim) -> Finding:
    pi, beta, rate = np.meshgrid(PREVALENCES, BETAS, np.linspace(0.01, 1, 100), indexing="ij")
    f = random_f(rate, pi, beta)
    # A table of counts with the same rate of positive predictions in both classes.
    tp, fp, fn = rate * pi, rate * (1 - pi), (1 - rate) * pi
    of_table = (1 + beta**2) * tp / ((1 + beta**2) * tp + beta**2 * fn + fp)
    deviation, rise = np.abs(f - of_table).max(), np.diff(f, axis=-1).min()
    return claim.exact_if(deviation <= LARGEST_ERROR and rise > 0, deviation, rise, n=f.size)


def random_f(rate: np.ndarray, pi: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """Return the F_beta of a random classifier by its rate of positive predictions, as section 3.1 prints it.

    >>> random_f(1.0, 0.3, 1.0).__round__(6)
    0.461538
    """
    return (1 + beta**2) * rate * pi / (rate + beta**2 * pi)


def angle(claim: Claim) -> Finding:
    """Judge whether precision over the angle of the line from the origin of ROC space is the same at several rates.

    The points have a true positive rate of 1, at a prevalence of .5.
    """
    fpr = np.array([1, 0.5, 0.1, 0.0])
    quotients = 1 / (1 + fpr) / np.arctan2(1, fpr)
    return claim.exact_if(np.ptp(quotients) <= LARGEST_ERROR, *quotients)


def interval_of_delta(claim: Claim) -> Finding:
    pi, y0 = 0.3, 0.8
    printed, computed = -y0 / 1 - pi, 0 / pi - y0 / (1 - pi)
    return claim.exact_if(abs(printed - computed) <= LARGEST_ERROR, printed, computed)


def d_of_c(claim: Claim) -> Finding:
    calibrated = []
    for groups in SAME_C:
        y = np.concatenate([np.arange(sum(group)) < group[0] for group in groups])
        scores = -np.repeat(np.arange(3.0), [sum(group) for group in groups])
        calibrated.append([hull(y, scores).calibrated([-1.0])[0] for hull in (roc_hull, prg_hull)])
    (c, d), (same_c, other_d) = calibrated
    return claim.exact_if(abs(c - same_c) < SAME and abs(d - other_d) > APART, c, d, other_d)


def grid(claim: Claim) -> Finding:
    y, _ = running_example()
    shares = [_at_high_recall_gain(pi) for pi in np.linspace(0.01, 0.99, 99)]
    return claim.exact_if(min(shares) > 0.5, _at_high_recall_gain(y.mean()), min(shares), n=len(shares))


def _at_high_recall_gain(pi: float, points: int = 1001) -> float:
    """Return the share of points with a recall gain over one half.

    The points are those of a regular grid in ROC space that lie in the unit square of gains.
    """
    recall = (np.arange(points) + 0.5) / points
    n_above_diagonal = np.arange(1, points + 1)  # points of each recall with precision pi or more
    is_high = (recall - pi) / ((1 - pi) * recall) > 0.5
    return float(n_above_diagonal[is_high].sum() / n_above_diagonal[recall >= pi].sum())


def cost(claim: Claim) -> Finding:
    off_hull = without_beta = 0
    rankings = list(random_rankings())
    for y, scores in rankings:
        roc, prg = roc_hull(y, scores), prg_hull(y, scores)
        # If the last segment has no positives, predicting all rows positive is best only if false positives
        # cost nothing.
        cost_optimal = set(roc.thresholds[1:][roc.probability > 0].tolist())
        best = {_best_threshold(y, scores, beta) for beta in BETAS}
        off_hull += len(best - set(roc.thresholds.tolist()))
        served = prg.beta_squared_low < prg.beta_squared_high
        without_beta += len(cost_optimal - set(prg.thresholds[served].tolist()))
    return claim.exact_if(not (off_hull or without_beta), off_hull, without_beta, n=len(rankings))


def _best_threshold(y: np.ndarray, scores: np.ndarray, beta: float) -> float:
    thresholds = np.unique(scores)
    predicted = scores >= thresholds[:, None]
    tp, n = (predicted & y).sum(axis=1), predicted.sum(axis=1)
    f = (1 + beta**2) * tp / (n + beta**2 * y.sum())
    return float(thresholds[f.argmax()])
