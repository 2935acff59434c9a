"""Figure of flows fitted again on cut training sets [Boyd et al. 2012, table 3]."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.phrases import between
from aucstudy.presentation.style import PAGE, SERIES_COLOURS, SERIES_MARKERS, nothing_drawn
from aucstudy.published.boyd_tables import printed_table

EFFECTS = {
    "test skew": "skew of the test set",
    "after moving": "left after moving back",
    "after correction": "left after correction",
    "ranking": "ranking: skew of training",
}


def refitting_figure(table: pd.DataFrame, table_3: pd.DataFrame, printed: pd.DataFrame) -> plt.Figure:
    """Left: AUPR by ratio minus that without cutting, each flow and the printed AUCPR; right: the difference's parts.

    Parameters
    ----------
    table, table_3 : as `refitting_table` and `refitting_table_3` of `experiments.refitting` give them.
    printed : the paper's table 3: test_set, negatives_per_positive, aucpr.
    """
    if table_3.empty:
        return nothing_drawn("No task admits every ratio: no flow was fitted again.")
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 3.8))
    ratios = list(table_3["ratio"].drop_duplicates())
    flows = list(table_3.groupby("flow_name", sort=False))
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.85, len(flows)))
    for i, (flow, of_flow) in enumerate(flows):
        of_flow = of_flow.set_index("ratio").reindex(ratios)
        whole = of_flow["aupr_original"].iloc[-1]
        for column, style, label in (("aupr_downsampled", "-", flow), ("aupr_original", "--", None)):
            axes[0].plot(
                ratios, of_flow[column] - whole, style, marker=SERIES_MARKERS[i % len(SERIES_MARKERS)], linewidth=1,
                color=colours[i], label=label,
            )  # fmt: skip
    _printed(axes[0], printed, ratios)
    tasks = int(table_3["n_tasks"].max())
    axes[0].set(ylabel=f"AUPR minus that without cutting,\nmean of {tasks} task{'s' * (tasks > 1)}")
    axes[0].set_title("solid: test set cut like training, dashed: whole test set")
    of_flow = table[table["area"] == "aupr"]
    for i, ((effect, label), colour) in enumerate(zip(EFFECTS.items(), SERIES_COLOURS, strict=False)):
        rows = of_flow[of_flow["effect"] == effect]
        bars = np.abs(rows[["low", "high"]].to_numpy().T - rows["difference"].to_numpy())
        axes[1].errorbar(np.arange(len(rows)) + (i - 1.5) * 0.12, rows["difference"], bars, linewidth=1,
                         marker=SERIES_MARKERS[i], color=colour, elinewidth=0.8, label=label)  # fmt: skip
    axes[1].set(ylabel="difference of AUPR", title="what the differences are made of")
    axes[1].set_xticks(range(of_flow["ratio"].nunique()), of_flow["ratio"].drop_duplicates())
    for axis in axes:
        axis.axhline(0, color="0.4", linewidth=0.6)
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2, columnspacing=1)
        axis.set_xlabel("positives : negatives in training")
        axis.grid(True, axis="y")
    return figure


def _printed(axis: plt.Axes, printed: pd.DataFrame, ratios: list[str]) -> None:
    """The paper's AUCPR, each minus its own at the original ratio of 1:24."""
    for test_set, style in (("downsampled", "-"), ("original", "--")):
        rows = printed[printed["test_set"] == test_set].set_index("negatives_per_positive")
        values = rows["aucpr"].astype(float)
        shown = [(ratio, values[int(ratio.split(":")[1])] - values[24]) for ratio in ratios[:-1]
                 if int(ratio.split(":")[1]) in values]  # fmt: skip
        places, differences = zip(*[*shown, (ratios[-1], 0.0)], strict=True)
        axis.plot(places, differences, style, color="black", linewidth=2, zorder=0,
                  label="printed: SAYU, UW-CSE" if test_set == "downsampled" else None)  # fmt: skip


QUESTION = "And if training sets are cut too?"


def findings(study: Study) -> list[str]:
    """Training sets cut too: what is the test set's skew, what the ranking's?"""
    table = study.table("refitting")
    if table.empty:
        return []
    nearest = table["ratio"].iloc[0]
    rows = table[(table["ratio"] == nearest) & (table["area"] == "aupr")].set_index("effect")
    roc = table[(table["ratio"] == nearest) & (table["area"] == "auroc")].set_index("effect")
    return [
        f"With the flows fitted again at {nearest} ({int(rows['n_tasks'].iloc[0])} tasks), the skew of the test set "
        f"moves AUPR by {between(rows.loc['test skew'])}; moved back it is off by "
        f"{between(rows.loc['after moving'], 3)}, corrected by {between(rows.loc['after correction'], 3)}.",
        f"Apart from that the ranking itself changes: on the original test set AUPR is {between(rows.loc['ranking'])} "
        f"against training on everything, AUROC {between(roc.loc['ranking'], 3)}. No transformation "
        "can undo this part.",
    ]


TABLES = {
    "refitting": (
        "Training sets cut to a ratio and the flows fitted again: what the skew of the test set does to the area "
        "of one model, what is left after moving it back, and what the training skew does to the ranking; 95 % "
        "interval over source groups."
    ),
    "refitting_table_3": (
        "Boyd et al. 2012, table 3, in its layout: areas of refitted flows on the downsampled and on the original "
        "test set, means over tasks, with the standard deviation over draws of the training negatives."
    ),
    "refitting_tasks": (
        "For each task, ratio, flow and draw of training negatives: the areas on the downsampled and on the "
        "original test set, moved and corrected; empty where a flow failed."
    ),
}


FIGURES = {
    "refitting": Figure(
        lambda study: refitting_figure(
            study.table("refitting"), study.table("refitting_table_3"), printed_table(3)
        ),
        "Table 3 of Boyd et al. 2012 with several flows. Left: AUPR of flows fitted on cut training sets, on a test "
        "set cut alike (solid) and on the whole one (dashed), each minus that of the same flow where nothing is cut; "
        "so the printed AUCPR, of another task and learner, can stand beside them as changes, not as levels. Right: "
        "the parts of the difference, with 95 % intervals over source groups.",
    ),
}
