"""Claims of later papers on the same question that this study can measure."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from aucstudy.claims.boyd import nearly_balanced
from aucstudy.claims.flach_kull import random_rankings
from aucstudy.claims.verdicts import (
    Claim,
    Finding,
    Item,
    Judge,
    NotAvailable,
    Verdict,
    beyond,
    exact_if,
    item_of,
    largest,
    mean_over_tasks,
    measured,
    shifted,
    within,
    worded,
)
from aucstudy.experiments.downsampling_prevalence_shift import admitting_every_ratio
from aucstudy.experiments.noise import RARE_TASKS
from aucstudy.experiments.rare import ALL, CLOSED
from aucstudy.experiments.rare import MARGIN as MARGIN_OF_CHOICE
from aucstudy.metrics.areas import areas, average_precision

MARGIN = 0.01  # of an area: less counts as none
OF_THE_POWER = 0.25  # of the rank with which a gain falls
CHANGED_WINNERS = 5  # per cent of the tasks
EXACT_WITHIN = 1e-12
TOO_FEW = "too few groups"  # a cell of the room `rare`
RETRIEVAL, OTHERS = ("precision_at_p", "recall_at_90"), ("f2", "accuracy", "minus_cost")


def _tools(claim: Claim) -> Finding:
    table = claim.table("conventions", "conventions")
    rows = table[(table["split"] == "all") & (table["top"] == 1)].set_index("rival")
    items = claim.estimates((rows.loc[name.replace(" ", "_")] for name in claim.names), factor=100)
    margins = [shifted(item, CHANGED_WINNERS) for item in items]
    many = sum(margin.low > 0 for margin in margins)
    note = claim.note(many=many, rules=len(items), any=100 * rows.loc["any", "estimate"])
    return measured(items, [largest(margins)], note, int(rows["n_groups"].max()))


def _too_high(claim: Claim) -> Finding:
    rules = claim.table("conventions_excess", "conventions").set_index("rival")
    highest, highest_once = rules["mean"].idxmax(), rules["largest"].idxmax()
    on_average, on_one_model = claim.names
    items = [item_of(on_average, rules.loc[highest], "mean"), Item(on_one_model, rules["largest"].max())]
    note = claim.note(on_average=highest.replace("_", " "), on_one_model=highest_once.replace("_", " "))
    margins = [shifted(item_of(name, row, "mean"), MARGIN) for name, row in rules.iterrows()]
    return measured(items, [largest(margins)], note, int(rules["n_groups"].max()))


def _mistakes(claim: Claim) -> Finding:
    deviations = np.array([_gains_off(*ranking) for ranking in random_rankings(untied=True)])
    items = claim.numbers(*deviations.max(axis=0), n=len(deviations))
    return exact_if(deviations.max() <= EXACT_WITHIN, items, claim.note())


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


def _of_mistakes(claim: Claim) -> pd.DataFrame:
    return claim.table("mistakes", "mistakes", "not in study").set_index("quantity")


def _inverse_of_the_rate(claim: Claim) -> Finding:
    rows = _of_mistakes(claim)
    slopes = (f"slope, {name}" for name in ("average_precision", "exact_area", "precision"))
    items = claim.estimates(rows.loc[slope] for slope in slopes)
    margins = [within(shifted(gain, -1), OF_THE_POWER) for gain in items[:2]]
    return measured(items, margins, claim.note(), int(rows.loc["slope, precision", "n_groups"]))


def _subgroups(claim: Claim) -> Finding:
    rows = _of_mistakes(claim)
    shares = (f"higher prevalence, {name}" for name in ("by_average_precision", "by_auroc", "difference"))
    items = claim.estimates((rows.loc[share] for share in shares), factor=100)
    groups = int(rows.loc["higher prevalence, difference", "n_groups"])
    return measured(items, items[-1:], claim.note(), groups)


def _superior(claim: Claim) -> Finding:
    table = claim.table("selection", "selection")
    rows = table[
        (table["design"] == "halves") & (table["tasks"] == RARE_TASKS) & (table["chooser"] == "aupr")
    ]
    if rows.empty:
        raise NotAvailable("rare task")
    rows = rows.set_index("utility")
    items = claim.estimates((rows.loc[utility] for utility in (*RETRIEVAL, *OTHERS)), "difference")
    signs = [(item.low > 0) - (item.high < 0) for item in items]
    if 1 in signs[: len(RETRIEVAL)] and 1 not in signs[len(RETRIEVAL) :]:
        return Finding(Verdict.SUPPORTS, items)
    apart = {sign for sign in signs if sign}
    one_way = len(apart) == 1 and sum(map(abs, signs)) > 1
    return Finding(Verdict.CONTRADICTS if one_way else Verdict.UNDECIDED, items)


def _invariant(claim: Claim) -> Finding:
    nearest, n_groups = nearly_balanced(claim)
    roc, pr = claim.estimates((nearest.loc[area] for area in ("auroc", "aupr")), "difference")
    return measured([roc, pr], [within(roc, MARGIN), beyond(pr, MARGIN)], claim.note(), n_groups)


def _shift(claim: Claim) -> pd.DataFrame:
    table = claim.table("prevalence_shift", "downsampling")
    if table.empty:
        raise NotAvailable("skewed task")
    return table


def _removed(claim: Claim) -> Finding:
    table = _shift(claim)
    rows = table[(table["area"] == "aupr") & (table["ratio"] == table["ratio"].iloc[0])]
    by_estimator = rows.set_index("estimator")
    moved, corrected = by_estimator.loc["moved"], by_estimator.loc["corrected"]
    bias, bias_corrected, gap, gap_corrected = claim.names
    items = [
        item_of(bias, moved, "bias"),
        item_of(bias_corrected, corrected, "bias"),
        Item(gap, 100 * moved["gap_closed"]),
        Item(gap_corrected, 100 * corrected["gap_closed"]),
    ]
    note = claim.note(ratio=table["ratio"].iloc[0])
    return measured(items, [beyond(items[0], MARGIN)], note, int(rows["n_groups"].max()))


def _calibrated(claim: Claim) -> Finding:
    table = _shift(claim)
    by_task = admitting_every_ratio(claim.table("prevalence_shift_tasks", "downsampling"))
    cut = by_task[(by_task["area"] == "aupr") & (by_task["estimator"] == "downsampled")]
    groups = claim.evidence.table("tasks").set_index("task_id")["source_group"]
    off = cut.assign(off=cut["analytic"] - cut["truth"] - cut["bias"], group=cut["task_id"].map(groups))
    kept, *biases = claim.names
    differences = {
        ratio: mean_over_tasks(kept, of["off"], of["group"]) for ratio, of in off.groupby("ratio", sort=False)
    }
    ratio, farthest = max(differences.items(), key=lambda case: abs(case[1].here))
    rows = table[(table["area"] == "aupr") & (table["ratio"] == table["ratio"].iloc[0])]
    plug_in = (rows.set_index("estimator").loc[estimator] for estimator in ("moved", "corrected"))
    items = [farthest, *(item_of(name, row, "bias") for name, row in zip(biases, plug_in, strict=True))]
    margins = [within(difference, MARGIN) for difference in differences.values()]
    return measured(items, margins, claim.note(ratio=ratio), off["group"].nunique())


def _informative(claim: Claim) -> Finding:
    table = claim.table("noise_pairs", "noise")
    rows = table[table["tasks"] == RARE_TASKS].set_index("quantity")
    if rows.empty:
        raise NotAvailable("rare task")
    quantities = ("aupr only", "auroc only", "aupr only minus auroc only")
    items = claim.estimates((rows.loc[quantity] for quantity in quantities), factor=100)
    note = claim.note(both=100 * rows.loc["both", "estimate"])
    return measured(items, items[-1:], note, int(rows["n_groups"].max()))


def _above_0(item: Item) -> Item:
    return item


def _below_0(item: Item) -> Item:
    return shifted(item, 0, -1)


def _below_the_margin(item: Item) -> Item:
    return shifted(item, MARGIN_OF_CHOICE, -1)


def _inside_the_margin(item: Item) -> Item:
    return within(item, MARGIN_OF_CHOICE)


def _by_rules(wanted: dict[str, Callable[[Item], Item]]) -> Judge:
    """The judge by rules of the room `rare`, each with what all its cells must show for the claim."""

    def judge(claim: Claim) -> Finding:
        table = claim.table("rare_rules", "rare", "not in study")
        table = table[table["rule"].isin(wanted)]
        population = ALL if (table["population"] == ALL).any() else table["population"].iloc[0]
        here = table[table["population"] == population]
        cells = here[here["verdict"] != TOO_FEW]
        ends = (cells["estimate"].idxmin(), cells["estimate"].idxmax()) if len(cells) else ()
        shown = cells if len(cells) == len(claim.names) else cells.loc[[*ends]]
        items = [_cell(name, row) for name, (_, row) in zip(claim.names, shown.iterrows(), strict=False)]
        margins = [wanted[row["rule"]](_cell(row["rule"], row)) for _, row in cells.iterrows()]
        verdicts = table[table["population"].isin({population, CLOSED})]
        verdicts = verdicts.drop_duplicates(["rule", "population"])
        note = "; ".join(
            worded("every", "rule", rule=row.rule, population=row.population, verdict=row.rule_verdict)
            for row in verdicts.itertuples()
        )
        known = set(cells["rule"]) == set(wanted)
        return (
            measured(items, margins, note, int(cells["n_groups"].max()), matters=MARGIN_OF_CHOICE)
            if known
            else Finding(Verdict.TOO_FEW_DATA, items, note)
        )

    return judge


def _cell(name: str, row: pd.Series) -> Item:
    return Item(name, row["estimate"], row["low"], row["high"], int(row["n_groups"]))


JUDGES: dict[str, Judge] = {
    "L-tools": _tools,
    "L-tools-high": _too_high,
    "L-mistakes": _mistakes,
    "L-superior": _superior,
    "L-mistakes-here": _inverse_of_the_rate,
    "L-subgroups": _subgroups,
    "L-invariant": _invariant,
    "L-removed": _removed,
    "L-calibrated": _calibrated,
    "L-informative": _informative,
    "L-rare-f1": _by_rules({"aupr-f1": _above_0}),
    "L-rare-top": _by_rules({"aupr-top": _above_0}),
    "L-rare-rates": _by_rules({"auroc-balanced": _below_0}),
    "L-net": _by_rules({"middle-alike": _below_the_margin, "auroc-balanced": _below_the_margin}),
    "L-proper": _by_rules({"proper": _above_0}),
    "L-events": _by_rules({"prevalence-still": _inside_the_margin, "positives-move": _below_0}),
    "L-consistent": _by_rules({"prevalence-still": _below_0}),
}
