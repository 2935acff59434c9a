"""Intervals of one model's area and of the difference of two, at the observed class counts.

The spread of an area comes from *influence* functions (for AUROC, those of DeLong et al. 1988), from those of a
*padded* sample, with one more positive and one more negative, each half at the top and half at the bottom, or from
random *halves* of the rows, whose areas lie around that of all rows as this does around the population's. *Larger* is
the larger of the last two. Limits are Student's, with as many degrees of freedom as rows of the rarer class, less one.

Two of them reach further. The lower limit of one model is that on the logit of the area between the least and the
largest possible, where this is lower, up to half as far again. Of a difference the end that is farther from 0 covers
what the limits of both models on the logit leave (Zou and Donner 2008); the end nearer 0, and so the test, is
Student's. AUPRG and influence functions have Student's, or normal, limits alone. `benchmarks/area_intervals_edges.py`
chose among these and others by simulation, and docs/metrics.md says what they cover.

Where the rows show no spread (a perfect or constant ranking), the limits are the `extremes`.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.area_names import AREAS
from aucstudy.metrics import inputs
from aucstudy.metrics.areas import Areas
from aucstudy.metrics.bounds import aucpr_min
from aucstudy.metrics.tied_groups import TiedGroups, areas_of_groups, influence, tied_groups, weighted

METHODS = ("delong", "influence", "padded", "halves", "larger")
# from so many rows of the rarer class on, and of positives up to where recall gain is 0, influence functions do as well
RARER_CLASS, BELOW_GAIN_ZERO = 1000, 100
HALVES = 500
MANY_ROWS, MANY_OF_CLASS = 20_000, 100  # from where on halves are drawn by coins and controlled
CONTROLLED = 30, 200  # such halves, least and most; below the most about 30,000 by the rarer class
CONTROLLED_CELLS = 400_000_000  # rows x models x halves, beyond which they are 50
LARGEST_REST = 0.25  # of the control's variance
INFLUENCE_CELLS = 20_000_000  # rows x models whose influences are held for it
CELLS_AT_ONCE = 4_000_000  # rows x halves: bounds the memory
STRETCH = 1.5  # of Student's reach, which a lower limit on the logit may use
ROUNDING = 1e-10  # a standard error below is 0
RESOLUTION = 1e-13  # of two variances, to which the variance of a difference is known
LEAST_P = 1e-15
PAIRS_AT_ONCE = 20_000


Seed = int | np.random.Generator
Models = int | np.ndarray
Limits = Sequence[tuple[float, float]]  # of each area


class Interval(NamedTuple):
    estimate: float
    low: float
    high: float


class Comparison(NamedTuple):
    estimate: float
    low: float
    high: float
    p: float


class ModelComparison(NamedTuple):
    first: str
    second: str
    estimate: float
    low: float
    high: float
    p: float
    p_adjusted: float


class Sample(NamedTuple):
    """m models' scores (n, m) of the same rows; `groups` and `folds` are numbers from 0 or None.

    `cases`: the groups are cases of one label each, whose rows are repeats.
    """

    y_true: np.ndarray
    scores: np.ndarray
    weight: np.ndarray | None = None
    prevalence: float | None = None
    groups: np.ndarray | None = None
    folds: np.ndarray | None = None
    sampling: str = "classes"
    cases: bool = False

    def by_class(self) -> bool:
        """At a given prevalence it is of no account how many of each class there happen to be."""
        return self.sampling == "classes" or self.prevalence is not None

    def units(self) -> tuple[np.ndarray, np.ndarray]:
        """(n,) the unit of each row, itself or its group, and the stratum of each unit."""
        if self.groups is None:
            folds = np.zeros(len(self.y_true), dtype=int) if self.folds is None else self.folds
            return np.arange(len(self.y_true)), 2 * folds + (self.y_true & self.by_class())
        return self.groups, ((np.bincount(self.groups, self.y_true) > 0) & self.by_class()).astype(int)

    def holding(self) -> tuple[int, int]:
        """How many units hold a positive, and how many a negative."""
        return groups_with_either(self.y_true, self.units()[0])

    def effective_counts(self) -> tuple[float, float]:
        """How many units hold a positive and a negative; where weights differ, how many of equal weight (Kish 1965)."""
        unit, _ = self.units()
        by_class = (np.bincount(unit, self.weights() * side) for side in (self.y_true, ~self.y_true))
        return tuple(float(weight.sum() ** 2 / np.sum(weight**2)) for weight in by_class)

    def rarer(self) -> float:
        """The effective count of the rarer class."""
        return min(self.effective_counts())

    def weights(self) -> np.ndarray:
        return np.ones(len(self.y_true)) if self.weight is None else self.weight

    def at(self) -> float:
        """The prevalence that the areas are of."""
        weight = self.weights()
        return self.prevalence or float(weight[self.y_true].sum() / weight.sum())


def groups_with_either(y_true: np.ndarray, groups: np.ndarray) -> tuple[int, int]:
    """How many groups hold a positive, and how many a negative.

    >>> groups_with_either(np.array([True, False, False]), np.array([0, 0, 1]))
    (1, 2)
    """
    return tuple(int(np.count_nonzero(np.bincount(groups, side))) for side in (y_true, ~y_true))


class Spreads(NamedTuple):
    """Of m models: `areas` (m, 5), `variance` (5, m), that of differences `apart` (5, m, m), `correlation` (5, m, m).

    They are `at` a prevalence, where `floor` (5,) are the least areas; `rarer` units hold the class that fewer hold;
    `moved` says how limits of differences are made. `counts` of units hold a positive and a negative.
    """

    areas: np.ndarray
    variance: np.ndarray
    apart: np.ndarray
    correlation: np.ndarray
    at: float
    floor: tuple[float, ...]
    rarer: float
    moved: bool
    counts: tuple[float, float] | None = None

    def of(self, models: Sequence[int]) -> "Spreads":
        pairs = (matrix[:, models][:, :, models] for matrix in (self.apart, self.correlation))
        apart, correlation = pairs
        areas, variance = self.areas[models], self.variance[:, models]
        return self._replace(areas=areas, variance=variance, apart=apart, correlation=correlation)

    def one(self, k: int, model: int, reach: float) -> tuple[float, float] | None:
        """The limits of area k that lie `reach` standard errors away; None without any spread."""
        area, sd, floor = self.areas[model, k], math.sqrt(self.variance[k, model]), self.floor[k]
        if AREAS[k] == "auprg" and self.rarer * self.at < 1:
            return floor, 1.0
        if sd <= ROUNDING:
            return None
        low = area - reach * sd
        if self.moved and AREAS[k] != "auprg" and floor < area < 1:
            low = max(min(low, float(self._on_logit(k, model, reach)[0])), area - STRETCH * reach * sd)
        return max(low, floor), min(area + reach * sd, 1.0)

    def difference(self, k: int, first: Models, second: Models, reach: float | np.ndarray) -> np.ndarray:
        """Likewise (2, ...), of the first models' areas less the second's; NaN without any spread.

        The end nearer 0, which the test goes by, is Student's. The other end is the wider of that and of what the
        limits of both models leave, as far as these do not move together (Zou and Donner 2008).
        """
        a, b = self.areas[first, k], self.areas[second, k]
        sd = self._sd_apart(k, first, second)
        down = up = reach * sd
        if self.moved and AREAS[k] != "auprg":
            (low_a, high_a), (low_b, high_b) = (
                self._on_logit(k, models, reach) for models in (first, second)
            )
            both = 2 * self.correlation[k, first, second]
            sides = (a - low_a, high_b - b), (high_a - a, b - low_b)
            far = [np.sqrt(np.maximum(x * x + y * y - both * x * y, 0 * sd)) for x, y in sides]
            down = np.where(a > b, down, np.maximum(down, far[0]))
            up = np.where(a < b, up, np.maximum(up, far[1]))
        widest = 1 - self.floor[k] if self.moved else np.inf
        return np.stack([np.maximum(a - b - down, -widest), np.minimum(a - b + up, widest)])

    def p_of_difference(self, k: int, first: Models, second: Models, df: float) -> np.ndarray:
        """Two-sided; NaN without any spread."""
        difference = self.areas[first, k] - self.areas[second, k]
        return 2 * t_tail(np.abs(difference) / self._sd_apart(k, first, second), df)

    def _sd_apart(self, k: int, first: Models, second: Models) -> np.ndarray:
        """NaN without any spread."""
        variance, separate = self.apart[k, first, second], self.variance[k, first] + self.variance[k, second]
        return np.sqrt(np.where(variance > np.maximum(RESOLUTION * separate, ROUNDING**2), variance, np.nan))

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
        if self.rarer <= 1:  # one row has all the weight
            return np.zeros_like(share), np.ones_like(share)
        square = np.square(reach) / self.rarer
        half_width = np.sqrt(square * share * (1 - share) + square**2 / 4)
        wilson = [(share + square / 2 + side * half_width) / (1 + square) for side in (-1, 1)]
        perfect, worst = self._shares_at_the_ends(k, np.maximum(t_tail(reach, self.rarer - 1), 1e-300) / 2)
        return np.minimum(wilson[0], share * perfect), np.maximum(wilson[1], 1 - (1 - share) * (1 - worst))

    def _shares_at_the_ends(self, k: int, chance: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of a perfect ranking the least share, of a worst one the largest, if all missed a kind by this chance."""
        u, v = (1 - chance ** (1 / count) for count in self.counts or (self.rarer, self.rarer))
        if AREAS[k] == "auroc":
            return (1 - u) * (1 - v), 1 - (1 - u) * (1 - v)
        # integrals over recall: of average precision, whose steps lie above, a bound
        P, N = self.at, 1 - self.at
        above, below = np.maximum(v * N, 1e-300), (1 - v) * N
        missed = np.maximum((1 - u) * P, 0.0)
        perfect = (missed - above * np.log1p(missed / above) + u * P + N * np.log1p(-u * P)) / P
        worst = u + (missed - below * np.log((P + below) / (u * P + below))) / P
        minimum = 0.0 if AREAS[k] == "average_precision" else aucpr_min(self.at)
        return (perfect - minimum) / (1 - minimum), (worst - minimum) / (1 - minimum)


