"""The one pass: from two sorted classes to the sums under every area.

A *group* holds all rows of one score. Where it holds positives of weight d and negatives of weight e, the
curve runs from (t0, f0) to (t0 + d, f0 + e) on a straight line in counts; groups without a positive change no
area. Every sum below has terms of one sign, so that nothing cancels; blocks of groups are added with
compensation, so that 1e-12 holds for ten million rows.
"""

import numpy as np

from aucstudy.metrics.compiled import compiled

BLOCK = 256  # groups that are added plainly before a compensated step


@compiled
def one_minus_log_ratio(x):
    """1 - log1p(x)/x for x > 0, by its series where the difference would cancel."""
    if x < 0.01:
        y = 1 / 8 - x * (1 / 9 - x / 10)
        y = 1 / 5 - x * (1 / 6 - x * (1 / 7 - x * y))
        return x * (1 / 2 - x * (1 / 3 - x * (1 / 4 - x * y)))
    return 1 - np.log1p(x) / x


@compiled
def pr_terms(t0, f0, d, e):
    """Integrate precision, and 1 - precision, over the true positives of one group."""
    q, m = t0 + f0, d + e
    if q == 0:
        return d * (d / m), d * (e / m)
    x = m / q
    h = one_minus_log_ratio(x)
    log = x * (1 - h)
    share = d / m
    return share * (d * h + t0 * log), share * (e * h + f0 * log)


@compiled
def gain_loss(t0, f0, d, e, P, k, t_star, clip):
    """Integrate 1 - precision gain over the recall gains in [0, 1] of one group.

    Both gains are affine in 1/t on a group, so the trapezoid is exact.
    """
    t1, f1 = t0 + d, f0 + e
    if t1 <= t_star:
        return 0.0
    if t0 < t_star:
        f0 += e * ((t_star - t0) / d)
        t0 = t_star
        d = t1 - t0
    width = k * P * d / (t0 * t1)
    loss0, loss1 = k * f0 / t0, k * f1 / t1
    if clip and (loss0 > 1 or loss1 > 1):
        above = max(1 - loss0, 1 - loss1)
        if above <= 0:
            return width
        return width * (1 - above * above / (2 * abs(loss1 - loss0)))
    return width * (0.5 * (loss0 + loss1))


@compiled
def cut(t0, f0, d, e, low, high):
    """Part of a group whose true positives lie in [low, high]; its d is not positive where there is none."""
    start, stop = max(t0, low), min(t0 + d, high)
    part = (stop - start) / d
    return start, f0 + e * ((start - t0) / d), stop - start, e * part


@compiled
def add(total, lost, value):
    """Neumaier's step: the new sum and the new sum of what rounding lost."""
    s = total + value
    if abs(total) >= abs(value):
        return s, lost + ((total - s) + value)
    return s, lost + ((value - s) + total)


@compiled
def row_sums(pos, neg, wpos, wneg, weighted, P, N, scale, clip, low, high, out):
    """Sum over the groups of one ranking.

    `pos` and `neg` are the ascending scores of each class, `wpos` and `wneg` their weights (read only if
    `weighted`), P and N the sums of weights, `scale` what negatives are multiplied by for another prevalence;
    `low` and `high` bound the true positives that the PR sums see. Fills `out` with the sums of: pairs
    ordered right, precision steps, precision, 1 - precision, gain loss.
    """
    n_pos, n_neg = pos.size, neg.size
    odds = P / (N * scale)
    t_star = P * P / (P + N * scale)
    whole = low <= 0 and high >= P
    total, lost, block = np.zeros(5), np.zeros(5), np.zeros(5)
    t0 = f0 = t_lost = f_lost = 0.0
    i, j, filled = n_pos - 1, n_neg - 1, 0
    while i >= 0:
        score = pos[i]
        while j >= 0 and neg[j] > score:
            if weighted:
                f0, f_lost = add(f0, f_lost, wneg[j])
            else:
                f0 += 1.0
            j -= 1
        d = e = 0.0
        while i >= 0 and pos[i] == score:
            d += wpos[i] if weighted else 1.0
            i -= 1
        while j >= 0 and neg[j] == score:
            e += wneg[j] if weighted else 1.0
            j -= 1
        if d > 0:
            t, f, scaled = t0 + t_lost, (f0 + f_lost) * scale, e * scale
            block[0] += d * (N - (f0 + f_lost) - 0.5 * e)
            block[1] += d * ((t + d) / ((t + d) + (f + scaled)))
            if whole:
                inside, outside = pr_terms(t, f, d, scaled)
                block[2] += inside
                block[3] += outside
            elif t + d > low and t < high:
                a, b, c, g = cut(t, f, d, scaled, low, high)
                if c > 0:
                    inside, outside = pr_terms(a, b, c, g)
                    block[2] += inside
                    block[3] += outside
            block[4] += gain_loss(t, f, d, scaled, P, odds, t_star, clip)
            filled += 1
            if filled == BLOCK:
                for a_sum in range(5):
                    total[a_sum], lost[a_sum] = add(total[a_sum], lost[a_sum], block[a_sum])
                    block[a_sum] = 0.0
                filled = 0
            t0, t_lost = add(t0, t_lost, d)
        f0, f_lost = add(f0, f_lost, e)
    for a_sum in range(5):
        out[a_sum] = total[a_sum] + (lost[a_sum] + block[a_sum])


@compiled
def all_sums(pos, neg, wpos, wneg, weighted, layout, weights, options, out):
    """Fill `out` (n_groups, n_models, 5) from class segments.

    `layout` (n_groups, 6): for each class the first segment's start, the distance between models' segments
    and the number of rows. `weights` (n_groups, 2): P and N. `options`: prevalence or 0, clip, a, b.
    """
    prevalence, clip, a, b = options[0], options[1] > 0, options[2], options[3]
    for g in range(out.shape[0]):
        P, N = weights[g, 0], weights[g, 1]
        p_start, p_width, n_pos = layout[g, 0], layout[g, 1], layout[g, 2]
        n_start, n_width, n_neg = layout[g, 3], layout[g, 4], layout[g, 5]
        scale = 1.0 if prevalence == 0 else P * (1 - prevalence) / (prevalence * N)
        for m in range(out.shape[1]):
            if not (P > 0 and N > 0):
                out[g, m, :] = np.nan
                continue
            p, n = p_start + m * p_width, n_start + m * n_width
            row_sums(
                pos[p : p + n_pos],
                neg[n : n + n_neg],
                wpos[p : p + n_pos] if weighted else wpos,
                wneg[n : n + n_neg] if weighted else wneg,
                weighted,
                P,
                N,
                scale,
                clip,
                a * P,
                b * P,
                out[g, m],
            )
