"""Every published claim and every rule of confirmation beside the study's numbers, with its verdict."""

from dataclasses import replace
from decimal import Decimal
from math import isnan

import pandas as pd

from aucstudy.claims import boyd, confirmation, flach_kull, later_papers
from aucstudy.claims.verdicts import Claim, Evidence, Finding, Item, Verdict, found
from aucstudy.published import ledger

JUDGES = {**flach_kull.JUDGES, **boyd.JUDGES, **later_papers.JUDGES, **confirmation.JUDGES}
# numbers that are misprinted or rounded, or do not fit one another: docs/errata.md, not claims to be judged
ERRATA = {"FK-pop-plotted", "B-range-genre", "B-tab2-gender", "B-tab2-genre", "B-ri", "B-fig4-B"}
VALUE_COLUMNS = ("id", "item", "published", "here", "low", "high", "n", "unit", "place", "rule", "amended")


def judge_claims(evidence: Evidence) -> tuple[pd.DataFrame, pd.DataFrame]:
    """claims.csv, with a row for each claim, and claims_values.csv, with one for each row of the ledger."""
    claims, values = [], []
    for name, rows in ledger().groupby("id", sort=False):
        finding = judge(name, evidence, rows)
        by_name = {item.name: item for item in finding.items}
        items = [by_name.get(item, Item(item)) for item in rows["item"]]
        claims.append(_claim(rows, items, finding))
        numbers = pd.DataFrame(items, rows.index, dtype=float, columns=["here", "low", "high", "n"])
        rule = rows[["rule", "amended"]].iloc[0]
        values.append(rows.rename(columns={"value": "published"}).assign(**rule).join(numbers))
    return pd.DataFrame(claims), pd.concat(values)[[*VALUE_COLUMNS]]


def judge(name: str, evidence: Evidence, rows: pd.DataFrame | None = None) -> Finding:
    """The finding of one claim, by its rows of the ledger."""
    rows = ledger().query("id == @name") if rows is None else rows
    printed = {row.item: Decimal(row.value) for row in rows.itertuples() if row.value}
    finding = found(JUDGES[name], Claim(name, tuple(rows["item"]), printed, evidence))
    erratum = name in ERRATA and finding.verdict is Verdict.DOES_NOT_COME_OUT
    return replace(finding, verdict=Verdict.ERRATUM) if erratum else finding


def _claim(rows: pd.DataFrame, items: list[Item], finding: Finding) -> dict[str, object]:
    def cell(texts: list[str]) -> str:
        return "; ".join(texts) if any(texts) else ""

    return {
        **rows[["id", "claim"]].iloc[0],
        "published": cell(
            [f"{row.value} %" if row.unit == "%" and row.value else row.value for row in rows.itertuples()]
        ),
        **{end: cell([_text(getattr(item, end)) for item in items]) for end in ("here", "low", "high")},
        "n": cell(sorted({str(item.n) for item in items if item.n is not None})),
        "verdict": finding.verdict.value,
        "note": finding.note,
    }


def _text(number: float) -> str:
    return "" if isnan(number) else f"{number:.4g}" if abs(number) < 1000 else f"{number:.0f}"
