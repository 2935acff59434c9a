"""The examples and commands of the README work, and the links of all pages lead to files that exist."""

import re
from pathlib import Path

import matplotlib
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split

from aucstudy.commands.main import main

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_readme_shows_all_that_its_audit_prints(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    section = TEXT.split("## Check your own predictions")[1]
    commands, shown = re.findall(r"(?s)```\n(.*?)```", section)[:2]
    *_, audit = commands.splitlines()
    program, *arguments = audit.split()
    assert program == "light/bin/aucstudy"
    assert main(arguments) == 0
    printed = [line.rstrip() for line in capsys.readouterr().out.strip().splitlines()]
    assert shown.splitlines() == printed


def test_the_threshold_is_set_as_the_readme_shows():
    X, y = make_classification(2000, weights=[0.98], random_state=1)
    X_train, X_validation, y_train, y_validation = train_test_split(X, y, stratify=y, random_state=1)
    (example,) = re.findall(r"(?s)```python\n([^`]*TunedThreshold.*?)```", TEXT)
    model = LogisticRegression().fit(X_train, y_train)
    names = {"model": model, "X_validation": X_validation, "y_validation": y_validation, "X_new": X_train}
    exec(compile(example, "README.md", "exec"), names)
    assert f1_score(y_validation, names["tuned"].predict(X_validation)) > f1_score(
        y_validation, model.predict(X_validation)
    )


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
