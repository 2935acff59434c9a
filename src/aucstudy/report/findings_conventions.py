"""What the conventions experiment found, in sentences."""

from aucstudy.claims.verdicts import Evidence
from aucstudy.presentation.phrases import percent

WORDS = {
    "average_precision": "average precision (steps, scikit-learn)",
    "trapezoid": "the trapezoid rule from (0, 1)",
    "davis_goadrich_unit": "unit steps with straight lines (PRROC's Davis-Goadrich)",
    "grid_1000": "a grid of 1/1000 (precrec)",
    "trapezoid_first_point": "the trapezoid rule from the first point",
    "left_dropped": "the trapezoid rule without its left part (MLmetrics)",
}


def conventions(evidence: Evidence) -> list[str]:
    """How often the convention alone changes the winner, and in which tasks."""
    shares = evidence.table("conventions")
    if shares is None:
        return []
    whole = shares[shares["split"] == "all"].set_index(["rival", "top"])
    told = [
        f"Seven rules are called the area under the PR curve: at least one of the other six picks another best "
        f"model than the exact integral in {percent(whole.loc[('any', 1)])} of "
        f"{whole.loc[('any', 1), 'n_tasks']} tasks."
    ]
    rivals = whole.drop(index="any", level="rival").sort_values("estimate", ascending=False, kind="stable")
    for (rival, top), row in rivals.iterrows():
        if top == 1:
            told.append(
                f"By {WORDS[rival]} the best model is another in {percent(row)}, the ordered first three in "
                f"{percent(whole.loc[(rival, 3)])}."
            )
    for split, what in (("tied_pairs", "tied pairs"), ("n_positive", "positives")):
        part = shares[(shares["split"] == split) & (shares["rival"] == "any")]
        cells = [f"{row.tasks}: {100 * row.estimate:.0f} % of {row.n_tasks}" for row in part.itertuples()]
        told.append(f"Another best model by at least one convention, by {what}: {'; '.join(cells)}.")
    return told
