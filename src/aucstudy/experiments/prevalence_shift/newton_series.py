"""The Newton series of precision that `corrected_aupr` sums: its known terms by a recurrence, the terms beyond.

The weight of term k is w_k = t (N)_k / (t + N)_(k+1), and the known terms at M' of N' negatives below are

    K(M') = sum_(k <= M') w_k (M')_k / (N')_k.

Recurrence. With v_k the terms of K(M' + 1) and j = N' - M', the difference over k of (t + N - k) (N' + 1 - k) v_k is
v_k (k (t + j) - j N - t (N' + 1)), as the squares of k cancel. The sum of these differences telescopes to -t (N' + 1),
and the sum of k v_k is (M' + 1) (K(M' + 1) - K(M')), so that

    j (t + N - M' - 1) K(M' + 1) + (t + j) (M' + 1) K(M') = t (N' + 1).

Error. An error in K(M') is carried to K(M' + 1) with the factor -r, r = (t + j) (M' + 1) / (j (t + N - M' - 1)), which
grows with M'. So the recurrence is run upwards from K(0) = t / (t + N) while r <= 1, and downwards from
K(N') = 1 - (N)_(N'+1) / (t + N)_(N'+1) while r > 1: no error ever grows. Each step adds a rounding of some 1e-16 and
only the steps where r is near 1, some sqrt(N') of them, keep it: 1e-15 as a rule, 1e-14 at N' = 50,000.
"""

import numpy as np

from aucstudy.metrics.compiled import compiled

NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(3)
# of k by which S(k) may fall beyond N'; 1 is that of a uniform false positive rate
POWERS = np.linspace(0, 1.5, 16)
NOTHING = 1e-18  # weight of all terms still to come at which a series is cut
FORGOTTEN = -np.log(NOTHING)
CHUNK = 64  # terms in memory at once


def nodes_of(n_positive: int) -> tuple[np.ndarray, np.ndarray]:
    """(P, 3) true positives at which precision is integrated from i to i + 1, i = 0..P - 1, and their (3,) shares."""
    return np.arange(n_positive)[:, None] + (NODES + 1) / 2, NODE_WEIGHTS / 2


def tails_of(
    nodes: np.ndarray, shares: np.ndarray, n_negative: int, n_sampled: int, n_first: int
) -> tuple[np.ndarray, np.ndarray]:
    """The terms k > N', of which a positive with all N' negatives below gets a part.

    Parameters
    ----------
    n_first : how many of the first positives may have all N' negatives below.

    Returns
    -------
    reach : (P, 3) weight of all these terms, (N)_(N'+1) / (t + N)_(N'+1).
    beyond : (P, len(POWERS)) what they add, integrated over a positive, if S(k) falls as k to the power -POWERS[a];
        0 from the `n_first`-th positive on. Cut where less than `NOTHING` is to come, so that no area is off by more.

    Examples
    --------
    >>> tails_of(np.array([[1.0]]), np.array([1.0]), 2, 1, 1)[0].round(4).tolist()
    [[0.3333]]
    """
    t = nodes.ravel()
    # R(k) = (N)_k / (t + N)_k, the weight of all terms from k on, falls as t grows: those still in play come first
    rest, reach, beyond = np.ones(len(t)), np.zeros(len(t)), np.zeros((len(t), len(POWERS)))
    starts = [*range(0, n_sampled + 1, CHUNK), *range(n_sampled + 1, n_negative + 1, CHUNK)]
    for start, stop in zip(starts, [*starts[1:], n_negative + 1], strict=True):
        if start == n_sampled + 1:
            reach[: len(rest)] = rest
            rest = rest[: n_first * nodes.shape[1]]
        rest = rest[: np.searchsorted(-rest, -NOTHING, side="right")]
        if not len(rest):
            break
        if start <= n_sampled:
            rest = rest * _products(t[: len(rest)], n_negative, start, stop)
        else:
            terms = np.empty((len(rest), stop - start))
            rest = _terms(t, n_negative, start, rest, terms)
            beyond[: len(rest)] += (
                terms @ ((n_sampled + 1) / np.arange(start + 1, stop + 1))[:, None] ** POWERS
            )
    return reach.reshape(nodes.shape), np.einsum("s,isa->ia", shares, beyond.reshape(*nodes.shape, -1))


