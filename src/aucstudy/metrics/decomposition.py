"""From AUPR to AUPRG in steps that change one convention each.

The steps are: precision from the baseline, (precision - pi) / (1 - pi); only recalls of at least the prevalence pi;
recall on the gain scale, on which true positives t count by 1 / t^2; harmonic precision, 1 - (P / N) f / t, of f false
positives. The last three can be taken in another sequence. An area in such another sequence may be infinite,
because f / t and 1 / t^2 have no bound at low recalls. Of two infinite areas the larger one is the one that
grows faster: see `other_sequences`.
"""

import numpy as np

from aucstudy.metrics.definition import lost_gain, precision_integrals, within_recalls
from aucstudy.metrics.kernel import Order, groups_of

# The areas in other sequences of the steps, and the three numbers that say how each of them grows.
GAIN_SCALE, HARMONIC, BOTH, HARMONIC_ABOVE_PREVALENCE = range(4)
FASTER, SLOWER, REMAINDER = range(3)


def areas_from_aupr_to_auprg(order: Order) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the area of every model after each step.

    Returns
    -------
    areas : (m, 5) AUPR; from the baseline; over recall >= pi only; with recall on the gain scale; AUPRG.
    other_sequences : (m, 4, 3) how the areas of other sequences of the steps grow as the lowest true positives `low`
        that are integrated over go to 0: two coefficients, of a function that grows faster and of one that grows
        slower, and the remainder. So the larger area is that of the larger first number, of equal ones of the larger
        second, and so on. Positive factors and summands that all models share, as P and P / N, are left out.

        | | integral over t | faster | slower |
        |---|---|---|---|
        | 0, recall on the gain scale | precision / t^2 | 1 / low | log(1 / low) |
        | 1, harmonic precision | -f / t | log(1 / low) | none |
        | 2, both | -f / t^3 | 1 / (2 low^2) | 1 / low |
        | 3, harmonic precision over recall >= pi | -f / t | none | none |
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
    beyond = within_recalls(t, f, d, e, P, (prevalence, 1.0))
    mean_precision = precision_integrals(*beyond)[0].sum() / (P * (1 - prevalence))
    gain_weighted = odds * P * _precision_per_square(*beyond).sum()
    auprg = 1 - lost_gain(t, f, d, e, P, N).sum()
    return [aupr, *map(from_baseline, (aupr, mean_precision, gain_weighted)), auprg]


def _other_sequences(t, f, d, e, P: float, N: float) -> np.ndarray:
    """Return the `other_sequences` (4, 3) of one model.

    Only the first group reaches down to t = 0, and only its integrals have no bound. The groups after it add to the
    remainder.
    """
    growth = np.zeros((4, 3))
    growth[GAIN_SCALE], growth[HARMONIC], growth[BOTH] = _growth_in_first_group(f[0], d[0], e[0])
    later = t[1:], f[1:], d[1:], e[1:]
    false_per_true, false_per_cube = _false_per_true(*later)
    growth[GAIN_SCALE, REMAINDER] += _precision_per_square(*later).sum()
    growth[HARMONIC, REMAINDER] -= false_per_true.sum()
    growth[BOTH, REMAINDER] -= false_per_cube.sum()
    beyond = within_recalls(t, f, d, e, P, (P / (P + N), 1.0))
    growth[HARMONIC_ABOVE_PREVALENCE, REMAINDER] = -_false_per_true(*beyond)[0].sum()
    return growth


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
    """Integrate the harmonic loss over each group with t > 0: f / t, and on the gain scale of recall f / t^3.

    Within a group false positives are a straight line of true ones, which would meet t = 0 at `start`.
    """
    slope, end = e / d, t + d
    start = f - slope * t
    per_true = e + start * np.log1p(d / t)
    per_cube = slope * d / (t * end) + start * d * (t + end) / (2 * t * t * end * end)
    return per_true, per_cube


def _growth_in_first_group(f: float, d: float, e: float) -> tuple[list[float], list[float], list[float]]:
    """Return how the integrals over the first group, from `low` to d true positives, grow as `low` goes to 0.

    For each of GAIN_SCALE, HARMONIC and BOTH these are the coefficients of its faster and of its slower
    function, and the remainder: see `areas_from_aupr_to_auprg`. Above the group lie f negatives; in it false
    positives are f + slope t. With f = 1, d = 2 and e = 1, for instance, the integral of -(1 + t / 2) / t
    from `low` to 2 is -1 log(1 / low) + 0 - (log 2 + 1), but for what goes to 0.
    """
    slope = e / d
    # The integral of 1 / (t (t + f + slope t)), without negatives above: (1 / low - 1 / d) / (1 + slope).
    gain_scale = [1 / (1 + slope), 0, -1 / ((1 + slope) * d)]
    if f > 0:
        # With negatives above it is (log(1 / low) + log(d f / (f + d + e))) / f
        gain_scale = [0, 1 / f, np.log(d * f / (f + d + e)) / f]
    # The integral of -(f + slope t) / t: -f log(1 / low) - f log(d) - e
    harmonic = [-f, 0, -e - f * np.log(d)]
    # The integral of -(f + slope t) / t^3: -f (1 / (2 low^2)) - slope (1 / low) + f / (2 d^2) + slope / d
    both = [-f, -slope, f / (2 * d * d) + slope / d]
    return gain_scale, harmonic, both
