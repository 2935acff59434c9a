"""Figures of ranks by two metrics, of the models of two tasks, and of the curves of one ranking change.

They follow the figures 4 and 5 of Flach & Kull 2015.
"""

from itertools import combinations

import numpy as np
import pandas as pd

from aucstudy.experiments.disagreement import clearest_flip, tasks_at_quartiles
from aucstudy.experiments.inputs import Study
from aucstudy.figures import charts
from aucstudy.metrics.curves import min_pr_curve, pr_curve, prg_curve, roc_curve
from aucstudy.metrics.registry import metric_named

MOST_NUMBERED = 10  # Up to so many ranks, each has its number.
MOST_RANKS = 30  # Up to so many ranks, every fifth has its number.
LENGTH = 12  # of an arrow, in points


def rank_heat_map(study: Study, *, metrics: list[str]):
    from matplotlib.colors import BoundaryNorm

    heat = study.table("disagreement_ranks")
    size = int(heat["rank_first"].max())
    highest = max(1, int(np.ceil(np.log2(heat["count"].max()))))
    edges = np.concatenate([[0, 0.5], 2.0 ** np.arange(highest + 1)])
    colours = charts.pyplot().get_cmap("viridis_r")
    look = {"cmap": colours, "norm": BoundaryNorm(edges, colours.N), "rasterized": True}
    entries = [metric_named(name) for name in metrics]
    label_of = {entry.key: entry.short_label for entry in entries}
    # A metric that ranks as another one of the study does has no panel.
    distinct_keys = [entry.key for entry in entries if entry.ranks_like not in label_of]
    pairs = list(combinations(distinct_keys, 2))
    if not pairs:
        return "all metrics of this study rank the models of a task alike"
    figure, axes = charts.panels(1, len(pairs), height=2.45, squeeze=False)
    # If there are very many ranks, the numbers of every fifth one would overlap.
    step = 1 if size <= MOST_NUMBERED else 5 * int(np.ceil(size / MOST_RANKS))
    cell_edges, ticks = np.arange(size + 1) + 0.5, sorted({1, *range(step, size + 1, step)})
    for axis, (horizontal, vertical) in zip(axes[0], pairs, strict=True):
        pair = heat[(heat["first"] == horizontal) & (heat["second"] == vertical)]
        table = np.zeros((size, size))
        table[pair["rank_second"] - 1, pair["rank_first"] - 1] = pair["count"]
        mesh = axis.pcolormesh(cell_edges, cell_edges, np.ma.masked_equal(table, 0), **look)
        axis.plot([0.5, size + 0.5], [0.5, size + 0.5], color="0.3", linewidth=0.5)
        axis.set(xlabel=f"rank by {label_of[horizontal]}", ylabel=f"rank by {label_of[vertical]}")
        axis.set(aspect="equal", xticks=ticks, yticks=ticks)
    bar = figure.colorbar(mesh, ax=axes, label=f"models ({table.sum():,.0f} a panel)", shrink=0.85, pad=0.01)
    bar.set_ticks(edges, labels=[f"{edge:g}" for edge in edges])
    return figure


def quartile_tasks(study: Study, *, quartile_tasks: list[str] | None, aggregation: str):
    pair = study.rows("disagreement_tasks", first="aupr", second="auprg").set_index("task_id")
    if pair["rank_correlation"].isna().all():
        return "in every task AUPR or AUPRG is the same for all models, so that no ranks correlate"
    scores = study.scores(aggregation)
    tasks = tasks_at_quartiles(pair["rank_correlation"], quartile_tasks)
    if (scores.loc[scores["task_id"].isin(tasks), "auprg"] < 0).all():
        return f"no model of the quartile tasks {' and '.join(tasks)} has AUPRG of at least 0"
    figure, axes = charts.panels(1, 2, height=3.3)
    for axis, task_id, quartile in zip(axes, tasks, ("lower", "upper"), strict=True):
        models = scores[scores["task_id"] == task_id]
        in_sight = models[models["auprg"] >= 0]
        best = in_sight.loc[in_sight.nlargest(3, "aupr").index.union(in_sight.nlargest(3, "auprg").index)]
        title = f"{task_id}\n{quartile} quartile, rank correlation {pair['rank_correlation'][task_id]:.3f}"
        if left_out := len(models) - len(in_sight):
            title += f"\n({left_out} model{'s' * (left_out > 1)} with AUPRG < 0 not drawn)"
        is_far_below = _far_below(in_sight["aupr"]) | _far_below(in_sight["auprg"])
        is_far_below &= ~in_sight.index.isin(best.index)
        near, far_below = in_sight[~is_far_below], in_sight[is_far_below]
        look = {"s": 18, "edgecolor": "black", "linewidth": 0.8, "clip_on": False}
        axis.scatter(near["aupr"], near["auprg"], facecolor="none", label="models", **look)
        label = "first three by either metric"
        axis.scatter(best["aupr"], best["auprg"], facecolor="black", label=label, **look)
        title += _arrows_to(axis, far_below, facecolor="none", **look)
        axis.set(xlabel="AUPR", ylabel="AUPRG", title=title)
        axis.locator_params(nbins=5)
        axis.grid(True)
    flip = clearest_flip(scores[scores["task_id"] == tasks[0]], study.predictions)
    look = {"s": 90, "facecolor": "none", "edgecolor": charts.SERIES_COLOURS[2], "linewidth": 1.2}
    encircled = {"label": "clearest change of order"} if len(flip) else {}
    axes[0].scatter(*_within_axes(axes[0], flip), **encircled, **look)
    charts.legend_above(figure, axis=axes[0])
    return figure


