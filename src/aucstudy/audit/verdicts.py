"""Do the areas agree on the best model of a task, and if not, is it more than noise? The one place that decides."""

from itertools import combinations

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.audit.noise import Noise, swaps
from aucstudy.statistics.ranks import rounded

RANKED = ("auroc", "aupr", "auprg", "average_precision")  # AUCNPR ranks as AUPR does: one maps to the other

# by verdict, of one table of predictions and of the tasks of a study
OF_TABLE = {
    "agree": "All areas agree on the best model.",
    "tied": "The areas agree on the best model but for ties.",
    "noise": "The areas disagree on the best model, but a real disagreement is not shown: these data cannot tell.",
    "real": "It matters which area you report: they disagree on the best model, by more than noise.",
}
OF_STUDY = {
    "agree": "the same model wins by AUROC, AUPR, AUPRG and AP",
    "tied": "only ties stand between the winners",
    "noise": "the winners differ, but not by more than noise",
    "real": "the winners differ by more than noise",
}


def verdict(areas: pd.DataFrame, noise: Noise) -> str:
    """Do the winners by the areas of RANKED differ, and by more than noise?

    Parameters
    ----------
    areas : indexed by model, one column a metric.
    noise : of the same models.

    Returns
    -------
    agree (one model, or the same tied ones, win by all), tied (only ties stand between them), real (two winners swap
    and both preferences are supported) or noise.
    """
    values = {metric: rounded(areas[metric].to_numpy()) for metric in RANKED}
    best = [frozenset(np.flatnonzero(area == area.max()).tolist()) for area in values.values()]
    if len(set(best)) == 1:
        return "agree"
    if frozenset.intersection(*best):
        return "tied"
    rows = sorted(frozenset.union(*best))
    of_winners = swaps(areas.iloc[rows], noise.of(rows), RANKED)
    return "real" if of_winners["real"].any() else "noise"


def excluded(areas: pd.DataFrame, noise: Noise) -> pd.DataFrame:
    """The largest difference between two winners that the data leave possible, in the metrics that chose them.

    Parameters
    ----------
    areas, noise : as for `verdict`.

    Returns
    -------
    One row a pair of models that two metrics of RANKED put first, each alone, and each of those metrics:
    `metric`, `first`, `second` (models), `low`, `high` (95 % interval of the difference), `bound` (the larger of them
    in absolute value: larger differences are excluded).
    """
    best: dict[int, list[str]] = {}
    for metric in RANKED:
        area = rounded(areas[metric].to_numpy())
        if np.count_nonzero(area == area.max()) == 1:
            best.setdefault(int(area.argmax()), []).append(metric)
    rows = []
    for (p, of_p), (q, of_q) in combinations(best.items(), 2):
        for metric in (*of_p, *of_q):
            low, high, _ = noise.difference(AREAS.index(metric), p, q)
            rows.append((metric, areas.index[p], areas.index[q], low, high, max(abs(low), abs(high))))
    return pd.DataFrame(rows, columns=["metric", "first", "second", "low", "high", "bound"])
