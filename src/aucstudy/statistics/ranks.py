"""Ranks of models within a task, and the agreement of two rankings with tied models.

Ties are broken by one random permutation of the models. All metrics share it, so that a metric never
disagrees with itself. The probabilities over all permutations are exact.
"""

from itertools import accumulate, permutations
from math import prod

import numpy as np

SIGNIFICANT_DIGITS = 12
CORRELATIONS = ("pearson_of_ranks", "spearman", "kendall_tau_b")  # the rows of `table_correlations`


def rounded(values: np.ndarray) -> np.ndarray:
    """Return values of a metric with 12 significant digits, so that float noise decides nothing."""
    values = np.asarray(values, dtype=float)
    with np.errstate(divide="ignore"):
        digits = SIGNIFICANT_DIGITS - 1 - np.floor(np.log10(np.abs(values)))
    scale = 10.0 ** np.clip(digits, 0, 300)
    return np.where(np.isfinite(values), np.rint(values * scale) / scale, values)


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Return the ranks along the last axis, 1 for the largest. Tied models share the mean of their ranks."""
    # The import is here because it takes most of a second and most jobs need no ranks.
    from scipy.stats import rankdata

    return rankdata(-np.asarray(values, dtype=float), axis=-1)


def rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Return the correlation of average ranks (Spearman's), NaN if one of the two ties all models."""
    ranks = average_ranks(first), average_ranks(second)
    return float("nan") if min(map(np.ptp, ranks)) == 0 else float(np.corrcoef(*ranks)[0, 1])


def tie_groups(values: np.ndarray, top: int) -> list[frozenset[int]]:
    """Return the sets of tied models from the best on, as many as the first `top` places need."""
    values = np.asarray(values, dtype=float)
    order = np.argsort(-values, kind="stable")
    groups: list[list[int]] = []
    for placed, i in enumerate(order):
        if groups and values[groups[-1][-1]] == values[i]:
            groups[-1].append(int(i))
        elif placed >= top:
            break
        else:
            groups.append([int(i)])
    return [frozenset(group) for group in groups]


def agreement(first: np.ndarray, second: np.ndarray, top: int = 1) -> float:
    """Return the probability that two metrics put the same models first, in the same order.

    Ties are broken by one shared random permutation. For `top` 1 the probability is |A and B| / |A or B|,
    where A and B are the sets of best models. For more places it is a sum over all ways to fill the places
    that both metrics allow. Each summand is the probability that every placed model comes before its rivals.

    >>> agreement([3, 3, 1], [3, 2, 1])
    0.5
    >>> agreement([3, 2, 1], [3, 2, 1], top=3)
    1.0
    """
    top = min(top, len(np.asarray(first)))
    return _agreement(tuple(tie_groups(first, top)), tuple(tie_groups(second, top)), top)


def _agreement(
    first: tuple[frozenset, ...],
    second: tuple[frozenset, ...],
    top: int,
    placed: tuple[tuple[int, frozenset[int]], ...] = (),
) -> float:
    if top == 0 or first == second:
        return come_first(placed)
    in_either = first[0] | second[0]
    # Candidates that are rivals of the same placed models are interchangeable, so that one stands for them all.
    # Without this the work would grow with the cube of the number of tied models.
    alike: dict[tuple[bool, ...], list[int]] = {}
    for i in sorted(first[0] & second[0]):
        alike.setdefault(tuple(i in rivals for _, rivals in placed), []).append(i)
    return float(
        sum(
            (1 + len(others))
            * _agreement(_without(first, i), _without(second, i), top - 1, (*placed, (i, in_either - {i})))
            for i, *others in alike.values()
        )
    )


def come_first(placed: tuple[tuple[int, frozenset[int]], ...]) -> float:
    """Return the probability that in a random order each placed model comes before all of its rivals.

    It is a sum over the orders of the placed models. In each order the models form a tree, in which a rival
    hangs on the last placed model that it must follow. A node of the tree comes before all nodes below it
    with a probability of one over the size of its subtree.
    """
    models = [model for model, _ in placed]
    total = 0.0
    for order in permutations(placed):
        sequence = [model for model, _ in order]
        below = [0] * len(order)
        for rival in frozenset().union(*(rivals for _, rivals in order)):
            last = max(k for k, (_, rivals) in enumerate(order) if rival in rivals)
            if rival not in models:
                below[last] += 1
            elif sequence.index(rival) < last:
                break
        else:
            sizes = accumulate(1 + hanging for hanging in reversed(below))
            total += 1 / prod(sizes)
    return total


def _without(groups: tuple[frozenset, ...], model: int) -> tuple[frozenset, ...]:
    remaining = groups[0] - {model}
    return (remaining, *groups[1:]) if remaining else groups[1:]


def random_orders(n_models: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return (draws, n_models) the models in random orders."""
    return rng.permuted(np.tile(np.arange(n_models), (draws, 1)), axis=1)


def permuted_ranks(values: np.ndarray, permutations: np.ndarray) -> np.ndarray:
    """Return (draws, m) ranks, 1 for the largest value.

    Of tied models the one with the smaller entry in the permutation wins.
    """
    values = np.asarray(values, dtype=float)
    order = np.lexsort((permutations, np.broadcast_to(-values, permutations.shape)), axis=-1)
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(1, len(values) + 1)[None, :], axis=-1)
    return ranks


def table_correlations(counts: np.ndarray) -> np.ndarray:
    """Return Pearson's, Spearman's and Kendall's (tau-b) correlation, (3, k), of k contingency tables.

    `counts` is (k, levels, levels).
    """
    n = counts.sum(axis=(1, 2))
    x, y = counts.sum(axis=2), counts.sum(axis=1)
    ranks = [np.broadcast_to(np.arange(margin.shape[1], dtype=float), margin.shape) for margin in (x, y)]
    with np.errstate(invalid="ignore", divide="ignore"):
        pearson = _correlation(counts, n, x, y, *ranks)
        spearman = _correlation(counts, n, x, y, *(margin.cumsum(axis=1) - margin / 2 for margin in (x, y)))
        # The models of a cell form concordant pairs with models of cells above and to the right of it, and
        # discordant pairs with models of cells above and to the left.
        above = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1] - counts
        right = np.cumsum(above[:, :, ::-1], axis=2)[:, :, ::-1] - above
        left = np.cumsum(above, axis=2) - above
        concordance = np.einsum("kij,kij->k", counts, right - left)
        n_untied = [(n**2 - (margin**2).sum(axis=1)) / 2 for margin in (x, y)]
        tau = concordance / np.sqrt(n_untied[0] * n_untied[1])
    return np.stack([pearson, spearman, tau])


def _correlation(counts, n, x, y, value_x, value_y) -> np.ndarray:
    value_x = value_x - ((x * value_x).sum(axis=1) / n)[:, None]
    value_y = value_y - ((y * value_y).sum(axis=1) / n)[:, None]
    product = np.einsum("kij,ki,kj->k", counts, value_x, value_y, optimize=True)
    return product / np.sqrt((x * value_x**2).sum(axis=1) * (y * value_y**2).sum(axis=1))
