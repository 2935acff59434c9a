"""What the experiments on class skew say [Boyd et al. 2012], in sentences with numbers from the tables."""

import pandas as pd

from aucstudy.published.verdicts import Evidence

LABELS = {"aupr": "AUPR", "auprg": "AUPRG", "auroc": "AUROC", "aucnpr": "AUCNPR"}


def between(row: pd.Series, digits: int = 2, sign: str = "+") -> str:
    """A difference with its interval: `+0.31 (95 % interval +0.25 to +0.38)`."""
    number = f"{{:{sign}.{digits}f}}".format
    return f"{number(row['difference'])} (95 % interval {number(row['low'])} to {number(row['high'])})"


def downsampling(evidence: Evidence) -> list[str]:
    """What cutting the negatives of the test set does to each area."""
    table = evidence.table("downsampling")
    if table is None:
        return []
    common = table[table["tasks"] == "common"]
    nearest = common["ratio"].iloc[0]
    tasks = int(common["n_tasks"].iloc[0])
    if not tasks:
        return ["No task is skewed enough for every ratio, so ratios cannot be compared on the same tasks."]
    moved = [
        f"{LABELS[row['area']]} by {between(row)}" for _, row in common[common["ratio"] == nearest].iterrows()
    ]
    told = [
        f"Cutting the test sets of {tasks} tasks to {nearest}, the models unchanged, moves {', '.join(moved)}."
    ]
    claims = evidence.table("downsampling_claims")
    spread = claims[claims["statistic"] == "SD over ratios"].set_index("area")["estimate"]
    told.append(
        f"Over the ratios a model's AUPR has a standard deviation of {spread['aupr']:.3f}, its AUCNPR one of "
        f"{spread['aucnpr']:.3f}."
    )
    return told


def fold_skew(evidence: Evidence) -> list[str]:
    """What unequal skew of folds does to the mean over folds and to the winner."""
    table = evidence.table("fold_skew")
    if table is None:
        return []
    widest = table[table["spread"] == table["spread"].max()].set_index(["effect", "area"])
    moved = [f"{LABELS[area]} by {between(row, 3)}" for area, row in widest.loc["error"].iterrows()]
    first = widest.iloc[0]
    told = [
        f"Folds whose prevalence has a standard deviation of {first['prevalence_sd']:.2f} move the mean over folds "
        f"against equally skewed folds: {', '.join(moved)} ({int(first['n_tasks'])} tasks; "
        f"{100 * first['left_out']:.0f} % of the folds are of one class and left out)."
    ]
    changes = widest.loc["winner changes"]
    told.append(
        "The best model by the fold mean is not the merged one's in "
        + ", ".join(
            f"{100 * row['skewed']:.0f} % ({LABELS[area]}; control {100 * row['control']:.0f} %)"
            for area, row in changes.iterrows()
        )
        + " of the cuts."
    )
    return told
