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
CLAIM_COLUMNS = ("id", "claim", "published", "here", "low", "high", "n", "verdict", "note")
VALUE_COLUMNS = ("id", "item", "published", "here", "low", "high", "n", "unit", "place", "rule", "amended")


def judge_claims(evidence: Evidence, asked: pd.DataFrame | None = None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """claims.csv, a row a claim, and claims_values.csv, a row a number, for some rows of the ledger or all."""
    claims, values = [], []
    for name, rows in (ledger() if asked is None else asked).groupby("id", sort=False):
        finding = judge(name, evidence, rows)
        by_name = {item.name: item for item in finding.items}
        items = [by_name.get(item, Item(item)) for item in rows["item"]]
        claims.append(_claim(rows, items, finding))
        rule = dict(rows[["rule", "amended"]].iloc[0])
        values += [_value(row, item) | rule for row, item in zip(rows.itertuples(), items, strict=True)]
    return pd.DataFrame(claims, columns=list(CLAIM_COLUMNS)), pd.DataFrame(
        values, columns=list(VALUE_COLUMNS)
    )


def judge(name: str, evidence: Evidence, rows: pd.DataFrame | None = None) -> Finding:
    """The finding of one claim; it is *too few data* where a table of this study has no row that the claim is about."""
    rows = ledger().query("id == @name") if rows is None else rows
    printed = {row.item: Decimal(row.value) for row in rows.itertuples() if row.value}
    finding = found(JUDGES[name], Claim(name, tuple(rows["item"]), printed, evidence))
    erratum = name in ERRATA and finding.verdict is Verdict.DOES_NOT_COME_OUT
    return replace(finding, verdict=Verdict.ERRATUM) if erratum else finding


def _claim(rows: pd.DataFrame, items: list[Item], finding: Finding) -> dict[str, object]:
    def cell(texts: list[str]) -> str:
        return "; ".join(texts) if any(texts) else ""

    return {
        "id": rows["id"].iloc[0],
        "claim": rows["claim"].iloc[0],
        "published": cell([_with_unit(row.value, row.unit) for row in rows.itertuples()]),
        "here": cell([_text(item.here) for item in items]),
        "low": cell([_text(item.low) for item in items]),
        "high": cell([_text(item.high) for item in items]),
        "n": cell(sorted({str(item.n) for item in items if item.n is not None})),
        "verdict": finding.verdict.value,
        "note": finding.note,
    }


def _value(row, item: Item) -> dict[str, object]:
    numbers = {"here": item.here, "low": item.low, "high": item.high, "n": item.n}
    entry = {"id": row.id, "item": row.item, "published": row.value}
    return {**entry, **numbers, "unit": row.unit, "place": row.place}


def _with_unit(value: str, unit: str) -> str:
    return f"{value} %" if unit == "%" and value else value


def _text(number: float) -> str:
    return "" if isnan(number) else f"{number:.4g}" if abs(number) < 1000 else f"{number:.0f}"
