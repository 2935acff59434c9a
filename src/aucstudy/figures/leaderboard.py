"""How far each model lies behind the one ahead, a panel a measure."""

from aucstudy.area_names import AREA_LABELS
from aucstudy.experiments.inputs import Study
from aucstudy.experiments.leaderboard import NO, NOT_COMPARED, YES
from aucstudy.figures import charts
from aucstudy.statistics.intervals import FEWEST_GROUPS

MOST_PANELS = 4  # side by side


def leaderboard(study: Study):
    table = study.rows("leaderboard")
    if (table["may_be_best"] == NOT_COMPARED).all():
        return f"no two models share tasks of {FEWEST_GROUPS} source groups"
    measures = list(dict.fromkeys(table["measure"]))
    models = table.loc[table["measure"] == measures[0], "model"].tolist()
    columns = min(len(measures), MOST_PANELS)
    lines = -(-len(measures) // columns)
    height = lines * (0.2 * len(models) + 0.55) + 0.4
    figure, axes = charts.panels(lines, columns, height=height, sharey=True, squeeze=False)
    y = {model: len(models) - i for i, model in enumerate(models)}
    looks = {YES: ("may be best", "black"), NO: ("excluded as best", "white")}
    ends = -table[["lead", "lead_low"]].set_axis(["low", "high"], axis=1)
    distances = table.assign(behind=-table["lead"], **ends)
    for axis, measure in zip(axes.flat, measures, strict=False):
        axis.axvline(0, color=charts.MUTED, linewidth=0.8)
        for verdict, (_, face) in looks.items():
            rows = distances[(distances["measure"] == measure) & (distances["may_be_best"] == verdict)]
            look = {"color": "black", "markerfacecolor": face, "markersize": 4}
            charts.across(axis, rows["model"].map(y), rows, estimate="behind", scale=1, **look)
        axis.set_title(AREA_LABELS.get(measure, measure))
        axis.grid(True, axis="x")
        axis.locator_params(axis="x", nbins=4)
        axis.set_ylim(0.4, len(models) + 0.6)
    for axis in axes.flat[len(measures) :]:
        axis.set_visible(False)
    for line in axes:
        charts.named_rows(line, y.values(), y)
    mark = {"marker": "o", "linestyle": "none", "color": "black"}
    charts.legend_above(figure, {name: {"markerfacecolor": face, **mark} for name, face in looks.values()})
    figure.supxlabel("behind the model ahead, mean over source groups", fontsize="medium")
    return figure
