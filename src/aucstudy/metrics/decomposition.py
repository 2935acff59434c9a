"""From AUPR to AUPRG, a step at a time: areas that differ in one convention each."""

import numpy as np

from aucstudy.metrics.definition import lost_gain, precision_integrals
from aucstudy.metrics.kernel import Order, groups_of


def areas_from_aupr_to_auprg(order: Order) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The areas of every model after each step.

    Returns
    -------
    areas : (m, 5) AUPR; from the baseline; over recall >= pi only; with recall on the gain scale; AUPRG.
    other_sequences : (m, 4, 3) two leading coefficients as the lowest recall goes to 0, and the remainder, of
        0 : recall on the gain scale;
        1 : precision harmonic;
        2 : both;
        3 : precision harmonic over recall >= pi.
    tied : (m,) shares of positives that tie with a negative.
    """
    P = float(order.positive.sum())
    N = len(order.positive) - P
    m = len(order.rows)
    areas, other_sequences, tied = np.full((m, 5), np.nan), np.full((m, 4, 3), np.nan), np.full(m, np.nan)
    if P and N:
        for model in range(m):
            t, f, d, e = groups_of(order, model)
            areas[model] = _areas_of_each_step(t, f, d, e, P, N)
            other_sequences[model] = _other_sequences(t, f, d, e, P, N)
            tied[model] = d[e > 0].sum() / P
    return areas, other_sequences, tied


def _areas_of_each_step(t, f, d, e, P: float, N: float) -> list[float]:
    prevalence, odds = P / (P + N), P / N

    def from_baseline(precision: float) -> float:
        return (precision - prevalence) / (1 - prevalence)

    aupr = precision_integrals(t, f, d, e)[0].sum() / P
    beyond = _beyond_prevalence(t, f, d, e, P, N)
    mean_precision = precision_integrals(*beyond)[0].sum() / (P * (1 - prevalence))
    gain_weighted = odds * P * _precision_per_square(*beyond).sum()
    auprg = 1 - lost_gain(t, f, d, e, P, N).sum()
    return [aupr, *map(from_baseline, (aupr, mean_precision, gain_weighted)), auprg]


def _other_sequences(t, f, d, e, P: float, N: float) -> np.ndarray:
    above_none, others = t == 0, t > 0
    sequences = _limits_of_first_group(*(column[above_none][0] for column in (f, d, e)))
    later = [column[others] for column in (t, f, d, e)]
    false_per_true, false_per_cube = _false_per_true(*later)
    sequences[0, 2] += _precision_per_square(*later).sum()
    sequences[1, 2] -= false_per_true.sum()
    sequences[2, 2] -= false_per_cube.sum()
    sequences[3, 2] = -_false_per_true(*_beyond_prevalence(t, f, d, e, P, N))[0].sum()
    return sequences


def _beyond_prevalence(t, f, d, e, P: float, N: float) -> tuple[np.ndarray, ...]:
    """The parts of groups at recalls of at least the prevalence."""
    start = np.maximum(t, P / (P + N) * P)
    inside = t + d - start
    beyond = inside > 0
    t, f, d, e, start, inside = (column[beyond] for column in (t, f, d, e, start, inside))
    return start, f + e * ((start - t) / d), inside, e * (inside / d)


def _precision_per_square(t, f, d, e) -> np.ndarray:
    """Integrate precision / t^2, which is 1 / (t (t + f)), over the true positives t > 0 of each group.

    With q rows above, q1 down to the end, and z = (d q - t (d + e)) / (t q1), this is d / (t q1) log(1 + z) / z.
    """
    q, q1 = t + f, t + f + d + e
    z = (d * q - t * (d + e)) / (t * q1)
    small = np.abs(z) < 1e-6
    ratio = np.where(small, 1 - z / 2 + z * z / 3, np.log1p(z) / np.where(small, 1.0, z))
    return d / (t * q1) * ratio


def _false_per_true(t, f, d, e) -> tuple[np.ndarray, np.ndarray]:
    """Integrate f / t, the harmonic loss, and f / t^3, that with recall on the gain scale, over each group with t > 0.

    Within a group false positives are a straight line of true ones, which would meet t = 0 at `start`.
    """
    slope, end = e / d, t + d
    start = f - slope * t
    per_true = e + start * np.log1p(d / t)
    per_cube = slope * d / (t * end) + start * d * (t + end) / (2 * t * t * end * end)
    return per_true, per_cube


def _limits_of_first_group(f: float, d: float, e: float) -> np.ndarray:
    """(4, 3) the first group's integrals from `low` true positives on, as `low` goes to 0.

    In the group false positives are f + slope t. Each integral is a sum of two terms without bound, the faster growing
    first, of which the coefficients are returned, and of a remainder.
    """
    slope = e / d
    # of 1 / (t (t + f + slope t)), which without f is (1 / low - 1 / d) / (1 + slope),
    gain_scale = [1 / (1 + slope), 0, -1 / ((1 + slope) * d)]
    if f > 0:  # and else (log(1 / low) + log(d f / (f + d + e))) / f
        gain_scale = [0, 1 / f, np.log(d * f / (f + d + e)) / f]
    # of -(f + slope t) / t: -f log(1 / low) - f log(d) - e
    harmonic = [-f, 0, -e - f * np.log(d)]
    # of -(f + slope t) / t^3: -f (1 / low^2 - 1 / d^2) / 2 - slope (1 / low - 1 / d)
    both = [-f, -slope, f / (2 * d * d) + slope / d]
    return np.array([gain_scale, harmonic, both, [0, 0, 0]])
