"""The HTML of an audit in a notebook: its tables, the verdict and the warnings."""

from typing import TYPE_CHECKING

from aucstudy.audit.output import AT_FIRST
from aucstudy.metrics.registry import labels
from aucstudy.wording import html_templates

if TYPE_CHECKING:
    from aucstudy.audit.analysis import Analysis


def html_of(analysis: "Analysis", name: str) -> str:
    words = analysis.said(name, html=True)
    return (
        html_templates("aucstudy.audit")
        .get_template("notebook.html")
        .render(
            words=words,
            sections={heading: words.sections[heading] for heading in AT_FIRST if heading in words.sections},
            models=analysis.shown_models,
            measures={measure: labels().get(measure, measure) for measure in analysis.measures},
            values=analysis.values(),
            chance=analysis.chance.set_index("metric").reindex(analysis.measures).to_dict("index"),
        )
    )
