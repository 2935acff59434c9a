"""The measured claims that are written as data: published/claims.yaml has their estimates and margins."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

import pandas as pd
import yaml

from aucstudy.claims.verdicts import (
    Claim,
    Finding,
    Item,
    Margin,
    above,
    below,
    closed_gap,
    inside,
    item_of,
    largest,
    measured,
    outside,
    replication,
)
from aucstudy.published import FOLDER

MARGINS = {"above": above, "below": below, "within": inside, "beyond": outside}


def margin_of(condition: str) -> Margin:
    """Return the margin of a condition, which lies above 0 if a number meets the condition.

    >>> margin_of("within 0.05")(Item("loss", 0.02, 0.01, 0.03)).low.__round__(6)
    0.02
    """
    side, bound = condition.split()
    return MARGINS[side](float(bound))


@dataclass(frozen=True)
class Number:
    """A number of a claim: an estimate, multiplied by `times`.

    Its row is the first with the values of `row`, or of these rows the one with the largest value in the
    column `most`. `holds` is the condition that the number must meet. A number without a condition is only
    shown. If `closed` is true, the number is `closed_gap` of the estimate.
    """

    row: Mapping[str, object]
    holds: str = ""
    times: float = 1.0
    closed: bool = False
    most: str = ""

    def find(self, claim: Claim, experiment: str) -> pd.Series:
        rows = claim.estimates(experiment, known=[self.most] if self.most else [], **self.row)
        return rows.loc[rows[self.most].idxmax()] if self.most else rows.iloc[0]

    def item(self, name: str, row: pd.Series) -> Item:
        return closed_gap(name, row) if self.closed else item_of(name, row, factor=self.times)


@dataclass(frozen=True)
class Measured:
    """A claim that holds if all its numbers meet their conditions, or with `one_suffices` if one does.

    It is judged by `measured`. With `scale` its numbers are compared with the published ones by
    `replication`. Its note may name a column of the last row and the numbers of `noted`. It may also name the
    number of conditions (`margins`) and how many of these hold in the whole interval (`surely`).
    """

    experiment: str
    numbers: Mapping[str, Number]
    matters: float = 0.0
    one_suffices: bool = False
    scale: float | None = None
    noted: Mapping[str, Number] = field(default_factory=dict)

    def __call__(self, claim: Claim) -> Finding:
        items, margins = [], []
        for name in claim.names:
            number = self.numbers[name]
            row = number.find(claim, self.experiment)
            items.append(number.item(name, row))
            if number.holds:
                margins.append(margin_of(number.holds)(items[-1]))
        facts = {
            name: number.item(name, number.find(claim, self.experiment)).here
            for name, number in self.noted.items()
        }
        facts |= {"margins": len(margins), "surely": sum(margin.low > 0 for margin in margins)}
        note = claim.note(**{**row, **facts})
        if self.scale is not None:
            is_same = claim.evidence.same_population
            return replication(items, claim.printed, same_population=is_same, scale=self.scale, note=note)
        margins = [largest(margins)] if self.one_suffices else margins
        return measured(items, margins, note, matters=self.matters)


@cache
def measured_claims() -> dict[str, Measured]:
    """Return the claims of published/claims.yaml by id."""
    text = (FOLDER / "claims.yaml").read_text(encoding="utf-8")
    return {name: _claim(**facts) for name, facts in yaml.load(text, yaml.CSafeLoader).items()}


def _claim(
    experiment: str,
    numbers: Mapping[str, Mapping],
    where: Mapping[str, object] | None = None,
    every: Mapping[str, object] | None = None,
    noted: Mapping[str, Mapping] | None = None,
    **facts: object,
) -> Measured:
    """Return a claim whose numbers share the values `where` of their rows and the settings `every`."""

    def read(number: Mapping) -> Number:
        row = {**(where or {}), **number.get("row", {})}
        return Number(**{**(every or {}), **number, "row": row})

    def read_all(group: Mapping[str, Mapping]) -> dict[str, Number]:
        return {name: read(number) for name, number in group.items()}

    return Measured(experiment, read_all(numbers), noted=read_all(noted or {}), **facts)
