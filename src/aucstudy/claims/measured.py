"""The measured claims whose rule is more than a comparison of single estimates with bounds."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations, product
from math import isfinite
from statistics import NormalDist

import numpy as np
import pandas as pd

from aucstudy.claims.verdicts import (
    Claim,
    Finding,
    Item,
    NotDecided,
    Verdict,
    above,
    inside,
    item_of,
    items_of,
    joined,
    largest,
    measured,
    replication,
    too_few,
)
from aucstudy.statistics.intervals import FEWEST_GROUPS
from aucstudy.store.tables import TooFewRows, rows_with

MARGIN_OF_CHOICE = 0.005  # A smaller difference between two choices in the target metric does not matter.
MARGIN = 0.01  # A smaller difference in a metric counts as none.
FEWEST_SWAPS = 5
FOLDS = 10  # of one repetition of the cross-validation
FIGURE_4_TASKS = ("3872", "3896")  # at the lower and the upper quartile
FIGURE_5_RUNS = ("145651", "267741")  # AdaBoost, Logistic Regression
# The steps from AUPR to AUPRG that can change the order of two models, each named by the metric to which it leads.
STEPS = ("recall_above_prevalence", "recall_gain", "auprg")
OFTEN, SELDOM = 95, 5  # per cent of the resamples
# A share of resamples that lies closer to these bounds, in its standard errors, could be another seed's.
NOISE = 3.3
SPREADS_COMPARED = (
    "prevalence 0.4 or more", "prevalence under 0.1", "prevalence 0.4 or more minus under 0.1"
)  # fmt: skip
RETRIEVAL, OTHERS = ("precision_at_p", "recall_at_90"), ("f2", "accuracy", "minus_cost")
OWN_FOLDS = "own folds"
# Rules for AP that tools for classification do not use.
OF_VISION = ("envelope", "envelope_11", "envelope_101")


# Flach & Kull 2015: the population, the two examples, the cause of swaps.


def population(claim: Claim) -> Finding:
    if not claim.evidence.same_population:
        raise NotDecided
    tasks, shares = claim.table("tasks"), claim.rows("disagreement_tasks")
    models = shares.drop_duplicates("task_id")["n_models"]
    items = claim.numbers(len(tasks), tasks["dataset_id"].nunique(), models.min(), models.sum())
    holds = all(item.here == claim.printed[item.name] for item in items[:2])
    repeated = tasks["n_folds"] > FOLDS
    facts = {"one": int((~repeated).sum()), "ten": int(repeated.sum()), "models": f"{models.sum():,}"}
    return claim.reproduced_if(holds, items, **facts)


def quartiles(claim: Claim) -> Finding:
    correlations = claim.rows("disagreement_tasks", first="aupr", second="auprg").set_index("task_id")
    if _has_figure_4(claim, correlations):
        of_tasks = (correlations.loc[task] for task in FIGURE_4_TASKS)
        items = [
            _of_another_draw(name, row["rank_correlation"], int(row["n_models"]))
            for name, row in zip(claim.names, of_tasks, strict=True)
        ]
        is_inside = [item.low <= claim.printed[item.name] <= item.high for item in items]
        models = listed_numbers(item.n for item in items)
        return claim.reproduced_if(all(is_inside), items, case="the paper's tasks", models=models)
    pair = {"quantity": "rank correlation", "first": "aupr", "second": "auprg"}
    rows = [claim.estimate("disagreement", kind=f"{which} quartile", **pair) for which in ("lower", "upper")]
    return replication(claim.items(rows), claim.printed, same_population=False, scale=1)


def _of_another_draw(name: str, correlation: float, n_models: int) -> Item:
    """Return a rank correlation with the range in which 95 % of those of another draw of as many models lie.

    Fisher's z of a rank correlation has the variance 1.06 / (n - 3) (Fieller, Hartley & Pearson 1957), and the
    difference of two draws has twice this variance.
    """
    half_width = NormalDist().inv_cdf(0.975) * np.sqrt(2 * 1.06 / (n_models - 3))
    low, high = np.tanh(np.arctanh(correlation) + half_width * np.array([-1, 1]))
    return Item(name, float(correlation), float(low), float(high), n=n_models)


def listed_numbers(numbers: Iterable[int | None]) -> str:
    return " and ".join(map(str, dict.fromkeys(numbers)))


def _has_figure_4(claim: Claim, pair: pd.DataFrame) -> bool:
    return claim.evidence.same_population and set(FIGURE_4_TASKS) <= set(pair.index)


def quartiles_agree(claim: Claim) -> Finding:
    pair = claim.rows("disagreement_tasks", first="aupr", second="auprg").set_index("task_id")
    if not _has_figure_4(claim, pair):
        raise NotDecided
    same_best = (1 - pair["p_best_differs"][task] for task in FIGURE_4_TASKS)
    items = claim.numbers(*same_best, pair["p_top3_differs"][FIGURE_4_TASKS[0]])
    holds = min(item.here for item in items) > 0.5
    return Finding(Verdict.SUPPORTS if holds else Verdict.CONTRADICTS, items, claim.note())


def figure_5(claim: Claim) -> Finding:
    pair = claim.table("flip_pair").set_index("run_id")
    if not set(FIGURE_5_RUNS) <= set(pair.index):
        raise NotDecided
    items = claim.numbers(*(pair.loc[run, area] for run in FIGURE_5_RUNS for area in ("aupr", "auprg")))
    return claim.reproduced_if(claim.comes_out(items), items)


def turned(claim: Claim, step: str, further: Sequence[str] = ()) -> Finding:
    """Judge whether most ranking changes of best models happen at `step` in every order of the three steps.

    The numbers are percentages of these changes: the share of the step in the first order, its smallest and
    its largest share in any order, and the shares of the `further` steps in the first order.
    """
    changes = claim.table("decomposition_swaps")
    note = claim.note(swaps=changes["weight"].sum())
    if changes["weight"].sum() < FEWEST_SWAPS:
        return Finding(Verdict.TOO_FEW_DATA, note=note)

    def share(step: str, order: tuple[str, ...]) -> Item:
        keys = {"quantity": "change of the best model", "setting": step, "target": " > ".join(order)}
        return item_of("", claim.estimate("decomposition", **keys), factor=100)

    orders = sorted((share(step, order) for order in permutations(STEPS)), key=lambda item: item.here)
    first, *further_shares = (share(other, STEPS) for other in (step, *further))
    low, high = min(item.low for item in orders), max(item.high for item in orders)
    every_order = Item("every order", first.here, low, high, n_groups=first.n_groups)
    shares = zip(claim.names, (first, orders[0], orders[-1], *further_shares), strict=True)
    return measured([replace(item, name=name) for name, item in shares], [above(50)(every_order)], note)


# Flach & Kull 2015: what follows for practice.


def favour(claim: Claim) -> Finding:
    unseen, *names = claim.names
    pair = {"first": "auprg", "second": "aupr", "setting": "halves", "target": "expected_fg1"}
    gain = item_of(unseen, claim.estimate("selection", quantity="gain", **pair))
    same_rows = _judged_on_the_same_rows(claim, names)
    # Without a task with two winners, the share is not defined.
    is_known = bool(same_rows) and isfinite(same_rows[0].here)
    note = claim.note(same_rows=same_rows[0].here) if is_known else ""
    return measured([gain, *same_rows], [gain], note, matters=MARGIN_OF_CHOICE)


def _judged_on_the_same_rows(claim: Claim, names: Sequence[str]) -> list[Item]:
    pair = {"first": "aupr", "second": "auprg"}
    judged = product(("expected_fg1", "held_out_f1"), ("first is worse", "second is worse"))
    try:
        rows = [
            claim.estimate("selection.favour", target=judge, quantity=lower, **pair)
            for judge, lower in judged
        ]
    except (NotDecided, TooFewRows):
        return []
    return [item_of(name, row, factor=100) for name, row in zip(names, rows, strict=True)]


def harmonic(claim: Claim) -> Finding:
    averages = partial(claim.estimate, "thresholds.fold_averages")
    winners = {"quantity": "differs", "first": "mean_f1", "second": "mean_fg1", "setting": "f_calibrated"}
    try:
        gains = [averages(quantity="F1 of the choice", setting=rule) for rule in ("f_calibrated", "default")]
    except TooFewRows:
        return Finding(Verdict.TOO_FEW_DATA, note=claim.note("undefined"))
    shares = [averages(**winners), averages(quantity="models without a finite mean", setting="f_calibrated")]
    factors = (1, 1, 100, 100)
    items = [
        item_of(name, row, factor=factor)
        for name, row, factor in zip(claim.names, (*gains, *shares), factors, strict=True)
    ]
    return measured(items, items[:1], claim.note("judged"), matters=MARGIN_OF_CHOICE)


def no_tuning(claim: Claim) -> Finding:
    minus = {"quantity": "F_beta minus that at the searched threshold", "setting": "f_calibrated"}
    items = items_of(claim.estimates("thresholds", **minus), "F-calibrated minus searched, beta={at:g}")
    calibrated = partial(claim.estimates, "thresholds", quantity="F_beta of calibrated scores")
    both_told = calibrated(second="both_told").sort_values("low", kind="stable")
    worst = both_told.drop_duplicates("at").sort_values("at")
    items += items_of(worst, "both told the odds, against isotonic F*/(1+beta^2), worst case, beta={at:g}")
    usual_rows = calibrated(second="isotonic_same", setting="all rows, odds 1")
    items += items_of(usual_rows, "against isotonic at 1/(1+beta^2), beta={at:g}")
    margins = map(above(-MARGIN_OF_CHOICE), items_of(both_told, ""))
    untold = calibrated(second="isotonic_plug_in").sort_values("estimate", kind="stable").iloc[0]
    items.append(item_of("only the rival told the odds, worst case", untold))
    note = claim.note(rows_and_odds=untold["setting"], beta=untold["at"])
    return measured(items, list(margins), note)


def beta_intervals(claim: Claim) -> Finding:
    table = claim.estimates("thresholds", quantity="lead over a neighbour")
    items = items_of(table, "lead over the {setting} neighbour, beta={at:g}")
    leads = claim.estimates("thresholds", known=["estimate"], quantity="leads both neighbours")
    shares = [
        item_of(f"leads both neighbours, beta={row['at']:g}", row, factor=100)
        for _, row in leads.drop_duplicates("at").iterrows()
    ]
    return measured([*items, *shares], items, claim.note())


# Boyd et al. 2012.


def trend(claim: Claim) -> Finding:
    steps = claim.estimates("downsampling", quantity="rise", first="aupr")
    smallest = steps.sort_values("estimate", kind="stable").iloc[0]
    note = claim.note(smallest=f"rise from {smallest['setting']}", steps=len(steps))
    return measured(claim.items([smallest]), items_of(steps, "{setting}"), note)


def folds(claim: Claim) -> Finding:
    effect = "size in model SDs"
    remains = claim.estimates(
        "fold_skew", known=["at"], quantity=f"{effect} minus the control", first="aucnpr", second=""
    )
    remains = remains.loc[remains["at"].idxmax()]
    gains = claim.estimates("fold_skew", quantity=effect, first="aupr", second="aucnpr")
    gain = rows_with(gains, "estimates", setting=remains["setting"]).iloc[0]
    own_folds, *names = claim.names
    items = [item_of(name, row) for name, row in zip(names, (gain, remains), strict=True)]
    study_folds = items_of(gains[gains["setting"] == OWN_FOLDS], own_folds)
    return measured([*study_folds, *items], items, claim.note(cut=remains["setting"]))


def spread(claim: Claim) -> Finding:
    try:
        rows = [
            claim.estimate("fold_skew", quantity="SD over models", subset=kind) for kind in SPREADS_COMPARED
        ]
    except TooFewRows:
        return Finding(Verdict.TOO_FEW_DATA)
    n_groups = min(int(row["n_sources"]) for row in rows[:2])
    if n_groups < FEWEST_GROUPS:
        return Finding(Verdict.TOO_FEW_DATA)
    *kinds, difference = (item_of(name, row) for name, row in zip(claim.names, rows, strict=True))
    difference = replace(difference, n_groups=n_groups)
    return measured([*kinds, difference], [difference])


def best_on_average(claim: Claim) -> Finding:
    aupr, aucnpr = (
        claim.row("task_aggregation", average=average) for average in ("mean AUPR", "mean AUCNPR")
    )
    averaged = claim.rows("task_aggregation_tasks")["task_id"]
    groups = claim.table("tasks").set_index("task_id")["source_group"]
    best_differ, share = aupr["best"] != aucnpr["best"], 100 * aucnpr["differs"]
    noise = NOISE * np.sqrt(share * (100 - share) / aucnpr["resamples"])
    verdict = Verdict.UNDECIDED
    if groups[groups.index.isin(averaged)].nunique() < FEWEST_GROUPS:
        verdict = Verdict.TOO_FEW_DATA
    elif best_differ and share - noise >= OFTEN:
        verdict = Verdict.SUPPORTS
    elif not best_differ and share + noise <= SELDOM:
        verdict = Verdict.CONTRADICTS
    bound = OFTEN if best_differ else SELDOM
    within = claim.note("within noise", bound=bound) if abs(share - bound) < noise else ""
    note = joined(claim.note("winners", aupr=aupr["best"], aucnpr=aucnpr["best"]), within)
    return Finding(verdict, claim.numbers(share, n=int(aucnpr["n_tasks"])), note)


# Later papers.


def too_high(claim: Claim) -> Finding:
    rules = claim.estimates("conventions", quantity="mean excess", known=["estimate"]).set_index("first")
    rules = rules[~rules.index.isin(OF_VISION)]
    largest_excess = claim.rows("conventions_excess").set_index("rival")["largest"]
    largest_excess = largest_excess[~largest_excess.index.isin(OF_VISION)]
    highest, highest_once = rules["estimate"].idxmax(), largest_excess.idxmax()
    on_average, on_one_model = claim.names
    items = [item_of(on_average, rules.loc[highest]), Item(on_one_model, largest_excess.max())]
    note = claim.note(on_average=highest.replace("_", " "), on_one_model=highest_once.replace("_", " "))
    margins = [above(MARGIN)(item) for item in items_of(rules, "")]
    return measured(items, [largest(margins)], note)


def superior(claim: Claim) -> Finding:
    chosen = {
        "quantity": "gain",
        "setting": "halves",
        "first": "aupr",
        "second": "auroc",
        "subset": "prevalence under 0.1",
    }
    gain = partial(claim.estimate, "selection", **chosen)
    estimates = claim.items(gain(target=utility) for utility in (*RETRIEVAL, *OTHERS))
    if few := too_few(estimates):
        return few
    signs = [(estimate.low > 0) - (estimate.high < 0) for estimate in estimates]
    if 1 in signs[: len(RETRIEVAL)] and 1 not in signs[len(RETRIEVAL) :]:
        return Finding(Verdict.SUPPORTS, estimates)
    nonzero_signs = {sign for sign in signs if sign}
    one_way = len(nonzero_signs) == 1 and sum(map(abs, signs)) > 1
    return Finding(Verdict.CONTRADICTS if one_way else Verdict.UNDECIDED, estimates)


def calibrated(claim: Claim) -> Finding:
    shift = partial(
        claim.estimates, "downsampling.prevalence_shift", subset="negatives for every ratio", first="aupr"
    )
    plug_in = [shift(quantity="bias", second=second).iloc[0] for second in ("moved", "corrected")]
    at_ratios = shift(quantity="metric minus its analytic value")
    largest_error, *biases = claim.names
    # The number is the moved area minus the area of the sets that have the ratio.
    errors = {row["setting"]: item_of(largest_error, row, factor=-1) for _, row in at_ratios.iterrows()}
    ratio, farthest = max(errors.items(), key=lambda case: abs(case[1].here))
    items = [farthest, *(item_of(name, row) for name, row in zip(biases, plug_in, strict=True))]
    margins = [inside(MARGIN)(error) for error in errors.values()]
    return measured(items, margins, claim.note(ratio=ratio))
