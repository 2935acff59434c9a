"""The claims as docs/claims.md and docs/confirmation.md show them: an index, entries, and amendments."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import pandas as pd
from committed import EXACT, Study, Tables, committed
from experiments import COMMITTED

from aucstudy.claims.entries import Entry, entries, not_decided
from aucstudy.claims.verdicts import Verdict
from aucstudy.config import STUDIES
from aucstudy.report.page import PAPERS, WORDS, verdict_counts, with_unit
from aucstudy.study_folder.files import CLAIMS
from aucstudy.wording import listed, markdown_table, with_zero

TWO_PAPERS, LATER, OURS, CONFIRMATION = ("FK", "B"), "L", "H", "C"
FIRST = "wide"  # The verdict of this study is shown, if it has one.
BESIDE = ("default", "weka")
ORDER = (EXACT, FIRST, *(study for study in COMMITTED if study != FIRST))
HOLDS = (Verdict.PROVED, Verdict.CHECKED, Verdict.COMES_OUT, Verdict.WITHIN_ROUNDING, Verdict.BY_CONSTRUCTION)
FAILS = (Verdict.FALSE, Verdict.DOES_NOT_COME_OUT)


@cache
def written() -> Mapping[str, Entry]:
    """Return the claims by id, by paper: those of the package and those that studies bring."""
    claims = entries(tuple(sorted(STUDIES.glob(f"*/{CLAIMS}"))))
    return {name: claims[name] for key in PAPERS for name in claims if claims[name].source == key}


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
        """The ids of the claims that a study decides, by title in PAPERS and in the order of the files."""
        ids = [name for name in written() if name not in (*self.errata, *not_decided(written()))]
        of_papers = {
            title: [name for name in ids if written()[name].source == key] for key, title in PAPERS.items()
        }
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
    def rest_on_data(self) -> list[str]:
        """The ids of the claims of papers whose verdict rests on measurements."""
        names = [
            name
            for ids in self.papers.values()
            for name in ids
            if written()[name].source in (*TWO_PAPERS, LATER)
        ]
        return [name for name in names if self.verdicts(self.study(name))[name].startswith("measured: ")]

    @property
    def counts_by_paper(self) -> dict[str, Counter[str]]:
        """The number of claims with each verdict: of the two papers, and of later papers."""
        names = [name for of_paper in self.papers.values() for name in of_paper]
        verdicts = {name: Verdict(self.verdicts(self.study(name))[name]) for name in names}
        return verdict_counts(pd.Series(verdicts), written())

    @property
    def statements(self) -> dict[str, Verdict]:
        """The verdicts on the statements of the two papers that need no data, without errata."""
        verdicts = self.verdicts(EXACT)
        return {
            name: Verdict(verdict)
            for name, verdict in verdicts.items()
            if written()[name].source in TWO_PAPERS and verdict != Verdict.ERRATUM
        }

    def claim(self, name: str) -> pd.Series:
        """Return the row of a claim in claims.csv of the study whose verdict is shown."""
        return Study(self.study(name), self.tables).row("claims", id=name)

    def values(self, name: str, study: str = "") -> pd.DataFrame:
        """Return the rows of a claim in claims_values.csv, by item."""
        return Study(study or self.study(name), self.tables).rows("claims_values", id=name).set_index("item")

    def numbers(self, name: str, *, other: bool = False) -> dict[str, str]:
        """Return our numbers of a claim as text with interval and unit, by the words under which they are shown.

        With `other`, they are those of the weight that does not decide.
        """
        entry, values = written()[name], self.values(name)
        if other:
            ends = {f"other_{end}": end for end in ("here", "low", "high", "n")}
            values = values.drop(columns=list(ends.values())).rename(columns=ends)
        shown = {words: values.loc[item] for item, words in entry.shown.items()}
        return {
            words: with_unit(row, entry.get("in")) for words, row in shown.items() if pd.notna(row["here"])
        }

    def how_many(self, name: str, count: str = "n") -> str:
        """Return on how many tasks, or on how many sources (`n_sources`), the numbers of a claim rest, as text."""
        counts = self.values(name)[count][list(written()[name].shown)].dropna().astype(int)
        return listed([f"{number:,}" for number in dict.fromkeys(counts)]) if len(counts) else ""


@cache
def _page() -> Ledger:
    return Ledger()


def _shown(*sources: str) -> list[str]:
    return [name for names in _page().papers.values() for name in names if written()[name].source in sources]


def _needs_data(name: str) -> bool:
    return _page().study(name) != EXACT


# The index.


def index() -> str:
    """Return a row for each claim of a paper and each statement of ours."""
    lines = [[_title(name), _first_number(name), _both(name)] for name in _shown(*TWO_PAPERS, LATER, OURS)]
    return markdown_table(["claim", "here", "verdict"], lines)


def _title(name: str) -> str:
    entry = written()[name]
    link = f"[{name}](#{name.lower()})"
    return f"{'**' if entry.get('main') else ''}{link}{'**' if entry.get('main') else ''}: {entry['title']}"


def _first_number(name: str) -> str:
    numbers = _page().numbers(name)
    return next(iter(numbers.values()), "")


def _both(name: str) -> str:
    """Return the verdict, and the verdict by the other weight if it is another one."""
    verdict = _page().verdict(name)
    others = {
        weight: other
        for weight, other in _page().both_verdicts(name).items()
        if other != _page().verdict(name)
    }
    return verdict + "".join(f" ({other} if each {weight} counts once)" for weight, other in others.items())


def _verdict(name: str) -> str:
    """Return the verdict on a statement, and for a theorem on how many cases it was checked."""
    page, row = _page(), _page().claim(name)
    if row["verdict"] not in (Verdict.PROVED, Verdict.CHECKED):
        return page.verdict(name)
    counts = page.values(name)["n"].dropna()
    checked = f"checked on {int(counts.max()):,} {written()[name].get('counted')}" if len(counts) else ""
    return ", ".join(filter(None, ["proved" if row["verdict"] == Verdict.PROVED else "", checked]))


# The entries.


def measured(*sources: str) -> str:
    """Return an entry for each claim that is judged by the data of a study."""
    return "\n\n".join(_entry(name) for name in _shown(*sources) if _needs_data(name))


def _entry(name: str) -> str:
    entry, page = written()[name], _page()
    lines = [f'### <a id="{name.lower()}"></a>{name}: {entry["title"]}', ""]
    lines += [f"{_place(entry)} {entry['says']}" if entry.get("says") else _place(entry), ""]
    lines += [f"{_basis(name)}", *_lines_of_numbers(name), ""]
    sentences = [f"Verdict: **{page.verdict(name)}**.", page.claim(name).fillna("")["note"], _otherwise(name)]
    lines += [" ".join(filter(None, [*sentences, _elsewhere_in_words(name)])), "", f"*Rule*: {_rule(name)}"]
    return "\n".join(lines)


def _place(entry: Entry) -> str:
    place = f"[{entry.short_place}]({entry.address})" if entry.address else entry.short_place
    if entry.source == OURS:
        return f"Our own statement, {place}."
    return f"The paper says ({place}):" if entry.get("says") else f"({place})"


def _basis(name: str) -> str:
    """Return on which data a claim was measured, and how."""
    entry, page = written()[name], _page()
    sources = page.how_many(name, "n_sources")
    counted = entry.get("counted", "tasks")
    data = f"{page.how_many(name)} {counted}{' ' + entry['which'] if entry.get('which') else ''}"
    if page.study(name) != FIRST:
        data += f" of the study `{page.study(name)}`"
    if sources:
        data += f" from {sources} sources"
    if page.weight(name):
        data += f"; each {page.weight(name)} counts once"
    basis = f" {entry['basis']}." if entry.get("basis") else ""
    return f"Here ({data}):{basis}"


def _lines_of_numbers(name: str) -> list[str]:
    entry, numbers = written()[name], _page().numbers(name)
    values = _page().values(name)
    published = values["published"].fillna("")
    items = {words: item for item, words in entry.shown.items()}
    percent = {words: " %" if values["unit"][item] == "%" else "" for words, item in items.items()}
    quantity = entry.get("quantity")
    lines = ["", f"{quantity[:1].upper()}{quantity[1:]}:", ""] if quantity else [""]
    for words, number in numbers.items():
        paper = published[items[words]]
        beside = f"; the paper prints {with_zero(paper)}{percent[words]}" if paper else ""
        lines.append(f"* {words}: {number}{beside}")
    return lines


def _otherwise(name: str) -> str:
    """Return the verdict and the numbers by the other weight, if the verdict is another one."""
    page = _page()
    verdicts = page.both_verdicts(name)
    others = {weight: verdict for weight, verdict in verdicts.items() if verdict != page.verdict(name)}
    for weight, verdict in others.items():
        numbers = "; ".join(f"{words}: {number}" for words, number in page.numbers(name, other=True).items())
        return f"If each {weight} counts once, it is *{verdict}* ({numbers})."
    return ""


def _rule(name: str) -> str:
    """Return the rule of a claim, or the claim above that has the same rule."""
    same = [other for other in written() if written()[other].rule == written()[name].rule]
    return written()[name].rule if same[0] == name else f"that of [{same[0]}](#{same[0].lower()})."


def _elsewhere_in_words(name: str) -> str:
    """Return the sentences on the verdicts of other studies that differ from the one that is shown."""
    studies: dict[str, list[str]] = {}
    for study, verdict in _page().elsewhere(name).items():
        studies.setdefault(verdict, []).append(f"`{study}`")
    return " ".join(_in_studies(verdict, names) for verdict, names in studies.items())


def _in_studies(verdict: str, studies: list[str]) -> str:
    where = f"In {listed(studies)}"
    if verdict == "too few data":
        return f"{where}, there are too few data."
    exploratory = " but exploratory" if verdict.startswith("exploratory: ") else ""
    return f"{where}, it is *{verdict.removeprefix('exploratory: ')}*{exploratory}."


def exact(*sources: str) -> str:
    """Return a paragraph for each statement that needs no data."""
    return "\n".join(_statement(name) for name in _shown(*sources) if not _needs_data(name))


def _statement(name: str) -> str:
    entry, row = written()[name], _page().claim(name).fillna("")
    numbers = "; ".join(line.removeprefix("* ") for line in _lines_of_numbers(name) if line.startswith("* "))
    quantity = f"{entry['quantity']}: " if entry.get("quantity") else ""
    place = f"[{entry.short_place}]({entry.address})" if entry.address else entry.short_place
    computed = f"{quantity}{numbers}"
    sentences = [entry.get("says") or f"{entry['title']}.", f"{computed[:1].upper()}{computed[1:]}."]
    sentences += [f"Verdict: **{_verdict(name)}**.", row["note"]]
    return f'* <a id="{name.lower()}"></a>**{name}** ({place}): {" ".join(filter(None, sentences))}'


def undecided_here() -> str:
    """Return the claims of the two papers that no committed study decides, with the reasons."""
    lines = []
    for name, reason in not_decided(written()).items():
        entry = written()[name]
        items = [(item, number) for item, number in entry.numbers.items() if number.printed]
        printed = [f"{with_zero(number.printed)} ({number.words or item})" for item, number in items]
        said = entry.get("says") or (f"The paper prints {listed(printed)}." if printed else "")
        sentences = " ".join(filter(None, [f"{entry['title']}.", said, reason]))
        lines.append(f'* <a id="{name.lower()}"></a>**{name}** ({entry["place"]}): {sentences}')
    return "\n".join(lines)


# Counts.


def counts_of_verdicts() -> str:
    meanings = {
        "proved": "the statement is true for all values; a test proves it with SymPy",
        "checked": "the statement was true in all cases that were tried",
        "does not hold": "the statement is false",
        "comes out": "the printed numbers are those that follow from the paper's other numbers",
        "comes out within rounding": "the same, if the rounding of the printed numbers is taken into account",
        "does not come out": "the printed numbers do not follow from the paper's other numbers",
        "agrees by construction": "our numbers were chosen so that they agree with the paper",
        "supported": "the measurements support the claim",
        "no difference that matters": "the difference is too small to matter",
        "contradicted": "the measurements contradict the claim",
        "undecided": "the measurements neither support nor contradict the claim",
        "measured on other tasks": "we only compare the paper's number with a number from other tasks, and never call "
        "this a reproduction",
        "same data and other learner": "we used the paper's data, but not the paper's learners",
    }
    counts = list(_page().counts_by_paper.values())
    verdicts = [words for words in meanings if any(of_paper[words] for of_paper in counts)]
    lines = [
        [verdict, meanings[verdict], *(str(of_paper[verdict]) for of_paper in counts)] for verdict in verdicts
    ]
    total = ["all", "", *(str(sum(of_paper.values())) for of_paper in counts)]
    heads = [f"claims of {words}" for words in _page().counts_by_paper]
    return markdown_table(["verdict", "what it means", *heads], [*lines, total])


def statements_that_hold() -> str:
    """Return how many of the statements that need no data hold."""
    verdicts = _page().statements
    counts = Counter(verdicts.values())
    fail = [f"[{name}](#{name.lower()})" for name, verdict in verdicts.items() if verdict in FAILS]
    n_hold = sum(counts[verdict] for verdict in HOLDS)
    n_printed = counts[Verdict.COMES_OUT] + counts[Verdict.WITHIN_ROUNDING]
    return (
        f"Of {len(verdicts)} statements of the two papers that need no data, {n_hold} hold: {counts[Verdict.PROVED]} "
        f"are proved, {counts[Verdict.CHECKED]} were checked on many cases, {n_printed} are arithmetic of printed "
        f"numbers, and {counts[Verdict.BY_CONSTRUCTION]} agree by construction. One does not hold: {listed(fail)}."
        if len(fail) == 1
        else f"Of {len(verdicts)} statements of the two papers that need no data, {n_hold} hold. "
        f"These do not: {listed(fail)}."
    )


# Rules that were written before the data, and amendments.


def rules_in_plain_words() -> str:
    """Return the rules of confirmation with their verdicts on the study FIRST."""
    page, lines = _page(), []
    for name in _shown(CONFIRMATION):
        entry = written()[name]
        shown = page.numbers(name)
        words = [f"{words}: {number}" if len(shown) > 1 else number for words, number in shown.items()]
        numbers = "<br>".join(words)
        others = _elsewhere_in_words(name)
        rule = [
            f'<a id="{name.lower()}"></a>**{name}**',
            entry["title"],
            entry["measured"],
            entry["confirmed"],
        ]
        lines.append([*rule, entry["contradicted"], numbers, f"**{page.verdict(name)}**. {others}".rstrip()])
    heads = ["rule", "answer of the default study", "what is measured in the new study", "confirmed if"]
    return markdown_table([*heads, "contradicted if", f"in `{FIRST}`", "verdict"], lines)


def committed_text() -> str:
    """Return the rules of confirmation word for word as they were committed."""
    rules = {name: entry["committed"] for name, entry in written().items() if entry.source == CONFIRMATION}
    heads = ["answer of the default study", "table and row", "confirmed if", "contradicted if"]
    return markdown_table(["", *heads], [[name, *words.values()] for name, words in rules.items()])


def amended_rules() -> str:
    amended: dict[tuple[str, str], list[str]] = {}
    for name, entry in written().items():
        for amendment in entry.amendments:
            amended.setdefault(amendment, []).append(name)
    by_date = sorted(amended.items(), key=lambda change: change[0][0])
    lines = [[date, listed(names), change] for (date, change), names in by_date]
    return markdown_table(["date", "claims", "amendment"], lines)
