"""README and the page on choosing name one chooser for a cell, and tell both arms at both thresholds."""

import re
from itertools import product
from pathlib import Path

ROOT = Path(__file__).parents[2]
ARMS = {
    "also in training": "thinned",
    "higher in training": "natural",
    "Models trained at the rare share": "thinned",
    "Models trained at a higher share": "natural",
}
BLOCKS = set(product(("thinned", "natural"), ("best", "sample")))
WANTS_OF_README = {
    "F1": "f1", "precision of the first rows": "precision@P", "true minus false positive rate": "net:odds",
}  # fmt: skip
POSITIVES_OF_README = 10


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


def told_blocks(cells):
    return {(arm, threshold) for arm, _, _, threshold, _ in cells}


def test_readme_and_the_page_on_choosing_name_one_chooser_for_a_cell():
    readme, choosing = cells_of_readme(page("README.md")), cells_of_choosing(page("docs/choosing.md"))
    assert len(readme) == 20
    assert len(choosing) > 100
    assert set(choosing.values()) == {"", "AUROC", "AP"}
    assert {key: choosing[key] for key in readme} == readme


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
