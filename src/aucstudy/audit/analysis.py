"""The analysis of several models' scores for the same rows: an audit says, prints and draws what stands in it."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.audit.cautions import warnings_of
from aucstudy.audit.decision import decision_sentences, evidence
from aucstudy.audit.noise import row_noise, swaps, winners
from aucstudy.audit.prevalence import winners_by_prevalence
from aucstudy.audit.rankings import Rankings
from aucstudy.audit.recall_bands import difference_by_band
from aucstudy.audit.verdicts import RANKED, excluded, verdict
from aucstudy.errors import InputError
from aucstudy.metrics.areas import fold_areas
from aucstudy.metrics.conventions import aupr_conventions
from aucstudy.reading.prediction_tables import ScoredTable
from aucstudy.statistics.ranks import rounded

EXPLAINED = 3  # pairs of models


@dataclass(frozen=True)
class Analysis:
    """A table of predictions and what follows from it. One estimate of noise is behind every statement on it.

    Attributes
    ----------
    table : what was analysed.
    facts : n, n_positive, prevalence, positive, negative, n_models, n_folds, n_groups (0 without); `intervals`, the
        method behind every statement on noise, and its resamples (0 for influence functions).
    areas : one row a model: the areas of AREAS, and `rank_<metric>`.
    fold_means : the same areas as means over folds, None without folds.
    winners, swaps : as `aucstudy.audit.noise` gives them.
    verdict, excluded : as `aucstudy.audit.verdicts` gives them.
    decision : what choosing by an area does to such data, by the rule of the experiment `decision`, a sentence each.
    bands : where along the ranking models that swap differ, as `difference_by_band` gives it.
    by_prevalence : as `winners_by_prevalence` gives it.
    conventions : one row a model, one column a convention of the area under the PR curve.
    warnings : what a reader must know, a sentence each.
    """

    table: ScoredTable
    facts: dict[str, object]
    areas: pd.DataFrame
    fold_means: pd.DataFrame | None
    winners: pd.DataFrame
    swaps: pd.DataFrame
    verdict: str
    excluded: pd.DataFrame
    decision: list[str]
    bands: pd.DataFrame
    by_prevalence: pd.DataFrame
    conventions: pd.DataFrame
    warnings: list[str] = field(default_factory=list)

    def best(self, metric: str) -> list[str]:
        """The model that a metric puts first, or the ones tied there."""
        return best_models(self.areas, metric)


def best_models(areas: pd.DataFrame, metric: str) -> list[str]:
    """The models with the largest area, several where they are tied."""
    area = rounded(areas[metric].to_numpy())
    return areas.index[area == area.max()].tolist()


def lead_of_best(area: pd.Series) -> float:
    """By how much the best model leads the next, 0 where they are tied."""
    best, second = np.sort(rounded(area.to_numpy()))[:-3:-1]
    return float(best - second)


def analyse(table: ScoredTable, *, resamples: int = 1000, seed: int = 1) -> Analysis:
    """Analyse the models of a table.

    Parameters
    ----------
    table : labels of both classes and the scores of at least two models.
    resamples : of the rows, behind each statement about noise; large tables need none.

    Raises
    ------
    InputError
        One class only, one model only, or all rows of a class in one group.
    """
    _check(table)
    y, scores = table.y_true, table.scores
    models = pd.Index(table.names, name="model")
    rankings = Rankings(y, scores)
    areas = pd.DataFrame(rankings.values(), columns=list(AREAS), index=models)
    folds = None if table.folds is None else pd.factorize(table.folds, sort=True)[0]
    groups = None if table.groups is None else pd.factorize(table.groups)[0]
    noise = row_noise(rankings, folds, groups, resamples=resamples, seed=seed)
    swapped = swaps(areas, noise, RANKED)
    ranks = areas.transform(rounded).rank(ascending=False).add_prefix("rank_")
    return Analysis(
        table=table,
        facts={
            "n": len(y),
            "n_positive": int(y.sum()),
            "prevalence": float(y.mean()),
            "positive": table.positive,
            "negative": table.negative,
            "n_models": len(models),
            "n_folds": 0 if folds is None else int(folds.max()) + 1,
            "n_groups": 0 if groups is None else int(groups.max()) + 1,
            "intervals": noise.method,
            "resamples": noise.resamples,
        },
        areas=areas.join(ranks),
        fold_means=None if folds is None else pd.DataFrame(fold_areas(y, scores, folds).mean, index=models),
        winners=winners(areas, noise),
        swaps=swapped,
        verdict=verdict(areas, noise),
        excluded=excluded(areas, noise),
        decision=decision_sentences(int(y.sum()), float(y.mean()), lead_of_best(areas["aupr"]), evidence()),
        bands=difference_by_band(rankings, table.names, pairs_to_explain(areas, swapped)),
        by_prevalence=winners_by_prevalence(rankings, table.names),
        conventions=pd.DataFrame(
            rankings.of_each(lambda column: aupr_conventions(y, column), scores.T), index=models
        ),
        warnings=warnings_of(rankings, scores, table.names, folds, areas, groups),
    )


def _check(table: ScoredTable) -> None:
    if table.y_true.all() or not table.y_true.any():
        only = table.positive if table.y_true.all() else table.negative
        raise InputError(
            f"all {len(table.y_true)} rows are of class {only!r}: no area is defined; both classes are wanted"
        )
    if len(table.names) < 2:
        raise InputError(f"one column of scores ({table.names[0]!r}): an audit compares two or more models")
    if table.groups is not None:
        for side, of_class in ((table.positive, table.y_true), (table.negative, ~table.y_true)):
            if len(np.unique(table.groups[of_class])) < 2:
                raise InputError(
                    f"all {of_class.sum()} rows of class {side!r} are in one group; two groups or more are wanted"
                )


def pairs_to_explain(areas: pd.DataFrame, swapped: pd.DataFrame) -> list[tuple[str, str]]:
    """The pairs of models to explain: two winners that differ, else the best supported swap; each pair once."""
    winning = [best_models(areas, metric) for metric in RANKED]
    names = list(dict.fromkeys(models[0] for models in winning if len(models) == 1))
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    if not pairs and len(swapped):
        pairs = [(swapped["preferred_first"].iloc[0], swapped["preferred_second"].iloc[0])]
    return pairs[:EXPLAINED]
