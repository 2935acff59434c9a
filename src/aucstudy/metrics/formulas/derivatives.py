"""How a group of tied rows moves each area: derivatives of its terms with respect to t, f, d and e."""

import numpy as np

from aucstudy.metrics.compiled import compiled

N_AREAS = 5  # AUROC, AUPR, AUPRG, AUCNPR, average precision


@compiled
def differentiate(t, f, d, e, P, N, clip, slopes):
    """Fill the (5, 4) derivatives of a group's term in each area but AUCNPR."""
    # of d (N - f - e/2) / (P N)
    slopes[0, 1], slopes[0, 2], slopes[0, 3] = -d / (P * N), (N - f - e / 2) / (P * N), -d / 2 / (P * N)
    _of_precision(t, f, d, e, P, slopes[1])
    _of_gain(t, f, d, e, P, N, clip, slopes[2])
    _of_steps(t, f, d, e, P, slopes[4])


@compiled
def _of_steps(t, f, d, e, P, out):
    """Of d precision / P at the end of the group."""
    t1, q1 = t + d, t + d + f + e
    rising, falling = d * (f + e) / (q1 * q1) / P, -d * t1 / (q1 * q1) / P
    out[0], out[1], out[2], out[3] = rising, falling, t1 / q1 / P + rising, falling


@compiled
def _of_precision(t, f, d, e, P, out):
    """Of the integral of x/(x + y), x = t + d u, y = f + e u; a, b, c are those of 1, u and u^2 over (x + y)^2."""
    q, m = t + f, d + e
    if q == 0:
        out[0], out[1], out[2], out[3] = 0.0, 0.0, (2 - d / m) * d / m / P, -d * d / (m * m) / P
        return
    z = m / q
    a = 1 / (1 + z) / (q * q)
    if z < 0.01:
        log = z * (1 - z * (1 / 2 - z * (1 / 3 - z * (1 / 4 - z / 5))))
        b = (1 / 2 - z * (2 / 3 - z * (3 / 4 - z * (4 / 5 - z * 5 / 6)))) / (q * q)
        c = (1 / 3 - z * (2 / 4 - z * (3 / 5 - z * (4 / 6 - z * 5 / 7)))) / (q * q)
    else:
        log = np.log1p(z)
        b = (log - z / (1 + z)) / (m * m)
        c = (z - 2 * log + z / (1 + z)) * q / (m * m * m)
    precision = (d / m) + (t - d * q / m) * log / m
    out[0] = d * (f * a + e * b) / P
    out[1] = -d * (t * a + d * b) / P
    out[2] = (precision + d * (f * b + e * c)) / P
    out[3] = -d * (t * b + d * c) / P


@compiled
def _of_gain(t, f, d, e, P, N, clip, out):
    """Of minus the integral of l = 1 - precision gain, k P (v0 - v1) times the mean of l, with v = 1/t."""
    out[:] = 0.0
    k, t_star, t1, f1 = P / N, P * P / (P + N), t + d, f + e
    if t1 <= t_star:
        return
    # at t = t* as to its left: a group that reaches beyond t* alone has the recall gain 0 in it
    cut = t <= t_star
    share = (t_star - t) / d if cut else 0.0
    f0, v0, v1 = f + e * share, 1 / (t_star if cut else t), 1 / t1
    l0, l1, width = k * f0 * v0, k * f1 * v1, k * P * (v0 - v1)
    mean, by0, by1 = (l0 + l1) / 2, 0.5, 0.5
    if clip and (l0 > 1 or l1 > 1):
        below, difference = max(1 - min(l0, l1), 0.0), abs(l1 - l0)
        unclipped = below / difference if below > 0 else 0.0
        mean = 1 - below * unclipped / 2
        lower, upper = unclipped - unclipped * unclipped / 2, unclipped * unclipped / 2
        by0, by1 = (lower, upper) if l0 < l1 else (upper, lower)
    with_v0 = k * P * mean + width * by0 * k * f0
    with_v1 = -k * P * mean + width * by1 * k * f1
    with_f0, with_f1 = width * by0 * k * v0, width * by1 * k * v1
    with_t1 = -with_v1 * v1 * v1
    if cut:
        with_t, with_d, with_e = -with_f0 * e / d, -with_f0 * e * share / d, with_f0 * share
    else:
        with_t, with_d, with_e = -with_v0 * v0 * v0, 0.0, 0.0
    out[0], out[1] = -(with_t + with_t1), -(with_f0 + with_f1)
    out[2], out[3] = -(with_d + with_t1), -(with_e + with_f1)
