"""The last lines of a run count every file, model and fold that was left out."""

import pytest

from aucstudy.commands.what_was_used import what_was_used

REJECTIONS = """task_id,run_id,stage,reason,detail
cut,,read,file_broken,cut.csv: not a readable table
deep/other.csv,,select,not_read,lies in a folder below
notes.xlsx,,select,not_read,its ending is none of
one,one.note,read,not_a_score,column 'note' holds no numbers
one,,score,fold_one_class,"fold b: 0 positives"
"""
CONFIG = {"source": "files", "models_per_task": 30}


@pytest.fixture
def tables(tmp_path):
    (tmp_path / "tasks.csv").write_text("task_id,n_candidates\none,100\ntwo,5\n")
    (tmp_path / "rejections.csv").write_text(REJECTIONS)
    return tmp_path


def test_what_was_left_out_is_counted_and_named(tables):
    assert what_was_used(CONFIG, tables) == [
        "2 of 5 files used; 3 left out: 2 not_read (deep/other.csv, notes.xlsx), 1 file_broken (cut)",
        "models left out: 1 not_a_score (one.note)",
        "folds left out of means over folds: 1 fold_one_class (one)",
        f"each with its reason: {tables / 'rejections.csv'}",
        "1 file with more than 30 models (up to 100): 30 were drawn of each; models_per_task changes that",
    ]


def test_a_study_that_uses_everything_says_so_in_one_line(tables):
    (tables / "rejections.csv").write_text("task_id,run_id,stage,reason,detail\n")
    assert what_was_used({"source": "packaged", "models_per_task": 30}, tables) == ["2 of 2 tasks used"]


def test_a_run_that_made_no_such_tables_says_nothing(tmp_path):
    assert what_was_used(CONFIG, tmp_path) == []
