"""The claims as docs/claims.md shows them: numbers with their names, verdicts in words, and the tables of the page."""

from collections import Counter
from dataclasses import dataclass
from functools import cache

import pandas as pd
from committed import EXACT, Study, Tables, committed
from experiments import COMMITTED

from aucstudy.claims.verdicts import Verdict
from aucstudy.config import STUDIES
from aucstudy.published import described as plain_words
from aucstudy.published import ledger, not_decided
from aucstudy.published.described import amendments, place_and_address, with_unit
from aucstudy.report.front_page import PAPERS, WORDS, source_of, verdict_counts
from aucstudy.store.estimates import SOURCE, TASK
from aucstudy.study_folder.files import CLAIMS
from aucstudy.wording import listed, markdown_table, with_zero

COUNTED_TITLES = tuple(PAPERS[key] for key in ("FK", "B", "L"))
FIRST = "wide"  # The verdict of this study is shown, if it has one.
BESIDE = ("default", "weka")
ORDER = (EXACT, FIRST, *(study for study in COMMITTED if study != FIRST))


@cache
def described() -> dict[str, dict]:
    """Return the plain words of all claims: those of the package and those that studies bring."""
    return plain_words.described(tuple(sorted(file.parent for file in STUDIES.glob(f"*/{CLAIMS}"))))


@cache
def _ledger() -> pd.DataFrame:
    """Return the published values of the package, then those that studies bring, by the id of the claim."""
    return pd.concat([ledger(), *map(ledger, sorted(STUDIES.glob(f"*/{CLAIMS}")))]).set_index("id")


