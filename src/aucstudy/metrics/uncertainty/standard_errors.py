"""How far the areas of a sample, and their differences, may lie from those of the population: the whole method.

1. *Rows that were seen.* The covariances of the areas of m models come from influence functions. Where the rows of the
   rarer class times the prevalence are fewer than `ENOUGH`, they come from random halves of the rows: the area of half
   of them varies around that of all as that of all varies around the population's, however curved the area is (Shao and
   Wu 1989). Where positives are rare, that product is the number of positives above the point of recall gain 0.
2. *Rows that were not seen.* A few rows may lack what many have. One more positive at the bottom and one more negative
   on top lower an area, each by its own effect; one on top and one at the bottom raise it. The squared standard error
   of a limit is the variance and the squares of the two effects. So no interval is without width, not even that of a
   perfect ranking.
3. *Limits.* Those of one model lie a normal quantile times the standard error away from the estimate. Where the rarer
   class has fewer than `FEW_UNITS` rows or groups, the quantile is Student's, with one degree of freedom fewer.
4. *Differences.* Their quantile is always Student's. The limit that lies beyond the observed difference, seen from 0,
   has the variance of the difference and the squared effects of unseen rows on both models. The limit on the side of
   0, and with it the test, has the variance and the share `TOWARDS_ZERO` of the squared effects. Without this share,
   one of two equal models is shown to be better too often where a single row matters much. Where two models differ
   without any variance, as a perfect and a constant one do, both limits have the whole effects.

Metrics are in the order of `aucstudy.metrics.registry.metrics`. A metric without an influence function has its
covariances from random halves in every sample.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.counts import RunningAreas
from aucstudy.metrics.kernel import Order, order_of
from aucstudy.metrics.registry import metrics
from aucstudy.metrics.resamples import areas_of_order
from aucstudy.metrics.uncertainty.sample import Sample, half_samples, number_of_halves

ENOUGH = 100  # rows of the rarer class times the prevalence: from here on influence functions are used
FEW_UNITS = 10  # rows or groups of the rarer class: from here on the limits of one model are normal
TOWARDS_ZERO = 1 / 8  # share of the squared effects of unseen rows in a difference's limit on the side of 0
HALVES = 500
RESOLUTION = 1e-13  # share of two variances to which the variance of a difference is known
ROUNDING = 1e-10  # a smaller standard error is taken for 0
STEP = 1e-5  # of central differences: a share of the rows above a group or in it, and of prevalence * (1 - prevalence)

Seed = int | np.random.Generator
Models = int | np.ndarray


class SamplingErrors(NamedTuple):
    """The `areas` (m, n_metrics) of m models, and what another sample may change in them.

    `covariance` (n_metrics, m, m) is that of rows like the ones seen. `unseen` (2, n_metrics, m) are squared effects of
    unseen rows, downwards and upwards. `floor` and `ceiling` (n_metrics,) are the least and the largest values. `df`
    are the degrees of freedom of differences: infinite for normal limits, 0 where one row has all the weight of its
    class, so that nothing is known. `halves` (n_metrics,) are the numbers of random halves, 0 where influence functions
    were used. `towards_zero` is the share of `unseen` in the limit of a difference on the side of 0.
    """

    areas: np.ndarray
    covariance: np.ndarray
    unseen: np.ndarray
    floor: tuple[float, ...]
    ceiling: tuple[float, ...]
    df: float
    halves: tuple[int, ...]
    towards_zero: float = TOWARDS_ZERO

    def select(self, models: Sequence[int]) -> "SamplingErrors":
        areas, unseen = self.areas[models], self.unseen[:, :, models]
        return self._replace(areas=areas, covariance=self.covariance[:, models][:, :, models], unseen=unseen)

    def limits(self, k: int, level: float) -> np.ndarray:
        """Return the lower and the upper limits (2, m) of area k."""
        area, reach = self.areas[:, k], t_quantile(level, freedom_of_one_model(self.df + 1))
        down, up = np.sqrt(self.covariance[k].diagonal() + self.unseen[:, k])
        with np.errstate(invalid="ignore"):
            low, high = area - reach * down, area + reach * up
        # An infinite reach times 0 is NaN, in place of which fmax and fmin take the bounds.
        return np.stack([np.fmax(low, self.floor[k]), np.fmin(high, self.ceiling[k])])

    def difference(self, k: int, first: Models, second: Models) -> "Difference":
        """Return the area k of the first models less that of the second ones."""
        estimate = self.areas[first, k] - self.areas[second, k]
        of_first, of_second = self.covariance[k, first, first], self.covariance[k, second, second]
        variance = of_first + of_second - 2 * self.covariance[k, first, second]
        resolved = np.maximum(RESOLUTION * (of_first + of_second), ROUNDING**2)
        variance = np.where(variance > resolved, variance, 0.0)
        (down_first, up_first), (down_second, up_second) = self.unseen[:, k, first], self.unseen[:, k, second]
        towards_zero = np.where(variance > 0, self.towards_zero, 1.0)
        down = variance + np.where(estimate > 0, towards_zero, 1.0) * (down_first + up_second)
        up = variance + np.where(estimate < 0, towards_zero, 1.0) * (up_first + down_second)
        widest = self.ceiling[k] - self.floor[k]
        return Difference(estimate, np.sqrt(down), np.sqrt(up), widest, self.df)


class Difference(NamedTuple):
    """Differences of areas, of any shape, with a standard error for the limit below and one for the limit above.

    `widest` is the largest difference that two values of the area can have, and `df` are the degrees of freedom.
    """

    estimate: np.ndarray
    down: np.ndarray
    up: np.ndarray
    widest: float
    df: float

    def limits(self, level: float) -> np.ndarray:
        """The lower and the upper limits, (2, ...) of the shape of the estimate."""
        reach = t_quantile(level, self.df)
        with np.errstate(invalid="ignore"):
            low, high = self.estimate - reach * self.down, self.estimate + reach * self.up
        return np.stack([np.fmax(low, -self.widest), np.fmin(high, self.widest)])

    def p_below(self, value: float) -> np.ndarray:
        """The one-sided p-value of "the difference is `value` or less": at level 1 - 2 p the lower limit is `value`."""
        return t_tail(self._t(value), self.df)

    def p(self) -> np.ndarray:
        """The two-sided p-value of "there is no difference": at level 1 - p a limit is 0."""
        return 2 * t_tail(np.abs(self._t(0.0)), self.df)

    def _t(self, value: float) -> np.ndarray:
        excess = np.asarray(self.estimate - value)
        standard_error = np.where(excess > 0, self.down, self.up)
        # This is infinite where the standard error is 0, as DeLong's is for a difference of equal rankings.
        with np.errstate(divide="ignore"):
            return np.divide(excess, standard_error, out=np.zeros(excess.shape), where=excess != 0)


def t_quantile(level: float, df: float) -> float:
    """The number that |t| exceeds with probability 1 - level."""
    from scipy import special  # not for the areas alone

    if df <= 0:
        return np.inf
    tail = (1 - level) / 2
    return float(-special.ndtri(tail) if np.isinf(df) else -special.stdtrit(df, tail))


def t_tail(t: float | np.ndarray, df: float) -> np.ndarray:
    """The probability that Student's t exceeds t."""
    from scipy import special

    if df <= 0:
        return np.full(np.shape(t), 0.5)
    return special.ndtr(np.negative(t)) if np.isinf(df) else special.stdtr(df, np.negative(t))


