"""The answers of `aucstudy verify`, with a stand-in for the Snakemake that makes the tables anew."""

import re

import pytest

from aucstudy.commands import verify
from aucstudy.commands.arguments import parser
from aucstudy.errors import InputError
from aucstudy.verify import CHECKSUMS, write_checksums

TABLES = {"a.csv": "task,area\nwine,0.5\niris,0.25\n", "b.csv": "task,area\nwine,0.5\n"}
STORE, OTHER_STORE = "0" * 64, "1" * 64


def write_results(folder, tables, store):
    results = folder / "results" / "tiny"
    (results / "tables").mkdir(parents=True)
    for name, text in tables.items():
        (results / "tables" / name).write_text(text)
    write_checksums((results / "tables").glob("*.csv"), results / CHECKSUMS)
    if store:
        body = (results / CHECKSUMS).read_text()
        (results / CHECKSUMS).write_text(f"# task store {store}\n{body}")


@pytest.fixture
def answer(tmp_path, monkeypatch, capsys):
    """Return a function that runs `aucstudy verify` and returns its exit code and what it prints.

    `made` are the tables made anew. `store` and `made_from` are the checksums of the predictions behind the
    committed and the new tables.
    """
    (tmp_path / "Snakefile").touch()
    (tmp_path / "data").mkdir()
    monkeypatch.setattr(verify, "WORKFLOW", tmp_path)
    monkeypatch.setattr(verify, "working_folder", lambda directory: tmp_path)
    monkeypatch.setattr(verify, "load_config", lambda *paths: {"study": "tiny"})
    monkeypatch.setattr(verify, "fetch_batches", lambda config: 2)

    def answered(made, *words, store=STORE, made_from=STORE):
        def snakemake(folder, *arguments):
            assert (folder / "Snakefile").exists()
            assert not {path.name for path in folder.iterdir()} & {"results", ".snakemake"}
            answered.asked = arguments
            write_results(folder, made, made_from)
            return 0

        monkeypatch.setattr(verify, "snakemake", snakemake)
        write_results(tmp_path, TABLES, store)
        arguments = parser().parse_args(["verify", *words])
        return arguments.run(arguments), capsys.readouterr().out

    return answered


def changed(old, new):
    return {name: text.replace(old, new) for name, text in TABLES.items()}


def test_the_same_bytes_are_identical(answer):
    code, out = answer(TABLES, made_from=OTHER_STORE)
    assert code == 0
    assert out.splitlines()[-1] == "identical: all 2 tables, byte for byte"


def test_a_folder_means_its_study_file_as_it_does_to_run(answer, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/study.yaml").write_text("study: tiny\n")
    assert answer(TABLES, str(tmp_path / "mine"))[0] == 0
    assert answer.asked[-1] == str(tmp_path / "mine/study.yaml")


def test_numbers_nearer_than_the_tolerance_are_equal_from_the_same_store(answer):
    code, out = answer(changed("0.25", "0.2500000001"))
    assert code == 0
    assert out.splitlines()[-1] == "equal to 1e-9 from the same store: 1 of 2 tables, the others identical"


def test_a_difference_from_the_same_store_is_a_failure_and_named(answer):
    code, out = answer(changed("0.25", "0.26"))
    assert code == 1
    lines = out.splitlines()[1:]
    assert lines[0].startswith("a.csv: ")
    assert 'column name="area"' in lines[0]
    assert lines[1] == "differs: 1 of 2 tables; 0 equal to 1e-9, 1 identical"
    assert "the code or a library computes otherwise" in lines[2]


@pytest.mark.parametrize(
    ("store", "why"),
    [
        (OTHER_STORE, "The predictions are not those that the committed tables were made from"),
        (
            None,
            "The models were fitted anew, and SHA256SUMS does not name the predictions of the committed tables",
        ),
    ],
)
def test_a_difference_after_fitting_anew_is_a_comparison_and_no_failure(answer, store, why):
    code, out = answer(changed("0.25", "0.26"), store=store)
    assert code == 0
    assert f"{why}: this is a comparison, not an equality." in out
    assert 'column name="area"' in out
    assert "nothing is wrong" in out


def test_a_table_that_is_no_longer_made_is_a_difference(answer):
    code, out = answer({"a.csv": TABLES["a.csv"]})
    assert code == 1
    assert "b.csv: only in the committed results" in out


def test_a_given_store_is_taken_as_that_of_the_committed_tables_where_they_do_not_say(answer, tmp_path):
    for batch in "01":
        (tmp_path / "kept/fetched" / batch).mkdir(parents=True)
    code, _ = answer(changed("0.25", "0.26"), "--store", str(tmp_path / "kept"), store=None)
    assert code == 1


def test_a_given_store_is_not_that_of_committed_tables_that_name_another(answer, tmp_path):
    for batch in "01":
        (tmp_path / "kept/fetched" / batch).mkdir(parents=True)
    code, out = answer(changed("0.25", "0.26"), "--store", str(tmp_path / "kept"), store=OTHER_STORE)
    assert code == 0
    assert "The predictions are not those that the committed tables were made from" in out


def test_a_store_that_lacks_a_batch_is_one_line(answer, tmp_path):
    (tmp_path / "kept/fetched/0").mkdir(parents=True)
    with pytest.raises(InputError, match=r"fetched/1: no such folder; expected: all 2 batches") as error:
        answer(TABLES, "--store", str(tmp_path / "kept"))
    assert not re.search("\n", str(error.value))
