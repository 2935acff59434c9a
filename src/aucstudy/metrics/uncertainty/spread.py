"""The spread of areas in other samples, (co)variances of models, and the limits that follow.

It is that of *influence* functions (for AUROC, DeLong et al. 1988), of those of a *padded* sample, with one more
positive and negative, each half at the top and half at the bottom, or of random *halves* of the rows: the area of a
half varies around that of the sample as the sample's varies around the population's. *larger* is the larger of the last
two. Limits are Student's with a degree of freedom less than rows of the rarer class; *delong* has normal ones.

Limits by halves and padding reach further, but for AUPRG. One model's lower limit is the lower one of Student's and
that on the logit of the area between its least and largest value, never beyond 1.5 times Student's reach. Of a
difference the end on the side of 0, and so the test, is Student's, for AUROC of *larger* with DeLong's variance and
Satterthwaite's (1946) degrees of freedom; the other end is the wider of Student's and what both models' limits on the
logit leave (Zou and Donner 2008).

Without any spread (a perfect or constant ranking) the limits are the `extremes`.
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
    """The probability that Student's t exceeds t >= 0; without scipy, which the metrics do not need."""
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
    """What |t| exceeds with probability 1 - level."""
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


t_quantiles = np.vectorize(t_quantile, otypes=[float])


