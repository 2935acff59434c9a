"""An output never replaces an input, and replaces a file of another program only with `--force`."""

import os

import pandas as pd
import pytest

from aucstudy.commands.main import main


@pytest.fixture
def table(tmp_path, monkeypatch):
    frame = pd.DataFrame({"y": [1, 0] * 20, "a": range(40), "b": range(40, 0, -1)})
    (tmp_path / "folder").mkdir()
    frame.to_csv(tmp_path / "p.csv", index=False)
    monkeypatch.chdir(tmp_path / "folder")
    return tmp_path / "p.csv"


def audit(table, page, *words):
    return main(["audit", str(table), "--label", "y", "--resamples", "100", "--html", str(page), *words])


@pytest.mark.parametrize("spelling", ["itself", "relative", "symbolic link", "hard link"])
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_the_input_is_never_replaced(table, capsys, spelling, force):
    before, page = table.read_bytes(), table.with_name("page.html")
    if spelling == "symbolic link":
        page.symlink_to(table)
    elif spelling == "hard link":
        os.link(table, page)
    else:
        page = table if spelling == "itself" else "../folder/../p.csv"
    assert audit(table, page, *force) == 1
    assert f"is the input {table}" in capsys.readouterr().err
    assert table.read_bytes() == before
    assert os.path.samefile(page, table)


def test_the_table_of_metric_values_is_an_input_too(tmp_path, capsys):
    scores = tmp_path / "s.csv"
    scores.write_text("t,m,a,b\nx,p,1,2\nx,q,2,1\n")
    words = ["--task", "t", "--model", "m", "--metric", "a", "--metric", "b", "--force"]
    assert main(["audit", "--scores", str(scores), *words, "--html", str(scores)]) == 1
    assert "is the input" in capsys.readouterr().err
    assert scores.read_text().startswith("t,m,a,b")


def test_a_file_of_another_program_is_replaced_by_force_only(table, capsys):
    page = table.with_name("thesis.html")
    page.write_text("<!doctype html><title>Thesis</title>")
    assert audit(table, page) == 1
    assert "is no page of aucstudy; give --force to replace it" in capsys.readouterr().err
    assert "Thesis" in page.read_text()
    assert audit(table, page, "--force") == 0
    # The page is now written by aucstudy, so --force is not needed.
    assert audit(table, page) == 0
    assert "Thesis" not in page.read_text()


@pytest.mark.parametrize(("kind", "line"), [("folder", "is a folder"), ("device", "is no regular file")])
def test_what_is_no_regular_file_is_no_place_for_a_page(table, tmp_path, capsys, kind, line):
    place = tmp_path / "place"
    place.mkdir() if kind == "folder" else os.mkfifo(place)
    assert audit(table, place, "--force") == 1
    assert line in capsys.readouterr().err


def test_a_refused_output_costs_no_work(table, capsys, monkeypatch):
    from aucstudy.reading import prediction_tables

    monkeypatch.setattr(prediction_tables, "read_scored_table", lambda *_, **__: pytest.fail("it was read"))
    assert audit(table, table) == 1
