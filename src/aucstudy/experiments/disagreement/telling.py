"""Figures of the disagreement experiment [Flach & Kull 2015, figure 4]."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import BoundaryNorm

from aucstudy.area_names import AREA_LABELS
from aucstudy.experiments.disagreement.flip_curves import flip_figure
from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.phrases import percent
from aucstudy.presentation.style import PAGE

PAIRS_SHOWN = (
    ("auprg", "aupr"), ("auroc", "aupr"), ("auroc", "auprg"),
    ("aucnpr", "aupr"), ("aucnpr", "auprg"), ("aucnpr", "auroc"),
)  # fmt: skip


def rank_heat_map(heat: pd.DataFrame) -> plt.Figure:
    """Rank by one area against rank by another, expected number of models a cell, colours in powers of two.

    Parameters
    ----------
    heat : columns first, second, rank_first, rank_second, count.
    """
    size = int(heat["rank_first"].max())
    highest = max(1, int(np.ceil(np.log2(heat["count"].max()))))
    edges = np.concatenate([[0.5], 2.0 ** np.arange(highest + 1)])
    norm = BoundaryNorm(edges, plt.get_cmap("viridis_r").N, extend="neither")
    figure, axes = plt.subplots(2, 3, figsize=(PAGE, 4.9))
    for axis, (horizontal, vertical) in zip(axes.flat, PAIRS_SHOWN, strict=True):
        table = np.ma.masked_less(_cells(heat, horizontal, vertical, size), 0.5)
        mesh = axis.pcolormesh(
            np.arange(size + 1) + 0.5,
            np.arange(size + 1) + 0.5,
            table,
            cmap="viridis_r",
            norm=norm,
            rasterized=True,
        )
        axis.plot([0.5, size + 0.5], [0.5, size + 0.5], color="0.3", linewidth=0.5)
        axis.set(
            xlabel=f"rank by {AREA_LABELS[horizontal]}",
            ylabel=f"rank by {AREA_LABELS[vertical]}",
            aspect="equal",
            xticks=[1, *range(5, size + 1, 5)],
            yticks=[1, *range(5, size + 1, 5)],
        )
    bar = figure.colorbar(mesh, ax=axes, label="models", shrink=0.85, pad=0.01)
    bar.set_ticks(edges, labels=[f"{edge:g}" for edge in edges])
    return figure


def _cells(heat: pd.DataFrame, horizontal: str, vertical: str, size: int) -> np.ndarray:
    """(size, size) counts, the vertical area's rank along the rows, whichever way round the pair is held."""
    table = np.zeros((size, size))
    straight = heat[(heat["first"] == vertical) & (heat["second"] == horizontal)]
    turned = heat[(heat["first"] == horizontal) & (heat["second"] == vertical)]
    table[straight["rank_first"] - 1, straight["rank_second"] - 1] = straight["count"]
    table[turned["rank_second"] - 1, turned["rank_first"] - 1] = turned["count"]
    return table


def quartile_tasks(by_task: pd.DataFrame, pinned: list[str] | None = None) -> list[str]:
    """The tasks at the lower and upper quartile of the rank correlation of AUPR and AUPRG within tasks.

    Parameters
    ----------
    pinned : two task_ids to take instead, if the study holds both.
    """
    if pinned and set(pinned) <= set(by_task["task_id"]):
        return list(pinned)
    pair = by_task[(by_task["first"] == "aupr") & (by_task["second"] == "auprg")].dropna(
        subset="rank_correlation"
    )
    ordered = pair.sort_values(["rank_correlation", "task_id"], kind="stable")["task_id"].to_list()
    return [ordered[round(q * (len(ordered) - 1))] for q in (0.25, 0.75)]


