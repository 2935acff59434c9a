"""Checks of arguments: each returns plain arrays, or raises ValueError with the argument's name and what it held."""

import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.containers import EXACT_INTEGER, named_columns, plain_array, real_numbers, vector

_ORDINARY = 2.0**200  # weights up to this, and from its inverse on, have products of four that stay finite
_FARTHEST_APART = 256  # as a power of two: the largest weight of one class over that of the other
_NEGLIGIBLE = 2.0**-900  # a weight that changes no area if the largest weight is 1
_LEAST_PREVALENCE = 1e-100  # below, products of its inverse are no longer finite


class CheckedOptions(NamedTuple):
    """Options of areas: a `prevalence`, or None; whether negative gains count as 0; the lowest and highest recall."""

    prevalence: float | None
    clip: bool
    recalls: tuple[float, float]


def checked_options(
    recall_range: tuple[float, float] | None = None,
    prevalence: float | None = None,
    negative_gains: str = "signed",
) -> CheckedOptions:
    """Check the options of `areas`, whose docstring says which values are a ValueError."""
    if negative_gains not in ("signed", "clip"):
        raise ValueError(f"negative_gains must be 'signed' or 'clip', not {negative_gains!r}")
    recalls = checked_recall_range(recall_range)
    return CheckedOptions(checked_prevalence(prevalence), negative_gains == "clip", recalls)


def checked_recall_range(recall_range: tuple[float, float] | None) -> tuple[float, float]:
    if recall_range is None:
        return 0.0, 1.0
    try:
        a, b = (float(value) for value in recall_range)
    except (TypeError, ValueError):
        a = b = float("nan")
    if not 0 <= a < b <= 1:
        raise ValueError(f"recall_range must be (a, b) with 0 <= a < b <= 1, not {recall_range!r}")
    return a, b


def checked_prevalence(prevalence: float | None) -> float | None:
    if prevalence is None:
        return None
    try:
        value = float(prevalence)
    except (TypeError, ValueError):
        value = float("nan")
    if not 0 < value < 1:
        raise ValueError(f"prevalence must lie strictly between 0 and 1, not {prevalence!r}")
    if value < _LEAST_PREVALENCE:
        raise ValueError(f"prevalence must be at least {_LEAST_PREVALENCE:g}, not {prevalence!r}")
    return value


class Rows(NamedTuple):
    """Rows as the kernels take them: `labels` are 1 or 0, `codes` number their groups if there are some.

    `weight` is scaled by 2^-`exponents` (n_groups,).
    """

    labels: np.ndarray
    n_positive: int
    scores: np.ndarray
    weight: np.ndarray | None
    exponents: np.ndarray
    codes: np.ndarray | None

    def group_codes(self) -> np.ndarray:
        return np.zeros(len(self.labels), dtype=np.int64) if self.codes is None else self.codes


def checked_rows(
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    groups: ArrayLike | None = None,
    name: str = "y_score",
    ndim: int = 1,
) -> Rows:
    if _is_indexed(y_true):
        same_order(y_true, {name: y_score, "sample_weight": sample_weight, "groups": groups})
    scores = checked_scores(y_score, name, ndim)
    positive = checked_labels(y_true, pos_label)
    same_length(positive.size, len(scores), name)
    refuse_nan(scores, name)
    weight = checked_weights(sample_weight, len(scores))
    codes, n_groups = (None, 1) if groups is None else checked_groups(groups, len(scores))
    weight, exponents = leveled_weights(weight, positive, codes, n_groups)
    labels = np.ascontiguousarray(positive).view(np.uint8)
    return Rows(labels, int(np.count_nonzero(positive)), scores, weight, exponents, codes)


def checked_rows_of_labels(
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None,
    pos_label: Any,
    average: str | None,
) -> Rows:
    """Check as `checked_rows` does.

    A multilabel indicator becomes a row for each of its cells, in the groups whose areas are averaged.
    """
    same_order(y_true, {"y_score": y_score, "sample_weight": sample_weight})
    y_true = plain_array(y_true, "y_true")
    if y_true.ndim != 2 or y_true.shape[1] == 1:
        return checked_rows(y_true, y_score, sample_weight, pos_label)
    if pos_label is not None and pos_label != 1:
        raise ValueError(f"pos_label must be 1 where y_true has a column for each label, not {pos_label!r}")
    scores = checked_scores(y_score, ndim=2)
    if scores.shape != y_true.shape:
        raise ValueError(f"y_true has shape {y_true.shape} and y_score {scores.shape}; they must be the same")
    row, label = np.indices(scores.shape).reshape(2, -1)
    weight = checked_weights(sample_weight, len(scores))
    weight = None if weight is None or average == "samples" else weight[row]
    groups = {"micro": None, "samples": row}.get(average, label)
    return checked_rows(y_true.ravel(), scores.ravel(), weight, pos_label, groups)


