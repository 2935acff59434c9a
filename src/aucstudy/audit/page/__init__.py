"""The page: one self-contained HTML file, drawn with Plotly, that asks nothing of any network."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from plotly.offline import get_plotlyjs

from aucstudy import __version__
from aucstudy.area_names import AREA_LABELS, AREAS
from aucstudy.audit.curves import RECALLS, bands, calibration, net_benefit, thresholds_of_use
from aucstudy.audit.rankings import of_each
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.curves import roc_curve
from aucstudy.metrics.uncertainty.sample import Sample
from aucstudy.wording import html_templates

if TYPE_CHECKING:
    from aucstudy.audit.analysis import Analysis
    from aucstudy.audit.metric_tables import MetricAnalysis

SCRIPTS = ("overview.js", "task.js")
TEMPLATES = html_templates("aucstudy.audit.page")
WEIGHT_UNITS = 1e9  # so many whole ones weights are drawn as
TOLERANCE = 0.002  # of an axis: less than a pixel of a plot of 400


def page_of_predictions(analysis: "Analysis", name: str, *, thresholds: bool) -> str:
    words = analysis.said(html=True)
    facts, models = analysis.facts, analysis.table.names
    index = {model: i for i, model in enumerate(models)}
    by_prevalence = analysis.by_prevalence.assign(best=analysis.by_prevalence["best"].map(index))
    by_measure = analysis.intervals.pivot(index="metric", columns="model").loc[list(analysis.measures)]
    value, low, high = (by_measure[column][list(models)].T for column in ("value", "low", "high"))
    entry = task_entry(name, range(len(models)), value)
    entry["prevalence"] = _short(facts["prevalence"], 6)
    entry["curves"] = curves(analysis.sample, by_prevalence, thresholds=thresholds)
    if (limits := bands(analysis.sample, facts["seed"])) is not None:
        entry["curves"] |= {"recalls": _short(RECALLS, 4), "bands": _short(limits, 3)}
    if analysis.operating_points is not None:
        counts = analysis.operating_points.to_numpy() * [entry["curves"]["P"], entry["curves"]["N"]]
        entry["curves"]["wanted"], entry["want"] = _short(counts, 9), facts["want"]
    entry["uses"] = uses(analysis.sample, thresholds=thresholds)
    entry["order"] = [index[model] for model in analysis.shown_models]
    entry["limits"] = _short(np.stack([low.T, high.T], axis=-1), 9)
    chance = analysis.chance.set_index("metric").reindex(analysis.measures)
    entry["chance"] = _short(chance[["mean", "limit"]].T.to_numpy(), 9)
    metrics = [{"key": measure, "label": AREA_LABELS.get(measure, measure)} for measure in analysis.measures]
    return page(name, words.lead, words.sections, metrics, models, [entry])


def page_of_metrics(analysis: "MetricAnalysis", name: str) -> str:
    words, table = analysis.said(html=True), analysis.table
    names = sorted(set(table.models))
    index = {model: i for i, model in enumerate(names)}
    tasks = [
        task_entry(task, [index[model] for model in models], values)
        for task, models, values in table.by_task()
        if len(models) > 1
    ]
    metrics = [{"key": metric, "label": metric, "lower": metric in table.losses} for metric in table.values]
    return page(name, words.lead, words.sections, metrics, names, tasks)


def uses(sample: Sample, *, thresholds: bool) -> dict[str, object]:
    """Net benefit and calibration of models whose scores are probabilities, or why none are drawn."""
    if not thresholds or sample.weight is not None:
        return {"left_out": "weights" if thresholds else "scores"}
    y, in_unit = sample.y_true, ((sample.scores >= 0) & (sample.scores <= 1)).all(axis=0)
    grid = thresholds_of_use(y, sample.scores[:, in_unit])

    def of_model(score: np.ndarray) -> dict[str, object]:
        entry = {"net": net_benefit(y, score, grid), "bins": calibration(y, score)}
        entry["brier"] = np.mean((score - y) ** 2)
        return {key: _short(value, 4) for key, value in entry.items()}

    models = [of_model(score) if use else None for score, use in zip(sample.scores.T, in_unit, strict=True)]
    return {"thresholds": _short(grid, 4), "models": models}


def curves(sample: Sample, by_prevalence: pd.DataFrame, *, thresholds: bool = True) -> dict[str, object]:
    """Thinned curves, as steps of counts, and the winners on stretches of prevalence."""
    y, weight = sample.y_true, sample.weights()
    unit = 1.0 if sample.weight is None else weight.sum() / WEIGHT_UNITS
    P, N = (round(float(weight[side].sum() / unit)) for side in (y, ~y))

    def of_model(column: np.ndarray) -> dict[str, list]:
        curve = roc_curve(y, column, sample_weight=sample.weight)
        t, f = (np.rint(counts).astype(int) for counts in (curve.tpr * P, curve.fpr * N))
        vertices = kept_vertices(t, f)
        steps = [np.diff(counts[vertices], prepend=0).tolist() for counts in (t, f)]
        entry = {"dt": steps[0], "df": steps[1]}
        if thresholds:
            entry["thresholds"] = _short(curve.thresholds[vertices], 4)
        return entry

    models = list(of_each(of_model, sample.scores.T, sample.scores.size))
    stretches: dict[str, list] = {metric: [] for metric in AREAS}
    for row in by_prevalence.itertuples():
        ends = _short([row.prevalence_from, row.prevalence_to], 5)
        stretches[row.metric].append([*ends, int(row.best)])
    return {"P": P, "N": N, "models": models, "winners": stretches}


def kept_vertices(t: np.ndarray, f: np.ndarray, tolerance: float = TOLERANCE) -> np.ndarray:
    """The vertices to keep of cumulated true and false positives t and f (Douglas and Peucker 1973).

    One left out lies within `tolerance` of the segment in its place, in ROC, PR and PRG space.
    """
    # between two vertices of the same true positives no vertex is further off than the farther of the two
    turns = np.ones(len(t), dtype=bool)
    turns[2:-1] = (t[1:-2] != t[2:-1]) | (t[2:-1] != t[3:])
    corners = np.flatnonzero(turns)
    keep = np.zeros(len(corners), dtype=np.bool_)
    keep[[0, min(1, len(corners) - 1), -1]] = True
    _split(t[corners].astype(float), f[corners].astype(float), tolerance, keep)
    return corners[keep]


@compiled
def _split(t, f, tolerance, keep):
    stack = [(1, t.size - 1)]
    while stack:
        a, b = stack.pop()
        worst, furthest = tolerance, -1
        for j in range(a + 1, b):
            distance = _distance(t, f, a, b, j)
            if distance > worst:
                worst, furthest = distance, j
        if furthest >= 0:
            keep[furthest] = True
            stack.append((a, furthest))
            stack.append((furthest, b))


@compiled
def _distance(t, f, a, b, j):
    P, N = t[-1], f[-1]
    dx, dy = (f[b] - f[a]) / N, (t[b] - t[a]) / P
    length = np.sqrt(dx * dx + dy * dy)
    x, y = (f[j] - f[a]) / N, (t[j] - t[a]) / P
    distance = abs(dx * y - dy * x) / length if length > 0 else 0.0
    if t[b] == t[a] or t[j] == 0:
        return distance
    guess = f[a] + (f[b] - f[a]) * ((t[j] - t[a]) / (t[b] - t[a]))
    distance = max(distance, abs(t[j] / (t[j] + f[j]) - t[j] / (t[j] + guess)))
    if t[j] >= P * P / (P + N):
        k = P / N
        gain, guessed = max(1 - k * f[j] / t[j], -0.02), max(1 - k * guess / t[j], -0.02)
        distance = max(distance, abs(gain - guessed))
    return distance


def _short(value: Any, digits: int) -> Any:
    """Fewer digits for JSON; None for infinity and NaN."""
    if np.ndim(value):
        return [_short(each, digits) for each in value]
    if not math.isfinite(value):
        return None
    number = float(f"{value:.{digits}g}")
    return number if math.isfinite(number) else float(value)


def task_entry(name: str, models: Sequence[int], values: pd.DataFrame) -> dict[str, Any]:
    """One task of a page; `models` are indices into the page's names, `values` has a row a model."""
    return {"name": name, "models": list(models), "values": _short(values.T.to_numpy(), 9)}


def page(
    title: str,
    lead: str,
    sections: Mapping[str, Sequence[str]],
    metrics: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    tasks: Sequence[Mapping[str, Any]],
) -> str:
    """A page of sentences by heading; `names` of all models, `tasks` by `task_entry`. A single task may have curves."""
    folder = Path(__file__).parent
    only = tasks[0] if len(tasks) == 1 else {}
    curves_of_task = only.get("curves", {})
    data = {"metrics": list(metrics), "names": list(names), "tasks": list(tasks)}
    return TEMPLATES.get_template("template.html").render(
        title=title,
        lead=lead,
        verdict=sections.get("Verdict"),
        sections=[(heading, lines) for heading, lines in sections.items() if heading != "Verdict"],
        one=bool(only),
        version=__version__,
        drawn=bool(curves_of_task),
        bands="bands" in curves_of_task,
        want=only.get("want"),
        ranked=not only or len(only["models"]) > 1,
        probabilities=any(only.get("uses", {}).get("models", ())),
        thresholds=any("thresholds" in model for model in curves_of_task.get("models", ())),
        data=json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        plotly=get_plotlyjs(),
        scripts=[(folder / script).read_text(encoding="utf-8") for script in SCRIPTS],
    )
