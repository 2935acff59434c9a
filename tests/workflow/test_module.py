"""The workflow as a module of another one, and from the Snakefile where the catalogue of workflows looks for it."""

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


def planned(folder, *words):
    """What a dry run in the folder prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--dry-run", *words]
    done = subprocess.run(
        command, cwd=folder, env=environment, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize("snakefile", ["Snakefile", "workflow/Snakefile"])
def test_another_workflow_includes_it_as_a_module(tmp_path, snakefile):
    (tmp_path / "Snakefile").write_text(OTHER.format(snakefile=str(ROOT / snakefile)))
    output = planned(tmp_path, "theirs")
    assert "checkpoint areas_task_store:" in output
    # the study of the other workflow, laid on config.yaml
    assert "output: data/theirs/fetched/1" in output
    assert "output: data/theirs/fetched/2" not in output


def test_the_snakefile_of_the_workflow_folder_makes_the_whole_study_by_default(tmp_path):
    (tmp_path / "one.yaml").write_text("study: one\nexperiments: [disagreement]\n")
    files = ["--configfile", str(ROOT / "config.yaml"), "one.yaml"]
    output = planned(tmp_path, "--snakefile", str(ROOT / "workflow/Snakefile"), *files)
    assert "localrule all:" in output or "rule all:" in output
