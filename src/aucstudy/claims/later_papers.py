"""Claims of later papers on the same question that this study can measure."""

from functools import partial

import numpy as np
import pandas as pd

from aucstudy.area_names import MARGIN as MARGIN_OF_CHOICE
from aucstudy.claims.boyd import LARGEST_ERROR, MARGIN, cut_most
from aucstudy.claims.flach_kull import random_rankings
from aucstudy.claims.verdicts import (
    Claim,
    Finding,
    Item,
    Judge,
    Margin,
    Measured,
    Shown,
    Verdict,
    above,
    below,
    inside,
    item_of,
    items_of,
    largest,
    mean_over_tasks,
    measured,
    outside,
    too_few,
    worded,
)
from aucstudy.experiments.downsampling_prevalence_shift import admitting_every_ratio
from aucstudy.experiments.inputs import RARE_TASKS
from aucstudy.experiments.rare import ALL
from aucstudy.metrics.areas import areas, average_precision
from aucstudy.store.tables import rows_with

OF_THE_POWER = 0.25  # of the rank with which a gain falls
CHANGED_WINNERS = 5  # per cent of the tasks
RIVALS = (
    "average_precision", "trapezoid", "trapezoid_first_point", "left_dropped", "davis_goadrich_unit", "grid_1000",
    "thresholds_200", "row_by_row", "fewest_false_positives",
)  # fmt: skip
TOO_FEW, CONTRADICTED = "too few groups", "contradicted"  # a cell of the room `rare`
# AUPR on test sets cut to the ratio nearest to 1:1, moved to the true prevalence, and corrected
MOVED, CORRECTED = ({"area": "aupr", "estimator": estimator} for estimator in ("moved", "corrected"))
RARE_PAIRS = {"tasks": RARE_TASKS}
RETRIEVAL, OTHERS = ("precision_at_p", "recall_at_90"), ("f2", "accuracy", "minus_cost")


def _other_winners(rival: str, margin: Margin | None = None) -> Shown:
    return Shown({"split": "all", "top": 1, "rival": rival}, margin, factor=100)


def _too_high(claim: Claim) -> Finding:
    rules = claim.rows("conventions_excess", known=["mean"]).set_index("rival")
    highest, highest_once = rules["mean"].idxmax(), rules["largest"].idxmax()
    on_average, on_one_model = claim.names
    items = [item_of(on_average, rules.loc[highest], "mean"), Item(on_one_model, rules["largest"].max())]
    note = claim.note(on_average=highest.replace("_", " "), on_one_model=highest_once.replace("_", " "))
    margins = [above(MARGIN)(item) for item in items_of(rules, "", "mean")]
    return measured(items, [largest(margins)], note)


def _mistakes(claim: Claim) -> Finding:
    deviations = np.array([_gains_off(*ranking) for ranking in random_rankings(untied=True)])
    return claim.exact_if(deviations.max() <= LARGEST_ERROR, *deviations.max(axis=0), n=len(deviations))


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


def _of_mistakes(margins: dict[str, Margin | None], factor: float = 1.0) -> Measured:
    numbers = [Shown({"quantity": name}, margin, factor=factor) for name, margin in margins.items()]
    return Measured("mistakes", numbers)


def _superior(claim: Claim) -> Finding:
    selected = {"design": "halves", "tasks": RARE_TASKS, "chooser": "aupr"}
    aupr_row = partial(claim.row, "selection", **selected)
    estimates = claim.estimates(
        (aupr_row(utility=utility) for utility in (*RETRIEVAL, *OTHERS)), "difference"
    )
    if few := too_few(estimates):
        return few
    signs = [(estimate.low > 0) - (estimate.high < 0) for estimate in estimates]
    if 1 in signs[: len(RETRIEVAL)] and 1 not in signs[len(RETRIEVAL) :]:
        return Finding(Verdict.SUPPORTS, estimates)
    nonzero_signs = {sign for sign in signs if sign}
    one_way = len(nonzero_signs) == 1 and sum(map(abs, signs)) > 1
    return Finding(Verdict.CONTRADICTS if one_way else Verdict.UNDECIDED, estimates)


def _calibrated(claim: Claim) -> Finding:
    plug_in = [claim.row("prevalence_shift", **row) for row in (MOVED, CORRECTED)]
    by_task = admitting_every_ratio(claim.rows("prevalence_shift_tasks"))
    cut = rows_with(by_task, "prevalence_shift_tasks", area="aupr", estimator="downsampled")
    groups = claim.evidence.table("tasks").set_index("task_id")["source_group"]
    error = cut["analytic"] - cut["truth"] - cut["bias"]
    largest_error, *biases = claim.names
    differences = {
        ratio: mean_over_tasks(largest_error, error[rows.index], rows["task_id"].map(groups))
        for ratio, rows in cut.groupby("ratio", sort=False)
    }
    ratio, farthest = max(differences.items(), key=lambda case: abs(case[1].here))
    items = [farthest, *(item_of(name, row, "bias") for name, row in zip(biases, plug_in, strict=True))]
    margins = [inside(MARGIN)(difference) for difference in differences.values()]
    return measured(items, margins, claim.note(ratio=ratio))


