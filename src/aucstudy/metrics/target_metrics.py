"""Target metrics, which say what a model is needed for: their names, and their values on samples of the rows.

| name | value | source |
|---|---|---|
| `f1`, `f2`, `f0.5` | highest F_beta of a threshold | van Rijsbergen 1979 |
| `mcc` | highest correlation of truth and prediction of a threshold, 0 for none | Matthews 1975 |
| `recall@.9` | highest recall of a threshold with precision .9 or more, 0 without one | Saito & Rehmsmeier 2015 |
| `precision@100` | precision among the first 100 rows; `precision@.05` among the first 5 % | Järvelin & Kekäläinen 2000 |
| `precision@P` | precision among as many rows as are positive | Buckley & Voorhees 2000 |
| `net:W` | TPR - W FP / P, the highest of a threshold, 0 for none: net benefit over prevalence, where a false positive undoes W true ones | Vickers & Elkin 2006 |
| `net:odds`, `net:sqrt`, `net:odds^.25` | W is the odds of a positive (which makes it Youden's J), their root, or another power | |
| `auroc@.1` | area under the ROC curve up to a false positive rate of .1, such that chance is .5 and perfect 1 | McClish 1989 |
| `cost:C` | 1 - cost / that of the cheaper of all and none, the highest of a threshold, where a missed positive costs C and a false one 1 | Drummond & Holte 2006 |

None exceeds 1. Thresholds accept tied rows together; the first rows of `precision@` take them in random order.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics import inputs
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.kernel import (
    AUROC,
    COST,
    F_BETA,
    MCC,
    NET,
    OBSERVED,
    PRECISION,
    RECALL,
    Order,
    areas_of_groups,
    best_threshold,
    count_groups,
    descending_scores,
    order_of,
    room_for,
    select_rows,
    threshold_of,
    totals_of,
    value_at,
)

TARGET_METRICS = (
    "f1", "f2", "recall@.5", "recall@.9", "precision@P", "precision@100", "net:1", "net:sqrt", "net:odds", "cost:10",
)  # fmt: skip
AREAS = ("aupr", "auprg", "auroc", "average_precision")
_KINDS = {
    "f": F_BETA, "recall@": RECALL, "precision@": PRECISION, "net:": NET, "cost:": COST, "auroc@": AUROC,
}  # fmt: skip
_WORDS = {PRECISION: ("P",), NET: ("odds", "sqrt")}
_FORM = re.compile(r"(f|recall@|precision@|net:|cost:|auroc@)(P|odds|sqrt|odds\^\.\d+|\d*\.?\d+)")


class TargetMetric(NamedTuple):
    """A target metric. Its number is a text if it depends on the rows: P, odds, sqrt, or a power of the odds."""

    name: str
    kind: int
    number: float | str


def target_of(name: str) -> TargetMetric:
    """Return the target metric with this name; ValueError if it is unknown or its number makes no sense.

    >>> target_of("recall@.9")
    TargetMetric(name='recall@.9', kind=1, number=0.9)
    """
    if name == "mcc":
        return TargetMetric(name, MCC, 1.0)
    form = _FORM.fullmatch(name)
    kind = _KINDS[form[1]] if form else -1
    if form and form[2].partition("^")[0] in _WORDS.get(kind, ()):
        return TargetMetric(name, kind, form[2])
    number = float(form[2]) if form and re.fullmatch(r"[\d.]+", form[2]) else np.nan
    if not number > 0 or (kind in (RECALL, AUROC) and number > 1):
        known_names = ", ".join((*TARGET_METRICS, "auroc@.1", "mcc"))
        raise ValueError(
            f"target metric {name!r} is not known; expected: {known_names}, or another number in one"
        )
    if kind == PRECISION and number > 1 and not number.is_integer():
        raise ValueError(
            f"target metric {name!r} is of {form[2]} rows; a whole number, or a share below 1, is needed"
        )
    return TargetMetric(name, kind, number)


def target_value(
    y_true: ArrayLike,
    y_score: ArrayLike,
    target_metric: str,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Return the value of a target metric, at the threshold that is best on these rows.

    It is at most 1, and NaN for rows of one class. Other arguments and errors are as for `auroc`.

    Parameters
    ----------
    target_metric : str
        One of the table of `aucstudy.metrics.target_metrics`; ValueError for others. Rows count by their weight, also
        among the first 100.

    Examples
    --------
    >>> y, score = [1, 0, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.1]
    >>> [round(target_value(y, score, target), 3) for target in ("f1", "recall@.9", "precision@2", "net:1")]
    [0.857, 0.333, 0.5, 0.667]
    """
    target = target_of(target_metric)
    inputs.same_order(y_true, {"y_score": y_score, "sample_weight": sample_weight})
    positive, scores = inputs.checked_labels(y_true, pos_label), inputs.checked_scores(y_score)
    inputs.same_length(positive.size, scores.size, "y_score")
    inputs.refuse_nan(scores, "y_score")
    weight, _ = inputs.leveled_weights(inputs.checked_weights(sample_weight, positive.size), positive)
    weight = np.ones(positive.size) if weight is None else weight
    order = order_of(positive, scores[:, None])
    return float(weighted_values(order, weight[None], target, float(weight.sum()))[0, 0])


def least_value(target: TargetMetric) -> float:
    """A lower bound of the target metric. Even the worst ranking may have a higher value."""
    return (1 - target.number) / (2 - target.number) if target.kind == AUROC else 0.0


class OnSamples(NamedTuple):
    """The `areas` and the values of target metrics of m models on samples of the rows.

    `areas` (4, samples, m) are in the order of `AREAS`. `values`, and the `false_positives` and `thresholds`
    behind them, are (targets, samples, m). A threshold lies half way to the next lower score of the sample.
    """

    areas: np.ndarray
    values: np.ndarray
    false_positives: np.ndarray
    thresholds: np.ndarray


