"""The commands and the OpenML source read the same scores from the same file of OpenML predictions."""

import numpy as np
import pytest
from openml_server.dialects import Dialect, write_predictions_file

from aucstudy.errors import InputError
from aucstudy.reading.prediction_tables import Columns, read_scored_table
from aucstudy.sources.openml.run import read_predictions
from aucstudy.sources.openml.task import Target

N = 20
CLASSES = ("no", "yes")
TRUTH = (np.arange(N) % 3 == 0).astype(int)
SCORE = np.random.default_rng(0).random(N).round(3)


@pytest.fixture
def body():
    confidences = np.column_stack([1 - SCORE, SCORE])
    return write_predictions_file(
        Dialect(), CLASSES, np.zeros(N, int), np.arange(N) % 10, np.arange(N), confidences, TRUTH
    )


def without_confidence(body: bytes) -> bytes:
    head, _, rows = body.partition(b"@DATA\n")
    cut = [row.split(b",") for row in rows.splitlines()]
    # Every second row gets the confidence 0 for both classes.
    cut[::2] = [[*row[:-2], b"0", b"0"] for row in cut[::2]]
    return head + b"@DATA\n" + b"\n".join(b",".join(row) for row in cut) + b"\n"


def test_rows_without_confidence_count_alike_for_the_commands_and_the_source(body, tmp_path):
    (tmp_path / "p.arff").write_bytes(without_confidence(body))
    read = read_scored_table(tmp_path / "p.arff", Columns(positive="yes"))
    fetched = read_predictions(without_confidence(body), Target(CLASSES, TRUTH), 1)
    assert np.array_equal(read.scores[:, 0], fetched.score)
    assert set(read.scores[::2, 0]) <= {0, 1}
    assert read.notes == ("10 rows have no confidence above zero: their prediction counts, as on OpenML",)


def test_a_prediction_that_is_not_declared_is_refused(body, tmp_path):
    rows = body.splitlines(keepends=True)
    at = rows.index(b"@DATA\n") + 4
    cells = rows[at].split(b",")
    rows[at] = b",".join([*cells[:3], b"maybe", *cells[4:]])
    (tmp_path / "p.arff").write_bytes(b"".join(rows))
    with pytest.raises(InputError, match="column 'prediction' holds maybe, no, yes; declared are no, yes"):
        read_scored_table(tmp_path / "p.arff", Columns(positive="yes"))


def test_columns_of_numbers_are_scores_where_an_arff_file_has_no_confidences(tmp_path):
    (tmp_path / "t.arff").write_text(
        "@relation r\n@attribute y {no,yes}\n@attribute a real\n@attribute note string\n@attribute b real\n"
        "@data\nno,1,x,2\nyes,3,x,4\n"
    )
    result = read_scored_table(tmp_path / "t.arff", Columns(label="y", positive="yes"))
    assert result.names == ("a", "b")
    assert result.left_out == {"note": "is string"}


def test_row_ids_of_more_than_six_digits_are_told_apart(tmp_path):
    rows = "".join(f"{1_000_000 + i},{i % 2},{i}\n" for i in range(N))
    (tmp_path / "t.arff").write_text(
        f"@relation r\n@attribute id numeric\n@attribute y {{0,1}}\n@attribute s real\n@data\n{rows}"
    )
    result = read_scored_table(tmp_path / "t.arff", Columns(label="y", scores=["s"], row="id"))
    assert len(np.unique(result.row_ids)) == N


def test_a_fold_of_another_repeat_is_another_fold(tmp_path):
    repeat, fold = np.arange(N) // 10, np.arange(N) % 5
    confidences = np.column_stack([1 - SCORE, SCORE])
    body = write_predictions_file(Dialect(), CLASSES, repeat, fold, np.arange(N) % 10, confidences, TRUTH)
    (tmp_path / "p.arff").write_bytes(body)
    read = read_scored_table(tmp_path / "p.arff", Columns(positive="yes"))
    assert read.folds.tolist() == (5 * repeat + fold).tolist()
