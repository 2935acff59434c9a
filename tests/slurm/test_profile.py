"""The Slurm profile and docs/cluster.md name the groups and rules that the workflow has."""

import re
from pathlib import Path

import yaml

from aucstudy.config import shipped_experiments

ROOT = Path(__file__).parents[2]
RULES = "\n".join(path.read_text() for path in sorted((ROOT / "workflow/rules").glob("*.smk")))
WRITTEN_RULES = re.findall(r"^rule (\w+):", RULES, re.M)


def read(name):
    return yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text())


def test_the_profile_keeps_what_the_default_one_says_of_failed_jobs():
    slurm, default = read("slurm"), read("default")
    default.pop("cores")
    assert {key: slurm[key] for key in default} == default


def test_the_groups_and_rules_of_the_profile_are_those_of_the_workflow():
    slurm = read("slurm")
    measuring = [experiment for experiment in shipped_experiments().values() if experiment.has("of_task")]
    assert dict(entry.split("=") for entry in slurm["groups"]) == {
        "score": "score",
        **{f"measure_{experiment.stem}": "measure" for experiment in measuring},
    }
    assert {component.partition("=")[0] for component in slurm["group-components"]} == {"score", "measure"}
    assert set(slurm["set-resources"]) <= set(WRITTEN_RULES)


def test_the_page_on_clusters_has_every_rule():
    made = re.findall(r'name:\n\s+f"(\w+)_\{experiment.stem\}"', RULES)
    page = (ROOT / "docs/cluster.md").read_text()
    rows = re.search(r"^\| job \|.*\n\|-.*\n((?:\|.*\n)+)", page, re.M)[1].splitlines()
    named = [name for row in rows for name in re.findall(r"`([\w<>]+)`", row.split("|")[1])]
    assert sorted(named) == sorted([*WRITTEN_RULES, *(f"{verb}_<experiment>" for verb in made)])
