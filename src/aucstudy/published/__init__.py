"""Every number that the papers print, what its printed digits allow, and what Boyd et al.'s tables 1 to 3 imply."""

from decimal import Decimal
from math import nan
from pathlib import Path

import pandas as pd

from aucstudy.metrics.bounds import aucpr_min

FOLDER = Path(__file__).parent
# section 4.2: prevalence, minimum
TEXT_RANGES = {"gender": ("0.5", "0.31"), "genre": ("0.05", "0.02")}
ORIGINAL_RATIO = 24  # the original test set keeps its 24 negatives per positive, whatever was trained on


def ledger() -> pd.DataFrame:
    """All that a study is asked: the published values, then the rules of docs/confirmation.md (C1, C2, ...).

    id, item, value (the digits as printed), unit, place; claim and rule (how it is judged, what would falsify it) stand
    in the first row of their id.
    """
    return pd.read_csv(FOLDER / "values.csv", dtype=str, keep_default_na=False)


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
    table, tops = ledger(), {"FK-top1": 1, "FK-top3": 3}
    rows = table[table["id"].isin(tops)]
    return {(*row.item.lower().split("-"), tops[row.id]): float(row.value) for row in rows.itertuples()}


def printed_table(number: int) -> pd.DataFrame:
    decimals = dict.fromkeys(("aucpr", "aucnpr"), Decimal)
    return pd.read_csv(FOLDER / f"boyd_table_{number}.csv", converters=decimals)


def normalised(aucpr: Decimal, prevalence: float) -> Decimal:
    """AUCNPR of an AUCPR at a prevalence: (AUCPR - MIN) / (1 - MIN)."""
    minimum = Decimal(aucpr_min(prevalence))
    return (aucpr - minimum) / (1 - minimum)


def implied_minimum(aucpr: Decimal, aucnpr: Decimal) -> Decimal:
    """The minimum that turns an AUCPR into an AUCNPR.

    >>> round(implied_minimum(Decimal(".509"), Decimal(".325")), 3)
    Decimal('0.273')
    """
    return (aucpr - aucnpr) / (1 - aucnpr)


def table_1(positives: int = 100, negatives: int = 200) -> pd.DataFrame:
    rows, precision = [], Decimal("0.2")
    for panel, recall in (("a", Decimal("0.2")), ("b", Decimal("0.6"))):
        tp = recall * positives
        fp = tp * (1 - precision) / precision
        tn = negatives - fp
        cells = {"TP": tp, "FP": fp, "FN": positives - tp, "TN": tn}
        rows.append(
            {
                "part": panel,
                "recall": float(recall),
                "precision": float(precision),
                **{name: int(value) for name, value in cells.items()},
                "valid": bool(tn >= 0),
                "largest_recall": float(negatives * precision / (positives * (1 - precision))),
            }
        )
    return pd.DataFrame(rows)


def table_2() -> pd.DataFrame:
    rows = []
    for row in printed_table(2).itertuples():
        half = half_unit(row.aucpr)
        prevalence, minimum = TEXT_RANGES.get(row.predicate, ("", ""))
        low, here, high = (
            float(implied_minimum(row.aucpr + off, row.aucnpr - off)) if row.aucnpr < 1 else nan
            for off in (-half, Decimal(0), half)
        )
        rows.append(
            {
                "predicate": row.predicate,
                "aucpr": row.aucpr,
                "aucnpr": row.aucnpr,
                "implied_minimum": here,
                "implied_low": low,
                "implied_high": high,
                "prevalence_in_text": prevalence,
                "minimum_in_text": minimum,
                "minimum_by_theorem_2": aucpr_min(float(prevalence)) if prevalence else nan,
            }
        )
    return pd.DataFrame(rows)


def table_3() -> pd.DataFrame:
    """Table 3 and the AUCNPR that its AUCPR and ratio imply, with what rounding allows."""
    rows = []
    for row in printed_table(3).itertuples():
        ratio = row.negatives_per_positive if row.test_set == "downsampled" else ORIGINAL_RATIO
        half = half_unit(row.aucpr)
        low, here, high = (normalised(row.aucpr + off, 1 / (1 + ratio)) for off in (-half, Decimal(0), half))
        rows.append(
            {
                "test_set": row.test_set,
                "negatives_per_positive": row.negatives_per_positive,
                "aucpr": row.aucpr,
                "aucnpr": row.aucnpr,
                "aucnpr_implied": float(here),
                "implied_low": float(low),
                "implied_high": float(high),
                "at_printed_digit": round(here, 3) == row.aucnpr,
                "within_rounding": bool(low <= row.aucnpr + half and high >= row.aucnpr - half),
            }
        )
    return pd.DataFrame(rows)
