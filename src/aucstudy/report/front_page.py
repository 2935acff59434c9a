"""The first page of the report, an HTML fragment that Snakemake's report shows."""

import base64
import math
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from aucstudy.claims.verdicts import Evidence
from aucstudy.report.findings import SECTIONS


def front_page(evidence: Evidence, study: str, figures: Path, captions: Path) -> str:
    """Claims table, findings and main figures as an HTML fragment.

    Parameters
    ----------
    evidence : the study's tables, claims.csv and claims_values.csv among them.
    figures, captions : the folders with <figure>.png and <figure>.rst.
    """
    environment = Environment(
        loader=PackageLoader("aucstudy.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.filters["short"] = short
    claims, values = (evidence.table(name).fillna("") for name in ("claims", "claims_values"))
    items = {name: rows.to_dict("records") for name, rows in values.groupby("id")}
    sections = [
        (section.title, told, [_figure(figures, captions, name) for name in section.figures])
        for section in SECTIONS
        if (told := section.tell(evidence))
    ]
    return environment.get_template("front_page.html").render(
        claims=claims.to_dict("records"), items=items, sections=sections, study=study, source=evidence.source
    )


def short(number: float | str) -> str:
    """A number as a reader wants it: four significant digits, integers whole, "" for what is missing.

    >>> short(19.5656), short(1800.0), short(0.05176), short("")
    ('19.57', '1800', '0.05176', '')
    """
    if number == "" or math.isnan(float(number)):
        return ""
    return f"{float(number):.0f}" if float(number).is_integer() else f"{float(number):.4g}"


def _figure(figures: Path, captions: Path, name: str) -> tuple[str, str]:
    """A figure's PNG as a data address, and its caption."""
    encoded = base64.b64encode((figures / f"{name}.png").read_bytes()).decode()
    caption = next(path for end in ("_figure", "") if (path := captions / f"{name}{end}.rst").exists())
    return f"data:image/png;base64,{encoded}", caption.read_text(encoding="utf-8").strip()
