"""The experiment `selection`: which metric's choice is better on new data?

Models are chosen on some of the test rows and judged on others.
"""

import warnings
from collections.abc import Iterable
from itertools import product

import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import RARE_TASKS, Study, Task
from aucstudy.experiments.quantities import Frames, Quantity, measured_rows
from aucstudy.metrics.choosing import (
    CRITERIA,
    QUARTER_AREAS,
    UTILITIES,
    BothWays,
    choose_and_judge,
    choose_on_halves,
)
from aucstudy.metrics.kernel import Order, order_of
from aucstudy.metrics.registry import index
from aucstudy.metrics.resamples import areas_of_order
from aucstudy.statistics.ranks import average_ranks, rounded
from aucstudy.statistics.seeds import draws_needed, generator
from aucstudy.statistics.stratified import parts_in_turn
from aucstudy.store.estimates import ALL
from aucstudy.store.task_store import Predictions

AT_LEAST = 5  # rows of each class in a judging part
RANDOM, REFERENCE = "random", "auroc"
SELECTION_METRICS = (*(name for name in CRITERIA if name != REFERENCE), RANDOM)
PRIMARY, PRIMARY_UTILITIES = ("auprg", "aupr"), ("f1", "expected_fg1")
CONTRASTS = (PRIMARY, ("aupr", "auroc"), ("auprg", "auroc"))
# The limit of the verdict, as it was stated before the data were seen. Claims and figures use
# `compared.MARGIN`.
MATTERS = 0.01
RANKS = tuple(f"rank_{utility}" for utility in UTILITIES)
SPREADS = tuple(f"sd_{utility}" for utility in UTILITIES)


def _gains(frames: Frames, pairs: Iterable[tuple[str, str]], designs: Iterable[str]) -> pd.DataFrame:
    """Return the target metrics of each first metric's model minus those of the second metric's model.

    There is a row for each task, pair, design and target metric. `gain_in_rank` is the difference of the shares of
    other models that the two models beat, and `model_sd` is the SD of the target metric over the models.
    """
    tasks, rows = measured_rows(frames, "selection_tasks"), []
    facts = ["task_id", "n_positive", "prevalence", "n_models", "margin", "n_perfect"]
    for design, (first, second) in product(designs, pairs):
        minus = differences(tasks, design, first, second).reset_index()
        names = minus[facts].assign(design=design, first=first, second=second)
        for utility in UTILITIES:
            gain = {
                "gain": minus[utility],
                "gain_in_rank": minus[f"rank_{utility}"],
                "model_sd": minus[f"sd_{utility}"],
            }
            rows.append(names.assign(target=utility, **gain))
    return pd.concat(rows, ignore_index=True)


def gains_over_reference(frames: Frames) -> pd.DataFrame:
    return _gains(frames, [(name, REFERENCE) for name in SELECTION_METRICS], ("halves", "folds"))


def gains_of_contrasts(frames: Frames) -> pd.DataFrame:
    return _gains(frames, CONTRASTS, ("halves",))


def gains_of_primary(frames: Frames) -> pd.DataFrame:
    rows = _gains(frames, [PRIMARY], ("halves", "folds"))
    rows = rows[rows["target"].isin(PRIMARY_UTILITIES)]
    better = {"first_better": rows["gain"] > 0, "second_better": rows["gain"] < 0}
    return rows.assign(**{name: column.astype(float) for name, column in better.items()})


def agreements(frames: Frames) -> pd.DataFrame:
    tasks = measured_rows(frames, "selection_tasks")
    return tasks[(tasks["design"] == "halves") & (tasks["selected_by"] != RANDOM)]


