"""What a page holds: models, values, verdicts and, for some tasks, curves; as plain values for JSON."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.audit.rankings import of_each
from aucstudy.audit.thinning import kept_vertices
from aucstudy.metrics.curves import roc_curve


def curves(
    y_true: np.ndarray, scores: np.ndarray, by_prevalence: pd.DataFrame, *, thresholds: bool = True
) -> dict[str, object]:
    """The thinned curves of all models, and the winner at each prevalence: steps of counts, thresholds, stretches.

    Parameters
    ----------
    by_prevalence : as `winners_by_prevalence` gives it, the best models as columns of `scores`.
    thresholds : whether the scores at the vertices are among them.
    """
    P = int(y_true.sum())
    N = len(y_true) - P

    def of_model(column: np.ndarray) -> dict[str, list]:
        curve = roc_curve(y_true, column)
        t, f = (np.rint(counts).astype(int) for counts in (curve.tpr * P, curve.fpr * N))
        at = kept_vertices(t, f)
        steps = [np.diff(counts[at], prepend=0).tolist() for counts in (t, f)]
        kept = {"dt": steps[0], "df": steps[1]}
        if thresholds:
            kept["thresholds"] = [_short(value, 4) for value in curve.thresholds[at]]
        return kept

    models = list(of_each(of_model, scores.T, scores.size))
    stretches: dict[str, list] = {metric: [] for metric in AREAS}
    for row in by_prevalence.itertuples():
        ends = [_short(end, 5) for end in (row.prevalence_from, row.prevalence_to)]
        stretches[row.metric].append([*ends, int(row.best)])
    return {"P": P, "N": N, "models": models, "winners": stretches}


def _short(value: float, digits: int) -> float | None:
    """A number with fewer digits, where they can be left out; JSON has no infinity and no NaN: None."""
    if not math.isfinite(value):
        return None
    short = float(f"{value:.{digits}g}")
    return short if math.isfinite(short) else float(value)


def task_entry(
    name: str,
    models: Sequence[int],
    values: pd.DataFrame,
    *,
    n: int | None = None,
    prevalence: float | None = None,
    verdict: str = "",
    drawn: dict[str, object] | None = None,
) -> dict[str, object]:
    """One task of a page; `models` are indices into the page's names, `values` has a row a model."""
    entry: dict[str, object] = {
        "name": name,
        "models": list(models),
        "values": [[_short(value, 9) for value in values[column]] for column in values],
    }
    if n is not None:
        entry |= {"n": int(n), "prevalence": _short(prevalence, 6)}
    if verdict:
        entry["verdict"] = verdict
    if drawn:
        entry["curves"] = drawn
    return entry
