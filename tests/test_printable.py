"""A terminal shows the text of others and never obeys it."""

import pytest

from aucstudy.printable import LONGEST_LINE, LONGEST_WORD, at_most_every, escaped, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("naïve Bayes, 模型 ✓", "naïve Bayes, 模型 ✓"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\x1b[2J\x07\x00\x7f", "\\x1b[2J\\x07\\x00\\x7f"),
        ("\x9b31m\x85", "\\x9b31m\\x85"),  # A terminal may take \x9b for ESC [.
        ("ab\u202edc\u2066\u200f", "ab\\u202edc\\u2066\\u200f"),  # This would be read from right to left.
        ("a\u2028b\u2029", "a\\u2028b\\u2029"),
        ("\udcff.csv", "\\udcff.csv"),  # This is a byte of a file name that is not UTF-8.
        ("\ufeff\u200b", "\\ufeff\\u200b"),
    ],
)
def test_what_a_terminal_would_obey_or_hide_is_escaped(text, shown):
    assert printable(text) == shown
    assert printable(shown) == shown


def test_kept_characters_stay():
    assert escaped("a\nb\x1b", unescaped="\n") == "a\nb\\x1b"


def test_a_long_name_loses_its_middle_and_the_line_keeps_both_its_ends():
    line = printable(f"t.csv: no column {'x' * 5000!r}; one is needed")
    assert line.startswith("t.csv: no column 'xxx")
    assert line.endswith("xxx'; one is needed")
    assert len(line) < LONGEST_WORD + 50
    assert len(printable("a b " * 5000)) == LONGEST_LINE


def test_lines_that_come_too_soon_are_not_said(monkeypatch):
    times, said = iter([100.0, 100.0, 105.0, 111.0, 111.0]), []
    monkeypatch.setattr("aucstudy.printable.time.monotonic", lambda: next(times))
    say = at_most_every(10, said.append)
    for line in ("first", "too soon", "later"):
        say(line)
    assert said == ["first", "later"]
