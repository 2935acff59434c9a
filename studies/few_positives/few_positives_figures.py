"""The figure of `few_positives`: F1 gained over a random model, by selection metric and threshold."""

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from aucstudy.experiments.compared import AREA_LABELS
from aucstudy.experiments.inputs import Study
from aucstudy.figures import charts

from .few_positives_tables import ITSELF, METRICS, ONE, OTHER, POOLED, SAME, WHOLE

TARGET = "f1"
LABELS: Mapping[str, str] = MappingProxyType({
    **AREA_LABELS, "log_loss": "log loss", "brier": "Brier score", "mcc": "MCC", "f1": "F1",
    ITSELF: "the target itself",
})  # fmt: skip
LOOKS = {
    SAME: {"color": "#8C510A", "marker": "s", "markersize": 3.5},
    OTHER: {"color": "#332288", "marker": "o", "markersize": 3.5},
}
IN_WORDS = {SAME: "threshold set on the same rows", OTHER: "threshold set on as many other rows"}


def few_positives_gain(study: Study):
    table = study.rows("few_positives", chosen_on=ONE, target=TARGET, outcomes="all")
    table = table[table["threshold"].isin(LOOKS) & (table["positives"] != WHOLE)]
    # `the target itself` is F1 here, so its row would repeat that of F1.
    metrics = [name for name in METRICS if name != ITSELF]
    table = shown_cells(table[table["selected_by"].isin(metrics)])
    if table.empty:
        return "no cell has source groups enough on both sides"
    numbers = sorted(table["positives"].unique())
    figure, axes = charts.panels(1, len(numbers), height=3.6, sharex=True, sharey=True, squeeze=False)
    y = pd.Series(range(0, -len(metrics), -1), metrics, dtype=float)
    for axis, positives in zip(axes[0], numbers, strict=True):
        panel = table[table["positives"] == positives]
        for shift, (threshold, look) in zip((0.14, -0.14), LOOKS.items(), strict=True):
            rows = panel[panel["threshold"] == threshold].set_index("selected_by")
            rows = rows.assign(low=rows["gain_low"], high=rows["gain_high"])
            charts.across(axis, y[rows.index] + shift, rows, estimate="gain", **look)
        axis.axvline(0, color="0.3", linewidth=0.7, zorder=0)
        axis.set_title(f"{positives:g} positives, {panel['n_groups'].max():g} source groups")
    charts.named_rows(axes[0], y, (LABELS[name] for name in metrics))
    figure.supxlabel("F1 gained over a random model (points)")
    charts.legend_above(figure, {IN_WORDS[threshold]: look for threshold, look in LOOKS.items()})
    return figure


def shown_cells(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the first set of candidates, at one prevalence.

    This is all bands together, or else the prevalence with the most source groups.
    """
    if table.empty:
        return table
    table = table[table["candidates"] == table["candidates"].iloc[0]]
    if (table["prevalence"] == POOLED).any():
        return table[table["prevalence"] == POOLED]
    most = table.groupby("prevalence")["n_groups"].sum().idxmax()
    return table[table["prevalence"] == most]
