"""The Slurm profile names what the workflow has."""

from pathlib import Path

import yaml

from aucstudy.experiments.registry import EXPERIMENTS

PROFILES = Path(__file__).parents[2] / "profiles"


def read(name):
    return yaml.safe_load((PROFILES / name / "config.yaml").read_text())


def test_every_experiment_is_gathered_and_told_in_one_job():
    wanted = {
        f"{verb}_{name}": name
        for name, experiment in EXPERIMENTS.items()
        if experiment.tables
        for verb in ("gather", "tell")
    }
    assert read("slurm")["groups"] == wanted


def test_the_profile_keeps_what_the_default_one_says_of_failed_jobs():
    slurm, default = read("slurm"), read("default")
    default.pop("cores")
    assert {key: slurm[key] for key in default} == default
