"""The docs site builds without a warning, its pages have all that they describe, and its examples run."""

import doctest
import os
import re
import subprocess
import sys
from html import unescape
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from aucstudy.commands.arguments import COMMANDS
from aucstudy.config import shipped_experiments
from aucstudy.experiments import contract
from aucstudy.metrics import __all__ as METRICS
from aucstudy.store.estimates import selected
from aucstudy.store.tables import study_table

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
needs_docs = pytest.mark.needs("docs")
BUILD = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir"]


def build(folder, site):
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(
        [*BUILD, str(site)], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    built = build(ROOT, folder)
    assert built.returncode == 0, built.stderr
    return folder


def words(site, page):
    return unescape(re.sub(r"<[^>]+>", "", (site / page).read_text(encoding="utf-8")))


@needs_docs
def test_every_experiment_has_a_page_with_its_question_method_tables_and_limits(site):
    for experiment in shipped_experiments().values():
        text = words(site, f"experiments/{experiment.main}.html")
        assert contract.page(experiment.page).title in text, experiment.name
        assert all(f"{table}.csv" in text for table in experiment.tables), experiment.name
        assert not experiment.estimates or "Its rows of `estimates.csv`".replace("`", "") in text, (
            experiment.name
        )
        assert not experiment.limits or "What it cannot say" in text, experiment.name


@needs_docs
def test_a_page_tells_the_findings_of_the_committed_tables(site):
    table = study_table(ROOT / "results/default/tables", "estimates")
    changes = {"quantity": "change of the metric", "first": "aupr", "subset": "negatives for every ratio"}
    nearest = selected(table, "downsampling", weight="source", **changes).iloc[0]
    said = " ".join(words(site, "experiments/downsampling.html").split())
    assert f"AUPR changes by {100 * nearest['estimate']:.0f} points" in said


@needs_docs
def test_the_dictionary_names_every_column_of_every_table(site):
    text = words(site, "reference/tables.html")
    for experiment in shipped_experiments().values():
        for table in experiment.tables.values():
            assert all(column in text for column in table.columns)


@needs_docs
def test_the_reference_names_every_function_command_and_key(site):
    module = (site / "reference/module.html").read_text(encoding="utf-8")
    headings = re.findall(r"<h3.*?</h3>", re.sub(r"<small.*?</small>", "", module, flags=re.S), re.S)
    titles = {re.sub(r"<[^>]+>|\s|¶", "", title) for title in headings}
    assert {unescape(title).rstrip("¶") for title in titles} >= set(METRICS)
    commands = words(site, "reference/commands.html")
    assert [name for name in COMMANDS if f"usage: aucstudy {name}" not in commands] == []
    configuration = words(site, "reference/configuration.html")
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    keys = {key for block in config.values() if isinstance(block, dict) for key in block} | set(config)
    assert [key for key in keys if key not in configuration] == []


@needs_docs
def test_every_picture_of_the_site_is_there_and_nothing_comes_from_a_network(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for address in re.findall(r'<(?:img|script|link)[^>]+(?:src|href)="([^"#?]+)', text):
            assert "://" not in address, f"{page.name}: {address}"
            if page.name != "404.html":  # Its addresses begin at the root of the server.
                assert (page.parent / address).exists(), f"{page.name}: {address}"


@needs_docs
def test_a_link_to_nowhere_ends_the_build(tmp_path):
    """The settings are those of the site. The page has one broken link and one broken anchor."""
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    validation = re.search(r"^validation:\n(?: .*\n)+", settings, re.M)[0]
    assert re.search(r"^strict: true$", settings, re.M)
    (tmp_path / "mkdocs.yml").write_text(f"site_name: broken\nplugins: []\n{validation}")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# One\n\n[gone](gone.md) and [nowhere](#nowhere)\n")
    built = build(tmp_path, tmp_path / "site")
    assert built.returncode != 0
    assert "gone.md" in built.stderr
    assert "#nowhere" in built.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_lists_are_written_so_that_github_and_the_site_read_them_alike(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    assert re.findall(r"^ {1,3}(?:[*-]|\d+\.) .*", text, re.M) == []
    assert re.findall(r"^(?![*\s]|- |\d+\. |<).+\n(?:[*-]|1\.) .*", text, re.M) == []


@pytest.mark.parametrize("page", ["definitions", "peers"])
def test_the_examples_of_a_page_run(page):
    assert doctest.testfile(str(ROOT / "docs" / f"{page}.md"), module_relative=False).failed == 0


@pytest.mark.parametrize("name", ["committed", "parts", "reference", "texts"])
def test_the_examples_of_what_makes_the_pages_run(name):
    assert doctest.testmod(import_module(name)).failed == 0