@dataclass(frozen=True)
class Ledger:
    """The claims of the committed studies."""

    tables: Tables = committed

    def verdicts(self, study: str) -> pd.Series:
        """Return the verdicts in a study's claims.csv, by the id of the claim."""
        return Study(study, self.tables).table("claims").set_index("id")["verdict"]

    @property
    def errata(self) -> list[str]:
        """The ids of the errata: misprints, and printed numbers that do not fit one another."""
        verdicts = self.verdicts(EXACT)
        return list(verdicts.index[verdicts == Verdict.ERRATUM])

    @property
    def papers(self) -> dict[str, list[str]]:
        """The ids of the claims that a study decides, by title in PAPERS and in the order of the ledger."""
        ids = [name for name in _ledger().index.unique() if name not in (*self.errata, *not_decided())]
        of_papers = {title: [name for name in ids if source_of(name) == key] for key, title in PAPERS.items()}
        return {title: names for title, names in of_papers.items() if names}

    def study(self, name: str) -> str:
        """Return the study whose verdict on a claim is shown.

        It is the first in ORDER with enough data, or else the first that has the claim.
        """
        deciding = [study for study in ORDER if name in self.verdicts(study)]
        with_data = (s for s in deciding if self.verdicts(s)[name] != Verdict.TOO_FEW_DATA)
        return next(with_data, deciding[0])

    def verdict(self, name: str, study: str = "") -> str:
        """Return a verdict in words."""
        verdict = self.verdicts(study or self.study(name))[name]
        return WORDS.get(verdict, verdict)

    def weight(self, name: str) -> str:
        """Return what counts once in a verdict, "task" or "source". It is "" if its numbers are no averages."""
        return str(self.claim(name).fillna("")["weight"])

    def both_verdicts(self, name: str) -> dict[str, str]:
        """Return the verdicts in words by what counts once, for numbers that are averages."""
        claim = self.claim(name).fillna("")
        verdicts = {claim["weight"]: claim["verdict"], claim["other_weight"]: claim["other_verdict"]}
        return {weight: WORDS.get(verdict, verdict) for weight, verdict in verdicts.items() if weight}

    def elsewhere(self, name: str) -> dict[str, str]:
        """Return, by study, the verdicts of the studies in BESIDE that differ from the one that is shown."""
        study = self.study(name)
        deciding = (other for other in BESIDE if other != study and name in self.verdicts(other))
        others = {other: self.verdict(name, other) for other in deciding}
        return {
            other: words
            for other, words in others.items()
            if words.removeprefix("exploratory: ") != self.verdict(name)
        }

    @property
    def both_ways(self) -> list[str]:
        """The ids of the claims of the study FIRST whose numbers were computed with either weight."""
        claims = Study(FIRST, self.tables).table("claims").set_index("id")
        weighed = claims.index[claims["other_weight"].fillna("") != ""]
        return [name for name in described() if name in weighed and self.study(name) == FIRST]

    @property
    def rest_on_data(self) -> list[str]:
        """The ids of the claims of papers whose verdict rests on measurements."""
        names = [name for title, ids in self.papers.items() if title in COUNTED_TITLES for name in ids]
        return [name for name in names if self.verdicts(self.study(name))[name].startswith("measured: ")]

    @property
    def counts_by_paper(self) -> dict[str, Counter[str]]:
        """The number of claims with each verdict: of the two papers, and of later papers."""
        names = [name for of_paper in self.papers.values() for name in of_paper]
        verdicts = {name: Verdict(self.verdicts(self.study(name))[name]) for name in names}
        return verdict_counts(pd.Series(verdicts))

    def claim(self, name: str) -> pd.Series:
        """Return the row of a claim in claims.csv of the study whose verdict is shown."""
        return Study(self.study(name), self.tables).row("claims", id=name)

    def place(self, name: str) -> str:
        """Return the place of a claim in its paper. A paper other than the two replicated ones is linked."""
        place, address = place_and_address(_ledger().loc[[name], "place"].iloc[0])
        return f"[{place}]({address})" if address else place

    def amended(self, name: str) -> str:
        """Return when and how the rule of a claim was changed, or "" if it was not."""
        return self.values(name)["amended"].fillna("").iloc[0]

    @property
    def amendments(self) -> dict[tuple[str, str], list[str]]:
        """The ids of the claims whose rule was changed, by (date, change), sorted by date."""
        amended: dict[tuple[str, str], list[str]] = {}
        for name in (name for names in self.papers.values() for name in names):
            for amendment in amendments(self.amended(name)):
                amended.setdefault(amendment, []).append(name)
        return dict(sorted(amended.items(), key=lambda change: change[0][0]))

    def values(self, name: str, study: str = "") -> pd.DataFrame:
        """Return the rows of a claim in claims_values.csv, by item."""
        return Study(study or self.study(name), self.tables).rows("claims_values", id=name).set_index("item")

    def numbers(self, name: str, *, other: bool = False) -> str:
        """Return our numbers of a claim as text, each with its name, its interval and its unit.

        With `other`, they are those of the weight that does not decide.
        """
        facts, values = described()[name], self.values(name)
        if other:
            ends = {f"other_{end}": end for end in ("here", "low", "high", "n")}
            values = values.drop(columns=list(ends.values())).rename(columns=ends)
        shown = [(words, values.loc[item]) for item, words in facts.get("numbers", {}).items()]
        return "; ".join(f"{words}: {with_unit(row, facts)}" for words, row in shown if pd.notna(row["here"]))

    def printed_beside(self, name: str) -> str:
        """Return the published numbers beside those of `numbers`, or "" if there are none or all are 0."""
        items = list(described()[name].get("numbers", {}))
        printed = [with_zero(value) for value in self.values(name)["published"][items].fillna("") if value]
        return "" if set(printed) <= {"0"} else ", ".join(printed)

    def how_many(self, name: str, count: str = "n") -> str:
        """Return on how many tasks, or on how many sources (`n_sources`), the numbers of a claim rest, as text."""
        items = list(described()[name].get("numbers", {}))
        counts = self.values(name)[count][items].dropna().astype(int)
        return " and ".join(map(str, dict.fromkeys(counts)))


def elsewhere_in_words(name: str) -> str:
    """Return the sentences on the verdicts of other studies that differ from the one that is shown."""
    studies: dict[str, list[str]] = {}
    for study, verdict in _page().elsewhere(name).items():
        studies.setdefault(verdict, []).append(f"`{study}`")
    return " ".join(_in_studies(verdict, names) for verdict, names in studies.items())


def _in_studies(verdict: str, studies: list[str]) -> str:
    where = f"In the {'study' if len(studies) == 1 else 'studies'} {listed(studies)}"
    if verdict == "too few data":
        return f"{where}, there are too few data for a verdict."
    exploratory = " but exploratory" if verdict.startswith("exploratory: ") else ""
    return f"{where}, the verdict is *{verdict.removeprefix('exploratory: ')}*{exploratory}."


@cache
def _page() -> Ledger:
    return Ledger()


def _cell(name: str, numbers: str) -> str:
    """Return the numbers of a claim, each on a line of its own, after what they have in common."""
    quantity = described()[name].get("quantity")
    several = "; " in numbers
    return (f"{quantity}:{'<br>' if several else ' '}" if quantity else "") + numbers.replace("; ", "<br>")


def _named(name: str, *, with_place: bool = True) -> str:
    place = f" ({_page().place(name)})" if with_place else ""
    return f'<a id="{name.lower()}"></a>{name}: {described()[name]["title"]}{place}'


