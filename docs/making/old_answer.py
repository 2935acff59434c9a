"""The answer in five sentences, each made from the tables of a study; README and report begin with them."""

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd
from aucstudy.presentation.phrases import listed
from aucstudy.report.choosing import BAND, dearest
from aucstudy.report.wording import percent, points

from aucstudy.area_names import AREA_LABELS, DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.claims.boyd import nearest_ratio
from aucstudy.claims.verdicts import Evidence, Verdict
from aucstudy.published.values import printed_shares

PAIR_KEYS = ["first", "second"]
ANSWERED_FROM = (
    "tasks", "disagreement", "disagreement_tasks", "noise", "noise_swaps", "decision", "claims", "claims_values",
    "selection_primary", "downsampling", "prevalence_shift",
)  # fmt: skip


class Part(NamedTuple):
    """One question of the study, the answer in a few words and in numbers."""

    question: str
    short: str
    numbers: str


Said = tuple[str, str] | None


def answer(evidence: Evidence) -> list[Part]:
    """The parts that this study can answer, in the order of the questions."""
    said = {question: answered(evidence) for question, answered in SAID.items()}
    return [Part(question, *words) for question, words in said.items() if words]


def _disagreement(evidence: Evidence) -> Said:
    table = evidence.table("disagreement")
    if table is None or table.empty:
        return None
    rows = best_model_shares(table)
    printed = printed_shares()
    published = [f"{printed[*pair, 1]:.0f}" for pair in DISTINCT_PAIRS]
    tasks = evidence.table("tasks")
    models = evidence.table("disagreement_tasks")["n_models"].max()
    return (
        f"In {_range(rows['estimate'])} % of the tasks, depending on the pair of areas.",
        f"On {len(tasks)} tasks with {'up to ' if _differ(evidence) else ''}{models} models each the best models "
        f"differ between {shares_in_words(rows)} of the tasks (95 % intervals in brackets); Flach & Kull printed "
        f"{listed(published)} % for 886 tasks of OpenML. AUCNPR never differs from AUPR: within a task it ranks "
        "the same.",
    )


def best_model_shares(disagreement: pd.DataFrame) -> pd.DataFrame:
    """The rows of disagreement.csv that say how often the best models differ, by pair of areas."""
    rows = disagreement[(disagreement["top"] == 1) & (disagreement["ties"] == "expected")]
    return rows.set_index(PAIR_KEYS).loc[list(DISTINCT_PAIRS)]


def shares_in_words(shares: pd.DataFrame) -> str:
    """The `best_model_shares` in a row, each with its interval."""
    return listed(f"{PAIR_LABELS[pair]} in {percent(row)}" for pair, row in shares.iterrows())


def _differ(evidence: Evidence) -> bool:
    return evidence.table("disagreement_tasks")["n_models"].nunique() > 1


def _noise(evidence: Evidence) -> Said:
    table, swaps, decision = (evidence.table(name) for name in ("noise", "noise_swaps", "decision"))
    if table is None or table.empty:
        return None
    rows = table[table["top"] == 1].set_index([*PAIR_KEYS, "quantity"])
    selves = [
        rows["estimate"][*pair, side] for pair in DISTINCT_PAIRS for side in ("self_first", "self_second")
    ]
    excess = [rows.loc[(*pair, "excess")] for pair in DISTINCT_PAIRS]
    more = [
        f"{PAIR_LABELS[pair]} disagree in {points(row)}"
        for pair, row in zip(DISTINCT_PAIRS, excess, strict=True)
    ]
    n_shown = sum(row["low"] > 0 for row in excess)
    shown = pd.concat([swaps[(swaps[PAIR_KEYS] == pair).all(axis=1)] for pair in DISTINCT_PAIRS])
    n_real = int(shown["real"].sum())
    return (
        f"It was shown to be for {n_shown or 'none'} of the {len(more)} pairs of areas. Over and above one area's "
        f"disagreement with itself on other rows, {listed(more)} of the splits.",
        "Models were chosen on one half of the test rows and again on the other, where the same area picks another "
        f"model in {_range(selves)} % of the splits (not comparable with the shares above). "
        f"Of {len(shown)} single swaps of the best models {n_real or 'none'} {'was' if n_real == 1 else 'were'} shown "
        f"to be real, both orders holding in 97.5 % of the halves{_power(decision)}.",
    )


def _power(decision: pd.DataFrame | None) -> str:
    """What the test of a swap can see, where simulations said it."""
    power = decision[decision["quantity"] == "power"] if decision is not None else pd.DataFrame()
    if power.empty:
        return ""
    most = power.groupby(PAIR_KEYS)["estimate"].max()
    shares = listed([f"{100 * most[pair]:.0f}" for pair in DISTINCT_PAIRS])
    return f"; this test can show little, in simulations at most {shares} % of the true ones"


