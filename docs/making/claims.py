"""The claims as the pages show them: numbers in a cell, the verdict in a few words, and where other studies differ."""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd
import yaml
from committed import EXACT, Study, Tables, committed, hundredths
from experiments import COMMITTED

from aucstudy.claims.verdicts import Verdict, side_of
from aucstudy.config import STUDIES
from aucstudy.published import ledger, not_decided
from aucstudy.report.front_page import PAPERS, WORDS, source_of, verdict_counts
from aucstudy.study_folder import CLAIMS
from aucstudy.wording import number, with_zero

FIRST = "wide"  # the study whose verdict stands, where it has one
BESIDE = ("default", "weka")
ORDER = (EXACT, FIRST, *(study for study in COMMITTED if study != FIRST))
SHOWN = 3
NOTHING = "–"
ROUNDING = 1e-9


@cache
def described() -> dict[str, dict]:
    """claims.yaml."""
    return yaml.safe_load(Path(__file__).with_name("claims.yaml").read_text(encoding="utf-8"))


@cache
def _ledger() -> pd.DataFrame:
    """The rows of all published values, by the id of their claim: the package's, then those that studies bring."""
    return pd.concat([ledger(), *map(ledger, sorted(STUDIES.glob(f"*/{CLAIMS}")))]).set_index("id")


@dataclass(frozen=True)
class Ledger:
    """The claims of the committed studies."""

    tables: Tables = committed

    def verdicts(self, study: str) -> pd.Series:
        """The verdicts of a study by id, as claims.csv has them."""
        return Study(study, self.tables).table("claims").set_index("id")["verdict"]

    @property
    def errata(self) -> list[str]:
        """The ids of what is no claim but a misprint, or numbers that do not fit one another."""
        verdicts = self.verdicts(EXACT)
        return list(verdicts.index[verdicts == Verdict.ERRATUM])

    @property
    def papers(self) -> dict[str, list[str]]:
        """The ids of the claims that are decided, in the order of the ledger, under the title of each paper."""
        ids = [name for name in _ledger().index.unique() if name not in (*self.errata, *not_decided())]
        of_papers = {title: [name for name in ids if source_of(name) == key] for key, title in PAPERS.items()}
        return {title: names for title, names in of_papers.items() if names}

    def study(self, name: str) -> str:
        """The study that speaks to a claim: the first that decides it, or the first with too few data for it."""
        deciding = [study for study in ORDER if name in self.verdicts(study)]
        with_data = (s for s in deciding if self.verdicts(s)[name] != Verdict.TOO_FEW_DATA)
        return next(with_data, deciding[0])

    def verdict(self, name: str, study: str = "") -> str:
        """A verdict in words."""
        verdict = self.verdicts(study or self.study(name))[name]
        return WORDS.get(verdict, verdict)

    def elsewhere(self, name: str) -> dict[str, str]:
        """The verdicts of the other studies that differ from the one that stands."""
        study = self.study(name)
        deciding = (other for other in BESIDE if other != study and name in self.verdicts(other))
        others = {other: self.verdict(name, other) for other in deciding}
        return {
            other: words
            for other, words in others.items()
            if words.removeprefix("exploratory: ") != self.verdict(name)
        }

    @property
    def not_decided(self) -> dict[str, str]:
        """Why, by the id of a claim that no committed study decides."""
        return not_decided()

    @property
    def counts_by_paper(self) -> dict[str, Counter[str]]:
        """How many of the rows shown have each verdict, by whose claims they are."""
        names = [name for of_paper in self.papers.values() for name in of_paper]
        return verdict_counts(pd.Series({name: self.verdicts(self.study(name))[name] for name in names}))

    @property
    def counts(self) -> Counter[str]:
        """How many rows of published claims have each verdict."""
        return sum(self.counts_by_paper.values(), Counter())

    def printed(self, name: str) -> str:
        """The published numbers of a claim, "" where there is none."""
        return ", ".join(with_zero(value) for value in _ledger().loc[[name], "value"] if value)

    def link(self, name: str) -> str:
        """Where the numbers of a claim stand, as docs/claims.md links them, and the study if it is not the first."""
        study = self.study(name)
        if study == EXACT:
            return "(../results/papers/claims_values.csv)"
        beside = "" if study == FIRST else f", `{study}`"
        return f"(../results/{study}/tables/claims_values.csv){beside}"

    def claim(self, name: str) -> pd.Series:
        """The row of claims.csv."""
        return Study(self.study(name), self.tables).row("claims", id=name)

    def place(self, name: str) -> str:
        """Where a claim is made; one of the two papers is named in the heading, another is linked."""
        place = _ledger().loc[[name], "place"].iloc[0].removeprefix("this study, ")
        for paper in ("Flach & Kull 2015, ", "Boyd et al. 2012, "):
            place = place.removeprefix(paper)
        place, _, address = place.partition(", doi ")
        place, _, preprint = place.partition(", arXiv ")
        if preprint:
            return f"[{place}](https://arxiv.org/abs/{preprint})"
        return f"[{place}](https://doi.org/{address})" if address else place

    def amended(self, name: str) -> str:
        """When and why the rule of a claim was changed, "" where it was not."""
        return self.values(name)["amended"].fillna("").iloc[0]

    def values(self, name: str, study: str = "") -> pd.DataFrame:
        """The rows of claims_values.csv of a claim, by item."""
        return Study(study or self.study(name), self.tables).rows("claims_values", id=name).set_index("item")

    def sides(self, name: str) -> list[str]:
        """On which sides of our intervals the published numbers lie, each side once."""
        rows = self.values(name).itertuples()
        return sorted({side_of(float(row.published), row.low, row.high) for row in rows})

    def cells(self, name: str) -> tuple[str, str]:
        """The published numbers, and those measured here with intervals, of the items that the table shows."""
        values, facts = self.values(name), described()[name]
        rows = [values.loc[item] for item in facts.get("show") or values.index[:SHOWN]]
        unit = facts.get("in") or ("%" if rows[0]["unit"] == "%" else "")
        printed = [with_zero(row["published"]) for row in rows if row["published"]]
        here = [_here(row, unit) for row in rows if pd.notna(row["here"])]
        return tuple(
            f"{', '.join(numbers)} {unit}".rstrip() if numbers else NOTHING for numbers in (printed, here)
        )


def _here(row: pd.Series, unit: str) -> str:
    if abs(row["here"]) < ROUNDING:
        return "0"
    if not unit:
        return number(row, "here")
    return hundredths(row, "here", 1 if row["unit"] == "%" else 100)
