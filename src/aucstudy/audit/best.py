"""Which models cannot be excluded as best, what a wrong choice may cost, and how many more positives would tell.

Each model is compared with the one in front. It is excluded as best where its comparison stays significant beside
those of all models with it, as Hsu's (1984) multiple comparisons with the best require, or where `compare` excludes it
after Holm's (1979) correction: the true best is then excluded in 5 % of samples at most. The studentised maximum of
the comparisons is drawn from their correlations; a single comparison is never judged by less than `compare` asks.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from statistics import NormalDist

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.audit.noise import LEVEL, SUPPORT, Models, Noise, Spread, normal_spread
from aucstudy.errors import InputError
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.ranking import best_threshold, order_of
from aucstudy.metrics.tied_groups import TiedGroups, areas_of_groups, tied_groups, weighted
from aucstudy.metrics.uncertainty.intervals import holm, interval_of_model
from aucstudy.metrics.uncertainty.sample import Sample, random_halves
from aucstudy.metrics.uncertainty.spread import RESOLUTION, ROUNDING, t_quantile, t_tail
from aucstudy.metrics.wants import PRECISION, RECALL, Want, least_worth, number_of, want_of, weighted_worth
from aucstudy.statistics.ranks import rounded
from aucstudy.statistics.seeds import generator

EXCLUDED = 0.05  # of samples that exclude the true best, at most
HALVES_CELLS = 30_000_000  # rows x models x halves that are walked
HALVES_AT_ONCE = 4_000_000  # rows x halves in memory
CHANCE_POSITIVES = 500_000  # of all random rankings together: where they are many, rankings hardly differ
CHANCE_PERMUTED = 50_000_000  # weights that are shuffled for them
MAXIMA, FEWEST_MAXIMA = 10_000, 1000  # draws of studentised maxima
MAXIMA_CELLS = 50_000_000  # draws x models x models
TAIL_STEP = 1.1
QUARTILE = 0.6745  # of a normal number: half of all lie as near to their mean
REACHES = (0.0, QUARTILE, -QUARTILE)
NORMAL = NormalDist()
LEAST = (-math.inf,) * len(AREAS)  # of a measure: not known
CONTENDER = (
    "model", "value", "lead", "low", "may_be_best", "positives", "positives_low", "positives_high",
)  # fmt: skip


def contenders(
    values: pd.DataFrame, noise: Noise, places: Sequence[int], least: Sequence[float] = LEAST
) -> pd.DataFrame:
    """A row a measure (column of `values`, in `noise` at its place) and model, the one in front of a measure first.

    `low` is the corrected lower end of the lead on the model, which measures that are at `least` so much, at most 1,
    bound. `positives` is how many times as many would exclude the model with an even chance, were the lead as large as
    it seems; half of all true leads lie where `positives_low` to `positives_high` would.
    """
    frames = []
    for measure, k in zip(values, places, strict=True):
        value = rounded(values[measure].to_numpy())
        order = np.argsort(-value, kind="stable")
        leader, followers, lead = order[0], order[1:], value[order[0]] - value[order]
        tails = exclusion_tails(noise.covariance_of(k)[order][:, order], noise.df)[1:]
        low = np.zeros(len(value))
        for tail in np.unique(tails):
            judged = np.append(False, tails == tail)
            low[judged] = noise.difference(k, leader, order[judged], 1 - 2 * tail).low
        p = 2 * (1 - noise.difference(k, leader, followers).support)
        contends = np.append(True, (low[1:] <= 0) & (holm(np.minimum(p, 1.0)) > EXCLUDED))
        critical = np.array([math.nan, *(t_quantile(1 - 2 * tail, noise.df) for tail in tails)])
        with np.errstate(all="ignore"):
            apart = critical * lead / (lead - low)  # in standard errors, as the limit has them
            factors = [
                np.where(reach + apart > 0, critical / (reach + apart), np.inf) ** 2 for reach in REACHES
            ]
        times = np.where(np.isnan(apart), np.nan, factors)
        columns = values.index[order], value[order], lead, np.maximum(low, least[k] - 1), contends, *times
        frames.append(pd.DataFrame(dict(zip(CONTENDER, columns, strict=True))).assign(metric=measure))
    return pd.concat(frames, ignore_index=True)[["metric", *CONTENDER]]


def exclusion_tails(covariance: np.ndarray, df: float) -> np.ndarray:
    """(m,) the one-sided p-value below which a comparison excludes each of m models as best.

    From Bonferroni's, in steps of a tenth, to that of a single two-sided comparison.
    """
    m, single = len(covariance), 1 - SUPPORT
    bonferroni = EXCLUDED / max(m - 1, 1)
    if bonferroni / 2 >= single or not (np.isfinite(covariance).all() and df > 0):
        return np.full(m, min(bonferroni, single))
    tails = np.clip(t_tail(critical_values(covariance, df), df), bonferroni, single)
    steps = bonferroni * TAIL_STEP ** np.floor(np.log(tails / bonferroni) / math.log(TAIL_STEP) + ROUNDING)
    return np.where(tails < single, steps, single)


def critical_values(covariance: np.ndarray, df: float, draws: int = MAXIMA) -> np.ndarray:
    """(m,) what the largest studentised lead of another model exceeds in 5 % of samples, were all models equal.

    For each model; normal, or Student's with `df`. By simulation with a seed of its own.
    """
    m, rng = len(covariance), generator(1, "audit", "maxima")
    draws = min(draws, max(FEWEST_MAXIMA, MAXIMA_CELLS // m**2))
    # of twins or by rounding it may be singular; the root must not jump where a last digit moves
    values, vectors = np.linalg.eigh(covariance)
    regular = (vectors * np.maximum(values, 1e-9 * values.max(initial=1e-300))) @ vectors.T
    drawn = rng.standard_normal((draws, m)) @ np.linalg.cholesky(regular).T
    if math.isfinite(df):
        drawn /= np.sqrt(rng.chisquare(df, (draws, 1)) / df)
    variance = covariance.diagonal()[:, None] + covariance.diagonal()
    apart = variance - 2 * covariance
    with np.errstate(divide="ignore"):
        scale = np.where(apart > RESOLUTION * variance, 1 / np.sqrt(np.maximum(apart, 0.0)), 0.0)
    return np.quantile(_maxima(drawn, scale), 1 - EXCLUDED, axis=0)


@compiled
def _maxima(drawn, scale):
    """(draws, m) the largest studentised lead of another model on each, 0 where none leads."""
    largest = np.zeros(drawn.shape)
    for draw in range(drawn.shape[0]):
        for i in range(drawn.shape[1]):
            for j in range(drawn.shape[1]):
                if scale[i, j] > 0:
                    largest[draw, i] = max(largest[draw, i], (drawn[draw, j] - drawn[draw, i]) * scale[i, j])
    return largest


def area_intervals(models: pd.Index, noise: Noise, sample: Sample) -> pd.DataFrame:
    """A row an area and model: the ends of its 95 % interval, NaN where a class has a single row."""
    spreads, rows = noise.own(sample), []
    for (k, metric), (i, model) in product(enumerate(AREAS), enumerate(models)):
        ends = spreads.areas[i, k], np.nan, np.nan
        if spreads.n_minority > 1:
            ends = interval_of_model(sample, spreads, k, i, LEVEL, spreads.n_minority - 1)
        rows.append((metric, model, *ends))
    return pd.DataFrame(rows, columns=["metric", "model", "value", "low", "high"])


@dataclass(frozen=True)
class Worths:
    """The noise of one measure (m,), as far as halves of the rows are `off` (halves, m) from all of them.

    `accepted` (m, 2) are the shares of positives and negatives behind a worth: the point of the curves that it is of.
    """

    whole: np.ndarray
    off: np.ndarray
    least: Sequence[float] = LEAST
    accepted: np.ndarray | None = None
    method = "halves"
    df = math.inf

    @property
    def resamples(self) -> int:
        return len(self.off)

    def difference(self, k: int, first: Models, second: Models, level: float = LEVEL) -> Spread:
        # a half is off the whole as the whole is off the truth [Shao & Wu 1989]
        apart = self.off.T[first] - self.off.T[second]
        sd = np.sqrt(np.mean(apart**2, axis=-1))
        return normal_spread(self.whole[first] - self.whole[second], sd, level)

    def covariance_of(self, k: int) -> np.ndarray:
        return self.off.T @ self.off / len(self.off)

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
    (n, m), weights, utility = sample.scores.shape, sample.weights(), want_of(want)
    order, of_rows = order_of(sample.y_true, sample.scores), float(weights.sum() / unit_weight)
    looks_at = utility.number if utility.kind == PRECISION and utility.number != "P" else 0.0
    if looks_at >= 1 and looks_at > of_rows * (1 + ROUNDING):
        count = f"count as {of_rows:.6g}; at most so many" if of_rows != n else "are fewer; at most so many"
        raise InputError(f"want {want!r}: the {n} rows {count}, or a share below 1, is wanted")

    def worth(samples: np.ndarray) -> np.ndarray:
        return weighted_worth(order, samples * weights, utility, of_rows)

    rng = generator(seed, "audit", "halves")
    unit, stratum = sample.units()
    draws = max(50, min(draws, HALVES_CELLS // (n * m)))
    at_once = max(1, HALVES_AT_ONCE // n)
    worths, drawn = worth(np.ones((1, n)))[0], []
    for start in range(0, draws, at_once):
        drawn.append(worth(random_halves(stratum, min(at_once, draws - start), rng)[:, unit]))
    deviations = np.concatenate(drawn) - worths
    deviations = deviations[~np.isnan(deviations).any(axis=1)]
    return Worths(worths, deviations, (least_worth(utility),), accepted_shares(utility, sample, of_rows))


def accepted_shares(want: Want, sample: Sample, of_rows: float) -> np.ndarray:
    """(m, 2) of positives and of negatives, where each model is worth most."""
    rankings = tied_groups(sample.y_true, sample.scores)
    rankings = rankings if sample.weight is None else weighted(rankings, sample.weight)
    P, N = float(rankings.P), float(rankings.N)
    number = number_of(want, P, N, (P + N) / of_rows)
    if want.kind == RECALL:
        number *= 1 - 1e-12  # sums of weights are rounded
    models = map(rankings.of_model, range(len(rankings.places)))
    points = [best_threshold(groups, groups.shape[1], P, N, want.kind, number)[1:] for groups in models]
    return np.array(points) / (P, N)


def chance_levels(sample: Sample, seed: int) -> pd.DataFrame:
    """By area the mean of random rankings, and what 95 % of them stay below; few positives lift both for AUPR.

    Cases are ranked with all their rows, other groups a row at a time.
    """
    rng = generator(seed, "audit", "chance")
    positive, weight = sample.y_true, sample.weights()
    if sample.cases:
        positive, weight = np.bincount(sample.groups, positive) > 0, np.bincount(sample.groups, weight)
    sides, P, n = (weight[positive], weight[~positive]), np.count_nonzero(positive), len(positive)
    ends, no_ties = np.array([0, P]), np.empty((1, 0), dtype=np.int32)
    t, f = (np.append(0.0, np.cumsum(weights)) for weights in sides)
    unequal = [np.ptp(weights) > 0 for weights in sides]
    draws = max(3, min(1000, CHANCE_POSITIVES // P))
    if any(unequal):
        draws = min(draws, max(100, CHANCE_PERMUTED // n))
    of_rows = not any(unequal) and t[1] == f[1] == 1
    totals = (P, n - P) if of_rows else (t[-1], f[-1])
    areas = []
    for _ in range(draws):
        negatives_above = np.sort(rng.choice(n, P, replace=False, shuffle=False)) - np.arange(P)
        for sums, weights, differ in zip((t, f), sides, unequal, strict=True):
            if differ:
                np.cumsum(rng.permutation(weights), out=sums[1:])
        counts = np.stack([t[:-1], f[negatives_above], np.diff(t), np.zeros(P), t[-1] - t[1:]])
        areas.append(areas_of_groups(TiedGroups(counts, ends, no_ties, *totals))[0])
    return pd.DataFrame(
        {"metric": AREAS, "mean": np.mean(areas, axis=0), "limit": np.percentile(areas, 95, axis=0)}
    )
