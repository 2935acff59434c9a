"""The page of an audit: one HTML file of words, tables and Plotly's figures that needs no network."""

import math
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

from plotly.offline import get_plotlyjs

from aucstudy import __version__
from aucstudy.audit.drawings import DASHES, MOST_PAIRS, curve_figures, drawn_models, heat_map, style
from aucstudy.audit.findings import Section
from aucstudy.audit.metric_tables import MetricAnalysis, MetricTable
from aucstudy.audit.text import LONGEST_NAME, Said, module_of
from aucstudy.metrics.registry import METRICS, labels, metrics
from aucstudy.printable import shortened
from aucstudy.statistics.ranks import rank_correlation
from aucstudy.wording import html_templates

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from aucstudy.audit.analysis import Analysis

MOST_CHOSEN = 4  # models that are chosen at first; if a reader chooses more, no bands are shown
MOST_TASKS = 1000  # tasks in the table


def page_of(analysis: "Analysis | MetricAnalysis", name: str, *, thresholds: bool = True) -> str:
    """Return the HTML page of an analysis. Without `thresholds` it contains no scores."""
    if isinstance(analysis, MetricAnalysis):
        return _of_metrics(analysis, name)
    return _of_predictions(analysis, name, thresholds=thresholds)


def _of_predictions(analysis: "Analysis", name: str, *, thresholds: bool) -> str:
    figures, drawn = curve_figures(analysis, thresholds=thresholds), drawn_models(analysis)
    leaders = analysis.contenders.groupby("metric", sort=False)["model"].first()
    chosen = list(dict.fromkeys([*leaders, *drawn]))[:MOST_CHOSEN]
    return _page(
        name,
        analysis.said(html=True),
        figures,
        models=analysis.shown_models,
        drawn=[
            {
                "name": model,
                "chosen": model in chosen,
                "colour": line["color"],
                "dashes": DASHES[line["dash"]],
            }
            for model, line in zip(drawn, map(style, range(len(drawn))), strict=True)
        ],
        measures={measure: labels().get(measure, measure) for measure in analysis.measures},
        values=analysis.values(),
        chance=analysis.chance_values(),
        banded=any(trace.fill == "toself" for trace in figures["roc"].data),
        thresholds=thresholds,
        target_metric=analysis.question.target_metric,
        definitions=list(_definitions(analysis.question.target_metric)),
    )


def _definitions(target_metric: str | None) -> Iterator[str]:
    """Yield a sentence on each metric of the table, and one on its rows of random rankings."""
    words = module_of("metric_words.j2", html=True)
    if target_metric:
        yield words.target(target_metric)
    for entry in metrics():
        yield getattr(words, entry.key)() if entry in METRICS else words.own(entry)
    yield words.chance()


def _of_metrics(analysis: MetricAnalysis, name: str) -> str:
    figures, words = {"heat": heat_map(analysis.table)}, analysis.said(html=True)
    tasks = sorted(_tasks(analysis.table), key=lambda task: task["correlation"])
    return _page(name, words, figures, tasks=tasks, metrics=list(analysis.table.values))


def _page(title: str, words: Said, figures: Mapping[str, "go.Figure"], **content: object) -> str:
    as_json = {key: figure.to_json(engine="json").replace("<", "\\u003c") for key, figure in figures.items()}
    return (
        html_templates("aucstudy.audit")
        .get_template("page.html")
        .render(
            {"models": [], "tasks": [], **content},
            title=title,
            words=words,
            questions=words.sections.get(Section.COLUMNS, []),
            verdict=words.sections.get(Section.VERDICT, []),
            details={
                section: lines
                for section, lines in words.sections.items()
                if section not in (Section.COLUMNS, Section.VERDICT)
            },
            figures=as_json,
            most_chosen=MOST_CHOSEN,
            most_tasks=MOST_TASKS,
            most_pairs=MOST_PAIRS,
            longest=LONGEST_NAME,
            shortened=shortened,
            version=__version__,
            plotly=get_plotlyjs(),
        )
    )


def _tasks(table: MetricTable) -> Iterator[dict[str, Any]]:
    """Yield for each task its best models by metric, and the lowest rank correlation of two metrics."""
    for task, models, values in table.by_task():
        if len(models) < 2:
            continue
        best = {metric: list(models[values[metric] == values[metric].max()]) for metric in values}
        correlations = [rank_correlation(values[a], values[b]) for a, b in combinations(values, 2)]
        yield {
            "name": task,
            "n_models": len(models),
            "best": best,
            # A metric that ties all models has no rank correlation.
            "correlation": min((each for each in correlations if not math.isnan(each)), default=math.inf),
        }
