"""The Slurm profile names what the workflow has."""

from pathlib import Path

import yaml

PROFILES = Path(__file__).parents[2] / "profiles"


def read(name):
    return yaml.safe_load((PROFILES / name / "config.yaml").read_text())


def test_the_profile_keeps_what_the_default_one_says_of_failed_jobs():
    slurm, default = read("slurm"), read("default")
    default.pop("cores")
    assert {key: slurm[key] for key in default} == default
