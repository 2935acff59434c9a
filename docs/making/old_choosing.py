"""What the study means for choosing a metric: a short table of the rule, and what goes with it, from the tables."""

import pandas as pd
from aucstudy.experiments.decision.rule import WORDS, safest_area
from aucstudy.experiments.fold_skew.sentences import recommendation
from aucstudy.presentation.markdown import markdown_table
from aucstudy.presentation.phrases import listed
from aucstudy.report.wording import percent, points

from aucstudy.area_names import AREA_LABELS
from aucstudy.claims.verdicts import Evidence

ASKED = "Which aggregate should be used: "
POOLING = (
    "the merged value of all folds pooled (no mean is better at some cut and worse at none).",
    "pool all predictions and compute one area: no mean over folds chose better for one way of cutting the folds "
    "without choosing worse for another.",
)
IN_POINTS = (
    "**In points**: a point of one area counts here as much as a point of another, and where positives are rare models "
    "differ more in AUPR than in AUROC: the table says by which area least is lost in points, not that this area is "
    "what you want."
)
BAND = ["prevalence_from", "prevalence_to"]


def rule_table(decision: pd.DataFrame) -> list[str]:
    """By prevalence: what a wrong choice among areas was shown to cost, and which area is safest, in Markdown."""
    costs = decision[decision["quantity"] == "cost"]
    n_low, n_high = costs["positives_from"].min(), costs["positives_to"].max()
    heads = [
        f"prevalence ({n_low:,.0f} to {n_high:,.0f} positives)",
        "another area's choice costs at most (simulated, upper end of the interval)",
        "if you know nothing else (what its choice costs at most)",
    ]
    bands = []
    for (low, high), rows in costs.groupby(BAND):
        safest, least = safest_area(rows)
        matters = (rows["verdict"] == "matters").any()
        use = f"{AREA_LABELS[safest]} (under {100 * least:.1f} points)"
        bands.append(
            [
                f"{low:g} to {high:g}",
                dearest(rows),
                use if matters else "any: no loss was shown to exceed 1 point",
            ]
        )
    return [_first(costs), "", markdown_table(heads, bands)]


def dearest(costs: pd.DataFrame) -> str:
    """What the costliest choice of these rows of decision.csv costs at most: the upper end of its interval."""
    worst = costs.loc[costs["high"].idxmax()]
    by, of = AREA_LABELS[worst["first"]], AREA_LABELS[worst["second"]]
    return f"{100 * worst['high']:.1f} points of {of}, by {by}'s choice"


def _first(costs: pd.DataFrame) -> str:
    """The table in a line, where the bands that matter all lie below the others and have one safest area."""
    bands = [
        (low, (rows["verdict"] == "matters").any(), safest_area(rows)[0])
        for (low, _), rows in costs.groupby(BAND)
    ]
    matters = [matter for _, matter, _ in bands]
    safest = {AREA_LABELS[area] for _, matter, area in bands if matter}
    if not any(matters):
        return "**Any**: no loss by a choice among the areas was shown to exceed 1 point."
    if len(safest) > 1 or matters != sorted(matters, reverse=True):
        return "It depends on the prevalence:"
    if all(matters):
        return f"**Use {safest.pop()}.**"
    below = bands[sum(matters)][0]
    return f"**Without a purpose of your own: below prevalence {below:g} {safest.pop()}; above it any.**"


def advice(evidence: Evidence) -> list[str]:
    """Sentences: what is wanted, prevalences, folds, tools."""
    decision = evidence.table("decision")
    return [
        *_wanted(decision),
        *_across_prevalences(evidence),
        *_folds(evidence),
        *_tools(evidence),
    ]


def _wanted(decision: pd.DataFrame | None) -> list[str]:
    if decision is None:
        return []
    use = decision[(decision["quantity"] == "use") & (decision["first"] != "random")]
    clear = use[use["verdict"] != "nothing"]
    silent = [_wording(name) for name in WORDS if name in set(use["judged_by"]) - set(clear["judged_by"])]
    hints = [_hint(row) for _, row in clear.iterrows()]
    return [
        IN_POINTS,
        f"**If you know what you want**, judge by that. For {listed(silent)} no area was shown to choose better"
        + (f"; over all tasks {listed(hints)} are hints, no more." if hints else "."),
    ]


def _hint(row: pd.Series) -> str:
    better, worse = (
        (AREA_LABELS[row["first"]], "AUROC") if row["estimate"] > 0 else ("AUROC", AREA_LABELS[row["first"]])
    )
    return f"{better} over {worse} for {_wording(row['judged_by'])} ({abs(100 * row['estimate']):.1f} points)"


def _wording(utility: str) -> str:
    """A utility in words, decimals with their zero."""
    return WORDS[utility].replace(" .", " 0.").replace("F.5", "F0.5")


def _across_prevalences(evidence: Evidence) -> list[str]:
    shift = evidence.table("prevalence_shift")
    if shift is None or shift.empty:
        return []
    rows = shift[shift["ratio"] == shift["ratio"].iloc[0]].set_index(["area", "estimator"]).sort_index()
    return [
        "**Never compare AUPR, AUCNPR or AUPRG across prevalences.** Compare AUROC, or compute all areas at one "
        "prevalence (`aucstudy score FILE --label COLUMN --score COLUMN --prevalence P`), which needs enough "
        f"negatives: from test sets cut to {shift['ratio'].iloc[0]} AUPR so computed is still off by "
        f"{points(rows.loc[('aupr', 'moved')], 'bias')}, AUPRG by {points(rows.loc[('auprg', 'moved')], 'bias')}; "
        f"with a correction for the few negatives AUPR is off by {points(rows.loc[('aupr', 'corrected')], 'bias')}."
    ]


def _folds(evidence: Evidence) -> list[str]:
    table = evidence.table("fold_skew_aggregates")
    if table is None or table["n_groups"].max() < 2:
        return []
    return [f"**Over folds** {recommendation(table)[0].removeprefix(ASKED).replace(*POOLING)}"]


def _tools(evidence: Evidence) -> list[str]:
    values = evidence.table("claims_values").set_index("id")
    row = values.loc["L-tools"]
    if pd.isna(row["here"]):
        return []
    share = percent(row[["here", "low", "high"]].astype(float) / 100, "here")
    return [
        f"**Say which rule computed your AUPR**: on {share} of the tasks some tool's rule puts another model first "
        "than the exact area does."
    ]
