"""Exact areas of tables larger than memory: ranges of scores join to the same bits wherever they are cut.

Every area is a sum over groups of tied scores, given what lies above each. Both are added without rounding, so the
order of the rows does not matter. Rows that do not fit into memory go to files, one for each range of scores, which
are sorted in turn. Scores are negated, so that the top comes first.

The influence of a row (see `tied_groups`) is what the groups below add to an area, differentiated: the sum over all
groups less that over those above. The mean of the class is taken off, and so the sum over all is not needed: the walk
that finds the areas finds the variances. It always goes from the top down, over the same groups, whatever the files.
"""

import math
import operator
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from fractions import Fraction
from functools import reduce
from itertools import count
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.area_names import AREAS
from aucstudy.metrics import inputs
from aucstudy.metrics.areas import Areas
from aucstudy.metrics.compiled import compiled, inlined
from aucstudy.metrics.formulas.derivatives import differentiate
from aucstudy.metrics.formulas.sums import BLOCK, SUMS, add, finish
from aucstudy.metrics.formulas.terms import group_terms, minimum_and_room, totals_of
from aucstudy.metrics.intervals import Interval, Limits, checked_level, limits_of_variance, missed
from aucstudy.metrics.tied_groups import N_AREAS

CHUNK = 1 << 17  # rows or groups that are handled at once
HIGH, LOW = 62, 60  # bits of the two integers that hold what lies above
LOW_MASK = (1 << LOW) - 1
LIMBS, LIMB, LIMB_MASK = 67, 32, (1 << 32) - 1  # a sum is 67 integers of 32 bits, in multiples of 2^-1074
SMALLEST = 1 << 1074
FILLED = 0.7  # of the memory: how full a range is meant to be, as its cuts come from a sample
MOST_RANGES = 200  # files that are open at once
SAMPLE = 1 << 16
LARGEST_WEIGHT = 2.0**200
MOST_UNEVEN = 2.0**64, 2.0**80  # the sum of weights over the smallest; that times the rows
ADJOINING = Fraction(1, 10**12)  # of the totals: what weights may have lost to rounding


class Partial(NamedTuple):
    """What a range of scores adds to every area: `sums` in multiples of 2^-1074.

    `above` and `below` are the positives and negatives down to where it begins and ends.
    """

    above: tuple[Fraction, Fraction]
    below: tuple[Fraction, Fraction]
    totals: tuple[Fraction, Fraction]
    options: tuple[float, ...]
    sums: tuple[int, ...]


class Scored(NamedTuple):
    """A table's areas and their limits, None where a class has less than two rows; `rarer` is as of `Sample.rarer`."""

    areas: Areas
    limits: Limits | None = None
    rarer: float = 0.0


class Influences(NamedTuple):
    """What the influences of the rows so far add up to, for positives and negatives."""

    # by t and by f, the derivative of what the groups so far add to each area, and what rounding lost
    above: np.ndarray
    # sum of w u, of an influence u up to a constant and a weight w; sum, mean and squares about it of weights w^2
    moments: np.ndarray
    # sums of w and w^2 of the negatives since the last group with a positive
    waiting: np.ndarray
    # negatives put on top and the steps of average precision below them, without others
    on_top: np.ndarray
    steps: np.ndarray


