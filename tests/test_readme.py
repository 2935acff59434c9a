"""The examples and commands of the README work, and the links of all pages lead to files that exist."""

import re
from pathlib import Path

import matplotlib
import pytest

from aucstudy.commands.main import main

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_readme_shows_lines_that_its_audit_prints(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(ROOT)
    commands, shown = re.findall(r"(?s)```\n(.*?)\n```", TEXT.split("## Audit your predictions")[1])[:2]
    *_, audit = commands.splitlines()
    program, *arguments, page = audit.split()
    assert (program, arguments[-1]) == ("light/bin/aucstudy", "--html")
    assert main([*arguments, str(tmp_path / page)]) == 0
    assert (tmp_path / page).is_file()
    printed = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())
    assert f"\n{shown}\n" in printed
    # README says that AUROC alone leaves out the third model.
    assert "By AUROC logistic is first. forest cannot be excluded:" in printed
    assert all(
        f"By {metric} forest is first. neighbours and" in printed for metric in ("AUPR", "AUPRG", "AP")
    )
    assert 10 <= len(shown.splitlines()) <= 16


def test_each_command_of_the_first_table_is_explained_in_a_section():
    commands = re.findall(r"(?m)^\| \[.*\]\(#.*\) \| `([^`]+)` \|", TEXT)
    assert len(commands) == 3
    code = "\n".join(re.findall(r"(?s)```\n(.*?)\n```", TEXT))
    parts = [part for command in commands for part in command.split(" && ")]
    assert [part for part in parts if part.removeprefix(".venv/") not in code] == []


def test_the_example_of_the_readme_runs(capsys):
    (example,) = re.findall(r"(?s)```python\n(.*?)```", TEXT)
    exec(compile(example, "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("[0.")


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
