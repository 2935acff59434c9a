"""ARFF files: both ways of reading them agree, and errors name the line."""

import numpy as np
import pytest

from aucstudy.reading.arff import Arff, ArffError

HEAD = "@RELATION r\n@attribute x real\n@attribute 'b c' {p, 'q r', \"s'\"} % a comment\n@DATA\n"


def arff(rows: str) -> Arff:
    return Arff((HEAD + rows).encode())


@pytest.mark.parametrize(
    ("rows", "numbers", "labels"),
    [
        ("1,p\n2,p\n", [1, 2], ["p", "p"]),
        (" 1 , p\n?, 'q r'\n", [1, np.nan], ["p", "q r"]),
        ("inf,p\n-Infinity,p\nNaN,?\n1e-3,p", [np.inf, -np.inf, np.nan, 0.001], ["p", "p", None, "p"]),
        ("+1,p\n,p", [1, np.nan], ["p", "p"]),
        ("'1',\"p\"\n", [1], ["p"]),
        ("1,\"s'\"\n2,'q r'", [1, 2], ["s'", "q r"]),
        ("{0 1, 1 'q r'}\n{}\n", [1, 0], ["q r", "p"]),
        ("\n  \n1,p\n%c\n\n", [1], ["p"]),
        ("1,'a\\'b, c'\n", [1], ["a'b, c"]),
        ("1,'?'\n1,?", [1, 1], ["?", None]),
        ("1.0,p\r\n2.50,p\r\r\n3,p\r", [1, 2.5, 3], ["p", "p", "p"]),
        ("1,p\n\0", [1], ["p"]),
        (",'p'\n+2,\"q r\"\n", [np.nan, 2], ["p", "q r"]),
        ("", [], []),
    ],
)
def test_values_are_read_in_every_notation(rows, numbers, labels):
    file = arff(rows)
    assert np.array_equal(file.numbers([0])[0], numbers, equal_nan=True)
    assert np.asarray(file.labels(1)).tolist() == labels


@pytest.mark.parametrize(
    ("rows", "refused"),
    [
        ("1,p,2\n", "line 5: no row of 2 values"),
        ("1,p\n1,'p\n", "line 6: no row of 2 values"),
        ("1,p\na,p", "not a number: .*'a'"),
        ("0x10,p", "not a number: .*'0x10'"),
        ("1_0,p", "not a number: .*'1_0'"),
        ("1,p\n1\0,p\n1,p", "line 6: a NUL byte"),
        ("{0 1", "line 5: no row of 2 values"),
    ],
)
def test_a_damaged_row_is_told_with_its_line(rows, refused):
    with pytest.raises(ArffError, match=refused):
        arff(rows).numbers([0])


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        (b"", "no @data line in 0 bytes"),
        (
            b"@relation r\n@attribute x real\n@data,1\n2\n",
            "no @data line",
        ),
        (b"hello\n@data\n", "not a declaration of a column: 'hello'"),
        (b"@relation r\n@attribute\n@data\n", "not a declaration of a column: '@attribute'"),
        (b"@relation r\n@attribute c {a, b\n@data\n", "a list of values does not end"),
        (
            b"@relation r\n@attribute c {a, b {a}\n@data\n",
            "a list of values does not end or holds a brace",
        ),
    ],
)
def test_a_damaged_header_is_told_with_its_line(body, refused):
    with pytest.raises(ArffError, match=refused):
        Arff(body)


def test_a_comment_may_stand_behind_the_data_mark():
    file = Arff(b"@relation r\n@attribute x real\n@data  % rows\n1\n")
    assert file.numbers([0])[0].tolist() == [1]


def test_the_fast_way_and_the_slow_way_give_the_same_doubles():
    values = np.random.default_rng(0).standard_normal(2000) * 10.0 ** np.arange(-10, 10).repeat(100)
    rows = "".join(f"{value!r},p\n" for value in values.tolist())
    assert np.array_equal(arff(rows).numbers([0])[0], values)
    two_quotes = "1,'p'\n1,\"p\"\n"
    assert np.array_equal(arff(rows + two_quotes).numbers([0])[0][:-2], values)


def test_what_is_declared_integer_keeps_its_decimals():
    body = b"@relation r\n@attribute x integer\n@attribute c {p}\n@data\n+0.3,p\n"
    assert Arff(body).numbers([0])[0].tolist() == [0.3]


def test_a_column_declared_twice_is_refused_when_asked_for():
    file = Arff(b"@relation r\n@attribute x real\n@attribute X real\n@data\n1,2\n")
    with pytest.raises(ArffError, match="'x' is declared 2 times"):
        file.index("x")