def partial(
    positives: ArrayLike,
    negatives: ArrayLike,
    *,
    totals: Sequence[float | Fraction],
    above: Sequence[float | Fraction] = (0, 0),
    **options,
) -> Partial:
    """Walk over a range of scores of a table; `combine` joins the ranges.

    `options` are `recall_range`, `prevalence` and `negative_gains`, as for `areas`.

    Parameters
    ----------
    positives, negatives : array_like of shape (k,)
        Rows, or weight, of each class at each of the range's distinct scores, from the highest down.
    totals, above : (number, number)
        Positives and negatives of the whole table, and of all higher scores; of weights the exact sums.

    Examples
    --------
    >>> top = partial([2, 0], [0, 1], totals=(3, 3))
    >>> rest = partial([1, 0], [1, 1], totals=(3, 3), above=(2, 1))
    >>> round(combine([rest, top]).aupr, 6)
    0.875902
    """
    chosen, _ = inputs.checked_options(**options)
    amounts = np.array(list(map(_amounts, (positives, negatives), ("positives", "negatives"))))
    whole, start = _pair(totals, "totals"), _pair(above, "above")
    for total, before, own in zip(whole, start, amounts, strict=True):
        if before + Fraction(math.fsum(own)) > total * (1 + ADJOINING):
            raise ValueError(
                f"the range and what is above it add up to more than the totals, "
                f"{' and '.join(f'{_float(value):g}' for value in whole)}; those of the whole table are wanted"
            )
    return _partial(amounts, whole, start, chosen)


def _pair(values: Sequence[float | Fraction], name: str) -> tuple[Fraction, Fraction]:
    try:
        pair = [value.item() if isinstance(value, np.generic) else value for value in values]
        positives, negatives = map(Fraction, pair)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"{name} must be two numbers, of positives and negatives, not {values!r:.60}"
        ) from None
    return _exact(positives), _exact(negatives)


def _partial(amounts, whole: tuple, start: tuple, chosen, influences: Influences | None = None) -> Partial:
    """`amounts` are positives and negatives, and of weights what these sums lost to rounding, then those of squares."""
    weighted = len(amounts) > 2
    rests, squares = (amounts[2:4], amounts[4:]) if weighted else (amounts[:, :0], amounts)
    exponents = [math.frexp(total)[1] for total in whole]
    scales = [Fraction(2) ** (HIGH + LOW - exponent) for exponent in exponents]
    halves, state = (
        np.array([divmod(int(own * scale), 1 << LOW) for own, scale in zip(place, scales, strict=True)])
        for place in (whole, start)
    )
    limbs, units = np.zeros((SUMS, LIMBS), dtype=np.int64), np.ldexp(1.0, np.array(exponents) - HIGH)
    c = totals_of(*map(float, whole), chosen)
    if influences:
        _walk_influences(*amounts[:2], rests, *squares, units, c, state.copy(), influences)
    _walk(*amounts[:2], rests, units, halves, c, state, limbs)
    below = tuple(
        ((high << LOW) + low) / scale for (high, low), scale in zip(state.tolist(), scales, strict=True)
    )
    return Partial(start, below, whole, tuple(chosen.tolist()), tuple(map(_whole_number, limbs)))


def combine(partials: Iterable[Partial]) -> Areas:
    """The areas of a table from all of its ranges, in any order.

    ValueError where ranges are missing, overlap or are of two tables.

    Examples
    --------
    >>> round(combine([partial([1, 1], [0, 1], totals=(2, 1))]).aupr, 6)
    0.887327
    """
    ordered = sorted(partials, key=lambda one: (one.above, one.below))
    if not ordered:
        raise ValueError("no ranges; those of a whole table are wanted")
    nowhere = (Fraction(0), Fraction(0))
    first, last = (ordered[0]._replace(above=place, below=place) for place in (nowhere, ordered[0].totals))
    whole = reduce(_joined, [*ordered, last._replace(sums=(0,) * SUMS)], first._replace(sums=(0,) * SUMS))
    P, N = (float(total) for total in whole.totals)
    out, weights, options = np.full((1, 1, SUMS), np.nan), np.array([[P, N]]), np.array(whole.options)
    if P > 0 and N > 0:
        finish(np.array([[[total / SMALLEST for total in whole.sums]]]), weights, options, out)
    else:
        inputs.warn_one_class("the table holds one class only: areas", stacklevel=3)
    observed = P / (P + N) if P + N > 0 else np.nan
    return Areas(
        *out[0, 0].tolist(),
        n=round(P + N),
        n_positive=round(P),
        weight=P + N,
        weight_positive=P,
        prevalence=observed,
        reference_prevalence=whole.options[0] or observed,
    )


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


