"""The audit of several models' scores for the same rows: everything that `aucstudy audit` tells, as tables."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.audit.cautions import warnings_of
from aucstudy.audit.noise import ROWS_RESAMPLED, resampled_areas, swaps, winners
from aucstudy.audit.prevalence import winners_by_prevalence
from aucstudy.audit.rankings import Rankings
from aucstudy.audit.recall_bands import difference_by_band
from aucstudy.errors import InputError
from aucstudy.metrics.conventions import aupr_conventions
from aucstudy.metrics.folds import fold_areas
from aucstudy.reading.prediction_tables import ScoredTable
from aucstudy.statistics.ranks import average_ranks, rounded

EXPLAINED = 3  # pairs of models
RANKED = ("auroc", "aupr", "auprg", "average_precision")  # AUCNPR ranks as AUPR does: one maps to the other


@dataclass(frozen=True)
class Audit:
    """What was found.

    Attributes
    ----------
    facts : n, n_positive, prevalence, positive, negative, n_models, n_folds, resamples.
    areas : one row a model: the areas of AREAS, and `rank_<metric>`.
    fold_means : the same areas as means over folds, None without folds.
    winners, swaps : as `aucstudy.audit.noise` gives them.
    bands : where along the ranking models that swap differ, as `difference_by_band` gives it.
    by_prevalence : as `winners_by_prevalence` gives it.
    conventions : one row a model, one column a convention of the area under the PR curve.
    warnings : what a reader must know, a sentence each.
    """

    facts: dict[str, object]
    areas: pd.DataFrame
    fold_means: pd.DataFrame | None
    winners: pd.DataFrame
    swaps: pd.DataFrame
    bands: pd.DataFrame
    by_prevalence: pd.DataFrame
    conventions: pd.DataFrame
    warnings: list[str] = field(default_factory=list)


def audit(table: ScoredTable, *, resamples: int = 1000, seed: int = 1) -> Audit:
    """Audit the models of a table.

    Parameters
    ----------
    table : labels of both classes and the scores of at least two models.
    resamples : of the rows, behind each statement about noise.

    Raises
    ------
    InputError
        One class only, or one model only.
    """
    y, scores = table.y_true, table.scores
    if y.all() or not y.any():
        only = table.positive if y.all() else table.negative
        raise InputError(
            f"all {len(y)} rows are of class {only!r}: no area is defined; both classes are wanted"
        )
    if len(table.names) < 2:
        raise InputError(f"one column of scores ({table.names[0]!r}): an audit compares two or more models")
    rankings = Rankings(y, scores)
    areas = pd.DataFrame(rankings.values(), columns=list(AREAS), index=pd.Index(table.names, name="model"))
    folds = None if table.folds is None else pd.factorize(table.folds, sort=True)[0]
    draws = resampled_areas(y, scores, folds, resamples=resamples, seed=seed)
    won = winners(areas, draws)
    swapped = swaps(areas, draws, RANKED)
    conventions = [aupr_conventions(y, scores[:, i]) for i in range(len(table.names))]
    ranks = {f"rank_{metric}": average_ranks(rounded(areas[metric].to_numpy())) for metric in AREAS}
    return Audit(
        facts={
            "n": len(y),
            "n_positive": int(y.sum()),
            "prevalence": float(y.mean()),
            "positive": table.positive,
            "negative": table.negative,
            "n_models": len(table.names),
            "n_folds": 0 if folds is None else int(folds.max()) + 1,
            "resamples": resamples,
            "rows_resampled": min(len(y), ROWS_RESAMPLED),
        },
        areas=areas.assign(**ranks),
        fold_means=None if folds is None else _fold_means(y, scores, folds, areas.index),
        winners=won,
        swaps=swapped,
        bands=difference_by_band(y, scores, table.names, telling_pairs(won, swapped)),
        by_prevalence=winners_by_prevalence(rankings, table.names),
        conventions=pd.DataFrame(conventions, index=areas.index),
        warnings=warnings_of(y, scores, table.names, folds, areas),
    )


def _fold_means(y: np.ndarray, scores: np.ndarray, folds: np.ndarray, models: pd.Index) -> pd.DataFrame:
    return pd.DataFrame(fold_areas(y, scores, folds).mean, index=models)


def telling_pairs(won: pd.DataFrame, swapped: pd.DataFrame) -> list[tuple[str, str]]:
    """The pairs of models to explain: two winners that differ, else the best supported swap; each pair once."""
    best = won.set_index("metric")["best"][list(RANKED)]
    names = [name for name in dict.fromkeys(best) if "|" not in name]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    if not pairs and len(swapped):
        pairs = [(swapped["preferred_first"].iloc[0], swapped["preferred_second"].iloc[0])]
    return pairs[:EXPLAINED]
