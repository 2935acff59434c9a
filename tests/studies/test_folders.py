"""Studies are independent: the package names none of them, and none imports the code of another."""

import ast
import re

import pytest
from clones import ROOT

from aucstudy.config import load_config
from aucstudy.study_folder.files import STUDY, study_files

FOLDERS = sorted(path.parent for path in (ROOT / "studies").glob("*/README.md"))
MODULES = sorted((ROOT / "studies").glob("*/*.py"))


@pytest.mark.needs("relational", "wide", "rare", "boosting", "weka")
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_a_study_has_a_valid_study_file_and_its_results_are_committed(folder):
    files = study_files(folder)
    assert files, folder
    for path in files:
        study = load_config(path)["study"]
        assert study in (folder.name, path.stem)
        assert (ROOT / "results" / study / "SHA256SUMS").exists()
    assert len(files) > 1 or (folder / STUDY).exists()


@pytest.mark.parametrize("module", MODULES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_code_of_a_study_imports_its_own_files_and_the_package(module):
    """Import contracts cover only folders that can be packages; this also covers a folder such as uw-cse."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            assert node.level == 1, f"{module.name} reaches out of its folder"
            if node.module is None:
                assert all(module.with_name(f"{alias.name}.py").exists() for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module.split(".")[0] != "studies"
        elif isinstance(node, ast.Import):
            assert not any(alias.name.split(".")[0] == "studies" for alias in node.names)


def test_the_package_names_no_study():
    words = ("wide", "weka", "few_positives")  # Alone, these are words that the package may use.
    names = "|".join(re.escape(folder.name) for folder in FOLDERS if folder.name not in words)
    named = re.compile(rf"\b({names}|studies/({'|'.join(words)}))\b")
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix in (".py", ".md", ".yaml", ".j2", ".html", ".csv") and "claims" not in path.parts:
            assert not named.search(path.read_text(encoding="utf-8")), path
