"""The experiment `thresholds`: the F-beta that F-calibrated thresholds reach on held-out rows.

Thresholds are set on all folds but one and judged on the remaining fold.
"""

from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Task
from aucstudy.experiments.quantities import Quantity, each
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.hulls import hull_of_groups
from aucstudy.metrics.kernel import (
    F_BETA,
    OBSERVED,
    Order,
    best_threshold,
    count_groups,
    descending_scores,
    order_of,
    room_for,
    rows_accepted,
    select_rows,
    totals_of,
)
from aucstudy.statistics.seeds import generator
from aucstudy.store.task_store import Predictions

NEITHER, FITTED, HELD_OUT = 0, 1, 2  # These are the roles of a row in a split.
BETAS_SQUARED = np.array([0.25, 1.0, 4.0])
BETAS = np.sqrt(BETAS_SQUARED)
THRESHOLDS = ("default", "probability_half", "f_calibrated", "searched", "hindsight")
# The experiment `thresholds.fold_averages` reads the counts of these rules at beta 1.
AVERAGED = ("default", "f_calibrated")
CALIBRATED = ("prg", "isotonic_same", "isotonic_plug_in", "prg_moved")
# Here `prg_moved` is compared with `isotonic_plug_in`. Both know the odds of the held-out rows.
BOTH_TOLD = "both_told"
# The odds of a positive in the held-out rows, divided by the odds in the fitted rows.
ODDS = np.array([1.0, 0.25, 4.0])
SMALLER = {"200": 200, "50": 50}  # These numbers of calibration rows are used if the other folds have more.
NEIGHBOURS = {"stricter": -1, "laxer": 1}


_AT_RULE = {"setting": "{rule}", "at": "{beta:g}"}
_AT_NEIGHBOUR = {"setting": "{neighbour}", "at": "{beta:g}"}
# The name of the rule that `f_calibrated` thresholds are compared with is in the column `second`.
QUANTITIES = (
    *each(
        {
            "F_beta": "f", "F_beta minus that at the searched threshold": "minus_searched",
            "F_beta minus that at the default threshold": "minus_default",
            "F_beta minus that at probability 1/2": "minus_probability_half",
            "same rows accepted as at the searched threshold": "same_as_searched",
        },
        "thresholds_tasks", keys=_AT_RULE,
    ),
    Quantity(
        "F_beta of calibrated scores", "calibration", "difference",
        {"first": "prg", "second": "{against}", "setting": "{rows} rows, odds {odds:g}", "at": "{beta:g}"},
    ),
    Quantity("lead over a neighbour", "beta_intervals", "lead", _AT_NEIGHBOUR),
    Quantity("leads both neighbours", "beta_intervals", "leads_both", _AT_NEIGHBOUR),
)  # fmt: skip


class HeldOut(NamedTuple):
    """The held-out rows that m models accept in each split, as counts.

    The last axis of the counts is: true positives, false positives, all positives. `at_thresholds` (splits,
    m, thresholds, betas, 3) are the counts at `THRESHOLDS`. `at_vertices` (splits, m, 3, betas, 3) are those
    at three vertices of the hull: the one before the best vertex for a beta, the best vertex, and the next
    one. `has_vertex` (splits, m, 3, betas) is False if there is no such vertex. The first vertex of the hull,
    (0, 0), counts as none.
    """

    at_thresholds: np.ndarray
    at_vertices: np.ndarray
    has_vertex: np.ndarray


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    predictions = task.predictions
    roles = held_out_folds(predictions)
    if not len(roles):
        return {}
    order = order_of(predictions.y_true, predictions.scores)
    judged = judged_thresholds(order, predictions.scores, roles)
    f_of_models = reached(judged.at_thresholds, predictions.run_ids)
    counts = held_out_counts(predictions, roles, judged)
    return {
        "thresholds_tasks": reached_over_models(f_of_models),
        "calibration": calibration_of_task(predictions, roles, order, seed),
        "beta_intervals": intervals_of_task(judged),
        "reached": f_of_models,
        "f1_counts": counts[counts["rule"].isin(AVERAGED) & (counts["beta"] == 1)],
    }


