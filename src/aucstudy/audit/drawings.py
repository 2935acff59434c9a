"""The Plotly figures of an audit's page. Plotly reads names as markup, so they are escaped."""

import math
from collections.abc import Mapping
from html import escape
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from aucstudy.audit.curves import RECALLS, SPACES, bands, rates, thinned_curve
from aucstudy.audit.rankings import of_each
from aucstudy.metrics.curves import min_pr_curve
from aucstudy.printable import shortened
from aucstudy.statistics.ranks import average_ranks

if TYPE_CHECKING:
    from aucstudy.audit.analysis import Analysis
    from aucstudy.audit.metric_tables import MetricTable

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")  # Okabe and Ito
DASHES = {"solid": "", "dash": "6 3", "dot": "2 2", "dashdot": "6 2 2 2", "longdash": "10 4"}  # as in SVG
SHADE, GUIDE = "rgba(120,120,120,.35)", {"color": "#777", "width": 1, "dash": "dot"}
LONGEST_NAME = 40  # characters of a name in a plot
HOVERED = ("recall", "precision", "recall gain", "precision gain")
MOST_CURVES = 100  # models with a curve, which limits the size of the page
# The largest numbers of cells on a side of a heat map: at all, and with the counts written in the cells.
MOST_CELLS, MOST_WRITTEN = 60, 12
HOVER_OF_CELL = "%{xaxis.title.text}: %{x}<br>%{yaxis.title.text}: %{y}<br>%{text} models<extra></extra>"
MOST_PAIRS = 50  # pairs of metrics in the menu


def drawn_models(analysis: "Analysis") -> list[str]:
    """Return the names of the models to draw, with the best first.

    They are the first model by each metric, and as many others as MOST_CURVES allows.
    """
    leaders, shown = analysis.contenders.groupby("metric")["model"].first(), analysis.shown_models
    drawn = set(list(dict.fromkeys([*leaders, *shown]))[:MOST_CURVES])
    return [model for model in shown if model in drawn]


def style(position: int) -> dict[str, str]:
    """Return the line style of a model from its place among the drawn models.

    Neighbours differ in both colour and dashes, and 35 models all have different styles.
    """
    dashes = list(DASHES)
    return {"color": COLOURS[position % len(COLOURS)], "dash": dashes[position % len(dashes)]}


def curve_figures(analysis: "Analysis", *, thresholds: bool) -> dict[str, go.Figure]:
    """Return a figure for each of SPACES.

    The `meta` of a trace is the place of its model among the drawn models.
    """
    sample, operating_points = analysis.sample, analysis.operating_points
    weight = sample.weights()
    prevalence = float(weight[sample.y_true].sum() / weight.sum())
    limits = bands(sample, analysis.question.seed)
    traces = {space: _guides(space, prevalence) for space in SPACES}

    def curve_of(name: str) -> dict[str, dict[str, np.ndarray]]:
        scores = sample.scores[:, analysis.models.get_loc(name)]
        return thinned_curve(sample.y_true, scores, sample.weight)

    models = drawn_models(analysis)
    curves = of_each(curve_of, models, sample.scores.size)
    for i, (name, curve) in enumerate(zip(models, curves, strict=True)):
        look, line = {"meta": i, "name": _name(name), "showlegend": False}, style(i)
        if limits is not None:
            low, high = (rates(RECALLS, rate, prevalence) for rate in limits[analysis.models.get_loc(name)])
        if operating_points is not None:
            recall, rate = operating_points.loc[[name]].to_numpy().T
            point = rates(recall, rate, prevalence)
        for space, axes in SPACES.items():
            if limits is not None:
                x, y = (np.r_[low[axis], high[axis][::-1]] for axis in axes)
                traces[space].append(look | _band(x, y, line["color"]))
            traces[space].append(look | _curve(curve[space], *axes, line, thresholds=thresholds))
            if operating_points is not None:
                traces[space].append(
                    look | _mark(point, *axes, line["color"], analysis.question.target_metric)
                )
    return {space: go.Figure(traces[space], _curve_layout(*axes)) for space, axes in SPACES.items()}


def _guides(space: str, prevalence: float) -> list[dict[str, Any]]:
    ends = {"pr": [prevalence, prevalence], "prg": [1, 0], "roc": [0, 1]}[space]
    guides = [{"x": [0, 1], "y": ends, "line": GUIDE}]
    if space == "pr":
        unreachable = min_pr_curve(prevalence)
        x, y = unreachable.recall.round(3), unreachable.precision.round(4)
        guides.append({"x": x, "y": y, "line_width": 0, "fill": "tozeroy", "fillcolor": SHADE})
    return [{**guide, "mode": "lines", "hoverinfo": "skip", "showlegend": False} for guide in guides]


def _band(x: np.ndarray, y: np.ndarray, colour: str) -> dict[str, Any]:
    shade = {"fill": "toself", "fillcolor": f"{colour}22", "line_width": 0}
    return {**_packed(x=x, y=y), **shade, "mode": "lines", "hoverinfo": "skip"}