def spread(sample: Sample, source: str, seed: Seed = 1, draws: int | None = None) -> Spreads:
    rankings, prevalence = tied_groups(sample.y_true, sample.scores), sample.at()
    areas = areas_of_groups(rankings, sample.weight, prevalence)
    sources = ("halves", "padded") if source == "larger" else (source,)
    covariances = [covariance(sample, kind, rankings, seed, draws) for kind in sources]
    variances = [kind.diagonal(axis1=1, axis2=2) for kind in covariances]
    apart = [v[:, :, None] + v[:, None] - 2 * kind for v, kind in zip(variances, covariances, strict=True)]
    with np.errstate(all="ignore"):
        correlation = np.nan_to_num(
            covariances[0] / np.sqrt(variances[0][:, :, None] * variances[0][:, None])
        )
    largest = np.max(variances, axis=0), np.max(apart, axis=0)
    counts = sample.effective_counts()
    return Spreads(
        areas,
        *largest,
        correlation,
        prevalence,
        least_areas(prevalence),
        min(counts),
        source != "influence",
        counts,
    )


def least_areas(prevalence: float) -> tuple[float, ...]:
    """The least areas at a prevalence; of average precision a number below."""
    return 0.0, aucpr_min(prevalence), (1 - 1 / prevalence) / 2, 0.0, 0.0