def quartile_scatter(
    scores: pd.DataFrame, by_task: pd.DataFrame, pinned: list[str] | None = None
) -> plt.Figure:
    """AUPRG against AUPR of the models of the two quartile tasks [fig. 4], negative AUPRG left out."""
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 3.2))
    pair = by_task[(by_task["first"] == "aupr") & (by_task["second"] == "auprg")].set_index("task_id")
    for axis, task_id, quartile in zip(
        axes, quartile_tasks(by_task, pinned), ("lower", "upper"), strict=True
    ):
        models = scores[scores["task_id"] == task_id]
        drawn = models[models["auprg"] >= 0]
        best = drawn.nlargest(3, "aupr").index.union(drawn.nlargest(3, "auprg").index)
        axis.scatter(drawn["aupr"], drawn["auprg"], s=18, color="#0072B2", alpha=0.7, linewidth=0)
        axis.scatter(drawn.loc[best, "aupr"], drawn.loc[best, "auprg"], s=18, color="#D55E00", linewidth=0)
        left_out = len(models) - len(drawn)
        title = f"{task_id}: {quartile} quartile, rank correlation {pair['rank_correlation'][task_id]:.3f}"
        axis.set(xlabel="AUPR", ylabel="AUPRG", title=title)
        if left_out:
            note = f"{left_out} models with AUPRG < 0 not drawn"
            axis.text(
                0.98, 0.02, note, transform=axis.transAxes, ha="right", va="bottom", fontsize=7, color="0.4"
            )
        axis.grid(True)
    return figure


QUESTION = "Do the areas pick the same models?"


def findings(study: Study) -> list[str]:
    """The headline shares: how often two areas pick another best model."""
    shares = study.table("disagreement")
    sentences = []
    expected = shares[shares["ties"] == "expected"]
    for (first, second), shares_of_pair in expected.groupby(["first", "second"], sort=False):
        best, three = (shares_of_pair[shares_of_pair["top"] == top].iloc[0] for top in (1, 3))
        if (first, second) == ("aupr", "aucnpr") and best["high"] == 0:
            sentences.append(
                "AUPR and AUCNPR rank alike in every task: within one, each is an increasing map of the other."
            )
        elif "aucnpr" not in (first, second):
            sentences.append(
                f"{AREA_LABELS[first]} and {AREA_LABELS[second]} pick another best model in {percent(best)} of "
                f"{best['n_tasks']} tasks, other first three in {percent(three)}."
            )
    return sentences


def _flip_pair_curves(study: Study) -> plt.Figure:
    pair = study.table("flip_pair")
    return flip_figure(pair, study.predictions(pair["task_id"].iloc[0]) if len(pair) else None)


TABLES = {
    "disagreement": (
        "Share of tasks in which two areas pick another best model (top 1) or other first three models in order "
        "(top 3), with the 95 % interval over source groups; tied models count as expected under "
        "one random order shared by all areas, strictly, or leniently [Flach & Kull 2015, section 4]."
    ),
    "disagreement_correlation": (
        "Correlation of the models' ranks by two areas, across all tasks and within tasks, with the 95 % interval "
        "over source groups [Flach & Kull 2015, section 4]; what such intervals cover is in interval_coverage.csv."
    ),
    "disagreement_tasks": (
        "For each task and pair of areas: the best models, the probability that the best and the first three "
        "differ, and the correlation of ranks."
    ),
    "disagreement_ranks": (
        "How many models are ranked so by the first area and so by the second, expected over random orders of "
        "tied models."
    ),
    "flip_pair": (
        "The two models of one task whose order by AUPR and AUPRG flips most clearly (the largest smaller margin "
        "over all pairs with AUPRG >= 0), or the pinned pair: their areas."
    ),
}


FIGURES = {
    "rank_heat_map": Figure(
        lambda study: rank_heat_map(study.table("disagreement_ranks")),
        "Rank by one area against rank by another: expected number of models a cell over random orders of tied "
        "models, colours in powers of two, as in Flach & Kull 2015, figure 4 (left).",
    ),
    "quartile_tasks": Figure(
        lambda study: quartile_scatter(
            study.scores(study.settings["aggregation"]),
            study.table("disagreement_tasks"),
            study.settings["quartile_tasks"],
        ),
        "AUPRG against AUPR of the models of the two tasks at the lower and the upper quartile of the rank "
        "correlation within tasks, as in Flach & Kull 2015, figure 4 (right); the first three models by either "
        "area are orange.",
    ),
    "flip_pair_curves": Figure(
        _flip_pair_curves,
        "Flach & Kull 2015, figure 5: ROC, precision-recall and precision-recall-gain curves of the two models "
        "whose order by AUPR and AUPRG flips most clearly; yellow: recall below the prevalence, which AUPRG does "
        "not see; grey: below the minimum precision-recall curve; dashed: always positive.",
    ),
}
