"""The claims of Flach & Kull 2015.

They say how often metrics disagree, what follows from theorems, and what follows for practice.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from aucstudy.claims.boyd import CLASS_SIZES
from aucstudy.claims.theorems import random_rankings
from aucstudy.claims.verdicts import (
    Claim,
    Finding,
    Item,
    Judge,
    Margin,
    NotDecided,
    Verdict,
    above,
    inside,
    item_of,
    items_of,
    measured,
    replication,
)
from aucstudy.experiments.compared import MARGIN as MARGIN_OF_CHOICE
from aucstudy.experiments.decomposition import ORDERS, STEPS, order_name
from aucstudy.experiments.papers import running_example
from aucstudy.experiments.thresholds import BOTH_TOLD
from aucstudy.metrics.bounds import min_precision
from aucstudy.metrics.hulls import prg_hull, roc_hull
from aucstudy.store.tables import TooFewRows

ALIKE = 5  # percentage points, the difference of the paper's own 29 and 24 %
FEWEST_SWAPS = 5
FIGURE_4_TASKS = ("3872", "3896")  # at the lower and the upper quartile
FIGURE_5_RUNS = ("145651", "267741")  # AdaBoost, Logistic Regression
CUT, SCALED, HARMONIC = STEPS[1:]  # steps of the decomposition
BETAS = (0.25, 0.5, 1.0, 2.0, 4.0)
COUNTEREXAMPLE = (0.3, 1.0, 0.27, 0.25)  # pi, precision, recall, beta
# The positives and negatives of each group of tied rows, in two rankings with the same class sizes. The
# second groups of both rankings have the same c.
SAME_C = (((4, 0), (1, 1), (1, 11)), ((2, 0), (1, 1), (3, 11)))
SAME, APART = 1e-9, 0.01


# How often metrics disagree: the population, the shares, the two examples.


def _population(claim: Claim) -> Finding:
    evidence = claim.evidence
    if not evidence.same_population:
        raise NotDecided
    tasks, shares = claim.table("tasks"), claim.rows("disagreement_tasks")
    models = shares.drop_duplicates("task_id")["n_models"]
    items = claim.numbers(len(tasks), tasks["dataset_id"].nunique(), models.min(), models.sum())
    holds = all(item.here == claim.printed[item.name] for item in items)
    return claim.reproduced_if(holds, items, source=evidence.source, groups=tasks["source_group"].nunique())


def more_alike(claim: Claim, margin: Margin) -> Finding:
    """Judge how much more often AUPR and AUROC pick different best models than AUPR and AUPRG do.

    The number is a difference in percentage points. `margin` turns it into a number that is above 0 if the
    claim holds.
    """
    row = claim.estimate("disagreement", quantity="differs more often than aupr and auprg")
    item = item_of(claim.names[0], row, factor=100)
    return measured([item], [margin(item)], claim.note(alike=ALIKE))


def _quartiles(claim: Claim) -> Finding:
    correlations = claim.rows("disagreement_tasks", first="aupr", second="auprg").set_index("task_id")
    if _has_figure_4(claim, correlations):
        items = claim.numbers(*(correlations["rank_correlation"][task] for task in FIGURE_4_TASKS))
        return claim.reproduced_if(claim.comes_out(items), items, case="the paper's tasks")
    pair = {"quantity": "rank correlation", "first": "aupr", "second": "auprg"}
    rows = [claim.estimate("disagreement", kind=f"{which} quartile", **pair) for which in ("lower", "upper")]
    note = claim.note("other tasks", tasks=int(rows[0]["n_tasks"]))
    return replication(claim.items(rows), claim.printed, same_population=False, scale=1, note=note)


def _has_figure_4(claim: Claim, pair: pd.DataFrame) -> bool:
    return claim.evidence.same_population and set(FIGURE_4_TASKS) <= set(pair.index)


def _quartiles_agree(claim: Claim) -> Finding:
    pair = claim.rows("disagreement_tasks", first="aupr", second="auprg").set_index("task_id")
    if not _has_figure_4(claim, pair):
        raise NotDecided
    items = claim.numbers(*(1 - pair["p_best_differs"][task] for task in FIGURE_4_TASKS))
    most_differ = min(item.here for item in items) > 0.5
    return Finding(Verdict.SUPPORTS if most_differ else Verdict.CONTRADICTS, items, claim.note())


def _figure_5(claim: Claim) -> Finding:
    pair = claim.table("flip_pair").set_index("run_id")
    if not set(FIGURE_5_RUNS) <= set(pair.index):
        raise NotDecided
    items = claim.numbers(*(pair.loc[run, area] for run in FIGURE_5_RUNS for area in ("aupr", "auprg")))
    return claim.reproduced_if(claim.comes_out(items), items)


def _turned(claim: Claim, step: str, *further: str) -> Finding:
    """Judge whether most ranking changes of best models happen at `step` in every order of the three steps.

    The numbers are percentages of these changes: the share of the step in the first order, its smallest and
    its largest share in any order, and the shares of the `further` steps in the first order.
    """
    changes = claim.table("decomposition_swaps")
    note = claim.note(swaps=changes["weight"].sum())
    if changes["weight"].sum() < FEWEST_SWAPS:
        return Finding(Verdict.TOO_FEW_DATA, note=note)

    def share(step: str, order: tuple[str, ...]) -> Item:
        keys = {"quantity": "change of the best model", "setting": step, "target": order_name(order)}
        return item_of("", claim.estimate("decomposition", **keys), factor=100)

    orders = sorted((share(step, order) for order in ORDERS), key=lambda item: item.here)
    first, *further_shares = (share(other, ORDERS[0]) for other in (step, *further))
    low, high = min(item.low for item in orders), max(item.high for item in orders)
    every_order = Item("every order", first.here, low, high, n_groups=first.n_groups)
    shares = zip(claim.names, (first, orders[0], orders[-1], *further_shares), strict=True)
    return measured([replace(item, name=name) for name, item in shares], [above(50)(every_order)], note)


# Arithmetic and theorems.


def _figure_3(claim: Claim) -> Finding:
    roc, prg = roc_hull(*running_example()), prg_hull(*running_example())
    # The first segment of the PRG hull leads to precision 1. The paper lists the segments after it, and two
    # of them as beta^2.
    items = claim.numbers(*roc.probability, *prg.d[1:], *(1 / prg.d[2:4] - 1))
    verdict = Verdict.BY_CONSTRUCTION if claim.comes_out(items) else Verdict.DOES_NOT_COME_OUT
    return Finding(verdict, items, claim.note())


def f_beta(precision: np.ndarray, recall: np.ndarray, beta: float) -> np.ndarray:
    """Return F_beta of precisions and recalls above 0.

    >>> round(f_beta(1.0, 0.27, 0.25), 3)
    0.863
    """
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def _leads() -> np.ndarray:
    """Return three rows: beta, whether precision is below the prevalence, and the lead in F_beta.

    The lead is that over the model that predicts every row positive. Each column is a beta and an achievable
    model whose precision or recall is below the prevalence.
    """
    grid = np.linspace(0.01, 1, 100)
    pi, r, p = (axis.reshape(-1) for axis in np.meshgrid(np.linspace(0.05, 0.95, 19), grid, grid))
    below_baseline = ((r < pi) | (p < pi)) & (p >= min_precision(r, pi))
    pi, r, p = pi[below_baseline], r[below_baseline], p[below_baseline]
    leads = ((np.full(len(r), b), p < pi, f_beta(p, r, b) - f_beta(pi, 1.0, b)) for b in BETAS)
    return np.hstack([np.stack(columns) for columns in leads])


def _baseline(claim: Claim) -> Finding:
    beta, is_imprecise, lead = _leads()
    pi, precision, recall, b = COUNTEREXAMPLE
    largest_leads = (lead[cases].max() for cases in (beta < 1, beta >= 1, is_imprecise == 1))
    return claim.exact_if(lead.max() <= 0, f_beta(precision, recall, b), f_beta(pi, 1.0, b), *largest_leads)


def _random_model(claim: Claim) -> Finding:
    chances = np.append(np.linspace(0, 0.99, 100), 1.0)
    expected = np.array([_expected_f(P, N, beta, chances) for P, N in CLASS_SIZES for beta in BETAS])
    reaches_always_positive = expected[:, :-1] >= expected[:, -1:]
    n_reaching = int(reaches_always_positive.sum())
    return claim.exact_if(n_reaching == 0, n_reaching, n=reaches_always_positive.size)


def _expected_f(P: int, N: int, beta: float, chance: np.ndarray) -> np.ndarray:
    """Return the expected F_beta of models that predict each row positive with probability `chance`."""
    predicted = np.arange(P + N + 1)
    f = (1 + beta**2) * predicted * P / (P + N) / (predicted + beta**2 * P)
    # The import is here because it takes most of a second and no study judges this claim.
    from scipy.stats import binom

    return binom.pmf(predicted, P + N, np.asarray(chance)[..., None]) @ f


def _d_of_c(claim: Claim) -> Finding:
    calibrated = []
    for groups in SAME_C:
        y = np.concatenate([np.arange(sum(group)) < group[0] for group in groups])
        scores = -np.repeat(np.arange(3.0), [sum(group) for group in groups])
        calibrated.append([hull(y, scores).calibrated([-1.0])[0] for hull in (roc_hull, prg_hull)])
    (c, d), (same_c, other_d) = calibrated
    return claim.exact_if(abs(c - same_c) < SAME and abs(d - other_d) > APART, c, d, other_d)


def _grid(claim: Claim) -> Finding:
    y, _ = running_example()
    shares = [_at_high_recall_gain(pi) for pi in np.linspace(0.01, 0.99, 99)]
    return claim.exact_if(min(shares) > 0.5, _at_high_recall_gain(y.mean()), min(shares), n=len(shares))


def _at_high_recall_gain(pi: float, points: int = 1001) -> float:
    """Return the share of points with a recall gain over one half.

    The points are those of a regular grid in ROC space that lie in the unit square of gains.
    """
    recall = (np.arange(points) + 0.5) / points
    n_above_diagonal = np.arange(1, points + 1)  # points of each recall with precision pi or more
    is_high = (recall - pi) / ((1 - pi) * recall) > 0.5
    return float(n_above_diagonal[is_high].sum() / n_above_diagonal[recall >= pi].sum())


def _cost(claim: Claim) -> Finding:
    off_hull = without_beta = 0
    rankings = list(random_rankings())
    for y, scores in rankings:
        roc, prg = roc_hull(y, scores), prg_hull(y, scores)
        # If the last segment has no positives, predicting all rows positive is best only if false positives
        # cost nothing.
        cost_optimal = set(roc.thresholds[1:][roc.probability > 0].tolist())
        best = {_best_threshold(y, scores, beta) for beta in BETAS}
        off_hull += len(best - set(roc.thresholds.tolist()))
        served = prg.beta_squared_low < prg.beta_squared_high
        without_beta += len(cost_optimal - set(prg.thresholds[served].tolist()))
    return claim.arithmetic(off_hull, without_beta, n=len(rankings))


def _best_threshold(y: np.ndarray, scores: np.ndarray, beta: float) -> float:
    thresholds = np.unique(scores)
    predicted = scores >= thresholds[:, None]
    tp, n = (predicted & y).sum(axis=1), predicted.sum(axis=1)
    f = (1 + beta**2) * tp / (n + beta**2 * y.sum())
    return float(thresholds[f.argmax()])


# What follows for practice: choosing, averaging over folds, thresholds.


def _favour(claim: Claim) -> Finding:
    unseen, *names = claim.names
    pair = {"first": "auprg", "second": "aupr", "setting": "halves", "target": "expected_fg1"}
    gain = item_of(unseen, claim.estimate("selection", quantity="gain", **pair))
    return measured(
        [gain, *_judged_on_the_same_rows(claim, names)], [gain], claim.note(), matters=MARGIN_OF_CHOICE
    )


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


def _harmonic(claim: Claim) -> Finding:
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


def _no_tuning(claim: Claim) -> Finding:
    minus = {"quantity": "F_beta minus that at the searched threshold", "setting": "f_calibrated"}
    items = items_of(claim.estimates("thresholds", **minus), "F-calibrated minus searched, beta={at:g}")
    calibrated = partial(claim.estimates, "thresholds", quantity="F_beta of calibrated scores")
    both_told = calibrated(second=BOTH_TOLD).sort_values("low", kind="stable")
    worst = both_told.drop_duplicates("at").sort_values("at")
    items += items_of(worst, "both told the odds, against isotonic F*/(1+beta^2), worst case, beta={at:g}")
    usual_rows = calibrated(second="isotonic_same", setting="all rows, odds 1")
    items += items_of(usual_rows, "against isotonic at 1/(1+beta^2), beta={at:g}")
    margins = map(above(-MARGIN_OF_CHOICE), items_of(both_told, ""))
    untold = calibrated(second="isotonic_plug_in")["estimate"].min()
    lowest = both_told.iloc[0]
    note = claim.note(worst=lowest["setting"], beta=lowest["at"], untold=untold)
    return measured(items, list(margins), note)


def _beta_intervals(claim: Claim) -> Finding:
    table = claim.estimates("thresholds", quantity="lead over a neighbour")
    items = items_of(table, "lead over the {setting} neighbour, beta={at:g}")
    leads = claim.estimates("thresholds", quantity="leads both neighbours")
    shares = ", ".join(
        f"{100 * rows['estimate'].iloc[0]:.0f} % at beta {beta:g}" for beta, rows in leads.groupby("at")
    )
    return measured(items, items, claim.note(shares=shares))


EXACT: dict[str, Judge] = {
    "FK-pop-plotted": lambda claim: claim.arithmetic(886 * 30),
    "FK-random": _random_model,
    "FK-c-d": _d_of_c,
    "FK-grid": _grid,
    "FK-fig3": _figure_3,
    "FK-baseline": _baseline,
    "FK-cost": _cost,
}
JUDGES: dict[str, Judge] = {
    "FK-pop": _population,
    "FK-alike": partial(more_alike, margin=inside(ALIKE)),
    "FK-fig4r": _quartiles,
    "FK-fig4r-best": _quartiles_agree,
    "FK-fig5": _figure_5,
    "FK-early": partial(_turned, step=CUT),
    "FK-cause": lambda claim: _turned(claim, HARMONIC, SCALED),
    "FK-favour": _favour,
    "FK-harmonic": _harmonic,
    "FK-notune": _no_tuning,
    "FK-betas": _beta_intervals,
}
