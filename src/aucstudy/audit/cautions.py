"""What a reader of areas must be warned of: ties, hard scores, few positives, inverted scores, uneven folds."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from aucstudy.audit.noise import FEW_GROUPS, groups_with_either
from aucstudy.audit.rankings import Rankings

FEW_POSITIVES = 30
TIED = 0.05  # of the pairs of a positive and a negative
UNEVEN = 2.0  # largest prevalence of a fold over the smallest


def warnings_of(
    rankings: Rankings,
    scores: np.ndarray,
    names: Sequence[str],
    folds: np.ndarray | None,
    areas: pd.DataFrame,
    groups: np.ndarray | None = None,
) -> list[str]:
    """The warnings about a table of scores, a sentence each."""
    return [
        *_about_rows(rankings.y_true),
        *_about_models(rankings, scores, names, areas),
        *([] if folds is None else _about_folds(rankings.y_true, folds, areas)),
        *([] if groups is None else _about_groups(rankings.y_true, groups)),
    ]


def _about_rows(y_true: np.ndarray) -> list[str]:
    warnings, positives = [], int(y_true.sum())
    if positives < FEW_POSITIVES:
        warnings.append(
            f"Only {positives} positives: every area rests on few rows, and the intervals are wide."
        )
    if y_true.mean() > 0.5:
        warnings.append(
            f"The positive class is the larger one (prevalence {y_true.mean():.3f}): a random ranking has AUPR "
            f"{y_true.mean():.3f}; the papers take the smaller class as positive."
        )
    return warnings


def _about_models(
    rankings: Rankings, scores: np.ndarray, names: Sequence[str], areas: pd.DataFrame
) -> list[str]:
    hard, constant, tied, inverted = [], [], [], []
    for i, name in enumerate(names):
        values = np.unique(scores[:1000, i])
        if len(values) <= 2:
            values = np.unique(scores[:, i])
        if len(values) == 1:
            constant.append(name)
        elif len(values) == 2:
            hard.append(name)
        else:
            _, _, d, e, _ = rankings.groups.of_model(i)
            share = float(d @ e) / (rankings.groups.P * rankings.groups.N)
            if share > TIED:
                tied.append(f"{name} ({100 * share:.0f} %)")
        if areas["auroc"].iloc[i] < 0.5 and len(values) > 1:
            inverted.append(f"{name} ({areas['auroc'].iloc[i]:.3f})")
    warnings = []
    if hard:
        warnings.append(
            f"Hard scores of two values: {_list(hard)}. Their curves are drawn through one point, and the "
            "conventions for AUPR differ most on them; give probabilities or decision values if you have them."
        )
    if constant:
        warnings.append(f"The same score for every row: {_list(constant)}.")
    if tied:
        warnings.append(
            f"Many tied pairs of a positive and a negative: {_list(tied)}. Areas depend on the tie rule."
        )
    if inverted:
        warnings.append(
            f"AUROC below .5: {_list(inverted)}. Does a high score mean likely positive, and is the positive class "
            "the right one?"
        )
    return warnings


def _about_folds(y_true: np.ndarray, folds: np.ndarray, areas: pd.DataFrame) -> list[str]:
    # imported here: scipy.stats takes a second, and tables without folds need none of it
    from scipy.stats import chi2_contingency

    n, positives = np.bincount(folds), np.bincount(folds, weights=y_true)
    usable = (positives > 0) & (positives < n)
    warnings = []
    if not usable.all():
        warnings.append(
            f"{(~usable).sum()} of {len(n)} folds hold one class only and are left out of the fold means."
        )
    share = positives[usable] / n[usable]
    if len(share) > 1:
        uneven = share.max() / share.min()
        p = chi2_contingency(np.stack([positives[usable], (n - positives)[usable]]))[1]
        if uneven > UNEVEN and p < 0.01:
            warnings.append(
                f"Folds of very different skew: prevalence {share.min():.3f} to {share.max():.3f}. Means of AUPR and "
                "AUPRG over folds are then another quantity than the pooled area [Boyd et al. 2012, section 4.1]."
            )
    if (areas["auprg"] < 0).any():
        warnings.append(
            "Some AUPRG are negative: a mean of signed AUPRG over folds is ruled by single folds; do not rank by it."
        )
    return warnings


def _about_groups(y_true: np.ndarray, groups: np.ndarray) -> list[str]:
    few, holds = min(zip(groups_with_either(y_true, groups), ("positive", "negative"), strict=True))
    if few >= FEW_GROUPS:
        return []
    return [f"Only {few} groups hold a {holds}: intervals from resampling few groups are too narrow."]


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(names[:6])
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"
