"""The workflow as a module of another one: its rules come in under a prefix, with a study of the other's choice."""

import os
import subprocess
import sys

import pytest
from clones import ROOT

OTHER = """
config = {{"areas": {{"study": "theirs", "packaged": {{"datasets": ["iris", "wine"]}}, "batches": {{"fetch": 2}}}}}}

module areas:
    snakefile: {snakefile!r}
    config: config["areas"]

use rule * from areas as areas_*

rule theirs:
    input: "results/theirs/tables/rejections.csv"
"""


@pytest.mark.parametrize("snakefile", ["Snakefile", "workflow/Snakefile"])
def test_another_workflow_includes_it_as_a_module(tmp_path, snakefile):
    (tmp_path / "Snakefile").write_text(OTHER.format(snakefile=str(ROOT / snakefile)))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--dry-run", "theirs"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "checkpoint areas_task_store:" in done.stdout, done.stdout
    # the study of the other workflow, laid on config.yaml
    assert "output: data/theirs/fetched/1" in done.stdout
    assert "output: data/theirs/fetched/2" not in done.stdout


def test_both_snakefiles_make_the_whole_study_by_default(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    (tmp_path / "one.yaml").write_text("study: one\nexperiments: [disagreement]\naudit: {enabled: false}\n")
    for snakefile in ("Snakefile", "workflow/Snakefile"):
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / snakefile), "--dry-run"]
        command += ["--configfile", str(ROOT / "config.yaml"), "one.yaml"]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        assert "localrule all:" in done.stdout or "rule all:" in done.stdout, done.stdout
