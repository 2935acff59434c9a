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
from aucstudy.experiments.quantities import WEIGHTS
from aucstudy.published import ledger
from aucstudy.study_folder.files import CLAIMS, JUDGES_OF_CLAIMS
from aucstudy.study_folder.modules import import_file

# These numbers are misprinted, are rounded or do not fit one another. They are errata (docs/errata.md), not
# claims.
ERRATA = ("FK-pop-plotted", "B-range-genre", "B-tab2-gender", "B-tab2-genre", "B-ri", "B-fig4-B")
# A number and its interval by the weight with which the claim is judged, and by the other weight.
NUMBERS = ("here", "low", "high", "n", "n_sources")
OTHERWISE = tuple(f"other_{name}" for name in NUMBERS)
CLAIM_COLUMNS = (
    "id", "claim", "published", "weight", *NUMBERS, "verdict", "other_weight", *OTHERWISE, "other_verdict", "note",
)  # fmt: skip
VALUE_COLUMNS = (
    "id", "item", "published", "weight", *NUMBERS, "other_weight", *OTHERWISE, "unit", "place", "rule", "amended",
)  # fmt: skip


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

    def weight(self, name: str, evidence: Evidence) -> str:
        """Return the weight with which a claim is judged: its own, or else that of the study."""
        own = self.values.get("weight", pd.Series("", self.values.index))[self.values["id"] == name]
        return next(filter(None, own), evidence.weight)

    def judge(self, name: str, evidence: Evidence, weight: str = "") -> Finding | None:
        """Return what a study finds on a claim by a weight, or None if it does not decide the claim.

        Without a weight, the claim is judged by its own.
        """
        rows = self.values[self.values["id"] == name]
        printed = {row.item: Decimal(row.value) for row in rows.itertuples() if row.value}
        weight = weight or self.weight(name, evidence)
        claim = Claim(name, tuple(rows["item"]), printed, evidence, self.notes, weight)
        return found(self.judges[name], claim)


def _or_erratum(judge: Judge) -> Judge:
    """Return a judge whose verdict is "erratum" where that of `judge` is "does not come out"."""

    def judged(claim: Claim) -> Finding | None:
        finding = judge(claim)
        if finding is None or finding.verdict is not Verdict.DOES_NOT_COME_OUT:
            return finding
        return replace(finding, verdict=Verdict.ERRATUM)

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
            if finding is None:
                continue
            weight, other = rulebook.weight(name, evidence), None
            weights = {"weight": weight if finding.weighed else ""}
            if finding.weighed:
                (weights["other_weight"],) = set(WEIGHTS) - {weight}
                other = rulebook.judge(name, evidence, weights["other_weight"])
            # Some rules know only one weight.
            if other is None or not other.items:
                weights["other_weight"], other = "", None
            claims.append(_claim(rows, finding, other, weights))
            values.append(_values(rows, finding, other, weights))
    no_values = pd.DataFrame(columns=VALUE_COLUMNS)
    return pd.DataFrame(claims, columns=CLAIM_COLUMNS), pd.concat(values) if values else no_values


def _items(rows: pd.DataFrame, finding: Finding | None) -> list[Item]:
    by_name = {item.name: item for item in finding.items} if finding else {}
    return [by_name.get(item, Item(item)) for item in rows["item"]]


def _values(
    rows: pd.DataFrame, finding: Finding, other: Finding | None, weights: Mapping[str, str]
) -> pd.DataFrame:
    rule = {"weight": "", "other_weight": ""} | rows[["rule", "amended"]].iloc[0].to_dict() | weights
    numbers = [
        pd.DataFrame(
            [_of_item(item) for item in _items(rows, of_weight)], rows.index, dtype=float, columns=[*NUMBERS]
        )
        for of_weight in (finding, other)
    ]
    joined = numbers[0].join(numbers[1].add_prefix("other_"))
    values = rows.drop(columns="weight", errors="ignore").rename(columns={"value": "published"})
    return values.assign(**rule).join(joined)[[*VALUE_COLUMNS]]


def _of_item(item: Item) -> dict[str, float | int | None]:
    return {"here": item.here, "low": item.low, "high": item.high, "n": item.n, "n_sources": item.n_groups}


def _claim(
    rows: pd.DataFrame, finding: Finding, other: Finding | None, weights: Mapping[str, str]
) -> dict[str, object]:
    def cell(texts: list[str]) -> str:
        return "; ".join(texts) if any(texts) else ""

    def numbers(of_weight: Finding | None) -> dict[str, str]:
        cells = [_of_item(item) for item in _items(rows, of_weight)]
        texts = {end: cell([_text(row[end]) for row in cells]) for end in ("here", "low", "high")}
        counts = {
            count: cell(sorted({str(row[count]) for row in cells if row[count] is not None}))
            for count in ("n", "n_sources")
        }
        return texts | counts

    return {
        **rows[["id", "claim"]].iloc[0],
        "published": cell(
            [f"{row.value} %" if row.unit == "%" and row.value else row.value for row in rows.itertuples()]
        ),
        **weights,
        **numbers(finding),
        **{f"other_{name}": text for name, text in numbers(other).items()},
        "verdict": finding.verdict.value,
        "other_verdict": other.verdict.value if other else "",
        "note": finding.note,
    }


def _text(number: float) -> str:
    return "" if isnan(number) else f"{number:.4g}" if abs(number) < 1000 else f"{number:.0f}"