def held_out_folds(predictions: Predictions) -> np.ndarray:
    """Return the roles (k, n) of all rows when one fold after the other is held out.

    A fold is held out only if it has both classes and the other folds together have both classes.
    """
    y, folds = predictions.y_true, predictions.folds
    negatives_and_positives = np.bincount(2 * folds + y, minlength=2 * folds.max() + 2).reshape(-1, 2)
    counts_outside = negatives_and_positives.sum(axis=0) - negatives_and_positives
    numbers = np.flatnonzero(((negatives_and_positives > 0) & (counts_outside > 0)).all(axis=1))
    return np.where(folds == numbers[:, None], HELD_OUT, FITTED).astype(np.uint8)


def default_threshold(scores: np.ndarray) -> np.ndarray:
    """Return the threshold with which each model comes: 1/2 if all its scores lie in [0, 1], otherwise 0.

    `scores` are (n, m). If some scores of a model lie outside of [0, 1], they are taken as decision values.

    >>> default_threshold(np.array([[0.1, -2.0], [0.9, 3.0]])).tolist()
    [0.5, 0.0]
    """
    return np.where((scores.min(axis=0) >= 0) & (scores.max(axis=0) <= 1), 0.5, 0.0)


def f_of(counts: np.ndarray, beta_squared: np.ndarray = BETAS_SQUARED) -> np.ndarray:
    """Return F_beta from counts (..., betas, 3) of true positives, false positives and all positives."""
    tp, fp, positives = np.moveaxis(counts, -1, 0)
    return (1 + beta_squared) * tp / (tp + fp + beta_squared * positives)


def _rows_of(**levels) -> pd.DataFrame:
    return pd.MultiIndex.from_product(list(levels.values()), names=list(levels)).to_frame(index=False)


def held_out_counts(predictions: Predictions, roles: np.ndarray, judged: HeldOut) -> pd.DataFrame:
    counts = _rows_of(fold=range(len(roles)), run_id=predictions.run_ids, rule=THRESHOLDS, beta=BETAS)
    tp, fp, n_positive = judged.at_thresholds.reshape(-1, 3).T
    n = (roles == HELD_OUT).sum(axis=1)[counts["fold"]]
    return counts.assign(tp=tp, fp=fp, n_positive=n_positive, n=n)


def reached(at_thresholds: np.ndarray, run_ids: tuple[str, ...]) -> pd.DataFrame:
    """Return F_beta from the counts of all folds together, with a row for each model, rule and beta.

    `same_as_searched` is the share of folds in which the counts are the same as at the searched threshold.
    """
    searched = at_thresholds[:, :, [THRESHOLDS.index("searched")]]
    share_same = (at_thresholds == searched).all(axis=-1).mean(axis=0)
    f = f_of(at_thresholds.sum(axis=0))
    model_rows = _rows_of(run_id=run_ids, rule=THRESHOLDS, beta=BETAS)
    return model_rows.assign(f=f.ravel(), same_as_searched=share_same.ravel())


def reached_over_models(of_models: pd.DataFrame) -> pd.DataFrame:
    f = of_models["f"].to_numpy().reshape(-1, len(THRESHOLDS), len(BETAS))
    rivals = ("searched", "default", "probability_half")
    minus = {f"minus_{rule}": (f - f[:, [THRESHOLDS.index(rule)]]).ravel() for rule in rivals}
    by_rule = of_models.assign(**minus).drop(columns="run_id").groupby(["beta", "rule"], sort=False)
    return by_rule.mean().reset_index().assign(n_models=len(f))


