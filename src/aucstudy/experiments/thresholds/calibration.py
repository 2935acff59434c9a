"""Are PRG-calibrated scores worth more than calibrated probabilities? [Flach & Kull 2015, section 4.3]

The searched threshold is the same argmax as the PRG hull's, so it cannot say. Rivals that can differ, on held-out rows:
isotonic probabilities cut at 1/(1 + beta^2), the constant that PRG calibration makes right, and at the plug-in
threshold F*/(1 + beta^2), F* the best F_beta that the probabilities expect on the rows to be classified. Few
calibration rows, and test rows of other odds, are where a rule that was fitted once may fail. Known odds move the
probabilities; a PRG-calibrated score has to be moved by another rule (`prg_moved`), which is compared too.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from aucstudy.metrics.hulls import PrgHull, RocHull, prg_hull, roc_hull
from aucstudy.statistics.intervals import over_tasks
from aucstudy.statistics.seeds import generator
from aucstudy.store.task_store import Predictions

BETAS_SQUARED = np.array([0.25, 1.0, 4.0])
# calibration rows: all of the other folds, or that many of them
ROWS = {"all": None, "200": 200, "50": 50}
# of a positive, on the test rows against the calibration rows
ODDS = np.array([1.0, 0.25, 4.0])
RULES = ("prg", "isotonic_same", "isotonic_plug_in", "prg_moved")
NEIGHBOURS = {"stricter": -1, "laxer": 1}
CASES = ("beta", "rows", "odds", "against", "difference")
INTERVALS = ("beta", "neighbour", "lead", "leads_both")


def calibration_of_task(predictions: Predictions, seed: int) -> pd.DataFrame:
    """What the PRG-calibrated threshold gains over each rival on held-out folds.

    Returns
    -------
    One row a beta, number of calibration rows, odds and rival (columns `CASES`): the mean over models of the
    difference in F_beta of the folds' summed counts. Sizes that the other folds do not exceed have no rows.
    """
    y, scores = predictions.y_true, predictions.scores
    rng = generator(seed, predictions.task_id, "calibration rows")
    n_models = scores.shape[1]
    counts = {name: np.zeros((n_models, len(RULES), len(ODDS), len(BETAS_SQUARED), 3)) for name in ROWS}
    used = set()
    for held_out in held_out_folds(predictions):
        train = np.flatnonzero(~held_out)
        for name, size in ROWS.items():
            chosen = train if size is None else _some_rows(y, train, size, rng)
            if chosen is None:
                continue
            used.add(name)
            for m in range(n_models):
                rows = y[chosen], scores[chosen, m]
                of_rules = _counts(roc_hull(*rows), prg_hull(*rows), y[held_out], scores[held_out, m])
                counts[name][m] += of_rules
    frames = [_differences(counts[name]).assign(rows=name) for name in ROWS if name in used]
    return pd.concat(frames, ignore_index=True)[list(CASES)] if frames else pd.DataFrame(columns=list(CASES))


def held_out_folds(predictions: Predictions) -> Iterator[np.ndarray]:
    """(n,) bool for each fold that, like the rest, holds both classes: its rows."""
    y = predictions.y_true
    for fold in np.unique(predictions.folds):
        held_out = predictions.folds == fold
        if all(0 < y[part].sum() < part.sum() for part in (held_out, ~held_out)):
            yield held_out


def _some_rows(y: np.ndarray, rows: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray | None:
    """So many of the rows at random, one of each class at least; None if there are not more."""
    if len(rows) <= size:
        return None
    mixed = rng.permutation(rows)
    sure = [mixed[y[mixed]][0], mixed[~y[mixed]][0]]
    rest = mixed[~np.isin(mixed, sure)]
    return np.concatenate([sure, rest[: size - 2]])


def _counts(roc: RocHull, prg: PrgHull, y: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """(rules, odds, betas, 3) true positives, false positives and positives, negatives weighted by 1 / odds."""
    d, p = prg.calibrated(scores), roc.calibrated(scores)
    odds = ODDS[:, None]
    moved = p * odds / (p * odds + 1 - p)
    weight = np.where(y, 1.0, 1 / odds)
    best = np.stack([expected_f(*of_odds) for of_odds in zip(moved, weight, strict=True)])
    ratio = np.broadcast_to(1 / (1 + BETAS_SQUARED), best.shape)
    same = [np.broadcast_to(calibrated, moved.shape) for calibrated in (d, p)]
    # F_beta of rows with other odds is that of beta^2 times the odds on the calibration rows
    values = np.stack([*same, moved, same[0]])
    least = np.stack([ratio, ratio, best * ratio, 1 / (1 + odds * BETAS_SQUARED)])
    predicted = (values[:, :, None, :] >= least[..., None]).astype(np.float32)
    out = np.empty((*least.shape, 3))
    out[..., 0], out[..., 1] = predicted @ y.astype(np.float32), predicted @ (~y).astype(np.float32) / odds
    out[..., 2] = y.sum()
    return out


def expected_f(probabilities: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The highest F_beta that calibrated probabilities expect of any threshold, one a beta.

    Parameters
    ----------
    probabilities, weight : (n,) of the rows to be classified; no labels are used.

    Examples
    --------
    >>> expected_f(np.array([1.0, 0.5, 0.0]), np.ones(3)).round(3).tolist()
    [0.909, 0.857, 0.938]
    """
    order = np.argsort(-probabilities, kind="stable")
    falling, mass = probabilities[order], weight[order]
    tp, n = np.cumsum(falling * mass), np.cumsum(mass)
    b = BETAS_SQUARED[:, None]
    ends = np.append(falling[1:] < falling[:-1], True)
    return ((1 + b) * tp / (n + b * tp[-1]))[:, ends].max(axis=1)


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
            "against": np.array(RULES[1:], dtype=object)[against],
            "difference": (f[:1] - f[1:]).reshape(-1),
        }
    )


