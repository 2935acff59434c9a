"""What the experiments on Flach & Kull 2015 say, in sentences with numbers from the tables."""

from aucstudy.area_names import AREA_LABELS as LABELS
from aucstudy.claims.verdicts import Evidence
from aucstudy.presentation.phrases import percent, points

STEPS = {
    "recall_above_prevalence": "leaving out recall below the prevalence",
    "recall_gain": "weighting recall by dr/r^2",
    "auprg": "putting precision on the harmonic scale",
    "tie": "a tie of best models",
}
PAIRS = (("aupr", "auprg"), ("aupr", "auroc"), ("auprg", "auroc"))


def noise(evidence: Evidence) -> list[str]:
    """Whether two areas disagree more than one area disagrees with itself on other rows."""
    table = evidence.table("noise")
    if table is None or table.empty:
        return []
    told = []
    for first, second in PAIRS:
        rows = table[(table["first"] == first) & (table["second"] == second) & (table["top"] == 1)]
        rows = rows.set_index("quantity")
        across, excess = rows.loc["across"], rows.loc["excess"]
        alone = rows.loc[["self_first", "self_second"], "estimate"].mean()
        judged = "more than noise" if excess["low"] > 0 else "no more than noise can explain"
        swaps, real = (
            round(rows.loc[name, "estimate"] * across["n_tasks"]) for name in ("swap", "real_swap")
        )
        told.append(
            f"{LABELS[first]} and {LABELS[second]}: on two different halves of the test rows they pick another best "
            f"model in {100 * across['estimate']:.0f} % of the splits, each with itself in {100 * alone:.0f} %; the "
            f"excess is {points(excess)}: {judged}. {swaps} of {across['n_tasks']} tasks swap their best models on "
            f"all rows; in {real} of them resampling supports both signs."
        )
    told.append(
        f"{int(table['splits'].max())} splits a task; all of it is conditional on the fitted models, and a half has "
        "half the rows: what the halves cannot tell apart, a larger test set might."
    )
    return told


def decomposition(evidence: Evidence) -> list[str]:
    """At which step on the way from AUPR to AUPRG the order flips."""
    table = evidence.table("decomposition")
    if table is None:
        return []
    told = []
    kinds = {
        "best": "pick another best model in {} of {} tasks",
        "all": "order {} of all pairs of models in {} tasks differently",
    }
    for pairs, sentence in kinds.items():
        rows = table[table["pairs"] == pairs].set_index(["flips_at", "scores"])
        whole = rows.loc[("whole", "any")]
        if not whole["estimate"] > 0:
            continue
        steps = [
            f"{step_told} {100 * rows.loc[(step, 'any'), 'part']:.0f} %"
            for step, step_told in STEPS.items()
            if (step, "any") in rows.index and rows.loc[(step, "any"), "part"] > 0
        ]
        tied = rows.xs("tied", level="scores")["part"].sum()
        told.append(
            f"AUPR and AUPRG {sentence.format(percent(whole), whole['n_tasks'])}. What turns the order: "
            f"{', '.join(steps)}. In {100 * tied:.0f} % a model of the pair has most positives tied with a negative."
        )
    return told


def favour(evidence: Evidence) -> list[str]:
    """Whose best model is better where two areas pick different ones, and what averaging F1 over folds does."""
    table, averages = evidence.table("favour"), evidence.table("fold_averages")
    if table is None or table.empty:
        return []
    told = []
    for first, second in PAIRS:
        rows = table[(table["first"] == first) & (table["second"] == second)].set_index(["judge", "quantity"])
        lower, gap = rows.loc[("expected_fg1", "first_lower")], rows.loc[("held_out_f1", "gap")]
        if not lower["n_tasks"] > 0:
            continue
        told.append(
            f"Of {lower['n_tasks']:.0f} tasks where {LABELS[first]} and {LABELS[second]} pick other winners, "
            f"{LABELS[first]}'s has the lower expected F-Gain in {100 * lower['estimate']:.0f} %. In F1 "
            f"on held-out folds {LABELS[second]}'s winner differs from {LABELS[first]}'s by {gap['estimate']:+.3f} "
            f"(95 % interval {gap['low']:+.3f} to {gap['high']:+.3f})."
        )
    rows = averages[(averages["first"] == "mean_f1") & (averages["second"] == "mean_fg1")]
    for _, row in rows.iterrows():
        told.append(
            f"Averaging F-Gain rather than F1 over the folds changes the winner in {percent(row)} of {row['n_tasks']} "
            f"tasks at the {row['rule'].replace('_', '-')} threshold ({row['n_left_out']} tasks left out: "
            "every model has a fold without a true positive)."
        )
    return told


def thresholds(evidence: Evidence) -> list[str]:
    """What F-calibrated thresholds lose against a search, on held-out folds."""
    table = evidence.table("thresholds")
    if table is None:
        return []
    told = []
    for beta, rows in table[table["rule"] == "f_calibrated"].groupby("beta"):
        rows = rows.set_index("quantity")
        searched, default, same = (
            rows.loc[name] for name in ("minus_searched", "minus_default", "same_as_searched")
        )
        told.append(
            f"F_{beta:g}: the F-calibrated threshold reaches {searched['estimate']:+.4f} (95 % interval "
            f"{searched['low']:+.4f} to {searched['high']:+.4f}) against the searched one and "
            f"{default['estimate']:+.3f} against the default; in {100 * same['estimate']:.0f} % of the held-out "
            "folds it decides just as the searched one does."
        )
    return told


def multiverse(evidence: Evidence) -> list[str]:
    """How far one changed choice moves the shares."""
    table = evidence.table("multiverse")
    if table is None:
        return []
    told = []
    best = table[table["top"] == 1]
    for first, second in PAIRS:
        rows = best[(best["first"] == first) & (best["second"] == second)]
        own = rows.iloc[0]
        least, most = rows.loc[rows["estimate"].idxmin()], rows.loc[rows["estimate"].idxmax()]
        ends = [
            f"{100 * row['estimate']:.0f} % ({row['dimension']}: {row['choice'].replace('_', ' ')})"
            for row in (least, most)
        ]
        told.append(
            f"{LABELS[first]} and {LABELS[second]}, another best model: {percent(own)} as configured; one choice "
            f"changed, from {ends[0]} to {ends[1]}."
        )
    return told


def prevalence(evidence: Evidence) -> list[str]:
    """How the disagreement on the best model moves with prevalence alone."""
    table = evidence.table("prevalence")
    if table is None:
        return []
    told = []
    best = table[(table["top"] == 1) & (table["scope"] == "within tasks")]
    for first, second in PAIRS:
        rows = best[(best["first"] == first) & (best["second"] == second)].sort_values("prevalence")
        ends = [
            f"{percent(row)} at prevalence {row['prevalence']:g}" for _, row in rows.iloc[[0, -1]].iterrows()
        ]
        told.append(
            f"{LABELS[first]} and {LABELS[second]}, the same predictions moved: another best model in "
            f"{' and in '.join(ends)}."
        )
    return told
