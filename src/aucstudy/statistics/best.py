"""Which models may be the best, what a wrong choice may cost, and how many more positives would decide it.

Each model is compared with the leader, the model with the highest value. It is excluded if one of two tests
excludes it: Hsu's (1984) multiple comparisons with the best, or `compare` with Holm's (1979) correction. Each
test excludes the true best in at most 5 % of samples. Together they did so in 6 % of simulated samples.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from aucstudy.errors import InputError
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.registry import keys
from aucstudy.metrics.uncertainty.intervals import holm
from aucstudy.metrics.uncertainty.sample import Sample
from aucstudy.metrics.uncertainty.standard_errors import (
    RESOLUTION,
    ROUNDING,
    Models,
    SamplingErrors,
    t_quantile,
    t_tail,
)
from aucstudy.metrics.uncertainty.target_errors import TargetErrors, target_errors
from aucstudy.statistics.ranks import rounded
from aucstudy.statistics.seeds import generator

LEVEL = 0.95
SUPPORT = (1 + LEVEL) / 2  # From this support on, the 95 % interval of a difference leaves out 0.
EXCLUDED = 0.05  # the largest share of samples that exclude the true best
MAXIMA, FEWEST_MAXIMA = 10_000, 1000  # draws of studentised maxima
MAXIMA_CELLS = 50_000_000  # draws x models x models
TAIL_STEP = 1.1
QUARTILE = 0.6745  # Half of all normal numbers lie within so many standard deviations of their mean.
REACHES = (0.0, QUARTILE, -QUARTILE)
CONTENDER = (
    "model", "value", "lead", "low", "may_be_best", "short", "positives", "positives_low", "positives_high",
)  # fmt: skip


class Spread(NamedTuple):
    """The interval and the support of a difference, or of many differences as arrays (pairs,).

    `support` is 1 minus the one-sided p-value of "the difference is not above 0".
    """

    low: Any
    high: Any
    support: Any


@dataclass(frozen=True)
class AreaNoise:
    """The sampling noise of the differences between the models' metrics, as `compare` estimates it."""

    errors: SamplingErrors

    @property
    def method(self) -> str:
        return "halves" if self.resamples else "influence functions"

    @property
    def resamples(self) -> int:
        """The number of random halves for the metrics that have influence functions."""
        return self.errors.halves[0]

    @property
    def df(self) -> float:
        return self.errors.df

    def difference(self, k: int, first: Models, second: Models, level: float = LEVEL) -> Spread:
        difference = self.errors.difference(k, first, second)
        low, high = difference.limits(level)
        return Spread(low, high, 1 - difference.p_below(0.0))

    def covariance_of(self, k: int) -> np.ndarray:
        return self.errors.covariance[k]

    def of(self, models: Sequence[int]) -> "AreaNoise":
        return AreaNoise(self.errors.select(models))


@dataclass(frozen=True)
class TargetValues:
    """The values of a target metric for m models, and their sampling noise."""

    errors: TargetErrors
    method = "halves"
    df = math.inf

    @property
    def values(self) -> np.ndarray:
        return self.errors.values

    @property
    def resamples(self) -> int:
        return len(self.errors.deviations)

    @property
    def widest(self) -> tuple[float]:
        return (1 - self.errors.least,)

    def difference(self, k: int, first: Models, second: Models, level: float = LEVEL) -> Spread:
        difference = self.values[first] - self.values[second]
        return normal_spread(difference, self.errors.sd_of_difference(first, second), level)

    def covariance_of(self, k: int) -> np.ndarray:
        deviations = self.errors.deviations
        return deviations.T @ deviations / len(deviations)

    def of(self, models: Sequence[int]) -> "TargetValues":
        selected = self.errors.deviations[:, models]
        return TargetValues(self.errors._replace(values=self.values[models], deviations=selected))

    def intervals(self, name: str, models: pd.Index) -> pd.DataFrame:
        low, high = self.errors.limits(LEVEL)
        return pd.DataFrame({"metric": name, "model": models, "value": self.values, "low": low, "high": high})


Differences = AreaNoise | TargetValues


def normal_spread(mean: Any, sd: Any, level: float) -> Spread:
    """Return the spread of differences that are taken as normally distributed.

    Without noise the support of a difference above 0 is 1, below 0 it is 0, and of no difference it is 0.5.
    """
    with np.errstate(all="ignore"):
        tail = t_tail(np.abs(mean / sd), math.inf)
    support = np.where(mean == 0, 0.5, np.where(mean > 0, 1 - tail, tail))
    reach = t_quantile(level, math.inf) * sd
    return Spread(mean - reach, mean + reach, support[()])


