"""Exact areas of tables larger than memory, to the same bits wherever the ranges of scores are cut.

An area is a sum over groups of tied scores, given the counts above each. Both are added without rounding, so the order
of the rows does not matter. Rows that do not fit into memory go to files, one for each range of scores, which are
sorted in turn. Scores are negated, so that the top comes first.

The influence of a row (see `tied_groups`) is a sum over all groups less that over the groups above. As the mean of the
class is taken off, the sum over all is not needed, and the walk for the areas gives the variances too.
"""

import math
import operator
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.area_names import AREAS
from aucstudy.metrics import inputs
from aucstudy.metrics.areas import Areas
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.exact_sums import (
    HIGH,
    LIMBS,
    LOW,
    SMALLEST,
    add_by_code,
    add_exactly,
    exact_sum,
    high_and_low,
    move,
    value_of,
    whole_number,
)
from aucstudy.metrics.formulas.derivatives import differentiate
from aucstudy.metrics.formulas.sums import BLOCK, SUMS, add, finish
from aucstudy.metrics.formulas.terms import group_terms, minimum_and_room, totals_of
from aucstudy.metrics.ranking.ties import next_score
from aucstudy.metrics.runs import OneScore, Rows, sorted_runs, split_into_runs
from aucstudy.metrics.tied_groups import N_AREAS
from aucstudy.metrics.uncertainty.intervals import Interval, Limits, checked_level, limits_of_variance
from aucstudy.metrics.uncertainty.spread import largest_unseen_shares

SCORES_AT_ONCE = 1 << 14  # distinct scores whose rows are added up before they are walked
LARGEST_WEIGHT = 2.0**200
MOST_UNEVEN = 2.0**64, 2.0**80  # the sum of weights over the smallest; that times the rows
ADJOINING = Fraction(1, 10**12)  # of the totals: what weights may have lost to rounding


class Partial(NamedTuple):
    """The terms of every area from a range of scores: `sums` in multiples of 2^-1074.

    `above` and `below` are the positives and negatives down to its first and its last score.
    """

    above: tuple[Fraction, Fraction]
    below: tuple[Fraction, Fraction]
    totals: tuple[Fraction, Fraction]
    options: tuple[float, ...]
    sums: tuple[int, ...]


class Scored(NamedTuple):
    """Areas and their limits, None where a class has less than two rows; `n_minority` as of `Sample`."""

    areas: Areas
    limits: Limits | None = None
    n_minority: float = 0.0


def partial(
    positives: ArrayLike,
    negatives: ArrayLike,
    *,
    totals: Sequence[float | Fraction],
    above: Sequence[float | Fraction] = (0, 0),
    **options,
) -> Partial:
    """Add up a range of scores of a table; `combine` joins the ranges.

    `positives` and `negatives` (k,) are the rows, or weight, at the distinct scores of the range, from the highest
    down; `totals` and `above` the (positives, negatives) of the whole table and of all higher scores, of weights the
    exact sums. `options` are `recall_range`, `prevalence` and `negative_gains`, as for `areas`.

    Examples
    --------
    >>> top = partial([2, 0], [0, 1], totals=(3, 3))
    >>> rest = partial([1, 0], [1, 1], totals=(3, 3), above=(2, 1))
    >>> round(combine([rest, top]).aupr, 6)
    0.875902
    """
    chosen, _ = inputs.checked_options(**options)
    amounts = np.array(list(map(_amounts, (positives, negatives), ("positives", "negatives"))))
    table_totals, start = _pair(totals, "totals"), _pair(above, "above")
    for total, total_above, class_amounts in zip(table_totals, start, amounts, strict=True):
        if total_above + Fraction(math.fsum(class_amounts)) > total * (1 + ADJOINING):
            raise ValueError(
                f"the range and what is above it add up to more than the totals, "
                f"{' and '.join(f'{_float(value):g}' for value in table_totals)}; those of the whole table are wanted"
            )
    P, N = (int(total * SMALLEST) for total in table_totals)
    walks = new_walks([(P, N)], chosen)
    exponents = [math.frexp(total)[1] for total in table_totals]
    for side, (value, exponent) in enumerate(zip(start, exponents, strict=True)):
        walks.above[0, side] = high_and_low(int(value * SMALLEST), exponent)
    walk_scores(amounts, 0, walks)
    below = tuple(
        ((high << LOW) + low) / Fraction(2) ** (HIGH + LOW - exponent)
        for (high, low), exponent in zip(walks.above[0].tolist(), exponents, strict=True)
    )
    sums = tuple(map(whole_number, walks.sums[0]))
    return Partial(start, below, table_totals, tuple(chosen.tolist()), sums)