def on_samples(
    order: Order,
    scores: np.ndarray,
    samples: np.ndarray,
    targets: Sequence[TargetMetric],
    *,
    negative_weight: float = 1.0,
    of_rows: float | None = None,
) -> OnSamples:
    """Compute areas and target metrics of the models on (samples, n) samples of the rows.

    They are NaN on a sample of one class. A negative stands for `negative_weight` negatives. `precision@100`
    is of the first 100 rows of the sample. If `of_rows` is given, it is of the sample's share of the first
    100 among so many.
    """
    samples = np.ascontiguousarray(samples, dtype=np.uint8)
    descending = descending_scores(order, scores)
    shape = len(samples), len(order.rows)
    areas = np.full((len(AREAS), *shape), np.nan)
    values, false_positives, thresholds = np.full((3, len(targets), *shape), np.nan)
    kinds = np.array([target.kind for target in targets])
    positives, negatives = (samples @ side.astype(float) for side in (order.positive, ~order.positive))
    for s in np.flatnonzero((positives > 0) & (negatives > 0)):
        P, N = positives[s], negative_weight * negatives[s]
        share = (P + N) / of_rows if of_rows else 1.0
        numbers = np.array([number_of(target, P, N, share) for target in targets])
        # `totals_of` weighs negatives such that positives get a prevalence: here that of P among P and N
        weighted = OBSERVED if negative_weight == 1 else OBSERVED._replace(prevalence=P / (P + N))
        totals = totals_of(P, negatives[s], weighted)
        out = areas[:, s], values[:, s], false_positives[:, s], thresholds[:, s]
        _values_of_sample(order, descending, samples[s], totals, kinds, numbers, out)
    return OnSamples(areas, values, false_positives, thresholds)


@compiled
def _values_of_sample(order, descending, sample, totals, kinds, numbers, out):
    areas, values, false_positives, thresholds = out
    n = order.rows.shape[1]
    selection, groups = room_for(n), np.empty((4, int(totals.P) + 1))
    for m in range(order.rows.shape[0]):
        rows, ends_group, ranks = select_rows(order.rows[m], descending[m], sample, selection)
        size = count_groups(rows, ends_group, order.positive, sample, groups)
        computed = areas_of_groups(groups, size, totals)
        areas[0, m], areas[1, m] = computed.aupr, computed.auprg
        areas[2, m], areas[3, m] = computed.auroc, computed.average_precision
        for w in range(kinds.size):
            values[w, m], t, f = best_threshold(groups, size, totals, kinds[w], numbers[w])
            false_positives[w, m] = f
            n_accepted = min(int(t + f + 0.5), rows.size)
            thresholds[w, m] = threshold_of(descending[m], ranks, n_accepted)


def weighted_values(order: Order, weights: np.ndarray, target: TargetMetric, of_rows: float) -> np.ndarray:
    """Return the values (k, m) of a target metric of the models under (k, n) weights of the rows.

    `of_rows` is the weight of all rows, to which the number in `precision@100` refers. Values are NaN where a
    class has no weight.
    """
    positives, negatives = (weights @ side.astype(float) for side in (order.positive, ~order.positive))
    values = np.full((len(weights), len(order.rows)), np.nan)
    for k in np.flatnonzero((positives > 0) & (negatives > 0)):
        P, N = positives[k], negatives[k]
        number = float(number_of(target, P, N, (P + N) / of_rows))
        _values_of_weighted(order, weights[k], totals_of(P, N, OBSERVED), target.kind, number, values[k])
    return values


@compiled
def _values_of_weighted(order, weight, totals, kind, number, values):
    groups = np.empty((4, np.count_nonzero(order.positive) + 1))
    for m in range(order.rows.shape[0]):
        size = count_groups(order.rows[m], order.ends_group[m], order.positive, weight, groups)
        values[m] = best_threshold(groups, size, totals, kind, number)[0]


def values_of_counts(
    target: TargetMetric,
    true_positives: np.ndarray,
    false_positives: np.ndarray,
    positives: float,
    negatives: float,
) -> np.ndarray:
    """Return the values (k,) of a target metric at thresholds with so many true and false positives.

    `positives` and `negatives` are those of all rows. ValueError for `precision@` and `auroc@`, which have no
    threshold.

    >>> values_of_counts(target_of("net:1"), np.array([3.0, 2.0]), np.array([1.0, 2.0]), 4.0, 8.0).tolist()
    [0.5, 0.0]
    """
    if target.kind in (PRECISION, AUROC):
        raise ValueError(f"target metric {target.name!r} has no threshold")
    values, number = np.empty(len(true_positives)), float(number_of(target, positives, negatives))
    _values_of_each(true_positives, false_positives, positives, negatives, target.kind, number, values)
    return values


@compiled
def _values_of_each(true_positives, false_positives, P, N, kind, number, values):
    for i in range(values.size):
        values[i] = value_at(true_positives[i], false_positives[i], P, N, kind, number)


def number_of(target: TargetMetric, positives: float, negatives: float, share: float = 1.0) -> float:
    """The number of a target metric at these class counts, which are a `share` of the rows that it refers to."""
    if isinstance(target.number, str):
        if target.number == "P":
            return positives
        odds, _, power = target.number.partition("^")
        return (positives / negatives) ** (0.5 if odds == "sqrt" else float(power or 1))
    if target.kind != PRECISION:
        return target.number
    rows = positives + negatives
    return target.number * rows if target.number < 1 else min(target.number * share, rows)