def area_intervals(models: pd.Index, errors: SamplingErrors) -> pd.DataFrame:
    """Return a table with a row for each metric and model: the value and its 95 % interval.

    The interval is NaN if a class has a single row.
    """
    frames = []
    for k, metric in enumerate(keys()):
        low, high = errors.limits(k, LEVEL) if errors.df > 0 else np.full((2, len(models)), np.nan)
        columns = {"metric": metric, "model": models, "value": errors.areas[:, k], "low": low, "high": high}
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def compared_with_leader(
    values: pd.DataFrame, noise: Differences, indices: Sequence[int], widest: Sequence[float] = ()
) -> pd.DataFrame:
    """Return a table with a row for each metric and model, in which the leader of each metric comes first.

    The metrics are the columns of `values`. `indices` are their places in `noise` and in `widest`, which has
    the largest difference that two values of each metric can have. The leader is the model with the highest value.

    The column `lead` is the leader's value minus the model's. `low` is the lower end of its interval,
    corrected for the number of comparisons. `may_be_best` is true if neither this end nor Holm's correction
    excludes the model. `short` is how far the model may be below the best one at most: the upper limit of Hsu (1984),
    for all models at once and with the same 95 % confidence. `positives` says how many times as many positives would
    bring the corrected end to 0, if the lead is as large as it seems. `positives_low` to `positives_high` is a 50 %
    range of this number.
    """
    frames = []
    for measure, k in zip(values, indices, strict=True):
        value = rounded(values[measure].to_numpy())
        order = np.argsort(-value, kind="stable")
        leader, followers, lead = order[0], order[1:], value[order[0]] - value[order]
        tail_of_each = exclusion_tails(noise.covariance_of(k)[order][:, order], noise.df)
        tails = tail_of_each[1:]
        low = np.zeros(len(value))
        # There are few different tails, because `exclusion_tails` rounds them to steps.
        for tail in np.unique(tails):
            of_tail = np.append(False, tails == tail)
            low[of_tail] = noise.difference(k, leader, order[of_tail], 1 - 2 * tail).low
        p = 2 * (1 - noise.difference(k, leader, followers).support)
        may_be_best = np.append(True, (low[1:] <= 0) & (holm(np.minimum(p, 1.0)) > EXCLUDED))
        short, largest = np.zeros(len(value)), widest[k] if len(widest) else math.inf
        # These models are not excluded by Hsu's test. The leader is among them, because its end is 0.
        for rank in np.flatnonzero(low <= 0):
            others = np.delete(np.arange(len(value)), rank)
            behind = noise.difference(k, order[rank], order[others], 1 - 2 * tail_of_each[rank]).high
            short[others] = np.fmax(short[others], behind)
        critical = np.array([math.nan, *(t_quantile(1 - 2 * tail, noise.df) for tail in tails)])
        with np.errstate(all="ignore"):
            apart = critical * lead / (lead - low)  # the lead in the standard errors that its limit implies
            factors = [
                np.where(reach + apart > 0, critical / (reach + apart), np.inf) ** 2 for reach in REACHES
            ]
        times_as_many = np.where(np.isnan(apart), np.nan, factors)
        columns = (
            values.index[order],
            value[order],
            lead,
            np.maximum(low, -largest),
            may_be_best,
            np.minimum(short, largest),
        )
        frames.append(
            pd.DataFrame(dict(zip(CONTENDER, (*columns, *times_as_many), strict=True))).assign(metric=measure)
        )
    return pd.concat(frames, ignore_index=True)[["metric", *CONTENDER]]


def exclusion_tails(covariance: np.ndarray, df: float) -> np.ndarray:
    """Return the (m,) one-sided p-values at which the models are excluded.

    They lie between the p-value of Bonferroni's correction and that of a single two-sided comparison. They
    are rounded down to steps.
    """
    m, single = len(covariance), 1 - SUPPORT
    bonferroni = EXCLUDED / max(m - 1, 1)
    if bonferroni / 2 >= single or not (np.isfinite(covariance).all() and df > 0):
        return np.full(m, min(bonferroni, single))
    tails = np.clip(t_tail(critical_values(covariance, df), df), bonferroni, single)
    steps = bonferroni * TAIL_STEP ** np.floor(np.log(tails / bonferroni) / math.log(TAIL_STEP) + ROUNDING)
    return np.where(tails < single, steps, single)


def critical_values(covariance: np.ndarray, df: float, draws: int = MAXIMA) -> np.ndarray:
    """Return the (m,) simulated 95 % quantiles of the largest studentised lead over each model.

    In the simulation all models are equally good.
    """
    m, rng = len(covariance), generator(1, "audit", "maxima")
    draws = min(draws, max(FEWEST_MAXIMA, MAXIMA_CELLS // m**2))
    # The covariance may be singular, because of equal models or of rounding. Its root must not jump when a
    # last digit changes.
    values, vectors = np.linalg.eigh(covariance)
    root_of = (vectors * np.maximum(values, 1e-9 * values.max(initial=1e-300))) @ vectors.T
    normal_draws = rng.standard_normal((draws, m)) @ np.linalg.cholesky(root_of).T
    if math.isfinite(df):
        normal_draws /= np.sqrt(rng.chisquare(df, (draws, 1)) / df)
    variance = covariance.diagonal()[:, None] + covariance.diagonal()
    difference_variance = variance - 2 * covariance
    is_resolved = difference_variance > RESOLUTION * variance
    scale = np.where(is_resolved, 1 / np.sqrt(np.where(is_resolved, difference_variance, 1.0)), 0.0)
    return np.quantile(_maxima(normal_draws, scale), 1 - EXCLUDED, axis=0)


@compiled
def _maxima(drawn, scale):
    """Return (draws, m) the largest studentised lead of another model over each model, 0 if none leads."""
    largest = np.zeros(drawn.shape)
    for draw in range(drawn.shape[0]):
        for i in range(drawn.shape[1]):
            for j in range(drawn.shape[1]):
                if scale[i, j] > 0:
                    largest[draw, i] = max(largest[draw, i], (drawn[draw, j] - drawn[draw, i]) * scale[i, j])
    return largest


def target_values_of(
    name: str, sample: Sample, *, draws: int, seed: int, unit_weight: float = 1.0
) -> TargetValues:
    """Return the target metric of each model on all rows, and its noise, see `target_errors`.

    Raises InputError if `precision@` looks at more rows than there are.
    """
    rng = generator(seed, "audit", "halves")
    try:
        return TargetValues(target_errors(name, sample, draws=draws, rng=rng, unit_weight=unit_weight))
    except ValueError as error:
        raise InputError(str(error)) from None
