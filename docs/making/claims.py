"""The claims as the pages show them: numbers with their names, verdicts in words, and what other studies say."""

from collections import Counter
from dataclasses import dataclass
from functools import cache

import pandas as pd
from by_source import findings_by_source
from committed import EXACT, Study, Tables, committed
from experiments import COMMITTED

from aucstudy.claims.verdicts import Finding, Verdict, side_of
from aucstudy.config import STUDIES
from aucstudy.published import described as plain_words
from aucstudy.published import ledger, not_decided
from aucstudy.published.described import amendments, place_and_address, with_unit
from aucstudy.report.front_page import PAPERS, WORDS, source_of, verdict_counts
from aucstudy.study_folder.files import CLAIMS
from aucstudy.wording import with_zero

COUNTED_TITLES = tuple(PAPERS[key] for key in ("FK", "B", "L"))
FIRST = "wide"  # the study whose verdict is shown, where it has one
BESIDE = ("default", "weka")
ORDER = (EXACT, FIRST, *(study for study in COMMITTED if study != FIRST))


@cache
def described() -> dict[str, dict]:
    """Return the plain words of all claims: those of the package and those that studies bring."""
    return plain_words.described(tuple(sorted(file.parent for file in STUDIES.glob(f"*/{CLAIMS}"))))


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

    def by_source(self, name: str, study: str = FIRST) -> Finding | None:
        """What a study says to a claim with each source of data counted once, None where its tables cannot say it."""
        return findings_by_source(study, self.tables).get(name)

    def verdict(self, name: str, study: str = "", *, weighted: str = "source") -> str:
        """A verdict in words: with each source counted once where that can be computed, or as claims.csv has it."""
        study = study or self.study(name)
        counted_once = (
            self.by_source(name, study) if weighted == "source" and study in (FIRST, *BESIDE) else None
        )
        verdict = counted_once.verdict if counted_once else self.verdicts(study)[name]
        return WORDS.get(verdict, verdict)

    def elsewhere(self, name: str) -> dict[str, str]:
        """The verdicts of the other studies that differ from the one that is shown."""
        study = self.study(name)
        deciding = (other for other in BESIDE if other != study and name in self.verdicts(other))
        others = {other: self.verdict(name, other) for other in deciding}
        return {
            other: words
            for other, words in others.items()
            if words.removeprefix("exploratory: ") != self.verdict(name)
        }

    @property
    def both_ways(self) -> dict[str, Finding]:
        """The claims of papers and of this study that can be judged with each source counted once."""
        findings = findings_by_source(FIRST, self.tables)
        return {name: findings[name] for name in described() if name in findings}

    @property
    def rest_on_data(self) -> list[str]:
        """The ids of the claims of papers whose verdict rests on measurements."""
        names = [name for title, ids in self.papers.items() if title in COUNTED_TITLES for name in ids]
        return [name for name in names if self.verdicts(self.study(name))[name].startswith("measured: ")]

    @property
    def not_decided(self) -> dict[str, str]:
        """Why, by the id of a claim that no committed study decides."""
        return not_decided()

    @property
    def counts_by_paper(self) -> dict[str, Counter[str]]:
        """How many of the claims have each verdict, by whose claims they are."""
        names = [name for of_paper in self.papers.values() for name in of_paper]
        verdicts = {name: self._counted(name) for name in names}
        return verdict_counts(pd.Series(verdicts))

    def _counted(self, name: str) -> Verdict:
        finding = self.by_source(name) if self.study(name) == FIRST else None
        return finding.verdict if finding else Verdict(self.verdicts(self.study(name))[name])

    @property
    def counts(self) -> Counter[str]:
        """How many of the published claims have each verdict."""
        return sum(self.counts_by_paper.values(), Counter())

    def printed(self, name: str) -> str:
        """The published numbers of a claim, "" where there is none."""
        return ", ".join(with_zero(value) for value in _ledger().loc[[name], "value"] if value)

    def claim(self, name: str) -> pd.Series:
        """The row of claims.csv."""
        return Study(self.study(name), self.tables).row("claims", id=name)

    def place(self, name: str) -> str:
        """Where a claim is made; one of the two papers is named in the heading, another is linked."""
        place, address = place_and_address(_ledger().loc[[name], "place"].iloc[0])
        return f"[{place}]({address})" if address else place

    def amended(self, name: str) -> str:
        """When and why the rule of a claim was changed, "" where it was not."""
        return self.values(name)["amended"].fillna("").iloc[0]

    @property
    def amendments(self) -> dict[tuple[str, str], list[str]]:
        """The ids of the claims whose rule was changed, by the date and what was changed, in the order of the dates."""
        amended: dict[tuple[str, str], list[str]] = {}
        for name in (name for names in self.papers.values() for name in names):
            for amendment in amendments(self.amended(name)):
                amended.setdefault(amendment, []).append(name)
        return dict(sorted(amended.items(), key=lambda change: change[0][0]))

    @property
    def were_amended(self) -> list[str]:
        """The ids of the claims whose rule was changed after it was first committed."""
        return [name for name in self.rest_on_data if self.amended(name)]

    def values(self, name: str, study: str = "") -> pd.DataFrame:
        """The rows of claims_values.csv of a claim, by item."""
        return Study(study or self.study(name), self.tables).rows("claims_values", id=name).set_index("item")

    def sides(self, name: str) -> list[str]:
        """On which sides of our intervals the published numbers lie, each side once."""
        rows = self.values(name).itertuples()
        return sorted({side_of(float(row.published), row.low, row.high) for row in rows})

    def rule(self, name: str) -> str:
        """The rule that decides a claim, as it is published."""
        return _ledger().loc[[name], "rule"].iloc[0]

    def numbers(self, name: str, *, weighted: str = "task") -> str:
        """The numbers of a claim that its page shows, each with what it is, its interval and its unit."""
        facts, values = described()[name], self._shown(name, weighted)
        shown = [(words, values.loc[item]) for item, words in facts.get("numbers", {}).items()]
        return "; ".join(f"{words}: {with_unit(row, facts)}" for words, row in shown if pd.notna(row["here"]))

    def printed_beside(self, name: str) -> str:
        """What the paper prints for the numbers that the page shows, "" if it prints none or the deviation 0."""
        items = list(described()[name].get("numbers", {}))
        printed = [with_zero(value) for value in self.values(name)["published"][items].fillna("") if value]
        return "" if set(printed) <= {"0"} else ", ".join(printed)

    def how_many(self, name: str, *, weighted: str = "task") -> str:
        """How many tasks or sources each number that is shown rests on."""
        items = list(described()[name].get("numbers", {}))
        counts = self._shown(name, weighted)["n"][items].dropna().astype(int)
        return " and ".join(map(str, dict.fromkeys(counts)))

    def _shown(self, name: str, weighted: str) -> pd.DataFrame:
        values = self.values(name)
        finding = self.by_source(name) if weighted == "source" else None
        return values if finding is None else _values(finding, values)


def _values(finding: Finding, committed_values: pd.DataFrame) -> pd.DataFrame:
    """The numbers of a finding in the form of claims_values.csv, n being the number of sources."""
    rows = {
        item.name: {"here": item.here, "low": item.low, "high": item.high, "n": item.n_groups}
        for item in finding.items
    }
    return pd.DataFrame.from_dict(rows, orient="index").join(committed_values["unit"])
