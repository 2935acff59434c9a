"""The published claims as a reader meets them: by paper, with numbers, the verdict in a few words and the rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from aucstudy.presentation.phrases import listed
from aucstudy.report.wording import in_percent, number, significant, with_zero

from aucstudy.claims.verdicts import Evidence, Verdict, side_of
from aucstudy.published.values import RULES_FIXED

PAPERS = {
    "FK": "Flach & Kull 2015, Precision-Recall-Gain curves",
    "B": "Boyd et al. 2012, Unachievable region in precision-recall space",
    "L": "Later papers",
}
# the ids C1, C2, ... are not published claims: docs/confirmation.md
RULES = "Rules of confirmation: what this study says to the answers of the default study"
# what follows from mathematics or from the papers' own tables needs no data
ARITHMETIC = (
    Verdict.EXACT,
    Verdict.WITHIN_ROUNDING,
    Verdict.DOES_NOT_COME_OUT,
    Verdict.BY_CONSTRUCTION,
)
WORDS: dict[str, str] = {
    Verdict.EXACT: "exact",
    Verdict.WITHIN_ROUNDING: "exact within rounding",
    Verdict.DOES_NOT_COME_OUT: "does not come out",
    Verdict.BY_CONSTRUCTION: "agrees by construction",
    Verdict.SUPPORTS: "supported",
    Verdict.CONTRADICTS: "contradicted",
    Verdict.UNDECIDED: "undecided",
}
OTHER_TASKS = (Verdict.INSIDE, Verdict.BELOW, Verdict.ABOVE, Verdict.BOTH_SIDES)
ON_OTHER_TASKS = "measured on other tasks than the paper's"
MEANING = {
    "exact, does not come out": "what follows from mathematics or from a paper's own tables, at the printed digit or "
    "not",
    "supported, contradicted, undecided": "what these data say to a claim, by a rule with a margin. Contradicted: the "
    "effect goes the other way, or is smaller than the margin that its rule names, or what was called alike "
    "differs. It means that this study's tasks, learners and measure do not show what the claim says, by that rule: "
    "not that the paper's own numbers are wrong, nor that the claim fails in every sense of its words",
    "other tasks": "a number that a paper found on its tasks and this study on others, and on which side of our 95 % "
    "intervals it lies: never called a reproduction",
    "not available": "what needs data that this study does not have",
    "rules": RULES_FIXED,
}


@dataclass(frozen=True)
class Number:
    """One number of a claim in words: name, as published, as found here, interval; "" where there is none."""

    name: str
    published: str
    here: str
    interval: str


@dataclass(frozen=True)
class Claim:
    """One claim of the ledger; `arithmetic` if no data are needed to judge it."""

    id: str
    claim: str
    numbers: Sequence[Number]
    verdict: str
    note: str
    rule: str
    arithmetic: bool


def ledger(evidence: Evidence) -> dict[str, list[Claim]]:
    """The claims of each paper, in the order of claims.csv."""
    by_id = items_by_claim(evidence)
    papers: dict[str, list[Claim]] = {}
    for row in evidence.table("claims").fillna("").itertuples():
        items = by_id[row.id]
        numbers = [_number(item) for item in items]
        claim = Claim(row.id, row.claim, numbers, verdict_words(row.verdict, items), row.note, items[0]["rule"],
                      row.verdict in ARITHMETIC)  # fmt: skip
        papers.setdefault(PAPERS.get(row.id.split("-")[0], RULES), []).append(claim)
    return papers


def verdict_words(verdict: str, items: Sequence[Mapping[str, Any]]) -> str:
    """A verdict in a few words; a number found on other tasks by the side of the interval on which the paper's lies.

    Parameters
    ----------
    items : the claim's rows of claims_values.csv.
    """
    if verdict not in OTHER_TASKS:
        return WORDS.get(verdict, verdict)
    sides: dict[str, list[str]] = {"inside": [], "below": [], "above": []}
    for item in items:
        side = side_of(float(item["published"]), item["low"], item["high"])
        sides[side].append(with_zero(item["published"]))
    placed = ", ".join(f"{listed(numbers)} {side}" for side, numbers in sides.items() if numbers)
    return f"other tasks: published {placed} our intervals"


def items_by_claim(evidence: Evidence) -> dict[str, list[dict]]:
    """The rows of claims_values.csv by claim, "" where there is none."""
    values = evidence.table("claims_values").fillna("")
    return {name: rows.to_dict("records") for name, rows in values.groupby("id")}


def verdict_counts(evidence: Evidence) -> dict[str, int]:
    """How many published claims have each verdict, those that data were needed for first."""
    claims = evidence.table("claims")
    published = claims["id"].str.split("-").str[0].isin(PAPERS)
    counts = claims.loc[published, "verdict"].value_counts()
    order = [verdict for verdict in Verdict if verdict not in ARITHMETIC] + list(ARITHMETIC)
    known = [verdict for verdict in order if verdict in counts.index]
    counted: dict[str, int] = {}
    for verdict in (*known, *(verdict for verdict in counts.index if verdict not in known)):
        words = ON_OTHER_TASKS if verdict in OTHER_TASKS else WORDS.get(verdict, verdict)
        counted[words] = counted.get(words, 0) + int(counts[verdict])
    return counted


def counts_sentence(evidence: Evidence) -> str:
    """How many claims were judged and how, in one sentence."""
    counts = verdict_counts(evidence)
    judged = [f"{count} {name}".replace("does not", "that do not") for name, count in counts.items()]
    return f"{sum(counts.values())} published claims: {listed(judged)}."


def _number(item: dict) -> Number:
    percent = " %" if item["unit"] == "%" else ""
    here, interval = significant(item["here"]), ""
    if item["low"] != "":
        ends = pd.Series({key: float(item[key]) for key in ("here", "low", "high")})
        worded = in_percent(ends, "here") if percent else number(ends, "here")
        here, interval = worded.removesuffix(")").split(" (")
    published = f"{with_zero(str(item['published']))}{percent}" if item["published"] != "" else ""
    return Number(item["item"], published, f"{here}{percent}" if here else "", interval)
