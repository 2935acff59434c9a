"""Every published claim and every rule of confirmation beside the study's numbers, with its verdict."""

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
from aucstudy.study_folder import CLAIMS, JUDGES_OF_CLAIMS, import_file

# numbers that are misprinted or rounded, or do not fit one another: docs/errata.md, not claims to be judged
ERRATA = ("FK-pop-plotted", "B-range-genre", "B-tab2-gender", "B-tab2-genre", "B-ri", "B-fig4-B")
CLAIM_COLUMNS = ("id", "claim", "published", "here", "low", "high", "n", "verdict", "note")
VALUE_COLUMNS = ("id", "item", "published", "here", "low", "high", "n", "unit", "place", "rule", "amended")


@dataclass(frozen=True)
class Rulebook:
    """Claims, who judges each, and the words of their notes.

    Attributes
    ----------
    values : rows as of `published.ledger`.
    judges : by the id of a claim; claims without a judge are passed over.
    notes : by the id of a claim, or by id and case; a judge fills in what stands in braces.
    """

    values: pd.DataFrame
    judges: Mapping[str, Judge]
    notes: Mapping[str, str | Mapping[str, str]]

    @classmethod
    def of_folder(cls, folder: Path) -> "Rulebook":
        """A study's own: claims.csv with the columns of values.csv, claims.py with JUDGES and, if it has any, NOTES."""
        module = import_file(folder / JUDGES_OF_CLAIMS)
        return cls(ledger(folder / CLAIMS), module.JUDGES, getattr(module, "NOTES", {}))

    def judge(self, name: str, evidence: Evidence) -> Finding | None:
        """What a study says to a claim; None where it does not decide it."""
        rows = self.values[self.values["id"] == name]
        printed = {row.item: Decimal(row.value) for row in rows.itertuples() if row.value}
        return found(self.judges[name], Claim(name, tuple(rows["item"]), printed, evidence, self.notes))


def _or_erratum(judge: Judge) -> Judge:
    """A judge that calls what does not come out an erratum."""

    def judged(claim: Claim) -> Finding:
        finding = judge(claim)
        does_not = finding.verdict is Verdict.DOES_NOT_COME_OUT
        return replace(finding, verdict=Verdict.ERRATUM) if does_not else finding

    return judged


EXACT: Mapping[str, Judge] = {**flach_kull.EXACT, **theorems.EXACT, **boyd.EXACT, **later_papers.EXACT}
# what follows from mathematics or from the papers' own tables, whatever a study finds
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
    """claims.csv and claims_values.csv of the claims that need no data."""
    return _tables([MATHEMATICS], Evidence(Path(), ""))


def judge_claims(evidence: Evidence, further: Sequence[Rulebook] = ()) -> tuple[pd.DataFrame, pd.DataFrame]:
    """claims.csv, with a row for each claim that the study decides, and claims_values.csv, with one for each number.

    A claim has no row where the study does not make the table, or has not the tasks, that it is about. It has one where
    too few data decide nothing, and where the experiment failed.
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
