"""Every number that the papers print, and what its printed digits allow."""

from decimal import Decimal
from pathlib import Path

import pandas as pd


def published_values() -> pd.DataFrame:
    """Every published number: id, item, value (the digits as printed), unit, place, claim, rule.

    Claim and rule (how it is judged, what would falsify it) stand in the first row of their id.
    """
    rows = ledger()
    return rows[~_of_confirmation(rows)]


def confirmation_rules() -> pd.DataFrame:
    """The rules of docs/confirmation.md (C1, C2, ...), in the columns of `published_values`."""
    rows = ledger()
    return rows[_of_confirmation(rows)].reset_index(drop=True)


def ledger() -> pd.DataFrame:
    """All that a study is asked: the published values, then the rules of confirmation."""
    return pd.read_csv(Path(__file__).with_name("values.csv"), dtype=str, keep_default_na=False)


def _of_confirmation(rows: pd.DataFrame) -> pd.Series:
    return rows["id"].str.fullmatch(r"C\d+")


def half_unit(printed: Decimal) -> Decimal:
    """Half a unit of the last printed digit.

    >>> half_unit(Decimal("0.680"))
    Decimal('0.0005')
    """
    return Decimal(1).scaleb(printed.as_tuple().exponent) / 2


def comes_out(printed: Decimal, computed: float | Decimal) -> bool:
    """Whether a computed number rounds to the printed one, ties either way.

    >>> comes_out(Decimal("0.680"), Decimal("0.6795")), comes_out(Decimal("0.02"), 0.0254)
    (True, False)
    """
    exact = Decimal(repr(computed)) if isinstance(computed, float) else computed
    return abs(exact - printed) <= half_unit(printed)


def printed_shares() -> dict[tuple[str, str, int], float]:
    """The published shares of disagreement in per cent by (first, second, top).

    >>> printed_shares()["aupr", "auprg", 1]
    24.0
    """
    table = published_values()
    tops = {"FK-top1": 1, "FK-top3": 3}
    rows = table[table["id"].isin(tops)]
    return {(*row.item.lower().split("-"), tops[row.id]): float(row.value) for row in rows.itertuples()}
