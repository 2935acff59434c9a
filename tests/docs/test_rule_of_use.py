"""The page on choosing tells both arms at both thresholds, and its tables can be read."""

import re
from itertools import product
from pathlib import Path

ROOT = Path(__file__).parents[2]
ARMS = {
    "Models trained at the rare share": "thinned",
    "Models trained at a higher share": "natural",
}
BLOCKS = set(product(("thinned", "natural"), ("best", "sample")))


def page(name):
    return (ROOT / name).read_text(encoding="utf-8")


def table_rows(text):
    """The header of the first table of a text and its rows, split into cells."""
    lines = re.search(r"(?:^\|.*\n)+", text, re.M)[0].splitlines()
    header, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return header, rows


def metric_of(cell):
    """AUROC of "**AUROC +1.2**"; nothing where no area is better."""
    match = re.fullmatch(r"(?:\*\*)?(\w+) \+[\d.]+(?:\*\*)?(?: †)?", cell)
    return match[1] if match else ""


def cells_of_table(text, arm_of, positives, target_of):
    """By arm, number of positives, target metric, threshold and prevalence the area that a table of a page names."""
    header, rows = table_rows(text)
    target, cells = "", {}
    for first, *rest in rows:
        if first.startswith("*source groups"):
            continue
        threshold = "sample" if first.startswith("–") else "best"
        target = target if threshold == "sample" else target_of(first)
        for column, cell in zip(header[1:], rest, strict=False):
            if cell and cell != "–" and not column.startswith("over"):
                prevalence = round(float(column.split(" %")[0]) / 100, 4)
                cells[arm_of(column), positives, target, threshold, prevalence] = metric_of(cell)
    return cells


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


def test_the_page_names_auroc_and_ap_alone():
    choosing = cells_of_choosing(page("docs/choosing.md"))
    assert len(choosing) > 100
    assert set(choosing.values()) == {"", "AUROC", "AP"}


def test_the_page_tells_both_arms_at_both_thresholds():
    assert told_blocks(cells_of_choosing(page("docs/choosing.md"))) == BLOCKS


def test_a_page_that_tells_one_arm_alone_is_found():
    text = page("docs/choosing.md")
    start, end = text.index("## Models trained at a higher share"), text.index("## How to read the tables")
    assert told_blocks(cells_of_choosing(text[:start] + text[end:])) == {
        ("thinned", "best"),
        ("thinned", "sample"),
    }
