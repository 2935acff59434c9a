"""Snakemake plans and lints the workflow where only Snakemake is installed, as its workflow catalog does."""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from clones import ROOT
from packaging.requirements import Requirement

COMMAND = "import sys; from snakemake.cli import main; main(sys.argv[1:])"


def with_requirements(name: str, found: dict[str, Distribution]) -> dict[str, Distribution]:
    """Return a distribution and all that it requires, directly or indirectly, by name."""
    key = re.sub("[-_.]+", "-", name).lower()
    try:
        found[key] = distribution(name)
    except PackageNotFoundError:  # It is for another platform or Python.
        return found
    for text in found[key].requires or ():
        requirement = Requirement(text)
        asked = not requirement.marker or requirement.marker.evaluate({"extra": ""})
        if asked and re.sub("[-_.]+", "-", requirement.name).lower() not in found:
            with_requirements(requirement.name, found)
    return found


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> Path:
    """Return a folder with links to Snakemake and all that it requires, and to nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    for each in with_requirements("snakemake", {}).values():
        for top in {Path(file).parts[0] for file in each.files or ()} - {"..", "__pycache__"}:
            if not (folder / top).exists():
                (folder / top).symlink_to(each.locate_file(top))
    assert not {"numpy", "pandas", "pyarrow", "tqdm", "threadpoolctl", "aucstudy"} & {
        path.name for path in folder.iterdir()
    }
    return folder


def snakemake(folder: Path, bare: Path, *words: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(bare)}
    return subprocess.run(
        [sys.executable, "-S", "-P", "-c", COMMAND, "--cores", "1", *words], cwd=folder, env=environment, text=True,
        check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def test_it_lints(bare):
    done = snakemake(ROOT, bare, "--lint")
    assert done.returncode == 0, done.stdout
    assert "your workflow is in a good condition" in done.stdout


@pytest.mark.parametrize(
    "study",
    [
        "",
        "studies/files-example.yaml",
        "studies/openml-example.yaml",
        "studies/few_positives/few_thinned.yaml",
    ],
)
def test_it_plans_every_kind_of_study(bare, tmp_path, study):
    files = [str(ROOT / name) for name in ("config.yaml", study) if name]
    words = ["--snakefile", str(ROOT / "Snakefile"), "--configfile", *files, "--dry-run", "--quiet", "rules"]
    done = snakemake(tmp_path, bare, *words)
    assert re.search(r"(?m)^fetch +\d+$", done.stdout), done.stdout
    assert done.returncode == 0, done.stdout


def test_a_workflow_without_the_package_says_how_it_is_installed(bare, tmp_path):
    shutil.copytree(ROOT / "workflow", tmp_path / "workflow")
    shutil.copy(ROOT / "config.yaml", tmp_path)
    done = snakemake(tmp_path, bare, "--dry-run")
    assert done.returncode == 1
    assert (
        "aucstudy is not installed where Snakemake runs; expected: pip install 'aucstudy[study]'"
        in done.stdout
    )
    assert "Traceback" not in done.stdout