def checked_labels(y_true: ArrayLike, pos_label: Any = None, name: str = "y_true") -> np.ndarray:
    """Return which rows are positive, (n,) bool."""
    y = vector(plain_array(y_true, name))
    if y.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, not of shape {y.shape}")
    if y.size == 0:
        raise ValueError(f"{name} is empty; at least one row is needed")
    if y.dtype.kind == "O" and any(map(_is_missing, dict.fromkeys(y.tolist()))):
        raise ValueError(_wrong_labels(y, pos_label, name))
    if pos_label is None:
        positive = np.asarray(y == 1, dtype=bool)
        two_values = any(bool(np.all(positive | (y == negative))) for negative in (0, -1))
    else:
        positive = np.asarray(y == pos_label, dtype=bool)
        negatives = y[~positive]
        two_values = negatives.size == 0 or bool(np.all(negatives == negatives[0]))
    if not two_values:
        raise ValueError(_wrong_labels(y, pos_label, name))
    return positive


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA is neither equal nor unequal to itself
        return True


def _wrong_labels(y: np.ndarray, pos_label: Any, name: str) -> str:
    distinct = list(dict.fromkeys(y.tolist()))
    values = ", ".join(repr(value) for value in distinct[:5]) + (", ..." if len(distinct) > 5 else "")
    if len(distinct) > 2 or any(map(_is_missing, distinct)):
        return f"{name} must hold two values, not {values}"
    if pos_label is None:
        return f"{name} holds {values}: which is positive? Give pos_label, or labels 0/1, -1/1 or False/True"
    return f"pos_label={pos_label!r} is not among the labels of {name}: {values}"


def checked_scores(scores: Any, name: str = "y_score", ndim: int = 1) -> np.ndarray:
    """Return the scores as float64 that order and tie exactly as the given ones. NaN is not refused here.

    Scores that float64 would round become ranks. Two-dimensional scores may be a data frame or a mapping of columns.
    """
    if ndim == 2 and (columns := named_columns(scores)):
        # Each is checked by itself: in one array, large integers beside floats would be rounded.
        return np.column_stack([checked_scores(column, name) for column in columns.values()])
    s = real_numbers(scores, name)
    s = vector(s) if ndim == 1 else s
    if s.ndim != ndim:
        shape = "one-dimensional" if ndim == 1 else "of shape (n_rows, n_models)"
        raise ValueError(f"{name} must be {shape}, not of shape {s.shape}")
    if s.dtype == np.float64:
        return np.ascontiguousarray(s) if ndim == 1 else s
    if not needs_ranks(s):
        return s.astype(np.float64)
    ranks = np.unique(s, return_inverse=True)[1].reshape(s.shape).astype(np.float64)
    return np.where(np.isnan(s), np.nan, ranks) if s.dtype.kind == "f" else ranks


def needs_ranks(scores: np.ndarray) -> bool:
    """Return whether float64 may tie scores of `real_numbers`: long doubles, and integers beyond 2^53."""
    if scores.dtype.kind in "iu" and scores.dtype.itemsize == 8 and scores.size:
        return max(-int(scores.min()), int(scores.max())) > EXACT_INTEGER
    return scores.dtype.kind == "f" and scores.dtype.itemsize > 8


def refuse_nan(scores: np.ndarray, name: str) -> None:
    if np.isnan(scores).any():
        bad = np.argwhere(np.isnan(scores))
        first = tuple(int(i) for i in bad[0])
        index = first[0] if len(first) == 1 else first
        raise ValueError(f"{name} holds {len(bad)} NaN, the first at index {index}")


