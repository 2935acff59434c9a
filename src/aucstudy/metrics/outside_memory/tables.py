"""Exact areas of tables that come in chunks, to the same bits however they are cut."""

import math
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.area_names import AREAS
from aucstudy.metrics import inputs
from aucstudy.metrics.areas import Areas
from aucstudy.metrics.formulas.sums import SUMS, finish
from aucstudy.metrics.formulas.terms import totals_of
from aucstudy.metrics.outside_memory.exact_sums import (
    LIMBS,
    UNITS_PER_ONE,
    add_by_code,
    whole_number,
)
from aucstudy.metrics.outside_memory.runs import OneScore, Rows, no_progress, sorted_runs, split_into_runs
from aucstudy.metrics.outside_memory.walks import (
    Walks,
    finish_variances,
    new_walks,
    walk_one_score,
    walk_rows,
)
from aucstudy.metrics.uncertainty.intervals import Interval, Limits, checked_level, limits_of_variance
from aucstudy.metrics.uncertainty.spread import largest_unseen_shares

LARGEST_WEIGHT = 2.0**200
MOST_UNEVEN = 2.0**64, 2.0**80  # the sum of weights over the smallest; that times the rows


class Scored(NamedTuple):
    """Areas and their limits, None where a class has less than two rows; `n_minority` as of `Sample`."""

    areas: Areas
    limits: Limits | None = None
    n_minority: float = 0.0


def _as_float(units: int) -> float:
    """A sum of weights that is given in multiples of 2^-1074."""
    try:
        return units / UNITS_PER_ONE
    except OverflowError:
        return math.inf


def _refuse_extreme(total: float) -> None:
    if not (total == 0 or 1 / LARGEST_WEIGHT <= total <= LARGEST_WEIGHT):
        raise ValueError(f"totals must be 0 or lie between 2^-200 and 2^200, not {total:g}")


def _areas_of(sums: Sequence[Sequence[int]], class_totals: np.ndarray, options: np.ndarray) -> list[Areas]:
    exact = np.array([[total / UNITS_PER_ONE for total in group_sums] for group_sums in sums])
    out, has_both = np.full((len(exact), 1, SUMS), np.nan), (class_totals > 0).all(axis=1)
    if has_both.any():
        areas = np.empty((int(has_both.sum()), 1, SUMS))
        finish(exact[has_both, None], class_totals[has_both], options, areas)
        out[has_both] = areas
    if not has_both.all():
        inputs.warn_one_class("the table holds one class only: areas", stacklevel=4)
    areas_of_groups = []
    for values, (P, N) in zip(out[:, 0].tolist(), class_totals.tolist(), strict=True):
        observed = P / (P + N) if P + N > 0 else np.nan
        rows = {"n": round(P + N), "n_positive": round(P), "weight": P + N, "weight_positive": P}
        prevalences = {"prevalence": observed, "reference_prevalence": float(options[0]) or observed}
        areas_of_groups.append(Areas(*values, **rows, **prevalences))
    return areas_of_groups


def negated(scores: np.ndarray) -> np.ndarray:
    """A key that rises where the score falls, of 64-bit integers without loss."""
    if scores.dtype.kind not in "biuf" or scores.dtype.itemsize > 8:
        raise ValueError(f"scores must be floats or integers of at most 64 bits, not {scores.dtype}")
    if scores.dtype.kind in "iu" and scores.dtype.itemsize == 8:
        return ~scores
    keys = np.negative(scores, dtype=np.float64)
    inputs.refuse_nan(keys, "the scores")
    return keys


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


