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
    """Every published number: id, item, value (text, the digits as printed), unit, place; claim and rule by id.

    The rule says how the claim is judged and what would falsify it; like the claim it stands in the first row of its
    id; when it was fixed: RULES_FIXED.
    """
    return pd.read_csv(Path(__file__).with_name("values.csv"), dtype=str, keep_default_na=False)


def confirmation_rules() -> pd.DataFrame:
    """The rules of docs/confirmation.md, in the columns of `published_values`; nothing of them is published."""
    return pd.read_csv(Path(__file__).with_name("confirmation.csv"), dtype=str, keep_default_na=False)


def ledger() -> pd.DataFrame:
    """All that a study is asked: the published values, then the rules of confirmation."""
    return pd.concat([published_values(), confirmation_rules()], ignore_index=True)


def half_unit(printed: Decimal) -> Decimal:
    """Half a unit of the last printed digit.

    >>> half_unit(Decimal("0.680"))
    Decimal('0.0005')
    """
    return Decimal(1).scaleb(printed.as_tuple().exponent) / 2


def comes_out(printed: Decimal, computed: float | Decimal) -> bool:
    """Whether a computed number is the printed one to its last digit; a tie of rounding counts as coming out.

    >>> comes_out(Decimal("0.680"), Decimal("0.6795")), comes_out(Decimal("0.02"), 0.0254)
    (True, False)
    """
    return abs(
        Decimal(repr(computed)) - printed if isinstance(computed, float) else computed - printed
    ) <= half_unit(printed)


def printed_shares() -> dict[tuple[str, str, int], float]:
    """The published shares of disagreement in percent, by (first, second, top).

    >>> printed_shares()["aupr", "auprg", 1]
    24.0
    """
    table = published_values()
    tops = {"FK-top1": 1, "FK-top3": 3}
    rows = table[table["id"].isin(tops)]
    return {(*row.item.lower().split("-"), tops[row.id]): float(row.value) for row in rows.itertuples()}
