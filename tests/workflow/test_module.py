"""The workflow as a module of another one, and from workflow/Snakefile, where the workflow catalog looks."""

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


def snakemake(folder, *words):
    """Run Snakemake in the folder and return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "1", *words], cwd=folder, env=environment, text=True,
        check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


def planned(folder, *words):
    return snakemake(folder, "--dry-run", *words)


@pytest.mark.parametrize("snakefile", ["Snakefile", "workflow/Snakefile"])
def test_another_workflow_includes_it_as_a_module(tmp_path, snakefile):
    (tmp_path / "Snakefile").write_text(OTHER.format(snakefile=str(ROOT / snakefile)))
    output = planned(tmp_path, "theirs")
    assert "rule areas_task_store:" in output
    # The study of the other workflow is laid over config.yaml.
    assert "output: data/theirs/fetched/1" in output
    assert "output: data/theirs/fetched/2" not in output


OWN_FIRST = """
rule theirs:
    output: "theirs.txt"
    shell: "echo theirs > {{output}}"

module areas:
    snakefile: {snakefile!r}
    config: {{"study": "theirs", "packaged": {{"datasets": ["iris", "wine"]}}}}

use rule * from areas as areas_*
"""


@pytest.mark.parametrize("snakefile", ["Snakefile", "workflow/Snakefile"])
def test_a_workflow_around_it_keeps_its_default_target_and_its_report(tmp_path, snakefile):
    (tmp_path / "Snakefile").write_text(OWN_FIRST.format(snakefile=str(ROOT / snakefile)))
    output = snakemake(tmp_path)
    assert (tmp_path / "theirs.txt").read_text() == "theirs\n"
    assert "areas_fetch" not in output
    assert not (tmp_path / "data").exists()
    # Snakemake's own report is that of the workflow around it.
    snakemake(tmp_path, "--report", "report.html")
    assert "How the study was made" not in (tmp_path / "report.html").read_text()


def test_the_snakefile_of_the_workflow_folder_makes_the_whole_study_by_default(tmp_path):
    (tmp_path / "one.yaml").write_text("study: one\nexperiments: [disagreement]\n")
    files = ["--configfile", str(ROOT / "config.yaml"), "one.yaml"]
    output = planned(tmp_path, "--snakefile", str(ROOT / "workflow/Snakefile"), *files)
    assert "localrule all:" in output or "rule all:" in output