def freedom_of_one_model(n_units: float) -> float:
    """Return the degrees of freedom of one model's limits, from the number of units of the rarer class."""
    return np.inf if n_units >= FEW_UNITS else n_units - 1


def influence_will_do(sample: Sample) -> bool:
    return sample.n_minority() * sample.reference_prevalence() >= ENOUGH


def sampling_errors(
    sample: Sample,
    *,
    ks: Sequence[int] | None = None,
    halves: int = HALVES,
    seed: Seed = 1,
    by_influence: bool | None = None,
    rankings: Order | None = None,
) -> SamplingErrors:
    """Return the errors of all metrics. Covariances are computed for the metrics `ks`, and are NaN for the others.

    Without `ks` they are computed for all. `halves` is the largest number of random halves; large samples have fewer.
    `by_influence` overrules `ENOUGH`. `rankings` are the `order_of` the sample.
    """
    rankings, entries = rankings or order_of(sample.y_true, sample.scores), metrics()
    prevalence, ks = sample.reference_prevalence(), range(len(entries)) if ks is None else ks
    counted = Counted.of(sample, rankings)
    areas = areas_of_order(rankings, sample.weight, prevalence=prevalence)
    n_metrics, n_models = len(entries), len(areas)
    covariance = np.full((n_metrics, n_models, n_models), np.nan)
    unseen = np.empty((2, n_metrics, n_models))
    by_influence = influence_will_do(sample) if by_influence is None else by_influence
    halved = [k for k in ks if not (by_influence and entries[k].influence)]
    for k in ks:
        if k not in halved:
            by_unit = unit_influences(counted, k)
            covariance[k] = by_unit @ by_unit.T
    if halved:
        halves = number_of_halves(sample.scores.size, halves)
        weights = half_samples(sample, halves, generator(seed))
        of_halves = prevalence if sample.keeps_class_counts() else None
        covariance[halved] = covariance_of_halves(rankings, areas, weights, of_halves)[halved]
    for model in range(n_models):
        unseen[:, :, model] = unseen_effects(counted, model, areas[model])
    if sample.n_minority() * prevalence < 1:
        # Less than one row up to the point of recall gain 0 says nothing about the precision there.
        unseen[:, [entry.starts_at_zero_gain for entry in entries]] = np.inf
    floor, ceiling = bounds_of(sample)
    halves_of = tuple(halves if k in halved else 0 for k in range(n_metrics))
    return SamplingErrors(areas, covariance, unseen, floor, ceiling, sample.n_minority() - 1, halves_of)


