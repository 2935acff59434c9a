"""A job depends on its experiment's own files, the experiments that these import, and shared subpackages."""

import ast
from pathlib import Path

import pytest

from aucstudy.config import shipped_experiments
from aucstudy.jobs import planning
from aucstudy.jobs.planning import PACKAGE, with_what_it_imports

EXPERIMENTS = shipped_experiments()
SHARED_BY_ALL = {PACKAGE / subpackage for subpackage in planning.MEASURING}


def names(files):
    return {Path(file).name for file in files}


def imports_of(file):
    """Yield the subpackages and modules of aucstudy from which a file imports names."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("aucstudy."):
            yield PACKAGE.joinpath(*node.module.split(".")[1:])


def test_an_experiment_depends_on_the_experiments_that_it_imports():
    assert "fold_cuts.py" in names(planning.files_that_measure(EXPERIMENTS["fold_skew"]))
    assert "noise.py" not in names(planning.files_that_measure(EXPERIMENTS["fold_skew"]))
    drawn = names(planning.files_that_tell(EXPERIMENTS["answer"]))
    assert {"answer.py", "downsampling.py", "charts.py", "aucstudy.mplstyle"} <= drawn


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_whatever_an_experiment_imports_is_among_the_inputs_of_its_jobs(name):
    """Every import is a file of the experiment, or of a shared subpackage, or a module of constants.

    The subpackages that fetch data and fit learners count for an experiment that uses the rows of the data.
    They also count for an experiment in a study's folder, because it may use the study's source.
    """
    experiment = EXPERIMENTS[name]
    files = with_what_it_imports(experiment.file)
    fits = experiment.rows or not experiment.in_package
    shared = {*SHARED_BY_ALL, *(PACKAGE / subpackage for subpackage in planning.FETCHING if fits)}
    known = {file.with_suffix("") for file in files}
    constants = {PACKAGE / name for name in ("errors", "experiments", "published", "published/implied")}
    for file in files:
        for imported in imports_of(file) if file.suffix == ".py" else ():
            inside = {imported, *imported.parents} & shared
            assert inside or imported in known | constants, f"{file.name} imports {imported}"


def test_a_subpackage_is_all_its_code_and_what_it_reads_but_no_page_of_words():
    files = planning.files_of_subpackage("experiments")
    assert {"noise.py", "tables.yaml"} <= names(files)
    assert not [file for file in files if file.endswith((".md", ".pyc"))]
    assert {Path(file).suffix for file in planning.files_of_subpackage("learners")} == {".py", ".csv"}


def test_what_python_and_numba_compiled_is_no_code_of_a_subpackage(tmp_path, monkeypatch):
    monkeypatch.setattr(planning, "PACKAGE", tmp_path)
    for file in (
        "bounds.py",
        "__pycache__/bounds.cpython-311.pyc",
        "__pycache__/bounds.minima-89.py311.1.nbc",
    ):
        (tmp_path / "metrics" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "metrics" / file).touch()
    assert planning.files_of_subpackage("metrics") == [str(tmp_path / "metrics/bounds.py")]


def test_a_source_of_the_package_is_in_a_subpackage_and_that_of_a_study_its_files(tmp_path):
    assert planning.files_of_source("packaged") == []
    (tmp_path / "source.py").write_text("from .facts import read\nfrom aucstudy.errors import InputError\n")
    (tmp_path / "facts.py").write_text("FILE = __file__\n")
    (tmp_path / "other.py").write_text("")
    for name in ("sets.csv", "claims.yaml"):
        (tmp_path / name).write_text("a\n")
    found = names(planning.files_of_source(str(tmp_path / "source.py")))
    assert found == {"source.py", "facts.py", "sets.csv"}
