"""Each committed measurement names its commit and its processor, and each table has its program."""

import re
from importlib import import_module

import pandas as pd
import pytest

from aucstudy.config import REPOSITORY

BENCHMARKS = REPOSITORY / "benchmarks"
TABLES = sorted((REPOSITORY / "results" / "benchmarks").glob("*.csv"))
# The program of this table left with the study whose rows it read. The table is evidence for `joint_limits`.
WITHOUT_PROGRAM = {"joint_limits.csv"}
LINUX = """processor	: 0
model name	: AMD EPYC
cpu family	: 25
model		: 1

processor	: 1
model name	: another
cpu family	: 0
model		: 0
"""


@pytest.fixture
def origin(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module("origin")


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_every_row_names_the_commit_and_the_processor_of_its_measurement(path):
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    assert list(table)[-2:] == ["commit", "processor"]
    assert all(re.fullmatch("[0-9a-f]{8}", commit) for commit in table["commit"])
    assert table["processor"].ne("").all()


def test_every_table_is_written_by_a_program_of_the_folder():
    programs = "".join(path.read_text(encoding="utf-8") for path in BENCHMARKS.glob("*.py"))
    assert {path.name for path in TABLES if path.name not in programs} == WITHOUT_PROGRAM


def test_a_run_names_the_commit_and_whether_the_working_copy_differs(origin, monkeypatch):
    for changed, commit in (("", "0123abcd"), (" M src/a.py", "0123abcd-dirty")):
        origin.origin.cache_clear()
        answers = {"rev-parse": "0123abcd", "status": changed}
        monkeypatch.setattr(origin, "_git", lambda word, *_, answers=answers: answers[word])
        assert origin.origin()["commit"] == commit
    origin.origin.cache_clear()


def test_the_processor_has_a_name_and_on_linux_its_family_and_model(origin, tmp_path):
    (tmp_path / "cpuinfo").write_text(LINUX)
    assert origin.processor(tmp_path / "cpuinfo") == "AMD EPYC, family 25, model 1"
    assert origin.processor(tmp_path / "none")


def test_measurements_keep_their_own_columns_first(origin, tmp_path):
    origin.write_measured(pd.DataFrame({"seconds": [1.5]}), tmp_path / "t.csv")
    assert list(pd.read_csv(tmp_path / "t.csv")) == ["seconds", "commit", "processor"]