def _exact(value: Fraction) -> Fraction:
    if not (value == 0 or 1 / LARGEST_WEIGHT <= value <= LARGEST_WEIGHT):
        raise ValueError(f"totals must be 0 or lie between 2^-200 and 2^200, not {_float(value):g}")
    return value


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _whole_number(limbs: np.ndarray) -> int:
    return sum(limb << (LIMB * k) for k, limb in enumerate(limbs.tolist()))


@compiled
def _walk(positives, negatives, rests, units, total, c, state, limbs):
    """Add the groups to `limbs` and move `state`, (high, low) of what lies above of each class, below them."""
    terms, size = np.empty((SUMS, BLOCK)), 0
    for g in range(positives.size):
        d, e = positives[g], negatives[g]
        if d > 0:
            t, f = _value(state[0], units[0]), _value(state[1], units[1])
            _move(state[0], d / units[0])
            if rests.size:
                _move(state[0], rests[0, g] / units[0])
            left = max(_value(total[0] - state[0], units[0]), 0.0)
            of_group = group_terms(t, f, d, e, left, c)
            for a in range(SUMS):
                terms[a, size] = max(of_group[a], 0.0)
            size += 1
        _move(state[1], e / units[1])
        if rests.size:
            _move(state[1], rests[1, g] / units[1])
        if size == BLOCK or (size and g + 1 == positives.size):
            for a in range(SUMS):
                _add_exactly(terms[a, :size], limbs[a])
            size = 0


@compiled
def _walk_influences(positives, negatives, rests, of_positives, of_negatives, units, c, state, influences):
    above, moments, waiting, on_top, steps = influences
    by, nothing = np.zeros((N_AREAS, 4)), np.zeros(N_AREAS)
    for g in range(positives.size):
        d, e = positives[g], negatives[g]
        if d > 0:
            _observe(waiting[0], waiting[1], nothing, above[1], moments[1])
            waiting[:] = 0.0
            t, f = _value(state[0], units[0]), _value(state[1], units[1])
            steps[:] = add(steps[0], steps[1], d * ((t + d) / (t + d + on_top[0])))
            differentiate(t, f * c.scale, d, e * c.scale, c.P, c.N, False, by)
            for side in range(2):
                for a in range(N_AREAS):
                    above[side, a] = add(above[side, a, 0], above[side, a, 1], by[a, side])
            _observe(d, of_positives[g], by[:, 2], above[0], moments[0])
            _observe(e, of_negatives[g], by[:, 3], above[1], moments[1])
            _move(state[0], d / units[0])
            if rests.size:
                _move(state[0], rests[0, g] / units[0])
        else:
            waiting[0] += e
            waiting[1] += of_negatives[g]
        _move(state[1], e / units[1])
        if rests.size:
            _move(state[1], rests[1, g] / units[1])


@compiled
def _observe(weight, square, own, above, moments):
    if square == 0:
        return
    for a in range(own.size):
        u = own[a] - (above[a, 0] + above[a, 1])
        moments[a, 0] += weight * u
        moments[a, 1] += square
        off = u - moments[a, 2]
        moments[a, 2] += off * (square / moments[a, 1])
        moments[a, 3] += square * off * (u - moments[a, 2])


def _variance(
    influences: Influences, weights: tuple, n: np.ndarray, chosen: np.ndarray
) -> tuple[np.ndarray, float]:
    """(5,) of the areas, and how many rows of equal weight the rarer class has; `n` are the rows of each class."""
    above, moments, waiting, *_ = influences
    _observe(*waiting, np.zeros(N_AREAS), above[1], moments[1])
    c = totals_of(*map(float, weights), chosen)
    of_class = np.array([[float(weight)] for weight in weights])
    means = moments[..., 0] / of_class
    squares = moments[..., 3] + moments[..., 1] * (moments[..., 2] - means) ** 2
    variance = (n / (n - 1) * (1, c.scale**2)) @ squares
    # AUCNPR is AUPR between fixed bounds
    variance[3] = variance[1] / minimum_and_room(c.N / c.P, 0.0, 1.0)[1] ** 2
    # of rows without spread the squares are 0 but for rounding
    return np.maximum(variance, 0.0), float(np.min(of_class**2 / moments[..., 1]))