def calibration_of_task(predictions: Predictions, roles: np.ndarray, order: Order, seed: int) -> pd.DataFrame:
    """Return F_beta at the F-calibrated threshold minus F_beta of each rival, as a mean over models.

    There is a row for each number of calibration rows, rival, odds and beta. In the rows `both_told`,
    `prg_moved` is compared with `isotonic_plug_in`. A number of calibration rows is used only if the other
    folds have more rows.
    """
    rng = generator(seed, predictions.task_id, "calibration rows")
    splits: dict[str, list[np.ndarray]] = {name: [] for name in ("all", *SMALLER)}
    for fold in roles:
        fitted = np.flatnonzero(fold == FITTED)
        splits["all"].append(fold)
        for name, size in SMALLER.items():
            if len(fitted) > size:
                split = np.where(fold == HELD_OUT, fold, NEITHER)
                split[_some_rows(predictions.y_true, fitted, size, rng)] = FITTED
                splits[name].append(split)
    frames = []
    for name, cut in splits.items():
        if cut:
            f = f_of(judged_calibrations(order, predictions.scores, np.array(cut))).mean(axis=0)
            rows = _rows_of(against=[*CALIBRATED[1:], BOTH_TOLD], odds=ODDS, beta=BETAS)
            differences = np.concatenate([f[:1] - f[1:], f[3:] - f[2:3]])
            frames.append(rows.assign(rows=name, difference=differences.ravel()))
    return pd.concat(frames, ignore_index=True)