def covariance(
    sample: Sample, source: str, rankings: TiedGroups, seed: Seed = 1, draws: int | None = None
) -> np.ndarray:
    """(5, m, m) of the areas."""
    if source == "halves":
        return _of_halves(sample, rankings, _generator(seed), draws)
    if source == "influence":
        return _of_influences(sample, rankings, sample.y_true, at_prevalence(sample))
    y, scores = with_four_rows(sample)
    half = np.repeat(one_more(sample), 2) / 2
    return _of_influences(sample, tied_groups(y, scores), y, np.r_[at_prevalence(sample), half])


def _generator(seed: Seed) -> np.random.Generator:
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise ValueError(f"seed must be a whole number of at least 0, not {seed!r:.60}") from None


def extremes(sample: Sample, level: float, counts: Sequence[int] = ()) -> np.ndarray:
    """(2, m, 5): the least and the largest areas of a population of which a sample without spread may come.

    `counts` of units hold a positive and a negative, where a row of the sample stands for several.
    Of the units that hold a class, so many may rank otherwise as all have missed with probability (1 - level) / 4: they
    are put at the end of the ranking where they do most harm, or good.
    """
    share = missed(level, counts or sample.holding())
    positives, negatives = (
        fraction * total for fraction, total in zip(share, _class_weights(sample), strict=True)
    )
    remaining = at_prevalence(sample) * np.where(sample.y_true, 1 - share[0], 1 - share[1])
    # the rows of with_four_rows: a positive on top and at the bottom, a negative on top and at the bottom
    weights = [np.r_[remaining, 0, positives, negatives, 0], np.r_[remaining, positives, 0, 0, negatives]]
    y, scores = with_four_rows(sample)
    return areas_of_groups(tied_groups(y, scores), np.stack(weights), sample.at())


