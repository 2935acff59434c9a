"""The reader of prediction files reads all dialects of an independent writer and refuses wrong files."""

import sys
from unicodedata import category

import numpy as np
import pytest
from openml_server.dialects import Dialect, write_predictions_file

from aucstudy.sources.openml.files import Unusable
from aucstudy.sources.openml.run import read_predictions
from aucstudy.sources.openml.task import Target, read_target

HOSTILE = (
    "-3", ">50K", "a b", "it's", 'say "x"', "'(-inf-3]'", "a,b", "é", "{x}", "%", "back\\slash", "a.b.c", "?x",
    "tab\there",
)  # fmt: skip
# These are letters, numbers, punctuation and symbols.
CHARACTERS = [
    character for character in map(chr, range(sys.maxunicode + 1)) if category(character)[0] in "LNPS"
]
SWITCHES = ("quote_values", "sample", "extra", "comments", "blanks", "swapped")
CLASSES, N = ("no", "yes"), 20
TRUTH = (np.arange(N) % 3 == 0).astype(int)
TARGET = Target(CLASSES, TRUTH)
SCORE = np.random.default_rng(1).random(N)


def _written(dialect=Dialect(), classes=CLASSES, truth=TRUTH, score=SCORE, order=None, fold=None, repeats=1):  # noqa: B008
    """Return the bytes of a file with each row of the truth once in each repeat."""
    n = len(truth)
    order, fold = np.arange(n) if order is None else order, np.arange(n) % 10 if fold is None else fold
    confidences = np.column_stack([1 - score, score])
    columns = [
        np.concatenate([values[order]] * repeats) for values in (fold, np.arange(n), confidences, truth)
    ]
    return write_predictions_file(dialect, classes, np.repeat(np.arange(repeats), n), *columns)


def _only_latin_1(text: str) -> bool:
    """Whether a text can be written in latin-1 and is not UTF-8 then, as "\u00c2\u00a1" is."""
    try:
        return text.isascii() or text.encode("latin-1").decode("utf-8") == ""
    except UnicodeEncodeError:
        return False
    except UnicodeDecodeError:
        return True


def _name(rng):
    """Draw one of HOSTILE, or up to eight characters, which half of the time are of the first thousand."""
    if rng.random() < 0.5:
        return str(rng.choice(HOSTILE))
    characters = CHARACTERS[: 1000 if rng.random() < 0.5 else None]
    return "".join(characters[i] for i in rng.integers(len(characters), size=rng.integers(1, 9)))


def _file_of(rng):
    """Draw random arguments for `_written`."""
    classes = _name(rng), _name(rng)
    while len({name.strip(" '\"").casefold() for name in classes}) < 2:
        classes = _name(rng), _name(rng)
    n = int(rng.integers(10, 26))
    scores = [rng.random(n), (rng.random(n) > 0.5) * 1.0, rng.normal(size=n) * 1e5, rng.random(n).round(2)]
    choices = {
        "quote": ["", "'", '"'],
        "order": ["old", "new", "r", "bare"],
        "row_id": ["row_id", "rowid", "ROW_ID"],
        "keywords": ["upper", "lower"],
        "newline": ["\n", "\r\n", "\r\r\n", "\r"],
        "tail": [b"", b"\0", b"\n\n", b"% end\n% of file", b"\n\0\n"],
        "encoding": ["utf-8", "latin-1"] if _only_latin_1("".join(classes)) else ["utf-8"],
        **{name: [False, True] for name in SWITCHES},
    }
    dialect = Dialect(**{name: values[rng.integers(len(values))] for name, values in choices.items()})
    truth, fold = rng.permutation(np.arange(n) % 3 == 0).astype(int), rng.permutation(np.arange(n) % 10)
    return dialect, classes, truth, scores[rng.integers(len(scores))], rng.permutation(n), fold


@pytest.mark.parametrize("seed", range(100))
def test_every_dialect_gives_the_written_scores_bit_for_bit(seed):
    case = _file_of(np.random.default_rng(seed))
    _, classes, truth, score, order, fold = case
    result = read_predictions(_written(*case), Target(classes, truth), 1)
    assert result.score.tobytes() == score.tobytes()
    assert np.array_equal(result.row_id, np.arange(len(order)))
    assert np.array_equal(result.fold, fold)
    assert not result.repeat.any()


@pytest.mark.parametrize("seed", range(100))
def test_a_file_cut_anywhere_is_refused_and_never_misread(seed):
    rng = np.random.default_rng(seed)
    case = _file_of(rng)
    _, classes, truth, score, order, _ = case
    body = _written(*case)
    end = rng.integers(0, max(1, len(body.rstrip(b"\0\r\n")) - 1))
    try:
        result = read_predictions(body[:end], Target(classes, truth), 1)
    except Unusable:
        return
    # Only the last digits of the last row, or text after the last row, can be missing without notice.
    assert np.array_equal(np.delete(result.score, order[-1]), np.delete(score, order[-1]))


@pytest.mark.parametrize(
    ("classes", "declared"),
    [(("0", "1"), ("0.0", "1.0")), (("'no'", "yes "), ("no", "yes")), (("-1", "1"), ("-1.0", "1.00"))],
)
def test_classes_written_another_way_are_matched(classes, declared):
    body = _written(classes=classes)
    assert np.array_equal(read_predictions(body, Target(declared, TRUTH), 1).score, SCORE)


def test_a_target_with_repeats_has_each_row_once_a_repeat():
    body = _written(repeats=2)
    assert np.array_equal(read_predictions(body, TARGET, 1, repeats=2).score, np.tile(SCORE, 2))
    with pytest.raises(Unusable, match="rows_duplicated: row_id 0 stands 2 times in repeat 0"):
        read_predictions(body, TARGET, 1)


def test_rows_without_confidence_count_by_their_prediction():
    body = _written(score=SCORE.round())
    without = body.replace(b"0.0,1.0", b"0,0").replace(b"1.0,0.0", b"0,0")
    assert np.array_equal(read_predictions(without, TARGET, 1).score, SCORE.round())
    twice = without.replace(b"correct", b"prediction")
    with pytest.raises(Unusable, match="file_broken: column 'prediction' is declared 2 times"):
        read_predictions(twice, TARGET, 1)


def test_swapped_columns_change_nothing_where_confidences_are_given():
    assert np.array_equal(read_predictions(_written(Dialect(swapped=True)), TARGET, 1).score, SCORE)


HEAD = b"@relation r\n@attribute row_id numeric\n"


@pytest.mark.parametrize("body", [b"", b"<html>Page Not Found</html>", HEAD, b"\xff\xfe@\0r\0", b"@relation"])
def test_what_is_no_arff_is_broken(body):
    with pytest.raises(Unusable, match="file_broken"):
        read_predictions(body, TARGET, 1)


def test_the_target_is_read_by_name_and_not_by_place():
    head = b"@relation r\n@attribute class {a,b}\n@attribute Outcome {'x y',z} % two\n"
    target = read_target(head + b"@data\na,z\nb,'x y'\na,?\n", "outcome")
    assert target.classes == ("x y", "z")
    assert (target.codes.tolist(), target.counts.tolist()) == ([1, 0, -1], [1, 1])