def _some_rows(y: np.ndarray, rows: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    shuffled = rng.permutation(rows)
    one_of_each_class = [shuffled[y[shuffled]][0], shuffled[~y[shuffled]][0]]
    remaining = shuffled[(shuffled != one_of_each_class[0]) & (shuffled != one_of_each_class[1])]
    return np.concatenate([one_of_each_class, remaining[: size - 2]])


def intervals_of_task(judged: HeldOut) -> pd.DataFrame:
    """Return by how much F_beta at the expected best hull point exceeds F_beta at its neighbours.

    F_beta is computed on the held-out folds, and `lead` is a mean over models. `leads_both` is a share of the
    pairs of a model and a fold in which the point has both neighbours. In this share, it is at least as good
    as both of them.
    """
    counts = judged.at_vertices.astype(float)
    best, neighbours, has_neighbour = counts[:, :, 1:2], counts[:, :, ::2], judged.has_vertex[:, :, ::2]
    has_both = has_neighbour.all(axis=2)
    as_good = has_both & (f_of(best) >= f_of(neighbours)).all(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        f, f_of_neighbours = (
            f_of((side * has_neighbour[..., None]).sum(axis=0)) for side in (best, neighbours)
        )
        leads_both = as_good.sum(axis=(0, 1)) / has_both.sum(axis=(0, 1))
    lead = f - f_of_neighbours
    rows = []
    for (b, beta), (k, neighbour) in product(enumerate(BETAS), enumerate(NEIGHBOURS)):
        finite = lead[np.isfinite(lead[:, k, b]), k, b]
        if len(finite):
            mean = {"lead": finite.mean(), "leads_both": leads_both[b]}
            rows.append({"beta": beta, "neighbour": neighbour, **mean})
    return pd.DataFrame(rows, columns=["beta", "neighbour", "lead", "leads_both"])


def judged_thresholds(order: Order, scores: np.ndarray, roles: np.ndarray) -> HeldOut:
    """Return what thresholds for F_beta, and the vertices of the hull, accept of the held-out rows.

    `roles` are (splits, n) uint8. Each split must have fitted rows of both classes.
    """
    shape, betas = (len(roles), len(order.rows)), len(BETAS)
    judged = HeldOut(
        np.empty((*shape, len(THRESHOLDS), betas, 3), dtype=np.int64),
        np.empty((*shape, 3, betas, 3), dtype=np.int64),
        np.empty((*shape, 3, betas), dtype=bool),
    )
    descending = descending_scores(order, scores)
    stops = np.empty((shape[1], len(THRESHOLDS), betas), dtype=np.int64)
    stops[:, 0] = (descending >= default_threshold(scores)[:, None]).sum(axis=1)[:, None]
    _judge(order, descending, roles, stops, judged)
    return judged


def judged_calibrations(order: Order, scores: np.ndarray, roles: np.ndarray) -> np.ndarray:
    """Return what calibrated scores accept of held-out rows whose odds differ from those of the fitted rows.

    The result (m, rules, odds, betas, 3) has true positives, false positives and all positives, summed over
    the splits. Negatives are weighted by 1 / odds. The rules are those of `CALIBRATED`:

    * `prg`: the F-calibrated score with the threshold 1/(1 + beta^2)
    * `isotonic_same`: the probability with the same threshold
    * `isotonic_plug_in`: the probability, adjusted to the odds, with the threshold `expected_f`/(1 + beta^2)
    * `prg_moved`: the F-calibrated score with the threshold 1/(1 + odds * beta^2)
    """
    counts = np.zeros((len(order.rows), len(CALIBRATED), len(ODDS), len(BETAS), 3))
    _judge_calibrated(order, descending_scores(order, scores), roles, counts)
    return counts


class Fitted(NamedTuple):
    """One model's ranking of the fitted rows, which are P positives and N negatives.

    `ranks` are those of `select_rows`, and `groups` are those of `count_groups`.
    """

    ranks: np.ndarray
    groups: np.ndarray
    P: float
    N: float


@compiled
def _ranking_of(order, descending, m, is_fitted, selection, groups):
    rows, ends_group, ranks = select_rows(order.rows[m], descending[m], is_fitted, selection)
    size = count_groups(rows, ends_group, order.positive, is_fitted, groups)
    # Each group has a positive, so no positive lies below the last group.
    P = groups[0, size - 1] + groups[2, size - 1]
    return Fitted(ranks, groups[:, :size], P, rows.size - P)


@compiled
def _judge(order, descending, roles, stops, judged):
    at_thresholds, at_vertices, has_vertex = judged
    n_models, n = order.rows.shape
    all_rows = np.ones(n, dtype=np.bool_)
    selection, groups = room_for(n), np.empty((4, n + 1))
    hull, d, p = np.empty((3, n + 1)), np.empty(n), np.empty(n)
    # The three rows are the held-out positives and negatives down to each rank, and all held-out positives.
    above = np.zeros((3, n + 1), dtype=np.int64)
    for m in range(n_models):
        rows = order.rows[m]
        is_positive = order.positive[rows]
        _search(_ranking_of(order, descending, m, all_rows, selection, groups), descending[m], stops[m, 4])
        for s in range(roles.shape[0]):
            fitted = _ranking_of(order, descending, m, roles[s] == FITTED, selection, groups)
            _search(fitted, descending[m], stops[m, 3])
            size = _hull(fitted, order.ends_group[m], hull)
            _calibrate(hull, size, d, p)
            held_out = roles[s][rows] == HELD_OUT
            above[0, 1:] = np.cumsum(held_out & is_positive)
            above[1, 1:] = np.cumsum(held_out & ~is_positive)
            above[2] = above[0, n]
            stops[m, 1] = np.int64(hull[2, np.sum(p[: size - 1] >= 0.5)])
            for b in range(BETAS_SQUARED.size):
                vertex = np.sum(d[: size - 1] >= 1 / (1 + BETAS_SQUARED[b]))
                stops[m, 2, b] = np.int64(hull[2, vertex])
                for k in range(3):
                    neighbour = vertex + k - 1
                    has_vertex[s, m, k, b] = neighbour >= 1 and neighbour < size
                    stop = np.int64(hull[2, neighbour if has_vertex[s, m, k, b] else vertex])
                    at_vertices[s, m, k, b] = above[:, stop]
                for k in range(stops.shape[1]):
                    at_thresholds[s, m, k, b] = above[:, stops[m, k, b]]


@compiled
def _hull(fitted, ends_group, hull):
    """Fill `hull` with the vertices of the ROC hull of the fitted rows, and return how many there are.

    They are also the vertices of the PRG hull. A vertex has the true positives, the false positives, and the
    rows of all roles down to its score. The first vertex is (0, 0).
    """
    size = hull_of_groups(fitted.groups, fitted.groups.shape[1], fitted.P, fitted.N, hull)
    hull[2, 0] = 0
    for k in range(1, size):
        last = fitted.ranks[int(hull[0, k] + hull[1, k]) - 1]
        while not ends_group[last]:
            last += 1
        hull[2, k] = last + 1
    return size


@compiled
def _calibrate(hull, size, d, p):
    """Fill in the F-calibrated score `d` and the probability `p` of each segment of the hull.

    They are those of `prg_hull` and `roc_hull`.
    """
    P = hull[0, size - 1]
    for k in range(size - 1):
        width, rise = hull[0, k + 1] - hull[0, k], hull[1, k + 1] - hull[1, k]
        p[k] = width / (width + rise)
        beta_squared = max((hull[0, k] * (rise / width) - hull[1, k]) / P, 0.0) if width > 0 else np.inf
        d[k] = 1 / (1 + beta_squared)


@compiled
def _search(fitted, descending, stops):
    """Fill in how many rows of all roles the best threshold for each beta accepts.

    It has the highest F_beta on the fitted rows. Of several such thresholds, the highest is taken.
    """
    totals = totals_of(fitted.P, fitted.N, OBSERVED)
    for b in range(BETAS.size):
        _, true, false = best_threshold(fitted.groups, fitted.groups.shape[1], totals, F_BETA, BETAS[b])
        stops[b] = rows_accepted(descending, fitted.ranks, int(true + false))


@compiled
def _judge_calibrated(order, descending, roles, counts):
    n_models, n = order.rows.shape
    positive, selection, groups = order.positive, room_for(n), np.empty((4, n + 1))
    hull, d, p, moved = np.empty((3, n + 1)), np.empty(n), np.empty(n), np.empty(n)
    segment, classes, mass = np.empty(n, np.int64), np.empty((2, n)), np.empty(n)
    for s in range(roles.shape[0]):
        held_out = np.flatnonzero(roles[s] == HELD_OUT)
        for m in range(n_models):
            fitted = _ranking_of(order, descending, m, roles[s] == FITTED, selection, groups)
            size = _hull(fitted, order.ends_group[m], hull)
            _calibrate(hull, size, d, p)
            _into_segments(order.rows[m], positive, roles[s], hull, size, segment, classes)
            by_segment = held_out[np.argsort(segment[held_out], kind="mergesort")]
            for o in range(ODDS.size):
                for k in range(size - 1):
                    moved[k] = p[k] * ODDS[o] / (p[k] * ODDS[o] + 1 - p[k])
                for i in range(by_segment.size):
                    mass[i] = 1.0 if positive[by_segment[i]] else 1 / ODDS[o]
                best = expected_f(moved[segment[by_segment]], mass[: by_segment.size])
                _accept(d[: size - 1], p, moved, classes, ODDS[o], best, counts[m, :, o])


@compiled
def _into_segments(rows, positive, roles, hull, size, segment, classes):
    """Fill in the segment of each held-out row and the class counts of each segment.

    Rows below all fitted scores are in the last segment.
    """
    classes[:, : size - 1] = 0.0
    k = 0
    for i in range(rows.size):
        if roles[rows[i]] == HELD_OUT:
            while k < size - 2 and i >= hull[2, k + 1]:
                k += 1
            segment[rows[i]] = k
            classes[0 if positive[rows[i]] else 1, k] += 1


@compiled
def expected_f(probability, weight):
    """Return for each beta the highest F_beta of any threshold, expected from probabilities without labels.

    The probabilities are in descending order, and the rows count by `weight`.
    """
    best = np.zeros(BETAS_SQUARED.size)
    total = 0.0
    for i in range(probability.size):
        total += probability[i] * weight[i]
    tp = n = 0.0
    for i in range(probability.size):
        tp += probability[i] * weight[i]
        n += weight[i]
        if i + 1 == probability.size or probability[i + 1] < probability[i]:
            for b in range(BETAS_SQUARED.size):
                f_beta = (1 + BETAS_SQUARED[b]) * tp / (n + BETAS_SQUARED[b] * total)
                best[b] = max(best[b], f_beta)
    return best


@compiled
def _accept(d, p, moved, classes, odds, best, counts):
    """Add to `counts` (rules, betas, 3) what each rule accepts of the held-out rows."""
    for b in range(BETAS_SQUARED.size):
        ratio = 1 / (1 + BETAS_SQUARED[b])
        # At other odds, the best threshold is the one for beta^2 * odds at the odds of the fitted rows.
        ratio_moved = 1 / (1 + odds * BETAS_SQUARED[b])
        for k in range(d.size):
            t, f = classes[0, k], classes[1, k] / odds
            accepted = d[k] >= ratio, p[k] >= ratio, moved[k] >= best[b] * ratio, d[k] >= ratio_moved
            for rule in range(4):
                if accepted[rule]:
                    counts[rule, b, 0] += t
                    counts[rule, b, 1] += f
                counts[rule, b, 2] += t
