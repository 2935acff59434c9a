"""What a reader of an audit must be warned of, in numbers."""

import numpy as np
import pandas as pd

from aucstudy.audit.noise import FEW_GROUPS
from aucstudy.audit.rankings import Rankings
from aucstudy.metrics.uncertainty.sample import groups_with_either
from aucstudy.reading.prediction_tables import ScoredTable

FEW_POSITIVES = 30
TIED = 0.05  # of the pairs of a positive and a negative
UNEVEN = 2.0  # largest prevalence of a fold over the smallest


def cautions_of(
    table: ScoredTable, rankings: Rankings, areas: pd.DataFrame, *, cases: bool
) -> dict[str, object]:
    """By the names of the template's warnings; `cases` tells whether the groups of the table are cases."""
    y, P, N = table.y_true, rankings.groups.P, rankings.groups.N
    prevalence = P / (P + N)
    n_positive = groups_with_either(y, table.groups)[0] if cases else int(y.sum())
    cautions: dict[str, object] = {}
    if n_positive < FEW_POSITIVES:
        cautions["few_positives"] = n_positive
    if n_positive * prevalence < 1:
        cautions["below_gain_zero"] = True
    if prevalence > 0.5:
        cautions["large_class"] = prevalence
    cautions |= _of_models(rankings, table.scores, areas)
    if table.folds is not None:
        cautions |= _of_folds(y, table.folds, areas)
    if table.groups is not None and not cases:
        fewest_groups, side = min(
            zip(groups_with_either(y, table.groups), ("positive", "negative"), strict=True)
        )
        if fewest_groups < FEW_GROUPS:
            cautions["few_groups"] = (fewest_groups, side)
    return cautions


def _of_models(
    rankings: Rankings, scores: np.ndarray, areas: pd.DataFrame
) -> dict[str, list[tuple[str, float]]]:
    cautioned: dict[str, list[tuple[str, float]]] = {"hard": [], "constant": [], "tied": [], "inverted": []}
    for i, (name, auroc) in enumerate(areas["auroc"].items()):
        different = len(np.unique(scores[:1000, i]))
        if different <= 2:
            different = len(np.unique(scores[:, i]))
        if different <= 2:
            cautioned["constant" if different == 1 else "hard"].append((name, different))
        else:
            _, _, d, e, _ = rankings.groups.of_model(i)
            share = float(d @ e) / (rankings.groups.P * rankings.groups.N)
            if share > TIED:
                cautioned["tied"].append((name, share))
        if auroc < 0.5 and different > 1:
            cautioned["inverted"].append((name, auroc))
    return {caution: models for caution, models in cautioned.items() if models}


def _of_folds(y_true: np.ndarray, folds: np.ndarray, areas: pd.DataFrame) -> dict[str, object]:
    # imported here: scipy.stats takes a second, and tables without folds need none of it
    from scipy.stats import chi2_contingency

    cautions: dict[str, object] = {}
    n, positives = np.bincount(folds), np.bincount(folds, weights=y_true)
    usable = (positives > 0) & (positives < n)
    if not usable.all():
        cautions["one_class"] = (~usable).sum(), len(n)
    share = positives[usable] / n[usable]
    if len(share) > 1 and share.max() / share.min() > UNEVEN:
        p = chi2_contingency(np.stack([positives[usable], (n - positives)[usable]]))[1]
        if p < 0.01:
            cautions["uneven"] = share.min(), share.max()
    if (areas["auprg"] < 0).any():
        cautions["negative_auprg"] = True
    return cautions
