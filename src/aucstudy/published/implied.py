"""What Boyd et al.'s tables 1 to 3 imply by the bounds: matrices, minima and AUCNPR."""

from decimal import Decimal
from math import nan

import pandas as pd

from aucstudy.metrics.bounds import aucpr_min
from aucstudy.published import ORIGINAL_RATIO, TEXT_RANGES, half_unit, printed_table


def normalised(aucpr: Decimal, prevalence: float) -> Decimal:
    """Return the AUCNPR of an AUCPR at a prevalence: (AUCPR - MIN) / (1 - MIN)."""
    minimum = Decimal(aucpr_min(prevalence))
    return (aucpr - minimum) / (1 - minimum)


def implied_minimum(aucpr: Decimal, aucnpr: Decimal) -> Decimal:
    """Return the minimum AUCPR with which an AUCPR is normalised to an AUCNPR.

    >>> round(implied_minimum(Decimal(".509"), Decimal(".325")), 3)
    Decimal('0.273')
    """
    return (aucpr - aucnpr) / (1 - aucnpr)


def table_1(positives: int = 100, negatives: int = 200) -> pd.DataFrame:
    """Return the confusion matrices of table 1, and whether they are possible (`valid`)."""
    table = pd.DataFrame({"part": ["a", "b"], "recall": [0.2, 0.6], "precision": 0.2})
    recall, precision = (
        table[name].map(lambda value: Decimal(str(value))) for name in ("recall", "precision")
    )
    tp = recall * positives
    fp = tp * (1 - precision) / precision
    cells = {"TP": tp, "FP": fp, "FN": positives - tp, "TN": negatives - fp}
    return table.assign(
        **{name: cell.astype(int) for name, cell in cells.items()},
        valid=fp <= negatives,
        largest_recall=(negatives * precision / (positives * (1 - precision))).astype(float),
    )


def table_2() -> pd.DataFrame:
    """Return table 2 with the minimum AUCPR that its numbers imply, and the minimum in the paper's text."""
    table = printed_table(2)
    implied = [
        [
            float(implied_minimum(aucpr + sign * half_unit(aucpr), aucnpr - sign * half_unit(aucpr)))
            if aucnpr < 1
            else nan
            for aucpr, aucnpr in zip(table["aucpr"], table["aucnpr"], strict=True)
        ]
        for sign in (0, -1, 1)
    ]
    texts = [TEXT_RANGES.get(predicate, ("", "")) for predicate in table["predicate"]]
    return table.assign(
        **dict(zip(("implied_minimum", "implied_low", "implied_high"), implied, strict=True)),
        prevalence_in_text=[prevalence for prevalence, _ in texts],
        minimum_in_text=[minimum for _, minimum in texts],
        minimum_by_theorem_2=[aucpr_min(float(text)) if text else nan for text, _ in texts],
    )


def table_3() -> pd.DataFrame:
    """Return table 3 with the AUCNPR that its AUCPR and ratio imply, and the range that rounding allows."""
    table = printed_table(3)
    ratio = table["negatives_per_positive"].where(table["test_set"] == "downsampled", ORIGINAL_RATIO)
    aucpr, aucnpr, half = table["aucpr"], table["aucnpr"], table["aucpr"].map(half_unit)
    implied, low, high = (
        (aucpr + shift).combine(1 / (1 + ratio), normalised) for shift in (0 * half, -half, half)
    )
    return table.assign(
        aucnpr_implied=implied.astype(float),
        implied_low=low.astype(float),
        implied_high=high.astype(float),
        at_printed_digit=implied.map(lambda value: round(value, 3)) == aucnpr,
        within_rounding=(low <= aucnpr + half) & (high >= aucnpr - half),
    )
