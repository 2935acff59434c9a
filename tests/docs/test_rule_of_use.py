"""README, the page on choosing and the audit name one chooser for a cell, and tell both arms at both thresholds."""

import re
from itertools import product
from pathlib import Path

import pytest

from aucstudy.choosing.surface import evidence
from aucstudy.choosing.words import decision_sentences

ROOT = Path(__file__).parents[2]
ARMS = {
    "also in training": "thinned",
    "higher in training": "natural",
    "Models trained at the rare share": "thinned",
    "Models trained at a higher share": "natural",
}
THRESHOLDS = {"with the best threshold": "best", "with one set on the same rows": "sample"}
BLOCKS = set(product(("thinned", "natural"), THRESHOLDS.values()))
WANTS_OF_README = {
    "F1": "f1", "precision of the first rows": "precision@P", "true minus false positive rate": "net:odds",
}  # fmt: skip
N_MODELS, POSITIVES_OF_README = 24, 10


def page(name):
    return (ROOT / name).read_text(encoding="utf-8")


def table_rows(text):
    """The header of the first table of a text and its rows, split into cells."""
    lines = re.search(r"(?:^\|.*\n)+", text, re.M)[0].splitlines()
    header, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return header, rows


def chooser_of(cell):
    """AUROC of "**AUROC +1.2**"; nothing where no area is better."""
    match = re.fullmatch(r"(?:\*\*)?(\w+) \+[\d.]+(?:\*\*)?(?: †)?", cell)
    return match[1] if match else ""


def cells_of_table(text, arm_of, positives, want_of):
    """By arm, number of positives, want, threshold and prevalence the area that a table of a page names."""
    header, rows = table_rows(text)
    want, cells = "", {}
    for first, *rest in rows:
        if first.startswith("*source groups"):
            continue
        threshold = "sample" if first.startswith("–") else "best"
        want = want if threshold == "sample" else want_of(first)
        for column, cell in zip(header[1:], rest, strict=False):
            if cell and cell != "–" and not column.startswith("over"):
                prevalence = round(float(column.split(" %")[0]) / 100, 4)
                cells[arm_of(column), positives, want, threshold, prevalence] = chooser_of(cell)
    return cells


def cells_of_readme(text):
    def arm_of(column):
        return ARMS[column.split(", ")[1]]

    section = text.split("## Which area should choose")[1]
    return cells_of_table(section, arm_of, POSITIVES_OF_README, WANTS_OF_README.__getitem__)


def cells_of_choosing(text):
    cells = {}
    for title, section in re.findall(r"^## (Models trained .+?)\n(.+?)(?=^## )", text, re.M | re.S):
        for positives, tables in re.findall(
            r"hosen on (\d+) positives[^\n]*\n(.*?)(?=hosen on|\Z)", section, re.S
        ):
            cells |= cells_of_table(
                tables,
                lambda _, title=title: ARMS[title],
                int(positives),
                lambda words: re.search(r"`(.+)`", words)[1],
            )
    return cells


def audit_says(arm, positives, want, prevalence, table):
    """By threshold the area that the audit lets choose on data of a size, for models of one arm."""
    rows = table[(table["trained"] == arm) & (table["prevalence"] == prevalence) & (table["want"] == want)]
    rows = rows[(rows["positives"] == positives) & (rows["n_models"] == N_MODELS)]
    learned = int(rows["n_training_positive"].median())
    lines = decision_sentences(positives, prevalence, N_MODELS, want, trained_positives=learned, table=table)
    (said,) = (line for line in lines if line.startswith("Models trained at"))
    said = said.split(f" for {want} ")[1]
    if not said.startswith(tuple(THRESHOLDS)):
        said = f"with the best threshold {said}"
    parts = re.split(f"({'|'.join(THRESHOLDS)}) ", said)
    answers = dict(zip(map(THRESHOLDS.get, parts[1::2]), parts[2::2], strict=True))
    named = re.compile(r"let (\w+) choose|(\w+) chooses better, by under")
    return {
        threshold: next(filter(None, match.groups())) if (match := named.match(words)) else ""
        for threshold, words in answers.items()
    }


def differing(cells, table):
    """The cells of a page for which the audit names another area than the page."""
    return {
        key: (chooser, said)
        for key, chooser in cells.items()
        if (said := audit_says(*key[:3], key[4], table)[key[3]]) != chooser
    }


def told_blocks(cells):
    return {(arm, threshold) for arm, _, _, threshold, _ in cells}


def test_readme_the_page_on_choosing_and_the_audit_name_one_chooser_for_a_cell():
    readme, choosing = cells_of_readme(page("README.md")), cells_of_choosing(page("docs/choosing.md"))
    assert len(readme) == 20
    assert len(choosing) > 100
    assert set(choosing.values()) == {"", "AUROC", "AP"}
    assert {key: choosing[key] for key in readme} == readme
    assert differing(choosing, evidence()) == {}


@pytest.mark.parametrize("arm", ["thinned", "natural"])
def test_an_audit_that_reads_another_surface_is_told_from_the_pages(arm):
    choosing, table = cells_of_choosing(page("docs/choosing.md")), evidence().copy()
    here = (table["trained"] == arm) & (table["outcome"] == "named")
    table.loc[here, ["outcome", "chooser"]] = ["open", ""]
    assert {key[0] for key in differing(choosing, table)} == {arm}


def test_a_page_that_names_another_chooser_is_found():
    text = page("README.md")
    cells = cells_of_readme(text.replace("**AUROC +3.7**", "**AP +3.7**"))
    choosing = cells_of_choosing(page("docs/choosing.md"))
    assert [key for key, chooser in cells.items() if choosing[key] != chooser] == [
        ("thinned", 10, "net:odds", "best", 0.01)
    ]


def test_each_page_tells_both_arms_at_both_thresholds():
    assert told_blocks(cells_of_readme(page("README.md"))) == BLOCKS
    assert told_blocks(cells_of_choosing(page("docs/choosing.md"))) == BLOCKS
    said = " ".join(decision_sentences(10, 0.01, N_MODELS))
    for arm in ("at such a share of positives", "at a higher share"):
        of_arm = said.split(f"Models trained {arm}")[1].split("Models trained")[0]
        assert all(words in of_arm for words in THRESHOLDS)


def test_a_page_that_tells_one_arm_alone_is_found():
    text = page("docs/choosing.md")
    start, end = text.index("## Models trained at a higher share"), text.index("## How to read the tables")
    assert told_blocks(cells_of_choosing(text[:start] + text[end:])) == {
        ("thinned", "best"),
        ("thinned", "sample"),
    }
    without = "\n".join(line for line in page("README.md").splitlines() if not line.startswith("– threshold"))
    without = "\n".join(line for line in without.splitlines() if not line.startswith("| – threshold"))
    assert told_blocks(cells_of_readme(without)) == {("thinned", "best"), ("natural", "best")}
