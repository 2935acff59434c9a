"""The Slurm profile names what the workflow has."""

from pathlib import Path

import yaml

from aucstudy.experiments.contract import experiments

PROFILES = Path(__file__).parents[2] / "profiles"


def read(name):
    return yaml.safe_load((PROFILES / name / "config.yaml").read_text())


def test_every_experiment_is_gathered_and_drawn_in_one_job():
    wanted = {
        f"{verb}_{experiment.stem}": experiment.stem
        for experiment in experiments().values()
        for verb in ("gather", "draw")
        if experiment.tables and experiment.figures
    }
    assert read("slurm")["groups"] == wanted


def test_the_profile_keeps_what_the_default_one_says_of_failed_jobs():
    slurm, default = read("slurm"), read("default")
    default.pop("cores")
    assert {key: slurm[key] for key in default} == default
