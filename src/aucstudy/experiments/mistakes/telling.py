"""Captions and sentences of the experiment on mistakes."""

from aucstudy.experiments.inputs import Study
from aucstudy.presentation.phrases import interval

QUESTION = "What is correcting a mistake worth, and whose mistakes are worth most?"


def findings(study: Study) -> list[str]:
    """How the gain falls with the rank, and which subgroup it favours."""
    rows = study.table("mistakes").set_index("quantity")
    tasks, pairs = rows.loc[["slope, precision", "higher prevalence, difference"], "n_tasks"]

    def told(name: str, number: str, factor: float = 1.0) -> str:
        row = rows.loc[name]
        return f"{factor * row['estimate']:{number}} {interval(row['low'], row['high'], number, factor)}"

    return [
        "Correcting an adjacent wrong pair gains AUROC the same everywhere. On these rankings the gain of average "
        f"precision falls with the rank as its power {told('slope, average_precision', '.2f')}, that of the exact area "
        f"as {told('slope, exact_area', '.2f')}; the inverse of the firing rate is the power -1, and the rest is "
        "precision, which falls with the rank too."
        if tasks
        else "No model makes enough mistakes to say how the gain of correcting one falls with the rank.",
        f"Two tasks of one source group put together ({pairs:.0f} pairs): of what average precision "
        f"would gain by correcting mistakes, {told('higher prevalence, by_average_precision', '.0f', 100)} % lifts the "
        f"task of higher prevalence, of AUROC's gain {told('higher prevalence, by_auroc', '.0f', 100)} %; the "
        f"difference is {told('higher prevalence, difference', '+.0f', 100)} points."
        if pairs
        else "No two tasks of one source group have a flow in common and different prevalences (0 pairs).",
    ]


TABLES = {
    "mistakes": (
        "Slope of the log gain of correcting an adjacent wrong pair on its log rank, and the share of the gain that "
        "lifts the subgroup of higher prevalence, with 95 % intervals over source groups [McDermott et al. 2024]."
    ),
    "mistakes_tasks": "The slopes of each task, means over its models with ten adjacent wrong pairs.",
    "mistakes_subgroups": (
        "Two tasks of one source group put together: the share of the gain of correcting all adjacent wrong pairs that "
        "lifts positives of the task of higher prevalence, by average precision and by AUROC, mean over the flows."
    ),
}
FIGURES: dict[str, object] = {}
