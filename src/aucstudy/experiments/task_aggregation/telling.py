"""Figure of the best flow over all tasks by each average [Boyd et al. 2012, section 4.2]."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.style import NOTE, PAGE, SERIES_COLOURS


def task_aggregation_figure(table: pd.DataFrame) -> plt.Figure:
    """How often the best flow differs from the best by mean AUPR, and how often it is chosen again.

    Parameters
    ----------
    table : as `experiments.task_aggregation.task_aggregation_table` gives it.
    """
    figure, axis = plt.subplots(figsize=(PAGE, 0.22 * len(table) + 1.1))
    y = np.arange(len(table))[::-1]
    again, differs = SERIES_COLOURS[1], SERIES_COLOURS[0]
    axis.barh(y + 0.2, 100 * table["best_again"], 0.36, color=again, label="the same flow is best again")
    axis.barh(
        y - 0.2, 100 * table["differs"], 0.36, color=differs, label="it differs from the best by mean AUPR"
    )
    for place, row in zip(y, table.itertuples(), strict=True):
        axis.text(101, place, row.best, va="center")
        axis.text(
            100 * row.differs + 0.7, place - 0.22, f"{100 * row.differs:.0f}", va="center", fontsize=NOTE
        )
    axis.text(101, len(table) - 0.2, "best of all tasks", weight="bold")
    claimed = y[(table["average"] == "mean AUCNPR").argmax()]
    axis.plot([95, 95], [claimed - 0.45, claimed + 0.05], color="black", linewidth=1.2)
    axis.annotate("claim needs 95", (95, claimed - 0.2), (-4, 0), textcoords="offset points", fontsize=NOTE,
                  ha="right", va="center")  # fmt: skip
    axis.set_yticks(y, table["average"])
    axis.set(xlim=(0, 100), xlabel="% of the resamples of source groups", ylim=(-0.7, len(table)))
    axis.grid(True, axis="x")
    figure.legend(loc="outside lower center", ncols=2)
    return figure


QUESTION = "Which flow is best over all tasks?"


def findings(study: Study) -> list[str]:
    """Which flow is best over all tasks, by which average?"""
    table = study.table("task_aggregation")
    chosen = table.groupby("best", sort=False)["average"].agg(list)
    sentences = [f"{flow} is the best flow by {', '.join(averages)}." for flow, averages in chosen.items()]
    rows = table.set_index("average")
    sentences.append(
        f"In {100 * rows.loc['mean AUCNPR', 'differs']:.0f} % of the resamples mean AUCNPR chooses another flow than "
        f"mean AUPR, mean AUROC in {100 * rows.loc['mean AUROC', 'differs']:.0f} %, mean signed AUPRG in "
        f"{100 * rows.loc['mean signed AUPRG', 'differs']:.0f} %, clipped in "
        f"{100 * rows.loc['mean clipped AUPRG', 'differs']:.0f} %."
    )
    tasks = study.table("task_aggregation_tasks")
    lowest = tasks[tasks["average"] == "mean signed AUPRG"].nsmallest(1, "lowest_value").iloc[0]
    sentences.append(
        f"A mean of signed AUPRG is exposed to single values: the lowest is {lowest['lowest_value']:.2f} (a model on "
        f"{lowest['task_id']})."
    )
    return sentences


TABLES = {
    "task_aggregation": (
        "The best flow over all tasks by each average, how often a bootstrap over source groups chooses it again, "
        "and how often it then differs from the best by mean AUPR."
    ),
    "task_aggregation_tasks": (
        "Which tasks carry the lead of the best flow: the lead with all tasks and without each of them."
    ),
}


FIGURES = {
    "task_aggregation": Figure(
        lambda study: task_aggregation_figure(study.table("task_aggregation")),
        "Does it matter whether AUCPR or AUCNPR is averaged over tasks [Boyd et al. 2012, section 4.2]? How often the "
        "best flow by each average differs from the best by mean AUPR (black, with the number), and is that of all "
        "tasks again, in a bootstrap over source groups. The claim is of mean AUCNPR, the second row: it would be "
        "supported if the best flow differed in 95 % of the resamples (mark).",
    ),
}
