"""The words of an analysis, from the templates beside this module, and its JSON."""

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd
from jinja2 import PackageLoader
from jinja2.filters import do_mark_safe

from aucstudy.metrics.registry import labels
from aucstudy.printable import plain, shortened
from aucstudy.statistics.best import SUPPORT
from aucstudy.wording import text_templates

SENTENCES = PackageLoader("aucstudy.audit", ".")
LONGEST_NAME = 100  # characters on a page and in a table
TITLED = '<span title="{{ whole }}">{{ short }}</span>'


class Said(NamedTuple):
    """The sentences of an audit by heading. The `warnings` are also among the sections."""

    headline: str
    lead: str
    sections: dict[str, list[str]]
    warnings: list[str]
    note: str = ""
    choice: str = ""  # which columns were taken as models


def rendered(template: str, *, html: bool = False, **states: object) -> tuple[Any, dict[str, list[str]]]:
    """Return a template's module, and its sentences by heading."""
    sections: dict[str, list[str]] = {}

    def say(heading: str, caller) -> str:
        if line := caller().strip():
            sections.setdefault(heading, []).append(line)
        return ""

    def cut(name: object) -> str:
        full, short = str(name), shortened(str(name), LONGEST_NAME)
        names = {"whole": full, "short": short}
        return full if short == full else do_mark_safe(templates.from_string(TITLED).render(names))

    templates = text_templates(SENTENCES)
    if html:
        templates = templates.overlay(autoescape=True)
    names = {
        "say": say,
        "shown": cut if html else str,
        "LABELS": labels(),
        "about": about,
        "at_the_edge": at_the_edge,
    }
    return templates.get_template(template).make_module({**names, **states}), sections


def about(number: float) -> str:
    """Return a number as a text with two digits. Below 100 it is rounded up to a whole number.

    >>> about(3.2), about(1387.0)
    ('4', '1,400')
    """
    digits = len(str(math.ceil(number))) - 2
    return f"{math.ceil(number) if digits <= 0 else round(number, -digits):,.0f}"


def at_the_edge(support: float, resamples: int) -> bool:
    """Return whether the support is within twice its Monte Carlo error of the limit.

    With other resamples it may then lie on the other side of the limit.

    >>> at_the_edge(0.97, 1000), at_the_edge(0.97, 10000)
    (True, False)
    """
    return resamples > 0 and abs(support - SUPPORT) < 2 * (SUPPORT * (1 - SUPPORT) / resamples) ** 0.5


def json_text(results: Mapping[str, object]) -> str:
    return json.dumps(results, indent=1, allow_nan=False) + "\n"


def records(frame: pd.DataFrame | None) -> list[dict[str, object]] | None:
    """Return the rows of a table for JSON, with the index if it has a name."""
    if frame is None:
        return None
    frame = frame.reset_index() if frame.index.name else frame
    return [{key: plain(value) for key, value in row.items()} for row in frame.to_dict("records")]
