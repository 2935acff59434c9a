"""The Slurm profile and docs/cluster.md name the groups and rules that the workflow has."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
RULES = "\n".join(path.read_text() for path in sorted((ROOT / "workflow/rules").glob("*.smk")))


def read(name):
    return yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text())


def test_the_profile_keeps_what_the_default_one_says_of_failed_jobs():
    slurm, default = read("slurm"), read("default")
    default.pop("cores")
    assert {key: slurm[key] for key in default} == default


def test_the_groups_and_rules_of_the_profile_are_those_of_the_workflow():
    slurm = read("slurm")
    groups = {component.partition("=")[0] for component in slurm["group-components"]}
    assert groups == set(re.findall(r'^\s+group:\n\s+"(\w+)"', RULES, re.M))
    assert set(slurm["set-resources"]) <= set(re.findall(r"^(?:rule|checkpoint) (\w+):", RULES, re.M))


def test_the_page_on_clusters_has_every_rule():
    written = re.findall(r"^(?:rule|checkpoint) (\w+):", RULES, re.M)
    made = re.findall(r'name:\n\s+f"(\w+)_\{experiment.stem\}"', RULES)
    page = (ROOT / "docs/cluster.md").read_text()
    rows = re.search(r"^\| job \|.*\n\|-.*\n((?:\|.*\n)+)", page, re.M)[1].splitlines()
    named = [name for row in rows for name in re.findall(r"`([\w<>]+)`", row.split("|")[1])]
    assert sorted(named) == sorted([*written, *(f"{verb}_<experiment>" for verb in made)])