def missed(level: float, counts: Sequence[int]) -> list[float]:
    """Of units of a kind the share of which so many have missed all with probability (1 - level) / 4."""
    return [1 - ((1 - level) / 4) ** (1 / count) for count in counts]


def with_four_rows(sample: Sample) -> tuple[np.ndarray, np.ndarray]:
    ranks = np.stack([np.unique(s, return_inverse=True)[1].reshape(-1) for s in sample.scores.T], axis=1)
    ends = [[len(ranks)], [-1]] * 2
    y = np.concatenate([sample.y_true, [True, True, False, False]])
    return y, np.concatenate([ranks, np.broadcast_to(ends, (4, ranks.shape[1]))])


def at_prevalence(sample: Sample) -> np.ndarray:
    """(n,) weights, of which the positives have the share that the areas are of."""
    weight, prevalence = sample.weights(), sample.at()
    P, N = weight[sample.y_true].sum(), weight[~sample.y_true].sum()
    return weight * np.where(sample.y_true, 1.0, P * (1 - prevalence) / (N * prevalence))


def _class_weights(sample: Sample) -> tuple[float, float]:
    weight = at_prevalence(sample)
    return weight[sample.y_true].sum(), weight[~sample.y_true].sum()


def one_more(sample: Sample) -> np.ndarray:
    """(2,) the weights of one more row or group with positives, and of one with negatives."""
    return np.divide(_class_weights(sample), sample.holding())


