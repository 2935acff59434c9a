"""The first page of the report, an HTML fragment that Snakemake's report shows."""

import base64
import json
import math
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from aucstudy.claims.verdicts import Evidence
from aucstudy.report.population import population


def front_page(evidence: Evidence, study: str, figures: Path, told: Sequence[Path]) -> str:
    """Claims table, findings and main figures as an HTML fragment.

    Parameters
    ----------
    evidence : the study's tables, claims.csv and claims_values.csv among them.
    figures : the folder with <figure>.png.
    told : the folder of each experiment's findings, in the order of the report.
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
    sections = [("The tasks", population(evidence), [])]
    for folder in told:
        findings = json.loads((folder / "findings.json").read_text(encoding="utf-8"))
        if findings["sentences"]:
            drawn = [(_picture(figures / f"{name}.png"), text) for name, text in findings["figures"].items()]
            sections.append((findings["question"], findings["sentences"], drawn))
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


def _picture(path: Path) -> str:
    """A PNG as a data address."""
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"