class Spreads(NamedTuple):
    """Of m models: `areas` (m, 5), `variance` (5, m), `variance_of_difference` and `correlation` (5, m, m).

    At `prevalence` the least areas are `floor` (5,). `counts` of units hold a positive and a negative, `n_minority` the
    rarer one. Of source "larger" the correlation is that of halves, and `auroc_variance_by_class` (2, m, m) is what the
    positives and the negatives add to DeLong's variance of a difference.
    """

    areas: np.ndarray
    variance: np.ndarray
    variance_of_difference: np.ndarray
    correlation: np.ndarray
    prevalence: float
    floor: tuple[float, ...]
    n_minority: float
    source: str
    counts: tuple[float, float] | None = None
    auroc_variance_by_class: np.ndarray | None = None

    @property
    def df(self) -> float:
        return math.inf if self.source == "delong" else self.n_minority - 1

    def _reaches_further(self, k: int) -> bool:
        return self.source not in ("delong", "influence") and AREAS[k] != "auprg"

    def select(self, models: Sequence[int]) -> "Spreads":
        pair_fields = "variance_of_difference", "correlation", "auroc_variance_by_class"
        matrices = {name: getattr(self, name) for name in pair_fields}
        pairs = {name: None if m is None else m[:, models][:, :, models] for name, m in matrices.items()}
        return self._replace(areas=self.areas[models], variance=self.variance[:, models], **pairs)

    def covariance(self, k: int) -> np.ndarray:
        """(m, m) of area k, by which differences are tested."""
        models, variance = np.arange(len(self.areas)), self.variance[k]
        _, tested, _ = self._variances_of_difference(k, models[:, None], models)
        return (variance[:, None] + variance - np.nan_to_num(tested)) / 2

    def limits(self, k: int, model: int, level: float) -> tuple[float, float] | None:
        """The limits of area k; None without any spread."""
        reach = t_quantile(level, self.df)
        area, sd, floor = self.areas[model, k], math.sqrt(self.variance[k, model]), self.floor[k]
        if AREAS[k] == "auprg" and self.n_minority * self.prevalence < 1:
            return floor, 1.0
        if sd <= ROUNDING:
            return None
        low = area - reach * sd
        if self._reaches_further(k) and floor < area < 1:
            low = max(min(low, float(self._on_logit(k, model, reach)[0])), area - STRETCH * reach * sd)
        return max(low, floor), min(area + reach * sd, 1.0)

    def limits_of_difference(self, k: int, first: Models, second: Models, level: float) -> np.ndarray:
        """(2, ...) limits of the first models' areas less the second's; NaN where the difference has no spread."""
        a, b, reach = self.areas[first, k], self.areas[second, k], t_quantile(level, self.df)
        variance, tested, df_tested = self._variances_of_difference(k, first, second)
        sd, tested_reach = np.sqrt(variance), np.sqrt(tested) * t_quantiles(level, df_tested)
        down, up = np.where(a > b, tested_reach, reach * sd), np.where(a < b, tested_reach, reach * sd)
        if self._reaches_further(k):
            (low_a, high_a), (low_b, high_b) = (
                self._on_logit(k, models, reach) for models in (first, second)
            )
            twice_correlation = 2 * self.correlation[k, first, second]
            sides = (a - low_a, high_b - b), (high_a - a, b - low_b)
            squared_reaches = (x * x + y * y - twice_correlation * x * y for x, y in sides)
            far_down, far_up = (np.sqrt(np.maximum(squared_reach, 0.0)) for squared_reach in squared_reaches)
            down, up = (
                np.where(a > b, down, np.maximum(down, far_down)),
                np.where(a < b, up, np.maximum(up, far_up)),
            )
        widest = 1 - self.floor[k]
        return np.stack([np.maximum(a - b - down, -widest), np.minimum(a - b + up, widest)])

    def p_of_difference(self, k: int, first: Models, second: Models) -> np.ndarray:
        """Two-sided; NaN without any spread."""
        difference = self.areas[first, k] - self.areas[second, k]
        _, variance, df_tested = self._variances_of_difference(k, first, second)
        return 2 * t_tail(np.abs(difference) / np.sqrt(variance), df_tested)

    def _variances_of_difference(
        self, k: int, first: Models, second: Models
    ) -> tuple[np.ndarray, np.ndarray, float | np.ndarray]:
        """The variance of a difference, that by which it is tested, and its degrees of freedom; NaN without any."""
        variance = self.variance_of_difference[k, first, second]
        separate = self.variance[k, first] + self.variance[k, second]
        resolved = np.maximum(RESOLUTION * separate, ROUNDING**2)
        variance = np.where(variance > resolved, variance, np.nan)
        if AREAS[k] != "auroc" or self.auroc_variance_by_class is None or self.n_minority <= 1:
            return variance, variance, self.df
        by_class = self.auroc_variance_by_class[:, first, second]
        has_spread = (by_class.sum(axis=0) > resolved) & ~np.isnan(variance)
        tested = np.where(has_spread, by_class.sum(axis=0), variance)
        each_df = np.subtract(self.counts, 1).reshape(2, *[1] * (by_class.ndim - 1))
        with np.errstate(all="ignore"):
            satterthwaite = np.floor(tested**2 / np.sum(by_class**2 / each_df, axis=0))
        return variance, tested, np.where(has_spread, np.fmax(satterthwaite, self.df), self.df)

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
        """The limits that the class counts leave to the `share` of the room above its floor that area k fills.

        The wider of Wilson's for a share of n_minority units, as the variance of AUROC is at most A (1 - A) / min(P, N)
        (Birnbaum and Klose 1957), and what `extremes` make of a perfect, or a worst, ranking.
        """
        if self.n_minority <= 1:  # one row has all the weight
            return np.zeros_like(share), np.ones_like(share)
        square = np.square(reach) / self.n_minority
        half_width = np.sqrt(square * share * (1 - share) + square**2 / 4)
        wilson = [(share + square / 2 + side * half_width) / (1 + square) for side in (-1, 1)]
        chance = np.maximum(t_tail(reach, self.df), 1e-300) / 2
        perfect, worst = self._shares_at_the_ends(k, chance)
        return np.minimum(wilson[0], share * perfect), np.maximum(wilson[1], 1 - (1 - share) * (1 - worst))

    def _shares_at_the_ends(self, k: int, chance: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A perfect ranking's least share, a worst one's largest, where `chance` hides rows at the other end."""
        hidden_share_of_positives, hidden_share_of_negatives = (
            1 - chance ** (1 / count) for count in self.counts or (self.n_minority, self.n_minority)
        )
        if AREAS[k] == "auroc":
            seen_pairs = (1 - hidden_share_of_positives) * (1 - hidden_share_of_negatives)
            return seen_pairs, 1 - seen_pairs
        # integrals over recall: of average precision, whose steps lie above, a bound
        P, N = self.prevalence, 1 - self.prevalence
        hidden_positives = hidden_share_of_positives * P
        seen_positives = np.maximum((1 - hidden_share_of_positives) * P, 0.0)
        hidden_negatives = np.maximum(hidden_share_of_negatives * N, 1e-300)
        seen_negatives = (1 - hidden_share_of_negatives) * N
        perfect = seen_positives - hidden_negatives * np.log1p(seen_positives / hidden_negatives)
        perfect = (perfect + hidden_positives + N * np.log1p(-hidden_positives)) / P
        log_ratio = np.log((P + seen_negatives) / (hidden_positives + seen_negatives))
        worst = hidden_share_of_positives + (seen_positives - seen_negatives * log_ratio) / P
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
    covariances[:, list(ks)] = [covariance(sample, kind, rankings, seed, draws, ks) for kind in sources]
    variances = covariances.diagonal(axis1=2, axis2=3)
    variance_of_difference = variances[..., :, None] + variances[..., None, :] - 2 * covariances
    with np.errstate(all="ignore"):
        correlation = np.nan_to_num(
            covariances[0] / np.sqrt(variances[0][:, :, None] * variances[0][:, None])
        )
    counts = sample.effective_counts()
    by_class = auroc_variances_by_class(sample, rankings) if source == "larger" and 0 in ks else None
    return Spreads(
        areas=areas,
        variance=variances.max(axis=0),
        variance_of_difference=variance_of_difference.max(axis=0),
        correlation=correlation,
        prevalence=prevalence,
        floor=least_areas(prevalence),
        n_minority=min(counts),
        source=source,
        counts=counts,
        auroc_variance_by_class=by_class,
    )


def spreads_of_variance(
    areas: np.ndarray, variance: np.ndarray, prevalence: float, n_minority: float
) -> Spreads:
    """Of influence functions, without the spread of differences."""
    no_pairs = np.empty(0)
    return Spreads(
        areas, variance, no_pairs, no_pairs, prevalence, least_areas(prevalence), n_minority, "influence"
    )


def auroc_variances_by_class(sample: Sample, rankings: TiedGroups) -> np.ndarray:
    """(2, m, m) what units with a positive, and others, add to DeLong's variance of differences."""
    unit, stratum = sample.units()
    [influences] = unit_influences(sample, rankings, sample.y_true, sample.weights_at_prevalence(), [0])
    holds_positive = np.bincount(unit, sample.y_true, len(stratum)) > 0
    by_class = (influences[:, side] for side in (holds_positive, ~holds_positive))
    products = [units @ units.T for units in by_class]
    variances = [product.diagonal() for product in products]
    return np.stack([v[:, None] + v - 2 * c for v, c in zip(variances, products, strict=True)])


def least_areas(prevalence: float) -> tuple[float, ...]:
    """The least areas at a prevalence; of average precision a bound."""
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
    """(len(ks), m, units) influences; rows beyond the sample's are units of their own."""
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
    by_class_alone = sample.groups is None and sample.folds is None and sample.keeps_class_counts()
    if not by_class_alone or sample.scores.size > INFLUENCE_CELLS:
        return False
    return len(sample.y_true) >= MANY_ROWS or min(sample.class_counts()) >= MANY_OF_CLASS


def _of_controlled_halves(
    sample: Sample, rankings: TiedGroups, rng: np.random.Generator, ks: Sequence[int]
) -> np.ndarray:
    """As `_of_halves`, from few: a half's deviation to first order, whose covariance is known, is a control variate.

    Coins halve a class of many rows, a small one is halved exactly. A control that fits any model badly is left out.
    """
    y, prevalence = sample.y_true, sample.reference_prevalence()
    areas = areas_of_groups(rankings, sample.weight, prevalence)
    draws = int(np.clip(CONTROLLED_RARER // min(sample.class_counts()), *CONTROLLED_DRAWS))
    draws = min(draws, max(50, CONTROLLED_CELLS // sample.scores.size))
    influences = unit_influences(sample, rankings, y, sample.weights_at_prevalence(), ks)
    covariances = influences @ influences.transpose(0, 2, 1)
    for in_class in (y, ~y):
        if (n := np.count_nonzero(in_class)) < MANY_OF_CLASS:
            # exactly half of n rows has n / (n - 1) times the variance of coins: its influences are scaled down
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
    """A row of each kind that all models rank alike, and how many there are; a small class stays apart."""
    n = len(sample.y_true)
    kind, singles = np.zeros(n, dtype=np.int64), (np.arange(n), np.ones(n))
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


def extremes(sample: Sample, level: float, rankings: TiedGroups | None = None) -> np.ndarray:
    """(2, m, 5): the least and the largest areas of a population of which a sample without spread may come.

    The `largest_unseen_shares` of each class are put at the end of the ranking where they do most harm, or good.
    """
    shares = largest_unseen_shares(level, sample.class_counts())
    positives, negatives = np.multiply(shares, sample.class_weights())
    remaining = sample.weights_at_prevalence() * np.where(sample.y_true, 1 - shares[0], 1 - shares[1])
    weights = [np.r_[remaining, 0, positives, negatives, 0], np.r_[remaining, positives, 0, 0, negatives]]
    rankings = with_four_rows(rankings or tied_groups(sample.y_true, sample.scores))
    return areas_of_groups(rankings, np.stack(weights), sample.reference_prevalence())


def largest_unseen_shares(level: float, counts: Sequence[int]) -> list[float]:
    """The shares of a class that all of so many units miss with probability (1 - level) / 4."""
    return [1 - ((1 - level) / 4) ** (1 / count) for count in counts]