def checked_weights(sample_weight: ArrayLike | None, n: int) -> np.ndarray | None:
    if sample_weight is None:
        return None
    w = vector(real_numbers(sample_weight, "sample_weight").astype(np.float64))
    if w.ndim != 1:
        raise ValueError(f"sample_weight must be one-dimensional, not of shape {w.shape}")
    same_length(n, w.size, "sample_weight")
    bad = np.flatnonzero(~((w >= 0) & np.isfinite(w)))
    if bad.size:
        raise ValueError(f"sample_weight must be finite and not negative, not {w[bad[0]]} at index {bad[0]}")
    return w


def leveled_weights(
    weight: np.ndarray | None, positive: np.ndarray, codes: np.ndarray | None = None, n_groups: int = 1
) -> tuple[np.ndarray | None, np.ndarray]:
    """Return weights that neither overflow nor vanish in sums, and the exponents (n_groups,) of 2 they were divided by.

    ValueError where the largest weights of the two classes of a group are too far apart.
    """
    as_they_are = weight, np.zeros(n_groups, dtype=np.int64)
    if weight is None:
        return as_they_are
    smallest = np.min(weight, where=weight > 0, initial=np.inf)
    if smallest > 1 / _ORDINARY and weight.max() < _ORDINARY:
        return as_they_are
    codes = np.zeros(weight.size, dtype=np.int64) if codes is None else codes
    largest = np.zeros((n_groups, 2))  # of positives, and of negatives
    np.maximum.at(largest, (codes, np.where(positive, 0, 1)), weight)
    exponents = np.frexp(largest)[1]
    too_far_apart = abs(exponents[:, 0] - exponents[:, 1]) > _FARTHEST_APART
    wrong = np.flatnonzero(too_far_apart & (largest > 0).all(axis=1))
    if wrong.size:
        a, b = largest[wrong[0]]
        raise ValueError(
            f"sample_weight is at most {a:g} for positives and {b:g} for negatives; "
            f"these two must lie within a factor of 2^{_FARTHEST_APART} of each other"
        )
    scaled = np.ldexp(weight, -exponents[codes, 0])
    return np.where(scaled < _NEGLIGIBLE, 0.0, scaled), exponents[:, 0]


def checked_groups(groups: ArrayLike, n: int, name: str = "groups") -> tuple[np.ndarray, int]:
    """Return each row's index among the sorted groups, and the number of groups."""
    g = plain_array(groups, name)
    if g.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, not of shape {g.shape}")
    same_length(n, g.size, name)
    try:
        names, codes = np.unique(g, return_inverse=True)
    except TypeError:
        raise ValueError(f"{name} must hold values of one kind that can be ordered") from None
    return codes, names.size


def same_length(n: int, n_other: int, name: str) -> None:
    if n != n_other:
        raise ValueError(f"y_true has {n} rows and {name} has {n_other}; they must have the same number")


def same_order(y_true: Any, others: Mapping[str, Any]) -> None:
    """Raise ValueError if a series or frame of pandas has the index of the labels in another order.

    Rows are taken by their position. With such an index they would be the scores of other rows.
    """
    if not _is_indexed(y_true):
        return
    index = y_true.index
    for name, values in others.items():
        if not _is_indexed(values) or len(values) != len(index) or values.index.equals(index):
            continue
        if set(values.index) == set(index):
            raise ValueError(
                f"{name} has the index of y_true in another order; bring it into the order of y_true, as by "
                f"{name}.loc[y_true.index], or give arrays if the rows correspond by position"
            )


def _is_indexed(values: Any) -> bool:
    return hasattr(values, "iloc")


def warn_one_class(undefined: str, stacklevel: int = 4) -> None:
    """Warn that something cannot be computed, as one class has no row.

    `undefined` says why and what, and is the beginning of the message: "y_true holds one class only: areas".
    `stacklevel` counts the calls from here up to the line of the user's that the warning shall name.
    """
    warnings.warn(f"{undefined} are not defined and set to NaN", warning_class(), stacklevel=stacklevel)


@cache
def warning_class() -> type[UserWarning]:
    """`UndefinedMetricWarning`, a subclass of scikit-learn's, which is imported on first use."""
    try:
        from sklearn.exceptions import UndefinedMetricWarning as Base
    except ModuleNotFoundError:
        Base = UserWarning
    text = "An area that is not defined for these labels, and is NaN."
    return type("UndefinedMetricWarning", (Base,), {"__module__": __name__, "__doc__": text})


def __getattr__(name: str) -> Any:
    if name == "UndefinedMetricWarning":
        return warning_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