_GAIN = {"first": "{first}", "second": "{second}", "target": "{target}", "setting": "{design}"}
# A fact of a task stands in the rows of all its gains, of which these are one.
_ONE_GAIN = {"design": "halves", "first": RANDOM, "target": "f1"}
_OF_MATRIX = (ALL, RARE_TASKS, "prevalence 0.1 or more")
STRATA = (
    "under 50 positives", "50 to 200 positives", "over 200 positives", "under 100 positives", "100 or more positives",
    "prevalence under 0.1", "prevalence 0.1 to 0.3", "prevalence over 0.3", "prevalence 0.1 or more",
    "10 or fewer models", "11 to 29 models", "30 or more models",
    "margin in AUPR under 0.001", "margin in AUPR 0.001 to 0.01", "margin in AUPR over 0.01", "a perfect model",
)  # fmt: skip
QUANTITIES = (
    Quantity("gain", gains_over_reference, "gain", _GAIN, subsets=_OF_MATRIX),
    Quantity(
        "gain", gains_over_reference, "gain", _GAIN, kind="simultaneous", subsets=_OF_MATRIX,
        family="all selection metrics and target metrics", jointly=("first", "target"),
    ),
    Quantity("gain", gains_over_reference, "gain", _GAIN, kind="median", subsets=_OF_MATRIX),
    Quantity("gain in rank", gains_over_reference, "gain_in_rank", _GAIN, subsets=_OF_MATRIX),
    Quantity(
        "SD over models", gains_over_reference, "model_sd", {"target": "{target}", "setting": "halves"},
        {"design": "halves", "first": RANDOM}, kind="median", subsets=_OF_MATRIX,
    ),
    Quantity(
        "gain", gains_of_contrasts, "gain", _GAIN, {"first": PRIMARY[0], "second": PRIMARY[1]}, subsets=(ALL, *STRATA)
    ),
    *(
        Quantity(
            "gain", gains_of_contrasts, "gain", _GAIN, {"first": first, "second": REFERENCE},
            subsets=tuple(stratum for stratum in STRATA if stratum not in _OF_MATRIX),
        )
        for first, second in CONTRASTS[1:]
    ),
    Quantity("gain", gains_of_primary, "gain", _GAIN, {"design": "folds"}),
    Quantity(
        "gain", gains_of_primary, "gain", _GAIN, kind="simultaneous",
        family="primary target metrics", jointly=("target",),
    ),
    Quantity("gain", gains_of_primary, "gain", _GAIN, kind="median"),
    Quantity("first is better", gains_of_primary, "first_better", _GAIN, kind="share"),
    Quantity("second is better", gains_of_primary, "second_better", _GAIN, kind="share"),
    Quantity("positives", gains_over_reference, "n_positive", {}, _ONE_GAIN, kind="median", subsets=_OF_MATRIX),
    Quantity("self agreement", agreements, "self_agreement", {"first": "{selected_by}"}),
)  # fmt: skip


def of_task(task: Task, *, splits: int, seed: int) -> dict[str, pd.DataFrame]:
    predictions = task.predictions
    order = order_of(predictions.y_true, predictions.scores)
    choice_rows, rejections, spreads = [], [], dict.fromkeys(SPREADS, np.nan)
    _, first = np.unique(predictions.row_id, return_index=True)
    n_minority = np.bincount(predictions.y_true[first], minlength=2).min()
    if n_minority // 2 >= AT_LEAST:
        choice_rows, spreads = on_halves(predictions, order, splits, seed)
    else:
        detail = f"{n_minority} rows, expected {2 * AT_LEAST}"
        rejections.append({"design": "halves", "reason": "too_few_in_half", "detail": detail})
    if fold_parts := judging_folds(predictions):
        criteria, utilities = choose_and_judge(order, predictions.scores, *fold_parts)
        choice_rows += choices("folds", dict(zip(CRITERIA, criteria, strict=True)), utilities)
    else:
        rejections.append({"design": "folds", "reason": "too_few_folds", "detail": "under 2 parts"})
    facts = facts_of_models(predictions, order) | spreads
    rows = {"selection_tasks": [row | facts for row in choice_rows], "selection_rejections": rejections}
    return {name: pd.DataFrame(frame_rows) for name, frame_rows in rows.items() if frame_rows}


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    if study.frames["selection_tasks"].empty:
        return {}
    return {"selection_primary": primary_table(study)}


