"""The verdicts on all published claims and all rules of confirmation, beside the study's numbers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import isnan
from pathlib import Path

import pandas as pd

from aucstudy.claims import boyd, confirmation, flach_kull, later_papers, theorems
from aucstudy.claims.measured import measured_claims
from aucstudy.claims.verdicts import Claim, Evidence, Finding, Item, Judge, Verdict, found, notes_of_claims
from aucstudy.published import ledger
from aucstudy.study_folder.files import CLAIMS, JUDGES_OF_CLAIMS
from aucstudy.study_folder.modules import import_file

# These numbers are misprinted, are rounded or do not fit one another. They are errata (docs/errata.md), not
# claims.
ERRATA = ("FK-pop-plotted", "B-range-genre", "B-tab2-gender", "B-tab2-genre", "B-ri", "B-fig4-B")
CLAIM_COLUMNS = ("id", "claim", "published", "here", "low", "high", "n", "verdict", "note")
VALUE_COLUMNS = ("id", "item", "published", "here", "low", "high", "n", "unit", "place", "rule", "amended")


@dataclass(frozen=True)
class Rulebook:
    """A set of claims, the function that judges each of them, and the texts of their notes.

    Attributes
    ----------
    values : rows as of `published.ledger`.
    judges : the judge of each claim, by id. Claims without a judge are passed over.
    notes : the text of each note, by the id of a claim, or by id and case. A judge fills in the braces.
    """

    values: pd.DataFrame
    judges: Mapping[str, Judge]
    notes: Mapping[str, str | Mapping[str, str]]

    @classmethod
    def of_folder(cls, folder: Path) -> "Rulebook":
        """Return the rulebook of a study's own folder.

        The folder has claims.csv with the columns of values.csv, and claims.py with JUDGES and perhaps NOTES.
        """
        module = import_file(folder / JUDGES_OF_CLAIMS)
        return cls(ledger(folder / CLAIMS), module.JUDGES, getattr(module, "NOTES", {}))

    def judge(self, name: str, evidence: Evidence) -> Finding | None:
        """Return what a study finds on a claim, or None if it does not decide the claim."""
        rows = self.values[self.values["id"] == name]
        printed = {row.item: Decimal(row.value) for row in rows.itertuples() if row.value}
        return found(self.judges[name], Claim(name, tuple(rows["item"]), printed, evidence, self.notes))


def _or_erratum(judge: Judge) -> Judge:
    """Return a judge whose verdict is "erratum" where that of `judge` is "does not come out"."""

    def judged(claim: Claim) -> Finding:
        finding = judge(claim)
        does_not = finding.verdict is Verdict.DOES_NOT_COME_OUT
        return replace(finding, verdict=Verdict.ERRATUM) if does_not else finding

    return judged


EXACT: Mapping[str, Judge] = {**flach_kull.EXACT, **theorems.EXACT, **boyd.EXACT, **later_papers.EXACT}
# These claims follow from mathematics or from the papers' own tables, whatever a study finds.
MATHEMATICS = Rulebook(
    ledger(), EXACT | {name: _or_erratum(EXACT[name]) for name in ERRATA}, notes_of_claims()
)
JUDGES: Mapping[str, Judge] = {
    **measured_claims(),
    **flach_kull.JUDGES,
    **boyd.JUDGES,
    **later_papers.JUDGES,
    **confirmation.JUDGES,
}
MEASURED = Rulebook(ledger(), JUDGES, notes_of_claims())


def exact_claims() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return claims.csv and claims_values.csv for the claims that need no data."""
    return _tables([MATHEMATICS], Evidence(Path(), ""))


def judge_claims(evidence: Evidence, further: Sequence[Rulebook] = ()) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return claims.csv with a row for each claim, and claims_values.csv with a row for each of its numbers.

    A claim has no row if the study does not make the table or does not have the tasks that the claim is
    about. It has a row if the data are too few to decide it, and if its experiment failed.
    """
    return _tables([MEASURED, *further], evidence)


def _tables(rulebooks: Iterable[Rulebook], evidence: Evidence) -> tuple[pd.DataFrame, pd.DataFrame]:
    claims, values = [], []
    for rulebook in rulebooks:
        for name, rows in rulebook.values.groupby("id", sort=False):
            finding = rulebook.judge(name, evidence) if name in rulebook.judges else None
            if finding is not None:
                by_name = {item.name: item for item in finding.items}
                items = [by_name.get(item, Item(item)) for item in rows["item"]]
                claims.append(_claim(rows, items, finding))
                values.append(_values(rows, items))
    no_values = pd.DataFrame(columns=VALUE_COLUMNS)
    return pd.DataFrame(claims, columns=CLAIM_COLUMNS), pd.concat(values) if values else no_values


def _values(rows: pd.DataFrame, items: list[Item]) -> pd.DataFrame:
    numbers = pd.DataFrame(items, rows.index, dtype=float, columns=["here", "low", "high", "n"])
    rule = rows[["rule", "amended"]].iloc[0]
    return rows.rename(columns={"value": "published"}).assign(**rule).join(numbers)[[*VALUE_COLUMNS]]


def _claim(rows: pd.DataFrame, items: list[Item], finding: Finding) -> dict[str, object]:
    def cell(texts: list[str]) -> str:
        return "; ".join(texts) if any(texts) else ""

    return {
        **rows[["id", "claim"]].iloc[0],
        "published": cell(
            [f"{row.value} %" if row.unit == "%" and row.value else row.value for row in rows.itertuples()]
        ),
        **{end: cell([_text(getattr(item, end)) for item in items]) for end in ("here", "low", "high")},
        "n": cell(sorted({str(item.n) for item in items if item.n is not None})),
        "verdict": finding.verdict.value,
        "note": finding.note,
    }


def _text(number: float) -> str:
    return "" if isnan(number) else f"{number:.4g}" if abs(number) < 1000 else f"{number:.0f}"
