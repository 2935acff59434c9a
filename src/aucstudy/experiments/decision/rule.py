"""The rule: what the choice among areas does to data of a size, prevalence and margin; nothing outside the evidence."""

import math

import pandas as pd

from aucstudy.area_names import AREA_LABELS, DISTINCT_AREAS
from aucstudy.errors import InputError
from aucstudy.experiments.decision.numbers import MATTERS
from aucstudy.presentation.phrases import listed

WORDS = {
    "f1": "F1", "f2": "F2", "f05": "F.5", "recall_at_90": "recall at precision .9",
    "precision_at_p": "precision among the first P rows", "minus_cost": "expected cost saved", "accuracy": "accuracy",
}  # fmt: skip
AXES = ("positives", "prevalence", "margin")


def decide(n_positive: int, prevalence: float, margin: float | None, table: pd.DataFrame) -> str:
    """The rule in one text, see `decision_sentences`."""
    return " ".join(decision_sentences(n_positive, prevalence, margin, table))


def decision_sentences(
    n_positive: int, prevalence: float, margin: float | None, table: pd.DataFrame
) -> list[str]:
    """How probable a swap is, how probable that it is real, what it costs, and which area to use.

    Parameters
    ----------
    n_positive, prevalence : of the rows on which the model is chosen.
    margin : AUPR of the best model less that of the next, None where it is not known.
    table : decision.csv.

    Returns
    -------
    Sentences; outside of the simulated sizes and prevalences one that says so, and no number.

    Raises
    ------
    InputError
        A number that no data can have.
    """
    _check(n_positive, prevalence, margin)
    costs = evidence_at(table, "cost", n_positive, prevalence)
    if costs.empty:
        return [_outside(n_positive, prevalence, table)]
    parts = (
        _swap(table, n_positive, prevalence, margin),
        _real(table, n_positive, prevalence),
        cost_sentence(costs),
        _use(
            evidence_at(table, "use", n_positive, prevalence),
            evidence_at(table, "worth", n_positive, prevalence),
        ),
    )
    return [part for part in parts if part]


def _check(n_positive: int, prevalence: float, margin: float | None) -> None:
    if not n_positive >= 1 or not math.isfinite(n_positive):
        raise InputError(f"{n_positive} positives; a whole number from 1 on is wanted")
    if not 0 < prevalence < 1:
        raise InputError(f"prevalence {prevalence}; a number between 0 and 1 is wanted")
    if margin is not None and not 0 <= margin <= 1:
        raise InputError(f"margin {margin}; a difference of two AUPR, from 0 to 1, is wanted")


def evidence_at(
    table: pd.DataFrame, quantity: str, n_positive: int, prevalence: float, margin: float | None = None
) -> pd.DataFrame:
    """The rows of a quantity in whose bands the data lie; with a margin, those of bands of margins only."""
    rows = table[table["quantity"] == quantity]
    rows = rows[rows["margin_from"].notna() == (margin is not None)]
    for axis, value in zip(AXES, (n_positive, prevalence, margin), strict=True):
        low, high = rows[f"{axis}_from"], rows[f"{axis}_to"]
        if value is not None:
            last = high == high.max()
            rows = rows[low.isna() | ((low <= value) & ((value < high) | (last & (value == high))))]
    return rows


def _outside(n_positive: int, prevalence: float, table: pd.DataFrame) -> str:
    costs = table[table["quantity"] == "cost"]
    if costs.empty:
        return "No rule: the study has no evidence on what a choice among areas costs."
    n = f"{costs['positives_from'].min():,.0f} to {costs['positives_to'].max():,.0f}"
    p = f"{costs['prevalence_from'].min():g} to {costs['prevalence_to'].max():g}"
    return (
        f"No rule: {n_positive:,} positives at prevalence {prevalence:.3g} are outside of the evidence, which reaches "
        f"from {n} positives and prevalence {p}."
    )


def _swap(table: pd.DataFrame, n_positive: int, prevalence: float, margin: float | None) -> str:
    rows = table.iloc[:0] if margin is None else evidence_at(table, "p_swap", n_positive, prevalence, margin)
    # bands of margins are of tasks of all prevalences of the study: no evidence at one that none of them has
    sized = evidence_at(table, "p_swap", n_positive, prevalence)
    if sized.empty:
        return "How often the areas put different models first in such data is not known: too few tasks of the study."
    rows = sized if rows.empty else rows
    first = rows.iloc[0]
    which = f"{band(first, 'positives')} positives, " + (
        f"prevalence {band(first, 'prevalence')}"
        if pd.isna(first["margin_from"])
        else f"a lead of {band(first, 'margin')} in AUPR"
    )
    return (
        f"In {first['n']:.0f} tasks like these ({which}) the best models differ between "
        f"{listed(f'{pair(row)} in {share(row)}' for _, row in rows.iterrows())}."
    )


