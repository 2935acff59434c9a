"""Areas under ROC, precision-recall and precision-recall-gain curves, all from one pass over the scores."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics import inputs
from aucstudy.metrics.bounds import minimum_and_room
from aucstudy.metrics.layout import sorted_segments
from aucstudy.metrics.sums import all_sums


class Areas(NamedTuple):
    """All areas of one ranking; see `areas`."""

    auroc: float
    aupr: float
    auprg: float
    aucnpr: float
    average_precision: float
    n: int
    n_positive: int
    weight: float
    weight_positive: float
    prevalence: float
    reference_prevalence: float


class AreasMany(NamedTuple):
    """All areas of many rankings, the fields of `Areas` as arrays; see `areas_many`."""

    auroc: np.ndarray
    aupr: np.ndarray
    auprg: np.ndarray
    aucnpr: np.ndarray
    average_precision: np.ndarray
    n: np.ndarray
    n_positive: np.ndarray
    weight: np.ndarray
    weight_positive: np.ndarray
    prevalence: np.ndarray
    reference_prevalence: np.ndarray


def areas(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    recall_range: tuple[float, float] | None = None,
    prevalence: float | None = None,
    negative_gains: str = "signed",
) -> Areas:
    """Compute AUROC, AUPR, AUPRG, AUCNPR and average precision of one ranking in one pass."""
    s = inputs.checked_scores(y_score)
    found = _all_areas(
        y_true,
        s.reshape(-1, 1),
        "y_score",
        None,
        sample_weight,
        pos_label,
        recall_range,
        prevalence,
        negative_gains,
    )
    return Areas(*(field.flat[0].item() for field in found))


def areas_many(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    recall_range: tuple[float, float] | None = None,
    prevalence: float | None = None,
    negative_gains: str = "signed",
) -> AreasMany:
    """Compute all areas of every column of `scores`, within each group of rows if `groups` is given.

    Parameters
    ----------
    y_true : array_like of shape (n_rows,)
        Labels, two values.
    scores : array_like of shape (n_rows, n_models)
        One column a model; larger means more likely positive.
    groups : array_like of shape (n_rows,), optional
        For instance the fold of each row.
    sample_weight, pos_label, recall_range, prevalence, negative_gains
        As in `areas`.

    Returns
    -------
    AreasMany
        Named tuple with the fields of `Areas`. Without groups every field is an array of shape (n_models,);
        with groups of shape (n_groups, n_models), groups in the order of ``np.unique(groups)``. The fields
        n, n_positive, weight, weight_positive, prevalence and reference_prevalence depend on the group only;
        they are broadcast to the same shape (read-only views). A group of one class has NaN areas; one
        warning a call says how many there are.
    """
    s = inputs.checked_scores(scores, "scores", ndim=2)
    found = _all_areas(
        y_true, s, "scores", groups, sample_weight, pos_label, recall_range, prevalence, negative_gains
    )
    return found if groups is not None else AreasMany(*(field[0] for field in found))


def _all_areas(
    y_true, scores, name, groups, sample_weight, pos_label, recall_range, prevalence, negative_gains
) -> AreasMany:
    """All areas, every field of shape (n_groups, n_models)."""
    clip = inputs.checked_negative_gains(negative_gains)
    a, b = inputs.checked_recall_range(recall_range)
    asked = inputs.checked_prevalence(prevalence)
    positive = inputs.checked_labels(y_true, pos_label)
    n_rows, n_models = scores.shape
    inputs.same_length(positive.size, n_rows, name)
    weight = inputs.checked_weights(sample_weight, n_rows)
    if np.isnan(scores).any():
        raise ValueError(inputs.nan_message(scores if name == "scores" else scores[:, 0], name))
    if groups is None:
        codes, n_groups = np.zeros(n_rows, dtype=np.int64), 1
    else:
        names, codes = inputs.checked_groups(groups, n_rows)
        n_groups = names.size
    sides = []
    for mask in (positive, ~positive):
        rows = np.flatnonzero(mask)
        sides.append(sorted_segments(scores, rows, codes[rows], n_groups, weight))
    n = np.bincount(codes, minlength=n_groups)
    n_positive = np.bincount(codes[positive], minlength=n_groups)
    if weight is None:
        weights = np.stack([n_positive, n - n_positive], axis=1).astype(float)
    else:
        weights = np.zeros((n_groups, 2))
        for g in range(n_groups):
            for side, mask in enumerate((positive, ~positive)):
                weights[g, side] = math.fsum(weight[mask & (codes == g)])
    layout = np.stack([part for side in sides for part in (side.starts, side.widths, side.counts)], axis=1)
    sums = np.empty((n_groups, n_models, 5))
    all_sums(
        sides[0].scores,
        sides[1].scores,
        sides[0].weights,
        sides[1].weights,
        weight is not None,
        np.ascontiguousarray(layout, dtype=np.int64),
        weights,
        np.array([asked or 0.0, clip, a, b]),
        sums,
    )
    undefined = int((~((weights > 0).all(axis=1))).sum())
    if undefined:
        where = "y_true holds" if groups is None else f"{undefined} of {n_groups} groups hold"
        inputs.warn_one_class(f"{where} one class only: areas")
    return _finished(sums, weights, n, n_positive, asked, (a, b))


def _finished(sums, weights, n, n_positive, asked, recall_range) -> AreasMany:
    P, N = weights[:, :1], weights[:, 1:]
    width = recall_range[1] - recall_range[0]
    with np.errstate(invalid="ignore", divide="ignore"):
        prevalence = np.where(P + N > 0, P / (P + N), np.nan)
        reference = prevalence if asked is None else np.full_like(prevalence, asked)
        minimum, room = minimum_and_room(reference, recall_range)
        inside, outside = sums[..., 2] / P, sums[..., 3] / P
        auroc = sums[..., 0] / (P * N)
        step = sums[..., 1] / P
        aupr = np.where(inside < 0.5 * width, inside, width - outside)
        near_top = (reference > 0.5) | (outside < 0.5 * room)
        aucnpr = np.clip(np.where(near_top, 1 - outside / room, (inside - minimum) / room), 0, 1)
        auprg = 1 - sums[..., 4]
    shape = auroc.shape
    per_group = [n[:, None], n_positive[:, None], P + N, P, prevalence, reference]
    return AreasMany(
        auroc, aupr, auprg, aucnpr, step, *(np.broadcast_to(field, shape) for field in per_group)
    )
