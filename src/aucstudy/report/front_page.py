"""The first page of the report, an HTML fragment that Snakemake's report shows."""

from jinja2 import Environment, PackageLoader, StrictUndefined

from aucstudy.published.verdicts import Evidence
from aucstudy.report.findings import SECTIONS


def front_page(evidence: Evidence, study: str) -> str:
    """Question, claims table and findings as an HTML fragment.

    Parameters
    ----------
    evidence : the study's tables, claims.csv among them.
    """
    environment = Environment(
        loader=PackageLoader("aucstudy.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    claims = evidence.table("claims").astype(object)
    sections = [(title, told) for title, tell in SECTIONS if (told := tell(evidence))]
    template = environment.get_template("front_page.html")
    rows = claims.where(claims.notna(), "").to_dict("records")
    return template.render(claims=rows, sections=sections, study=study, source=evidence.source)
