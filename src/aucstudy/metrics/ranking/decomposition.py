"""From AUPR to AUPRG, a step at a time: areas that differ in one convention each."""

import numpy as np

from aucstudy.metrics.compiled import compiled, inlined
from aucstudy.metrics.formulas.terms import OBSERVED, gain_loss, pr_terms, totals_of
from aucstudy.metrics.ranking.orders import Order
from aucstudy.metrics.ranking.ties import group_rows


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
        c = totals_of(P, N, OBSERVED)._replace(t_star=P / (P + N) * P)  # where the third area starts too
        counts = np.ones(len(order.positive), dtype=np.uint8)
        _areas_of_each_step(*order, counts, c, areas, other_sequences, tied)
    return areas, other_sequences, tied


@compiled
def _areas_of_each_step(rows, ends_group, positive, counts, c, areas, other_sequences, tied):
    prevalence, odds = c.P / (c.P + c.N), c.P / c.N
    groups = np.empty((5, rows.shape[1] + 1))
    for m in range(rows.shape[0]):
        precision = precision_beyond_pi = weighted = loss = tied_positives = 0.0
        scaled_precision = false = false_scaled = false_beyond_pi = 0.0
        other_sequences[m] = 0.0
        for i in range(group_rows(rows[m], ends_group[m], positive, counts, groups)):
            t, f, d, e = groups[0, i], groups[1, i], groups[2, i], groups[3, i]
            precision += pr_terms(t, f, d, e)[0]
            loss += gain_loss(t, f, d, e, groups[4, i], c)
            t0 = max(t, c.t_star)  # the part of the group at recalls of at least pi
            inside = t + d - t0
            if inside > 0:
                f0, negatives = f + e * ((t0 - t) / d), e * (inside / d)
                precision_beyond_pi += pr_terms(t0, f0, inside, negatives)[0]
                weighted += _gain_weighted(t0, f0, inside, negatives)
                false_beyond_pi += _false_per_true(t0, f0, inside, negatives)[0]
            if t > 0:
                scaled_precision += _gain_weighted(t, f, d, e)
                once, twice = _false_per_true(t, f, d, e)
                false, false_scaled = false + once, false_scaled + twice
            else:
                _divergent_terms_of_first_group(f, d, e, other_sequences[m])
            tied_positives += d if e > 0 else 0.0
        areas[m, 0] = precision / c.P
        areas[m, 1] = (precision / c.P - prevalence) / (1 - prevalence)
        areas[m, 2] = (precision_beyond_pi / (c.P - c.t_star) - prevalence) / (1 - prevalence)
        areas[m, 3] = (odds * c.P * weighted - prevalence) / (1 - prevalence)
        areas[m, 4] = 1 - loss
        for k, remainder in enumerate((scaled_precision, -false, -false_scaled, -false_beyond_pi)):
            other_sequences[m, k, 2] += remainder
        tied[m] = tied_positives / c.P


@inlined
def _false_per_true(t, f, d, e):
    """Integrate f / t, the harmonic loss, and f / t^3, with recall on the gain scale, over one group."""
    slope, end = e / d, t + d
    start = f - slope * t
    return (
        e + start * np.log1p(d / t),
        slope * d / (t * end) + start * d * (t + end) / (2 * t * t * end * end),
    )


@inlined
def _divergent_terms_of_first_group(f, d, e, out):
    """Write the terms of the first group with a positive as the `low` at which t starts goes to 0."""
    slope = e / d
    if f == 0:  # constant precision: as 1 / low
        out[0, 0], out[0, 2] = 1 / (1 + slope), -1 / ((1 + slope) * d)
    else:  # as log(1 / low) / f
        out[0, 1], out[0, 2] = 1 / f, np.log(d * f / (f + d + e)) / f
    # as log(1 / low)
    out[1, 0], out[1, 2] = -f, -e - f * np.log(d)
    # as 1 / (2 low^2), then as 1 / low
    out[2, 0], out[2, 1], out[2, 2] = -f, -slope, f / (2 * d * d) + slope / d


@compiled
def _gain_weighted(t0, f0, d, e):
    """Integrate precision / t^2 over one group: d / (t0 q1) log1p(z)/z."""
    q0, q1 = t0 + f0, t0 + f0 + d + e
    z = (d * q0 - t0 * (d + e)) / (t0 * q1)
    ratio = 1 - z / 2 + z * z / 3 if abs(z) < 1e-6 else np.log1p(z) / z
    return d / (t0 * q1) * ratio