def _by_rules(margins: dict[str, Margin], room: str = "rare") -> Judge:
    """The judge by rules of a room, each with the margin of all its cells."""

    def judge(claim: Claim) -> Finding:
        table = claim.rows(f"{room}_rules", rule=list(margins))
        population = ALL if (table["population"] == ALL).any() else table["population"].iloc[0]
        population_rows = table[table["population"] == population]
        cells = population_rows[(population_rows["verdict"] != TOO_FEW) & population_rows["estimate"].notna()]
        ends = (cells["estimate"].idxmin(), cells["estimate"].idxmax()) if len(cells) else ()
        shown = cells if len(cells) == len(claim.names) else cells.loc[[*ends]]
        items = [_cell(name, row) for name, (_, row) in zip(claim.names, shown.iterrows(), strict=False)]
        note = "; ".join(_said_by(rule, rows) for rule, rows in table.groupby("rule", sort=False))
        if set(cells["rule"]) != set(margins):
            return Finding(Verdict.TOO_FEW_DATA, items, note)
        sides = [margins[row["rule"]](_cell(row["rule"], row)) for _, row in cells.iterrows()]
        return measured(items, sides, note, matters=MARGIN_OF_CHOICE)

    return judge


def _said_by(rule: str, rows: pd.DataFrame) -> str:
    """The rule's own verdicts by population, with the cells that contradict it.

    Says so where the closed third contradicts it in other cells.
    """
    verdicts, contradicting = [], []
    for population, cells in rows.groupby("population", sort=False):
        verdict, contradicted = cells["rule_verdict"].iloc[0], cells[cells["verdict"] == CONTRADICTED]
        names = {f"{100 * row.prevalence:g} % with {row.positives:g}" for row in contradicted.itertuples()}
        verdict += f" ({', '.join(sorted(names))})" if names else ""
        verdicts.append(worded("every", "rule", rule=rule, population=population, verdict=verdict))
        if population != ALL:
            contradicting.append(names)
    if len(contradicting) > 1 and all(contradicting) and not set.intersection(*contradicting):
        verdicts.append(worded("every", "other cells"))
    return "; ".join(verdicts)


def _cell(name: str, row: pd.Series) -> Item:
    n_groups = int(row["n_groups"])
    return Item(name, row["estimate"], row["low"], row["high"], n_groups, n_groups)


JUDGES: dict[str, Judge] = {
    "L-tools": Measured(
        "conventions",
        [_other_winners(rival, above(CHANGED_WINNERS)) for rival in RIVALS],
        one_suffices=True,
        noted={"any": _other_winners("any")},
    ),
    "L-tools-high": _too_high,
    "L-mistakes": _mistakes,
    "L-superior": _superior,
    "L-mistakes-here": _of_mistakes(
        {
            "slope, average_precision": inside(OF_THE_POWER, around=-1),
            "slope, exact_area": inside(OF_THE_POWER, around=-1),
            "slope, precision": None,
        }
    ),
    "L-subgroups": _of_mistakes(
        {
            "higher prevalence, by_average_precision": None,
            "higher prevalence, by_auroc": None,
            "higher prevalence, difference": above(0),
        },
        factor=100,
    ),
    "L-invariant": cut_most(auroc=inside(MARGIN), aupr=outside(MARGIN)),
    "L-removed": Measured(
        "prevalence_shift",
        [
            Shown(MOVED, outside(MARGIN), "bias"),
            Shown(CORRECTED, outside(MARGIN), "bias"),
            Shown(MOVED, None, "gap_closed", 100, interval=None),
            Shown(CORRECTED, None, "gap_closed", 100, interval=None),
        ],
    ),
    "L-calibrated": _calibrated,
    "L-informative": Measured(
        "noise_pairs",
        [
            Shown({**RARE_PAIRS, "quantity": "aupr only"}, factor=100),
            Shown({**RARE_PAIRS, "quantity": "auroc only"}, factor=100),
            Shown({**RARE_PAIRS, "quantity": "aupr only minus auroc only"}, above(0), factor=100),
        ],
        noted={"both": Shown({**RARE_PAIRS, "quantity": "both"}, factor=100)},
    ),
    "L-rare-f1": _by_rules({"aupr-f1": above(0)}),
    "L-rare-top": _by_rules({"aupr-top": above(0)}),
    "L-rare-rates": _by_rules({"auroc-balanced": below(0)}),
    "L-net": _by_rules({"middle-alike": below(MARGIN_OF_CHOICE), "auroc-balanced": below(MARGIN_OF_CHOICE)}),
    "L-proper": _by_rules({"proper": above(0)}),
    "L-events": _by_rules({"prevalence-still": inside(MARGIN_OF_CHOICE), "positives-move": below(0)}),
    "L-consistent": _by_rules({"prevalence-still": below(0)}),
    "L-nature-f1": _by_rules({"ap-f1": above(0)}, "natural"),
    "L-nature-top": _by_rules({"top": above(0)}, "natural"),
    "L-nature-rates": _by_rules({"by-rates": below(0)}, "natural"),
    "L-nature-proper": _by_rules({"log-loss": above(0)}, "natural"),
}