@inlined
def _value(halves, unit):
    return (halves[0] + halves[1] * 2.0**-LOW) * unit


@inlined
def _move(halves, amount):
    whole = np.floor(amount)
    low = halves[1] + np.int64((amount - whole) * 2.0**LOW)
    halves[0] += np.int64(whole) + (low >> LOW)
    halves[1] = low & LOW_MASK


@compiled
def _add_exactly(values, limbs):
    """Add numbers that are not negative."""
    for i, bits in enumerate(values.view(np.int64)):
        exponent, mantissa = (bits >> 52) & 2047, bits & ((1 << 52) - 1)
        if exponent > 0:
            exponent -= 1
            mantissa |= 1 << 52
        place, shift = exponent >> 5, exponent & 31
        low = (mantissa & LIMB_MASK) << shift
        limbs[place] += low & LIMB_MASK
        limbs[place + 1] += (low >> LIMB) + ((mantissa >> LIMB) << shift)
        if i % BLOCK == BLOCK - 1 or i + 1 == values.size:  # more would overflow before the carry
            for place in range(LIMBS - 1):
                limbs[place + 1] += limbs[place] >> LIMB
                limbs[place] &= LIMB_MASK


class Rows(NamedTuple):
    """Negated scores; 2 x group, and 1 more for a positive; weights, of size 0 where all are 1."""

    keys: np.ndarray
    codes: np.ndarray
    weights: np.ndarray

    def taken(self, which: slice | np.ndarray) -> "Rows":
        return Rows(*(column[which] if column.size else column for column in self))


# `amounts` at the distinct scores of a group of rows, from the top down, in blocks
Groups = Iterator[tuple[int, np.ndarray]]


