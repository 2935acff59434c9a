"""The pages made of committed tables are those of their templates, and each guard of a template can fail."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import claims
import committed as studies
import experiments
import numpy as np
import pandas as pd
import pytest
import write
from committed import RULES_FIXED

from aucstudy.claims.verdicts import Verdict
from aucstudy.config import STUDIES
from aucstudy.published import ledger, not_decided
from aucstudy.wording import NoLongerTrue

ROOT = Path(__file__).parents[2]

FACTS = ("tasks", "rejections")  # These tables have no results of a study.
KEYS = ("prevalence", "beta", "odds", "spread", "at")  # numbers that identify a row and are no results
# In tables by task, these columns say what a row compares.
KINDS = ("first", "second", "top", "design", "selected_by", "rival", "judge")
TURNED = {
    Verdict.SUPPORTS: Verdict.CONTRADICTS, Verdict.CONTRADICTS: Verdict.SUPPORTS,
    Verdict.EXACT: Verdict.DOES_NOT_COME_OUT, Verdict.DOES_NOT_COME_OUT: Verdict.EXACT,
    Verdict.CONFIRMED: Verdict.CONTRADICTED, Verdict.OPEN: Verdict.CONFIRMED,
    Verdict.NO_DIFFERENCE: Verdict.SUPPORTS,
}  # fmt: skip


def changed(change):
    """Return a function that gives a committed table after `change` was applied to all results in it.

    The ends of intervals are sorted, so that `low` is never above `high`.
    """

    @cache
    def tables(study, name):
        table = studies.committed(study, name)
        if table is None or name in FACTS:
            return table
        table = table.copy()
        found = [column for column in table.select_dtypes("float") if column not in KEYS]
        table[found] = change(table[found])
        ends = [("low", "high"), ("mean_low", "mean_high")]
        for low, high in (pair for pair in ends if set(pair) <= set(found)):
            table[low], table[high] = np.sort(table[[low, high]].to_numpy()).T
        return table

    return tables


@cache
def alike(study, name):
    """Return a table as if every task had the mean result of all tasks.

    The intervals have no width then, so that every result is certain.
    """
    table = studies.committed(study, name)
    if table is None or name in FACTS:
        return table
    if "task_id" not in table:
        middle = next((name for name in ("estimate", "difference") if {name, "low"} <= set(table)), None)
        return table.assign(low=table[middle], high=table[middle]) if middle else table
    found = [column for column in table.select_dtypes("float") if column not in KEYS]
    kinds = [name for name in KINDS if name in table]
    means = table.groupby(kinds)[found].transform("mean") if kinds else table[found].mean()
    return table.assign(**{column: means[column] for column in found})


def of_another(instead):
    """Return a function that gives a table of another study in place of a study's own.

    `instead` has the name of the other study by that of the study. If the other study lacks the table, the
    study's own table is given.
    """

    def tables(study, name):
        other = studies.committed(instead.get(study, study), name)
        return studies.committed(study, name) if other is None else other

    return tables


def turned(study, name):
    """Return a table with its verdicts replaced by the verdicts of TURNED or by "contradicted"."""
    table = studies.committed(study, name)
    if name == "natural_rules":
        return table.assign(rule_verdict="contradicted")
    if name == "few_positives_rules":
        return table.assign(verdict="contradicted", rule_verdict="contradicted")
    if name != "claims":
        return table
    notes = table["note"].str.replace("open", "contradicted")
    return table.assign(verdict=table["verdict"].replace(TURNED), note=notes)


def exchanged(study, name):
    """Return a table as if AUPR and AUPRG had exchanged their choices, and all results were negated."""
    table = OTHER_TABLES["negated"](study, name)
    if table is None:
        return table
    other = {"aupr": "auprg", "auprg": "aupr"}
    if name == "estimates":
        is_gain = table["quantity"] == "gain"
        return table.assign(first=table["first"].mask(is_gain, table["first"].replace(other)))
    return table.assign(selected_by=table["selected_by"].replace(other)) if "selected_by" in table else table


def steps_exchanged(study, name):
    """Return a table as if two steps of the decomposition had exchanged their ranking changes.

    The steps are the scale of recall and harmonic precision.
    """
    table = studies.committed(study, name)
    if name != "estimates" or table is None:
        return table
    return table.assign(setting=table["setting"].replace({"recall_gain": "auprg", "auprg": "recall_gain"}))


OTHER_TABLES = {
    "negated": changed(lambda found: -found),
    "exchanged": exchanged,
    "wide as default": of_another({"wide": "default"}),
    "turned verdicts": turned,
    "mirrored": changed(lambda found: 1 - found),
    "alike": alike,
    "tenfold": changed(lambda found: 10 * found),
    "steps exchanged": steps_exchanged,
}


def recorded(page, tables):
    """Return whether each guard of a page holds on the given tables, by the statement of the guard."""
    said = {}

    def guard(condition, statement):
        assert statement not in said, f"{page}: two guards say {statement!r}"
        said[statement] = bool(condition)
        return ""

    write.render(page, tables, guard)
    return said


@pytest.mark.parametrize("page", write.PAGES)
def test_a_page_is_that_of_its_template_and_the_committed_tables(page):
    assert (ROOT / page).read_text(encoding="utf-8") == write.render(page)


# Two pages are left out: `definitions` has code, and `audit` has what its command prints.
@pytest.mark.parametrize("page", sorted(set(write.PAGES) - {"docs/audit.md", "docs/definitions.md"}))
def test_each_guard_holds_on_the_committed_tables_and_fails_on_some_others(page):
    here = recorded(page, studies.committed)
    assert here
    assert all(here.values())
    never = set(here)
    for tables in OTHER_TABLES.values():
        if never:
            said = recorded(page, tables)
            never = {statement for statement in never if said[statement]}
    assert not never


def test_a_statement_that_is_no_longer_true_ends_the_making_of_a_page():
    with pytest.raises(NoLongerTrue, match="the tables no longer say: "):
        write.render("README.md", OTHER_TABLES["negated"])


def test_a_study_of_ones_own_is_not_read():
    with pytest.raises(LookupError, match="mine: no committed study; there are default, wide"):
        studies.committed("mine", "tasks")
    assert {path.parent.parent.name for path in ROOT.glob("results/*/tables/tasks.csv")} >= set(
        experiments.COMMITTED
    )


def test_every_claim_and_rule_has_its_place_on_the_page_once_and_an_erratum_has_none():
    text = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    places = re.findall(r'<a id="(\S+)"></a>', text)
    own = [ledger(path) for path in sorted(STUDIES.glob("*/claims.csv"))]
    ids = {name for rows in (ledger(), *own) for name in rows["id"]} - set(claims.Ledger().errata)
    assert sorted(places) == sorted(name.lower() for name in ids)
    assert sorted(claims.described()) == sorted(ids)
    not_there = text[text.index("## Not decided here") : text.index("## Remarks")]
    assert re.findall(r'<a id="(\S+)"></a>', not_there) == [name.lower() for name in not_decided()]


def test_each_measured_claim_of_the_two_papers_says_what_the_paper_says_and_on_what_it_was_measured():
    text = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    entries = re.findall(r"^### .*\((\S+)\)\n\n((?: *\* .*\n)+)", text, re.M)
    assert {name for name, _ in entries} == {
        name for name, facts in claims.described().items() if "says" in facts
    }
    for name, lines in entries:
        heads = re.findall(r"^\* \*\*(.*?)\*\*", lines, re.M)
        assert heads == ["The paper says", "Data and method", "We measured", "Verdict", "Rule"], name


def test_every_number_of_the_yaml_is_one_of_its_claim():
    own = [ledger(path) for path in sorted(STUDIES.glob("*/claims.csv"))]
    items_of_claims = pd.concat([ledger(), *own]).groupby("id")["item"]
    for name, facts in claims.described().items():
        assert set(facts.get("numbers", ())) <= set(items_of_claims.get_group(name)), name


def test_a_page_shows_the_verdicts_and_the_numbers_of_the_committed_claims():
    ledger_of_page, committed = claims.Ledger(), studies.committed("wide", "claims").set_index("id")
    for name in ledger_of_page.both_ways:
        row = committed.loc[name]
        assert ledger_of_page.verdict(name) == claims.WORDS.get(row["verdict"], row["verdict"])
        assert {ledger_of_page.weight(name), ledger_of_page.other_weight(name)} == {"task", "source"}
    values = ledger_of_page.values("FK-differ")
    excess = studies.Study("wide").halves("aupr", "auprg", "excess")
    expected = [100 * excess[end] for end in ("estimate", "low", "high")]
    assert values.loc["AUPR-AUPRG", ["here", "low", "high"]].to_list() == pytest.approx(expected)


def test_the_counts_of_verdicts_are_those_of_the_claims():
    ledger_of_page = claims.Ledger()
    text = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    table = text[text.index("| verdict |") : text.index("## Two ways of counting")]
    said = re.findall(r"^\| ([^|]+) \| [^|]*\| (\d+) \| (\d+) \|$", table, re.M)
    for column, names in enumerate((("FK", "B"), ("L",))):
        ids = [name for name in claims.described() if name.split("-")[0] in names]
        decided = [name for name in ids if name not in not_decided() and name not in ("FK-cause", "B-tasks")]
        counts = Counter(ledger_of_page.verdict(name) for name in decided)
        by_words = {words: int(of_paper[column]) for words, *of_paper in said}
        assert by_words.pop("all") == len(decided)
        assert {words: n for words, n in by_words.items() if n} == counts


@pytest.mark.parametrize("page", ["claims", "how-it-works", "limits"])
def test_pages_say_in_one_wording_when_the_rules_were_fixed(page):
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert RULES_FIXED in " ".join(text.split())
