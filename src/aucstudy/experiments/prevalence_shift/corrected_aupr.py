"""The area under the precision-recall curve of a large test set, estimated from few of its negatives.

Moving an area to a higher skew puts the counted negatives in the denominator of precision, t / (t + f). That is a
convex function of f, so the plug-in is biased upwards, and badly where one negative of the sample stands for many
(Jensen's inequality). But with N negatives of which M are ranked below a positive, f = N - M and

    t / (t + N - M) = t sum_k (M)_k / (t + N)_(k+1),        (x)_k = x (x - 1) ... (x - k + 1),

a Newton series whose terms have a meaning: (M)_k / (N)_k is the chance that k negatives drawn at random all rank below.
A sample of N' negatives, M' of them below, estimates it without bias by (M')_k / (N')_k for every k <= N'. Summing
those terms gives an estimate without bias of the part of the area that N' negatives can know. The terms beyond are
bounded: they are 0 unless all N' rank below, and add at most their whole weight then. Between the bounds the estimate
lets the chance S(k) that k negatives rank below go on falling beyond N' as the power of k that it follows from N'/2 to
N'. All terms are positive, so nothing blows up.
"""

import numpy as np

from aucstudy.experiments.prevalence_shift.newton_series import (
    POWERS,
    fill_known,
    nodes_of,
    tails_of,
)
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.engine.walks import Order, to_next_positive


def corrected_aupr(
    order: Order, orders: np.ndarray, n_sampled: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Estimate the AUPR of the whole test set from all its positives and each draw's first negatives.

    Parameters
    ----------
    order : of all rows by every model.
    orders : (draws, N) row numbers of the negatives, of which a draw's first `n_sampled` are its sample.

    Returns
    -------
    low, estimate, high : (draws, m) each; the expectations of low and high enclose the area of the whole test set.
    Within a group of tied scores the counts are interpolated, as in the area itself.

    Notes
    -----
    Memory is that of the order and of one byte a row and draw. The terms of the series are summed within some
    1e-14 (see `newton_series`).
    """
    n_rows, n_positive = len(order.positive), int(order.positive.sum())
    sampled = np.zeros((n_rows, len(orders)), dtype=np.uint8)
    sampled[orders[:, :n_sampled], np.arange(len(orders))[:, None]] = 1
    sums = _sums(order, sampled, n_positive, n_rows - n_positive, n_sampled)
    low, at_half, tails = sums[..., 0], sums[..., 1], sums[..., 2:]
    return tuple(area.T / n_positive for area in _between(low, at_half, tails, n_sampled))


def _sums(order, sampled, n_positive, n_negative, n_sampled):
    """(m, draws, 2 + len(POWERS) + 1) sums over the positives.

    Of the known terms, of S(N'/2), of the terms beyond for each power, and of the positives with every one below.
    """
    nodes, shares = nodes_of(n_positive)
    reach, beyond = tails_of(nodes, shares, n_negative, n_sampled, _most_above_all(*order, sampled))
    sums = np.zeros((len(order.rows), sampled.shape[1], 3 + len(POWERS)))
    _add_positives(
        *order, sampled, n_sampled, nodes, shares, 1 - reach, _chance_at_half(n_sampled), beyond, sums
    )
    return sums


@compiled
def _add_positives(rows, ends_group, positive, sampled, n_sampled, nodes, shares, at_all, half, beyond, sums):
    """Walk all rankings a positive at a time, so that no count is kept for longer than its positive."""
    n_models, draws = sums.shape[:2]
    n_negative = positive.size - len(nodes)
    places, below = np.zeros((n_models, 3), dtype=np.int64), np.empty((n_models, draws))
    above, tied = np.zeros((n_models, draws), dtype=np.int32), np.zeros((n_models, draws), dtype=np.int32)
    known = np.zeros(n_sampled + 1)
    for i in range(len(nodes)):
        to_next_positive(rows, ends_group, positive, sampled, n_sampled, places, above, tied, below)
        first, last = int(below.min()), min(int(below.max()), n_sampled - 1) + 1
        fill_known(nodes[i], shares, n_negative, at_all[i], first, last, known)
        _add_positive(below, known, half, beyond[i], sums)


@compiled
def _most_above_all(rows, ends_group, positive, sampled):
    """How many positives any model ranks above all negatives of a sample, or ties with the first of them."""
    most = 0
    for m in range(rows.shape[0]):
        above, to_come = 0, np.ones(sampled.shape[1], dtype=np.uint8)
        for i in range(rows.shape[1]):
            row = rows[m, i]
            if positive[row]:
                above += 1
            else:
                for draw in range(to_come.size):
                    to_come[draw] &= 1 - sampled[row, draw]
            if ends_group[m, i] and not to_come.any():
                break
        most = max(most, above)
    return most


def _chance_at_half(n_sampled: int) -> np.ndarray:
    """(N' + 1,) (M')_k / (N')_k at k = N'/2, by M': the chance that half as many negatives all rank below."""
    below = np.arange(n_sampled, 0, -1)
    steps = np.maximum(below - n_sampled // 2, 0) / below
    return np.cumprod(np.concatenate([[1.0], steps]))[::-1].copy()


@compiled
def _add_positive(below, known, half, beyond, sums):
    """Add what one positive contributes to every model and draw; counts between two whole ones are interpolated."""
    n_sampled, k = known.size - 1, beyond.size
    for m in range(below.shape[0]):
        for draw in range(below.shape[1]):
            low = min(int(below[m, draw]), n_sampled - 1)
            share = below[m, draw] - low
            out = sums[m, draw]
            out[0] += (1 - share) * known[low] + share * known[low + 1]
            out[1] += (1 - share) * half[low] + share * half[low + 1]
            if low == n_sampled - 1 and share > 0:
                for a in range(k):
                    out[2 + a] += share * beyond[a]
                out[2 + k] += share


def _between(low, at_half, tails, n_sampled):
    """The lower bound, the estimate with the power that S follows from N'/2 to N', and the upper bound."""
    whole = tails[..., -1]  # the last entry holds the plain count of positives with every negative below
    tails = tails[..., :-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        power = np.log(at_half / whole) / np.log(n_sampled / max(n_sampled // 2, 1))
    power = np.clip(np.nan_to_num(power, nan=0.0, posinf=POWERS[-1]), POWERS[0], POWERS[-1])
    place = power / POWERS[1]
    left = np.minimum(place.astype(int), len(POWERS) - 2)
    weight = place - left
    at, after = (np.take_along_axis(tails, (left + step)[..., None], axis=-1)[..., 0] for step in (0, 1))
    return low, low + (1 - weight) * at + weight * after, low + tails[..., 0]
