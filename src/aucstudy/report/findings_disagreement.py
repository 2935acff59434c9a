"""What the experiments on Flach & Kull 2015 say, in sentences with numbers from the tables."""

import pandas as pd

from aucstudy.published.verdicts import Evidence

LABELS = {"aupr": "AUPR", "auprg": "AUPRG", "auroc": "AUROC"}
STEPS = {
    "recall_above_prevalence": "leaving out recall below the prevalence",
    "recall_gain": "weighting recall by dr/r^2",
    "auprg": "putting precision on the harmonic scale",
    "tie": "a tie of best models",
}
PAIRS = (("aupr", "auprg"), ("aupr", "auroc"), ("auprg", "auroc"))


def share(row: pd.Series) -> str:
    """A share with its interval: `30 % (95 % interval 20 to 41)`."""
    return f"{100 * row['estimate']:.0f} % (95 % interval {100 * row['low']:.0f} to {100 * row['high']:.0f})"


def points(row: pd.Series) -> str:
    """A difference of shares: `+2.9 percentage points (95 % interval -0.4 to +7.0)`."""
    told = f"{100 * row['low']:+.1f} to {100 * row['high']:+.1f}"
    return f"{100 * row['estimate']:+.1f} percentage points (95 % interval {told})"


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
            f"AUPR and AUPRG {sentence.format(share(whole), whole['n_tasks'])}. What turns the order: "
            f"{', '.join(steps)}. In {100 * tied:.0f} % a model of the pair has most positives tied with a negative."
        )
    return told
