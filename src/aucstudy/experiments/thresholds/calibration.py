"""Are PRG-calibrated scores worth more than calibrated probabilities? [Flach & Kull 2015, section 4.3]

The searched threshold is the same argmax as the PRG hull's, so it cannot say. Rivals that can differ, on held-out rows:
isotonic probabilities cut at 1/(1 + beta^2), the constant that PRG calibration makes right, and at the plug-in
threshold F*/(1 + beta^2), F* the best F_beta that the probabilities expect on the rows to be classified. Few
calibration rows, and test rows of other odds, are where a rule that was fitted once may fail. Known odds move the
probabilities; a PRG-calibrated score has to be moved by another rule (`prg_moved`), which is compared too.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from aucstudy.experiments.thresholds.held_out import (
    BETAS_SQUARED,
    CALIBRATED,
    FITTED,
    HELD_OUT,
    NEITHER,
    ODDS,
    HeldOut,
    judged_calibrations,
)
from aucstudy.metrics.engine.walks import Order
from aucstudy.statistics.intervals import over_tasks
from aucstudy.statistics.seeds import generator
from aucstudy.store.task_store import Predictions

# calibration rows: all of the other folds, or that many of them
ROWS = {"all": None, "200": 200, "50": 50}
NEIGHBOURS = {"stricter": -1, "laxer": 1}
CASES = ("beta", "rows", "odds", "against", "difference")
INTERVALS = ("beta", "neighbour", "lead", "leads_both")


class HeldOutFolds(NamedTuple):
    """The k folds that, like the rest, hold both classes: (k,) numbers, and (k, n) roles of all rows (`held_out`)."""

    numbers: np.ndarray
    roles: np.ndarray


def held_out_folds(predictions: Predictions) -> HeldOutFolds:
    """The folds that thresholds are judged on, each by those of all others."""
    y, folds = predictions.y_true, predictions.folds
    # of each fold the negatives and the positives
    classes = np.bincount(2 * folds + y, minlength=2 * folds.max() + 2).reshape(-1, 2)
    numbers = np.flatnonzero(((classes > 0) & (classes < classes.sum(axis=0))).all(axis=1))
    roles = np.where(folds == numbers[:, None], HELD_OUT, FITTED)
    return HeldOutFolds(numbers, roles.astype(np.uint8))


def calibration_of_task(
    predictions: Predictions, folds: HeldOutFolds, order: Order, seed: int
) -> pd.DataFrame:
    """What the PRG-calibrated threshold gains over each rival on held-out folds.

    Parameters
    ----------
    order : of the rows by the scores.

    Returns
    -------
    One row a beta, number of calibration rows, odds and rival (columns `CASES`): the mean over models of the
    difference in F_beta of the folds' summed counts. Sizes that the other folds do not exceed have no rows.
    """
    rng = generator(seed, predictions.task_id, "calibration rows")
    splits: dict[str, list[np.ndarray]] = {name: [] for name in ROWS}
    for roles in folds.roles:
        train = np.flatnonzero(roles == FITTED)
        for name, size in ROWS.items():
            chosen = train if size is None else _some_rows(predictions.y_true, train, size, rng)
            if chosen is not None:
                splits[name].append(np.where(roles == HELD_OUT, roles, NEITHER))
                splits[name][-1][chosen] = FITTED
    frames = [
        _differences(judged_calibrations(order, np.array(roles))).assign(rows=name)
        for name, roles in splits.items()
        if roles
    ]
    return pd.concat(frames, ignore_index=True)[list(CASES)] if frames else pd.DataFrame(columns=list(CASES))


def _some_rows(y: np.ndarray, rows: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray | None:
    """So many of the rows at random, one of each class at least; None if there are not more."""
    if len(rows) <= size:
        return None
    mixed = rng.permutation(rows)
    sure = [mixed[y[mixed]][0], mixed[~y[mixed]][0]]
    rest = mixed[(mixed != sure[0]) & (mixed != sure[1])]
    return np.concatenate([sure, rest[: size - 2]])


def f_of(counts: np.ndarray, beta_squared: np.ndarray) -> np.ndarray:
    """F_beta of (..., betas, 3) counts: true positives, false positives, positives."""
    tp, fp, positives = np.moveaxis(counts, -1, 0)
    return (1 + beta_squared) * tp / (tp + fp + beta_squared * positives)


def _differences(counts: np.ndarray) -> pd.DataFrame:
    f = f_of(counts, BETAS_SQUARED).mean(axis=0)
    against, odds, beta = (index.reshape(-1) for index in np.indices(f[1:].shape))
    return pd.DataFrame(
        {
            "beta": np.sqrt(BETAS_SQUARED)[beta],
            "odds": ODDS[odds],
            "against": np.array(CALIBRATED[1:], dtype=object)[against],
            "difference": (f[:1] - f[1:]).reshape(-1),
        }
    )


def intervals_of_task(judged: HeldOut) -> pd.DataFrame:
    """Whether the hull point that is printed as best at a beta leads its neighbours on held-out folds.

    A point is cut at its own score, as calibrated scores imply; a cut half way to the next lower score is laxer.

    Parameters
    ----------
    judged : every held-out fold's counts at the points and at their neighbours.

    Returns
    -------
    One row a beta and neighbour (columns `INTERVALS`): `lead`, the mean over models of the difference in F_beta of the
    summed counts of the folds where the neighbour is (predicting nothing positive is no neighbour); `leads_both`, the
    share of folds in which the point is at least as good as both.
    """
    counts = judged.at_vertices.astype(float)
    own, beside = counts[:, :, 1:2], counts[:, :, ::2]
    there = judged.has_vertex[:, :, ::2]
    points, neighbours = ((side * there[..., None]).sum(axis=0) for side in (own, beside))
    good = f_of(own, BETAS_SQUARED) >= f_of(beside, BETAS_SQUARED)
    both = there.all(axis=2)
    leads, folds = (both & good.all(axis=2)).sum(axis=(0, 1)), both.sum(axis=(0, 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        lead = f_of(points, BETAS_SQUARED) - f_of(neighbours, BETAS_SQUARED)
        share = leads / folds
    rows = [
        {"beta": beta, "neighbour": name, "lead": _mean(lead[:, k, b]), "leads_both": share[b]}
        for b, beta in enumerate(np.sqrt(BETAS_SQUARED))
        for k, name in enumerate(NEIGHBOURS)
    ]
    known = [row for row in rows if np.isfinite(row["lead"])]
    return pd.DataFrame(known, columns=list(INTERVALS))


def _mean(values: np.ndarray) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else np.nan


def cases_over_tasks(by_task: pd.DataFrame) -> pd.DataFrame:
    """Mean differences over tasks with 95 % intervals over source groups, a row a case of `CASES`."""
    rows = []
    for case, tasks in by_task.groupby(list(CASES[:-1]), sort=False):
        mean = over_tasks(tasks["difference"], tasks["source_group"], name="difference")
        rows.append({**dict(zip(CASES, case, strict=False)), **mean})
    return pd.DataFrame(rows, columns=[*CASES, "low", "high", "n_tasks", "n_groups"])


def leads_over_tasks(by_task: pd.DataFrame) -> pd.DataFrame:
    """Mean leads over tasks with 95 % intervals over source groups, a row a beta and neighbour."""
    rows = []
    for (beta, neighbour), tasks in by_task.groupby(["beta", "neighbour"], sort=False):
        mean = over_tasks(tasks["lead"], tasks["source_group"], name="lead")
        share = {"leads_both": tasks["leads_both"].mean()}
        rows.append({"beta": beta, "neighbour": neighbour, **mean, **share})
    return pd.DataFrame(
        rows, columns=["beta", "neighbour", "lead", "low", "high", *INTERVALS[3:], "n_tasks", "n_groups"]
    )
