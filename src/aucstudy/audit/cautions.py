"""The warnings of an audit."""

from collections.abc import Collection, Iterator
from functools import partial

import numpy as np
import pandas as pd

from aucstudy.audit.findings import Finding, Section, Severity
from aucstudy.audit.rankings import Rankings
from aucstudy.metrics.uncertainty.sample import groups_with_each_class
from aucstudy.reading.prediction_tables import ScoredTable

FEW_POSITIVES = 30
FEW_GROUPS = 40  # groups with a positive, or with a negative
TIED = 0.05  # share of the pairs of a positive and a negative
UNEVEN = 2.0  # largest prevalence of a fold divided by the smallest

_warning = partial(Finding, section=Section.WARNINGS, severity=Severity.WARNING)


def cautions_of(
    table: ScoredTable,
    rankings: Rankings,
    areas: pd.DataFrame,
    *,
    cases: bool,
    inverted: Collection[str] = (),
) -> list[Finding]:
    """Return the warnings. `cases` says whether the groups of the table are cases.

    Of the models in `inverted` the verdict says that they rank the wrong way round.
    """
    y, prevalence = table.y_true, rankings.P / (rankings.P + rankings.N)
    n_positive = groups_with_each_class(y, table.groups)[0] if cases else int(y.sum())
    cautions = []
    if n_positive < FEW_POSITIVES:
        cautions.append(_warning("few_positives", numbers={"positives": int(n_positive)}))
    if prevalence > 0.5:
        cautions.append(_warning("large_class", numbers={"prevalence": prevalence}))
    cautions += _of_models(rankings, table.scores, areas, inverted)
    if table.folds is not None:
        cautions += _of_folds(y, table.folds, areas)
    if table.groups is not None and not cases:
        fewest_groups, side = min(
            zip(groups_with_each_class(y, table.groups), ("positive", "negative"), strict=True)
        )
        if fewest_groups < FEW_GROUPS:
            cautions.append(_warning("few_groups", numbers={"groups": int(fewest_groups), "side": side}))
    return cautions


def _of_models(
    rankings: Rankings, scores: np.ndarray, areas: pd.DataFrame, inverted: Collection[str]
) -> Iterator[Finding]:
    hard, constant, tied, below_half = [], [], [], []
    for i, (name, auroc) in enumerate(areas["auroc"].items()):
        different = len(np.unique(scores[:1000, i]))
        if different <= 2:
            different = len(np.unique(scores[:, i]))
        if different <= 2:
            (constant if different == 1 else hard).append(name)
        else:
            _, _, d, e = rankings.groups[i]
            share = float(d @ e) / (rankings.P * rankings.N)
            if share > TIED:
                tied.append((name, share))
        if auroc < 0.5 and different > 1 and name not in inverted:
            below_half.append((name, auroc))
    for kind, models in (("hard", hard), ("constant", constant)):
        if models:
            yield _warning(kind, models=tuple(models))
    for kind, pairs, number in (("many_ties", tied, "shares"), ("inverted", below_half, "auroc")):
        if pairs:
            yield _warning(kind, models=tuple(name for name, _ in pairs), numbers={number: pairs})


def _of_folds(y_true: np.ndarray, folds: np.ndarray, areas: pd.DataFrame) -> Iterator[Finding]:
    # Imported here: scipy.stats takes a second, and tables without folds do not need it.
    from scipy.stats import chi2_contingency

    n, positives = np.bincount(folds), np.bincount(folds, weights=y_true)
    has_both_classes = (positives > 0) & (positives < n)
    if not has_both_classes.all():
        counts = {"folds": int((~has_both_classes).sum()), "of_folds": len(n)}
        yield _warning("one_class", numbers=counts)
    share = positives[has_both_classes] / n[has_both_classes]
    if len(share) > 1 and share.max() / share.min() > UNEVEN:
        p = chi2_contingency(np.stack([positives[has_both_classes], (n - positives)[has_both_classes]]))[1]
        if p < 0.01:
            yield _warning("uneven", numbers={"least": share.min(), "most": share.max()})
    if (areas["auprg"] < 0).any():
        yield _warning("negative_auprg", metrics=("auprg",))
