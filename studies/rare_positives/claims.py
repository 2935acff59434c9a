"""The judges of claims.csv: rules in rare-rules.yaml and natural-rules.yaml decide claims of later papers."""

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from aucstudy.claims.verdicts import (
    Claim,
    Finding,
    Item,
    Judge,
    Margin,
    Verdict,
    above,
    below,
    inside,
    joined,
    measured,
)
from aucstudy.experiments.compared import MARGIN as MARGIN_OF_CHOICE

from .rare import ALL

TOO_FEW, CONTRADICTED = "too few groups", "contradicted"  # verdicts in one setting
BY_POPULATION = "rule {rule}, {population}: {verdict}"
NOT_REPLICATED = "not replicated: in the closed third other cells contradict it"


def _by_rules(
    margins: Mapping[str, Margin],
    table: str = "rare_rules",
    *,
    within: Mapping[str, float] = MappingProxyType({}),
) -> Judge:
    """Return a judge that decides by rules of a table.

    `margins` has, for each rule, the margin that holds in all its settings. A setting contradicts the claim if
    its margin lies below minus half a point. `within` has the rules with another bound. The bound is 0 for a
    rule whose margin is already the distance from half a point.
    """

    def judge(claim: Claim) -> Finding:
        rows = claim.rows(table, rule=list(margins))
        population = ALL if (rows["population"] == ALL).any() else rows["population"].iloc[0]
        population_rows = rows[rows["population"] == population]
        cells = population_rows[(population_rows["verdict"] != TOO_FEW) & population_rows["estimate"].notna()]
        ends = (cells["estimate"].idxmin(), cells["estimate"].idxmax()) if len(cells) else ()
        shown = cells if len(cells) == len(claim.names) else cells.loc[[*ends]]
        items = [_cell(name, row) for name, (_, row) in zip(claim.names, shown.iterrows(), strict=False)]
        note = joined(*(_said_by(rule, of_rule) for rule, of_rule in rows.groupby("rule", sort=False)))
        if set(cells["rule"]) != set(margins):
            return Finding(Verdict.TOO_FEW_DATA, items, note)
        sides = [margins[row["rule"]](_cell(row["rule"], row)) for _, row in cells.iterrows()]
        bounds = [within.get(rule, MARGIN_OF_CHOICE) for rule in cells["rule"]]
        return measured(items, sides, note, matters=bounds)

    return judge


def _said_by(rule: str, rows: pd.DataFrame) -> str:
    """Return the rule's own verdicts in words, by population, with the settings that contradict it.

    If two populations contradict it, but no setting does so in both, this is said, too.
    """
    verdicts, contradicting = [], []
    for population, cells in rows.groupby("population", sort=False):
        verdict, contradicted = cells["rule_verdict"].iloc[0], cells[cells["verdict"] == CONTRADICTED]
        names = {f"{100 * row.prevalence:g} % with {row.positives:g}" for row in contradicted.itertuples()}
        verdict += f" ({', '.join(sorted(names))})" if names else ""
        verdicts.append(BY_POPULATION.format(rule=rule, population=population, verdict=verdict))
        if population != ALL:
            contradicting.append(names)
    if len(contradicting) > 1 and all(contradicting) and not set.intersection(*contradicting):
        verdicts.append(NOT_REPLICATED)
    return joined(*verdicts)


def _cell(name: str, row: pd.Series) -> Item:
    n_groups = int(row["n_groups"])
    return Item(name, row["estimate"], row["low"], row["high"], n_groups, n_groups)


JUDGES: dict[str, Judge] = {
    "L-rare-f1": _by_rules({"aupr-f1": above(0)}),
    "L-rare-top": _by_rules({"aupr-top": above(0)}),
    "L-rare-rates": _by_rules({"auroc-balanced": below(0)}),
    "L-net": _by_rules(
        {"middle-alike": below(MARGIN_OF_CHOICE), "auroc-balanced": below(MARGIN_OF_CHOICE)},
        within={"middle-alike": 0.0, "auroc-balanced": 0.0},
    ),
    "L-proper": _by_rules({"proper": above(0)}),
    "L-events": _by_rules(
        {"prevalence-still": inside(MARGIN_OF_CHOICE), "positives-move": below(0)},
        within={"prevalence-still": 0.0},
    ),
    "L-consistent": _by_rules({"prevalence-still": below(0)}),
    "L-nature-f1": _by_rules({"ap-f1": above(0)}, "natural_rules"),
    "L-nature-top": _by_rules({"top": above(0)}, "natural_rules"),
    "L-nature-rates": _by_rules({"by-rates": below(0)}, "natural_rules"),
    "L-nature-proper": _by_rules({"log-loss": above(0)}, "natural_rules"),
}