def _real(table: pd.DataFrame, n_positive: int, prevalence: float) -> str:
    real = evidence_at(table, "p_real", n_positive, prevalence)
    if real.empty:
        return ""
    power = evidence_at(table, "power", n_positive, prevalence).set_index(["first", "second"])["estimate"]
    pairs = listed(f"{share(row)} of {row['n']:.0f} between {pair(row)}" for _, row in real.iterrows())
    sentence = f"Of these swaps a test showed as real (more than noise) {pairs}"
    if power.empty:
        return f"{sentence}; how many true swaps a test would show at this size is not known."
    return (
        f"{sentence}. A swap that is not shown may still be real: in data of this size a test finds at most "
        f"{100 * power.min():.0f} to {100 * power.max():.0f} % of the true ones."
    )


def cost_sentence(costs: pd.DataFrame) -> str:
    """The verdict on a band: noise, and less than what; or what costs how much, and the safest area.

    Parameters
    ----------
    costs : the rows `cost` of one band.
    """
    largest = costs.loc[costs["high"].idxmax()]
    if not (costs["verdict"] == "matters").any():
        return (
            "On curves like those of real tasks no cost of the choice among AUPR, AUPRG and AUROC above "
            f"{points(MATTERS)} points was shown: the largest is less than {points(largest['high'])} points "
            f"({AREA_LABELS[largest['second']]}, lost by choosing by {AREA_LABELS[largest['first']]})."
        )
    matter = costs[costs["verdict"] == "matters"].sort_values("high", ascending=False)
    named = listed(
        f"choosing by {AREA_LABELS[row['first']]} costs up to {points(row['high'])} points of "
        f"{AREA_LABELS[row['second']]} (largest estimate {points(row['estimate'])})"
        for _, row in matter.iterrows()
    )
    safest, worst = safest_area(costs)
    return (
        f"On curves like those of real tasks the choice matters: {named}. Where you know nothing else, use "
        f"{AREA_LABELS[safest]}: by the standard of the two others it costs less than {points(worst)} points."
    )


def safest_area(costs: pd.DataFrame) -> tuple[str, float]:
    """The area whose own largest cost is the smallest, and that cost."""
    largest = costs.groupby("first")["high"].max().reindex(list(DISTINCT_AREAS)).dropna()
    return largest.idxmin(), largest.min()


def _use(rows: pd.DataFrame, of_band: pd.DataFrame) -> str:
    """Preferences, but none that tasks of this size show to be too small to matter."""
    if rows.empty:
        return ""
    keys = ["first", "second", "judged_by"]
    of_band = of_band.set_index(keys)
    areas = rows[rows["first"] != "random"]
    small = of_band.index[of_band[["low", "high"]].abs().max(axis=1) < MATTERS]
    clear = areas[(areas["verdict"] != "nothing") & ~areas.set_index(keys).index.isin(small)]
    silent = [WORDS[name] for name in WORDS if name in set(areas["judged_by"]) - set(clear["judged_by"])]
    preferences = [preference(row) for _, row in clear.iterrows()]
    said = (
        f"If you know what you want, by {areas['n'].max():.0f} tasks of all sizes: {listed(preferences)}."
        if preferences
        else ""
    )
    none = f"For {listed(silent)} no area was shown to choose better." if silent else ""
    return f"{said} {none}".strip()


def preference(row: pd.Series) -> str:
    """A row of `use` in words: which area to take for a utility, by how much, and how sure that is."""
    area, sign = AREA_LABELS[row["first"]], 1 if row["estimate"] > 0 else -1
    winner, loser = (area, "AUROC") if sign > 0 else ("AUROC", area)
    low, high = sorted((sign * row["low"], sign * row["high"]))
    how = "sure" if row["verdict"] == "sure" else "a hint, no more"
    return (
        f"for {WORDS[row['judged_by']]} {winner} over {loser} (by {points(sign * row['estimate'])} points, "
        f"{points(low)} to {points(high)}: {how})"
    )


def pair(row: pd.Series) -> str:
    """The two areas of a row."""
    return f"{AREA_LABELS[row['first']]} and {AREA_LABELS[row['second']]}"


def share(row: pd.Series) -> str:
    """`36 % (2 to 69)`."""
    return f"{100 * row['estimate']:.0f} % ({100 * row['low']:.0f} to {100 * row['high']:.0f})"


def points(value: float) -> str:
    """Hundredths with one digit."""
    return f"{100 * value:.1f}".replace("-0.0", "0.0")


def band(row: pd.Series, axis: str) -> str:
    """`30 to 100`."""
    low, high = row[f"{axis}_from"], row[f"{axis}_to"]
    return f"{low:,g} to {high:,g}"
