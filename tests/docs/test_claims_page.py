"""The claims and verdicts on docs/claims.md are those of the committed tables."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import claims
import estimates
import pandas as pd
import pytest

from aucstudy.config import STUDIES
from aucstudy.published import ledger, not_decided

ROOT = Path(__file__).parents[2]
# All pages that explain verdicts say this in the same words.
RULES_FIXED = (
    "Each rule that was not amended later was committed to the repository before a verdict was computed with it. "
    "Results on the data of the default study were known when the rules were written, so the verdicts "
    "of the default study are exploratory. The rules of confirmation (C1 to C11) were committed before any metric was "
    "computed for tasks or models other than those of the default study. The only exception is the one task of the "
    "data set UW-CSE, for which metrics had been computed before these rules were committed"
)
PAGE = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
ENTRIES = {
    name: f"{title}\n{lines}"
    for title, name, lines in re.findall(r"^### <a id=\S+></a>(.*) \((\S+)\)\n\n((?: *\* .*\n)+)", PAGE, re.M)
}


@cache
def page_ledger():
    return claims.Ledger()


def remark(name):
    """Return the remark on a claim, or "" if there is none."""
    found = re.search(rf"^\* \*\*\[{name}\]\(#{name.lower()}\)\.\*\* (.*)$", PAGE, re.M)
    return found[1] if found else ""


def numbers(name):
    """Return the lines on what was measured, as an entry has them."""
    return page_ledger().numbers(name).split("; ")


def expected_lines(name):
    """Return the lines on what was measured, and the beginning of the line on the verdict."""
    quantity = claims.described()[name].get("quantity", "")
    head = " ".join(["* **We measured**:", *([quantity] if quantity else [])])
    several = [head, *(f"    * {number}" for number in numbers(name))]
    verdict = page_ledger().verdict(name)
    others = {
        weight: other for weight, other in page_ledger().both_verdicts(name).items() if other != verdict
    }
    counted = "".join(f" ({other} if each {weight} counts once)" for weight, other in others.items())
    measured = several if len(numbers(name)) > 1 else [f"{head} {numbers(name)[0]}"]
    return [*measured, f"* **Verdict**: **{verdict}**{counted}."]


def differs(name, entry):
    """Return whether an entry has other numbers or another verdict than the tables."""
    expected = expected_lines(name)
    lines = entry[entry.index("* **We measured**") :].splitlines()[: len(expected)]
    return lines[:-1] != expected[:-1] or not f"{lines[-1]} ".startswith(f"{expected[-1]} ")


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_has_the_numbers_and_the_verdict_of_its_claim(name):
    assert not differs(name, ENTRIES[name])


@pytest.mark.parametrize("name", ENTRIES)
def test_another_number_or_verdict_in_an_entry_is_noticed(name):
    entry = ENTRIES[name]
    number = numbers(name)[0].partition(": ")[2]
    assert differs(name, entry.replace(number, f"1{number}"))
    assert differs(name, entry.replace("* **Verdict**: **", "* **Verdict**: **not "))


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_says_on_how_many_tasks_and_sources_its_claim_was_measured(name):
    (counts,) = re.findall(r"\* \*\*Data and method\*\*: We used (\d+)", ENTRIES[name])
    assert counts == page_ledger().how_many(name)
    sources = re.findall(r"from (?:at least )?(\d+) sources of data", ENTRIES[name])
    is_by_source = page_ledger().weight(name) == "source"
    assert sources == ([page_ledger().how_many(name, "n_sources")] if is_by_source else [])


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_has_the_words_that_the_report_of_a_study_shows(name):
    facts = claims.described()[name]
    assert ENTRIES[name].startswith(facts["title"])
    assert f"* **The paper says** ({page_ledger().place(name)}): {facts['says']}\n" in ENTRIES[name]
    assert ENTRIES[name].endswith(f"* **Rule**: {facts['rule']}\n")


def test_the_page_says_where_another_study_has_another_verdict_and_nowhere_else():
    names = [name for of_paper in page_ledger().papers.values() for name in of_paper]
    for name in names:
        said = re.findall(r"In the stud(?:y|ies) `.*?\.(?= |\n|$)", ENTRIES.get(name) or remark(name))
        assert " ".join(said) == claims.elsewhere_in_words(name), name


def test_the_number_of_exact_statements_is_that_of_the_table():
    n = len(claims.exact_statements())
    assert PAGE.count(f"The {n} statements in this section") == PAGE.count(f"Show the {n} statements") == 1


def test_the_main_claims_come_first():
    main = [name for name in ENTRIES if claims.described()[name].get("main")]
    assert list(ENTRIES)[: len(main)] == main
    assert PAGE.index("## Other measured claims") < PAGE.index(f"({list(ENTRIES)[len(main)]})\n")


def test_every_claim_and_rule_has_its_place_on_the_page_once_and_an_erratum_has_none():
    places = re.findall(r'<a id="(\S+)"></a>', PAGE)
    own = [ledger(path) for path in sorted(STUDIES.glob("*/claims.csv"))]
    ids = {name for rows in (ledger(), *own) for name in rows["id"]} - set(page_ledger().errata)
    assert sorted(places) == sorted(name.lower() for name in ids)
    assert sorted(claims.described()) == sorted(ids)
    not_there = PAGE[PAGE.index("## Not decided here") : PAGE.index("## Remarks")]
    assert re.findall(r'<a id="(\S+)"></a>', not_there) == [name.lower() for name in not_decided()]


def test_each_measured_claim_of_the_two_papers_says_what_the_paper_says_and_on_what_it_was_measured():
    assert set(ENTRIES) == {name for name, facts in claims.described().items() if "says" in facts}
    for name, lines in ENTRIES.items():
        heads = re.findall(r"^\* \*\*(.*?)\*\*", lines, re.M)
        assert heads == ["The paper says", "Data and method", "We measured", "Verdict", "Rule"], name


def test_every_number_of_the_yaml_is_one_of_its_claim():
    own = [ledger(path) for path in sorted(STUDIES.glob("*/claims.csv"))]
    items_of_claims = pd.concat([ledger(), *own]).groupby("id")["item"]
    for name, facts in claims.described().items():
        assert set(facts.get("numbers", ())) <= set(items_of_claims.get_group(name)), name


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
    table = PAGE[PAGE.index("| verdict |") : PAGE.index("## Two ways of counting")]
    said = re.findall(r"^\| ([^|]+) \| [^|]*\| (\d+) \| (\d+) \|$", table, re.M)
    for column, names in enumerate((("FK", "B"), ("L",))):
        ids = [name for name in claims.described() if name.split("-")[0] in names]
        decided = [name for name in ids if name not in not_decided() and name not in ("FK-cause", "B-tasks")]
        counts = Counter(page_ledger().verdict(name) for name in decided)
        by_words = {words: int(of_paper[column]) for words, *of_paper in said}
        assert by_words.pop("all") == len(decided)
        assert {words: n for words, n in by_words.items() if n} == counts


@pytest.mark.parametrize("page", ["claims", "how-it-works", "limits"])
def test_pages_say_in_one_wording_when_the_rules_were_fixed(page):
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert RULES_FIXED in " ".join(text.split())
