"""`aucstudy verify` makes the tables of a study anew and says how far they agree with those in results/."""

import re
import shutil

import pytest

from aucstudy.stages.checksums import CHECKSUMS, check_tables, write_checksums


@pytest.fixture
def verified(clone, fresh):
    """A clone with the results of the tiny study but without its store."""
    shutil.copytree(clone.folder / "results/tiny", fresh.folder / "results/tiny")
    shutil.copytree(clone.folder / "data/tiny", fresh.folder / "kept")
    return fresh


def change(results, name, old, new):
    """Change numbers of a table and write its checksum anew, as if other code had made it."""
    path = results / "tables" / name
    _, store = check_tables(results)
    path.write_text(re.sub(old, new, path.read_text(), count=1))
    write_checksums((results / "tables").glob("*.csv"), results / CHECKSUMS)
    body = (results / CHECKSUMS).read_text()
    (results / CHECKSUMS).write_text(f"# task store {store}\n{body}")


def test_a_study_made_from_nothing_is_identical(verified):
    output = verified.run("aucstudy", "verify", str(verified.study)).stdout
    n_tables = len(verified.tables())
    assert output.splitlines()[-1] == f"identical: all {n_tables} tables, byte for byte"
    assert not (verified.folder / "data").exists()


def test_tables_of_the_same_store_that_differ_are_a_failure(verified):
    change(verified.folder / "results/tiny", "tasks.csv", r"0\.3333\d+", "0.34")
    done = verified.run("aucstudy", "verify", str(verified.study), "--store", "kept", check=False)
    assert done.returncode == 1
    assert (
        "tasks.csv: other numbers in row 1 of 4; the largest difference: row 1, prevalence: 0.34"
        in done.stdout
    )
    assert "differs: 1 tables; 0 are equal to 1e-9 and" in done.stdout
    assert "rule fetch:" not in done.stdout
    assert "the code or a library computes otherwise" in done.stdout


def test_other_predictions_make_a_comparison_not_a_failure(verified):
    results = verified.folder / "results/tiny"
    change(results, "tasks.csv", r"0\.3333\d+", "0.34")
    body = (results / CHECKSUMS).read_text()
    (results / CHECKSUMS).write_text(re.sub("store .*", f"store {'0' * 64}", body))
    output = verified.run("aucstudy", "verify", str(verified.study), "--store", "kept").stdout
    assert "the predictions are not those that the committed tables were made from" in output
    assert "this is a comparison, not an equality" in output
    assert "largest difference 0.00667" in output


def test_a_difference_within_the_tolerance_is_equal_from_the_same_store(verified):
    change(verified.folder / "results/tiny", "tasks.csv", r"0\.33333333\d+", "0.333333333334")
    output = verified.run("aucstudy", "verify", str(verified.study), "--store", "kept").stdout
    assert re.search(
        r"equal to 1e-9 from the same store: 1 tables, \d+ identical; largest difference 6\.", output
    )


def test_changed_tables_and_an_unfinished_store_are_one_line(verified):
    done = verified.run("aucstudy", "verify", str(verified.study), "--store", "results", check=False)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == (
        "aucstudy: results/fetched/0: no such folder; wanted: all 2 batches of a finished run"
    )
    with (verified.folder / "results/tiny/tables/tasks.csv").open("a") as stream:
        stream.write("\n")
    done = verified.run("aucstudy", "verify", str(verified.study), check=False)
    assert done.returncode == 1
    assert re.fullmatch(r"aucstudy: .*/tables/tasks\.csv: has changed since .*\n", done.stdout)
