"""Boyd et al.'s tables as they are printed, and what the printed digits of a number allow."""

from decimal import Decimal
from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).parent
# the prevalence and the minimum AUPR of two relations, as section 4.2 of Boyd et al. prints them
TEXT_RANGES = {"gender": ("0.5", "0.31"), "genre": ("0.05", "0.02")}
# The original test set has 24 negatives per positive, whatever the ratio in the training set is.
ORIGINAL_RATIO = 24


def half_unit(printed: Decimal) -> Decimal:
    """Return half a unit of the last printed digit.

    >>> half_unit(Decimal("0.680"))
    Decimal('0.0005')
    """
    return Decimal(1).scaleb(printed.as_tuple().exponent) / 2


def comes_out(printed: Decimal, computed: float | Decimal) -> bool:
    """Return whether a computed number rounds to the printed one. A tie may be rounded up or down.

    >>> comes_out(Decimal("0.680"), Decimal("0.6795")), comes_out(Decimal("0.02"), 0.0254)
    (True, False)
    """
    exact = Decimal(repr(computed)) if isinstance(computed, float) else computed
    return abs(exact - printed) <= half_unit(printed)


def printed_table(number: int) -> pd.DataFrame:
    """Return table 2 or 3 of Boyd et al. as printed, with AUCPR and AUCNPR as decimal numbers."""
    decimals = dict.fromkeys(("aucpr", "aucnpr"), Decimal)
    return pd.read_csv(FOLDER / f"boyd_table_{number}.csv", converters=decimals)