class Tally:
    def __init__(self, n_codes: int) -> None:
        self.weighted, self.smallest_weight = False, np.inf
        self.n, self.n_weightless = np.zeros((2, n_codes), dtype=np.int64)
        self.weights = np.zeros((n_codes, LIMBS), dtype=np.int64)  # takes memory where it is written to

    def of_chunks(self, chunks: Iterable[Rows], progress: Callable[[int], object]) -> Iterator[Rows]:
        for chunk in chunks:
            if not chunk.keys.size:
                continue  # a part may have no rows
            self.n += np.bincount(chunk.codes, minlength=self.n.size)
            if chunk.weights.size:
                self.weighted = True
                add_by_code(chunk.codes, chunk.weights, self.weights)
                self.n_weightless += np.bincount(chunk.codes[chunk.weights == 0], minlength=self.n.size)
                self.smallest_weight = np.min(
                    chunk.weights, initial=self.smallest_weight, where=chunk.weights > 0
                )
            progress(chunk.keys.size)
            yield chunk

    def totals(self) -> list[tuple[int, int]]:
        """Positives and negatives of each group, or their weight, in multiples of 2^-1074."""
        if not self.weighted:
            return [(d * UNITS_PER_ONE, e * UNITS_PER_ONE) for e, d in self.n.reshape(-1, 2).tolist()]
        weights = list(map(whole_number, self.weights))
        total, n = _as_float(sum(weights)), int(self.n.sum())
        most_uneven = min(MOST_UNEVEN[0], MOST_UNEVEN[1] / n)
        if total > most_uneven * self.smallest_weight:
            raise ValueError(
                f"the weights add up to {total:.3g}, {total / self.smallest_weight:.3g} times the smallest; "
                f"for {n} rows at most {most_uneven:.3g} times is wanted, so that areas hold to 1e-12"
            )
        for code_weight in weights:
            _refuse_extreme(_as_float(code_weight))
        return list(zip(weights[1::2], weights[::2], strict=True))

    def counts(self) -> np.ndarray:
        """(n_groups, 2) positives and negatives that have a weight."""
        return (self.n - self.n_weightless).reshape(-1, 2)[:, ::-1]


def _put_unseen_negatives_on_top(walks: Walks, counts: np.ndarray, level: float) -> None:
    for group in np.flatnonzero(counts.min(axis=1) > 1):
        unseen_positives, unseen_negatives = largest_unseen_shares(level, counts[group])
        scaled_negatives = totals_of(*walks.class_totals[group], walks.options).N
        # the walk gives positives their full weight, of which the seen ones have 1 - unseen_positives
        walks.influences.on_top[group] = unseen_negatives * scaled_negatives / (1 - unseen_positives)


def _with_limits(areas: Areas, walks: Walks, group: int, counts: np.ndarray, level: float) -> Scored:
    if counts.min() < 2:
        return Scored(areas)
    variance, n_minority = finish_variances(walks, group, counts)
    steps = walks.influences.steps[group].sum() / areas.weight_positive
    return Scored(areas, limits_of_variance(areas, variance, counts, n_minority, level, steps), n_minority)


def grouped_areas(
    chunks: Iterable[Rows],
    n_groups: int,
    *,
    held: int,
    scratch: Path | str | None = None,
    rows: int | None = None,
    progress: Callable[[int], object] = no_progress,
    level: float | None = None,
    **options,
) -> list[Scored]:
    """The areas of each group of rows, and with a `level` their limits; `progress` gets every row twice."""
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
            _put_unseen_negatives_on_top(walks, counts, level)
        for piece in sorted_runs(runs, n_groups, held, folder, squared=level is not None, progress=progress):
            if isinstance(piece, OneScore):
                walk_one_score(piece.amounts, walks)
            else:
                walk_rows(*piece, walks)
            del piece  # before the next is read
    areas = _areas_of([list(map(whole_number, sums)) for sums in walks.sums], walks.class_totals, chosen)
    pairs = tally.n.reshape(-1, 2).tolist()
    areas = [result._replace(n=e + d, n_positive=d) for result, (e, d) in zip(areas, pairs, strict=True)]
    if not level:
        return list(map(Scored, areas))
    return [_with_limits(result, walks, group, counts[group], level) for group, result in enumerate(areas)]


def areas_of_chunks(
    chunks: Iterable[tuple[ArrayLike, ...]],
    *,
    held: int = 1 << 30,
    scratch: Path | str | None = None,
    rows: int | None = None,
    **options,
) -> Areas:
    """Compute all areas of a table that comes in chunks, larger than memory; to the same bits in any order.

    They agree with `areas` to 1e-12; `options` are `recall_range`, `prevalence` and `negative_gains`, as for `areas`.

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
    >>> areas_of_chunks((y[i : i + 2], score[i : i + 2]) for i in (2, 0)).auroc
    0.75
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

    Too narrow where the rarer class has fewer than 1,000 rows, or than 100 / prevalence: take `interval` there.

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