@compiled
def _products(t, n_negative, start, stop):
    """By which R falls from k = `start` to `stop`, for each t."""
    product = np.ones(t.size)
    for k in range(start, stop):
        left = float(n_negative - k)
        for i in range(t.size):
            # not (N - k) / (t + N - k): its errors are alike from k to k and add up
            product[i] *= 1 - t[i] / (t[i] + left)
    return product


@compiled
def _terms(t, n_negative, start, rest, terms):
    """Fill in the (t, k) terms w_k from k = `start` on, R(start) being `rest`, and return R behind them."""
    behind = rest.copy()
    for i in range(rest.size):
        for k in range(terms.shape[1]):
            ends = t[i] / (t[i] + float(n_negative - start - k))
            terms[i, k] = behind[i] * ends
            behind[i] *= 1 - ends
    return behind


@compiled
def fill_known(nodes, shares, n_negative, at_all, first, last, known):
    """Fill `known[first:last + 1]` with K by M', the mean over the three `nodes` of t with their `shares`.

    `at_all` holds K(N') at the nodes. Entries outside may be written, never beyond N'.
    """
    n_sampled = known.size - 1
    turn = _turn(nodes[1], n_negative, n_sampled)
    if first <= turn:
        _upwards(nodes, shares, n_negative, first, min(last, turn), known)
    if last > turn:
        _downwards(nodes, shares, n_negative, at_all, max(first, turn + 1), last, known)


@compiled
def _growth(t, n_negative, n_sampled, below):
    """The factor by which a step upwards from M' = `below` carries an error; M' < N'."""
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
    n, (t0, t1, t2), (w0, w1, w2) = known.size - 1, _three(nodes), _three(shares)
    start = 0
    if first > 0:
        forgets = -np.log(max(_growth(t2, n_negative, n, first - 1), NOTHING))
        if forgets * first > FORGOTTEN:
            start = max(first - int(FORGOTTEN / forgets) - 1, 0)
    # exact at 0, about K elsewhere
    odds = n_negative * (n - start) / (n + 1) if start > 0 else float(n_negative)
    k0, k1, k2 = t0 / (t0 + odds), t1 / (t1 + odds), t2 / (t2 + odds)
    known[start] = w0 * k0 + w1 * k1 + w2 * k2
    for below in range(start, last):
        j, more, left = float(n - below), below + 1.0, n_negative - below - 1.0
        u0, u1, u2 = 1 / (j * (t0 + left)), 1 / (j * (t1 + left)), 1 / (j * (t2 + left))
        k0 = t0 * (n + 1) * u0 - (t0 + j) * more * u0 * k0
        k1 = t1 * (n + 1) * u1 - (t1 + j) * more * u1 * k1
        k2 = t2 * (n + 1) * u2 - (t2 + j) * more * u2 * k2
        known[below + 1] = w0 * k0 + w1 * k1 + w2 * k2


@compiled
def _downwards(nodes, shares, n_negative, at_all, first, last, known):
    """The recurrence from K(N'), or from so far above `last` that its start is forgotten."""
    n, (t0, t1, t2), (w0, w1, w2) = known.size - 1, _three(nodes), _three(shares)
    k0, k1, k2 = _three(at_all)
    start = n
    if last < n:
        forgets = np.log(_growth(t0, n_negative, n, last))
        if forgets * (n - last) > FORGOTTEN + forgets:
            start = last + int(FORGOTTEN / forgets) + 1
            odds = n_negative * (n - start) / (n + 1)
            k0, k1, k2 = t0 / (t0 + odds), t1 / (t1 + odds), t2 / (t2 + odds)
    known[start] = w0 * k0 + w1 * k1 + w2 * k2
    for below in range(start - 1, first - 1, -1):
        j, more, left = float(n - below), below + 1.0, n_negative - below - 1.0
        u0, u1, u2 = 1 / ((t0 + j) * more), 1 / ((t1 + j) * more), 1 / ((t2 + j) * more)
        k0 = t0 * (n + 1) * u0 - j * (t0 + left) * u0 * k0
        k1 = t1 * (n + 1) * u1 - j * (t1 + left) * u1 * k1
        k2 = t2 * (n + 1) * u2 - j * (t2 + left) * u2 * k2
        known[below] = w0 * k0 + w1 * k1 + w2 * k2


@compiled
def _three(values):
    return values[0], values[1], values[2]
