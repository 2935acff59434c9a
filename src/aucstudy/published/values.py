"""Every number that the papers print, and what its printed digits allow."""

from decimal import Decimal
from pathlib import Path

import pandas as pd

# said in these words wherever verdicts are explained
RULES_FIXED = (
    "each rule was committed before its verdict was computed by it, but the data of the default study had been looked "
    "at in earlier versions, so its verdicts are exploratory; the rules of confirmation (C1 to C11) were committed "
    "before any other population than UW-CSE, one task, was computed"
)


def published_values() -> pd.DataFrame:
    """Every published number: id, item, value (the digits as printed), unit, place, claim, rule.

    Claim and rule (how it is judged, what would falsify it) stand in the first row of their id.
    """
    return _texts("values.csv")


def confirmation_rules() -> pd.DataFrame:
    """The rules of docs/confirmation.md, in the columns of `published_values`."""
    return _texts("confirmation.csv")


def ledger() -> pd.DataFrame:
    """All that a study is asked: the published values, then the rules of confirmation."""
    return pd.concat([published_values(), confirmation_rules()], ignore_index=True)


def _texts(name: str) -> pd.DataFrame:
    return pd.read_csv(Path(__file__).with_name(name), dtype=str, keep_default_na=False)


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
