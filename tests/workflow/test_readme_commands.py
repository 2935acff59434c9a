"""The commands of README do what it says in a clone in which nothing was installed or run."""

import os
import re
import subprocess

import pytest
import yaml
from clones import ROOT
from openml_server import OpenMLServer, world_from_store
from openml_server.stores import make_store

from aucstudy.store.task_store import read_tasks

pytestmark = pytest.mark.whole

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks_of(section: str) -> list[str]:
    """Return the blocks of code in a section of README."""
    return re.findall(r"(?s)```\n(.*?)\n```", README.split(f"\n## {section}\n")[1].split("\n## ")[0])


def test_the_audit_is_installed_by_readmes_commands_and_prints_what_readme_shows(editable):
    commands, shown = blocks_of("Audit your predictions")
    # The clone must see nothing of the environment that runs this test.
    environment = {name: os.environ[name] for name in os.environ if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        ["sh", "-ec", commands],
        cwd=editable.folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    printed = "\n".join(line.rstrip() for line in done.stdout.splitlines())
    assert f"\n{shown}\n" in printed
    assert (editable.folder / "page.html").stat().st_size > 100_000


def test_chosen_tasks_are_planned_fetched_and_computed_by_readmes_commands(fresh, tmp_path):
    make_store(tmp_path / "store", {f"data-{i}": 40 for i in range(1, 38)}, flows=4)
    own = {"study": "openml", "source": "openml", "models_per_task": 4, "min_flows": 4}
    with OpenMLServer(world_from_store(tmp_path / "store")) as server:
        served = fresh.folder / "served.yaml"
        own["openml"] = {"server": server.url, "pause": 0, "backoff": 0, "retries": 0}
        served.write_text(yaml.safe_dump(own))
        (commands,) = blocks_of("Your OpenML tasks or files")
        _, plan, fetch, run = (line.removeprefix(".venv/bin/").split() for line in commands.splitlines())
        planned = fresh.run(plan[0], plan[1], str(served), *plan[2:]).stdout
        assert "tasks that qualify 2 on 2 data sets" in planned
        assert "runs to fetch      8" in planned
        assert not (fresh.folder / run[2]).exists()
        fresh.run(fetch[0], fetch[1], str(served), *fetch[2:])
        # The study file that the fetch wrote has all experiments, of which the tests of the workflow run some.
        study = yaml.safe_load((fresh.folder / run[2]).read_text())
        (fresh.folder / run[2]).write_text(yaml.safe_dump({**study, "experiments": ["disagreement"]}))
        done = fresh.run(*run)
    assert done.stdout.splitlines()[-1] == "report: results/openml-tasks-31-37/report.html"
    assert set(read_tasks(fresh.folder / "data/openml-tasks-31-37")["task_id"]) == {"31", "37"}


@pytest.mark.parametrize("study", ["flach-kull-2015", "figure-5"])
def test_the_studies_that_need_openml_org_are_planned(fresh, study):
    printed = fresh.snakemake("--dry-run", study=fresh.folder / f"studies/{study}.yaml")
    for rule in ("fetch", "scores", "tables_disagreement", "estimates", "claims", "pages"):
        assert f"\n{rule} " in printed
