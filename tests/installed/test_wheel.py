"""The wheel, sdist and data package of a release, and a study run from the wheel outside a checkout."""

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pandas as pd
import pytest
import yaml

import aucstudy

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "recipe"))
import release  # noqa: E402

needs_build = pytest.mark.needs("build")
SHIPPED = ("Snakefile", "config.yaml", "environment.yml", "profiles", "studies", "workflow")


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """Build the wheel and the sdist, and return their folder."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, done.stdout
    return folder


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory) -> Path:
    """Unpack the wheel, and return the folder."""
    folder = tmp_path_factory.mktemp("site")
    (wheel,) = built.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def committed(*paths: str) -> set[str]:
    """Return the files below these paths that git would commit."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *paths]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return {name for name in listed if name and (ROOT / name).is_file()}


@needs_build
def test_the_wheel_holds_the_package_the_workflow_and_nothing_else(installed):
    files = {str(path.relative_to(installed)) for path in installed.rglob("*") if path.is_file()}
    own = {name.removeprefix("src/") for name in committed("src")}
    shipped = {f"aucstudy/shipped/{name}" for name in committed(*SHIPPED)}
    assert {name for name in files if ".dist-info/" not in name} == own | shipped
    assert "aucstudy/py.typed" in files


@needs_build
def test_the_sdist_holds_what_the_wheel_is_made_of_and_no_results(built):
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    assert committed("src", "tests", *SHIPPED) | {"LICENSE", "CITATION.cff", "CHANGELOG.md"} <= names
    assert not {name for name in names if name.startswith(("results", "data/", ".snakemake/"))}


@pytest.mark.needs("build", "twine")
def test_the_metadata_is_what_an_index_needs(built):
    command = [sys.executable, "-m", "twine", "check", "--strict", *built.iterdir()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_version_date_and_digest_of_the_tables_are_the_same_wherever_they_stand():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    codemeta = json.loads((ROOT / "codemeta.json").read_text())
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text())
    version, date = aucstudy.__version__, str(citation["date-released"])
    assert citation["version"] == codemeta["version"] == recipe["context"]["version"] == version
    assert codemeta["datePublished"] == date
    assert f"\n## {version}, {date}\n" in (ROOT / "CHANGELOG.md").read_text()
    digest = "sha256:" + release.digest_of_files(release.committed_tables(), ROOT)
    assert [item["value"] for item in citation["identifiers"]] == [codemeta["identifier"]] == [digest]


def test_the_data_package_has_the_tables_with_all_their_columns_described(tmp_path):
    tables = [path for path in release.committed_tables() if path.parents[1].name == "few_natural"]
    for name in ("first.zip", "again.zip"):
        release.write_data_package(tables, tmp_path / name)
    assert (tmp_path / "first.zip").read_bytes() == (tmp_path / "again.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "first.zip") as archive:
        package = json.loads(archive.read("datapackage.json"))
        assert {path.name for path in tables} >= {"few_positives_groups.csv.gz"}
        assert len(package["resources"]) == len(tables)
        for resource in package["resources"]:
            fields = resource["schema"]["fields"]
            with archive.open(resource["path"]) as file:
                assert list(pd.read_csv(file, nrows=0)) == [field["name"] for field in fields]
            assert all(field["description"] for field in fields)


@pytest.mark.whole
def test_a_study_runs_from_the_wheel_in_any_folder_with_its_results_beside_it(installed, tmp_path):
    study = yaml.safe_load((ROOT / "tests" / "workflow" / "tiny.yaml").read_text())
    study |= {"study": "mine", "experiments": ["disagreement"]}
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(study))
    (tmp_path / "config.yaml").write_text("of: somebody else\n")
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    command = [sys.executable, "-m", "aucstudy", "run", "mine.yaml", "--cores", "2"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("report: results/mine/report.html\n")
    assert (tmp_path / "results/mine/report.html").stat().st_size > 10_000
    assert (tmp_path / "results/mine/tables/disagreement.csv").exists()
    assert {path.name for path in tmp_path.iterdir()} == {
        "config.yaml", "mine.yaml", "data", "results", ".snakemake"
    }  # fmt: skip