def judging_folds(predictions: Predictions) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the selection rows and the judging rows of each part, (parts, n) each.

    Each pool of folds judges once, and the other pools of the same repeat choose. The result is None if the
    folds of a repeat make fewer than two pools.
    """
    choosing, judging = [], []
    for repeat in np.unique(predictions.repeat):
        rows = predictions.repeat == repeat
        pool = np.full(len(rows), -1)
        pool[rows] = _pools(predictions.fold[rows], predictions.y_true[rows])
        if pool.max() < 1:
            return None
        judging += [pool == number for number in range(pool.max() + 1)]
        choosing += [rows & (pool != number) for number in range(pool.max() + 1)]
    return np.array(choosing), np.array(judging)


def _pools(fold: np.ndarray, y_true: np.ndarray) -> np.ndarray:
    """Return the number of the pool (n,) to which each row's fold belongs.

    Folds are added to a pool, one by one, until it has `AT_LEAST` rows of each class. Folds that are left
    over at the end join the last pool.
    """
    pool = np.full(len(fold), -1)
    n_full = 0
    for number in np.unique(fold):
        pool[fold == number] = n_full
        y_true_inside = y_true[pool == n_full]
        n_full += min(y_true_inside.sum(), (~y_true_inside).sum()) >= AT_LEAST
    return np.minimum(pool, max(n_full - 1, 0))


def facts_of_models(predictions: Predictions, order: Order) -> dict[str, float]:
    y = predictions.y_true
    aupr = rounded(areas_of_order(order)[:, index("aupr")])
    best = np.sort(aupr)[::-1][:2]
    return {
        "n_positive": int(y.sum()),
        "prevalence": y.mean(),
        "n_models": len(aupr),
        "margin": best[0] - best[-1],
        "n_perfect": int((aupr == 1).sum()),
    }


def on_halves(
    predictions: Predictions, order: Order, splits: int, seed: int
) -> tuple[list[dict], dict[str, float]]:
    """Return the rows of the designs `halves` and `quarters`, and each target metric's SD over the models.

    Models are chosen on a half, or on a quarter within it, and judged on the other half. The SD is a mean
    over splits.
    """
    splits = draws_needed(splits, predictions.y_true)
    rows = predictions.y_true, predictions.folds, predictions.row_id
    rng = generator(seed, predictions.task_id, "selection")
    # Quarters 0 and 2 together are one half, so a split into quarters is also a split into halves.
    batches = [
        choose_on_halves(order, predictions.scores, quarters)
        for quarters in parts_in_turn(*rows, 4, splits, rng)
    ]
    both_ways = BothWays(*(np.concatenate(arrays, axis=-2) for arrays in zip(*batches, strict=True)))
    # First come all splits in which the one half chooses, then all splits in which the other half chooses.
    criteria, utilities = (
        values.reshape(len(values), -1, len(order.rows))
        for values in (both_ways.criteria, both_ways.utilities)
    )
    quarters = np.swapaxes(both_ways.quarters, 1, 2).reshape(len(QUARTER_AREAS), -1, len(order.rows))
    agreed = self_agreement(*(winners(both_ways.criteria[:, way]) for way in (0, 1))).mean(axis=1)
    by_criterion, agreed_by = (dict(zip(CRITERIA, values, strict=True)) for values in (criteria, agreed))
    rows_of_halves = choices("halves", by_criterion, utilities, agreed_by)
    on_quarters = dict(zip(QUARTER_AREAS, quarters, strict=True))
    *rows_of_quarters, _ = choices("quarters", on_quarters, np.concatenate([utilities, utilities], axis=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # Without any value, NaN is right.
        spreads = np.nanmean(np.nanstd(utilities, axis=2), axis=1)
    return rows_of_halves + rows_of_quarters, dict(zip(SPREADS, spreads, strict=True))


def choices(
    design: str,
    criteria: dict[str, np.ndarray],
    utilities: np.ndarray,
    agreed: dict[str, float] | None = None,
) -> list[dict]:
    """Return a row for each selection metric and, as the last one, a row for a random choice.

    A row has the target metrics of the chosen model and, for each of them, the share of other models that
    this model beats. `criteria` are (parts, m) values by selection metric, and `utilities` are (target
    metrics, parts, m). `agreed` is, by selection metric, the share of splits in which it chooses the same
    model on both halves.
    """
    is_chosen = np.stack([*map(winners, criteria.values()), np.ones(utilities.shape[1:], dtype=bool)])
    ranks = average_ranks(rounded(np.where(np.isnan(utilities), -np.inf, utilities)))
    n_models = utilities.shape[2]
    beaten = (n_models - ranks) / max(n_models - 1, 1)
    means = np.hstack([means_of_chosen(is_chosen, utilities), means_of_chosen(is_chosen, beaten)])
    return [
        {
            "design": design,
            "selected_by": selected_by,
            "n_parts": utilities.shape[1],
            "self_agreement": (agreed or {}).get(selected_by, np.nan),
            **dict(zip(UTILITIES + RANKS, values, strict=True)),
        }
        for selected_by, values in zip((*criteria, RANDOM), means, strict=True)
    ]


def winners(values: np.ndarray) -> np.ndarray:
    """Return which of (..., m) models are the best after rounding. Tied models are all winners."""
    values = rounded(values)
    return values == values.max(axis=-1, keepdims=True)


def self_agreement(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the probability that two sets of winners (..., m) give the same model.

    Tied models are put in a random order that is the same for both sets.
    """
    return (first & second).sum(axis=-1) / (first | second).sum(axis=-1)


