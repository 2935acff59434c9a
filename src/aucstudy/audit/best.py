"""Which models cannot be excluded as best, what a wrong choice may cost, and how many more positives would tell.

A model is excluded as best by a measure where the one in front beats it with a one-sided support above 1 - .05/(m - 1)
of m models, .975 at least. The true best is then excluded in 5 % of samples at most (Bonferroni; as multiple
comparisons with the best, Hsu 1984), and the same limits bound how far the one in front, chosen as it is, falls short.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from statistics import NormalDist

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.audit.noise import SUPPORT, Models, Noise, Spread, normal_spread
from aucstudy.errors import InputError
from aucstudy.metrics.intervals import ROUNDING, Sample, halves, of_one
from aucstudy.metrics.ranking import order_of
from aucstudy.metrics.tied_groups import TiedGroups, areas_of_groups
from aucstudy.metrics.wants import PRECISION, least_worth, want_of, weighted_worth
from aucstudy.statistics.ranks import rounded
from aucstudy.statistics.seeds import generator

EXCLUDED = 0.05  # of samples that exclude the true best, at most
HALVES_CELLS = 30_000_000  # rows x models x halves that are walked
HALVES_AT_ONCE = 4_000_000  # rows x halves in memory
CHANCE_POSITIVES = 500_000  # of all random rankings together: where they are many, rankings hardly differ
CHANCE_PERMUTED = 50_000_000  # weights that are shuffled for them
LEVEL = 0.95
NORMAL = NormalDist()
LEAST = (-math.inf,) * len(AREAS)  # of a measure: not known
CONTENDER = ("model", "value", "lead", "low", "may_be_best", "positives")


def contenders(
    values: pd.DataFrame, noise: Noise, places: Sequence[int], least: Sequence[float] = LEAST
) -> pd.DataFrame:
    """A row a measure (column of `values`, in `noise` at its place) and model, the one in front of a measure first.

    `low` is the corrected lower end of the lead on the model, which measures that are at `least` so much, at most 1,
    bound; `positives` how many times as many would show that lead.
    """
    m = len(values)
    factor = NORMAL.inv_cdf(1 - EXCLUDED / max(m - 1, 2)) / NORMAL.inv_cdf(SUPPORT)
    frames = []
    for measure, k in zip(values, places, strict=True):
        value = rounded(values[measure].to_numpy())
        order = np.argsort(-value, kind="stable")
        lead = value[order[0]] - value[order]
        low, high, _ = noise.difference(k, order[0], order)
        # the longer side: ends that are too near on one side exclude nothing
        reach = np.maximum(lead - low, high - lead)
        short, times = np.maximum(lead - factor * reach, least[k] - 1), np.full(m, np.inf)
        np.divide(factor * reach, lead, out=times, where=lead > 0)
        short[0], times[0] = 0.0, np.nan  # the one in front itself
        columns = (values.index[order], value[order], lead, short, short <= 0, times**2)
        frames.append(pd.DataFrame(dict(zip(CONTENDER, columns, strict=True))).assign(metric=measure))
    return pd.concat(frames, ignore_index=True)[["metric", *CONTENDER]]


def area_intervals(models: pd.Index, noise: Noise, sample: Sample) -> pd.DataFrame:
    """A row an area and model: the ends of its 95 % interval, NaN where a class has a single row."""
    of, rows = noise.own(sample), []
    for (k, metric), (i, model) in product(enumerate(AREAS), enumerate(models)):
        single = of.rarer <= 1
        one = (of.areas[i, k], np.nan, np.nan) if single else of_one(sample, of, k, i, LEVEL, of.rarer - 1)
        rows.append((metric, model, *one))
    return pd.DataFrame(rows, columns=["metric", "model", "value", "low", "high"])


@dataclass(frozen=True)
class Worths:
    """The noise of one measure (m,), as far as halves of the rows are `off` (halves, m) from all of them."""

    whole: np.ndarray
    off: np.ndarray
    least: Sequence[float] = LEAST
    method = "halves"

    @property
    def resamples(self) -> int:
        return len(self.off)

    def difference(self, k: int, first: Models, second: Models) -> Spread:
        # a half is off the whole as the whole is off the truth [Shao & Wu 1989]
        apart = self.off.T[first] - self.off.T[second]
        return normal_spread(self.whole[first] - self.whole[second], np.sqrt(np.mean(apart**2, axis=-1)))

    def of(self, models: Sequence[int]) -> "Worths":
        return Worths(self.whole[models], self.off[:, models], self.least)

    def intervals(self, want: str, models: pd.Index) -> pd.DataFrame:
        reach = NORMAL.inv_cdf(SUPPORT) * np.sqrt(np.mean(self.off**2, axis=0))
        low, high = np.clip([self.whole - reach, self.whole + reach], self.least[0], 1.0)
        ends = {"value": self.whole, "low": low, "high": high}
        return pd.DataFrame({"metric": want, "model": models, **ends})


def worth_of(want: str, sample: Sample, *, draws: int, seed: int, unit_weight: float = 1.0) -> Worths:
    """What each model is worth to somebody on these rows; of groups whole ones are halved.

    A row whose weight is `unit_weight` counts as one. InputError where `precision@` looks at more rows than there are.
    """
    (n, m), weights, asked = sample.scores.shape, sample.weights(), want_of(want)
    order, of_rows = order_of(sample.y_true, sample.scores), float(weights.sum() / unit_weight)
    looks_at = asked.number if asked.kind == PRECISION and asked.number != "P" else 0.0
    if looks_at >= 1 and looks_at > of_rows * (1 + ROUNDING):
        count = f"count as {of_rows:.6g}; at most so many" if of_rows != n else "are fewer; at most so many"
        raise InputError(f"want {want!r}: the {n} rows {count}, or a share below 1, is wanted")

    def worth(samples: np.ndarray) -> np.ndarray:
        return weighted_worth(order, samples * weights, asked, of_rows)

    rng = generator(seed, "audit", "halves")
    unit, stratum = sample.units()
    draws = max(50, min(draws, HALVES_CELLS // (n * m)))
    at_once = max(1, HALVES_AT_ONCE // n)
    whole, drawn = worth(np.ones((1, n)))[0], []
    for start in range(0, draws, at_once):
        drawn.append(worth(halves(stratum, min(at_once, draws - start), rng)[:, unit]))
    off = np.concatenate(drawn) - whole
    return Worths(whole, off[~np.isnan(off).any(axis=1)], (least_worth(asked),))


def chance_levels(sample: Sample, seed: int) -> pd.DataFrame:
    """By area the mean of random rankings, and what 95 % of them stay below; few positives lift both for AUPR.

    Cases are ranked with all their rows, other groups a row at a time.
    """
    rng = generator(seed, "audit", "chance")
    positive, weight = sample.y_true, sample.weights()
    if sample.cases:
        positive, weight = np.bincount(sample.groups, positive) > 0, np.bincount(sample.groups, weight)
    sides, P, n = (weight[positive], weight[~positive]), np.count_nonzero(positive), len(positive)
    ends, places = np.array([0, P]), np.empty((1, 0), dtype=np.int32)
    t, f = (np.append(0.0, np.cumsum(weights)) for weights in sides)
    unequal = [np.ptp(weights) > 0 for weights in sides]
    draws = max(3, min(1000, CHANCE_POSITIVES // P))
    if any(unequal):
        draws = min(draws, max(100, CHANCE_PERMUTED // n))
    of_rows = not any(unequal) and t[1] == f[1] == 1
    totals = (P, n - P) if of_rows else (t[-1], f[-1])
    made = []
    for _ in range(draws):
        at = np.sort(rng.choice(n, P, replace=False, shuffle=False)) - np.arange(P)
        for sums, weights, differ in zip((t, f), sides, unequal, strict=True):
            if differ:
                np.cumsum(rng.permutation(weights), out=sums[1:])
        counts = np.stack([t[:-1], f[at], np.diff(t), np.zeros(P), t[-1] - t[1:]])
        made.append(areas_of_groups(TiedGroups(counts, ends, places, *totals))[0])
    return pd.DataFrame(
        {"metric": AREAS, "mean": np.mean(made, axis=0), "limit": np.percentile(made, 95, axis=0)}
    )
