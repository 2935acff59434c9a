"""Claims of later papers on the same question that this study can measure."""

from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pandas as pd

from aucstudy.claims.boyd_measured import NO_TASK, SWITCHED_OFF, minus_original, of_nearest_ratio
from aucstudy.claims.estimates import item_of
from aucstudy.claims.random_rankings import random_rankings
from aucstudy.claims.verdicts import (
    Evidence,
    Finding,
    Item,
    Judge,
    Verdict,
    beyond,
    exact_if,
    measured,
    not_available,
    shifted,
    within,
)
from aucstudy.experiments.noise import RARE_TASKS
from aucstudy.metrics.areas import areas
from aucstudy.metrics.single import average_precision

NO_MISTAKES = "the experiment mistakes is not in this study"
MARGIN = 0.01  # of an area: less counts as none
OF_THE_POWER = 0.25  # of the rank with which a gain falls
CHANGED_WINNERS = 5  # per cent of the tasks
EXACT_WITHIN = 1e-12
RETRIEVAL, OTHERS = ("precision_at_p", "recall_at_90"), ("f2", "accuracy", "minus_cost")
NAMES = {
    "precision_at_p": "precision at the top P", "recall_at_90": "recall at precision .9", "f2": "F2",
    "accuracy": "accuracy", "minus_cost": "expected cost saved",
}  # fmt: skip