def _pair(values: Sequence[float | Fraction], name: str) -> tuple[Fraction, Fraction]:
    try:
        pair = [value.item() if isinstance(value, np.generic) else value for value in values]
        positives, negatives = map(Fraction, pair)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"{name} must be two numbers, of positives and negatives, not {values!r:.60}"
        ) from None
    for value in (positives, negatives):
        _refuse_extreme(_float(value))
    return positives, negatives


def combine(partials: Iterable[Partial]) -> Areas:
    """The areas of a table from all of its ranges, in any order; ValueError where some are missing or overlap.

    Examples
    --------
    >>> round(combine([partial([1, 1], [0, 1], totals=(2, 1))]).aupr, 6)
    0.887327
    """
    ordered = sorted(partials, key=operator.itemgetter(0, 1))
    if not ordered:
        raise ValueError("no ranges; those of a whole table are wanted")
    ends = (Fraction(0), Fraction(0)), ordered[0].totals
    first, last = (ordered[0]._replace(above=end, below=end, sums=(0,) * SUMS) for end in ends)
    table = reduce(_joined, [*ordered, last], first)
    [areas] = _areas_of([table.sums], np.array([table.totals], dtype=float), np.array(table.options))
    return areas


def _areas_of(sums: Sequence[Sequence[int]], weights: np.ndarray, options: np.ndarray) -> list[Areas]:
    """The areas of each group from its exact sums and its (n_groups, 2) weights of the classes."""
    exact = np.array([[total / SMALLEST for total in group_sums] for group_sums in sums])
    out, has_both = np.full((len(exact), 1, SUMS), np.nan), (weights > 0).all(axis=1)
    if has_both.any():
        areas = np.empty((int(has_both.sum()), 1, SUMS))
        finish(exact[has_both, None], weights[has_both], options, areas)
        out[has_both] = areas
    if not has_both.all():
        inputs.warn_one_class("the table holds one class only: areas", stacklevel=4)
    areas_of_groups = []
    for values, (P, N) in zip(out[:, 0].tolist(), weights.tolist(), strict=True):
        observed = P / (P + N) if P + N > 0 else np.nan
        rows = {"n": round(P + N), "n_positive": round(P), "weight": P + N, "weight_positive": P}
        prevalences = {"prevalence": observed, "reference_prevalence": float(options[0]) or observed}
        areas_of_groups.append(Areas(*values, **rows, **prevalences))
    return areas_of_groups


def _joined(upper: Partial, lower: Partial) -> Partial:
    if (upper.totals, upper.options) != (lower.totals, lower.options):
        raise ValueError("the ranges differ in their totals or options; those of one table are wanted")
    gaps = (abs(a - b) for a, b in zip(upper.below, lower.above, strict=True))
    if any(gap > ADJOINING * total for gap, total in zip(gaps, upper.totals, strict=True)):
        ends, begins = ("{:.12g} + {:.12g}".format(*map(float, p)) for p in (upper.below, lower.above))
        raise ValueError(
            f"one range ends below {ends} rows of the classes, the next begins below {begins}; ranges without gap or "
            "overlap are wanted"
        )
    return upper._replace(below=lower.below, sums=tuple(map(operator.add, upper.sums, lower.sums)))


def _amounts(values: ArrayLike, name: str) -> np.ndarray:
    amounts = inputs.real_numbers(values, name).astype(np.float64)
    if amounts.ndim != 1 or not (np.isfinite(amounts) & (amounts >= 0)).all():
        raise ValueError(f"{name} must be finite and not negative, of shape (k,), one for each score")
    return amounts


def _refuse_extreme(total: float) -> None:
    if not (total == 0 or 1 / LARGEST_WEIGHT <= total <= LARGEST_WEIGHT):
        raise ValueError(f"totals must be 0 or lie between 2^-200 and 2^200, not {total:g}")


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