def _measured(name: str) -> str:
    printed = _page().printed_beside(name)
    numbers = _cell(name, _page().numbers(name))
    return numbers + (f"<br>The paper prints {printed}" if printed else "")


def _basis(name: str) -> str:
    """Return the data on which a claim was measured."""
    facts, page = described()[name], _page()
    which = facts.get("which")
    if page.weight(name) == SOURCE:
        tasks = f"tasks {which}" if which else "all their tasks"
        data = f"{page.how_many(name, 'n_sources')} sources with {tasks}"
    else:
        study = f" of the study `{page.study(name)}`" if page.study(name) != FIRST else ""
        data = f"{page.how_many(name)} {facts.get('counted', 'tasks')}{study} {which or '(all)'}"
    return data + (f". {facts['basis']}" if "basis" in facts else "")


def exact_statements() -> list[str]:
    """Return the ids of the claims of the two papers that can be checked without the data of a study."""
    two_papers = (PAPERS["FK"], PAPERS["B"])
    return [name for paper in two_papers for name in _page().papers[paper] if "says" not in described()[name]]


def statements_that_follow_exactly() -> str:
    verdicts = {name: _page().verdict(name) for name in exact_statements()}
    lines = [
        [_named(name), _measured(name), verdict if verdict == "exact" else f"**{verdict}**"]
        for name, verdict in verdicts.items()
    ]
    return markdown_table(["statement", "computed", "verdict"], lines)


def later_papers() -> str:
    page = _page()
    lines = [
        [
            _named(name), _measured(name),
            _basis(name) if name in page.rest_on_data else "exact computation", page.verdict(name),
        ]
        for name in page.papers[PAPERS["L"]]
    ]  # fmt: skip
    return markdown_table(["claim", "measured", "data", "verdict"], lines)


def hypotheses() -> str:
    names = _page().papers["Hypotheses of ours"]
    lines = [[_named(name), _measured(name), _basis(name), _page().verdict(name)] for name in names]
    return markdown_table(["hypothesis", "measured", "data", "verdict"], lines)


def rules_of_confirmation() -> str:
    page = _page()
    lines = [
        [_named(name, with_place=False), _measured(name), page.how_many(name) or "all", page.verdict(name)]
        for name in page.papers["Rules of confirmation"]
    ]
    return markdown_table(["rule", "measured", "tasks", "verdict"], lines)


def counts_of_verdicts() -> str:
    meanings = {
        "supported": "the measurements support the claim",
        "no difference that matters": "the difference is too small to matter",
        "contradicted": "the measurements contradict the claim",
        "undecided": "the measurements neither support nor contradict the claim",
        "measured on other tasks": "we only compare the paper's number with a number from other tasks, and never call "
        "this a reproduction",
        "same data and other learner": "we used the paper's data, but not the paper's learners",
        "exact": "the statement is true",
        "exact within rounding": "the statement is true if the rounding of the printed numbers is taken into account",
        "does not come out": "the statement is false",
        "agrees by construction": "our numbers were chosen so that they agree with the paper",
    }
    counts = list(_page().counts_by_paper.values())
    verdicts = dict.fromkeys(verdict for of_paper in counts for verdict in of_paper)
    lines = [
        [verdict, meanings[verdict], *(str(of_paper[verdict]) for of_paper in counts)] for verdict in verdicts
    ]
    total = ["all", "", *(str(sum(of_paper.values())) for of_paper in counts)]
    heads = [f"claims of {words}" for words in _page().counts_by_paper]
    return markdown_table(["verdict", "what it means", *heads], [*lines, total])


def two_ways_of_counting() -> str:
    """Return the verdicts on the claims of the study FIRST with either weight."""
    page, lines = _page(), []
    for name in page.both_ways:
        verdicts = page.both_verdicts(name)
        of_tasks = _cell(name, page.numbers(name, other=page.weight(name) == SOURCE))
        line = [f"[{name}](#{name.lower()})", of_tasks, verdicts[TASK], verdicts[SOURCE]]
        lines.append([*line, page.weight(name)])
    counted = ("numbers if each task", "verdict if each task", "verdict if each source")
    heads = [f"{words} counts once" for words in counted]
    return markdown_table(["claim", *heads, "what counts once in the verdict"], lines)


def amended_rules() -> str:
    lines = [[date, listed(names), change] for (date, change), names in _page().amendments.items()]
    return markdown_table(["date", "claims", "amendment"], lines)