def _of_influences(sample: Sample, rankings: TiedGroups, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    sums = unit_influences(sample, rankings, y, weight)
    return sums @ sums.transpose(0, 2, 1)


def unit_influences(sample: Sample, rankings: TiedGroups, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """(5, m, units) what each unit does to the areas; rows beyond those of the sample are units of their own."""
    unit, stratum = sample.units()
    further = len(weight) - len(unit)
    unit = np.r_[unit, len(stratum) + np.arange(further)]
    m, counted = len(rankings.places), weighted(rankings, weight)
    sums = np.empty((len(AREAS), m, len(stratum) + further))
    for model in range(m):
        for k, of_place in enumerate(influence(counted, model)):
            sums[k, model] = np.bincount(unit, weight * of_place[rankings.places[model]], sums.shape[-1])
    if not sample.by_class():
        # influences keep the prevalence: what a row does to that, and that to the areas
        prevalence, step = sample.at(), 1e-4 * sample.at() * (1 - sample.at())
        above, below = (areas_of_groups(rankings, weight, prevalence + change) for change in (step, -step))
        shifts = np.bincount(unit, weight * (y - prevalence), sums.shape[-1]) / weight.sum()
        sums += ((above - below) / (2 * step)).T[:, :, None] * shifts
    size, class_sums = np.bincount(stratum), sums[..., : len(stratum)]
    for s in np.flatnonzero(size):
        of_stratum = class_sums[..., stratum == s]
        centred = of_stratum - of_stratum.mean(axis=-1, keepdims=True)
        class_sums[..., stratum == s] = centred * math.sqrt(size[s] / max(size[s] - 1, 1))
    return sums


def _of_halves(
    sample: Sample, rankings: TiedGroups, rng: np.random.Generator, draws: int | None
) -> np.ndarray:
    if draws is None and _halves_are_costly(sample):
        return _of_controlled_halves(sample, rankings, rng)
    draws, prevalence = draws or HALVES, sample.at() if sample.by_class() else None
    areas = areas_of_groups(rankings, sample.weight, prevalence)
    squares = np.zeros((len(AREAS), *[len(areas)] * 2))
    for weights in halved(sample, draws, rng):
        deviation = areas_of_groups(rankings, weights, prevalence) - areas
        deviation = np.ascontiguousarray(deviation.transpose(2, 1, 0))
        squares += deviation @ deviation.transpose(0, 2, 1)
    return squares / draws


def _halves_are_costly(sample: Sample) -> bool:
    kept_whole = sample.groups is not None or sample.folds is not None or not sample.by_class()
    if kept_whole or sample.scores.size > INFLUENCE_CELLS:
        return False
    return len(sample.y_true) >= MANY_ROWS or min(sample.holding()) >= MANY_OF_CLASS


def _of_controlled_halves(sample: Sample, rankings: TiedGroups, rng: np.random.Generator) -> np.ndarray:
    """As by many halves, from few: the first-order part of a half's deviation, whose covariance is known, is a control.

    Of a class of many rows each is in the half by the toss of a coin.
    """
    y, areas = sample.y_true, areas_of_groups(rankings, sample.weight, sample.at())
    draws = int(np.clip(30_000 // min(sample.holding()), *CONTROLLED))
    draws = min(draws, max(50, CONTROLLED_CELLS // sample.scores.size))
    influences = unit_influences(sample, rankings, y, at_prevalence(sample))
    covariances = influences @ influences.transpose(0, 2, 1)
    squares, controls = np.zeros((2, *covariances.shape))
    remainder, at_once = np.zeros(covariances.shape[:2]), max(1, CELLS_AT_ONCE // len(y))
    for start in range(0, draws, at_once):
        size = min(at_once, draws - start)
        half = np.unpackbits(rng.integers(256, size=(size, -(-len(y) // 8)), dtype=np.uint8), axis=1)
        half = half[:, : len(y)].astype(float)
        for of_class in (y, ~y):
            if np.count_nonzero(of_class) < MANY_OF_CLASS:
                half[:, of_class] = halves(np.zeros(np.count_nonzero(of_class), dtype=int), size, rng)
        weights = half if sample.weight is None else half * sample.weight
        deviation = np.ascontiguousarray(
            (areas_of_groups(rankings, weights, sample.at()) - areas).transpose(2, 1, 0)
        )
        first_order = influences @ (2 * half.T - 1)
        squares += deviation @ deviation.transpose(0, 2, 1)
        controls += first_order @ first_order.transpose(0, 2, 1)
        remainder += np.sum((deviation - first_order) ** 2, axis=2)
    # where the rest is large, as near a perfect ranking, the control adds noise
    small = (remainder <= LARGEST_REST * controls.diagonal(axis1=1, axis2=2)).all(axis=1)[:, None, None]
    return squares / draws + np.where(small, covariances - controls / draws, 0.0)


def halved(sample: Sample, draws: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """(some, n) weights of rows in random halves that hold both classes."""
    (unit, stratum), weight, n_drawn = sample.units(), sample.weights(), 0
    at_once = min(draws, max(1, CELLS_AT_ONCE // len(unit)))
    for _ in range(20 * -(-draws // at_once)):
        weights = halves(stratum, at_once, rng)[:, unit] * weight
        # a half of groups, or of a row or two a fold, may lack a class
        usable = (weights[:, sample.y_true].sum(axis=1) > 0) & (weights[:, ~sample.y_true].sum(axis=1) > 0)
        weights = weights[usable][: draws - n_drawn]
        if len(weights):
            yield weights
        n_drawn += len(weights)
        if n_drawn == draws:
            return
    raise ValueError(
        "halves of these groups or folds rarely hold both classes: too few hold a positive or a negative"
    )


def halves(stratum: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """(draws, n) of 0 and 1: half of each stratum; of an odd number the smaller or the larger half, at random."""
    random, size = rng.random((draws, len(stratum))), np.bincount(stratum)
    half = (size + rng.integers(2, size=(draws, len(size)))) // 2
    kept = np.empty(random.shape)
    for s in np.flatnonzero(size):
        in_stratum, fewest, largest = (
            random[:, stratum == s],
            max(half[:, s].min() - 1, 0),
            max(half[:, s].max() - 1, 0),
        )
        last = np.partition(in_stratum, (fewest, largest), axis=1)[np.arange(draws), half[:, s] - 1]
        kept[:, stratum == s] = in_stratum <= np.where(half[:, s] > 0, last, -1.0)[:, None]
    return kept


def t_tail(t: float | np.ndarray, df: float) -> np.ndarray:
    """The chance that Student's t, or with infinite `df` a normal number, exceeds t >= 0; to 1e-14.

    >>> t_tail(2.228139, 10).round(7).tolist(), t_tail(1.959964, math.inf).round(7).tolist()
    (0.025, 0.025)
    """
    if math.isinf(df):
        return np.vectorize(math.erfc, otypes=[float])(np.asarray(t) / math.sqrt(2)) / 2
    # t = tan(angle) sqrt(df): the density is cos(angle) to the power df - 1
    half, (nodes, shares) = np.arctan(np.asarray(t) / math.sqrt(df)) / 2, _nodes()
    density = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi)
    inside = half * density * (np.cos(half[..., None] * (nodes + 1)) ** (df - 1) @ shares)
    return np.maximum(0.5 - inside, 0.0)


@cache
def _nodes() -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(100)


@cache
def t_quantile(level: float, df: float) -> float:
    """What |t| exceeds with the chance 1 - level.

    >>> round(t_quantile(0.95, 10), 6)
    2.228139
    """
    if math.isinf(df):
        return NormalDist().inv_cdf(0.5 + level / 2)
    if df <= 0:  # as of rows of which one has all the weight
        return math.inf
    return float(_last(lambda t: 2 * t_tail(t, df) > 1 - level, np.array(1e12)))


def _last(holds: Callable[[np.ndarray], np.ndarray], high: np.ndarray) -> np.ndarray:
    """The largest numbers up to `high` where what holds from 0 on still does; 0 if it never does."""
    low, middle = np.zeros(high.shape), np.minimum(1.0, high / 2)
    for _ in range(70):
        held = holds(middle)
        low, high = np.where(held, middle, low), np.where(held, high, middle)
        middle = np.where((low > 0) & (2 * low < high), 2 * low, (low + high) / 2)
    return low


def source_of(sample: Sample, area: str, method: str | None, of_difference: bool) -> str:
    if method is not None:
        return "influence" if method == "delong" else method
    if influence_will_do(sample.rarer(), sample.at()):
        return "influence"
    # benchmarks/area_intervals_edges.py
    return "larger" if not of_difference or area == "auroc" else "halves"


def influence_will_do(rarer: float, prevalence: float) -> bool:
    return rarer >= RARER_CLASS and rarer * prevalence >= BELOW_GAIN_ZERO


def of_one(sample: Sample, spreads: Spreads, k: int, model: int, level: float, df: float) -> Interval:
    limits = (
        spreads.one(k, model, t_quantile(level, df))
        or extremes(sample._replace(scores=sample.scores[:, [model]]), level)[:, 0, k]
    )
    return Interval(*map(float, (spreads.areas[model, k], *limits)))


def limits_of_all(sample: Sample, level: float = 0.95, seed: Seed = 1) -> np.ndarray:
    """(m, 5, 2) the limits of every area, as `interval` gives them."""
    # of one model alone the source is that of any area
    spreads = spread(sample, source_of(sample, "aupr", None, False), seed)
    of_each = [
        [of_one(sample, spreads, k, model, level, spreads.rarer - 1)[1:] for k in range(len(AREAS))]
        for model in range(len(spreads.areas))
    ]
    return np.array(of_each)


def limits_of_variance(
    areas: Areas, variance: np.ndarray, counts: Sequence[int], rarer: float, level: float, steps: float
) -> Limits:
    """The limits of every area of one model of which no rows are at hand but `counts` of positives and negatives.

    `steps` is average precision with so many negatives on top as all rows may have missed, and no others.
    """
    prevalence, none = areas.reference_prevalence, np.zeros(0)
    estimate = np.array([areas[: len(AREAS)]]), variance[:, None]
    spreads = Spreads(*estimate, none, none, prevalence, least_areas(prevalence), rarer, moved=False)
    reach = t_quantile(level, spreads.rarer - 1)
    ends = np.array([spreads.floor, np.ones(len(AREAS))])
    if variance[0] <= ROUNDING**2:
        # AUROC has no spread where each class is in one place: above, beside or below the other
        score = np.sign(round(areas.auroc - 0.5, 9))
        weight = np.array([areas.weight_positive, areas.weight - areas.weight_positive])
        pair = Sample(np.array([True, False]), np.array([[score], [0.0]]), weight, prevalence)
        ends = extremes(pair, level, list(counts))[:, 0]
        if score > 0:
            share = missed(level, counts)[0]
            ends[0, 4] = (1 - share) * steps + share * prevalence
    of_each = [spreads.one(k, 0, reach) or ends[:, k] for k in range(len(AREAS))]
    return [(float(low), float(high)) for low, high in of_each]


def of_differences(
    sample: Sample, of: Spreads, k: int, first: np.ndarray, second: np.ndarray, *, level: float, df: float
) -> Comparison:
    """A comparison of each pair of models, (pairs,)."""
    if first.size > PAIRS_AT_ONCE:
        pieces = [
            of_differences(sample, of, k, *pairs, level=level, df=df)
            for pairs in zip(
                *(np.array_split(of, first.size // PAIRS_AT_ONCE + 1) for of in (first, second)), strict=True
            )
        ]
        return Comparison(*map(np.concatenate, zip(*pieces, strict=True)))
    estimate = of.areas[first, k] - of.areas[second, k]
    if of.rarer > 1:
        low, high = of.difference(k, first, second, t_quantile(level, df))
        p = np.where(estimate == 0, 1.0, of.p_of_difference(k, first, second, df))
    else:
        low, high, p = (np.full(first.shape, number) for number in (np.nan, np.nan, 1.0))
    bare = np.flatnonzero(np.isnan(low))
    if bare.size:
        low[bare], high[bare] = _apart(extremes(sample, level), k, first[bare], second[bare])
    for i in bare[(estimate[bare] != 0) & (of.rarer > 1)]:
        pair = sample._replace(scores=sample.scores[:, [first[i], second[i]]])
        last = _last(
            lambda prevalence, pair=pair: _leave_out_0(_apart(extremes(pair, float(prevalence)), k, 0, 1)),
            np.array(1.0),
        )
        p[i] = 1 - last
    return Comparison(estimate, low, high, np.maximum(p, LEAST_P))


def _apart(ends: np.ndarray, k: int, first: Models, second: Models) -> np.ndarray:
    lowest, highest = ends[..., k]
    return np.stack([lowest[first] - highest[second], highest[first] - lowest[second]])


def _leave_out_0(limits: np.ndarray) -> np.ndarray:
    return (limits[0] > 0) | (limits[1] < 0)


def interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    area: str,
    level: float = 0.95,
    method: str | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    folds: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
    sampling: str = "classes",
    seed: int = 1,
) -> Interval:
    """An interval of one model's area.

    Other arguments as for `areas`.

    Parameters
    ----------
    area : {"auroc", "aupr", "auprg", "aucnpr", "average_precision"}
    level : float
        The share of samples whose interval holds the area of the population; docs/metrics.md says what .95 covers.
    method : {"delong", "influence", "padded", "halves", "larger"}, optional
        Without it the one that covered best in simulations, and influence functions from 1,000 rows of each class on.
        "delong" is for `auroc`: DeLong, DeLong and Clarke-Pearson 1988, with normal limits.
    groups : array_like of shape (n,), optional
        Patients, users or documents, whose rows stand or fall together.
    folds : array_like of shape (n,), optional
        The area is of all rows; the numbers of positives and negatives of each fold are kept.
    sampling : {"classes", "rows"}
        Whether another sample has as many positives and negatives, or as many rows.
    seed : int
        Of the random halves.

    Returns
    -------
    Interval
        estimate, low, high. Where the rows show no spread, as with a perfect or constant ranking, the limits are those
        of the populations of which so many rows may look alike. `auprg` with less than one positive up to where recall
        gain is 0 may be anything, and so say its limits.

    Raises
    ------
    ValueError
        As for `areas`; where only one row, or group, is positive or negative: nothing says how others would rank.

    Examples
    --------
    >>> y, score = [1, 0, 1, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    >>> [round(value, 3) for value in interval(y, score, area="auroc", method="delong")]
    [0.688, 0.252, 1.0]
    """
    k = _checked(area, level, method)
    sample = checked_sample(
        y_true, {"y_score": y_score}, sample_weight, groups, folds, pos_label, prevalence, sampling
    )
    spreads = spread(sample, source_of(sample, area, method, False), seed)
    return of_one(sample, spreads, k, 0, level, math.inf if method == "delong" else spreads.rarer - 1)


def compare(
    y_true: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    area: str,
    level: float = 0.95,
    method: str | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    folds: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
    sampling: str = "classes",
    seed: int = 1,
) -> Comparison:
    """The area of scores `a` less that of scores `b` of the same rows, with an interval and a p-value.

    Other arguments and errors as for `interval`.

    Returns
    -------
    Comparison
        estimate, low, high, and p, two-sided: at 1 - p the interval would end at 0. At least 1e-15.

    Examples
    --------
    >>> y, a, b = [1, 0, 1, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1], [5, 1, 2, 8, 7, 3, 6, 4]
    >>> round(compare(y, a, b, area="auroc", method="delong").p, 3)
    1.0
    """
    [of_pair] = compare_models(
        y_true, {"a": a, "b": b}, area=area, level=level, method=method, sample_weight=sample_weight, groups=groups,
        folds=folds, pos_label=pos_label, prevalence=prevalence, sampling=sampling, seed=seed,
    )  # fmt: skip
    return Comparison(of_pair.estimate, of_pair.low, of_pair.high, of_pair.p)


def compare_models(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike],
    *,
    area: str,
    against: str | None = None,
    level: float = 0.95,
    method: str | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    folds: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
    sampling: str = "classes",
    seed: int = 1,
) -> list[ModelComparison]:
    """Compare every two of several models, or every one with the model `against`.

    Other arguments and errors as for `interval`.

    Parameters
    ----------
    scores : the (n,) scores by the name of their model, two or more.

    Returns
    -------
    list of ModelComparison
        first, second, and as of `compare` the first's area less the second's; p_adjusted is for all of these together
        (Holm 1979), the intervals are each its own.

    Examples
    --------
    >>> scores = {"a": [8, 7, 6, 5, 4, 3, 2, 1], "b": [5, 1, 2, 8, 7, 3, 6, 4], "c": [1, 2, 3, 4, 5, 6, 7, 8]}
    >>> for of in compare_models([1, 0, 1, 1, 0, 0, 1, 0], scores, area="auroc", method="delong", against="a"):
    ...     print(of.first, of.second, round(of.estimate, 3), round(of.p, 3), round(of.p_adjusted, 3))
    a b 0.0 1.0 1.0
    a c 0.375 0.399 0.799
    """
    k, names = _checked(area, level, method), list(scores)
    if len(names) < 2:
        raise ValueError(f"scores must be of two or more models, not {names!r}")
    if against not in (None, *names):
        raise ValueError(f"against must be one of the models, not {against!r}")
    sample = checked_sample(y_true, scores, sample_weight, groups, folds, pos_label, prevalence, sampling)
    spreads = spread(sample, source_of(sample, area, method, True), seed)
    if against is None:
        first, second = np.triu_indices(len(names), 1)
    else:
        first = np.full(len(names) - 1, names.index(against))
        second = np.flatnonzero(np.array(names) != against)
    df = math.inf if method == "delong" else spreads.rarer - 1
    of_pairs = of_differences(sample, spreads, k, first, second, level=level, df=df)
    columns = (*of_pairs, holm(of_pairs.p))
    pairs = zip(first, second, zip(*(column.tolist() for column in columns), strict=True), strict=True)
    return [ModelComparison(names[i], names[j], *numbers) for i, j, numbers in pairs]


def holm(p: np.ndarray) -> np.ndarray:
    """p-values adjusted for how many they are (Holm 1979).

    >>> holm(np.array([0.01, 0.04, 0.03])).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)), 1.0)
    return adjusted


def _checked(area: str, level: float, method: str | None) -> int:
    """The number of the area."""
    if area not in AREAS:
        raise ValueError(f"area must be one of {', '.join(map(repr, AREAS))}, not {area!r}")
    checked_level(level)
    if method is not None and method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}, not {method!r}")
    if method == "delong" and area != "auroc":
        raise ValueError(f"method 'delong' is for area 'auroc', not {area!r}")
    return AREAS.index(area)


def checked_level(level: float) -> float:
    if isinstance(level, (int, float)) and 0 < level < 1:
        return level
    raise ValueError(f"level must lie strictly between 0 and 1, not {level!r}")


def checked_sample(
    y_true,
    scores,
    sample_weight=None,
    groups=None,
    folds=None,
    pos_label=None,
    prevalence=None,
    sampling="classes",
) -> Sample:
    """What came, checked, without rows of no weight."""
    if sampling not in ("classes", "rows"):
        raise ValueError(f"sampling must be 'classes' or 'rows', not {sampling!r}")
    columns = [inputs.checked_scores(values, name) for name, values in scores.items()]
    positive = inputs.checked_labels(y_true, pos_label)
    n = positive.size
    for name, column in zip(scores, columns, strict=True):
        inputs.same_length(n, column.size, name)
        inputs.refuse_nan(column, name)
    weight, _ = inputs.leveled_weights(inputs.checked_weights(sample_weight, n), positive)
    if groups is not None and folds is not None:
        raise ValueError("groups and folds were both given; one of them is wanted")
    positive_weight = np.ones(n, dtype=bool) if weight is None else weight > 0
    codes = [
        None
        if unit is None
        else np.unique(inputs.checked_groups(unit, n, name)[0][positive_weight], return_inverse=True)[1]
        for name, unit in (("groups", groups), ("folds", folds))
    ]
    sample = Sample(
        positive[positive_weight],
        np.stack(columns, axis=1)[positive_weight],
        None if weight is None else weight[positive_weight],
        inputs.checked_prevalence(prevalence),
        codes[0],
        codes[1],
        sampling,
    )
    for count, name in zip(sample.holding(), ("positive", "negative"), strict=True):
        if count < 2:
            unit = "row" if groups is None else "group"
            holds = f"{unit} holds" if count == 1 else f"{unit}s hold"
            raise ValueError(
                f"{count} {holds} a {name}; an interval wants two, as one says nothing of others"
            )
    return sample