def generator(seed: Seed) -> np.random.Generator:
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise ValueError(f"seed must be a whole number of at least 0, not {seed!r:.60}") from None


def bounds_of(sample: Sample) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the lowest and the highest value of every metric at the class counts of a sample."""
    weight, entries = sample.weights(), metrics()
    P, N = float(weight[sample.y_true].sum()), float(weight[~sample.y_true].sum())
    if sample.prevalence:
        N = P * (1 - sample.prevalence) / sample.prevalence
    return tuple(entry.lowest(P, N) for entry in entries), tuple(entry.highest(P, N) for entry in entries)


def covariance_of_halves(
    rankings: Order, areas: np.ndarray, weights: Iterable[np.ndarray], prevalence: float | None
) -> np.ndarray:
    """Return the covariances (n_metrics, m, m) of the metrics from batches of (halves, n) weights of the rows.

    If `prevalence` is None, each half has its own.
    """
    products, n_halves = np.zeros((areas.shape[1], len(areas), len(areas))), 0
    for of_halves in weights:
        deviations = (areas_of_order(rankings, of_halves, prevalence=prevalence) - areas).transpose(2, 1, 0)
        products += deviations @ deviations.transpose(0, 2, 1)
        n_halves += len(of_halves)
    return products / n_halves


class Counted(NamedTuple):
    """The rows of a sample, counted once for the influences on all metrics and the effects of unseen rows.

    `weight` (n,) of the rows has the reference `prevalence`. `one_more` (2,) are the `weights_of_one_more`; `unit` and
    `stratum` the `units` of the sample. `groups` (m, n) are the groups of tied rows, numbered from the highest score
    down. `counts` are each model's weights (k,) of positives and of negatives in each of its k groups.
    """

    sample: Sample
    rankings: Order
    prevalence: float
    weight: np.ndarray
    one_more: np.ndarray
    unit: np.ndarray
    stratum: np.ndarray
    groups: np.ndarray
    counts: list[tuple[np.ndarray, np.ndarray]]

    @classmethod
    def of(cls, sample: Sample, rankings: Order) -> "Counted":
        weight, groups = sample.weights_at_prevalence(), rankings.ranks()
        # Each row counts in both classes, in one of them with weight 0, so that both have the same length.
        positives, negatives = weight * sample.y_true, weight * ~sample.y_true
        counts = [(np.bincount(group, positives), np.bincount(group, negatives)) for group in groups]
        prevalence, one_more = sample.reference_prevalence(), sample.weights_of_one_more()
        return cls(sample, rankings, prevalence, weight, one_more, *sample.units(), groups, counts)


def unseen_effects(counted: Counted, model: int, areas: np.ndarray) -> np.ndarray:
    """Return the squares (2, n_metrics) of what one more positive and one more negative may take away or add."""
    of_groups, (positive, negative) = counted.counts[model], counted.one_more
    one_positive, one_negative = ([positive], [0.0]), ([0.0], [negative])

    def squared_effect(*parts: tuple[ArrayLike, ArrayLike]) -> np.ndarray:
        positives, negatives = map(np.concatenate, zip(*parts, strict=True))
        running = RunningAreas(positives.sum(), negatives.sum(), prevalence=counted.prevalence)
        running.add(positives, negatives)
        return (np.array(list(running.areas().values())) - areas) ** 2

    lowered = squared_effect(of_groups, one_positive) + squared_effect(one_negative, of_groups)
    raised = squared_effect(one_positive, of_groups) + squared_effect(of_groups, one_negative)
    return np.stack([lowered, raised])


def unit_influences(counted: Counted, k: int) -> np.ndarray:
    """Return what each unit adds to the error of area k (m, units), to first order.

    The variance is the sum of squares. This is the infinitesimal jackknife (Efron 1982), for AUROC the
    placement values of DeLong et al. (1988).
    """
    by_unit = _influences_at_class_counts(counted, k)
    if not counted.sample.keeps_class_counts():
        by_unit += _influences_by_prevalence(counted, k)
    stratum = counted.stratum
    size = np.bincount(stratum)
    # The variance within a stratum is the sum of squares about its mean, over size - 1 in place of size.
    small_sample = np.sqrt(size / np.maximum(size - 1, 1))[stratum]
    for of_units in by_unit:
        of_units -= (np.bincount(stratum, of_units) / np.maximum(size, 1))[stratum]
        of_units *= small_sample
    return by_unit


def _influences_at_class_counts(counted: Counted, k: int) -> np.ndarray:
    """Return the influence of each unit on area k (m, units), where the totals of both classes do not change.

    It is the sum over the unit's rows.
    """
    n_units, positive_rows = len(counted.stratum), np.flatnonzero(counted.sample.y_true)
    by_unit = np.empty((len(counted.groups), n_units))
    for of_units, group, counts in zip(by_unit, counted.groups, counted.counts, strict=True):
        of_positives, of_negatives = influences(k, *counts)
        of_rows = of_negatives[group]
        of_rows[positive_rows] = of_positives[group[positive_rows]]
        of_rows *= counted.weight
        of_units[:] = (
            of_rows if counted.sample.groups is None else np.bincount(counted.unit, of_rows, n_units)
        )
    return by_unit


def _influences_by_prevalence(counted: Counted, k: int) -> np.ndarray:
    """Return what each unit does to the prevalence, times what the prevalence does to area k (m, units)."""
    prevalence, weight, y = counted.prevalence, counted.weight, counted.sample.y_true
    step = STEP * prevalence * (1 - prevalence)
    above = areas_of_order(counted.rankings, weight, prevalence=prevalence + step)[:, k]
    below = areas_of_order(counted.rankings, weight, prevalence=prevalence - step)[:, k]
    slope = (above - below) / (2 * step)
    excess = np.bincount(counted.unit, weight * (y - prevalence), len(counted.stratum)) / weight.sum()
    return slope[:, None] * excess


def influences(k: int, positives: np.ndarray, negatives: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The influence of a positive and of a negative of each group on metric k, the highest score first.

    It is the derivative of the area by the row's weight, where the totals of both classes do not change. An
    area is a sum of terms, one for each group with positives. More weight in a group changes its own term,
    and those of all groups below, which have more rows above them.
    """
    entry = metrics()[k]
    if entry.influence is None:
        raise ValueError(f"metric {entry.key!r} has no influence function")
    P, N = positives.sum(), negatives.sum()
    with_term = np.flatnonzero(positives > 0)
    d, e = positives[with_term], negatives[with_term]
    t, f = np.cumsum(d) - d, np.cumsum(negatives)[with_term] - e
    slopes = _slopes(lambda t, f, d, e: entry.influence(t, f, d, e, P, N), (t, f, d, e))
    # A group without a term of its own has rows above the same terms as the next group with one.
    n_like_next = np.diff(with_term, prepend=-1, append=len(positives) - 1)
    influence_of_class = []
    for of_rows_above, of_own_rows in (slopes[[0, 2]], slopes[[1, 3]]):
        from_here_down = np.cumsum(of_rows_above[::-1])[::-1]
        of_groups = np.repeat(np.append(from_here_down, 0.0), n_like_next)
        of_groups[with_term] = of_own_rows + from_here_down - of_rows_above
        influence_of_class.append(of_groups)
    of_positives, of_negatives = influence_of_class
    # BLAS would take these sums in another order on another number of cores, and its idle threads would spin.
    mean_of_positives, mean_of_negatives = (
        (positives * of_positives).sum() / P,
        (negatives * of_negatives).sum() / N,
    )
    return of_positives - mean_of_positives, of_negatives - mean_of_negatives


def _slopes(term: Callable[..., np.ndarray], counts: Sequence[np.ndarray]) -> np.ndarray:
    """Return the derivatives (4, groups) of a term by t, f, d and e, by central differences."""
    t, f, d, e = counts
    slopes = np.zeros((4, len(t)))
    for i, scale in enumerate((t + f, t + f, d + e, d + e)):
        step = STEP * scale
        more = term(*(column + step if i == j else column for j, column in enumerate(counts)))
        less = term(*(column - step if i == j else column for j, column in enumerate(counts)))
        # The first group has no row above that could have more weight.
        np.divide(more - less, 2 * step, out=slopes[i], where=scale > 0)
    return slopes
