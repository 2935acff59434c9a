"""Lower bounds of precision and of the areas under a precision-recall curve (Boyd et al. 2012, section 3).

Values outside the ranges given raise ValueError.
"""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics import inputs
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.kernel import precision_integrals

# With more positives than this, and no more negatives than positives, `ap_min` has a closed form. Otherwise
# it is summed term by term.
_DIRECT_AP_MIN = 10_000_000
_BLOCK = 1 << 16


def min_precision(recall: ArrayLike, prevalence: ArrayLike) -> np.ndarray | float:
    """The smallest precision that any ranking can have at a recall: Boyd et al. 2012, Theorem 1.

    Recalls in [0, 1] and prevalences in (0, 1) are broadcast.

    Examples
    --------
    >>> min_precision(0.5, 0.5)
    0.3333333333333333
    """
    r, pi = np.asarray(recall, dtype=float), _checked_prevalence(prevalence)
    if not np.all((r >= 0) & (r <= 1)):
        raise ValueError(f"recall must lie in [0, 1], not {recall!r}")
    return _plain(pi * r / (1 - pi + pi * r))


def aucpr_min(prevalence: ArrayLike, recall_range: tuple[float, float] | None = None) -> np.ndarray | float:
    """The smallest area under the precision-recall curve that any ranking can have: Theorem 2 and Corollary 4.

    It is 1 + (1 - pi) ln(1 - pi) / pi for prevalences pi in (0, 1), an array of any shape; over a `recall_range` it is
    the integral over these recalls. It is exact to 1e-12 relative where pi is at least 1e-300.

    Examples
    --------
    >>> round(aucpr_min(0.5), 6)
    0.306853
    >>> round(aucpr_min(0.5, recall_range=(0.5, 1)), 6)
    0.212318
    """
    pi = _checked_prevalence(prevalence)
    a, b = inputs.checked_recall_range(recall_range)
    minima = np.empty(pi.size)
    _fill_minima(pi.ravel(), a, b, minima)
    return _plain(minima.reshape(pi.shape))


def ap_min(n_positive: int, n_negative: int) -> float:
    """The smallest average precision that any ranking can have, tied or not: Theorem 3.

    It is (1/P) sum_{i=1..P} i / (i + N), exact to 1e-12 relative. It is no bound of weighted rows, whose
    average precision can be lower.

    Examples
    --------
    >>> ap_min(1, 9)
    0.1
    """
    P, N = _checked_count(n_positive, "n_positive"), _checked_count(n_negative, "n_negative")
    if P > _DIRECT_AP_MIN and N <= P:  # the difference from 1 keeps its digits only here
        return 1 - N * _harmonic_part(N, P + N) / P
    blocks = []
    for start in range(1, P + 1, _BLOCK):
        i = np.arange(start, min(start + _BLOCK, P + 1), dtype=float)
        blocks.append(float(np.sum(i / (i + N))))
    return math.fsum(blocks) / P


def _checked_count(value: Any, name: str) -> int:
    is_count = isinstance(value, numbers.Real) and not isinstance(value, bool)
    # infinity and NaN have no remainder of 0
    if not (is_count and value >= 1 and value % 1 == 0):
        raise ValueError(f"{name} must be a count of rows, at least 1, not {value!r}")
    return int(value)


def _harmonic_part(first: int, last: int) -> float:
    """1/(first + 1) + ... + 1/last, by Euler's summation (Knuth, TAOCP 1.2.7, eq. 3) from 32 on."""
    start = max(first, 32)

    def correction(n: int) -> float:
        return 1 / (2 * n) - 1 / (12 * n**2) + 1 / (120 * n**4) - 1 / (252 * n**6)

    one_by_one = math.fsum(1 / k for k in range(first + 1, start + 1))
    return math.fsum((one_by_one, math.log(last / start), correction(last), -correction(start)))


@compiled
def _fill_minima(prevalence, a, b, minima):
    for i in range(prevalence.size):
        # In the worst ranking all negatives are above the positives. Those with recall from a to b count.
        minima[i] = precision_integrals(a, (1 - prevalence[i]) / prevalence[i], b - a, 0.0)[0]


def _checked_prevalence(prevalence: ArrayLike) -> np.ndarray:
    pi = np.asarray(prevalence, dtype=float)
    if not np.all((pi > 0) & (pi < 1)):
        raise ValueError(f"prevalence must lie strictly between 0 and 1, not {prevalence!r}")
    return pi


def _plain(value: np.ndarray) -> np.ndarray | float:
    return float(value) if np.ndim(value) == 0 else value
