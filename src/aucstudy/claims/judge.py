"""The judge of all claims: it looks up the numbers of an entry, applies its rule, and writes the tables of verdicts."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from math import isnan
from pathlib import Path

import pandas as pd

from aucstudy.claims.confirmation import judged_as_written
from aucstudy.claims.entries import FOLDER, Entry, Number, entries
from aucstudy.claims.verdicts import (
    Claim,
    Evidence,
    Finding,
    Item,
    Judge,
    Verdict,
    closed_gap,
    found,
    item_of,
    largest,
    margin_of,
    measured,
    replication,
)
from aucstudy.store.estimates import WEIGHTS

# A number and its interval by the weight with which the claim is judged, and by the other weight.
NUMBERS = ("here", "low", "high", "n", "n_sources")
OTHERWISE = tuple(f"other_{name}" for name in NUMBERS)
CLAIM_COLUMNS = (
    "id", "claim", "published", "weight", *NUMBERS, "verdict", "other_weight", *OTHERWISE, "other_verdict", "note",
)  # fmt: skip
VALUE_COLUMNS = (
    "id", "item", "published", "weight", *NUMBERS, "other_weight", *OTHERWISE, "unit", "place", "rule", "amended",
)  # fmt: skip
# Claims of the first kinds are judged from the tables of a study, and those of the others follow without data.
MEASURED = ("measured on the paper's data", "measured on other data")
EXACT = ("theorem", "arithmetic of printed numbers", "consistent by construction")
CONFIRMATION = "C"


def judge_claims(
    evidence: Evidence, claims: Mapping[str, Entry] | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return claims.csv with a row for each claim, and claims_values.csv with a row for each of its numbers.

    A claim has no row if the study does not make the table or does not have the tasks that the claim is
    about. It has a row if the data are too few to decide it, and if its experiment failed.
    """
    return _tables(_of_kinds(claims, MEASURED), evidence)