def areas_of_chunks(
    chunks: Iterable[tuple[ArrayLike, ...]],
    *,
    held: int = 1 << 30,
    scratch: Path | str | None = None,
    rows: int | None = None,
    **options,
) -> Areas:
    """Compute all areas of a table that comes in chunks, larger than memory; the same bits in whatever order.

    It agrees with `areas` to 1e-12; `options` as for `partial`.

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
    """Compute the interval of each area as `interval` does with method "influence", and as `areas_of_chunks`.

    Such intervals are too narrow below 1,000 rows of a class, or 100 positives up to where recall gain is 0: take
    `interval` there.

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
    if np.isnan(keys).any():
        raise inputs.nan_error(keys, "the scores")
    return keys


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

    `progress` is told of each row twice, when it is read and when it is done.
    """
    if scratch is not None and not Path(scratch).is_dir():
        raise ValueError(f"scratch must be a folder that is there, not {str(scratch)!r}")
    n, of_weight_0 = np.zeros((2, 2 * n_groups), dtype=np.int64)
    weights = np.zeros((2 * n_groups, LIMBS), dtype=np.int64)
    joined: dict[int, Partial] = {}
    sizes = (2, N_AREAS, 2), (2, N_AREAS, 4), 2, 1, 2
    influences = [Influences(*map(np.zeros, sizes)) if level else None for _ in range(n_groups)]
    chosen, _ = inputs.checked_options(**options)
    weighted, smallest = False, np.inf

    def counted() -> Iterator[Rows]:
        nonlocal weighted, smallest
        for chunk in chunks:
            if not chunk.keys.size:
                continue  # a part may have no rows
            n[:] += np.bincount(chunk.codes, minlength=n.size)
            if chunk.weights.size:
                weighted = True
                _add_by_code(chunk.codes, chunk.weights, weights)
                of_weight_0[:] += np.bincount(chunk.codes[chunk.weights == 0], minlength=n.size)
                smallest = np.min(chunk.weights, initial=smallest, where=chunk.weights > 0)
            progress(chunk.keys.size)
            yield chunk
        if weighted:
            _refuse_uneven(
                float(smallest), _float(Fraction(sum(map(_whole_number, weights)), SMALLEST)), int(n.sum())
            )

    def totals(group: int) -> tuple[Fraction, Fraction]:
        pair = 2 * group + 1, 2 * group
        if not weighted:
            return tuple(Fraction(int(n[code])) for code in pair)
        return tuple(Fraction(_whole_number(weights[code]), SMALLEST) for code in pair)

    def counts(group: int) -> np.ndarray:
        return (n - of_weight_0)[[2 * group + 1, 2 * group]]

    with tempfile.TemporaryDirectory(prefix="aucstudy-", dir=scratch) as folder:
        walked = _ranges(counted(), n_groups, held, rows, Path(folder), progress, level is not None)
        for group, amounts in walked:
            before, whole = joined.get(group), tuple(map(_exact, totals(group)))
            if not before and level and counts(group).min() > 1:
                of_positives, of_negatives = missed(level, counts(group))
                scaled = totals_of(*map(float, whole), chosen).N
                influences[group].on_top[:] = of_negatives * scaled / (1 - of_positives)
            above = before.below if before else (Fraction(0), Fraction(0))
            one = _partial(amounts, whole, above, chosen, influences[group])
            joined[group] = _joined(before, one) if before else one
    if not n.any():
        raise ValueError("there are no rows; at least one is wanted")
    scored: list[Scored] = []
    for group, (e, d) in enumerate(n.reshape(-1, 2)):
        areas = combine([joined[group]])._replace(n=int(e + d), n_positive=int(d))
        limits, rarer = None, 0.0
        if level and counts(group).min() > 1:
            variance, rarer = _variance(influences[group], totals(group), counts(group), chosen)
            steps = influences[group].steps.sum() / areas.weight_positive
            limits = limits_of_variance(areas, variance, counts(group), rarer, level, steps)
        scored.append(Scored(areas, limits, rarer))
    return scored


def _refuse_uneven(smallest: float, total: float, n: int) -> None:
    most = min(MOST_UNEVEN[0], MOST_UNEVEN[1] / n)
    if total > most * smallest:
        raise ValueError(
            f"the weights add up to {total:.3g}, {total / smallest:.3g} times the smallest; for {n} rows at most "
            f"{most:.3g} times is wanted, so that areas hold to 1e-12"
        )


def _add_by_code(codes: np.ndarray, weights: np.ndarray, limbs: np.ndarray) -> None:
    ends = np.cumsum(np.bincount(codes, minlength=len(limbs)))
    for own, of_code in zip(np.split(weights[np.argsort(codes, kind="stable")], ends), limbs, strict=False):
        _add_exactly(own, of_code)


def _ranges(
    chunks: Iterable[Rows],
    n_groups: int,
    held: int,
    rows: int | None,
    folder: Path,
    progress: Callable[[int], object],
    squared: bool,
    sample: np.ndarray | None = None,
) -> Groups:
    buffer: Rows | None = None
    size, files = 0, None
    for chunk in chunks:
        if buffer is None:
            # sorting rows with weights holds their largest class twice
            of_row = sum(column.itemsize for column in chunk if column.size) + 16 * (chunk.weights.size > 0)
            capacity = max(min(held // of_row, rows or held), chunk.keys.size)
            buffer = Rows(*(np.empty(capacity if column.size else 0, column.dtype) for column in chunk))
        if (chunk.keys.dtype, chunk.weights.size > 0) != (buffer.keys.dtype, buffer.weights.size > 0):
            raise ValueError("chunks differ in the type of their scores, or only some have weights")
        if files is None and size + chunk.keys.size > buffer.keys.size:
            # a copy: a view would hold the buffer while the ranges are sorted
            seen = np.sort(buffer.keys[: size : size // SAMPLE + 1] if sample is None else sample)
            n_ranges = math.ceil((rows or 16 * size) / (FILLED * buffer.keys.size)) + 3
            files = _RangeFiles(folder, seen, min(n_ranges, MOST_RANGES), buffer)
            for start in range(0, size, CHUNK):
                files.add(buffer.taken(slice(start, min(start + CHUNK, size))))
        if files is not None:
            files.add(chunk)
            continue
        for column, own in zip(buffer, chunk, strict=True):
            column[size : size + own.size] = own
        size += chunk.keys.size
    if files is None:
        if buffer is not None:
            yield from _sorted_groups(buffer.taken(slice(size)), n_groups, squared)
        progress(size)
        return
    del buffer
    for path, n, one_score in files.closed():
        if one_score:
            yield from _one_score(files.read(path), n_groups, squared)
            progress(n)
        else:
            stride = n // SAMPLE + 1
            keys = [own[::stride] for own, *_ in files.read(path)] if n * of_row > held else []
            evenly = np.concatenate(keys) if keys else None
            yield from _ranges(files.read(path), n_groups, held, n, folder, progress, squared, evenly)
        path.unlink()


class _RangeFiles:
    """A file of rows for each range of keys: from above the last cut up to the own one."""

    names = count()

    def __init__(self, folder: Path, sample: np.ndarray, n_ranges: int, example: Rows) -> None:
        cuts, times = np.unique(sample[np.arange(1, n_ranges) * sample.size // n_ranges], return_counts=True)
        often = cuts[times > 1]  # a key that fills a range has one of its own
        before = np.nextafter(often, -np.inf) if often.dtype.kind == "f" else often - often.dtype.type(1)
        self._cuts = np.union1d(cuts, before)
        named = zip(("key", "code", "weight"), example, strict=True)
        self.record = np.dtype([(name, column.dtype) for name, column in named if column.size])
        self._paths = [folder / str(next(self.names)) for _ in range(self._cuts.size + 1)]
        self._scores: list[set] = [set() for _ in self._paths]  # of each file one or two
        self._stack = ExitStack()
        self._files = [self._stack.enter_context(path.open("wb")) for path in self._paths]

    def add(self, rows: Rows) -> None:
        which = np.searchsorted(self._cuts, rows.keys).astype(np.uint16)
        order = np.argsort(which, kind="stable")
        records = np.empty(order.size, self.record)
        for name, column in zip(self.record.names, rows, strict=False):
            records[name] = column[order]
        ends = np.cumsum(np.bincount(which, minlength=len(self._files)))
        for i, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
            if end > start:
                own = records[start:end]
                self._files[i].write(own.tobytes())
                if len(self._scores[i]) < 2:
                    self._scores[i] |= {own["key"].min(), own["key"].max()}

    def closed(self) -> list[tuple[Path, int, bool]]:
        """The files that hold rows, with how many, and whether they share one score."""
        self._stack.close()
        sizes = [path.stat().st_size // self.record.itemsize for path in self._paths]
        listed = zip(self._paths, sizes, self._scores, strict=True)
        return [(path, n, len(scores) == 1) for path, n, scores in listed if n]

    def read(self, path: Path) -> Iterator[Rows]:
        with path.open("rb") as file:
            while (records := np.fromfile(file, self.record, CHUNK)).size:
                columns = [np.ascontiguousarray(records[name]) for name in self.record.names]
                yield Rows(*columns, *[np.empty(0)] * (3 - len(columns)))


def _one_score(chunks: Iterable[Rows], n_groups: int, squared: bool) -> Groups:
    at, limbs = np.zeros((1, 2 * n_groups)), np.zeros((1 + squared, 2 * n_groups, LIMBS), dtype=np.int64)
    for chunk in chunks:
        at += np.bincount(chunk.codes, minlength=at.size)
        for power, own in enumerate(limbs if chunk.weights.size else [], start=1):
            _add_by_code(chunk.codes, chunk.weights**power, own)
    if chunk.weights.size:
        sums, *squares = np.array([[_rounded(own) for own in of_power] for of_power in limbs]).swapaxes(1, 2)
        at = np.array([*sums, *(of[0] for of in squares)])
    for group in range(n_groups):
        yield group, at[:, [2 * group + 1, 2 * group]].reshape(-1, 1)


def _sorted_groups(rows: Rows, n_groups: int, squared: bool) -> Groups:
    # bincount makes int64 of what it counts
    parts = (rows.codes[start : start + CHUNK] for start in range(0, rows.codes.size, CHUNK))
    ends = np.cumsum(sum(np.bincount(codes, minlength=2 * n_groups) for codes in parts))
    starts = np.append(0, ends[:-1])
    _gather(*rows, starts.copy(), ends)
    classes = [rows.taken(slice(*limits)) for limits in zip(starts, ends, strict=True)]
    for keys, _, weights in classes:
        if weights.size:
            order = np.argsort(keys)
            weights[:] = weights[order]
            keys[:] = keys[order]
        else:
            keys.sort()
    amounts = np.empty((4 + 2 * squared if rows.weights.size else 2, CHUNK))
    for group in range(n_groups):
        negative, positive = classes[2 * group : 2 * group + 2]
        at = np.zeros(2, dtype=np.int64)
        own = positive.keys, negative.keys, positive.weights, negative.weights
        while size := _next_groups(*own, at, amounts):
            yield group, amounts[:, :size]


@compiled
def _gather(keys, codes, weights, at, ends):
    """Bring the rows of each code together, in place, by swaps."""
    for code in range(ends.size):
        while at[code] < ends[code]:
            i, own = at[code], np.int64(codes[at[code]])
            j = at[own]
            at[own] += 1
            if own != code:
                codes[i], codes[j] = codes[j], codes[i]
                keys[i], keys[j] = keys[j], keys[i]
                if weights.size:
                    weights[i], weights[j] = weights[j], weights[i]


@compiled
def _next_groups(pos, neg, of_pos, of_neg, at, amounts):
    """Fill `amounts` from the sorted keys of both classes from `at` on, and return for how many distinct ones."""
    i, j = at
    size = 0
    while size < amounts.shape[1] and (i < pos.size or j < neg.size):
        key = pos[i] if j == neg.size or (i < pos.size and pos[i] < neg[j]) else neg[j]
        first, other = i, j
        while i < pos.size and pos[i] == key:
            i += 1
        while j < neg.size and neg[j] == key:
            j += 1
        amounts[0, size], amounts[1, size] = i - first, j - other
        if amounts.shape[0] > 2:
            amounts[0, size], amounts[2, size] = _weight(of_pos[first:i], 1)
            amounts[1, size], amounts[3, size] = _weight(of_neg[other:j], 1)
        if amounts.shape[0] > 4:
            amounts[4, size], amounts[5, size] = (
                _weight(of_pos[first:i], 2)[0],
                _weight(of_neg[other:j], 2)[0],
            )
        size += 1
    at[0], at[1] = i, j
    return size


@compiled
def _weight(weights, power):
    """The sum of weights or of their squares, whatever their order, and what it lost to rounding."""
    if weights.size < 2:
        weight = weights[0] if weights.size else 0.0
        return (weight if power == 1 else weight * weight), 0.0
    limbs = np.zeros(LIMBS, dtype=np.int64)
    _add_exactly(weights if power == 1 else weights * weights, limbs)
    return _rounded(limbs)


@compiled
def _rounded(limbs):
    value, rest, digits = 0.0, 0.0, 0
    for place in range(LIMBS - 1, -1, -1):
        if limbs[place] > 0 or digits > 0:
            value, rest = add(value, rest, math.ldexp(np.float64(limbs[place]), LIMB * place - 1074))
            digits += 1
        if digits == 5:
            break
    return value, rest