def means_of_chosen(chosen: np.ndarray, utilities: np.ndarray) -> np.ndarray:
    """Return the mean target metrics (metrics, utilities) of the models that each selection metric chooses.

    `chosen` is (metrics, parts, m) and `utilities` is (utilities, parts, m). The mean is taken over the
    chosen models of a part and then over the parts. NaN are left out.

    >>> means_of_chosen(np.array([[[True, True, False]]]), np.array([[[1.0, 3.0, 9.0]]])).tolist()
    [[2.0]]
    """
    # A sum of truth values in `einsum` is a truth value, so they are converted to numbers first.
    chosen, is_finite = chosen.astype(float), np.isfinite(utilities).astype(float)
    totals = np.einsum("csm,usm->csu", chosen, np.where(is_finite > 0, utilities, 0.0))
    counts = np.einsum("csm,usm->csu", chosen, is_finite)
    means = np.divide(totals, counts, out=np.zeros_like(totals), where=counts > 0)
    with np.errstate(invalid="ignore"):
        return means.sum(axis=1) / (counts > 0).sum(axis=1)


def differences(tasks: pd.DataFrame, design: str, first: str, second: str) -> pd.DataFrame:
    design_rows = tasks[tasks["design"] == design].set_index("task_id")
    a, b = (design_rows[design_rows["selected_by"] == name] for name in (first, second))
    measures = [*UTILITIES, *RANKS]
    return a.assign(**(a[measures] - b[measures]))


def primary_table(study: Study) -> pd.DataFrame:
    """Return the verdict on the primary contrast in each design."""
    first, second = PRIMARY
    gains = study.estimates[study.estimates["second"] == second]
    rows = []
    for design in gains["setting"].drop_duplicates():
        if design in ("halves", "folds"):
            pair = {"quantity": "gain", "first": first, "second": second, "setting": design}
            joint = study.numbers("selection", kind="simultaneous", **pair)
            words = verdict(list(joint["low"]), list(joint["high"]))
            rows.append({"design": design, "first": first, "second": second, "verdict": words})
    return pd.DataFrame(rows)


def verdict(low: list[float], high: list[float]) -> str:
    """Return the verdict on the first metric's model from the intervals of the primary target metrics.

    The rule is on the page of the experiment.

    >>> verdict([-0.006, -0.004], [-0.001, 0.001]), verdict([-0.02, 0.01], [-0.01, 0.02])
    ('worse, too small to matter', 'undecided')
    """
    if not np.isfinite([*low, *high]).all():
        return "undecided"
    holds = {
        "better": max(low) > 0 and min(high) >= 0,
        "worse": min(high) < 0 and max(low) <= 0,
        "too small to matter": min(low) > -MATTERS and max(high) < MATTERS,
    }
    return _all_that_hold(holds)


def _all_that_hold(holds: dict[str, bool]) -> str:
    return ", ".join(words for words in holds if holds[words]) or "undecided"
