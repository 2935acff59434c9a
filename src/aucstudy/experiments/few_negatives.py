"""AUPR of a whole test set, estimated from few of its negatives: what claim C6 compares with the moved area.

The plug-in estimate is biased upwards: precision t / (t + f) is convex in f. With N negatives of which M rank below a
positive,

    t / (t + N - M) = sum_k w_k (M)_k / (N)_k,   w_k = t (N)_k / (t + N)_(k+1),   (x)_k = x (x - 1) ... (x - k + 1),

where (M)_k / (N)_k is the chance that k random negatives all rank below. For k <= N' the (M')_k / (N')_k of a sample of
N' negatives, M' of them below, estimates it without bias. The terms beyond are 0 unless all N' rank below, and then
add at most their whole weight; between, the chance S(k) falls as the power of k that it follows from N'/2 to N'.

The known terms K(M') = sum_(k <= M') w_k (M')_k / (N')_k have the recurrence, with j = N' - M',

    j (t + N - M' - 1) K(M' + 1) + (t + j) (M' + 1) K(M') = t (N' + 1).

Errors grow by r = (t + j) (M' + 1) / (j (t + N - M' - 1)) a step, so it runs upwards from K(0) = t / (t + N) while
r <= 1, and downwards from K(N') = 1 - (N)_(N'+1) / (t + N)_(N'+1) while r > 1.
"""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.kernel import Order, count_groups

NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(3)
# of k by which S(k) may fall beyond N'; 1 is that of a uniform false positive rate
POWERS = np.linspace(0, 1.5, 16)
NOTHING = 1e-18  # weight of all terms still to come at which a series is cut
FORGOTTEN = -np.log(NOTHING)
CHUNK = 64  # terms in memory at once