def intervals_of_task(predictions: Predictions) -> pd.DataFrame:
    """Whether the hull point that is printed as best at a beta leads its neighbours on held-out folds.

    A point is cut at its own score, as calibrated scores imply; a cut half way to the next lower score is laxer.

    Returns
    -------
    One row a beta and neighbour (columns `INTERVALS`): `lead`, the mean over models of the difference in F_beta of the
    summed counts of the folds where the neighbour is (predicting nothing positive is no neighbour); `leads_both`, the
    share of folds in which the point is at least as good as both.
    """
    y, scores = predictions.y_true, predictions.scores
    shape = (scores.shape[1], len(NEIGHBOURS), len(BETAS_SQUARED))
    points, neighbours = np.zeros((*shape, 3)), np.zeros((*shape, 3))
    leads, folds = np.zeros(shape[-1]), np.zeros(shape[-1])
    for held_out in held_out_folds(predictions):
        truth = y[held_out]
        for m in range(shape[0]):
            hull = prg_hull(y[~held_out], scores[~held_out, m])
            predicted = scores[held_out, m][:, None] >= hull.thresholds
            of_vertices = np.stack([truth @ predicted, ~truth @ predicted], axis=-1).astype(float)
            of_vertices = np.insert(of_vertices, 2, truth.sum(), axis=1)
            at = (hull.d >= 1 / (1 + BETAS_SQUARED)[:, None]).sum(axis=1)
            both = np.ones(len(at), dtype=bool)
            good = np.ones(len(at), dtype=bool)
            for k, step in enumerate(NEIGHBOURS.values()):
                there = (at + step >= 1) & (at + step < len(of_vertices))
                beside = of_vertices[np.where(there, at + step, at)]
                points[m, k] += of_vertices[at] * there[:, None]
                neighbours[m, k] += beside * there[:, None]
                both &= there
                good &= f_of(of_vertices[at], BETAS_SQUARED) >= f_of(beside, BETAS_SQUARED)
            leads, folds = leads + (both & good), folds + both
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
