"""Models chosen on some test rows and judged on others: what each task gives, and the tables over all tasks."""

import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Study, Task
from aucstudy.experiments.selection.cutting import CannotBeCut, check_halves, judging_folds
from aucstudy.experiments.selection.tables import (
    agreement_table,
    matrix_table,
    primary_table,
    strata_table,
    variance_table,
)
from aucstudy.metrics.choosing import CRITERIA, UTILITIES, choose_and_judge
from aucstudy.metrics.engine.walks import Order, order_of, resampled_areas
from aucstudy.metrics.halving import QUARTER_AREAS, BothWays, choose_on_halves
from aucstudy.statistics.draws import draws_needed
from aucstudy.statistics.ranks import average_ranks, rounded
from aucstudy.statistics.seeds import generator
from aucstudy.statistics.stratified import parts_in_turn
from aucstudy.store.task_store import Predictions

RANDOM = "random"
RANKS = tuple(f"rank_{utility}" for utility in UTILITIES)
SPREADS = tuple(f"sd_{utility}" for utility in UTILITIES)
CHOSEN = ("task_id", "source_group", "design", "chooser", "n_parts", "self_agreement", *UTILITIES, *RANKS)
MODELS = ("task_id", "source_group", "n_positive", "prevalence", "n_models", "margin", "n_perfect", *SPREADS)
REJECTED = ("task_id", "source_group", "design", "reason", "detail")


def of_task(task: Task, *, splits: int, seed: int) -> dict[str, pd.DataFrame]:
    """What each chooser's model is worth on the judging rows of one task, and facts of its models.

    Returns
    -------
    chosen : a row a design (`halves`, `quarters`, `folds`) and chooser, means over the judging parts (see `choices`).
    models : one row: n_positive, prevalence, n_models, margin (AUPR of the best model on all rows minus that of the
        next, 0 where they are tied), n_perfect (models that rank all rows rightly), and the standard deviation of each
        utility over the models, mean over judging halves.
    rejected : a row a design that the task has too few rows for.
    """
    predictions = task.predictions
    order = order_of(predictions.y_true, predictions.scores)
    names = {"task_id": task.task_id, "source_group": task.source_group}
    chosen, rejected, spreads = [], [], dict.fromkeys(SPREADS, np.nan)
    try:
        halves, spreads = on_halves(predictions, order, splits, seed)
        chosen += halves
    except CannotBeCut as why:
        rejected.append({**names, "design": "halves", **dict(zip(REJECTED[3:], why.args, strict=True))})
    try:
        chosen += on_folds(predictions, order)
    except CannotBeCut as why:
        rejected.append({**names, "design": "folds", **dict(zip(REJECTED[3:], why.args, strict=True))})
    models = {**names, **facts_of_models(predictions, order), **spreads}
    return {
        "chosen": pd.DataFrame([{**names, **row} for row in chosen], columns=list(CHOSEN)),
        "models": pd.DataFrame([models], columns=list(MODELS)),
        "rejected": pd.DataFrame(rejected, columns=list(REJECTED)),
    }


