"""Figures of what folds with unequal class ratios do to means of metrics."""

from collections.abc import Sequence

import pandas as pd

from aucstudy.experiments.compared import CLIPPED
from aucstudy.experiments.fold_skew import CHOICE, MEAN, MEAN_MOVED, MEAN_NORMALISED, MOVED, OTHER, POOLED
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


EFFECTS_DRAWN = {
    "error": "fold mean minus\nmerged value (points)",
    "size in model SDs": "size of the error\n(% of the models' SD)",
    "winner changes": "divisions whose best\nmodel changes (%)",
}
SIDES = {"skewed folds": "", "control": " of the control", "skewed minus control": " minus the control"}


def fold_skew(study: Study):
    skewed = study.numbers("fold_skew", quantity=[*EFFECTS_DRAWN], known=["at"], second="")
    if skewed["estimate"].isna().all():
        return "no fold of any task has both classes"
    figure, axes = charts.panels(3, 3, height=6.6, sharex=True, sharey="row")
    for axis_row, (effect, label) in zip(axes, EFFECTS_DRAWN.items(), strict=True):
        axis_row[0].set_ylabel(label)
        for axis, side in zip(axis_row, SIDES.values(), strict=True):
            rows = study.numbers("fold_skew", quantity=effect + side, known=["at"], second="")
            _lines(axis, [(*look, rows[rows["first"] == area]) for area, look in DRAWN.items()])
    for axis, title in zip(axes[0], SIDES, strict=True):
        axis.set_title(title)
    return _of_spreads(figure, axes[0, 0], columns=5)


def fold_skew_aggregates(study: Study):
    effects = {
        "distance": "distance to the\nother half's AUPR",
        "winner changes": "divisions whose best model is\nnot the other half's",
        CHOICE: "other half's AUPR\nof the best model",
    }
    means = {MEAN: "aupr", MEAN_NORMALISED: "aucnpr", MEAN_MOVED: MOVED}
    over_pooling = {"target": OTHER, "second": POOLED, "known": ["at"]}
    tables = [study.numbers("fold_skew", quantity=f"aupr: {effect}", **over_pooling) for effect in effects]
    if all(rows["estimate"].isna().all() for rows in tables):
        return "no fold of any half of a task has both classes"
    figure, axes = charts.panels(1, 3, height=2.9, sharex=True)
    for axis, rows, title in zip(axes, tables, effects.values(), strict=True):
        lines = [
            (f"mean {DRAWN[area][0]}", DRAWN[area][1], rows[rows["first"] == mean])
            for mean, area in means.items()
        ]
        _lines(axis, lines)
        axis.set_title(title)
    axes[0].set_ylabel("mean minus pooling (points)")
    return _of_spreads(figure, axes[0])


def _of_spreads(figure, axis, **options: int):
    figure.supxlabel("variance of the folds' prevalence, share of the largest possible")
    charts.legend_above(figure, axis=axis, **options)
    return figure


def _lines(axis, lines: Sequence[tuple[str, dict, pd.DataFrame]]) -> None:
    marks = {"linewidth": 0.8, "markersize": 3, "markeredgewidth": 0.7, "elinewidth": 0.7}
    series = [(label, {**look, **marks}, rows.sort_values("at")) for label, look, rows in lines]
    spreads = [f"{spread:g}" for spread in series[-1][2]["at"]]
    charts.series_upwards(axis, series, spreads, reach=0.25, scale=100)
    axis.axhline(0, color="0.4", linewidth=0.6)
