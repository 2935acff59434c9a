"""Estimates of the AUPR of a whole test set from few of its negatives.

Claim C6 compares them with the moved AUPR, a plug-in estimate. This one is biased upwards, because precision
t / (t + f), of t true positives and f false positives, is convex in f. With N negatives of which M rank below
a positive,

    t / (t + N - M) = sum_k w_k (M)_k / (N)_k,   w_k = t (N)_k / (t + N)_(k+1),   (x)_k = x (x - 1) ... (x - k + 1),

where (M)_k / (N)_k is the probability that k random negatives all rank below. A sample has N' negatives, of
which M' rank below. For k <= N', its (M')_k / (N')_k estimates this probability without bias. For k > N', the
terms are at least 0. If all N' negatives rank below, they add at most their whole weight, and otherwise they
count as 0. The estimate lies between these bounds. It assumes that S(k), the mean of the probability over the
positives, keeps falling as the power of k that it follows from N'/2 to N'.

The known terms K(M') = sum_(k <= M') w_k (M')_k / (N')_k have the recurrence, with j = N' - M',

    j (t + N - M' - 1) K(M' + 1) + (t + j) (M' + 1) K(M') = t (N' + 1).

A step multiplies errors by r = (t + j) (M' + 1) / (j (t + N - M' - 1)). The recurrence therefore runs upwards
from K(0) = t / (t + N) while r <= 1, and downwards from K(N') = 1 - (N)_(N'+1) / (t + N)_(N'+1) while r > 1.
"""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.kernel import Order, count_groups

NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(3)
# S(k) may fall beyond N' as one of these powers of 1 / (k + 1). The power is 1 for a uniform false positive
# rate.
POWERS = np.linspace(0, 1.5, 16)
NOTHING = 1e-18  # A series ends where all further terms together have less than this weight.
FORGOTTEN = -np.log(NOTHING)
CHUNK = 64  # terms in memory at once


def aupr_with_all_negatives(
    order: Order, orders: np.ndarray, n_sampled: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Estimate the AUPR of a whole test set from its positives and the first negatives of each draw.

    `orders` (draws, N) are row numbers of negatives, and the first `n_sampled` of a draw are used. Returned
    are a low value, the estimate and a high value, (draws, m) each. AUPR lies between the expectations of the
    low and the high value.
    """
    n_rows, n_positive = len(order.positive), int(order.positive.sum())
    n_negative = n_rows - n_positive
    below = np.empty((n_positive, len(order.rows), len(orders)))
    _fill_below(order, orders[:, :n_sampled], below)
    nodes, shares = nodes_of(n_positive)
    # Positives with an index of `n_first` or more have a negative above them for every model in every sample.
    n_first = np.flatnonzero((below > n_sampled - 1).any(axis=(1, 2))).max(initial=-1) + 1
    reach, beyond = tails_of(nodes, shares, n_negative, n_sampled, n_first)
    series = Series(nodes, shares, 1 - reach, _chance_at_half(n_sampled), beyond)
    # These are sums over positives: the known terms, S(N'/2), the terms k > N' for each power, and the number
    # of positives with all sampled negatives below them.
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
    """The parts of the series that are the same for all models and draws.

    `nodes` (P, 3) and `shares` (3,) are those of `nodes_of`. `at_all` (P, 3) is K(N') at the nodes. `half`
    (N' + 1,) is `_chance_at_half`. `beyond` (P, powers) has the terms k > N'.
    """

    nodes: np.ndarray
    shares: np.ndarray
    at_all: np.ndarray
    half: np.ndarray
    beyond: np.ndarray


@compiled
def _fill_below(order, sampled, below):
    """Fill `below` (P, m, draws) with the number of sampled negatives that rank below each positive.

    The positives of each model are in descending order of their scores. `sampled` (draws, N') are row
    numbers. Positives and negatives that are tied alternate evenly, so a number may be a fraction.
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
    """Return the probabilities (M')_k / (N')_k at k = N'/2, (N' + 1,) for M' from 0 to N'."""
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
    """Return the nodes (P, 3) of true positives at which precision is integrated, and their weights (3,)."""
    return np.arange(n_positive)[:, None] + (NODES + 1) / 2, NODE_WEIGHTS / 2


def tails_of(
    nodes: np.ndarray, shares: np.ndarray, n_negative: int, n_sampled: int, n_first: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weight (P, 3) of the terms k > N', and their sum (P, powers) for each power of S(k).

    The weight is (N)_(N'+1) / (t + N)_(N'+1). The sums are 0 for the positives with an index of `n_first` or
    more, because some negative ranks above them.
    """
    t = nodes.ravel()
    # R(k) = (N)_k / (t + N)_k is the weight of all terms from k on. It falls as t grows, so the nodes at
    # which it is not yet negligible come first.
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
            # This is (N - k) / (t + N - k). In that form, errors would be alike for successive k and add up.
            product[i] *= 1 - t[i] / (t[i] + remaining)
    return product


@compiled
def _terms(t, n_negative, start, weight, terms):
    """Fill in the terms w_k (t, k) from k = `start` on, where R is `weight`, and return R after the last."""
    remaining = weight.copy()
    for i in range(weight.size):
        for k in range(terms.shape[1]):
            ends = t[i] / (t[i] + float(n_negative - start - k))
            terms[i, k] = remaining[i] * ends
            remaining[i] *= 1 - ends
    return remaining


@compiled
def fill_known(nodes, shares, n_negative, at_all, first, last, known):
    """Fill `known[first:last + 1]` with K(M'), as a mean over the three `nodes` of t.

    The weights of the nodes are `shares`. `at_all` has K(N') at the nodes. Entries outside of this range may
    be overwritten.
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
    """Return the first M' from which a step upwards makes errors grow, or N' if there is none."""
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
    """Run the recurrence upwards from K(0), or from a start far below `first`.

    The start is so far away that the error of its value has vanished at `first`.
    """
    n, start = known.size - 1, 0
    if first > 0:
        forgets = -np.log(max(_growth(nodes[2], n_negative, n, first - 1), NOTHING))
        if forgets * first > FORGOTTEN:
            start = max(first - int(FORGOTTEN / forgets) - 1, 0)
    # This makes the start value exact at 0 and approximate elsewhere.
    odds = n_negative * (n - start) / (n + 1) if start > 0 else float(n_negative)
    _recur(nodes, shares, n_negative, nodes / (nodes + odds), start, last, 1, known)


@compiled
def _downwards(nodes, shares, n_negative, at_all, first, last, known):
    """Run the recurrence downwards from K(N'), or from a start far above `last`.

    The start is so far away that the error of its value has vanished at `last`.
    """
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
