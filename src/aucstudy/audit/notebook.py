"""The HTML of an audit in a notebook: its tables, the verdict and the warnings."""

from typing import TYPE_CHECKING

from aucstudy.audit.findings import Section
from aucstudy.metrics.registry import labels
from aucstudy.wording import html_templates

if TYPE_CHECKING:
    from aucstudy.audit.analysis import Analysis


def html_of(analysis: "Analysis", name: str) -> str:
    words = analysis.said(name, html=True, details=False)
    return (
        html_templates("aucstudy.audit")
        .get_template("notebook.html")
        .render(
            words=words,
            questions=words.sections.get(Section.COLUMNS, []),
            sections={
                words.heading(section): lines
                for section, lines in words.sections.items()
                if section is not Section.COLUMNS
            },
            models=analysis.shown_models,
            measures={measure: labels().get(measure, measure) for measure in analysis.measures},
            values=analysis.values(),
            chance=analysis.chance_values(),
        )
    )