class Influences(NamedTuple):
    """Moments of the influences of the rows so far, by group and class."""

    # the derivatives by t and by f of the terms so far, and what rounding lost
    above: np.ndarray
    # sum of w u, of an influence u up to a constant and a weight w; sum, mean and squares about it of weights w^2
    moments: np.ndarray
    # sums of w and w^2 of the negatives since the last score with a positive
    waiting: np.ndarray
    # negatives put on top and the steps of average precision below them, without others
    on_top: np.ndarray
    steps: np.ndarray


class Walks(NamedTuple):
    """The position in each group of rows, with the exact `sums` of its areas and its influences so far.

    `weights` (n_groups, 2) of the classes; the same as `totals`, and the part `above`, are (high, low) in `units`.
    """

    weights: np.ndarray
    units: np.ndarray
    totals: np.ndarray
    above: np.ndarray
    sums: np.ndarray
    options: np.ndarray
    influences: Influences


def new_walks(totals: Sequence[tuple[int, int]], options: np.ndarray, influences: bool = False) -> Walks:
    """Walks at the top of groups with these (positives, negatives), in multiples of 2^-1074."""
    n, m = len(totals), len(totals) if influences else 0
    weights = np.array([[total / SMALLEST for total in classes] for classes in totals])
    exponents = np.frexp(weights)[1]
    exact = [list(map(high_and_low, *pair)) for pair in zip(totals, exponents.tolist(), strict=True)]
    shapes = (m, 2, N_AREAS, 2), (m, 2, N_AREAS, 4), (m, 2), m, (m, 2)
    return Walks(
        weights,
        np.ldexp(1.0, exponents - HIGH),
        np.array(exact, dtype=np.int64),
        np.zeros((n, 2, 2), dtype=np.int64),
        np.zeros((n, SUMS, LIMBS), dtype=np.int64),
        options,
        Influences(*map(np.zeros, shapes)),
    )


