"""The predictions reader against an independent writer in all dialects, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openml_server.dialects import Dialect, write_predictions_file

from aucstudy.sources.openml.predictions import Target, Unusable, read_predictions, read_target
from aucstudy.store.rejections import Reason

HOSTILE = (
    "-3",
    ">50K",
    "a b",
    "it's",
    'say "x"',
    "'(-inf-3]'",
    "a,b",
    "é",
    "{x}",
    "%",
    "back\\slash",
    "a.b.c",
    "?x",
    "tab\there",
)
TEXT = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=8)
NAMES = st.one_of(st.sampled_from(HOSTILE), TEXT)


def _bare(name: str) -> str:
    return name.strip().strip("'\"").strip()


def _only_latin_1(text: str) -> bool:
    """Whether text can be written in latin-1 and is no UTF-8 then by chance, as "\u00c2\u00a1" is."""
    try:
        return text.isascii() or text.encode("latin-1").decode("utf-8") == ""
    except UnicodeEncodeError:
        return False
    except UnicodeDecodeError:
        return True


@st.composite
def files(draw):
    """Classes, arrays and a dialect."""
    classes = draw(st.lists(NAMES, min_size=2, max_size=2, unique_by=lambda name: _bare(name).casefold()))
    n = draw(st.integers(10, 25))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    score = rng.choice(
        [rng.random(n), (rng.random(n) > 0.5) * 1.0, rng.normal(size=n) * 1e5, rng.random(n).round(2)]
    )
    latin = _only_latin_1("".join(classes))
    dialect = Dialect(
        quote=draw(st.sampled_from(["", "'", '"'])),
        quote_values=draw(st.booleans()),
        order=draw(st.sampled_from(["old", "new", "r", "bare"])),
        sample=draw(st.booleans()),
        extra=draw(st.booleans()),
        row_id=draw(st.sampled_from(["row_id", "rowid", "ROW_ID"])),
        keywords=draw(st.sampled_from(["upper", "lower"])),
        newline=draw(st.sampled_from(["\n", "\r\n", "\r\r\n", "\r"])),
        tail=draw(st.sampled_from([b"", b"\0", b"\n\n", b"% end\n% of file", b"\n\0\n"])),
        encoding=draw(st.sampled_from(["utf-8", "latin-1"] if latin else ["utf-8"])),
        comments=draw(st.booleans()),
        blanks=draw(st.booleans()),
        swapped=draw(st.booleans()),
    )
    truth = rng.permutation(np.arange(n) % 3 == 0).astype(int)
    return tuple(classes), truth, rng.permutation(np.arange(n) % 10), rng.permutation(n), score, dialect


def _write(classes, truth, fold, order, score, dialect) -> bytes:
    confidences = np.column_stack([1 - score, score])
    return write_predictions_file(
        dialect, classes, np.zeros(len(order), int), fold[order], order, confidences[order], truth[order]
    )


@settings(max_examples=300, deadline=None)
@given(files())
def test_every_dialect_gives_the_written_scores_bit_for_bit(case):
    classes, truth, fold, order, score, _ = case
    result = read_predictions(_write(*case), Target(classes, truth), 1)
    assert result.score.tobytes() == score.tobytes()
    assert np.array_equal(result.row_id, np.arange(len(order)))
    assert np.array_equal(result.fold, fold)
    assert not result.repeat.any()


@settings(max_examples=100, deadline=None)
@given(files(), st.data())
def test_a_file_cut_anywhere_is_refused_and_never_misread(case, data):
    classes, truth, _, order, score, _ = case
    body = _write(*case)
    at = data.draw(st.integers(0, max(0, len(body.rstrip(b"\0\r\n")) - 2)))
    try:
        result = read_predictions(body[:at], Target(classes, truth), 1)
    except Unusable:
        return
    # Only the last digits of the last row, or what stands after the last row, can be missing unseen.
    last = order[-1]
    rest = np.delete(np.arange(len(order)), last)
    assert np.array_equal(result.score[rest], score[rest])


@pytest.fixture
def plain():
    """A file of 20 rows, its target, and its score."""
    rng = np.random.default_rng(1)
    truth, fold, score = (np.arange(20) % 3 == 0).astype(int), np.arange(20) % 10, rng.random(20)
    return ("no", "yes"), truth, fold, np.arange(20), score, Dialect()


@pytest.mark.parametrize(
    ("result", "declared"),
    [(("0", "1"), ("0.0", "1.0")), (("'no'", "yes "), ("no", "yes")), (("-1", "1"), ("-1.0", "1.00"))],
)
def test_classes_written_another_way_are_matched(plain, result, declared):
    _, truth, *rest = plain
    body = _write(result, truth, *rest)
    assert np.array_equal(read_predictions(body, Target(declared, truth), 1).score, plain[4])


def test_a_target_with_repeats_has_each_row_once_a_repeat(plain):
    classes, truth, fold, order, score, dialect = plain
    confidences = np.tile(np.column_stack([1 - score, score]), (2, 1))
    repeat = np.repeat([0, 1], 20)
    body = write_predictions_file(
        dialect, classes, repeat, np.tile(fold, 2), np.tile(order, 2), confidences, np.tile(truth, 2)
    )
    result = read_predictions(body, Target(classes, truth), 1, repeats=2)
    assert np.array_equal(result.score, np.tile(score, 2))
    with pytest.raises(Unusable, match="rows_duplicated: row_id 0 stands 2 times in repeat 0"):
        read_predictions(body, Target(classes, truth), 1)


def test_rows_without_confidence_count_by_their_prediction(plain):
    classes, truth, fold, order, score, dialect = plain
    hard = (score > 0.5).astype(float)
    body = write_predictions_file(
        dialect, classes, np.zeros(20, int), fold, order, np.column_stack([1 - hard, hard]), truth
    )
    rows = body.decode().replace("0.0,1.0", "0,0").replace("1.0,0.0", "0,0")
    assert np.array_equal(read_predictions(rows.encode(), Target(classes, truth), 1).score, hard)


def test_a_prediction_declared_twice_breaks_a_file_that_needs_it(plain):
    classes, truth, fold, order, score, dialect = plain
    body = _write(classes, truth, fold, order, score.round(), dialect).decode()
    twice = body.replace("correct", "prediction").replace("0.0,1.0", "0,0")
    with pytest.raises(Unusable, match="file_broken: column 'prediction' is declared 2 times"):
        read_predictions(twice.encode(), Target(classes, truth), 1)


def test_swapped_columns_change_nothing_where_confidences_are_given(plain):
    body = _write(*plain[:5], replace(plain[5], swapped=True))
    assert np.array_equal(read_predictions(body, Target(plain[0], plain[1]), 1).score, plain[4])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Page Not Found</html>",
        b"@relation r\n@attribute row_id numeric\n",
        b"\xff\xfe@\0r\0",
        b"@relation",
    ],
)
def test_what_is_no_arff_is_broken(body, plain):
    with pytest.raises(Unusable) as refused:
        read_predictions(body, Target(plain[0], plain[1]), 1)
    assert refused.value.reason == Reason.FILE_BROKEN


def test_the_target_is_read_by_name_and_not_by_place():
    body = (
        b"@relation r\n@attribute class {a,b}\n@attribute Outcome {'x y',z} % two\n@data\na,z\nb,'x y'\na,?\n"
    )
    target = read_target(body, "outcome")
    assert target.classes == ("x y", "z")
    assert target.codes.tolist() == [1, 0, -1]
    assert target.counts.tolist() == [1, 1]
