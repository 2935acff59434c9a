"""Where along the ranking a difference between two models comes from.

Each area is an integral over recall: AUROC of the specificity, AUPR of the precision, AUPRG of the precision
gain with weight pi/((1-pi) r^2) from recall pi on [Flach & Kull 2015, section 3]. So a difference of areas is a
sum over bands of recall, and AUPRG does not see the band below pi.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.audit.rankings import Rankings


def recall_bands(prevalence: float) -> list[tuple[float, float]]:
    """Quarters of recall, cut at the prevalence too.

    >>> recall_bands(0.1)
    [(0.0, 0.1), (0.1, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0)]
    """
    quarters = [edge for edge in (0.25, 0.5, 0.75) if abs(edge - prevalence) > 0.02]
    edges = sorted({0.0, prevalence, *quarters, 1.0})
    return list(pairwise(edges))


def area_by_band(rankings: Rankings, models: Sequence[int]) -> pd.DataFrame:
    """Each model's share of each area in each band of recall; over the bands they add up to the area.

    Returns
    -------
    One row a model (of `models`, numbered from 0), metric and band: model, metric, recall_from, recall_to, area.
    """
    P, N = rankings.groups.P, rankings.groups.N
    bands = recall_bands(P / (P + N))
    rows = []
    for low, high in bands:
        precision = rankings.values(recall_range=(low, high))[:, AREAS.index("aupr")]
        for model in models:
            facts = {"model": model, "recall_from": low, "recall_to": high}
            rows.append({**facts, "metric": "aupr", "area": precision[model]})
    for model in models:
        t, f, d, e, _ = rankings.groups.of_model(model)
        segments = t / P, (t + d) / P, f / N, (f + e) / N
        for low, high in bands:
            facts = {"model": model, "recall_from": low, "recall_to": high}
            start, stop, fpr_start, fpr_stop = _cut(*segments, low, high)
            specificity = 1 - (fpr_start + fpr_stop) / 2
            rows.append({**facts, "metric": "auroc", "area": float(specificity @ (stop - start))})
            gained = 0.0 if high <= P / (P + N) else _gain(start, stop, fpr_start, fpr_stop, P, N)
            rows.append({**facts, "metric": "auprg", "area": gained})
    return pd.DataFrame(rows)[["model", "metric", "recall_from", "recall_to", "area"]]


def _cut(t0, t1, f0, f1, low: float, high: float) -> tuple[np.ndarray, ...]:
    """The rising segments of a ROC curve inside a band of recall: recall and fpr at both ends of each."""
    start, stop = np.maximum(t0, low), np.minimum(t1, high)
    inside = stop > start
    t0, t1, f0, f1, start, stop = (ends[inside] for ends in (t0, t1, f0, f1, start, stop))
    slope = (f1 - f0) / (t1 - t0)
    return start, stop, f0 + slope * (start - t0), f0 + slope * (stop - t0)


def _gain(start, stop, fpr_start, fpr_stop, P: int, N: int) -> float:
    """Integral of precision gain over recall gain: both are affine in 1/recall on a segment."""
    k = P / N
    gains = [1 - k * (fpr * N) / (recall * P) for fpr, recall in ((fpr_start, start), (fpr_stop, stop))]
    width = k * (1 / start - 1 / stop)
    return float(((gains[0] + gains[1]) / 2) @ width)


def difference_by_band(
    rankings: Rankings, models: tuple[str, ...], pairs: list[tuple[str, str]]
) -> pd.DataFrame:
    """What each band of recall adds to the difference between two models, by each area.

    Parameters
    ----------
    pairs : names of two models; differences are first minus second.

    Returns
    -------
    One row a pair, metric and band: model, other, metric, recall_from, recall_to, difference.
    """
    columns = ["model", "other", "metric", "recall_from", "recall_to", "difference"]
    if not pairs:
        return pd.DataFrame(columns=columns)
    names = sorted({name for pair in pairs for name in pair}, key=models.index)
    by_band = area_by_band(rankings, [models.index(name) for name in names])
    keys = ["metric", "recall_from", "recall_to"]
    wide = by_band.pivot_table(index=keys, columns="model", values="area", sort=False)
    frames = []
    for model, other in pairs:
        difference = wide[models.index(model)] - wide[models.index(other)]
        frames.append(difference.rename("difference").reset_index().assign(model=model, other=other))
    return pd.concat(frames, ignore_index=True)[columns]
