"""The figures of `rare`: target metrics of the selected models, one by one and by the cost of a mistake."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import AREA_LABELS, MARGIN
from aucstudy.experiments.inputs import Study
from aucstudy.figures import charts

from .held_out import NATURAL, THINNED
from .rare import BEST, ITSELF, RANDOM, SAMPLED, TARGET_LABELS
from .rare_surface import EVERY

SHOWN_POSITIVES = 30
LABELS = {
    **AREA_LABELS, ITSELF: "target metric on the sample", "log_loss": "log loss", "brier": "Brier score",
}  # fmt: skip
SHOWN = ("aupr", "auprg", ITSELF, "log_loss")


def rare_selected_by(study: Study):
    return selected_by_chart(study.rows("rare", trained=THINNED, threshold=BEST))


def selected_by_chart(table: pd.DataFrame, titles: Mapping[float, str] = MappingProxyType({})):
    table = table[(table["n_models"] == table["n_models"].max()) & (table["n_groups"] > 1)]
    if table.empty:
        return "no cell of most models has two source groups"
    shown = SHOWN_POSITIVES if (table["positives"] == SHOWN_POSITIVES).any() else table["positives"].min()
    table = table[table["positives"] == shown]
    prevalences, targets = sorted(table["prevalence"].unique()), list(dict.fromkeys(table["target"]))
    figure, axes = charts.panels(1, len(prevalences), height=6.5, sharex=True, sharey=True, squeeze=False)
    looks = {selected_by: charts.series_look(i, markersize=3.5) for i, selected_by in enumerate(SHOWN)}
    y = -np.arange(len(targets), dtype=float)
    for axis, prevalence in zip(axes[0], prevalences, strict=True):
        panel = table[table["prevalence"] == prevalence].set_index(["selected_by", "target"])
        axis.axvspan(-100 * MARGIN, 100 * MARGIN, color="0.93", linewidth=0)
        axis.axvline(0, color="0.3", linewidth=0.7)
        for i, (selected_by, look) in enumerate(looks.items()):
            if selected_by in panel.index:
                rows = panel.loc[selected_by].reindex(targets)
                charts.across(axis, y + 0.27 - 0.18 * i, rows, estimate="difference", **look)
        # The numbers are in a column at the right, where no interval is drawn.
        column = {"ha": "right", "va": "center", "fontsize": charts.NOTE, "clip_on": False}
        axis.text(1, y[0] + 0.6, "random", transform=axis.get_yaxis_transform(), **column)
        for height, target in zip(y, targets, strict=True):
            if (RANDOM, target) in panel.index:
                random, n = panel.loc[(RANDOM, target), ["difference", "n_groups"]]
                note = f"{100 * random:.0f}".replace("-", "−") + f" ({n:.0f})"
                axis.text(1, height, note, transform=axis.get_yaxis_transform(), **column)
        axis.set_title(titles.get(prevalence, f"prevalence {prevalence:g}"))
    low, high = (100 * table.loc[table["selected_by"].isin(SHOWN), end] for end in ("low", "high"))
    lowest, highest = low.quantile(0.02) - 1, high.quantile(0.98) + 1
    axes[0, 0].set(xlim=(lowest, highest + 0.4 * (highest - lowest)), ylim=(y[-1] - 0.6, 0.8))
    charts.named_rows(axes[0], y, (TARGET_LABELS.get(target, target) for target in targets))
    chosen_on = f"samples with {shown} positives" if shown else "all selection rows"
    figure.supxlabel(
        f"target metric of the selected model minus that of AUROC's model (points), on {chosen_on}"
    )
    charts.legend_above(figure, {LABELS[selected_by]: look for selected_by, look in looks.items()})
    return figure


# The label of a net benefit is a power of the odds: a false positive undoes so much of a true one.
SWEEP = {
    "f1": "F1", "net:1": "0", "net:odds^.25": "¼", "net:sqrt": "½", "net:odds^.75": "¾", "net:odds": "1 (J)",
}  # fmt: skip
X = np.array([-0.5, 1, 2, 3, 4, 5])  # F1 is set apart, because it has no such power.
ROOM = 2.5  # points above and below the estimates; wider intervals are cut off
LOOKS = {THINNED: {"color": "#8C510A", "marker": "o"}, NATURAL: {"color": "#332288", "marker": "s"}}
THRESHOLDS = {BEST: "best threshold on\nthe test rows", SAMPLED: "threshold set on the\nselection rows"}


def rare_costs(study: Study):
    table = study.table("rare_surface")
    rows = table[(table["selected_by"] == "average_precision") & (table["learned"] == EVERY)]
    rows = rows[(rows["n_models"] == rows["n_models"].max()) & rows["target"].isin(SWEEP)]
    rows = rows[rows["positives"] == rows["positives"].min()]
    counts = rows.groupby("prevalence")["target"].count()
    prevalences = sorted(counts.index[counts >= len(SWEEP)])[-3:] or sorted(counts.index)
    size = {"height": 4.6, "sharex": True, "sharey": "row", "squeeze": False}
    figure, axes = charts.panels(len(THRESHOLDS), len(prevalences), **size)
    for (threshold, words), row in zip(THRESHOLDS.items(), axes, strict=True):
        for prevalence, axis in zip(prevalences, row, strict=True):
            axis.axhspan(-100 * MARGIN, 100 * MARGIN, color="0.93", linewidth=0)
            axis.axhline(0, color="0.3", linewidth=0.7)
            panel = rows[(rows["prevalence"] == prevalence) & (rows["threshold"] == threshold)]
            for trained, look in LOOKS.items():
                arm_rows = panel[panel["trained"] == trained].set_index("target").reindex([*SWEEP])
                f1, costs = arm_rows.iloc[:1], arm_rows.iloc[1:]
                band = 100 * costs["low"], 100 * costs["high"]
                axis.fill_between(X[1:], *band, color=look["color"], alpha=0.18, linewidth=0)
                axis.plot(X[1:], 100 * costs["difference"], markersize=3.5, **look)
                marks = {"estimate": "difference", "ends": ("low", "high"), "scale": 100, "markersize": 3.5}
                charts.upwards(axis, X[:1] + 0.12 * (-1) ** [*LOOKS].index(trained), f1, **marks, **look)
            axis.set_xticks(X, SWEEP.values())
        row[0].set_ylim(100 * rows["difference"].min() - ROOM, 100 * rows["difference"].max() + ROOM)
        row[0].set_ylabel(words)
    for axis, prevalence in zip(axes[0], prevalences, strict=True):
        axis.set_title(f"{100 * prevalence:g} % positives")
    figure.supylabel("AP's model minus AUROC's model (points)")
    figure.supxlabel("F1, or net benefit where a false positive undoes this power of the odds of a true one")
    learned = rows[rows["prevalence"].isin(prevalences)].groupby("trained")["n_training_positive"]
    labels = {
        trained: f"{trained} training ({lowest:.0f} to {highest:.0f} positives)"
        for (trained, lowest), highest in zip(learned.min().items(), learned.max(), strict=True)
    }
    charts.legend_above(figure, {labels[trained]: look for trained, look in LOOKS.items()})
    return figure