def exact_claims() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return claims.csv and claims_values.csv for the claims that need no data."""
    return _tables(_of_kinds(None, EXACT), Evidence(Path(), ""))


def _of_kinds(claims: Mapping[str, Entry] | None, kinds: Iterable[str]) -> list[Entry]:
    claims = entries() if claims is None else claims
    return [entry for entry in claims.values() if entry.kind in kinds]


def finding_on(entry: Entry, evidence: Evidence, weight: str = "") -> Finding | None:
    """Return what a study finds on a claim by a weight, or None if it does not decide the claim.

    Without a weight, the claim is judged by its own, or else by that of the study.
    """
    claim = Claim(entry, evidence, weight or entry.get("weight", evidence.weight))
    judge = judge_of(entry)
    if entry.source == CONFIRMATION:
        return judged_as_written(claim, judge)
    finding = found(judge, claim)
    if finding and entry.get("otherwise") and finding.verdict is Verdict.DOES_NOT_COME_OUT:
        return replace(finding, verdict=Verdict(entry["otherwise"]))
    return finding


def judge_of(entry: Entry) -> Judge:
    """Return the function that judges a claim: the one that its entry names, or else `judged_by_estimates`."""
    if entry.query is not None:
        return judged_by_estimates
    arguments = dict(entry["judge"])
    module, function = arguments.pop("function").split(".")
    return partial(getattr(_module(entry.file, module), function), **arguments)


def _module(file: Path, name: str) -> Callable:
    if file.parent == FOLDER:
        return import_module(f"aucstudy.claims.{name}")
    from aucstudy.study_folder.modules import import_file  # Only a study with claims of its own needs it.

    return import_file(file.with_name(f"{name}.py"))


def judged_by_estimates(claim: Claim) -> Finding:
    """Judge a claim by the estimates that its entry names.

    The note may name a column of the last row and the numbers of `noted`. It may also name the number of
    conditions (`margins`) and how many of these hold in the whole interval (`surely`).
    """
    query, items, margins = claim.entry.query, [], []
    for name, number in claim.entry.numbers.items():
        row = _row(claim, number)
        items.append(_item(name, number, row))
        if number.holds:
            margins.append(margin_of(number.holds)(items[-1]))
    facts = {name: _item(name, number, _row(claim, number)).here for name, number in query.noted.items()}
    facts |= {"margins": len(margins), "surely": sum(margin.low > 0 for margin in margins)}
    note = claim.note(**{**row, **facts})
    if query.scale is not None:
        is_same = claim.evidence.same_population
        return replication(items, claim.printed, same_population=is_same, scale=query.scale, note=note)
    margins = [largest(margins)] if query.one_suffices else margins
    return measured(items, margins, note, matters=query.matters)


def _row(claim: Claim, number: Number) -> pd.Series:
    known = [number.most] if number.most else []
    rows = claim.estimates(claim.entry.query.experiment, known=known, **number.row)
    return rows.loc[rows[number.most].idxmax()] if number.most else rows.iloc[0]


def _item(name: str, number: Number, row: pd.Series) -> Item:
    return closed_gap(name, row) if number.closed else item_of(name, row, factor=number.times)


def _tables(claims: Iterable[Entry], evidence: Evidence) -> tuple[pd.DataFrame, pd.DataFrame]:
    verdicts, values = [], []
    for entry in claims:
        finding, other = finding_on(entry, evidence), None
        if finding is None:
            continue
        weight = entry.get("weight", evidence.weight)
        weights = {"weight": weight if finding.weighed else "", "other_weight": ""}
        if finding.weighed:
            (other_weight,) = set(WEIGHTS) - {weight}
            other = finding_on(entry, evidence, other_weight)
            # Some rules know only one weight.
            other = other if other and other.items else None
            weights["other_weight"] = other_weight if other else ""
        verdicts.append(_claim(entry, finding, other, weights))
        values += _values(entry, finding, other, weights)
    return pd.DataFrame(verdicts, columns=CLAIM_COLUMNS), _typed(pd.DataFrame(values, columns=VALUE_COLUMNS))


def _typed(values: pd.DataFrame) -> pd.DataFrame:
    return values.astype(dict.fromkeys((*NUMBERS, *OTHERWISE), float))


def _items(entry: Entry, finding: Finding | None) -> list[Item]:
    by_name = {item.name: item for item in finding.items} if finding else {}
    return [by_name.get(name, Item(name)) for name in entry.numbers]


def _values(
    entry: Entry, finding: Finding, other: Finding | None, weights: Mapping[str, str]
) -> list[dict[str, object]]:
    told = {"id": entry.id, **weights, "place": entry.place, "rule": entry.rule, "amended": entry.amended}
    return [
        {
            **told,
            "item": name,
            "published": number.printed,
            "unit": number.unit,
            **_of_item(item),
            **{f"other_{column}": value for column, value in _of_item(other_item).items()},
        }
        for (name, number), item, other_item in zip(
            entry.numbers.items(), _items(entry, finding), _items(entry, other), strict=True
        )
    ]


def _of_item(item: Item) -> dict[str, float | int | None]:
    return {"here": item.here, "low": item.low, "high": item.high, "n": item.n, "n_sources": item.n_groups}


def _claim(
    entry: Entry, finding: Finding, other: Finding | None, weights: Mapping[str, str]
) -> dict[str, object]:
    def cell(texts: list[str]) -> str:
        return "; ".join(texts) if any(texts) else ""

    def numbers(of_weight: Finding | None) -> dict[str, str]:
        cells = [_of_item(item) for item in _items(entry, of_weight)]
        texts = {end: cell([_text(row[end]) for row in cells]) for end in ("here", "low", "high")}
        counts = {
            count: cell(sorted({str(row[count]) for row in cells if row[count] is not None}))
            for count in ("n", "n_sources")
        }
        return texts | counts

    printed = [
        f"{number.printed} %" if number.unit == "%" and number.printed else number.printed
        for number in entry.numbers.values()
    ]
    return {
        "id": entry.id,
        "claim": entry["title"],
        "published": cell(printed),
        **weights,
        **numbers(finding),
        **{f"other_{name}": text for name, text in numbers(other).items()},
        "verdict": finding.verdict.value,
        "other_verdict": other.verdict.value if other else "",
        "note": finding.note,
    }


def _text(number: float) -> str:
    return "" if isnan(number) else f"{number:.4g}" if abs(number) < 1000 else f"{number:.0f}"
