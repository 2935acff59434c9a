"""claims.csv: the papers' numbers and the rules of confirmation beside ours, a verdict a row, always computed."""

from decimal import Decimal
from math import isnan

import pandas as pd

from aucstudy.claims import (
    boyd,
    confirmation,
    flach_kull,
    flach_kull_choosing,
    flach_kull_theory,
    later_papers,
)
from aucstudy.claims.verdicts import Evidence, Finding, Item
from aucstudy.published.values import ledger

JUDGES = {
    **flach_kull.JUDGES,
    **flach_kull_theory.JUDGES,
    **flach_kull_choosing.JUDGES,
    **boyd.JUDGES,
    **later_papers.JUDGES,
    **confirmation.JUDGES,
}
CLAIM_COLUMNS = ("id", "claim", "published", "here", "low", "high", "n", "verdict", "note")
VALUE_COLUMNS = ("id", "item", "published", "here", "low", "high", "n", "unit", "place", "rule")


def judge_claims(evidence: Evidence, asked: pd.DataFrame | None = None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge every published claim, and every rule of confirmation, by the study's tables.

    Parameters
    ----------
    asked : rows of the ledger, None for all of it.

    Returns
    -------
    claims : one row a claim; where a claim has several numbers they stand in one cell, separated by "; ".
    values : one row a number, for machines, with the rule that was stated for the claim before the data were seen.
    """
    claims, values = [], []
    for name, rows in (ledger() if asked is None else asked).groupby("id", sort=False):
        rule = rows["rule"].iloc[0]
        finding = JUDGES[name](
            evidence, {row.item: Decimal(row.value) for row in rows.itertuples() if row.value}
        )
        claims.append(_claim(name, rows, finding))
        by_name = {item.name: item for item in finding.items}
        values += [_value(row, by_name.get(row.item, Item(row.item)), rule) for row in rows.itertuples()]
    return pd.DataFrame(claims, columns=list(CLAIM_COLUMNS)), pd.DataFrame(
        values, columns=list(VALUE_COLUMNS)
    )


def _claim(name: str, rows: pd.DataFrame, finding: Finding) -> dict[str, object]:
    by_name = {item.name: item for item in finding.items}
    items = [by_name.get(item, Item(item)) for item in rows["item"]]

    def cell(texts: list[str]) -> str:
        return "; ".join(texts) if any(texts) else ""

    return {
        "id": name,
        "claim": rows["claim"].iloc[0],
        "published": cell([_with_unit(row.value, row.unit) for row in rows.itertuples()]),
        "here": cell([_text(item.here) for item in items]),
        "low": cell([_text(item.low) for item in items]),
        "high": cell([_text(item.high) for item in items]),
        "n": cell(sorted({str(item.n) for item in items if item.n is not None})),
        "verdict": finding.verdict.value,
        "note": finding.note,
    }


def _value(row, item: Item, rule: str) -> dict[str, object]:
    numbers = {"here": item.here, "low": item.low, "high": item.high, "n": item.n}
    return {
        "id": row.id,
        "item": row.item,
        "published": row.value,
        **numbers,
        "unit": row.unit,
        "place": row.place,
        "rule": rule,
    }


def _with_unit(value: str, unit: str) -> str:
    return f"{value} %" if unit == "%" and value else value


def _text(number: float) -> str:
    return "" if isnan(number) else f"{number:.4g}" if abs(number) < 1000 else f"{number:.0f}"
