"""Contingency counts at every distinct score of one ranking: what curves and hulls are drawn from."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics import inputs
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.engine.layout import sorted_classes
from aucstudy.metrics.engine.sums import add
from aucstudy.metrics.options import checked_prevalence


class Counts(NamedTuple):
    """Cumulated (weighted) counts; arrays of shape (n_thresholds + 1,), the first entry is before any row.

    A row is predicted positive where its score is at least the threshold; the first threshold is infinite.
    With a reference prevalence the false positives are scaled to it; weights of extreme size are scaled by a power
    of two (`inputs.leveled_weights`). Thresholds are float64, or what holds scores exactly that float64 would
    tie: long doubles, and Python integers (dtype object) for integers beyond 2^53.
    """

    thresholds: np.ndarray
    true_positives: np.ndarray
    false_positives: np.ndarray

    @property
    def P(self) -> float:
        """Weight of the positives."""
        return float(self.true_positives[-1])

    @property
    def N(self) -> float:
        """Weight of the negatives."""
        return float(self.false_positives[-1])

    @property
    def prevalence(self) -> float:
        """P / (P + N)."""
        return self.P / (self.P + self.N) if self.P + self.N > 0 else np.nan


def ranking_counts(
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
) -> Counts:
    """Check the input and count; a ranking of one class is warned about and counted all the same.

    Raises
    ------
    ValueError
        Input that is not right, as for `aucstudy.metrics.areas`.
    """
    asked = checked_prevalence(prevalence)
    positive = inputs.checked_labels(y_true, pos_label)
    came = inputs.real_numbers(y_score, "y_score")
    scores = inputs.checked_scores(came)
    inputs.same_length(positive.size, scores.size, "y_score")
    weight = inputs.checked_weights(sample_weight, scores.size)
    if weight is not None:
        weight, _ = inputs.leveled_weights(weight, positive, np.zeros(scores.size, dtype=np.int64), 1)
    inputs.refuse_nan(scores, "y_score")
    pos, neg, wpos, wneg = sorted_classes(positive, scores, weight)
    size = scores.size + 1
    thresholds, tp, fp = np.empty(size), np.empty(size), np.empty(size)
    end = _count(pos, neg, wpos, wneg, weight is not None, thresholds, tp, fp)
    thresholds, tp, fp = thresholds[:end], tp[:end], fp[:end]
    if inputs.needs_ranks(came):
        exact = came if came.dtype.kind == "f" else came.astype(object)
        distinct = np.append(np.unique(exact), np.array([np.inf], dtype=exact.dtype))
        thresholds = distinct[np.append(-1, thresholds[1:].astype(np.int64))]
    if not (tp[-1] > 0 and fp[-1] > 0):
        inputs.warn_one_class("y_true holds one class only: gains and rates", stacklevel=4)
    elif asked is not None:
        fp = fp * (tp[-1] * (1 - asked) / (asked * fp[-1]))
    return Counts(thresholds, tp, fp)


@compiled
def _count(pos, neg, wpos, wneg, weighted, thresholds, tp, fp):
    """Fill the arrays from the top score (negated: the lowest) down and return how many entries."""
    thresholds[0], tp[0], fp[0] = np.inf, 0.0, 0.0
    i = j = 0
    filled = 1
    t = f = t_lost = f_lost = 0.0
    while i < pos.size or j < neg.size:
        score = pos[i] if j >= neg.size or (i < pos.size and pos[i] < neg[j]) else neg[j]
        group = 0.0
        while i < pos.size and pos[i] == score:
            w = wpos[i] if weighted else 1.0
            t, t_lost = add(t, t_lost, w)
            group += w
            i += 1
        while j < neg.size and neg[j] == score:
            w = wneg[j] if weighted else 1.0
            f, f_lost = add(f, f_lost, w)
            group += w
            j += 1
        if group > 0:
            thresholds[filled], tp[filled], fp[filled] = -score, t + t_lost, f + f_lost
            filled += 1
    return filled
