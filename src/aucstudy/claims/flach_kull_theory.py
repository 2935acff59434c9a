"""The claims of Flach & Kull 2015 that follow from arithmetic or a theorem."""

from decimal import Decimal

import numpy as np

from aucstudy.claims.random_rankings import random_rankings
from aucstudy.claims.verdicts import (
    Evidence,
    Finding,
    Item,
    Judge,
    Verdict,
    arithmetic,
    exact_if,
    not_available,
)
from aucstudy.experiments.papers import running_example
from aucstudy.metrics.bounds import min_precision
from aucstudy.metrics.hulls import prg_hull, roc_hull
from aucstudy.published.values import comes_out

IDENTITY_TOLERANCE = 1e-9  # relative; float noise stays far below it
BETAS = (0.25, 0.5, 1.0, 2.0, 4.0)
COUNTEREXAMPLE = {"pi": 0.3, "precision": 1.0, "recall": 0.27, "beta": 0.25}


def _identity(*names: str) -> Judge:
    """`exact` if the identities hold on every model of the study but for float noise."""

    def judge(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
        table = evidence.table("theorems")
        if table is None:
            return not_available("the experiment favour is switched off in this study")
        rows = table.set_index("identity").loc[list(names)]
        items = [
            Item(name, row["largest_deviation"], n=int(row["n_models"])) for name, row in rows.iterrows()
        ]
        right = (rows["largest_deviation"] <= IDENTITY_TOLERANCE).all()
        statements = "; ".join(rows["statement"])
        note = f"largest relative deviation over {rows['n_models'].max()} models: {statements}"
        return exact_if(right, items, note)

    return judge


def _figure_3(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    roc, prg = roc_hull(*running_example()), prg_hull(*running_example())
    # the first segment of the PRG hull leads to precision 1; the paper lists those after it
    lists = {"ROC hull": roc.probability, "PRG hull": prg.d[1:], "PRG hull, beta^2": 1 / prg.d[2:4] - 1}
    items = [Item(f"{name} {k}", float(v)) for name, values in lists.items() for k, v in enumerate(values, 1)]
    right = all(comes_out(printed[item.name], item.here) for item in items)
    note = "the paper prints no counts; these were searched until both lists came out of one data set"
    return Finding(Verdict.BY_CONSTRUCTION if right else Verdict.DOES_NOT_COME_OUT, items, note)


def f_beta(precision: np.ndarray, recall: np.ndarray, beta: float) -> np.ndarray:
    """F_beta of precisions and recalls above 0.

    >>> round(f_beta(1.0, 0.27, 0.25), 3)
    0.863
    """
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def _leads() -> np.ndarray:
    """Columns beta, recall under pi, precision under pi, lead in F_beta over always-positive, a row an achievable
    model with precision or recall under the prevalence."""
    grid = np.linspace(0.01, 1, 100)
    pi, r, p = (axis.reshape(-1) for axis in np.meshgrid(np.linspace(0.05, 0.95, 19), grid, grid))
    low = ((r < pi) | (p < pi)) & (p >= min_precision(r, pi))
    pi, r, p = pi[low], r[low], p[low]
    rows = [
        np.column_stack([np.full(len(r), b), r < pi, p < pi, f_beta(p, r, b) - f_beta(pi, 1.0, b)])
        for b in BETAS
    ]
    return np.concatenate(rows)


def _baseline(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    beta, _, precise, lead = _leads().T
    pi, b = COUNTEREXAMPLE["pi"], COUNTEREXAMPLE["beta"]
    items = [
        Item(
            "F_0.25 of precision 1, recall .27 at pi = .3",
            f_beta(COUNTEREXAMPLE["precision"], COUNTEREXAMPLE["recall"], b),
        ),
        Item("F_0.25 of always-positive at pi = .3", f_beta(pi, 1.0, b)),
        Item("largest lead at beta < 1", lead[beta < 1].max()),
        Item("largest lead at beta >= 1", lead[beta >= 1].max()),
        Item("largest lead with precision under pi", lead[precise == 1].max()),
    ]
    note = "true for precision under pi, and for recall under pi where beta is at least 1"
    return exact_if(lead.max() <= 0, items, note)


def _cost(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    off_hull = without_beta = 0
    rankings = list(random_rankings())
    for y, scores in rankings:
        roc, prg = roc_hull(y, scores), prg_hull(y, scores)
        # the all-positive end after a segment without positives is best only where false positives cost nothing
        cost_optimal = set(roc.thresholds[1:][roc.probability > 0].tolist())
        best = {_best_threshold(y, scores, beta) for beta in BETAS}
        off_hull += len(best - set(roc.thresholds.tolist()))
        served = prg.beta_squared_low < prg.beta_squared_high
        without_beta += len(cost_optimal - set(prg.thresholds[served].tolist()))
    items = [
        Item("F-optimal thresholds off the ROC hull", off_hull, n=len(rankings)),
        Item("cost-optimal thresholds without a beta", without_beta, n=len(rankings)),
    ]
    note = (
        "predicting nothing positive is optimal for some cost and for no beta: its F_beta is 0; predicting all "
        "positive, after rows without a positive, only where false positives cost nothing"
    )
    return arithmetic(items, printed, note)


def _best_threshold(y: np.ndarray, scores: np.ndarray, beta: float) -> float:
    """The threshold of the highest F_beta, by trying all."""
    thresholds = np.unique(scores)
    predicted = scores >= thresholds[:, None]
    tp, n = (predicted & y).sum(axis=1), predicted.sum(axis=1)
    f = (1 + beta**2) * tp / (n + beta**2 * y.sum())
    return float(thresholds[f.argmax()])


JUDGES: dict[str, Judge] = {
    "FK-fig3": _figure_3,
    "FK-T1": _identity("theorem 1"),
    "FK-T2": _identity("theorem 2"),
    "FK-T3": _identity("theorem 3"),
    "FK-T4": _identity("theorem 4"),
    "FK-Eacc": _identity("E[acc]", "E[1/F1]"),
    "FK-baseline": _baseline,
    "FK-cost": _cost,
}
