"""What each group of tied rows adds to an area, in the form whose derivatives are the influences of rows.

These are the integrals of `aucstudy.metrics.definition`, whose functions leave groups out and return several sums. Here
each group keeps its place, because the derivatives of its term are needed, and the terms add up to the area itself, but
for a constant. Tests compare the derivatives with the slopes of `areas`. There are groups of `d` positives and `e`
negatives with `t` positives and `f` negatives above them, of P positives and N negatives in all.
"""

import numpy as np

from aucstudy.metrics.bounds import aucpr_min
from aucstudy.metrics.definition import precision_integrals


def auroc(t, f, d, e, P: float, N: float) -> np.ndarray:
    return d * (N - f - e / 2) / (P * N)


def average_precision(t, f, d, e, P: float, N: float) -> np.ndarray:
    return d * (t + d) / (t + d + f + e) / P


def aupr(t, f, d, e, P: float, N: float) -> np.ndarray:
    return precision_integrals(t, f, d, e)[0] / P


def aucnpr(t, f, d, e, P: float, N: float) -> np.ndarray:
    return aupr(t, f, d, e, P, N) / (1 - aucpr_min(P / (P + N)))


def auprg(t, f, d, e, P: float, N: float) -> np.ndarray:
    """Return minus the `lost_gain` of `aucstudy.metrics.definition`, with 0 for groups before recall gain 0.

    This form is shorter, because differences over steps of 1e-5 need none of the last digits of the definition.
    """
    k, t_star = P / N, P * P / (P + N)
    t0, t1 = np.maximum(t, t_star), np.maximum(t + d, t_star)
    f0 = f + e * ((t0 - t) / d)
    return -(k * P * (1 / t0 - 1 / t1) * (k * f0 / t0 + k * (f + e) / t1) / 2)
