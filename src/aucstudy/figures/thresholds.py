"""The figure of the F_beta that thresholds reach on held-out folds, and of what F-calibration gains."""

import numpy as np

from aucstudy.experiments.inputs import Study
from aucstudy.experiments.thresholds import BETAS, THRESHOLDS
from aucstudy.figures import charts

RULE_LABELS = ("default", "probability 1/2", "F-calibrated", "searched", "hindsight")
RIVALS = {
    "isotonic_same": "F-calibrated minus isotonic at $1/(1+\\beta^2)$",
    "isotonic_plug_in": "F-calibrated minus isotonic at $F^*/(1+\\beta^2)$",
}
# The number of calibration rows, and the odds on the test rows over those on the calibration rows.
CONDITIONS = {
    "all rows, odds 1": "all", "200 rows, odds 1": "200", "50 rows, odds 1": "50",
    "all rows, odds 0.25": "all,\nodds × 1/4", "all rows, odds 4": "all,\nodds × 4",
}  # fmt: skip


def thresholds_reached(study: Study):
    tasks = study.table("thresholds_tasks")
    means, cases = (
        study.numbers("thresholds", quantity=quantity)
        for quantity in ("F_beta", "F_beta of calibrated scores")
    )
    figure, ((left_axis, right), rivals) = charts.panels(2, 2, height=5.2, height_ratios=[1.3, 1])
    heights = np.arange(len(THRESHOLDS))[::-1]
    looks = {f"$\\beta$ = {beta:g}": charts.series_look(i, linestyle="none") for i, beta in enumerate(BETAS)}
    for beta, shift, look in zip(BETAS, (-0.22, 0, 0.22), looks.values(), strict=True):
        beta_rows = means[means["at"] == beta].set_index("setting")
        charts.across(left_axis, heights - shift, beta_rows.loc[list(THRESHOLDS)], **look)
        for height, rule in zip(heights - shift, THRESHOLDS, strict=True):
            if rule != "searched":
                minus = tasks.loc[(tasks["beta"] == beta) & (tasks["rule"] == rule), "minus_searched"]
                ends = 100 * minus.quantile([0.05, 0.25, 0.5, 0.75, 0.95]).to_numpy()
                right.hlines(height, ends[0], ends[4], color=look["color"], linewidth=0.8)
                right.hlines(height, ends[1], ends[3], color=look["color"], linewidth=3)
                right.plot(ends[2], height, **look, markeredgecolor="white", markeredgewidth=0.5)
        for axis, against in zip(rivals, RIVALS, strict=True):
            rows = cases[(cases["second"] == against) & (cases["at"] == beta)].set_index("setting")
            drawn_conditions = [condition for condition in CONDITIONS if condition in rows.index]
            x = [list(CONDITIONS).index(condition) + shift for condition in drawn_conditions]
            charts.upwards(axis, x, rows.loc[drawn_conditions], scale=100, **look)
    charts.named_rows(left_axis, heights, RULE_LABELS)
    left_axis.set(xlabel="$F_\\beta$ on held-out folds (points)", title="mean over tasks")
    right.set(xlabel="$F_\\beta$ minus that at the searched threshold (points)", title="spread over tasks")
    right.sharey(left_axis)
    right.tick_params(axis="y", length=0, labelleft=False)
    right.axvline(0, color="0.3", linewidth=0.7)
    for axis, title in zip(rivals, RIVALS.values(), strict=True):
        axis.axhline(0, color="0.3", linewidth=0.7)
        axis.set(title=title, xlabel="calibration rows, odds of the test rows")
        axis.set_xticks(range(len(CONDITIONS)), CONDITIONS.values())
    rivals[0].set_ylabel("difference of $F_\\beta$ (points)")
    charts.legend_above(figure, looks)
    return figure
