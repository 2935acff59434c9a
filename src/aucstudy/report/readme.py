"""The claims table of the README, made from a study's tables so that the two cannot differ.

Run as `python -m aucstudy.report.readme` to write it anew.
"""

from pathlib import Path

from aucstudy.claims.verdicts import Evidence
from aucstudy.report.front_page import short
from aucstudy.store.tables import write_whole

README = Path(__file__).parents[3] / "README.md"
TABLES = README.parent / "results" / "default" / "tables"
BEGIN, END = "<!-- claims: made by python -m aucstudy.report.readme -->", "<!-- end of claims -->"


def claims_markdown(evidence: Evidence) -> str:
    """One row a claim: published numbers, ours with their 95 % intervals, and the verdict."""
    claims, values = (evidence.table(name).fillna("") for name in ("claims", "claims_values"))
    rows = ["| id | claim | published | here (95 % interval) | verdict |", "|---|---|---|---|---|"]
    for claim in claims.itertuples():
        items = values[values["id"] == claim.id].to_dict("records")
        published = "<br>".join(
            _named(item, str(item["published"]), items) for item in items if item["published"]
        )
        here = "<br>".join(filter(None, (_here(item) for item in items)))
        cells = (claim.id, claim.claim, published, here, f"**{claim.verdict}**")
        rows.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def _named(item: dict, number: str, items: list[dict]) -> str:
    unit = " %" if item["unit"] == "%" else ""
    return f"{item['item']}: {number}{unit}" if len(items) > 1 else f"{number}{unit}"


def _here(item: dict) -> str:
    if item["here"] == "":
        return ""
    interval = f" ({short(item['low'])} to {short(item['high'])})" if item["low"] != "" else ""
    return f"{short(item['here'])}{' %' if item['unit'] == '%' else ''}{interval}"


def with_claims(readme: str, table: str) -> str:
    """A README with the part between its two marks replaced."""
    before, rest = readme.split(BEGIN)
    return f"{before}{BEGIN}\n{table}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    made = with_claims(README.read_text(encoding="utf-8"), claims_markdown(Evidence(TABLES, "packaged")))
    write_whole(README, lambda path: path.write_text(made, encoding="utf-8"))
