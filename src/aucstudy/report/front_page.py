"""The first page of the report, an HTML fragment that Snakemake's report shows."""

import base64
import json
import math
from collections.abc import Sequence
from pathlib import Path

from aucstudy.claims.verdicts import Evidence
from aucstudy.presentation.templates import templates_of
from aucstudy.report.population import population
from aucstudy.report.table_page import MOST_TOGETHER, WITH_ALL_DIGITS


def front_page(
    evidence: Evidence,
    study: str,
    figures: Path,
    told: Sequence[Path],
    tables: Sequence[Path] = (),
    *,
    audited: bool = False,
) -> str:
    """Claims table, findings, main figures and links to the files beside the report, as an HTML fragment.

    Parameters
    ----------
    evidence : the study's tables, claims.csv and claims_values.csv among them.
    figures : the folder with <figure>.png.
    told : the folder of each experiment's findings, in the order of the report.
    tables : the files of all tables, which stand beside the report.
    audited : whether the page audit.html stands there too.
    """
    environment = templates_of("aucstudy.report")
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
        claims=claims.to_dict("records"),
        items=items,
        sections=sections,
        study=study,
        source=evidence.source,
        tables=[(path.name, _bytes(path.stat().st_size)) for path in tables],
        bounds=(_bytes(WITH_ALL_DIGITS), _bytes(MOST_TOGETHER)),
        audited=audited,
    )


def short(number: float | str) -> str:
    """A number as a reader wants it: four significant digits, integers whole, "" for what is missing.

    >>> short(19.5656), short(1800.0), short(0.05176), short("")
    ('19.57', '1800', '0.05176', '')
    """
    if number == "" or math.isnan(float(number)):
        return ""
    return f"{float(number):.0f}" if float(number).is_integer() else f"{float(number):.4g}"


def _bytes(count: int) -> str:
    """A size as a reader wants it.

    >>> _bytes(150_000), _bytes(5_432_100)
    ('150 kB', '5.4 MB')
    """
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(count / 1e3, 1):.0f} kB"


def _picture(path: Path) -> str:
    """A PNG as a data address."""
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"
