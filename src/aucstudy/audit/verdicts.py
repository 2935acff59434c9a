"""Do the areas agree on the best model of a task, and if not, is it more than noise? The one place that decides."""

import numpy as np
import pandas as pd

from aucstudy.audit.noise import Noise, swaps
from aucstudy.statistics.ranks import rounded

RANKED = ("auroc", "aupr", "auprg", "average_precision")  # AUCNPR ranks as AUPR does: one maps to the other

# by verdict, of one table of predictions and of the tasks of a study
OF_TABLE = {
    "agree": "All areas agree on the best model.",
    "tied": "The areas agree on the best model but for ties.",
    "noise": "The areas disagree on the best model, but not by more than noise: these data cannot tell.",
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