def _tools(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table = evidence.table("conventions")
    if table is None:
        return not_available("the experiment conventions is switched off in this study")
    rows = table[(table["split"] == "all") & (table["top"] == 1)].set_index("rival")
    item = item_of("another best model by some rule", rows.loc["any"], factor=100)
    rivals = rows.drop(index="any")["estimate"]
    note = f"{len(rivals)} rules against the exact area; most often {rivals.idxmax().replace('_', ' ')}"
    return measured([item], [shifted(item, CHANGED_WINNERS)], note, int(rows["n_groups"].max()))


def _too_high(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table = evidence.table("conventions_excess")
    if table is None:
        return not_available("the experiment conventions is switched off in this study")
    rules = table.set_index("rival")
    highest = rules.loc[rules["mean"].idxmax()]
    item = item_of("largest mean excess of a rule", highest, "mean")
    items = [item, Item("largest excess of a rule on one model", rules["largest"].max())]
    names = (name.replace("_", " ") for name in (highest.name, rules["largest"].idxmax()))
    note = "highest on average {}, on one model {}".format(*names)
    every = [shifted(item_of(name, row, "mean"), MARGIN) for name, row in rules.iterrows()]
    if int(rules["n_groups"].max()) < 2:
        return Finding(Verdict.TOO_FEW_DATA, items, note)
    if any(margin.low > 0 for margin in every):
        return Finding(Verdict.SUPPORTS, items, note)
    none = all(margin.high < 0 for margin in every)
    return Finding(Verdict.CONTRADICTS if none else Verdict.UNDECIDED, items, note)


def _mistakes(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    deviations = np.array([_gains_off(*ranking) for ranking in random_rankings(untied=True)])
    names = ("largest deviation, AUROC", "largest deviation, average precision")
    items = [
        Item(name, value, n=len(deviations))
        for name, value in zip(names, deviations.max(axis=0), strict=True)
    ]
    note = "the gain is precision over P k: it follows the inverse of the firing rate where precision stands still"
    return exact_if(deviations.max() <= EXACT_WITHIN, items, note)


def _gains_off(y: np.ndarray, scores: np.ndarray) -> tuple[float, float]:
    """How far both gains are from their formulas, at the wrong adjacent pair in the middle of a ranking."""
    labels = y[np.argsort(-scores)]
    wrong = np.flatnonzero(~labels[:-1] & labels[1:])
    if not len(wrong):
        return 0.0, 0.0
    k = int(wrong[len(wrong) // 2])
    corrected = labels.copy()
    corrected[[k, k + 1]] = True, False
    falling = -np.arange(len(y), dtype=float)
    P, N, tp = labels.sum(), (~labels).sum(), labels[: k + 2].sum()
    roc = areas(corrected, falling).auroc - areas(labels, falling).auroc
    ap = average_precision(corrected, falling) - average_precision(labels, falling)
    return abs(roc - 1 / (P * N)), abs(ap - tp / (P * (k + 1) * (k + 2)))


def _of_mistakes(judge: Callable[[pd.DataFrame], Finding]) -> Judge:
    """A judge of the rows of mistakes.csv by quantity."""

    def judged(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
        table = evidence.table("mistakes")
        return not_available(NO_MISTAKES) if table is None else judge(table.set_index("quantity"))

    return judged


def _inverse_of_the_rate(rows: pd.DataFrame) -> Finding:
    names = {"average precision": "average_precision", "exact area": "exact_area"}
    items = [
        item_of(f"slope of log gain on log rank, {name}", rows.loc[f"slope, {key}"])
        for name, key in names.items()
    ]
    precision = item_of("slope of log precision on log rank", rows.loc["slope, precision"])
    margins = [within(shifted(item, -1), OF_THE_POWER) for item in items]
    note = (
        "under -1 the gain falls faster than the inverse of the firing rate, as precision falls with the rank"
    )
    return measured([*items, precision], margins, note, int(rows.loc["slope, precision", "n_groups"]))


def _subgroups(rows: pd.DataFrame) -> Finding:
    names = {
        "worth of its mistakes to average precision, subgroup of higher prevalence": "by_average_precision",
        "worth of its mistakes to AUROC": "by_auroc",
        "difference": "difference",
    }
    items = [item_of(name, rows.loc[f"higher prevalence, {key}"], factor=100) for name, key in names.items()]
    groups = int(rows.loc["higher prevalence, difference", "n_groups"])
    return measured(items, items[-1:], "pairs of tasks of one source group, same flows", groups)


def _superior(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table = evidence.table("selection")
    if table is None:
        return not_available("the experiment selection is switched off in this study")
    rows = table[
        (table["design"] == "halves") & (table["tasks"] == RARE_TASKS) & (table["chooser"] == "aupr")
    ]
    rows = rows.set_index("utility")
    if rows.empty:
        return not_available("no task of this study has a prevalence under .1")
    gains = {
        utility: item_of(f"AUPR's choice minus AUROC's, {NAMES[utility]}", rows.loc[utility], "difference")
        for utility in (*RETRIEVAL, *OTHERS)
    }
    items = list(gains.values())
    signs = {u: (item.low > 0) - (item.high < 0) for u, item in gains.items()}
    apart = {sign for sign in signs.values() if sign}
    if any(signs[u] == 1 for u in RETRIEVAL) and not any(signs[u] == 1 for u in OTHERS):
        return Finding(Verdict.SUPPORTS, items)
    one_way = len(apart) == 1 and sum(map(abs, signs.values())) > 1
    return Finding(Verdict.CONTRADICTS if one_way else Verdict.UNDECIDED, items)


def _invariant(nearest: pd.DataFrame, n_groups: int) -> Finding:
    roc, pr = (minus_original(nearest, area) for area in ("auroc", "aupr"))
    note = "negatives removed at random, so the ROC curve stays the same but for noise"
    return measured([roc, pr], [within(roc, MARGIN), beyond(pr, MARGIN)], note, n_groups)


def _removed(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table = evidence.table("prevalence_shift")
    if table is None:
        return not_available(SWITCHED_OFF)
    if table.empty:
        return not_available(NO_TASK)
    rows = table[(table["area"] == "aupr") & (table["ratio"] == table["ratio"].iloc[0])].set_index(
        "estimator"
    )
    moved, corrected = rows.loc["moved"], rows.loc["corrected"]
    bias = item_of("bias after the move", moved, "bias")
    items = [
        bias,
        item_of("bias corrected for few negatives", corrected, "bias"),
        Item("part of the gap closed by the move", 100 * moved["gap_closed"]),
        Item("part of the gap closed by the correction", 100 * corrected["gap_closed"]),
    ]
    note = f"test sets cut to {rows['ratio'].iloc[0]}; a plain subsample of that size, not moved at all, is biased too"
    return measured(items, [beyond(bias, MARGIN)], note, int(rows["n_groups"].max()))


def _calibrated(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table = evidence.table("prevalence_shift")
    if table is None:
        return not_available(SWITCHED_OFF)
    if table.empty:
        return not_available(NO_TASK)
    moved = table[(table["area"] == "aupr") & (table["estimator"] == "moved")].set_index("ratio")
    biases = {ratio: item_of(f"bias at {ratio}", row, "bias") for ratio, row in moved.iterrows()}
    largest = max(biases, key=lambda ratio: abs(biases[ratio].here))
    cut = table[(table["area"] == "aupr") & (table["estimator"] == "downsampled")].set_index("ratio")
    # the whole curve moved to a ratio against test sets cut to it: what remains where all negatives are kept
    kept = Item("bias with all negatives kept", -cut.loc[largest, "analytic_difference"])
    items = [item_of("largest bias over the ratios", moved.loc[largest], "bias"), kept]
    note = (
        f"largest at {largest}: the formula is right, the few negatives left are what it cannot make up for"
    )
    return measured(
        items, [within(item, MARGIN) for item in biases.values()], note, int(moved["n_groups"].max())
    )


def _informative(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table = evidence.table("noise_pairs")
    if table is None:
        return not_available("the experiment noise is switched off in this study")
    rows = table[table["tasks"] == RARE_TASKS].set_index("quantity")
    if rows.empty:
        return not_available("no task of this study has a prevalence under .1")
    names = {
        "only AUPR tells apart": "aupr only",
        "only AUROC tells apart": "auroc only",
        "difference": "aupr only minus auroc only",
    }
    items = [item_of(name, rows.loc[quantity], factor=100) for name, quantity in names.items()]
    note = f"of all pairs of a task's models; both tell {100 * rows.loc['both', 'estimate']:.0f} % apart"
    return measured(items, items[-1:], note, int(rows["n_groups"].max()))


JUDGES: dict[str, Judge] = {
    "L-tools": _tools,
    "L-tools-high": _too_high,
    "L-mistakes": _mistakes,
    "L-superior": _superior,
    "L-mistakes-here": _of_mistakes(_inverse_of_the_rate),
    "L-subgroups": _of_mistakes(_subgroups),
    "L-invariant": of_nearest_ratio(_invariant),
    "L-removed": _removed,
    "L-calibrated": _calibrated,
    "L-informative": _informative,
}
