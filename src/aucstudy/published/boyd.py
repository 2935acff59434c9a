"""The claims of Boyd, Santos Costa, Davis & Page 2012, Unachievable region in precision-recall space."""

from decimal import Decimal
from pathlib import Path

import pandas as pd

from aucstudy.metrics import aucpr_min
from aucstudy.published.verdicts import (
    Evidence,
    Finding,
    Item,
    Judge,
    Verdict,
    arithmetic,
    comes_out,
    half_unit,
)

TABLES = Path(__file__).parent


def printed_table(number: int) -> pd.DataFrame:
    """Table 2 or 3 of the paper, the areas as Decimal with the printed digits."""
    decimals = dict.fromkeys(("aucpr", "aucnpr"), Decimal)
    return pd.read_csv(TABLES / f"boyd_table_{number}.csv", converters=decimals)


def normalised(aucpr: Decimal, prevalence: float) -> Decimal:
    """AUCNPR of an AUCPR at a prevalence: (AUCPR - MIN) / (1 - MIN)."""
    minimum = Decimal(aucpr_min(prevalence))
    return (aucpr - minimum) / (1 - minimum)


def _table_1(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    positives, negatives, precision = 100, 200, Decimal("0.2")

    def false_positives(recall: Decimal) -> Decimal:
        return recall * positives * (1 - precision) / precision

    items = [
        Item("(a) TN at r=.2 p=.2", float(negatives - false_positives(Decimal("0.2")))),
        Item("(b) FP at r=.6 p=.2", float(false_positives(Decimal("0.6")))),
        Item("(b) TN at r=.6 p=.2", float(negatives - false_positives(Decimal("0.6")))),
        Item("largest recall at p=.2", float(negatives * precision / (positives * (1 - precision)))),
    ]
    return arithmetic(items, printed, "table arithmetic")


def _skew(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    items = [
        Item("rise of the minimum from pi=.01 to .5", float(aucpr_min(0.5) - aucpr_min(0.01))),
        Item("minimum at pi=.1", float(aucpr_min(0.1))),
    ]
    return arithmetic(items, printed, "Theorem 2")


def _range(item: str, prevalence: float, note: str) -> Judge:
    return lambda evidence, printed: arithmetic([Item(item, float(aucpr_min(prevalence)))], printed, note)


def _table_2(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table = printed_table(2)
    means = {area: sum(table[area]) / len(table) for area in ("aucpr", "aucnpr")}
    items = [Item(f"mean {area.upper()}", float(mean), n=len(table)) for area, mean in means.items()]
    right = all(comes_out(printed[f"mean {area.upper()}"], mean) for area, mean in means.items())
    implied = {
        row.predicate: (row.aucpr - row.aucnpr) / (1 - row.aucnpr)
        for row in table.itertuples()
        if row.predicate in ("gender", "genre")
    }
    note = (
        "half a unit of the printed digit allowed; the rows imply a minimum of "
        f"{implied['gender']:.3f} for gender (text: .31) and {implied['genre']:.3f} for genre (text: .02)"
    )
    return Finding(Verdict.EXACT if right else Verdict.DOES_NOT_COME_OUT, items, note)


def _table_3(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table = printed_table(3)
    at_digit = within = 0
    for row in table.itertuples():
        # the original test set keeps its 24 negatives per positive, whatever the model was trained on
        ratio = row.negatives_per_positive if row.test_set == "downsampled" else 24
        low, high = (normalised(row.aucpr + side * half_unit(row.aucpr), 1 / (1 + ratio)) for side in (-1, 1))
        at_digit += round(normalised(row.aucpr, 1 / (1 + ratio)), 3) == row.aucnpr
        within += low <= row.aucnpr + half_unit(row.aucnpr) and high >= row.aucnpr - half_unit(row.aucnpr)
    items = [
        Item("cells at the printed digit", at_digit, n=len(table)),
        Item("cells within rounding", within, n=len(table)),
    ]
    if at_digit == len(table):
        verdict = Verdict.EXACT
    else:
        verdict = Verdict.EXACT_WITHIN_ROUNDING if within == len(table) else Verdict.DOES_NOT_COME_OUT
    note = "a printed AUCPR gives its AUCNPR only as an interval: AUCPR plus or minus half its last digit"
    return Finding(verdict, items, note)


JUDGES: dict[str, Judge] = {
    "B-tab1": _table_1,
    "B-skew": _skew,
    "B-range-gender": _range("minimum at pi=.5", 0.5, "Theorem 2 at pi = .5"),
    "B-range-genre": _range("minimum at pi=.05", 0.05, "Theorem 2 at pi = .05; .02 needs pi of about .04"),
    "B-tab2": _table_2,
    "B-tab3": _table_3,
}
