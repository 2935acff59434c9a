"""The claims of later papers on the same question that this study can measure."""

from functools import partial

import numpy as np

from aucstudy.claims.boyd import LARGEST_ERROR
from aucstudy.claims.theorems import random_rankings
from aucstudy.claims.verdicts import (
    Claim,
    Finding,
    Item,
    Judge,
    Verdict,
    above,
    inside,
    item_of,
    items_of,
    largest,
    measured,
    too_few,
)
from aucstudy.experiments.conventions import COUNTED
from aucstudy.experiments.inputs import RARE_TASKS
from aucstudy.metrics.areas import areas, average_precision

MARGIN = 0.01  # A smaller difference in a metric counts as none.
RETRIEVAL, OTHERS = ("precision_at_p", "recall_at_90"), ("f2", "accuracy", "minus_cost")


def _too_high(claim: Claim) -> Finding:
    rules = claim.estimates("conventions", quantity="mean excess", known=["estimate"]).set_index("first")
    rules = rules[rules.index.isin(COUNTED)]
    largest_excess = claim.rows("conventions_excess").set_index("rival")["largest"]
    largest_excess = largest_excess[largest_excess.index.isin(COUNTED)]
    highest, highest_once = rules["estimate"].idxmax(), largest_excess.idxmax()
    on_average, on_one_model = claim.names
    items = [item_of(on_average, rules.loc[highest]), Item(on_one_model, largest_excess.max())]
    note = claim.note(on_average=highest.replace("_", " "), on_one_model=highest_once.replace("_", " "))
    margins = [above(MARGIN)(item) for item in items_of(rules, "")]
    return measured(items, [largest(margins)], note)


def _mistakes(claim: Claim) -> Finding:
    deviations = np.array([_gains_off(*ranking) for ranking in random_rankings(untied=True)])
    return claim.exact_if(deviations.max() <= LARGEST_ERROR, *deviations.max(axis=0), n=len(deviations))


def _gains_off(y: np.ndarray, scores: np.ndarray) -> tuple[float, float]:
    """Return how far the gains in AUROC and in AP from correcting one pair of rows lie from their formulas.

    Of the adjacent pairs in the wrong order the middle one is corrected. Without one both numbers are 0.
    """
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


def _superior(claim: Claim) -> Finding:
    chosen = {
        "quantity": "gain",
        "setting": "halves",
        "first": "aupr",
        "second": "auroc",
        "subset": RARE_TASKS,
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


def _calibrated(claim: Claim) -> Finding:
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


EXACT: dict[str, Judge] = {"L-mistakes": _mistakes}
JUDGES: dict[str, Judge] = {
    "L-tools-high": _too_high,
    "L-superior": _superior,
    "L-calibrated": _calibrated,
}