def aupr_with_all_negatives(
    order: Order, orders: np.ndarray, n_sampled: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Estimate the AUPR of a whole test set from its positives and the first `n_sampled` negatives of each draw.

    `orders` (draws, N) are row numbers of negatives. Returns low, estimate and high, (draws, m) each; the area lies
    between the expectations of low and high.
    """
    n_rows, n_positive = len(order.positive), int(order.positive.sum())
    n_negative = n_rows - n_positive
    below = np.empty((n_positive, len(order.rows), len(orders)))
    _fill_below(order, orders[:, :n_sampled], below)
    nodes, shares = nodes_of(n_positive)
    # positives below the `n_first`-th have a negative above them in every sample
    n_first = np.flatnonzero((below > n_sampled - 1).any(axis=(1, 2))).max(initial=-1) + 1
    reach, beyond = tails_of(nodes, shares, n_negative, n_sampled, n_first)
    series = Series(nodes, shares, 1 - reach, _chance_at_half(n_sampled), beyond)
    # over positives: known terms, S(N'/2), terms beyond by power, how many have all negatives below
    sums = np.zeros((len(order.rows), len(orders), 3 + len(POWERS)))
    _add_positives(below, n_negative, n_sampled, series, sums)
    low, at_half, tails, all_below = sums[..., 0], sums[..., 1], sums[..., 2:-1], sums[..., -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        power = np.log(at_half / all_below) / np.log(n_sampled / max(n_sampled // 2, 1))
    power = np.clip(np.nan_to_num(power, nan=0.0, posinf=POWERS[-1]), POWERS[0], POWERS[-1])
    steps = power / POWERS[1]
    lower = np.minimum(steps.astype(int), len(POWERS) - 2)
    share = steps - lower
    before, after = (np.take_along_axis(tails, (lower + step)[..., None], axis=-1)[..., 0] for step in (0, 1))
    estimate = low + (1 - share) * before + share * after
    return (low / n_positive).T, (estimate / n_positive).T, ((low + tails[..., 0]) / n_positive).T


class Series(NamedTuple):
    """At (P, 3) `nodes` with (3,) `shares`: K(N'), `_chance_at_half` by M', and (P, powers) terms beyond."""

    nodes: np.ndarray
    shares: np.ndarray
    at_all: np.ndarray
    half: np.ndarray
    beyond: np.ndarray


@compiled
def _fill_below(order, sampled, below):
    """Fill in (P, m, draws) how many of the (draws, N') negatives are below each positive, from the top of each model.

    Positives and negatives that are tied alternate evenly.
    """
    n_positive, n_models, draws = below.shape
    n_sampled = sampled.shape[1]
    groups = np.empty((4, n_positive + 1))
    for draw in range(draws):
        in_sample = order.positive.astype(np.uint8)
        in_sample[sampled[draw]] = 1
        for m in range(n_models):
            i = 0
            size = count_groups(order.rows[m], order.ends_group[m], order.positive, in_sample, groups)
            for g in range(size):
                _, f, d, e = groups[:, g]
                for k in range(int(d)):
                    below[i, m, draw] = n_sampled - f - e * (k + 0.5) / d
                    i += 1


@compiled
def _add_positives(below, n_negative, n_sampled, series, sums):
    known = np.zeros(n_sampled + 1)
    for i in range(len(below)):
        first, last = int(below[i].min()), min(int(below[i].max()), n_sampled - 1) + 1
        fill_known(series.nodes[i], series.shares, n_negative, series.at_all[i], first, last, known)
        _add_positive(below[i], known, series.half, series.beyond[i], sums)


def _chance_at_half(n_sampled: int) -> np.ndarray:
    """(N' + 1,) by M': the chance (M')_k / (N')_k at k = N'/2."""
    below = np.arange(n_sampled, 0, -1)
    steps = np.maximum(below - n_sampled // 2, 0) / below
    return np.cumprod(np.concatenate([[1.0], steps]))[::-1].copy()


@compiled
def _add_positive(below, known, half, beyond, sums):
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


def nodes_of(n_positive: int) -> tuple[np.ndarray, np.ndarray]:
    """(P, 3) true positives at which precision is integrated, and their (3,) shares."""
    return np.arange(n_positive)[:, None] + (NODES + 1) / 2, NODE_WEIGHTS / 2


def tails_of(
    nodes: np.ndarray, shares: np.ndarray, n_negative: int, n_sampled: int, n_first: int
) -> tuple[np.ndarray, np.ndarray]:
    """The terms k > N': (P, 3) their weight (N)_(N'+1) / (t + N)_(N'+1), and (P, powers) their sum by power of S(k).

    The sums are 0 from the `n_first`-th positive on, which has some negative above it.
    """
    t = nodes.ravel()
    # R(k) = (N)_k / (t + N)_k, the weight of all terms from k on, falls as t grows: those still in play come first
    weight, reach, beyond = np.ones(len(t)), np.zeros(len(t)), np.zeros((len(t), len(POWERS)))
    starts = [*range(0, n_sampled + 1, CHUNK), *range(n_sampled + 1, n_negative + 1, CHUNK)]
    for start, stop in zip(starts, [*starts[1:], n_negative + 1], strict=True):
        if start == n_sampled + 1:
            reach[: len(weight)] = weight
            weight = weight[: n_first * nodes.shape[1]]
        weight = weight[: np.searchsorted(-weight, -NOTHING, side="right")]
        if not len(weight):
            break
        if start <= n_sampled:
            weight = weight * _products(t[: len(weight)], n_negative, start, stop)
            continue
        terms = np.empty((len(weight), stop - start))
        weight = _terms(t, n_negative, start, weight, terms)
        chances = ((n_sampled + 1) / (np.arange(start, stop) + 1))[:, None] ** POWERS
        beyond[: len(weight)] += terms @ chances
    return reach.reshape(nodes.shape), np.einsum("s,isa->ia", shares, beyond.reshape(*nodes.shape, -1))


@compiled
def _products(t, n_negative, start, stop):
    product = np.ones(t.size)
    for k in range(start, stop):
        remaining = float(n_negative - k)
        for i in range(t.size):
            # not (N - k) / (t + N - k): its errors are alike from k to k and add up
            product[i] *= 1 - t[i] / (t[i] + remaining)
    return product


@compiled
def _terms(t, n_negative, start, weight, terms):
    """Fill in the (t, k) terms w_k from k = `start` on, where R is `weight`, and return R behind them."""
    remaining = weight.copy()
    for i in range(weight.size):
        for k in range(terms.shape[1]):
            ends = t[i] / (t[i] + float(n_negative - start - k))
            terms[i, k] = remaining[i] * ends
            remaining[i] *= 1 - ends
    return remaining


@compiled
def fill_known(nodes, shares, n_negative, at_all, first, last, known):
    """Fill `known[first:last + 1]` with K by M', the mean over the three `nodes` of t with their `shares`.

    `at_all` holds K(N') at the nodes. Entries outside may be written.
    """
    n_sampled = known.size - 1
    turn = _turn(nodes[1], n_negative, n_sampled)
    if first <= turn:
        _upwards(nodes, shares, n_negative, first, min(last, turn), known)
    if last > turn:
        _downwards(nodes, shares, n_negative, at_all, max(first, turn + 1), last, known)


@compiled
def _growth(t, n_negative, n_sampled, below):
    j = n_sampled - below
    return (t + j) * (below + 1) / (j * (t + n_negative - below - 1))


@compiled
def _turn(t, n_negative, n_sampled):
    """The first M' from which a step upwards lets errors grow, N' if there is none."""
    low, high = 0, n_sampled
    while low < high:
        middle = (low + high) // 2
        if _growth(t, n_negative, n_sampled, middle) <= 1:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _upwards(nodes, shares, n_negative, first, last, known):
    """The recurrence from K(0), or from so far below `first` that its start is forgotten."""
    n, start = known.size - 1, 0
    if first > 0:
        forgets = -np.log(max(_growth(nodes[2], n_negative, n, first - 1), NOTHING))
        if forgets * first > FORGOTTEN:
            start = max(first - int(FORGOTTEN / forgets) - 1, 0)
    # exact at 0, about K elsewhere
    odds = n_negative * (n - start) / (n + 1) if start > 0 else float(n_negative)
    _recur(nodes, shares, n_negative, nodes / (nodes + odds), start, last, 1, known)


@compiled
def _downwards(nodes, shares, n_negative, at_all, first, last, known):
    """The recurrence from K(N'), or from so far above `last` that its start is forgotten."""
    n, values = known.size - 1, at_all.copy()
    start = n
    if last < n:
        forgets = np.log(_growth(nodes[0], n_negative, n, last))
        if forgets * (n - last) > FORGOTTEN + forgets:
            start = last + int(FORGOTTEN / forgets) + 1
            values = nodes / (nodes + n_negative * (n - start) / (n + 1))
    _recur(nodes, shares, n_negative, values, start, first, -1, known)


@compiled
def _recur(nodes, shares, n_negative, values, start, stop, step, known):
    n, total = known.size - 1, 0.0
    for i in range(3):
        total += shares[i] * values[i]
    known[start] = total
    for i in range(start, stop, step):
        below = min(i, i + step)
        j, more, remaining, total = float(n - below), below + 1.0, n_negative - below - 1.0, 0.0
        for k in range(3):
            t = nodes[k]
            lower, upper = (t + j) * more, j * (t + remaining)
            divisor, factor = (upper, lower) if step > 0 else (lower, upper)
            inverse = 1 / divisor
            values[k] = t * (n + 1) * inverse - factor * inverse * values[k]
            total += shares[k] * values[k]
        known[i + step] = total
