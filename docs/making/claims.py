"""The claims as docs/claims.md and docs/confirmation.md show them: an index, entries, and amendments."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

import pandas as pd
from committed import EXACT, Study, Tables, committed
from experiments import COMMITTED

from aucstudy.claims.entries import Entry, entries, not_decided
from aucstudy.claims.verdicts import NO_CLAIM, Verdict
from aucstudy.config import STUDIES
from aucstudy.report.page import PAPERS, ROUNDING, WORDS, in_its_unit, verdict_counts, verdict_words
from aucstudy.study_folder.files import CLAIMS
from aucstudy.wording import listed, markdown_table, with_zero

TWO_PAPERS, LATER, OURS, CONFIRMATION = ("FK", "B"), "L", "H", "C"
FIRST = "wide"  # The verdict of this study is shown, if it has one.
BESIDE = ("default", "weka")
ORDER = (EXACT, FIRST, *(study for study in COMMITTED if study != FIRST))
HOLDS = (Verdict.PROVED, Verdict.CHECKED, Verdict.COMES_OUT, Verdict.WITHIN_ROUNDING)
FAILS = (Verdict.FALSE, Verdict.DOES_NOT_COME_OUT)
# The other errata are misprints and numbers that do not fit one another.
FALSE_WITHOUT_VERDICT = (
    "[precision and the angle](definitions.md#precision-is-not-proportional-to-the-angle-of-a-roc-line)",
    "[point B of figure 4](definitions.md#figure-4s-point-b-cannot-be-both)",
)
HALF_A_POINT = 0.005  # A smaller difference between two choices in the target metric does not matter.


@cache
def written() -> Mapping[str, Entry]:
    """Return the claims by id, by paper: those of the package and those that studies bring."""
    claims = entries(tuple(sorted(STUDIES.glob(f"*/{CLAIMS}"))))
    return {name: claims[name] for key in PAPERS for name in claims if claims[name].source == key}


@cache
def _verdicts(study: str, tables: Tables) -> pd.Series:
    return Study(study, tables).table("claims").set_index("id")["verdict"]


@dataclass(frozen=True)
class Ledger:
    """The claims of the committed studies."""

    tables: Tables = committed

    def verdicts(self, study: str) -> pd.Series:
        """Return the verdicts in a study's claims.csv, by the id of the claim."""
        return _verdicts(study, self.tables)

    @cached_property
    def errata(self) -> list[str]:
        """The ids of the errata and of the remarks on printed numbers, which are no claims."""
        verdicts = self.verdicts(EXACT)
        return list(verdicts.index[verdicts.isin(NO_CLAIM)])

    @cached_property
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

    def verdict_in_full(self, name: str) -> str:
        """Return the verdict in words, and for numbers of other tasks on which side of our intervals they lie."""
        printed = self.values(name).query("published.notna() and published != ''")
        return verdict_words(self.verdicts(self.study(name))[name], printed.to_dict("records"))

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

    @cached_property
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
            if written()[name].source in TWO_PAPERS and verdict not in NO_CLAIM
        }

    def claim(self, name: str) -> pd.Series:
        """Return the row of a claim in claims.csv of the study whose verdict is shown."""
        return Study(self.study(name), self.tables).row("claims", id=name)

    def values(self, name: str, study: str = "") -> pd.DataFrame:
        """Return the rows of a claim in claims_values.csv, by item."""
        return Study(study or self.study(name), self.tables).rows("claims_values", id=name).set_index("item")

    def number(self, name: str, item: str) -> str:
        """Return one of our numbers of a claim as text with interval and unit."""
        return in_its_unit(self.values(name).loc[item], written()[name], item)

    def numbers(self, name: str, *, other: bool = False) -> dict[str, str]:
        """Return our numbers of a claim as text with interval and unit, by the words under which they are shown.

        With `other`, they are those of the weight that does not decide.
        """
        entry, values = written()[name], self.values(name)
        if other:
            ends = {f"other_{end}": end for end in ("here", "low", "high", "n")}
            values = values.drop(columns=list(ends.values())).rename(columns=ends)
        return {
            words: in_its_unit(values.loc[item], entry, item)
            for item, words in entry.shown.items()
            if pd.notna(values["here"][item])
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
    lines = [[_title(name), _in_index(name), _both(name)] for name in _shown(*TWO_PAPERS, LATER, OURS)]
    return markdown_table(["claim", "here", "verdict"], lines)


def _title(name: str) -> str:
    entry = written()[name]
    link = f"[{name}](#{name.lower()})"
    return f"{'**' if entry.get('main') else ''}{link}{'**' if entry.get('main') else ''}: {entry['title']}"


def _in_index(name: str) -> str:
    """Return the numbers that decide the verdict, and those against it."""
    groups = written()[name].in_index.items()
    text = ""
    for words, items in groups:
        numbers = ", ".join(_page().number(name, item) for item in items)
        text += f"{'' if not text else ' ' if words == 'against' else '; '}{words} {numbers}".rstrip()
    return text.strip()


def _both(name: str) -> str:
    """Return the verdict, and the verdict by the other weight if it is another one."""
    others = {
        weight: other
        for weight, other in _page().both_verdicts(name).items()
        if other != _page().verdict(name)
    }
    full = _page().verdict_in_full(name)
    return full + "".join(f" ({other} if each {weight} counts once)" for weight, other in others.items())


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
    lines = [f'### <a id="{name.lower()}"></a>{name}: {entry["title"]}', "", _place(entry), ""]
    lines += [*_measured(name), ""]
    verdict = f"Verdict: **{page.verdict_in_full(name)}**."
    note = page.claim(name).fillna("")["note"]
    sentences = [verdict, _surely_lower(name), note, _otherwise(name), _elsewhere_in_words(name)]
    lines += [" ".join(filter(None, [*sentences, f"*Rule*: {_rule(name)}"]))]
    return "\n".join(lines)


def _surely_lower(name: str) -> str:
    """Return which differences in a target metric are significant and against the claim, but within the margin."""
    entry, values = written()[name], _page().values(name)
    is_small = values["unit"].isin(["F1", "F_beta"]) & (values["high"] < 0) & (values["low"] > -HALF_A_POINT)
    lower = [words for item, words in entry.shown.items() if is_small[item]]
    if not lower:
        return ""
    return f"Significantly below 0 and against the claim, but by less than half a point: {'; '.join(lower)}."


def _place(entry: Entry) -> str:
    """Return where the claim is, and what the paper says if the title does not say it."""
    place = _linked_place(entry)
    if entry.source == OURS:
        return f"Our own statement, {place}."
    return (
        f"The paper says ({place}): {entry.says}"
        if entry.get("says")
        else f"The paper says so ({place}). {entry.says}".rstrip()
    )


def _measured(name: str) -> list[str]:
    """Return the lines on how a claim was measured and on its numbers. A single number needs no list."""
    quantity, numbers = _capitalised(written()[name].get("quantity")), _numbers_in_words(name)
    if len(numbers) == 1:
        return [f"{_basis(name)} {_capitalised(', '.join(filter(None, [quantity, numbers[0]])))}."]
    return [
        f"{_basis(name)} {quantity + ':' if quantity else ''}".rstrip(),
        "",
        *(f"* {text}" for text in numbers),
    ]


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _basis(name: str) -> str:
    """Return on which data a claim was measured, and how.

    What is true of most entries stands at the top of the page: they are of all tasks of FIRST, and each source counts
    once.
    """
    entry, page = written()[name], _page()
    n, sources = page.how_many(name), page.how_many(name, "n_sources")
    tasks = Study(FIRST, page.tables).table("tasks")
    facts = []
    if (page.study(name), n) != (FIRST, f"{len(tasks):,}"):
        facts.append(
            f"{n} {entry.get('counted', 'tasks')}{' ' + entry['which'] if entry.get('which') else ''}"
        )
        facts[0] += f" of the study `{page.study(name)}`" if page.study(name) != FIRST else ""
        facts[0] += f" from {sources} sources" if sources else ""
    if page.weight(name) == "task":
        facts.append("each task counts once")
    basis = f" {entry['basis']}." if entry.get("basis") else ""
    return f"Here{' (' + '; '.join(facts) + ')' if facts else ''}:{basis}"


def _numbers_in_words(name: str) -> list[str]:
    """Return each number that is shown, with what the paper prints."""
    entry, numbers = written()[name], _page().numbers(name)
    values = _page().values(name)
    published = values["published"].fillna("")
    items = {words: item for item, words in entry.shown.items()}
    percent = {words: " %" if values["unit"][item] == "%" else "" for words, item in items.items()}
    texts = []
    for words, number in numbers.items():
        paper = published[items[words]]
        beside = f"; the paper prints {with_zero(paper)}{percent[words]}" if paper else ""
        texts.append(f"{words}: {number}{beside}")
    return texts


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
    """Return the rule of a claim, or the claim that has the same rule."""
    other = written()[name].get("rule_of")
    return f"that of [{other}](#{other.lower()})." if other else written()[name].rule


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
    """Return a paragraph for each statement that needs no data, and one for those of which the index says all."""
    names = [name for name in _shown(*sources) if not _needs_data(name)]
    in_index = [name for name in names if _is_in_index(name)]
    lines = [_statement(name) for name in names if name not in in_index]
    if in_index:
        lines.append("* The [index](#index) has the words of these statements:")
        lines += [f"    * {_heading(name)}: {_verdict(name)}" for name in in_index]
    return "\n".join(lines)


def _is_in_index(name: str) -> bool:
    """Return whether the index has the words and the numbers of a statement, and there is no note on it."""
    return _is_deviation(name) and not (written()[name].says or _page().claim(name).fillna("")["note"])


def _heading(name: str) -> str:
    return f'<a id="{name.lower()}"></a>**{name}** ({_linked_place(written()[name])})'


def _linked_place(entry: Entry) -> str:
    return f"[{entry.short_place}]({entry.address})" if entry.address else entry.short_place


def _statement(name: str) -> str:
    entry, row = written()[name], _page().claim(name).fillna("")
    numbers = "" if _is_deviation(name) else "; ".join(_numbers_in_words(name))
    quantity = f"{entry['quantity']}: " if numbers and entry.get("quantity") else ""
    says = entry.get("says") or f"{entry['title']}."
    sentences = [says, entry.get("reading"), _capitalised(f"{quantity}{numbers}." if numbers else "")]
    sentences += [f"**{_capitalised(_verdict(name))}.**", row["note"]]
    return f"* {_heading(name)}: {' '.join(filter(None, sentences))}"


def _is_deviation(name: str) -> bool:
    """Return whether the numbers of a statement are only its largest deviations, which the index has."""
    return bool(
        _page().values(name)["here"][list(written()[name].shown)].between(0, ROUNDING, "neither").all()
    )


def undecided_here() -> str:
    """Return the claims of the two papers that no committed study decides, with the reasons."""
    lines = []
    for name, reason in not_decided(written()).items():
        entry = written()[name]
        items = [(item, number) for item, number in entry.numbers.items() if number.printed]
        printed = [f"{with_zero(number.printed)} ({number.words or item})" for item, number in items]
        beside = "" if entry.get("says") or not printed else f"The paper prints {listed(printed)}."
        sentences = " ".join(filter(None, [entry.says or f"{entry['title']}.", beside, reason]))
        lines.append(f'* <a id="{name.lower()}"></a>**{name}** ({entry["place"]}): {sentences}')
    return "\n".join(lines)


# Counts.


def counts_of_verdicts() -> str:
    meanings = {
        "proved": "the statement is true for all values; a test proves it with SymPy",
        "checked": "the statement was true in all cases that were tried",
        "does not hold": "the statement is false",
        "comes out": "what the paper says of numbers follows from the other numbers that it prints",
        "comes out within rounding": "the same, if the rounding of the printed numbers is taken into account",
        "does not come out": "the printed numbers do not follow from the paper's other numbers",
        "agrees by construction": "our numbers were chosen so that they agree with the paper",
        "supported": "the measurements support the claim",
        "no difference that matters": "the difference is too small to matter",
        "contradicted": "the measurements contradict the claim as we read it",
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
    does = "This one does not" if len(fail) == 1 else "These do not"
    return (
        f"Of {len(verdicts)} statements of the two papers that need no data, {n_hold} hold: {counts[Verdict.PROVED]} "
        f"are proved, {counts[Verdict.CHECKED]} were true in all cases that were tried, and {n_printed} follow "
        f"from printed numbers. {does}: {listed(fail)}. The other {counts[Verdict.BY_CONSTRUCTION]} agree by "
        "construction, which says nothing for or against the papers. Two further false statements of the text, "
        f"without a verdict, are in the errata: {listed(FALSE_WITHOUT_VERDICT)}."
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
