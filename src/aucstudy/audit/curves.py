"""What the page of an audit draws beside the curves: bands around them, net benefit and calibration.

A band holds 95 % limits of the false positive rate at each of RECALLS: percentiles of random halves of the rows. A
positive and a negative more at either end, each in every other half, let curves lie beyond the last row of a class.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.tied_groups import TiedGroups, tied_groups, weighted
from aucstudy.metrics.uncertainty.sample import Sample, half_samples, with_four_rows
from aucstudy.metrics.uncertainty.spread import t_quantile
from aucstudy.statistics.seeds import generator

RECALLS = (np.arange(1, 41) / 40) ** 2
HALVES, FEWEST_HALVES = 200, 100
CELLS = 40_000_000  # rows x models x halves: bounds the time
BINS, ROWS_A_BIN = 10, 10
THRESHOLDS = 60
NEXT_TO_NOTHING = 0.05  # of the most that can be gained


def bands(sample: Sample, seed: int) -> np.ndarray | None:
    """(m, 2, 40); None of a class of one row, and of more scores than CELLS allow."""
    draws = min(HALVES, CELLS // sample.scores.size)
    if draws < FEWEST_HALVES or min(sample.class_counts()) < 2:
        return None
    rankings = with_four_rows(tied_groups(sample.y_true, sample.scores))
    rng = generator(seed, "audit", "bands")
    added_weight = sample.weights_of_one_more()
    drawn = [
        false_positive_rates(rankings, np.r_[weight, np.repeat(added_weight, 2) * (rng.random(4) < 0.5)])
        for weights in half_samples(sample, draws, rng)
        for weight in weights
    ]
    rates = false_positive_rates(rankings, np.r_[sample.weights(), np.zeros(4)])
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    return np.stack([np.minimum(low, rates), np.maximum(high, rates)], axis=1)


def false_positive_rates(rankings: TiedGroups, weight: np.ndarray) -> np.ndarray:
    """(m, 40), where the curves of weighted rows reach RECALLS."""
    weighted_rankings, rates = weighted(rankings, weight), []
    for model in range(len(rankings.cells)):
        t, f, d, e, _ = weighted_rankings.of_model(model)
        true_positives = RECALLS * weighted_rankings.P * (1 - 1e-9)  # of sums that are rounded
        reached = np.searchsorted(t + d, true_positives)
        rates.append(
            (f[reached] + e[reached] * (true_positives - t[reached]) / d[reached]) / weighted_rankings.N
        )
    return np.array(rates)


def thresholds_of_use(y_true: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """(60,) from 0 to where no model has a net benefit to speak of."""
    prevalence, grid = y_true.mean(), np.arange(1, 500) / 500
    best_benefit = np.max([net_benefit(y_true, score, grid) for score in scores.T], axis=0, initial=-np.inf)
    useful_thresholds = grid[best_benefit > NEXT_TO_NOTHING * prevalence]
    top = min(max([2 * prevalence, *useful_thresholds[-1:]]), 0.99)
    return top * np.arange(1, THRESHOLDS + 1) / THRESHOLDS


def net_benefit(y_true: np.ndarray, score: np.ndarray, threshold: ArrayLike) -> np.ndarray:
    """True positives less false ones at the odds of the threshold, a row [Vickers & Elkin 2006]."""
    threshold = np.asarray(threshold)
    t, f = (
        np.count_nonzero(side) - np.searchsorted(np.sort(score[side]), threshold)
        for side in (y_true, ~y_true)
    )
    return (t - f * threshold / (1 - threshold)) / len(y_true)


def calibration(y_true: np.ndarray, score: np.ndarray) -> np.ndarray:
    """(bins, 4): mean score, share of positives and its limits [Wilson 1927]; no bin parts tied scores."""
    bins = min(BINS, max(1, len(score) // ROWS_A_BIN))
    bin_of_row = np.searchsorted(np.sort(score), score) * bins // len(score)
    _, bin_of_row, n = np.unique(bin_of_row, return_inverse=True, return_counts=True)
    mean, share = (np.bincount(bin_of_row, values) / n for values in (score, y_true))
    z = t_quantile(0.95, math.inf)
    middle, room = share + z * z / 2 / n, z * np.sqrt(share * (1 - share) / n + z * z / 4 / n**2)
    return np.stack([mean, share, *((middle + side * room) / (1 + z * z / n) for side in (-1, 1))], axis=1)
