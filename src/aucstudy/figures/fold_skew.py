"""Figures of what folds with unequal class ratios do to means of metrics."""

from collections.abc import Sequence

import pandas as pd

from aucstudy.experiments.compared import CLIPPED
from aucstudy.experiments.fold_skew import CHOICE, MEAN, MEAN_MOVED, MEAN_NORMALISED, MOVED, OTHER
from aucstudy.experiments.inputs import Study
from aucstudy.figures import charts

# AUPRG is drawn clipped, because single folds decide a mean of signed AUPRG.
DRAWN = {
    "aupr": ("AUPR", charts.area_look("aupr")),
    "aucnpr": ("AUCNPR", charts.area_look("aucnpr")),
    MOVED: ("AUPR at one prevalence", charts.area_look("aupr", variant=True)),
    CLIPPED: ("AUPRG, clipped", charts.area_look("auprg", variant=True)),
    "auroc": ("AUROC", charts.area_look("auroc")),
}


def fold_skew(study: Study):
    table = study.rows("fold_skew", known=["spread"])
    if table["skewed"].isna().all():
        return "no fold of any task has both classes"
    effects = {
        "error": "fold mean minus\nmerged value (points)",
        "size in model SDs": "size of the error\n(% of the models' SD)",
        "winner changes": "divisions whose best\nmodel changes (%)",
    }
    sides = {
        "skewed folds": ["skewed", "skewed_low", "skewed_high"],
        "control": ["control", "control_low", "control_high"],
        "skewed minus control": ["difference", "low", "high"],
    }
    figure, axes = charts.panels(3, 3, height=6.6, sharex=True, sharey="row")
    for axis_row, (effect, label) in zip(axes, effects.items(), strict=True):
        axis_row[0].set_ylabel(label)
        rows = table[table["effect"] == effect]
        lines = [(*look, rows[rows["area"] == area]) for area, look in DRAWN.items()]
        for axis, columns in zip(axis_row, sides.values(), strict=True):
            _lines(axis, lines, columns)
    for axis, title in zip(axes[0], sides, strict=True):
        axis.set_title(title)
    return _of_spreads(figure, axes[0, 0], columns=5)


def fold_skew_aggregates(study: Study):
    table = study.rows("fold_skew_aggregates", known=["spread"], area="aupr", standard=OTHER)
    if table["difference"].isna().all():
        return "no fold of any half of a task has both classes"
    effects = {
        "distance": "distance to the\nother half's AUPR",
        "winner changes": "divisions whose best model is\nnot the other half's",
        CHOICE: "other half's AUPR\nof the best model",
    }
    means = {MEAN: "aupr", MEAN_NORMALISED: "aucnpr", MEAN_MOVED: MOVED}
    figure, axes = charts.panels(1, 3, height=2.9, sharex=True)
    for axis, (effect, title) in zip(axes, effects.items(), strict=True):
        rows = table[table["effect"] == effect]
        lines = [
            (f"mean {DRAWN[area][0]}", DRAWN[area][1], rows[rows["aggregate"] == mean])
            for mean, area in means.items()
        ]
        _lines(axis, lines, ["difference", "low", "high"])
        axis.set_title(title)
    axes[0].set_ylabel("mean minus pooling (points)")
    return _of_spreads(figure, axes[0])


def _of_spreads(figure, axis, **options: int):
    figure.supxlabel("variance of the folds' prevalence, share of the largest possible")
    charts.legend_above(figure, axis=axis, **options)
    return figure


def _lines(axis, lines: Sequence[tuple[str, dict, pd.DataFrame]], columns: list[str]) -> None:
    marks = {"linewidth": 0.8, "markersize": 3, "markeredgewidth": 0.7, "elinewidth": 0.7}
    series = [(label, {**look, **marks}, rows.sort_values("spread")) for label, look, rows in lines]
    spreads = [f"{spread:g}" for spread in series[-1][2]["spread"]]
    ends = {"estimate": columns[0], "ends": columns[1:], "scale": 100}
    charts.series_upwards(axis, series, spreads, reach=0.25, **ends)
    axis.axhline(0, color="0.4", linewidth=0.6)
