"""Claims of later papers on the same question that this study can measure."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from aucstudy.claims.boyd import MARGIN, nearly_balanced
from aucstudy.claims.flach_kull import random_rankings
from aucstudy.claims.verdicts import (
    Claim,
    Finding,
    Item,
    Judge,
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
from aucstudy.experiments.rare import ALL
from aucstudy.experiments.rare import MARGIN as MARGIN_OF_CHOICE
from aucstudy.metrics.areas import areas, average_precision
from aucstudy.store.tables import rows_with

OF_THE_POWER = 0.25  # of the rank with which a gain falls
CHANGED_WINNERS = 5  # per cent of the tasks
EXACT_WITHIN = 1e-12
TOO_FEW, CONTRADICTED = "too few groups", "contradicted"  # a cell of the room `rare`
RETRIEVAL, OTHERS = ("precision_at_p", "recall_at_90"), ("f2", "accuracy", "minus_cost")


def _tools(claim: Claim) -> Finding:
    of_rival = partial(claim.row, "conventions", "conventions", split="all", top=1)
    items = claim.estimates((of_rival(rival=name.replace(" ", "_")) for name in claim.names), factor=100)
    margins = [shifted(item, CHANGED_WINNERS) for item in items]
    many = sum(margin.low > 0 for margin in margins)
    in_any = of_rival(rival="any")
    note = claim.note(many=many, rules=len(items), any=100 * in_any["estimate"])
    return measured(items, [largest(margins)], note, int(in_any["n_groups"]))


def _too_high(claim: Claim) -> Finding:
    rules = claim.rows("conventions_excess", "conventions", known=["mean"]).set_index("rival")
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


def _of_mistakes(claim: Claim, *quantities: str) -> list[pd.Series]:
    return [claim.row("mistakes", "mistakes", "not in study", quantity=quantity) for quantity in quantities]


def _inverse_of_the_rate(claim: Claim) -> Finding:
    slopes = (f"slope, {name}" for name in ("average_precision", "exact_area", "precision"))
    rows = _of_mistakes(claim, *slopes)
    items = claim.estimates(rows)
    margins = [within(shifted(gain, -1), OF_THE_POWER) for gain in items[:2]]
    return measured(items, margins, claim.note(), int(rows[-1]["n_groups"]))


def _subgroups(claim: Claim) -> Finding:
    shares = (f"higher prevalence, {name}" for name in ("by_average_precision", "by_auroc", "difference"))
    rows = _of_mistakes(claim, *shares)
    items = claim.estimates(rows, factor=100)
    return measured(items, items[-1:], claim.note(), int(rows[-1]["n_groups"]))


def _superior(claim: Claim) -> Finding:
    chosen = {"design": "halves", "tasks": RARE_TASKS, "chooser": "aupr"}
    of_aupr = partial(claim.row, "selection", "selection", **chosen)
    items = claim.estimates((of_aupr(utility=utility) for utility in (*RETRIEVAL, *OTHERS)), "difference")
    too_few = measured(items, items)
    if too_few.verdict is Verdict.TOO_FEW_DATA:
        return too_few
    signs = [(item.low > 0) - (item.high < 0) for item in items]
    if 1 in signs[: len(RETRIEVAL)] and 1 not in signs[len(RETRIEVAL) :]:
        return Finding(Verdict.SUPPORTS, items)
    apart = {sign for sign in signs if sign}
    one_way = len(apart) == 1 and sum(map(abs, signs)) > 1
    return Finding(Verdict.CONTRADICTS if one_way else Verdict.UNDECIDED, items)


def _invariant(claim: Claim) -> Finding:
    rows, _, n_groups = nearly_balanced(claim, "auroc", "aupr")
    roc, pr = claim.estimates(rows, "difference")
    return measured([roc, pr], [within(roc, MARGIN), beyond(pr, MARGIN)], claim.note(), n_groups)


def _shift(claim: Claim) -> tuple[str, pd.Series, pd.Series]:
    """The ratio nearest to 1:1, and how AUPR at it is biased once it is moved, and moved and corrected."""
    of_aupr = partial(claim.row, "prevalence_shift", "downsampling", area="aupr")
    ratio = of_aupr()["ratio"]
    return ratio, *(of_aupr(ratio=ratio, estimator=estimator) for estimator in ("moved", "corrected"))


def _removed(claim: Claim) -> Finding:
    ratio, moved, corrected = _shift(claim)
    bias, bias_corrected, gap, gap_corrected = claim.names
    items = [
        item_of(bias, moved, "bias"),
        item_of(bias_corrected, corrected, "bias"),
        Item(gap, 100 * moved["gap_closed"]),
        Item(gap_corrected, 100 * corrected["gap_closed"]),
    ]
    margins = [beyond(item, MARGIN) for item in items[:2]]
    return measured(items, margins, claim.note(ratio=ratio), int(moved["n_groups"]))


def _calibrated(claim: Claim) -> Finding:
    _, *plug_in = _shift(claim)
    by_task = admitting_every_ratio(claim.rows("prevalence_shift_tasks", "downsampling"))
    cut = rows_with(by_task, "prevalence_shift_tasks", area="aupr", estimator="downsampled")
    groups = claim.evidence.table("tasks").set_index("task_id")["source_group"]
    off = cut.assign(off=cut["analytic"] - cut["truth"] - cut["bias"], group=cut["task_id"].map(groups))
    kept, *biases = claim.names
    differences = {
        ratio: mean_over_tasks(kept, of["off"], of["group"]) for ratio, of in off.groupby("ratio", sort=False)
    }
    ratio, farthest = max(differences.items(), key=lambda case: abs(case[1].here))
    items = [farthest, *(item_of(name, row, "bias") for name, row in zip(biases, plug_in, strict=True))]
    margins = [within(difference, MARGIN) for difference in differences.values()]
    return measured(items, margins, claim.note(ratio=ratio), off["group"].nunique())


def _informative(claim: Claim) -> Finding:
    quantities = ("aupr only", "auroc only", "aupr only minus auroc only", "both")
    *rows, both = (
        claim.row("noise_pairs", "noise", tasks=RARE_TASKS, quantity=quantity) for quantity in quantities
    )
    items = claim.estimates(rows, factor=100)
    note = claim.note(both=100 * both["estimate"])
    return measured(items, items[-1:], note, int(rows[-1]["n_groups"]))


def _above_0(item: Item) -> Item:
    return item


def _below_0(item: Item) -> Item:
    return shifted(item, 0, -1)


def _below_the_margin(item: Item) -> Item:
    return shifted(item, MARGIN_OF_CHOICE, -1)


def _inside_the_margin(item: Item) -> Item:
    return within(item, MARGIN_OF_CHOICE)


def _by_rules(wanted: dict[str, Callable[[Item], Item]], room: str = "rare") -> Judge:
    """The judge by rules of the room `rare` or `natural`, each with what all its cells must show for the claim."""

    def judge(claim: Claim) -> Finding:
        table = claim.rows(f"{room}_rules", room, "not in study", rule=list(wanted))
        population = ALL if (table["population"] == ALL).any() else table["population"].iloc[0]
        here = table[table["population"] == population]
        cells = here[(here["verdict"] != TOO_FEW) & here["estimate"].notna()]
        ends = (cells["estimate"].idxmin(), cells["estimate"].idxmax()) if len(cells) else ()
        shown = cells if len(cells) == len(claim.names) else cells.loc[[*ends]]
        items = [_cell(name, row) for name, (_, row) in zip(claim.names, shown.iterrows(), strict=False)]
        margins = [wanted[row["rule"]](_cell(row["rule"], row)) for _, row in cells.iterrows()]
        note = "; ".join(_said_by(rule, rows) for rule, rows in table.groupby("rule", sort=False))
        known = set(cells["rule"]) == set(wanted)
        return (
            measured(items, margins, note, int(cells["n_groups"].max()), matters=MARGIN_OF_CHOICE)
            if known
            else Finding(Verdict.TOO_FEW_DATA, items, note)
        )

    return judge


def _said_by(rule: str, rows: pd.DataFrame) -> str:
    """The verdicts of a rule by population, its own, which have no margin.

    Where it is contradicted the cells are named, and whether the closed third contradicts it in one of the same.
    """
    verdicts, contradicting = [], []
    for population, cells in rows.groupby("population", sort=False):
        verdict, against = cells["rule_verdict"].iloc[0], cells[cells["verdict"] == CONTRADICTED]
        named = {f"{100 * row.prevalence:g} % with {row.positives:g}" for row in against.itertuples()}
        verdict += f" ({', '.join(sorted(named))})" if named else ""
        verdicts.append(worded("every", "rule", rule=rule, population=population, verdict=verdict))
        if population != ALL:
            contradicting.append(named)
    if len(contradicting) > 1 and all(contradicting) and not set.intersection(*contradicting):
        verdicts.append(worded("every", "other cells"))
    return "; ".join(verdicts)


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
    "L-nature-f1": _by_rules({"ap-f1": _above_0}, "natural"),
    "L-nature-top": _by_rules({"top": _above_0}, "natural"),
    "L-nature-rates": _by_rules({"by-rates": _below_0}, "natural"),
    "L-nature-proper": _by_rules({"log-loss": _above_0}, "natural"),
}
