"""Binormal score models and their true areas: scores of negatives are N(0, 1), of positives N(mean, deviation^2).

The population's ROC curve is TPR = Phi((mean + Phi^-1(FPR)) / deviation). With u the normal quantile of recall the
false positive rate is Phi(deviation u - mean), and every area is an integral over u of a smooth function.
"""

from collections.abc import Callable

import numpy as np

from aucstudy.metrics.bounds import aucpr_min

FAR = 9.0  # normal quantile beyond which nothing is left
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(400)


def binormal_areas(mean: float, deviation: float, prevalence: float) -> dict[str, float]:
    """The areas of the population's curves, by name.

    AUROC is Phi(mean / sqrt(1 + deviation^2)); AUPR integrates precision over recall; the loss of AUPRG,
    1 - precision gain = FPR / recall, is integrated over recall gain, whose density in recall r is
    pi / ((1 - pi) r^2) from r = pi on.

    Examples
    --------
    >>> {name: round(area, 4) for name, area in binormal_areas(0.0, 1.0, 0.25).items()}
    {'auroc': 0.5, 'aupr': 0.25, 'auprg': 0.0, 'aucnpr': 0.131}
    """
    # imported here: scipy takes most of a second, and the declaration of the room is read often
    from scipy.special import ndtr, ndtri

    def integral(density: Callable, low: float) -> float:
        u = low + (FAR - low) * (_NODES + 1) / 2
        weight = _WEIGHTS * (FAR - low) / 2 * np.exp(-u * u / 2) / np.sqrt(2 * np.pi)
        return float(weight @ density(ndtr(u), ndtr(deviation * u - mean)))

    odds = (1 - prevalence) / prevalence
    aupr = integral(lambda r, f: r / (r + odds * f), -FAR)
    loss = integral(lambda r, f: f / r**3 / odds, ndtri(prevalence))
    minimum = float(aucpr_min(prevalence))
    return {
        "auroc": float(ndtr(mean / np.sqrt(1 + deviation**2))),
        "aupr": aupr,
        "auprg": 1 - loss,
        "aucnpr": (aupr - minimum) / (1 - minimum),
    }


def mean_of_auroc(auroc: float, deviation: float) -> float:
    """The mean of the positives' scores that gives an AUROC.

    >>> round(binormal_areas(mean_of_auroc(0.8, 2.0), 2.0, 0.1)["auroc"], 6)
    0.8
    """
    from scipy.special import ndtri

    return float(ndtri(auroc) * np.sqrt(1 + deviation**2))


def mean_of_area(area: str, value: float, deviation: float, prevalence: float) -> float:
    """The mean of the positives' scores that gives an area its value: every area grows with it.

    >>> round(binormal_areas(mean_of_area("auprg", 0.7, 2.0, 0.1), 2.0, 0.1)["auprg"], 9)
    0.7
    """
    from scipy.optimize import brentq

    return brentq(
        lambda mean: binormal_areas(mean, deviation, prevalence)[area] - value, -8.0, 20.0, xtol=1e-12
    )


def factor_scores(
    means: np.ndarray, deviations: np.ndarray, loadings: np.ndarray, normal: np.ndarray
) -> np.ndarray:
    """Scores of n rows of one class by m models that share one factor: (n, m).

    Parameters
    ----------
    means, deviations : (m,), 0 and 1 for negatives.
    loadings : (m,) in [0, 1]: two models' scores correlate, within the class, by the product of their loadings.
    normal : (n, m + 1) independent standard normal numbers, the factor's first.
    """
    return means + deviations * (loadings * normal[:, :1] + np.sqrt(1 - loadings**2) * normal[:, 1:])


def factor_log_density(
    scores: np.ndarray, means: np.ndarray, deviations: np.ndarray, loadings: np.ndarray
) -> np.ndarray:
    """Logarithm of the density of (n, m) such scores, but for a constant of m."""
    correlation = np.outer(loadings, loadings) + np.diag(1 - loadings**2)
    units = (scores - means) / deviations
    square = np.einsum("ni,ij,nj->n", units, np.linalg.inv(correlation), units)
    return -square / 2 - np.linalg.slogdet(correlation)[1] / 2 - np.log(deviations).sum()