@compiled
def walk_rows(keys, weights, ends, walks):
    """Walk all groups on, down the rows of `SortedRows`."""
    n_amounts = 2 if not weights.size else 6 if walks.influences.on_top.size else 4
    amounts = np.empty((n_amounts, SCORES_AT_ONCE))
    first = 0
    for group in range(ends.size // 2):
        middle, last = ends[2 * group], ends[2 * group + 1]
        weighted = weights.size > 0
        w_neg = weights[first:middle] if weighted else weights
        w_pos = weights[middle:last] if weighted else weights
        pos, neg = keys[middle:last], keys[first:middle]
        i = j = k = 0
        while i < pos.size or j < neg.size:
            _, i_end, j_end = next_score(pos, neg, i, j)
            amounts[0, k], amounts[1, k] = i_end - i, j_end - j
            if n_amounts > 2:
                amounts[0, k], amounts[2, k] = exact_sum(w_pos[i:i_end], 1)
                amounts[1, k], amounts[3, k] = exact_sum(w_neg[j:j_end], 1)
            if n_amounts > 4:
                amounts[4, k] = exact_sum(w_pos[i:i_end], 2)[0]
                amounts[5, k] = exact_sum(w_neg[j:j_end], 2)[0]
            i, j, k = i_end, j_end, k + 1
            if k == SCORES_AT_ONCE or (i == pos.size and j == neg.size):
                walk_scores(amounts[:, :k], group, walks)
                k = 0
        first = last


@compiled
def walk_one_score(amounts, walks):
    """Walk all groups on, down the rows of `OneScore`."""
    n_groups, n_rows = amounts.shape[1] // 2, amounts.shape[0]
    by_class = np.zeros((2 * n_rows, 1))
    for group in range(n_groups):
        for row in range(n_rows):
            for side in range(2):
                by_class[2 * row + side, 0] = amounts[row, 2 * group + 1 - side]
        if by_class.any():
            walk_scores(by_class[:, :1], group, walks)


@compiled
def walk_scores(amounts, group, walks):
    """Walk one group on, down its next distinct scores.

    `amounts` (2, k): positives and negatives; (4, k) with what sums of weights lost to rounding; (6, k) with squares.
    """
    c = totals_of(walks.weights[group, 0], walks.weights[group, 1], walks.options)
    if walks.influences.on_top.size:
        _add_influences(amounts, group, c, walks)
    _add_terms(amounts, group, c, walks)


@compiled
def _add_terms(amounts, group, c, walks):
    above, total, units, sums = walks.above[group], walks.totals[group], walks.units[group], walks.sums[group]
    terms, size, n = np.empty((SUMS, BLOCK)), 0, amounts.shape[1]
    for k in range(n):
        d = amounts[0, k]
        if d > 0:
            t, f = value_of(above[0, 0], above[0, 1], units[0]), value_of(above[1, 0], above[1, 1], units[1])
            _pass_class(amounts, k, 0, above, units)
            below = value_of(total[0, 0] - above[0, 0], total[0, 1] - above[0, 1], units[0])
            score_terms = group_terms(t, f, d, amounts[1, k], max(below, 0.0), c)
            for a in range(SUMS):
                terms[a, size] = max(score_terms[a], 0.0)
            size += 1
        _pass_class(amounts, k, 1, above, units)
        if size == BLOCK or (size and k + 1 == n):
            for a in range(SUMS):
                add_exactly(terms[a, :size], sums[a])
            size = 0


@compiled
def _pass_class(amounts, k, side, above, units):
    move(above[side], amounts[side, k] / units[side])
    if amounts.shape[0] > 2:
        move(above[side], amounts[2 + side, k] / units[side])


@compiled
def _add_influences(amounts, group, c, walks):
    above, units = walks.above[group].copy(), walks.units[group]
    slopes_above, moments = walks.influences.above[group], walks.influences.moments[group]
    waiting, steps = walks.influences.waiting[group], walks.influences.steps[group]
    on_top = walks.influences.on_top[group]
    # where all weigh 1, the sums of squares are the counts
    squares = amounts[4:] if amounts.shape[0] > 2 else amounts
    slopes, no_slope = np.zeros((N_AREAS, 4)), np.zeros(N_AREAS)
    for k in range(amounts.shape[1]):
        d, e = amounts[0, k], amounts[1, k]
        if d > 0:
            _observe(waiting[0], waiting[1], no_slope, slopes_above[1], moments[1])
            waiting[:] = 0.0
            t, f = value_of(above[0, 0], above[0, 1], units[0]), value_of(above[1, 0], above[1, 1], units[1])
            steps[0], steps[1] = add(steps[0], steps[1], d * ((t + d) / (t + d + on_top)))
            differentiate(t, f * c.scale, d, e * c.scale, c.P, c.N, False, slopes)
            for side in range(2):
                for a in range(N_AREAS):
                    total, lost = slopes_above[side, a]
                    slopes_above[side, a, 0], slopes_above[side, a, 1] = add(total, lost, slopes[a, side])
            _observe(d, squares[0, k], slopes[:, 2], slopes_above[0], moments[0])
            _observe(e, squares[1, k], slopes[:, 3], slopes_above[1], moments[1])
            _pass_class(amounts, k, 0, above, units)
        else:
            waiting[0] += e
            waiting[1] += squares[1, k]
        _pass_class(amounts, k, 1, above, units)


@compiled
def _observe(weight, square, slopes, slopes_above, moments):
    if square == 0:
        return
    for a in range(slopes.size):
        u = slopes[a] - (slopes_above[a, 0] + slopes_above[a, 1])
        moments[a, 0] += weight * u
        moments[a, 1] += square
        distance = u - moments[a, 2]
        moments[a, 2] += distance * (square / moments[a, 1])
        moments[a, 3] += square * distance * (u - moments[a, 2])


def _variance(walks: Walks, group: int, n: np.ndarray) -> tuple[np.ndarray, float]:
    """(5,) variances of the areas, and the effective rows of the rarer class; `n` are the rows of each class."""
    slopes_above, moments, waiting = (column[group] for column in walks.influences[:3])
    _observe(*waiting, np.zeros(N_AREAS), slopes_above[1], moments[1])
    weights = walks.weights[group]
    c = totals_of(*weights, walks.options)
    class_weights = weights[:, None]
    means = moments[..., 0] / class_weights
    squares = moments[..., 3] + moments[..., 1] * (moments[..., 2] - means) ** 2
    variance = (n / (n - 1) * (1, c.scale**2)) @ squares
    # AUCNPR is AUPR between fixed bounds
    variance[3] = variance[1] / minimum_and_room(c.N / c.P, 0.0, 1.0)[1] ** 2
    # of rows without spread the squares are 0 but for rounding
    return np.maximum(variance, 0.0), float(np.min(class_weights**2 / moments[..., 1]))


def areas_of_chunks(
    chunks: Iterable[tuple[ArrayLike, ...]],
    *,
    held: int = 1 << 30,
    scratch: Path | str | None = None,
    rows: int | None = None,
    **options,
) -> Areas:
    """Compute all areas of a table that comes in chunks, larger than memory; to the same bits in any order.

    They agree with `areas` to 1e-12; `options` as for `partial`.

    Parameters
    ----------
    chunks : iterable of (y_true, y_score) or (y_true, y_score, sample_weight)
        As for `areas`; labels 0/1, -1/1 or False/True.
    held : int
        Bytes for the rows in memory. Where more come, all go to temporary files in `scratch`: 9 bytes a row, 17 with
        weights.
    rows : int, optional
        How many will come, if known.

    Examples
    --------
    >>> y, score = np.array([1, 0, 1, 0]), np.array([0.9, 0.8, 0.3, 0.1])
    >>> areas_of_chunks((y[i : i + 2], score[i : i + 2]) for i in (2, 0)) == areas_of_chunks([(y, score)])
    True
    """
    return grouped_areas(_as_rows(chunks), 1, held=held, scratch=scratch, rows=rows, **options)[0].areas


def intervals_of_chunks(
    chunks: Iterable[tuple[ArrayLike, ...]],
    *,
    level: float = 0.95,
    prevalence: float | None = None,
    held: int = 1 << 30,
    **further,
) -> dict[str, Interval]:
    """Compute the interval of each area, as `interval` with method "influence"; arguments as for `areas_of_chunks`.

    Below 1,000 rows of a class, or 100 positives up to recall gain 0, they are too narrow: take `interval` there.

    Examples
    --------
    >>> y, score = np.array([1, 0, 1, 0]), np.array([0.9, 0.8, 0.3, 0.1])
    >>> intervals_of_chunks((y[i : i + 2], score[i : i + 2]) for i in (2, 0))["auroc"].estimate
    0.75
    """
    options = {"level": checked_level(level), "prevalence": prevalence, "held": held, **further}
    [(areas, limits, _)] = grouped_areas(_as_rows(chunks), 1, **options)
    if limits is None:
        raise ValueError("a class has one row or none; an interval wants two of each")
    return {area: Interval(getattr(areas, area), *ends) for area, ends in zip(AREAS, limits, strict=True)}


def _as_rows(chunks: Iterable[tuple[ArrayLike, ...]]) -> Iterator[Rows]:
    negatives: set[float] = set()
    for y, scores, *weight in chunks:
        if not np.size(y) and not np.size(scores):
            continue
        keys = negated(inputs.vector(inputs.plain_array(scores, "y_score")))
        codes = inputs.checked_labels(y).astype(np.uint8)
        negatives.update(map(float, inputs.vector(np.asarray(y))[codes == 0][:1]))
        if len(negatives) > 1:
            raise ValueError("the labels are 0 and 1 in some chunks, -1 and 1 in others; one kind is wanted")
        inputs.same_length(codes.size, keys.size, "y_score")
        yield Rows(keys, codes, inputs.checked_weights(weight[0], codes.size) if weight else np.empty(0))


def negated(scores: np.ndarray) -> np.ndarray:
    """A key that rises where the score falls, of whole numbers of 64 bits without loss; ValueError for NaN."""
    if scores.dtype.kind not in "biuf" or scores.dtype.itemsize > 8:
        raise ValueError(f"scores must be floats or integers of at most 64 bits, not {scores.dtype}")
    if scores.dtype.kind in "iu" and scores.dtype.itemsize == 8:
        return ~scores
    keys = np.negative(scores, dtype=np.float64)
    inputs.refuse_nan(keys, "the scores")
    return keys


@dataclass
class Tally:
    """How many rows each code has, and what they weigh, as they come."""

    n_codes: int
    weighted: bool = False
    smallest: float = np.inf
    n: np.ndarray = field(init=False)
    n_weightless: np.ndarray = field(init=False)
    weights: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.n, self.n_weightless = np.zeros((2, self.n_codes), dtype=np.int64)
        self.weights = np.zeros((self.n_codes, LIMBS), dtype=np.int64)  # takes memory where it is written to

    def of_chunks(self, chunks: Iterable[Rows], progress: Callable[[int], object]) -> Iterator[Rows]:
        for chunk in chunks:
            if not chunk.keys.size:
                continue  # a part may have no rows
            self.n += np.bincount(chunk.codes, minlength=self.n_codes)
            if chunk.weights.size:
                self.weighted = True
                add_by_code(chunk.codes, chunk.weights, self.weights)
                self.n_weightless += np.bincount(chunk.codes[chunk.weights == 0], minlength=self.n_codes)
                self.smallest = np.min(chunk.weights, initial=self.smallest, where=chunk.weights > 0)
            progress(chunk.keys.size)
            yield chunk

    def totals(self) -> list[tuple[int, int]]:
        """Positives and negatives of each group, or their weight, in multiples of 2^-1074; refused where unfit."""
        if not self.weighted:
            return [(d * SMALLEST, e * SMALLEST) for e, d in self.n.reshape(-1, 2).tolist()]
        weights = list(map(whole_number, self.weights))
        total, n = _float(Fraction(sum(weights), SMALLEST)), int(self.n.sum())
        most_uneven = min(MOST_UNEVEN[0], MOST_UNEVEN[1] / n)
        if total > most_uneven * self.smallest:
            raise ValueError(
                f"the weights add up to {total:.3g}, {total / self.smallest:.3g} times the smallest; for {n} rows at "
                f"most {most_uneven:.3g} times is wanted, so that areas hold to 1e-12"
            )
        for code_weights in weights:
            _refuse_extreme(_float(Fraction(code_weights, SMALLEST)))
        return list(zip(weights[1::2], weights[::2], strict=True))

    def counts(self) -> np.ndarray:
        """(n_groups, 2) positives and negatives that have a weight."""
        return (self.n - self.n_weightless).reshape(-1, 2)[:, ::-1]


def grouped_areas(
    chunks: Iterable[Rows],
    n_groups: int,
    *,
    held: int,
    scratch: Path | str | None = None,
    rows: int | None = None,
    progress: Callable[[int], object] = bool,
    level: float | None = None,
    **options,
) -> list[Scored]:
    """The areas of each group of rows, and with a `level` their limits.

    `progress` gets numbers of rows, each row once when it is read and once when it is done.
    """
    if scratch is not None and not Path(scratch).is_dir():
        raise ValueError(f"scratch must be a folder that is there, not {str(scratch)!r}")
    chosen, _ = inputs.checked_options(**options)
    tally = Tally(2 * n_groups)
    with tempfile.TemporaryDirectory(prefix="aucstudy-", dir=scratch) as name:
        folder = Path(name)
        runs = split_into_runs(tally.of_chunks(chunks, progress), held, rows, folder)
        if not runs:
            raise ValueError("there are no rows; at least one is wanted")
        walks = new_walks(tally.totals(), chosen, level is not None)
        counts = tally.counts()
        if level:
            _put_largest_unseen_shares_on_top(walks, counts, level)
        for piece in sorted_runs(runs, n_groups, held, folder, squared=level is not None, progress=progress):
            if isinstance(piece, OneScore):
                walk_one_score(piece.amounts, walks)
            else:
                walk_rows(*piece, walks)
            del piece  # before the next is read
    areas = _areas_of([list(map(whole_number, sums)) for sums in walks.sums], walks.weights, chosen)
    pairs = tally.n.reshape(-1, 2).tolist()
    areas = [result._replace(n=e + d, n_positive=d) for result, (e, d) in zip(areas, pairs, strict=True)]
    if not level:
        return list(map(Scored, areas))
    return [_with_limits(result, walks, group, counts[group], level) for group, result in enumerate(areas)]


def _put_largest_unseen_shares_on_top(walks: Walks, counts: np.ndarray, level: float) -> None:
    for group in np.flatnonzero(counts.min(axis=1) > 1):
        unseen_positives, unseen_negatives = largest_unseen_shares(level, counts[group])
        scaled_negatives = totals_of(*walks.weights[group], walks.options).N
        walks.influences.on_top[group] = unseen_negatives * scaled_negatives / (1 - unseen_positives)


def _with_limits(areas: Areas, walks: Walks, group: int, counts: np.ndarray, level: float) -> Scored:
    if counts.min() < 2:
        return Scored(areas)
    variance, n_minority = _variance(walks, group, counts)
    steps = walks.influences.steps[group].sum() / areas.weight_positive
    return Scored(areas, limits_of_variance(areas, variance, counts, n_minority, level, steps), n_minority)