def over_all(study: Study, *, bootstrap: int, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's tables."""
    chosen, models = study.frames["chosen"], study.frames["models"]
    return {
        "selection": matrix_table(chosen, models, bootstrap, seed),
        "selection_primary": primary_table(chosen, bootstrap, seed),
        "selection_variance": variance_table(chosen),
        "selection_agreement": agreement_table(chosen),
        "selection_strata": strata_table(chosen, models),
        "selection_tasks": chosen.drop(columns=list(RANKS)).merge(
            models[list(MODELS[:1] + MODELS[2:7])], on="task_id", sort=False
        ),
        "selection_rejections": study.frames["rejected"].astype(str),
    }


def facts_of_models(predictions: Predictions, order: Order) -> dict[str, float]:
    """How many models there are, by how much the best leads, and how many are perfect, by AUPR on all rows."""
    y = predictions.y_true
    aupr = rounded(resampled_areas(order, np.ones((1, len(y)), dtype=np.uint8))[0, 0])
    best = np.sort(aupr)[::-1][:2]
    return {
        "n_positive": int(y.sum()),
        "prevalence": y.mean(),
        "n_models": len(aupr),
        "margin": best[0] - best[-1],
        "n_perfect": int((aupr == 1).sum()),
    }


def winners(values: np.ndarray) -> np.ndarray:
    """Which of (..., m) models are the best, after rounding; several where they are tied."""
    values = rounded(values)
    return values == values.max(axis=-1, keepdims=True)


def self_agreement(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Probability that two sets of winners (..., m) give the same model, ties broken by one shared order."""
    return (first & second).sum(axis=-1) / (first | second).sum(axis=-1)


def worth_of(chosen: np.ndarray, utilities: np.ndarray) -> np.ndarray:
    """The mean utility of the models that each chooser may take: averaged over tied choices, then over the splits.

    Parameters
    ----------
    chosen : (choosers, splits, m) bool.
    utilities : (utilities, splits, m); a NaN is left out.

    Returns
    -------
    (choosers, utilities)

    Examples
    --------
    >>> worth_of(np.array([[[True, True, False]]]), np.array([[[1.0, 3.0, 9.0]]])).tolist()
    [[2.0]]
    """
    # counts, not truth values: a sum of the latter is one of them
    chosen, known = chosen.astype(float), np.isfinite(utilities).astype(float)
    total = np.einsum("csm,usm->csu", chosen, np.where(known > 0, utilities, 0.0))
    count = np.einsum("csm,usm->csu", chosen, known)
    worth = np.divide(total, count, out=np.zeros_like(total), where=count > 0)
    with np.errstate(invalid="ignore"):
        return worth.sum(axis=1) / (count > 0).sum(axis=1)


def choices(
    design: str,
    criteria: dict[str, np.ndarray],
    utilities: np.ndarray,
    agreed: dict[str, float] | None = None,
) -> list[dict]:
    """What the model of each chooser is worth, one dict a chooser, the random choice last.

    Parameters
    ----------
    criteria : (splits, m) by chooser, larger is better.
    utilities : (12, splits, m) on the judging rows.
    agreed : how often a chooser takes the same model on both halves.

    Returns
    -------
    design, chooser, n_parts (judging parts), self_agreement, the utilities, and for each of them the rank: the share
    of the other models that the chosen one beats, tied ones counting a half.
    """
    chosen = np.stack([*map(winners, criteria.values()), np.ones(utilities.shape[1:], dtype=bool)])
    n_models = utilities.shape[2]
    ranks = average_ranks(rounded(np.where(np.isnan(utilities), -np.inf, utilities)))
    beaten = (n_models - ranks) / max(n_models - 1, 1)
    worth = np.hstack([worth_of(chosen, utilities), worth_of(chosen, beaten)])
    rows = []
    for chooser, values in zip((*criteria, RANDOM), worth, strict=True):
        facts = {"design": design, "chooser": chooser, "n_parts": utilities.shape[1]}
        agreement = (agreed or {}).get(chooser, np.nan)
        rows.append(
            {**facts, "self_agreement": agreement, **dict(zip(UTILITIES + RANKS, values, strict=True))}
        )
    return rows


def on_halves(
    predictions: Predictions, order: Order, splits: int, seed: int
) -> tuple[list[dict], dict[str, float]]:
    """Choices on halves and on quarters, all judged on the other half with the thresholds of the choosing half.

    Large tasks are cut fewer times (`draws_needed`).

    Returns
    -------
    rows : as `choices` gives them; a quarter is a half of the choosing half.
    spreads : the standard deviation of each utility over the models, mean over the judging halves.

    Raises
    ------
    CannotBeCut
    """
    check_halves(predictions)
    splits = draws_needed(splits, predictions.y_true)
    of_rows = predictions.y_true, predictions.folds, predictions.row_id
    rng = generator(seed, predictions.task_id, "selection")
    # the even quarters make a half
    parts = [
        choose_on_halves(order, predictions.scores, quarter)
        for quarter in parts_in_turn(*of_rows, 4, splits, rng)
    ]
    both = BothWays(*(np.concatenate(arrays, axis=-2) for arrays in zip(*parts, strict=True)))
    n_models = len(order.rows)
    # all splits one way, then all the other way
    criteria, utilities = (
        values.reshape(len(values), -1, n_models) for values in (both.criteria, both.utilities)
    )
    quarters = np.swapaxes(both.quarters, 1, 2).reshape(len(QUARTER_AREAS), -1, n_models)
    agreed = self_agreement(*(winners(both.criteria[:, way]) for way in (0, 1))).mean(axis=1)
    rows = choices(
        "halves",
        dict(zip(CRITERIA, criteria, strict=True)),
        utilities,
        dict(zip(CRITERIA, agreed, strict=True)),
    )
    either = dict(zip(QUARTER_AREAS, quarters, strict=True))
    rows += choices("quarters", either, np.concatenate([utilities, utilities], axis=1))[:-1]
    with np.errstate(invalid="ignore"):
        spreads = np.nanmean(np.nanstd(utilities, axis=2), axis=1)
    return rows, dict(zip(SPREADS, spreads, strict=True))


def on_folds(predictions: Predictions, order: Order) -> list[dict]:
    """Choices on all folds but one, judged on that one.

    Raises
    ------
    CannotBeCut
    """
    criteria, utilities = choose_and_judge(order, predictions.scores, *judging_folds(predictions))
    return choices("folds", dict(zip(CRITERIA, criteria, strict=True)), utilities)
