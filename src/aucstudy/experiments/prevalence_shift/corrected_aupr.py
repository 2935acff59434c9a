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

from aucstudy.metrics.engine.walks import order_of, sampled_sums

NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(3)
POWERS = np.linspace(
    0, 1.5, 16
)  # of k by which S(k) may fall beyond N'; 1 is that of a uniform false positive rate


def chances_below(n_sampled: int) -> np.ndarray:
    """(N' + 1, N' + 1) entries (M')_k / (N')_k: the chance that k of the N' negatives are all among the M' below."""
    known = np.ones((n_sampled + 1, n_sampled + 1))
    below = np.arange(n_sampled + 1)
    for k in range(1, n_sampled + 1):
        known[k] = known[k - 1] * np.maximum(below - k + 1, 0) / (n_sampled - k + 1)
    return known


def precision_tables(n_positive: int, n_negative: int, n_sampled: int) -> tuple[np.ndarray, np.ndarray]:
    """What each positive adds to the area, by how many of the N' = `n_sampled` negatives rank below it.

    Returns
    -------
    known : (P, N' + 1) precision integrated over the true positives from i to i + 1, for the positive ranked i-th
        (from 0) with M' negatives below it: the terms k <= N', in a test set of `n_positive` and `n_negative` rows.
    beyond : (len(POWERS), P) what the terms k > N' add where M' = N', if S(k) falls as k to the power -POWERS[a].
    """
    chances = chances_below(n_sampled)
    known, beyond = np.zeros((n_positive, n_sampled + 1)), np.zeros((len(POWERS), n_positive))
    falling = ((n_sampled + 1) / (np.arange(n_sampled + 1, n_negative + 1) + 1)) ** POWERS[:, None]
    for node, share in zip((NODES + 1) / 2, NODE_WEIGHTS / 2, strict=True):
        weights = series_weights(np.arange(n_positive) + node, n_negative)
        known += share * (weights[:, : n_sampled + 1] @ chances)
        beyond += share * (falling @ weights[:, n_sampled + 1 :].T)
    return known, beyond


def series_weights(true_positives: np.ndarray, n_negative: int) -> np.ndarray:
    """(n, N + 1) weights t (N)_k / (t + N)_(k+1) of the Newton series, k = 0..N; they add up to 1.

    >>> series_weights(np.array([1.0]), 2).round(4).tolist()
    [[0.3333, 0.3333, 0.3333]]
    """
    t, k = true_positives[:, None], np.arange(1, n_negative + 1)
    steps = (n_negative - k + 1) / (t + n_negative - k)
    return t / (t + n_negative) * np.cumprod(np.hstack([np.ones_like(t), steps]), axis=1)


def corrected_aupr(
    y_true: np.ndarray, scores: np.ndarray, orders: np.ndarray, n_sampled: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Estimate the AUPR of the whole test set from all its positives and each draw's first negatives.

    Parameters
    ----------
    y_true : (n,) bool; scores : (n, m).
    orders : (draws, N) row numbers of the negatives, of which a draw's first `n_sampled` are its sample.

    Returns
    -------
    low, estimate, high : (draws, m) each; the expectations of low and high enclose the area of the whole test set.
    Within a group of tied scores the counts are interpolated, as in the area itself.
    """
    counts = np.tile(y_true, (len(orders), 1)).astype(np.uint8)
    np.put_along_axis(counts, orders[:, :n_sampled], 1, axis=1)
    n_positive = int(y_true.sum())
    known, beyond = precision_tables(n_positive, len(y_true) - n_positive, n_sampled)
    half = chances_below(n_sampled)[n_sampled // 2].copy()
    sums = sampled_sums(order_of(y_true, scores), counts, known, half, beyond)
    low, at_half, tails = sums[..., 0], sums[..., 1], sums[..., 2:]
    return tuple(found / n_positive for found in _between(low, at_half, tails, n_sampled))


def _between(low, at_half, tails, n_sampled):
    """The lower bound, the estimate with the power that S follows from N'/2 to N', and the upper bound."""
    whole = tails[..., -1]  # the last entry holds the plain count of positives with every negative below
    tails = tails[..., :-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        power = np.log(at_half / whole) / np.log(n_sampled / max(n_sampled // 2, 1))
    power = np.clip(np.nan_to_num(power, nan=0.0, posinf=POWERS[-1]), POWERS[0], POWERS[-1])
    place = power / POWERS[1]
    left = np.minimum(place.astype(int), len(POWERS) - 2)
    part = place - left
    at, after = (np.take_along_axis(tails, (left + step)[..., None], axis=-1)[..., 0] for step in (0, 1))
    return low, low + (1 - part) * at + part * after, low + tails[..., 0]
