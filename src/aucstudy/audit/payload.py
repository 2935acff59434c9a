"""What a page holds: models, values, noise verdicts and, for some tasks, curves; as plain values for JSON."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.audit.noise import swaps
from aucstudy.audit.thinning import kept_vertices
from aucstudy.metrics.curves import roc_curve
from aucstudy.statistics.ranks import rounded

COMPARED = ("auroc", "aupr", "auprg", "average_precision")


def verdict(areas: pd.DataFrame, draws: np.ndarray) -> str:
    """Do the metrics' winners differ, and by more than noise?

    Parameters
    ----------
    areas : indexed by model, one column a metric.
    draws : (resamples, m, 5) resampled areas.

    Returns
    -------
    agree (one model wins by all), tied (only ties stand between them), real (two winners swap and both preferences
    are supported) or noise.
    """
    values = {metric: rounded(areas[metric].to_numpy()) for metric in COMPARED}
    best = [frozenset(np.flatnonzero(area == area.max()).tolist()) for area in values.values()]
    if len(set(best)) == 1:
        return "agree"
    if frozenset.intersection(*best):
        return "tied"
    rows = sorted(frozenset.union(*best))
    of_winners = swaps(areas.iloc[rows], draws[:, rows], COMPARED)
    return "real" if of_winners["real"].any() else "noise"


def curves(y_true: np.ndarray, scores: np.ndarray, by_prevalence: pd.DataFrame) -> dict[str, object]:
    """The thinned curves of all models, and the winner at each prevalence: steps of counts, thresholds, stretches.

    Parameters
    ----------
    by_prevalence : as `winners_by_prevalence` gives it, the best models as columns of `scores`.
    """
    P = int(y_true.sum())
    N = len(y_true) - P
    models = []
    for column in scores.T:
        curve = roc_curve(y_true, column)
        t, f = (np.rint(part).astype(int) for part in (curve.tpr * P, curve.fpr * N))
        at = kept_vertices(t, f)
        thresholds = [None if np.isinf(value) else float(f"{value:.4g}") for value in curve.thresholds[at]]
        steps = [np.diff(part[at], prepend=0).tolist() for part in (t, f)]
        models.append({"dt": steps[0], "df": steps[1], "thresholds": thresholds})
    stretches: dict[str, list] = {metric: [] for metric in AREAS}
    for row in by_prevalence.itertuples():
        ends = [float(f"{end:.5g}") for end in (row.prevalence_from, row.prevalence_to)]
        stretches[row.metric].append([*ends, int(row.best)])
    return {"P": P, "N": N, "models": models, "winners": stretches}


def task_entry(
    name: str,
    models: Sequence[int],
    values: pd.DataFrame,
    *,
    n: int | None = None,
    prevalence: float | None = None,
    noise: str = "",
    drawn: dict[str, object] | None = None,
) -> dict[str, object]:
    """One task of a page; `models` are indices into the page's names, `values` has a row a model."""
    entry: dict[str, object] = {
        "name": name,
        "models": list(models),
        "values": [[float(f"{value:.9g}") for value in values[column]] for column in values],
    }
    if n is not None:
        entry |= {"n": int(n), "prevalence": float(f"{prevalence:.6g}")}
    if noise:
        entry["verdict"] = noise
    if drawn:
        entry["curves"] = drawn
    return entry
