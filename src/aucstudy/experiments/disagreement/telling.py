"""Figures of the disagreement experiment [Flach & Kull 2015, figure 4]."""

from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import BoundaryNorm

from aucstudy.area_names import AREA_LABELS, PAIR_LABELS
from aucstudy.experiments.disagreement.flip_curves import flip_figure
from aucstudy.experiments.disagreement.flip_pair import clearest_flip
from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.phrases import percent
from aucstudy.presentation.style import PAGE, SERIES_COLOURS, SERIES_MARKERS
from aucstudy.store.task_store import Predictions

FLIP_COLOUR = SERIES_COLOURS[2]

# across and up, as figure 4 of Flach & Kull 2015 has the first; AUCNPR ranks as AUPR does and has no panel
PAIRS_SHOWN = (("aupr", "auprg"), ("aupr", "auroc"), ("auprg", "auroc"))
QUARTILES = ("lower", "upper")


def rank_heat_map(heat: pd.DataFrame) -> plt.Figure:
    """Rank by one area against rank by another, expected number of models a cell, colours in powers of two.

    Parameters
    ----------
    heat : columns first, second, rank_first, rank_second, count.
    """
    size = int(heat["rank_first"].max())
    highest = max(1, int(np.ceil(np.log2(heat["count"].max()))))
    edges = np.concatenate([[0, 0.5], 2.0 ** np.arange(highest + 1)])
    norm = BoundaryNorm(edges, plt.get_cmap("viridis_r").N)
    figure, axes = plt.subplots(1, len(PAIRS_SHOWN), figsize=(PAGE, 2.45))
    places = np.arange(size + 1) + 0.5
    for axis, (horizontal, vertical) in zip(axes, PAIRS_SHOWN, strict=True):
        table = _cells(heat, horizontal, vertical, size)
        cells = np.ma.masked_equal(table, 0)
        mesh = axis.pcolormesh(places, places, cells, cmap="viridis_r", norm=norm, rasterized=True)
        axis.plot([0.5, size + 0.5], [0.5, size + 0.5], color="0.3", linewidth=0.5)
        axis.set(
            xlabel=f"rank by {AREA_LABELS[horizontal]}",
            ylabel=f"rank by {AREA_LABELS[vertical]}",
            aspect="equal",
            xticks=[1, *range(5, size + 1, 5)],
            yticks=[1, *range(5, size + 1, 5)],
        )
    bar = figure.colorbar(mesh, ax=axes, label=f"models ({table.sum():,.0f} a panel)", shrink=0.85, pad=0.01)
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
    scores: pd.DataFrame,
    by_task: pd.DataFrame,
    predictions: Callable[[str], Predictions],
    pinned: list[str] | None = None,
) -> plt.Figure:
    """AUPRG against AUPR of the models of the two quartile tasks in one panel [fig. 4], negative AUPRG left out.

    The two models of the lower quartile's task whose order flips most clearly are encircled.
    """
    figure, axis = plt.subplots(figsize=(PAGE, 3.3))
    pair = by_task[(by_task["first"] == "aupr") & (by_task["second"] == "auprg")].set_index("task_id")
    tasks = quartile_tasks(by_task, pinned)
    for task_id, quartile, colour, marker in zip(
        tasks, QUARTILES, SERIES_COLOURS, SERIES_MARKERS, strict=False
    ):
        models = scores[scores["task_id"] == task_id]
        drawn = models[models["auprg"] >= 0]
        is_best = drawn.index.isin(drawn.nlargest(3, "aupr").index.union(drawn.nlargest(3, "auprg").index))
        look = {"s": 18, "marker": marker, "edgecolor": colour, "linewidth": 0.8}
        title = f"{task_id}: {quartile} quartile, rank correlation {pair['rank_correlation'][task_id]:.3f}"
        left_out = len(models) - len(drawn)
        if left_out:
            title += f"\n({left_out} model{'s' * (left_out > 1)} with AUPRG < 0 not drawn)"
        axis.scatter(
            *drawn.loc[~is_best, ["aupr", "auprg"]].to_numpy().T, facecolor="none", label=title, **look
        )
        best = drawn.loc[is_best, ["aupr", "auprg"]].to_numpy().T
        axis.scatter(*best, facecolor=colour, label="its first three by either area", **look)
    flip = clearest_flip(scores[scores["task_id"] == tasks[0]], predictions)
    axis.scatter(
        flip["aupr"], flip["auprg"], s=90, facecolor="none", edgecolor=FLIP_COLOUR, linewidth=1.2,
        label=f"{tasks[0]}: the clearest flip" if len(flip) else None,
    )  # fmt: skip
    axis.set(xlabel="AUPR", ylabel="AUPRG", xlim=(0, 1.02), ylim=(0, 1.02), aspect="equal")
    axis.grid(True)
    figure.legend(*axis.get_legend_handles_labels(), loc="outside right center", labelspacing=1)
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
                f"{PAIR_LABELS[first, second]} pick another best model in {percent(best)} of "
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
        "over all pairs of a task with AUPRG >= 0, neither of them tied: more than half of its positives at a "
        "score that a negative has), or the pinned pair: their areas."
    ),
}


FIGURES = {
    "rank_heat_map": Figure(
        lambda study: rank_heat_map(study.table("disagreement_ranks")),
        "Rank by one area against rank by another: expected number of models a cell over random orders of tied "
        "models, colours in powers of two, as in Flach & Kull 2015, figure 4 (left). Every cell with a model is "
        "coloured and each panel holds all models; AUCNPR ranks exactly as AUPR within a task, so its panels would "
        "repeat those of AUPR.",
    ),
    "quartile_tasks": Figure(
        lambda study: quartile_scatter(
            study.scores(study.settings["aggregation"]),
            study.table("disagreement_tasks"),
            study.predictions,
            study.settings["quartile_tasks"],
        ),
        "AUPRG against AUPR of the models of the two tasks at the lower and the upper quartile of the rank "
        "correlation within tasks, as in Flach & Kull 2015, figure 4 (right). Filled: the first three models by "
        "either area; encircled: the two models of the lower quartile's task whose order by the two areas flips most "
        "clearly, neither of them tied (more than half of its positives at a score that a negative has).",
    ),
    "flip_pair_curves": Figure(
        _flip_pair_curves,
        "Flach & Kull 2015, figure 5: ROC, precision-recall and precision-recall-gain curves of the two models "
        "whose order by AUPR and AUPRG flips most clearly among those whose scores are not tied; yellow: recall below "
        "the prevalence, which AUPRG does not see; grey: below the minimum precision-recall curve; dashed: always "
        "positive.",
    ),
}
