"""Is it more than noise? Paired, stratified resampling of the differences between models.

All models see the same resampled rows, and every resample keeps the numbers of positives and negatives (of each fold,
where there are folds), so that only the choice of rows varies.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.audit.rankings import Rankings
from aucstudy.statistics.ranks import rounded
from aucstudy.statistics.seeds import generator

SUPPORT = 0.975  # of a sign: the 95 % interval of the difference leaves out 0
ROWS_RESAMPLED = (
    200_000  # of larger files a stratified sample is resampled: what is real there is real in all
)


def resampled_areas(
    y_true: np.ndarray,
    scores: np.ndarray,
    folds: np.ndarray | None = None,
    *,
    resamples: int = 1000,
    seed: int = 1,
) -> np.ndarray:
    """Areas of the models under resampling of rows, within each class (and fold).

    Returns
    -------
    (resamples, m, 5) array, the last axis as AREAS.
    """
    rng = generator(seed, "audit", "resampled rows")
    if len(y_true) > ROWS_RESAMPLED:
        kept = _stratified_sample(y_true, ROWS_RESAMPLED, rng)
        y_true, scores, folds = y_true[kept], scores[kept], None if folds is None else folds[kept]
    rankings = Rankings(y_true, scores)
    strata = _strata(y_true, folds)
    areas = np.empty((resamples, scores.shape[1], len(AREAS)))
    for draw in range(resamples):
        areas[draw] = rankings.values(_drawn(strata, len(y_true), rng))
    return areas


def _stratified_sample(y_true: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    share = size / len(y_true)
    parts = [np.flatnonzero(y_true), np.flatnonzero(~y_true)]
    drawn = [rng.choice(rows, max(1, round(share * len(rows))), replace=False) for rows in parts]
    return np.sort(np.concatenate(drawn))


def _strata(y_true: np.ndarray, folds: np.ndarray | None) -> list[np.ndarray]:
    """The rows of each class (and fold), the positives first."""
    folds = np.zeros(len(y_true), dtype=int) if folds is None else folds
    return [
        np.flatnonzero((y_true == positive) & (folds == fold))
        for positive in (True, False)
        for fold in np.unique(folds[y_true == positive])
    ]


def _drawn(strata: Sequence[np.ndarray], n: int, rng: np.random.Generator) -> np.ndarray:
    """How often each of n rows is drawn, as many as there are in each stratum."""
    counts = np.zeros(n)
    for rows in strata:
        counts[rows] = np.bincount(rng.integers(len(rows), size=len(rows)), minlength=len(rows))
    return counts


def support(differences: np.ndarray) -> float:
    """Share of resampled differences above 0, ties counted half.

    >>> support(np.array([0.1, 0.2, 0.0, -0.1]))
    0.625
    """
    return float(np.mean((differences > 0) + 0.5 * (differences == 0)))


def winners(values: pd.DataFrame, draws: np.ndarray) -> pd.DataFrame:
    """What each metric puts first, how far ahead of the next, and whether the lead is more than noise.

    Parameters
    ----------
    values : areas, indexed by model, one column a metric of AREAS.
    draws : as `resampled_areas` gives them.

    Returns
    -------
    One row a metric: `best` (joined by "|" where tied), `value`, `second`, `lead`, `low`, `high` (95 % interval of
    the lead), `support` (share of resamples in which the lead is positive), `real`.
    """
    rows = []
    for k, metric in enumerate(AREAS):
        area = rounded(values[metric].to_numpy())
        order = np.argsort(-area, kind="stable")
        first, second = order[0], order[1]
        lead = draws[:, first, k] - draws[:, second, k]
        low, high = np.percentile(lead, [2.5, 97.5])
        held = support(lead)
        rows.append(
            {
                "metric": metric,
                "best": "|".join(values.index[area == area.max()]),
                "value": area[first],
                "second": values.index[second],
                "lead": area[first] - area[second],
                "low": low,
                "high": high,
                "support": held,
                "real": bool(area[first] > area[second] and held >= SUPPORT),
            }
        )
    return pd.DataFrame(rows)


def swaps(values: pd.DataFrame, draws: np.ndarray, metrics: Sequence[str]) -> pd.DataFrame:
    """The pairs of models that two metrics order differently.

    A swap is `real` only if both of its signs are supported (an intersection-union test): the first metric's
    preference and the second's opposite one must each hold in 97.5 % of the resamples.

    Returns
    -------
    One row a swap: `first`, `second` (metrics), `preferred_first`, `preferred_second` (models), `difference_first`,
    `difference_second` (of the areas, each above 0 for its preferred model), `support_first`, `support_second`,
    `real`. The best supported come first.
    """
    rows = []
    areas = {metric: rounded(values[metric].to_numpy()) for metric in metrics}
    for i, first in enumerate(metrics):
        for second in metrics[i + 1 :]:
            k, l = AREAS.index(first), AREAS.index(second)  # noqa: E741
            a, b = areas[first], areas[second]
            differ = np.argwhere((a[:, None] > a[None, :]) & (b[:, None] < b[None, :]))
            for p, q in differ:
                held = support(draws[:, p, k] - draws[:, q, k]), support(draws[:, q, l] - draws[:, p, l])
                rows.append(
                    {
                        "first": first,
                        "second": second,
                        "preferred_first": values.index[p],
                        "preferred_second": values.index[q],
                        "difference_first": a[p] - a[q],
                        "difference_second": b[q] - b[p],
                        "support_first": held[0],
                        "support_second": held[1],
                        "real": bool(min(held) >= SUPPORT),
                    }
                )
    columns = (
        "first", "second", "preferred_first", "preferred_second", "difference_first", "difference_second",
        "support_first", "support_second", "real",
    )  # fmt: skip
    swapped = pd.DataFrame(rows, columns=list(columns))
    weakest = swapped[["support_first", "support_second"]].min(axis=1)
    order = np.lexsort([swapped.index, -weakest.to_numpy(dtype=float)])
    return swapped.iloc[order].reset_index(drop=True)
