"""Figure 5 of Flach & Kull 2015: ROC, PR and PRG curves of two models whose order by AUPR and AUPRG flips."""

import matplotlib.pyplot as plt
import pandas as pd

from aucstudy.metrics.curves import min_pr_curve, pr_curve, prg_curve, roc_curve
from aucstudy.presentation.style import NOTE, PAGE, SERIES_COLOURS, nothing_drawn
from aucstudy.store.task_store import Predictions

TICKS = (0, 0.5, 1)
LOOKS = ({"color": SERIES_COLOURS[0]}, {"color": SERIES_COLOURS[1], "linewidth": 1.8})


def flip_figure(pair: pd.DataFrame, predictions: Predictions | None) -> plt.Figure:
    """The curves of both models; the recalls that AUPRG does not see are shaded.

    Parameters
    ----------
    pair : the two rows of the table flip_pair.csv.
    predictions : those of its task; None where no pair flips and there is nothing to draw.
    """
    if predictions is None:
        return nothing_drawn("AUPR and AUPRG order every pair of untied models alike.")
    figure, (roc_axis, pr_axis, prg_axis) = plt.subplots(1, 3, figsize=(PAGE, 3.15))
    y = predictions.y_true
    pi = y.mean()
    for look, row in zip(LOOKS, pair.itertuples(), strict=True):
        scores = predictions.scores[:, predictions.run_ids.index(row.run_id)]
        roc, pr = roc_curve(y, scores), pr_curve(y, scores, points_per_segment=20)
        gain = prg_curve(y, scores, from_zero=True)
        label = f"{row.flow_name}: AUROC {row.auroc:.3f}, AUPR {row.aupr:.3f}, AUPRG {row.auprg:.3f}"
        roc_axis.plot(roc.fpr, roc.tpr, label=label, **look)
        pr_axis.plot(pr.recall, pr.precision, **look)
        prg_axis.plot(gain.recall_gain, gain.precision_gain, **look)
    roc_axis.plot([0, 1], [0, 1], color="0.7", linewidth=0.7)
    minimum = min_pr_curve(pi)
    pr_axis.axvspan(0, pi, color="#F0E442", alpha=0.5, linewidth=0)
    pr_axis.text(pi / 2, 1.03, "not in AUPRG", ha="center", va="bottom", fontsize=NOTE)
    pr_axis.axhline(pi, color="0.5", linewidth=0.8, linestyle="--")
    pr_axis.fill_between(minimum.recall, minimum.precision, color="0.85", linewidth=0)
    prg_axis.axhline(0, color="0.5", linewidth=0.8, linestyle="--")
    roc_axis.set(xlabel="false positive rate", ylabel="true positive rate")
    pr_axis.set(xlabel="recall", ylabel="precision")
    prg_axis.set(xlabel="recall gain", ylabel="precision gain")
    for axis in (roc_axis, pr_axis, prg_axis):
        axis.set(xlim=(0, 1.01), ylim=(0, 1.02), aspect="equal", xticks=TICKS, yticks=TICKS)
    figure.legend(
        loc="outside upper left", title=f"task {predictions.task_id}, prevalence {pi:.3f}", alignment="left"
    )
    return figure
