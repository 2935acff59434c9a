"""The words of an audit, which templates beside this module say of its findings, and its JSON."""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
from jinja2 import PackageLoader
from jinja2.filters import do_mark_safe

from aucstudy.audit.findings import Finding, Section
from aucstudy.metrics.registry import labels
from aucstudy.printable import plain, shortened
from aucstudy.wording import text_templates

SENTENCES = PackageLoader("aucstudy.audit", ".")
LONGEST_NAME = 100  # characters on a page and in a table
MOST_LISTED, LISTED_OF_MORE = 6, 5  # models in a sentence
TITLED = '<span title="{{ whole }}">{{ short }}</span>'


@dataclass(frozen=True)
class Said:
    """The sentences of an audit by section, and the lines around them."""

    headline: str
    lead: str
    sections: Mapping[Section, list[str]]
    verdict_heading: str = Section.VERDICT.value
    note: str = ""
    choice: str = ""  # which columns were taken as models

    @property
    def warnings(self) -> list[str]:
        return self.sections.get(Section.WARNINGS, [])

    def heading(self, section: Section) -> str:
        return self.verdict_heading if section is Section.VERDICT else section.value


def sentences(template: str, findings: Iterable[Finding], *, html: bool = False) -> dict[Section, list[str]]:
    """Return the sentences on the findings by section, in the order of the sections."""
    modules = {False: module_of(template, html=html)}
    by_section: dict[Section, list[str]] = {}
    for finding in findings:
        of_columns = finding.section is Section.COLUMNS
        if of_columns not in modules:
            modules[of_columns] = module_of("column_findings.j2", html=html)
        say = getattr(modules[of_columns], finding.kind)
        by_section.setdefault(finding.section, []).append(say(finding, finding.numbers).strip())
    return {section: by_section[section] for section in Section if section in by_section}


def module_of(template: str, *, html: bool = False) -> Any:
    """Return the macros of a template as functions. In HTML what they are given is escaped."""
    templates = text_templates(SENTENCES)
    if html:
        templates = templates.overlay(autoescape=True)
    text: Callable[[str], str] = do_mark_safe if html else str

    def shown(name: object) -> str:
        full, short = str(name), shortened(str(name), LONGEST_NAME)
        if short == full or not html:
            return full
        return do_mark_safe(templates.from_string(TITLED).render(whole=full, short=short))

    def listed(items: Iterable[object], say: Callable[[Any], str] = shown, last: str = " and ") -> str:
        *leading, final = [text("{}").format(say(item)) for item in items]
        return text(last).join([text(", ").join(leading), final]) if leading else final

    def some(models: tuple[object, ...], last: str = " and ") -> str:
        if len(models) <= MOST_LISTED:
            return listed(models, last=last)
        return listed([*models[:LISTED_OF_MORE], f"{len(models) - LISTED_OF_MORE} more"], last=last)

    def any_of(models: tuple[object, ...]) -> str:
        return some(models, " or ") if len(models) <= MOST_LISTED else text("one of {}").format(some(models))

    def six(pairs: list[tuple[object, float]], digits: str, times: float = 1) -> str:
        """Return the first models, each with its number."""
        of_models = [text("{} ({})").format(shown(name), digits % (times * number)) for name, number in pairs]
        more = len(of_models) - MOST_LISTED
        return listed([*of_models[:MOST_LISTED], *([f"{more} more"] if more > 0 else [])], text)

    def label(metric: str) -> str:
        return labels().get(metric, metric)

    names = {
        "shown": shown,
        "listed": listed,
        "some": some,
        "any_of": any_of,
        "six": six,
        "label": label,
        "labels": lambda metrics, last=" and ": listed(metrics, label, last),
        "about": about,
    }
    return templates.get_template(template).make_module(names)


def about(number: float) -> str:
    """Return a number as a text with two digits. Below 100 it is rounded up to a whole number.

    >>> about(3.2), about(1387.0)
    ('4', '1,400')
    """
    digits = len(str(math.ceil(number))) - 2
    return f"{math.ceil(number) if digits <= 0 else round(number, -digits):,.0f}"


def json_text(results: Mapping[str, object]) -> str:
    return json.dumps(results, indent=1, allow_nan=False) + "\n"


def records(frame: pd.DataFrame | None) -> list[dict[str, object]] | None:
    """Return the rows of a table for JSON, with the index if it has a name."""
    if frame is None:
        return None
    frame = frame.reset_index() if frame.index.name else frame
    return [{key: plain(value) for key, value in row.items()} for row in frame.to_dict("records")]
