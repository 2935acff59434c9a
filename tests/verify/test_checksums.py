"""The committed tables fit their checksums, and a changed table is reported in one line."""

import subprocess
from pathlib import Path

import pytest

from aucstudy.errors import InputError
from aucstudy.verify import CHECKSUMS, check_tables, store_digest, write_checksums

RESULTS = Path(__file__).parents[2] / "results"
STUDIES = sorted(folder.parent.name for folder in RESULTS.glob("*/tables"))


def committed(study):
    listed = subprocess.run(
        ["git", "ls-files", f"results/{study}/tables"],
        cwd=RESULTS.parent, check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    return sorted(Path(name).name for name in listed)


@pytest.mark.parametrize("study", ["default", "few_natural", "uw-cse"])
def test_the_checksums_are_those_of_the_committed_tables(study):
    names, _ = check_tables(RESULTS / study)
    assert names == committed(study)


@pytest.fixture
def results(tmp_path):
    (tmp_path / "tables").mkdir()
    for name in ("a", "b"):
        (tmp_path / "tables" / f"{name}.csv").write_text(f"{name}\n1\n")
    write_checksums((tmp_path / "tables").glob("*.csv"), tmp_path / CHECKSUMS)
    return tmp_path


def test_sha256sum_takes_the_file(results):
    write_checksums((results / "tables").glob("*.csv"), results / CHECKSUMS)
    body = (results / CHECKSUMS).read_text()
    (results / CHECKSUMS).write_text(f"# task store {'0' * 64}\n{body}")
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", CHECKSUMS], cwd=results, check=True)
    assert check_tables(results) == (["a.csv", "b.csv"], "0" * 64)


def test_a_packed_table_has_a_checksum_too(results):
    (results / "tables/c.csv.gz").write_bytes(b"packed")
    with pytest.raises(InputError, match=r"c\.csv\.gz: is not listed"):
        check_tables(results)
    write_checksums((results / "tables").glob("*.csv*"), results / CHECKSUMS)
    assert check_tables(results)[0] == ["a.csv", "b.csv", "c.csv.gz"]


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (lambda folder: (folder / "tables/b.csv").write_text("b\n2\n"), r"b\.csv: has changed since"),
        (lambda folder: (folder / "tables/b.csv").unlink(), r"b\.csv: no such file"),
        (lambda folder: (folder / "tables/c.csv").write_text("c\n"), r"c\.csv: is not listed"),
        (lambda folder: (folder / CHECKSUMS).write_text("0 tables/a.csv\n"), r"line 1: is '0 tables/a"),
        (lambda folder: (folder / CHECKSUMS).unlink(), r"SHA256SUMS: cannot be read"),
    ],
)
def test_a_changed_table_is_told_in_one_line(results, damage, line):
    damage(results)
    with pytest.raises(InputError, match=line) as error:
        check_tables(results)
    assert "\n" not in str(error.value)


def test_the_digest_of_a_store_is_that_of_its_files(tmp_path):
    (tmp_path / "predictions").mkdir()
    files = [tmp_path / name for name in ("tasks.csv", "runs.csv", "predictions/t.parquet")]
    for path in files:
        path.write_text("x")
    digests = {store_digest(tmp_path)}
    for path in files:
        path.write_text("y")
        digests.add(store_digest(tmp_path))
    assert len(digests) == 4
