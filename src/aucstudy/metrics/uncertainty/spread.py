"""The spread of areas in other samples: variances and covariances of models, and limits that follow from them.

It comes from *influence* functions (for AUROC, those of DeLong et al. 1988), from those of a *padded* sample, with one
more positive and one more negative, each half at the top and half at the bottom, or from random *halves* of the rows,
whose areas lie around that of all rows as this does around the population's. *Larger* is the larger of the last two.
Limits are Student's, with as many degrees of freedom as rows of the rarer class, less one.

Two of them reach further. The lower limit of one model is that on the logit of the area between the least and the
largest possible, where this is lower, up to half as far again. Of a difference the end on the side of 0, and so the
test, is Student's, for AUROC with DeLong's variance and Satterthwaite's (1946) degrees of freedom; the other end is the
wider of Student's and what the limits of both models on the logit leave (Zou and Donner 2008). AUPRG and influence
functions have Student's, or normal, limits alone.

Where the rows show no spread (a perfect or constant ranking), the limits are the `extremes`.
"""

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from aucstudy.area_names import AREAS
from aucstudy.metrics.bounds import aucpr_min
from aucstudy.metrics.tied_groups import TiedGroups, areas_of_groups, tied_groups, weighted
from aucstudy.metrics.uncertainty.influence import influence
from aucstudy.metrics.uncertainty.sample import (
    CELLS_AT_ONCE,
    Sample,
    half_samples,
    random_halves,
    with_four_rows,
)

HALVES = 500
MANY_ROWS, MANY_OF_CLASS = 20_000, 100  # from where on halves are drawn by coins and controlled
CONTROLLED_DRAWS = 30, 200  # such halves, at least and at most
CONTROLLED_RARER = 30_000  # rows of the rarer class, times halves, for which between these are drawn
CONTROLLED_CELLS = 400_000_000  # rows x models x halves, beyond which fewer are drawn, down to 50
LARGEST_REMAINDER = 0.25  # of the control's variance
INFLUENCE_CELLS = 20_000_000  # rows x models whose influences are held for it
STRETCH = 1.5  # of Student's reach, which a lower limit on the logit may use
ROUNDING = 1e-10  # a standard error below is 0
RESOLUTION = 1e-13  # of two variances, to which the variance of a difference is known
ALL_AREAS = tuple(range(len(AREAS)))

Seed = int | np.random.Generator
Models = int | np.ndarray


def t_tail(t: float | np.ndarray, df: float | np.ndarray) -> np.ndarray:
    """The probability that Student's t, or with infinite `df` a normal number, exceeds t >= 0; to 1e-10.

    `aucstudy.metrics` does without scipy, whose `stdtr` this is.

    >>> t_tail(2.228139, 10).round(7).tolist(), t_tail(1.959964, math.inf).round(7).tolist()
    (0.025, 0.025)
    """
    if np.isscalar(df) and math.isinf(df):
        return np.vectorize(math.erfc, otypes=[float])(np.asarray(t) / math.sqrt(2)) / 2
    # t = tan(angle) sqrt(df): the density is cos(angle) to the power df - 1
    half, (nodes, shares) = np.arctan(np.asarray(t) / np.sqrt(df)) / 2, _nodes()
    power, log_gamma = np.asarray(df - 1)[..., None], np.vectorize(math.lgamma, otypes=[float])
    density = np.exp(log_gamma((df + 1) / 2) - log_gamma(df / 2)) / math.sqrt(math.pi)
    inside = half * density * (np.cos(half[..., None] * (nodes + 1)) ** power @ shares)
    return np.maximum(0.5 - inside, 0.0)


@cache
def _nodes() -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(100)


@lru_cache(maxsize=10_000)
def t_quantile(level: float, df: float) -> float:
    """What |t| exceeds with probability 1 - level.

    >>> round(t_quantile(0.95, 10), 6)
    2.228139
    """
    if math.isinf(df):
        return NormalDist().inv_cdf(0.5 + level / 2)
    if df <= 0:  # as of rows of which one has all the weight
        return math.inf
    low, high = 0.0, 1.0
    while high < 1e12 and 2 * t_tail(high, df) > 1 - level:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if 2 * t_tail(middle, df) > 1 - level else (low, middle)
    return low