def _mark(
    point: Mapping[str, np.ndarray], x: str, y: str, colour: str, target_metric: str | None
) -> dict[str, Any]:
    marker = {"symbol": "diamond", "size": 11, "color": colour, "line": {"color": "#fff", "width": 1}}
    hover = _hover({key: f"{point[key][0]:.3f}" for key in HOVERED}, f" for {target_metric}")
    return {"x": point[x], "y": point[y], "mode": "markers", "marker": marker, "hovertemplate": hover}


def _curve(
    points: Mapping[str, np.ndarray], x: str, y: str, line: Mapping[str, str], *, thresholds: bool
) -> dict[str, Any]:
    """Return the trace of a curve, with the text that appears when a pointer is on it."""
    keys = dict.fromkeys([*HOVERED, x])
    others = [key for key in keys if key not in (x, y)]
    templates = {x: "%{x:.3f}", y: "%{y:.3f}"}
    templates |= {key: f"%{{customdata[{k}]:.3f}}" for k, key in enumerate(others)}
    shown = {key: templates[key] for key in keys}
    texts = {}
    if thresholds:
        shown = {"threshold": "%{text}", **shown}
        texts = {"text": [_threshold(value) for value in points["threshold"]]}
    customdata = np.stack([points[key] for key in others], axis=1)
    return {
        **_packed(x=points[x], y=points[y], customdata=customdata),
        **texts,
        "mode": "lines",
        "line": {**line, "width": 2},
        "hovertemplate": _hover(shown),
    }


def _threshold(value: float) -> str:
    return "above every score" if value == math.inf else f"{value:.4g}"


def _hover(values: Mapping[str, str], subject: str = "") -> str:
    lines = [f"{key} {value}" for key, value in values.items()]
    return f"<b>%{{fullData.name}}{subject}</b><br>{'<br>'.join(lines)}<extra></extra>"


def _packed(**arrays: np.ndarray) -> dict[str, np.ndarray]:
    """Return the arrays in single precision, in which a number takes four bytes of the page."""
    return {key: np.asarray(values, dtype=np.float32) for key, values in arrays.items()}


def heat_map(table: "MetricTable") -> go.Figure:
    """Return a heat map of ranks by one metric against ranks by another, with a menu of pairs of metrics.

    Tied models share the mean of their ranks, rounded down. If a task has many models, a cell holds several
    ranks.
    """
    ranks = [
        values.apply(average_ranks).astype(int) for _, models, values in table.by_task() if len(models) > 1
    ]
    most = max(map(len, ranks))
    step = math.ceil(most / MOST_CELLS)
    first_ranks = [str(rank) for rank in range(1, most + 1, step)]
    of_several = f" (first of a cell's {step})" if step > 1 else ""
    pairs = list(combinations(table.values, 2))[:MOST_PAIRS]
    figure, menu = go.Figure(layout=_layout()), []
    for number, pair in enumerate(pairs):
        counts = np.zeros((len(first_ranks), len(first_ranks)), dtype=int)
        for of_task in ranks:
            across, up = ((of_task[metric].to_numpy() - 1) // step for metric in pair)
            np.add.at(counts, (up, across), 1)
        titles = [f"rank by {_name(metric)}{of_several}" for metric in pair]
        figure.add_heatmap(
            x=first_ranks, y=first_ranks, z=np.log2(np.where(counts, counts, np.nan)), text=counts.tolist(),
            colorscale="Cividis", reversescale=True, showscale=False, xgap=1, ygap=1,
            texttemplate="%{text}" if most <= MOST_WRITTEN else None, visible=number == 0,
            hovertemplate=HOVER_OF_CELL,
        )  # fmt: skip
        shown = {"visible": [other == number for other in range(len(pairs))]}
        axes = dict(zip(("xaxis.title.text", "yaxis.title.text"), titles, strict=True))
        label = " and ".join(map(_name, pair))
        menu.append({"label": label, "method": "update", "args": [shown, axes]})
    axis = {"type": "category", "constrain": "domain", "showgrid": False}
    figure.update_layout({f"{letter}axis": axis for letter in "xy"})
    figure.update_layout(menu[0]["args"][1], yaxis_scaleanchor="x")
    if len(pairs) > 1:
        place = {"x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"}
        figure.update_layout(updatemenus=[{"buttons": menu, **place}], margin_t=60)
    return figure


def _curve_layout(x: str, y: str) -> dict[str, Any]:
    layout = _layout()
    for axis, title in (("xaxis", x), ("yaxis", y)):
        layout[axis] |= {"title": {"text": title}, "range": [-0.02, 1.02]}
    return layout


def _layout() -> dict[str, Any]:
    axis = {"zeroline": False, "gridcolor": "#e6e6e6"}
    return {
        "template": "none",
        "font": {"family": "system-ui, sans-serif", "size": 13},
        "margin": {"l": 55, "r": 10, "t": 25, "b": 45},
        "hovermode": "closest",
        "dragmode": False,  # A finger should scroll the page; the mode bar zooms.
        "xaxis": dict(axis),
        "yaxis": dict(axis),
    }


def _name(name: str) -> str:
    return escape(shortened(name, LONGEST_NAME))