def _far_below(values: pd.Series) -> pd.Series:
    """Return whether each value lies so far below most others that it would squeeze them on an axis.

    Such values are at most a quarter of all. The gap between them and the others is wider than the range of
    the others.
    """
    if len(values) < 4:  # a quarter of fewer values is none; a task may have no model at all to draw
        return pd.Series(False, index=values.index)
    ascending = np.sort(values)
    gaps, ranges = np.diff(ascending), ascending[-1] - ascending[1:]
    squeezes = np.flatnonzero((gaps > ranges) & (ranges > 0))
    squeezes = squeezes[squeezes < len(values) // 4]
    return values <= (ascending[squeezes[-1]] if len(squeezes) else -np.inf)


def _within_axes(axis, models: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the AUPR and AUPRG of models, or the lowest value of an axis if they lie below it."""
    lowest = axis.get_xlim()[0], axis.get_ylim()[0]
    return np.maximum(models["aupr"], lowest[0]).to_numpy(), np.maximum(models["auprg"], lowest[1]).to_numpy()


def _arrows_to(axis, models: pd.DataFrame, **look: object) -> str:
    """Draw an arrow to each model that lies below the axes, and return a line for the title.

    Models that the axes hold after all are drawn with the given look.
    """
    if models.empty:
        return ""
    axis.margins(0.12)  # so that the arrows cover no other model
    limits, arrow = axis.axis(), {"arrowstyle": "-|>", "color": "black"}
    x, y = _within_axes(axis, models)
    left, below = (models["aupr"] < x).to_numpy(), (models["auprg"] < y).to_numpy()
    beyond = left | below
    for k in np.flatnonzero(beyond):
        tail = LENGTH * left[k], LENGTH * below[k]
        axis.annotate("", (x[k], y[k]), tail, textcoords="offset points", arrowprops=arrow)
    axis.scatter(x[~beyond], y[~beyond], **look)
    axis.axis(limits)
    if beyond.sum() == 1:
        model = models[beyond].iloc[0]
        return f"\n(arrow: a model with AUPR {model['aupr']:.3f}, AUPRG {model['auprg']:.3f})"
    return f"\n(arrows: {beyond.sum()} models beyond the axes)" if beyond.any() else ""


def flip_pair_curves(study: Study):
    pair = study.rows("flip_pair")
    predictions = study.predictions(pair["task_id"].iloc[0])
    figure, (roc_axis, pr_axis, prg_axis) = charts.panels(1, 3, height=3.15)
    y, pi = predictions.y_true, predictions.y_true.mean()
    for row, colour, width in zip(pair.itertuples(), charts.SERIES_COLOURS[:2], (1.4, 1.8), strict=True):
        look = {"color": colour, "linewidth": width}
        scores = predictions.scores[:, predictions.run_ids.index(row.run_id)]
        roc, pr = roc_curve(y, scores), pr_curve(y, scores, points_per_segment=20)
        gain = prg_curve(y, scores, from_zero=True)
        label = f"{row.flow_name}: AUROC {row.auroc:.3f}, AUPR {row.aupr:.3f}, AUPRG {row.auprg:.3f}"
        roc_axis.plot(roc.fpr, roc.tpr, label=label, **look)
        pr_axis.plot(pr.recall, pr.precision, **look)
        prg_axis.plot(gain.recall_gain, gain.precision_gain, **look)
    minimum = min_pr_curve(pi)
    pr_axis.axvspan(0, pi, color="#F0E442", alpha=0.5, linewidth=0)
    pr_axis.text(pi / 2, 1.03, "not in AUPRG", ha="center", va="bottom", fontsize=charts.NOTE)
    pr_axis.fill_between(minimum.recall, minimum.precision, color="0.85", linewidth=0)
    for axis, ends in ((roc_axis, (0, 1)), (pr_axis, (pi, pi)), (prg_axis, (0, 0))):
        axis.plot((0, 1), ends, color="0.5", linewidth=0.8, linestyle="--")
        axis.set(xlim=(0, 1.01), ylim=(0, 1.02), aspect="equal", xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
    roc_axis.set(xlabel="false positive rate", ylabel="true positive rate")
    pr_axis.set(xlabel="recall", ylabel="precision")
    prg_axis.set(xlabel="recall gain", ylabel="precision gain")
    title = f"task {predictions.task_id}, prevalence {pi:.3f}"
    figure.legend(loc="outside upper left", title=title, alignment="left")
    return figure
