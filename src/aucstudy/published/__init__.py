"""Every number that the papers print, what its printed digits allow, and what Boyd et al.'s tables 1 to 3 imply."""

from decimal import Decimal
from math import nan
from pathlib import Path

import pandas as pd

from aucstudy.metrics.bounds import aucpr_min

FOLDER = Path(__file__).parent
# the prevalence and the minimum AUPR of two relations, as section 4.2 of Boyd et al. prints them
TEXT_RANGES = {"gender": ("0.5", "0.31"), "genre": ("0.05", "0.02")}
# The original test set has 24 negatives per positive, whatever the ratio in the training set is.
ORIGINAL_RATIO = 24


def ledger(file: Path = FOLDER / "values.csv") -> pd.DataFrame:
    """Return all that a study is asked: the published values, then the rules of docs/confirmation.md.

    The columns are id, item, value (the digits as printed), unit, place, claim, rule, amended and weight. The
    column `rule` says how the claim is judged and what would falsify it. The `weight` is `task` for claims that are
    compared with a number that a paper counted by task, and for rules that were written by task before the data. It is
    empty for claims that are judged by the study's weight. The last four columns are filled in only in the first row of
    an id. The ids of the rules of docs/confirmation.md are C1, C2, ...
    """
    return pd.read_csv(file, dtype=str, keep_default_na=False)


def not_decided() -> dict[str, str]:
    """Return the reasons why no committed study decides some claims, by the id of the claim."""
    return ledger(FOLDER / "not_decided.csv").set_index("id")["reason"].to_dict()


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


def printed_shares() -> dict[tuple[str, str, int], float]:
    """Return the published shares of tasks in which two metrics disagree, in per cent.

    The keys are (first metric, second metric, number of top models that are compared).

    >>> printed_shares()["aupr", "auprg", 1]
    24.0
    """
    table, tops = ledger(), {"FK-top1": 1, "FK-top3": 3}
    rows = table[table["id"].isin(tops)]
    return {(*row.item.lower().split("-"), tops[row.id]): float(row.value) for row in rows.itertuples()}


def printed_table(number: int) -> pd.DataFrame:
    """Return table 2 or 3 of Boyd et al. as printed, with AUCPR and AUCNPR as decimal numbers."""
    decimals = dict.fromkeys(("aucpr", "aucnpr"), Decimal)
    return pd.read_csv(FOLDER / f"boyd_table_{number}.csv", converters=decimals)


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
