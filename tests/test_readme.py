"""The README keeps its measure, what it shows can be had, and links of all pages lead somewhere."""

import re
from pathlib import Path

import matplotlib
import pytest

from aucstudy.commands.main import main

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
SECTIONS = (
    "What we found", "Which area should choose", "Check your own file", "Two commands", "Rerun",
    "What became of the papers", "Where to read on",
)  # fmt: skip
NUMBER = re.compile(r"(?<![A-Za-z_\d.])-?\d[\d,]*(?:\.\d+)?")


def prose(text):
    """What is read in sentences: no code, picture, heading or table; of a link its words."""
    text = re.sub(r"```.*?```|!\[[^]]*\]\([^)]*\)|`[^`]*`", "", text, flags=re.S)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    return "\n".join(line for line in text.splitlines() if not re.match(r"\s*[|#]", line))


def sentences(text):
    """The sentences of each paragraph and of each point of a list."""
    points = re.sub(r"(?m)^\* ", "\n\n", prose(text).replace("et al.", "et al")).replace("*", "")
    for paragraph in re.split(r"\n\s*\n", points):
        of_paragraph = re.split(r"(?<=[.!?]) (?=[A-Z\"(\w])", " ".join(paragraph.split()))
        yield from (sentence for sentence in of_paragraph if len(sentence.split()) > 2)


def rows(text):
    return [line for line in text.splitlines() if line.startswith("|") and not re.fullmatch(r"[|-]+", line)]


def test_the_readme_is_read_in_four_minutes():
    lines = TEXT.splitlines()
    assert len(lines) <= 120
    assert len(TEXT.split()) <= 900
    assert [line for line in lines if len(line) > 110 and not line.startswith("|")] == []


def test_no_cell_of_the_readme_has_more_than_fifteen_words():
    cells = [re.sub(r"\]\([^)]*\)", "]", cell) for row in rows(TEXT) for cell in row.strip("|").split("|")]
    assert len(cells) > 40
    assert [cell for cell in cells if len(cell.split()) > 15] == []


def test_a_sentence_of_the_readme_has_two_numbers_at_most():
    counts = {sentence: len(NUMBER.findall(sentence)) for sentence in sentences(TEXT)}
    assert len(counts) > 30
    assert [sentence for sentence, count in counts.items() if count > 3] == []
    assert sum(count > 2 for count in counts.values()) <= 0.05 * len(counts)


def test_its_sections_come_in_their_order_and_its_tables_are_short():
    parts = dict(re.findall(r"(?ms)^## (.*?)$(.*?)(?=^## |\Z)", TEXT))
    assert tuple(parts) == SECTIONS
    findings = re.findall(r"(?m)^\* ", parts["What we found"])
    assert len(findings) <= 5
    assert len(rows(parts["Which area should choose"])) - 1 <= 8
    assert len(rows(parts["What became of the papers"])) - 1 <= 10


def test_the_audit_prints_what_the_readme_shows(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    commands, shown = re.findall(r"(?s)```\n(.*?)```", TEXT[TEXT.index("## Check your own file") :])[:2]
    *_, audit = commands.splitlines()
    assert audit.startswith(".venv/bin/aucstudy audit ")
    assert main(audit.split()[1:]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert len(shown.splitlines()) == 6
    places = [printed.index(line) for line in shown.splitlines()]
    assert places == sorted(places)


def test_the_commands_of_the_readme_are_there():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {target for names in re.findall(r"(?m)^([\w -]+): ", makefile) for target in names.split()}
    assert set(re.findall(r"(?m)^make (\w+)", TEXT)) <= targets
    assert all((ROOT / study).exists() for study in re.findall(r"studies/[\w.-]+", TEXT))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_shows_or_links_exists(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_example_of_the_metrics_module_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", page, re.S).group(1)
    exec(compile(example, "metrics.md", "exec"), {})
    assert (tmp_path / "curves.png").stat().st_size > 0
    assert "auprg=" in capsys.readouterr().out
