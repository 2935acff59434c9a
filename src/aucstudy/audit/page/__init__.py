"""The page: one self-contained HTML file, drawn with Plotly, that asks nothing of any network."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from plotly.offline import get_plotlyjs

from aucstudy import __version__
from aucstudy.area_names import AREA_LABELS, AREAS
from aucstudy.audit.analysis import Audit
from aucstudy.audit.metric_tables import FinishedAudit, FinishedScores, oriented
from aucstudy.audit.noise import resampled_areas
from aucstudy.audit.payload import curves, task_entry, verdict
from aucstudy.audit.sentences import finished_sentences, sentences
from aucstudy.reading.prediction_tables import ScoredTable
from aucstudy.store.tables import write_whole

SCRIPTS = ("ranks.js", "heat.js", "table.js", "curves.js", "task.js")
SHOWN_FIRST = ("aupr", "auprg", "auroc", "average_precision", "aucnpr")


def page_of_predictions(table: ScoredTable, found: Audit, name: str) -> str:
    """The page of one file of predictions.

    Parameters
    ----------
    found : the audit of `table`.
    """
    place = {model: i for i, model in enumerate(table.names)}
    by_prevalence = found.by_prevalence.assign(best=found.by_prevalence["best"].map(place))
    draws = resampled_areas(table.y_true, table.scores, table.folds, resamples=found.facts["resamples"])
    task = task_entry(
        name,
        range(len(table.names)),
        found.areas[list(SHOWN_FIRST)],
        n=found.facts["n"],
        prevalence=found.facts["prevalence"],
        noise=verdict(found.areas[list(AREAS)], draws),
        drawn=curves(table.y_true, table.scores, by_prevalence),
    )
    lead = (
        f"{found.facts['n']:,} rows, {found.facts['n_positive']:,} of class {table.positive}, "
        f"{len(table.names)} models: how the areas rank them, and whether it matters which one you report."
    )
    return page(name, lead, sentences(found), area_metrics(), list(table.names), [task])


def page_of_scores(table: FinishedScores, found: FinishedAudit, name: str, lower: Sequence[str] = ()) -> str:
    """The page of a table of finished scores."""
    values = oriented(table, lower)
    names = sorted(set(table.models))
    place = {model: i for i, model in enumerate(names)}
    tasks = []
    for task, at in pd.Series(table.tasks).groupby(table.tasks, sort=True).groups.items():
        if len(at) > 1:
            tasks.append(task_entry(task, [place[model] for model in table.models[at]], values.iloc[at]))
    metrics = [{"key": metric, "label": metric, "lower": metric in lower} for metric in values]
    lead = f"{len(tasks)} tasks, {len(names)} models: how {', '.join(values)} rank them."
    return page(name, lead, {"Disagreement": finished_sentences(found)}, metrics, names, tasks)


def area_metrics() -> list[dict[str, str]]:
    """The areas as a page's metrics."""
    return [{"key": metric, "label": AREA_LABELS[metric]} for metric in SHOWN_FIRST]


def page(
    title: str,
    lead: str,
    told: Mapping[str, Sequence[str]],
    metrics: Sequence[Mapping[str, object]],
    names: Sequence[str],
    tasks: Sequence[Mapping[str, object]],
) -> str:
    """A whole page.

    Parameters
    ----------
    told : sentences by heading.
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
    environment = Environment(
        loader=PackageLoader("aucstudy.audit.page", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    return environment.get_template("template.html").render(
        title=title,
        lead=lead,
        sections=list(told.items()),
        version=__version__,
        css=(folder / "style.css").read_text(encoding="utf-8"),
        data=json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        plotly=get_plotlyjs(),
        scripts=[(folder / script).read_text(encoding="utf-8") for script in SCRIPTS],
    )


def write_page(text: str, path: Path | str) -> None:
    """Write a page whole or not at all."""
    write_whole(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))