def _cause(evidence: Evidence) -> Said:
    claims = evidence.table("claims_values")
    rows = claims[(claims["id"] == "FK-cause") & claims["here"].notna()].set_index("item")
    if rows.empty:
        return None
    shares = rows[["here", "low", "high"]] / 100
    steps = {
        "when precision is put on its harmonic scale, the reason that the paper gives": "harmonic precision",
        "when low recall gets more weight": "the scale of recall",
        "when recall below the prevalence is left out": "recall under the prevalence",
    }
    by_step = [
        f"{percent(shares.loc[f'swaps that turn at {key}'], 'here')} {where}" for where, key in steps.items()
    ]
    claims = evidence.table("claims").set_index("id")
    turned = (
        f"which turns {percent(shares.loc['swaps that turn at harmonic precision'], 'here')} of the swaps"
    )
    short = {
        Verdict.SUPPORTS: f"Mostly for the reason that the paper gives, {turned}.",
        Verdict.CONTRADICTS: f"Mostly for other reasons than the one that the paper gives, {turned}.",
    }.get(
        claims.loc["FK-cause", "verdict"],
        "For several reasons, and there are too few swaps to say which weighs most.",
    )
    return (
        short,
        f"AUPR becomes AUPRG in three steps, and of {rows['n'].iloc[0]:.0f} swaps of the best models "
        f"{listed(by_step).replace(' when', ' turn when', 1)}.",
    )


def _choice(evidence: Evidence) -> Said:
    table, decision = evidence.table("selection_primary"), evidence.table("decision")
    if table is None or table.empty:
        return None
    primary = table[(table["design"] == "halves")].set_index("utility").loc["f1"]
    difference = points(primary, "difference")
    verdict = primary["verdict"].replace(", too small", ", but too small")
    short = f"In F1 AUPRG's choice differs from AUPR's by {difference}: {verdict}."
    sentence = (
        "Models were chosen on one half of the test rows and judged on the other; it was set before that less than 1 "
        f"point is too small to matter.{_by_folds(table)}"
    )
    return short, f"{sentence} {_cost(decision)}".strip()


def _by_folds(table: pd.DataFrame) -> str:
    """The second design, which was not primary: chosen on all folds but one, judged on that one."""
    rows = table[table["design"] == "folds"].set_index("utility")
    if rows.empty:
        return ""
    difference = points(rows.loc["f1"], "difference")
    return (
        f" In a second design, not the primary one, models were chosen on all folds but one and judged on that one: it "
        f"differs by {difference}, {rows['verdict'].iloc[0]}."
    )


def _cost(decision: pd.DataFrame | None) -> str:
    if decision is None:
        return ""
    costs = decision[(decision["quantity"] == "cost") & (decision["verdict"] == "matters")]
    if costs.empty:
        return ""
    bands = [
        f"{dearest(rows)} at prevalences of {low:g} to {high:g}" for (low, high), rows in costs.groupby(BAND)
    ]
    return (
        "Where positives are rare the choice can matter: in simulations with curves like those of real tasks another "
        f"area's choice costs at most (upper ends of intervals) {listed(bands)}."
    )


def _skew(evidence: Evidence) -> Said:
    table, shift = evidence.table("downsampling"), evidence.table("prevalence_shift")
    nearest = nearest_ratio(table) if table is not None else pd.DataFrame()
    if nearest.empty:
        return None
    ratio, n_tasks = nearest["ratio"].iloc[0], nearest["n_tasks"].iloc[0]
    moves = {area: f"{AREA_LABELS[area]} by {points(nearest.loc[area], 'difference')}" for area in MOVED}
    short = f"Cutting a test set to {ratio} moves {moves['aupr']}, {moves['auroc']}."
    sentence = (
        f"On {f'{n_tasks:.0f} tasks' if n_tasks > 1 else 'the one task'}, the models unchanged, it moves "
        f"{moves['aucnpr']} and {moves['auprg']}."
    )
    if shift is None or shift.empty:
        return short, sentence
    rows = shift[(shift["area"] == "aupr") & (shift["ratio"] == ratio)]
    closed = 100 * rows.set_index("estimator")["gap_closed"]
    return (
        short,
        f"{sentence} Computing AUPR from such a test set at the original prevalence closes {closed['moved']:.0f} % of "
        f"its gap, with a correction for the few negatives left {closed['corrected']:.0f} %.",
    )


MOVED = ("aupr", "aucnpr", "auprg", "auroc")
SAID: dict[str, Callable[[Evidence], Said]] = {
    "Do the areas disagree on the best model?": _disagreement,
    "Is the disagreement more than noise?": _noise,
    "Why do AUPR and AUPRG disagree?": _cause,
    "Whose choice is better?": _choice,
    "Skew: what moves, what corrects?": _skew,
}


def _range(shares: list[float]) -> str:
    return f"{100 * min(shares):.0f} to {100 * max(shares):.0f}"