def t_quantiles(level: float, df: float | np.ndarray) -> float | np.ndarray:
    """`t_quantile` of whole numbers of degrees of freedom."""
    if np.isscalar(df):
        return t_quantile(level, df)
    distinct, index = np.unique(df, return_inverse=True)
    return np.array([t_quantile(level, number) for number in distinct.tolist()])[index].reshape(np.shape(df))


class Spreads(NamedTuple):
    """Of m models: `areas` (m, 5), `variance` (5, m), that of differences `apart` (5, m, m), `correlation` (5, m, m).

    They are at a `prevalence`, where `floor` (5,) are the least areas; `n_minority` units hold the class that fewer
    hold; `reaches_further` says whether limits on the logit count. `counts` of units hold a positive and a negative.
    The correlation is that of halves, also where the variance is the larger of two.
    `auroc_apart` (2, m, m) is what the positives and the negatives add to DeLong's variance of a difference.
    """

    areas: np.ndarray
    variance: np.ndarray
    apart: np.ndarray
    correlation: np.ndarray
    prevalence: float
    floor: tuple[float, ...]
    n_minority: float
    reaches_further: bool
    counts: tuple[float, float] | None = None
    auroc_apart: np.ndarray | None = None

    def select(self, models: Sequence[int]) -> "Spreads":
        matrices = self.apart, self.correlation, self.auroc_apart
        apart, correlation, auroc_apart = (
            None if matrix is None else matrix[:, models][:, :, models] for matrix in matrices
        )
        return self._replace(
            areas=self.areas[models],
            variance=self.variance[:, models],
            apart=apart,
            correlation=correlation,
            auroc_apart=auroc_apart,
        )

    def covariance(self, k: int) -> np.ndarray:
        """(m, m) of area k, such that differences have the variance that they are tested by."""
        models, variance = np.arange(len(self.areas)), self.variance[k]
        _, tested, _ = self._variance_apart(k, models[:, None], models, self.n_minority - 1)
        return (variance[:, None] + variance - np.nan_to_num(tested)) / 2

    def limits(self, k: int, model: int, reach: float) -> tuple[float, float] | None:
        """The limits of area k that lie `reach` standard errors away; None without any spread."""
        area, sd, floor = self.areas[model, k], math.sqrt(self.variance[k, model]), self.floor[k]
        if AREAS[k] == "auprg" and self.n_minority * self.prevalence < 1:
            return floor, 1.0
        if sd <= ROUNDING:
            return None
        low = area - reach * sd
        if self.reaches_further and AREAS[k] != "auprg" and floor < area < 1:
            low = max(min(low, float(self._on_logit(k, model, reach)[0])), area - STRETCH * reach * sd)
        return max(low, floor), min(area + reach * sd, 1.0)

    def limits_of_difference(
        self, k: int, first: Models, second: Models, level: float, df: float
    ) -> np.ndarray:
        """(2, ...) limits of the first models' areas less the second's; NaN where the difference has no spread.

        By Student's t with `df` degrees of freedom, or the normal distribution of infinite `df`. The end on the side
        of 0 has the variance that the test has. The other end is the wider of Student's, with the larger variance, and
        of what the limits of both models on the logit leave, as far as these do not move together (Zou and Donner
        2008). Equal areas have two ends of the latter kind.
        """
        a, b, reach = self.areas[first, k], self.areas[second, k], t_quantile(level, df)
        variance, tested, df_tested = self._variance_apart(k, first, second, df)
        sd, tested_reach = np.sqrt(variance), np.sqrt(tested) * t_quantiles(level, df_tested)
        down, up = np.where(a > b, tested_reach, reach * sd), np.where(a < b, tested_reach, reach * sd)
        if self.reaches_further and AREAS[k] != "auprg":
            (low_a, high_a), (low_b, high_b) = (
                self._on_logit(k, models, reach) for models in (first, second)
            )
            twice_correlation = 2 * self.correlation[k, first, second]
            sides = (a - low_a, high_b - b), (high_a - a, b - low_b)
            squares = (x * x + y * y - twice_correlation * x * y for x, y in sides)
            far_down, far_up = (np.sqrt(np.maximum(square, 0.0)) for square in squares)
            down, up = (
                np.where(a > b, down, np.maximum(down, far_down)),
                np.where(a < b, up, np.maximum(up, far_up)),
            )
        widest = 1 - self.floor[k]
        return np.stack([np.maximum(a - b - down, -widest), np.minimum(a - b + up, widest)])

    def p_of_difference(self, k: int, first: Models, second: Models, df: float) -> np.ndarray:
        """Two-sided; NaN without any spread."""
        difference = self.areas[first, k] - self.areas[second, k]
        _, variance, df_tested = self._variance_apart(k, first, second, df)
        return 2 * t_tail(np.abs(difference) / np.sqrt(variance), df_tested)

    def _variance_apart(
        self, k: int, first: Models, second: Models, df: float
    ) -> tuple[np.ndarray, np.ndarray, float | np.ndarray]:
        """The variance of a difference, that by which it is tested, and its degrees of freedom; NaN without any."""
        variance, separate = self.apart[k, first, second], self.variance[k, first] + self.variance[k, second]
        resolved = np.maximum(RESOLUTION * separate, ROUNDING**2)
        variance = np.where(variance > resolved, variance, np.nan)
        if AREAS[k] != "auroc" or self.auroc_apart is None or self.n_minority <= 1:
            return variance, variance, df
        by_class = self.auroc_apart[:, first, second]
        has_spread = (by_class.sum(axis=0) > resolved) & ~np.isnan(variance)
        tested = np.where(has_spread, by_class.sum(axis=0), variance)
        each_df = np.subtract(self.counts, 1).reshape(2, *[1] * (by_class.ndim - 1))
        with np.errstate(all="ignore"):
            satterthwaite = np.floor(tested**2 / np.sum(by_class**2 / each_df, axis=0))
        return variance, tested, np.where(has_spread, np.fmax(satterthwaite, df), df)

    def _on_logit(self, k: int, models: Models, reach: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        area, floor = self.areas[models, k], self.floor[k]
        room, share = 1 - floor, np.clip((area - floor) / (1 - floor), 0.0, 1.0)
        inside = (share > 0) & (share < 1)
        centre = np.where(inside, share, 0.5)
        # at 1 or the floor the logit says nothing, and only what the class counts leave possible bounds the area
        shift = np.where(
            inside, reach * np.sqrt(self.variance[k, models]) / room / (centre * (1 - centre)), np.inf
        )
        odds = (1 - centre) / centre
        with np.errstate(over="ignore"):
            low, high = (1 / (1 + np.exp(np.clip(side * shift, -700.0, 700.0)) * odds) for side in (1, -1))
        lowest, highest = self.possible_shares(k, share, reach)
        low, high = np.minimum(np.maximum(low, lowest), share), np.maximum(np.minimum(high, highest), share)
        return floor + room * low, floor + room * high

    def possible_shares(
        self, k: int, share: np.ndarray, reach: float | np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """What the class counts leave possible of area k, as the share of the room above the floor that it fills.

        The wider of two: Wilson's limits for a share of as many units as hold the rarer class, since the variance of
        AUROC is at most A (1 - A) / min(P, N) (Birnbaum and Klose 1957); and what `extremes` make of a perfect, or a
        worst, ranking, in proportion.
        """
        if self.n_minority <= 1:  # one row has all the weight
            return np.zeros_like(share), np.ones_like(share)
        square = np.square(reach) / self.n_minority
        half_width = np.sqrt(square * share * (1 - share) + square**2 / 4)
        wilson = [(share + square / 2 + side * half_width) / (1 + square) for side in (-1, 1)]
        chance = np.maximum(t_tail(reach, self.n_minority - 1), 1e-300) / 2
        perfect, worst = self._shares_at_the_ends(k, chance)
        return np.minimum(wilson[0], share * perfect), np.maximum(wilson[1], 1 - (1 - share) * (1 - worst))

    def _shares_at_the_ends(self, k: int, chance: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of a perfect ranking the least share, of a worst one the largest, if all missed a kind by this chance."""
        u, v = (1 - chance ** (1 / count) for count in self.counts or (self.n_minority, self.n_minority))
        if AREAS[k] == "auroc":
            return (1 - u) * (1 - v), 1 - (1 - u) * (1 - v)
        # integrals over recall: of average precision, whose steps lie above, a bound
        P, N = self.prevalence, 1 - self.prevalence
        above, below = np.maximum(v * N, 1e-300), (1 - v) * N
        missed = np.maximum((1 - u) * P, 0.0)
        perfect = (missed - above * np.log1p(missed / above) + u * P + N * np.log1p(-u * P)) / P
        worst = u + (missed - below * np.log((P + below) / (u * P + below))) / P
        minimum = 0.0 if AREAS[k] == "average_precision" else aucpr_min(P)
        return (perfect - minimum) / (1 - minimum), (worst - minimum) / (1 - minimum)


def spread(
    sample: Sample, source: str, seed: Seed = 1, draws: int | None = None, ks: Sequence[int] = ALL_AREAS
) -> Spreads:
    """The spread of the areas `ks`; that of others is NaN."""
    rankings, prevalence = tied_groups(sample.y_true, sample.scores), sample.reference_prevalence()
    areas = areas_of_groups(rankings, sample.weight, prevalence)
    sources = ("halves", "padded") if source == "larger" else (source,)
    covariances = np.full((len(sources), len(AREAS), len(areas), len(areas)), np.nan)
    for source_covariance, kind in zip(covariances, sources, strict=True):
        source_covariance[list(ks)] = covariance(sample, kind, rankings, seed, draws, ks)
    variances = covariances.diagonal(axis1=2, axis2=3)
    apart = variances[..., :, None] + variances[..., None, :] - 2 * covariances
    with np.errstate(all="ignore"):
        correlation = np.nan_to_num(
            covariances[0] / np.sqrt(variances[0][:, :, None] * variances[0][:, None])
        )
    counts = sample.effective_counts()
    auroc_apart = None
    if source == "larger" and 0 in ks:
        auroc_apart = auroc_apart_by_class(sample, rankings)
    return Spreads(
        areas=areas,
        variance=variances.max(axis=0),
        apart=apart.max(axis=0),
        correlation=correlation,
        prevalence=prevalence,
        floor=least_areas(prevalence),
        n_minority=min(counts),
        reaches_further=source != "influence",
        counts=counts,
        auroc_apart=auroc_apart,
    )


def auroc_apart_by_class(sample: Sample, rankings: TiedGroups) -> np.ndarray:
    """(2, m, m) what units with a positive, and others, add to the variance of differences (DeLong et al. 1988)."""
    unit, stratum = sample.units()
    [influences] = unit_influences(sample, rankings, sample.y_true, sample.weights_at_prevalence(), [0])
    holds_positive = np.bincount(unit, sample.y_true, len(stratum)) > 0
    products = [part @ part.T for part in (influences[:, holds_positive], influences[:, ~holds_positive])]
    variances = [product.diagonal() for product in products]
    return np.stack([v[:, None] + v - 2 * c for v, c in zip(variances, products, strict=True)])


def least_areas(prevalence: float) -> tuple[float, ...]:
    """The least areas at a prevalence; of average precision a number below."""
    return 0.0, aucpr_min(prevalence), (1 - 1 / prevalence) / 2, 0.0, 0.0


def covariance(
    sample: Sample,
    source: str,
    rankings: TiedGroups,
    seed: Seed = 1,
    draws: int | None = None,
    ks: Sequence[int] = ALL_AREAS,
) -> np.ndarray:
    """(len(ks), m, m) of the areas `ks`."""
    if source == "halves":
        rng = _generator(seed)
        if draws is None and _halves_are_costly(sample):
            return _of_controlled_halves(sample, rankings, rng, ks)
        return _of_halves(sample, rankings, rng, draws or HALVES, ks)
    weight, y = sample.weights_at_prevalence(), sample.y_true
    if source == "padded":
        rankings, y = with_four_rows(rankings), np.r_[y, True, True, False, False]
        weight = np.r_[weight, np.repeat(sample.weights_of_one_more(), 2) / 2]
    sums = unit_influences(sample, rankings, y, weight, ks)
    return sums @ sums.transpose(0, 2, 1)


def _generator(seed: Seed) -> np.random.Generator:
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise ValueError(f"seed must be a whole number of at least 0, not {seed!r:.60}") from None


def unit_influences(
    sample: Sample, rankings: TiedGroups, y: np.ndarray, weight: np.ndarray, ks: Sequence[int] = ALL_AREAS
) -> np.ndarray:
    """(len(ks), m, units) what each unit does to the areas; rows beyond the sample's are units of their own."""
    unit, stratum = sample.units()
    n_further, n_units = len(weight) - len(unit), len(stratum)
    unit = np.r_[unit, n_units + np.arange(n_further)]
    size = np.bincount(stratum)
    scale = np.sqrt(size / np.maximum(size - 1, 1))[stratum]
    shifts = np.zeros((len(AREAS), len(rankings.cells)))
    if not sample.keeps_class_counts():
        # influences keep the prevalence: what a row does to that, and that to the areas
        prevalence = sample.reference_prevalence()
        step = 1e-4 * prevalence * (1 - prevalence)
        above, below = (areas_of_groups(rankings, weight, prevalence + change) for change in (step, -step))
        shifts = ((above - below) / (2 * step)).T
        excess = np.bincount(unit, weight * (y - prevalence), n_units + n_further) / weight.sum()
    weighted_rankings = weighted(rankings, weight)
    sums = np.empty((len(ks), len(shifts[0]), n_units + n_further))
    for model, cells in enumerate(rankings.cells):
        table = influence(weighted_rankings, model)
        for i, k in enumerate(ks):
            of_rows = weight * table[k][cells]
            sums[i, model] = of_rows if sample.groups is None else np.bincount(unit, of_rows, sums.shape[2])
            if not sample.keeps_class_counts():
                sums[i, model] += shifts[k, model] * excess
            unit_sums = sums[i, model, :n_units]
            unit_sums -= (np.bincount(stratum, unit_sums) / np.maximum(size, 1))[stratum]
            unit_sums *= scale
    return sums


def _of_halves(
    sample: Sample, rankings: TiedGroups, rng: np.random.Generator, draws: int, ks: Sequence[int]
) -> np.ndarray:
    prevalence = sample.reference_prevalence() if sample.keeps_class_counts() else None
    areas = areas_of_groups(rankings, sample.weight, prevalence)
    squares = np.zeros((len(ks), *[len(areas)] * 2))
    for weights in half_samples(sample, draws, rng):
        deviation = _by_area(areas_of_groups(rankings, weights, prevalence) - areas, ks)
        squares += deviation @ deviation.transpose(0, 2, 1)
    return squares / draws


def _by_area(areas_of_draws: np.ndarray, ks: Sequence[int]) -> np.ndarray:
    """(len(ks), m, draws) of (draws, m, 5)."""
    return np.ascontiguousarray(areas_of_draws.transpose(2, 1, 0)[list(ks)])


def _halves_are_costly(sample: Sample) -> bool:
    kept_whole = sample.groups is not None or sample.folds is not None or not sample.keeps_class_counts()
    if kept_whole or sample.scores.size > INFLUENCE_CELLS:
        return False
    return len(sample.y_true) >= MANY_ROWS or min(sample.class_counts()) >= MANY_OF_CLASS


def _of_controlled_halves(
    sample: Sample, rankings: TiedGroups, rng: np.random.Generator, ks: Sequence[int]
) -> np.ndarray:
    """As by many halves, from few: the first-order part of a half's deviation, whose covariance is known, is a control.

    A row of a class of many is in the half by the toss of a coin; a small class is halved exactly. Where the control
    fits one of the models badly, the few halves count alone, for all models alike.
    """
    y, prevalence = sample.y_true, sample.reference_prevalence()
    areas = areas_of_groups(rankings, sample.weight, prevalence)
    draws = int(np.clip(CONTROLLED_RARER // min(sample.class_counts()), *CONTROLLED_DRAWS))
    draws = min(draws, max(50, CONTROLLED_CELLS // sample.scores.size))
    influences = unit_influences(sample, rankings, y, sample.weights_at_prevalence(), ks)
    covariances = influences @ influences.transpose(0, 2, 1)
    for in_class in (y, ~y):
        if (n := np.count_nonzero(in_class)) < MANY_OF_CLASS:
            # as of a sample without replacement, half of exactly so many rows varies n / (n - 1) times as far as coins
            influences[:, :, in_class] *= math.sqrt((n - 1) / n)
    row, multiplicity = _rows_alike(sample, rankings)
    kinds = rankings._replace(cells=rankings.cells.take(row, axis=1))
    kind_influences = influences[:, :, row]
    weight = None if sample.weight is None else sample.weight[row]
    squares, controls = np.zeros((2, *covariances.shape))
    remainder, at_once = np.zeros(covariances.shape[:2]), max(1, CELLS_AT_ONCE // len(row))
    for start in range(0, draws, at_once):
        counts = _random_counts(y[row], multiplicity, min(at_once, draws - start), rng)
        halved = areas_of_groups(kinds, counts if weight is None else counts * weight, prevalence)
        deviation, first_order = _by_area(halved - areas, ks), kind_influences @ (2 * counts - multiplicity).T
        squares += deviation @ deviation.transpose(0, 2, 1)
        controls += first_order @ first_order.transpose(0, 2, 1)
        remainder += np.sum((deviation - first_order) ** 2, axis=2)
    # near a perfect ranking, for example, the remainder is large and the control would add noise
    control_helps = (remainder <= LARGEST_REMAINDER * controls.diagonal(axis1=1, axis2=2)).all(axis=1)
    return squares / draws + np.where(control_helps[:, None, None], covariances - controls / draws, 0.0)


def _rows_alike(sample: Sample, rankings: TiedGroups) -> tuple[np.ndarray, np.ndarray]:
    """A row of each kind that all models rank alike, and how many there are of it.

    Where positives are few, so are the kinds of negatives. Rows of a small class stay apart, to be halved exactly.
    """
    n, kind = len(sample.y_true), np.zeros(len(sample.y_true), dtype=np.int64)
    singles = np.arange(n), np.ones(n)
    if sample.weight is not None:
        return singles
    for cells in rankings.cells:
        kind = kind * (int(cells.max()) + 1) + cells
        if len(rankings.cells) > 1:
            kind = np.unique(kind, return_inverse=True)[1]
        if 4 * kind.max() > n:
            return singles
    for in_class in (sample.y_true, ~sample.y_true):
        if np.count_nonzero(in_class) < MANY_OF_CLASS:
            kind[in_class] = kind.max() + 1 + np.arange(np.count_nonzero(in_class))
    size, row = np.bincount(kind), np.empty(kind.max() + 1, dtype=int)
    row[kind] = singles[0]
    return row[size > 0], size[size > 0].astype(float)


def _random_counts(y: np.ndarray, size: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """(draws, kinds) how many rows of each kind are in a random half."""
    if size.max() > 1:
        counts = rng.binomial(size.astype(np.int64), 0.5, (draws, len(y))).astype(float)
    else:
        bits = rng.integers(256, size=(draws, -(-len(y) // 8)), dtype=np.uint8)
        counts = np.unpackbits(bits, axis=1)[:, : len(y)].astype(float)
    for in_class in (y, ~y):
        if size[in_class].sum() < MANY_OF_CLASS:
            counts[:, in_class] = random_halves(np.zeros(np.count_nonzero(in_class), dtype=int), draws, rng)
    return counts


def extremes(
    sample: Sample, level: float, counts: Sequence[int] = (), rankings: TiedGroups | None = None
) -> np.ndarray:
    """(2, m, 5): the least and the largest areas of a population of which a sample without spread may come.

    `counts` of units hold a positive and a negative, where a row of the sample stands for several.
    Of the units that hold a class, so many may rank otherwise as all have missed with probability (1 - level) / 4: they
    are put at the end of the ranking where they do most harm, or good.
    """
    shares = largest_unseen_shares(level, counts or sample.class_counts())
    positives, negatives = np.multiply(shares, sample.class_weights())
    remaining = sample.weights_at_prevalence() * np.where(sample.y_true, 1 - shares[0], 1 - shares[1])
    weights = [np.r_[remaining, 0, positives, negatives, 0], np.r_[remaining, positives, 0, 0, negatives]]
    rankings = with_four_rows(rankings or tied_groups(sample.y_true, sample.scores))
    return areas_of_groups(rankings, np.stack(weights), sample.reference_prevalence())


def largest_unseen_shares(level: float, counts: Sequence[int]) -> list[float]:
    """The largest shares of a class that so many units may all have missed, with probability (1 - level) / 4 each."""
    return [1 - ((1 - level) / 4) ** (1 / count) for count in counts]
