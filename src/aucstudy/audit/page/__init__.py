"""The page: one self-contained HTML file, drawn with Plotly, that asks nothing of any network."""

import json
from collections.abc import Mapping, Sequence
from functools import singledispatch
from pathlib import Path
from typing import Any

from plotly.offline import get_plotlyjs

from aucstudy import __version__
from aucstudy.area_names import AREA_LABELS
from aucstudy.audit.analysis import Analysis
from aucstudy.audit.metric_tables import MetricAnalysis
from aucstudy.audit.payload import curves, task_entry
from aucstudy.audit.sentences import sentences
from aucstudy.presentation.wording import html_templates
from aucstudy.store.files import write_whole

SCRIPTS = ("ranks.js", "heat.js", "table.js", "curves.js", "task.js")
SHOWN_FIRST = ("aupr", "auprg", "auroc", "average_precision", "aucnpr")


@singledispatch
def page_of(analysis: Analysis, name: str, *, thresholds: bool = True) -> str:
    """The page of an analysis, of predictions or of metric values; `name` is its title.

    `thresholds` says whether the page may hold scores of the predictions, as the thresholds of its curves.
    """
    facts, models = analysis.facts, analysis.table.names
    place = {model: i for i, model in enumerate(models)}
    by_prevalence = analysis.by_prevalence.assign(best=analysis.by_prevalence["best"].map(place))
    task = task_entry(
        name,
        range(len(models)),
        analysis.areas[list(SHOWN_FIRST)],
        n=facts["n"],
        prevalence=facts["prevalence"],
        verdict=analysis.verdict,
        drawn=curves(analysis.table.y_true, analysis.table.scores, by_prevalence, thresholds=thresholds),
    )
    lead = (
        f"{facts['n']:,} rows, {facts['n_positive']:,} of class {facts['positive']}, {len(models)} models: how the "
        "areas rank them, and whether it matters which one you report."
    )
    return page(name, lead, sentences(analysis), area_metrics(), models, [task])


@page_of.register
def _(analysis: MetricAnalysis, name: str, *, thresholds: bool = True) -> str:
    table = analysis.table
    names = sorted(set(table.models))
    place = {model: i for i, model in enumerate(names)}
    tasks = [
        task_entry(task, [place[model] for model in models], values)
        for task, models, values in table.by_task()
        if len(models) > 1
    ]
    metrics = [{"key": metric, "label": metric, "lower": metric in table.losses} for metric in table.values]
    lead = f"{len(tasks)} tasks, {len(names)} models: how {', '.join(table.values)} rank them."
    return page(name, lead, sentences(analysis), metrics, names, tasks)


def area_metrics() -> list[dict[str, str]]:
    """The areas as a page's metrics."""
    return [{"key": metric, "label": AREA_LABELS[metric]} for metric in SHOWN_FIRST]


def page(
    title: str,
    lead: str,
    sections: Mapping[str, Sequence[str]],
    metrics: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    tasks: Sequence[Mapping[str, Any]],
) -> str:
    """A whole page.

    Parameters
    ----------
    sections : sentences by heading.
    metrics : key and label of each, in the order of the tasks' values.
    names : of all models of all tasks.
    tasks : as `task_entry` makes them.
    """
    folder = Path(__file__).parent
    data = {
        "metrics": list(metrics),
        "names": list(names),
        "tasks": list(tasks),
        "curves": any("curves" in task for task in tasks),
    }
    drawn = [model for task in tasks for model in task.get("curves", {}).get("models", ())]
    template = html_templates("aucstudy.audit.page").get_template("template.html")
    return template.render(
        title=title,
        lead=lead,
        sections=list(sections.items()),
        version=__version__,
        holds=_holds(any("thresholds" in model for model in drawn)) if drawn else "",
        css=(folder / "style.css").read_text(encoding="utf-8"),
        data=json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        plotly=get_plotlyjs(),
        scripts=[(folder / script).read_text(encoding="utf-8") for script in SCRIPTS],
    )


def _holds(thresholds: bool) -> str:
    """What of the predictions can be read from a page with curves, for those who pass it on."""
    with_scores = ", with the scores there as thresholds" if thresholds else "; no scores"
    return (
        "Before you pass this page on: of the predictions it holds how many positives and negatives there are at each "
        f"corner of a curve, in the order of the scores (so their ranks){with_scores}. No rows, no names of rows."
    )


def write_page(text: str, path: Path | str) -> None:
    """Write a page whole or not at all."""
    write_whole(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))
