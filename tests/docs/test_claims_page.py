"""docs/claims.md and docs/confirmation.md say of each claim what its entry and the committed tables say."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import claims
import estimates
import pandas as pd
import pytest

from aucstudy.claims.entries import not_decided

ROOT = Path(__file__).parents[2]
# The page of rules says this, and no other page repeats it.
RULES_FIXED = (
    "Each rule that was not amended later was committed to the repository before a verdict was computed with it. "
    "Results on the data of the default study were known when the rules were written, so the verdicts "
    "of the default study are exploratory. The rules of confirmation (C1 to C11) were committed before any metric was "
    "computed for tasks or models other than those of the default study. The only exception is the one task of the "
    "data set UW-CSE, for which metrics had been computed before these rules were committed"
)
PAGE = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
CONFIRMATION = (ROOT / "docs" / "confirmation.md").read_text(encoding="utf-8")
ERRATA = (ROOT / "docs" / "definitions.md").read_text(encoding="utf-8").partition("\n## Errata\n")[2]
MOST_LINES = 10  # of an entry, without its list of numbers


@cache
def page_ledger():
    return claims.Ledger()


def in_index():
    return re.findall(r"^\| (?:\*\*)?\[(\S+)\]\(#(\S+)\)(?:\*\*)?: ", PAGE, re.M)


def test_the_index_has_each_claim_once_the_two_papers_first_and_each_links_to_its_entry():
    names = [name for name, _ in in_index()]
    decided = [name for of_paper in page_ledger().papers.values() for name in of_paper]
    assert sorted(names) == sorted(name for name in decided if claims.written()[name].source != "C")
    groups = [claims.written()[name].source for name in names]
    assert groups == sorted(groups, key=["FK", "B", "L", "H", ""].index)
    assert [link for _, link in in_index()] == [name.lower() for name in names]


def test_every_claim_has_one_entry_and_every_rule_of_confirmation_a_row_on_its_page():
    anchors = re.findall(r'<a id="(\S+)"></a>', PAGE + CONFIRMATION)
    ids = set(claims.written()) - set(page_ledger().errata)
    assert sorted(anchors) == sorted(name.lower() for name in ids)
    rules = [name for name in claims.written() if claims.written()[name].source == "C"]
    assert re.findall(r'<a id="(\S+)"></a>', CONFIRMATION) == [name.lower() for name in rules]
    not_here = PAGE[PAGE.index("## Not decided here") :]
    assert re.findall(r'<a id="(\S+)"></a>', not_here) == [
        name.lower() for name in not_decided(claims.written())
    ]


def test_an_entry_is_short_and_has_the_words_the_verdict_and_the_rule_of_its_claim():
    entries = re.findall(r'^### <a id="(\S+)"></a>.*?(?=^#|<!--)', PAGE, re.M | re.S)
    assert len(entries) > 20
    for match in re.finditer(r'^### <a id="\S+"></a>(\S+): (.*?)(?=^#|<!--)', PAGE, re.M | re.S):
        name, text = match.groups()
        entry = claims.written()[name]
        lines = [line for line in text.splitlines() if line and not line.startswith("* ")]
        assert len(lines) <= MOST_LINES, name
        assert text.startswith(entry["title"]), name
        assert f"Verdict: **{page_ledger().verdict_in_full(name)}**" in text, name
        for words, number in page_ledger().numbers(name).items():
            assert f"{words}: {number}" in text or f"{claims._capitalised(words)}: {number}" in text, name
        assert entry.says in text, name
        assert "*Rule*: " in text, name


def test_a_rule_that_several_claims_have_is_told_once():
    rules = Counter(
        claims.written()[name].rule
        for name, _ in in_index()
        if page_ledger().study(name) != claims.EXACT and claims.written()[name].source != "C"
    )
    assert max(rules.values()) > 1
    assert all(PAGE.count(f"*Rule*: {rule}\n") == 1 for rule in rules)


def test_every_sentence_of_a_rule_is_written_once_in_the_package_and_the_studies():
    files = [
        file
        for folder in ("src", "studies")
        for kind in ("yaml", "py")
        for file in (ROOT / folder).rglob(f"*.{kind}")
    ]
    text = " ".join(" ".join(file.read_text(encoding="utf-8").split()) for file in files)
    sentences = [
        (name, f"{sentence.rstrip('.')}.")
        for name, entry in claims.written().items()
        for sentence in entry.get("rule").split(". ")
        if sentence
    ]
    assert len(sentences) > 80
    assert [(name, sentence) for name, sentence in sentences if text.count(sentence) != 1] == []


def test_the_index_shows_the_numbers_that_decide_and_those_against_the_verdict():
    rows = dict(re.findall(r"^\| (?:\*\*)?\[(\S+)\]\(#\S+\).*? \| (.*?) \| ", PAGE, re.M))
    deciding = {
        "FK-early": "swaps that turn at recall under the prevalence, least of six orders",
        "L-tools": "trapezoid",
        "L-removed": "bias corrected for few negatives",
        "L-informative": "difference",
        "FK-notune": "only the rival told the odds, worst case",
        "FK-betas": "leads both neighbours, beta=1",
        "FK-favour": "AUPR's winner has the lower E[FG1]",
    }
    for name, item in deciding.items():
        assert page_ledger().number(name, item) in rows[name], name
    assert all(set(row) - {" "} for row in rows.values())


def test_the_number_of_statements_that_hold_is_counted_from_the_verdicts():
    verdicts = pd.read_csv(ROOT / "results" / claims.EXACT / "claims.csv").set_index("id")["verdict"]
    of_papers = {
        name: verdict for name, verdict in verdicts.items() if claims.written()[name].source in ("FK", "B")
    }
    judged = {name: verdict for name, verdict in of_papers.items() if verdict not in ("erratum", "remark")}
    false = [name for name, verdict in judged.items() if "not" in verdict]
    fitted = [name for name, verdict in judged.items() if "construction" in verdict]
    said = re.search(r"Of (\d+) statements of the two papers that need no data, (\d+) hold", PAGE)
    assert [int(count) for count in said.groups()] == [len(judged), len(judged) - len(false) - len(fitted)]
    sentence = PAGE[said.start() :].partition("\n")[0]
    assert f"The other {len(fitted)} agree by construction" in sentence
    assert re.findall(r"\[(\S+)\]\(#", sentence) == false


def test_every_erratum_and_every_remark_of_the_ledger_is_explained_in_its_part_of_the_page_of_errata():
    headings = {
        "FK-pop-plotted": "886 tasks of 30 models", "FK-angle": "not proportional", "B-ri": "i/P",
        "FK-T3-interval": "parentheses", "B-range-genre": "minimum of .02", "B-tab2-gender": "different minima",
        "B-tab2-genre": "different minima", "B-tab3-trend": "does not rise at every step", "B-fig4-B": "point B",
    }  # fmt: skip
    assert set(headings) == set(page_ledger().errata)
    parts = dict(zip(("erratum", "remark"), ERRATA.split("### Remarks"), strict=True))
    verdicts = page_ledger().verdicts(claims.EXACT)
    for name, words in headings.items():
        titles = re.findall(r"^#### (.*)$", parts[verdicts[name]], re.M)
        assert any(words in title for title in titles), name


def test_the_page_says_where_another_study_has_another_verdict_and_nowhere_else():
    for name in (name for of_paper in page_ledger().papers.values() for name in of_paper):
        words = claims._elsewhere_in_words(name)
        assert words in PAGE + CONFIRMATION, name


def test_a_verdict_by_source_rests_on_the_estimates_by_source():
    table = estimates.estimates()
    excess = table[(table["population"] == "wide") & (table["quantity"] == "excess") & (table["at"] == 1)]
    excess = excess[(excess["first"] == "aupr") & (excess["second"] == "auprg")].set_index("weight")
    shown = page_ledger().values("FK-differ").loc["AUPR-AUPRG"]
    assert page_ledger().weight("FK-differ") == "source"
    for names, weight in (
        (("here", "low", "high"), "source"),
        (("other_here", "other_low", "other_high"), "task"),
    ):
        ends = 100 * excess.loc[weight, ["estimate", "low", "high"]].astype(float)
        assert shown[list(names)].to_numpy(dtype=float) == pytest.approx(ends.to_numpy(), rel=1e-3)


def test_the_counts_of_verdicts_are_those_of_the_claims():
    table = PAGE[PAGE.index("| verdict | what") : PAGE.index("The counts leave out")]
    said = re.findall(r"^\| ([^|]+) \| [^|]*\| (\d+) \| (\d+) \|$", table, re.M)
    decided = [name for of_paper in page_ledger().papers.values() for name in of_paper]
    for column, sources in enumerate((("FK", "B"), ("L",))):
        names = [name for name in decided if claims.written()[name].source in sources]
        counts = Counter(page_ledger().verdict(name) for name in names)
        by_words = {words: int(of_paper[column]) for words, *of_paper in said}
        assert by_words.pop("all") == len(names)
        assert {words: n for words, n in by_words.items() if n} == counts


def test_one_page_says_when_the_rules_were_fixed_and_others_link_to_it():
    texts = {page.stem: " ".join(page.read_text(encoding="utf-8").split()) for page in ROOT.glob("docs/*.md")}
    assert [name for name, text in texts.items() if RULES_FIXED in text] == ["confirmation"]
    assert all("](confirmation.md)" in texts[name] for name in ("claims", "limits", "results"))
