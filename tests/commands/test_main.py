"""Every error around a command gives one line and the right exit code, and no name controls a terminal."""

import errno
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aucstudy.commands.main import main

SOURCE = Path(__file__).parents[2] / "src"
ESCAPES = "\x1b]0;owned\x07\x9b31m\r\u202e\u2028\n"  # title, bell, C1, carriage return, direction, line ends


@pytest.fixture
def table(tmp_path):
    frame = pd.DataFrame({"y": [1, 0] * 20, "good": np.arange(40.0) % 3, "模型": np.arange(40.0) % 7})
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def process(*words, path=(), **options):
    """Start the command in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*path, SOURCE)))}
    environment |= options.pop("env", {})
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    command = [sys.executable, "-m", "aucstudy", *words]
    return subprocess.Popen(command, env=environment, **streams)


def ended(child):
    out, err = child.communicate()
    return child.returncode, (out or b"").decode(), (err or b"").decode()


SCORE = ("--label", "y", "--score", "good", "--score", "模型")


def test_a_full_device_is_one_line_and_exit_1(table):
    with open("/dev/full", "w") as full:
        code, _, err = ended(process("score", table, *SCORE, stdout=full))
    line = "aucstudy: standard output: cannot be read or written (No space left on device)\n"
    assert (code, err) == (1, line)


@pytest.mark.parametrize(("free", "named"), [(0, ""), (1 << 40, "standard output")])
def test_a_write_without_room_names_the_disk_where_one_is_full(monkeypatch, tmp_path, capsys, free, named):
    def full(argv):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    usage = shutil.disk_usage(tmp_path)._replace(free=free)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("aucstudy.commands.main._run", full)
    monkeypatch.setattr("aucstudy.commands.main._drop_output", lambda: None)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage)
    assert main([]) == 1
    line = f"aucstudy: {named or tmp_path}: cannot be read or written (No space left on device)\n"
    assert capsys.readouterr().err == line


def test_the_process_ends_before_libraries_are_torn_down_and_after_what_is_due_at_exit(table):
    code = """
import atexit, sys
class Library:
    def __del__(self):
        sys.stderr.write("torn down")
library = Library()
atexit.register(print, "due at exit")
from aucstudy.commands.main import command
command()
"""
    words = [sys.executable, "-c", code, "score", table, *SCORE, "--format", "csv"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("score,")
    assert done.stdout.endswith("due at exit\n")
    assert done.stderr == ""


def test_a_closed_stream_is_one_line_on_the_other_or_nothing_and_exit_1(table):
    code, _, err = ended(process("score", table, *SCORE, stdout=None, preexec_fn=lambda: os.close(1)))
    assert (code, err.count("\n")) == (1, 1)
    assert "standard output is closed" in err
    words = ("score", table, "--label", "y", "--score", "absent")
    code, out, _ = ended(process(*words, stderr=None, preexec_fn=lambda: os.close(2)))
    assert (code, out) == (1, "")


@pytest.mark.parametrize("form", ["table", "json", "csv"])
@pytest.mark.parametrize("command", ["score", "audit"])
def test_a_reader_that_has_seen_enough_ends_the_command_quietly(table, command, form):
    child = process(command, table, *SCORE, "--format", form)
    child.stdout.close()
    assert (child.stderr.read(), child.wait()) == (b"", 0)
    child.stderr.close()


def test_an_encoding_without_the_letters_of_a_name_gets_escapes(table):
    code, out, err = ended(process("score", table, *SCORE, env={"PYTHONIOENCODING": "ascii:strict"}))
    assert (code, err) == (0, "")
    assert "\\u6a21\\u578b" in out


def test_a_file_name_that_is_no_utf_8_is_shown_and_put_on_a_page(run, table, tmp_path):
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv"))
    table.rename(odd)
    code, out, _ = run("audit", odd, "--label", "y", "--resamples", 100, "--html", tmp_path / "page.html")
    assert code == 0
    assert out.startswith("\\udcff.csv: 40 rows")
    assert "<title>\\udcff.csv: audit" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("module", ["argparse", "numpy", "pyarrow"])
def test_an_interrupt_while_modules_are_imported_is_one_line_and_exit_130(table, tmp_path, module):
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / f"{module}.py").write_text(
        # A background job of a shell ignores the signal, so Python's handler is set here.
        "import os, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
    )
    code, out, err = ended(process("score", table, *SCORE, path=[tmp_path / "first"]))
    assert (code, out, err.count("\n")) == (130, "", 1)
    assert "interrupted" in err


def test_too_little_memory_is_one_line(run, table, monkeypatch):
    from aucstudy.scoring import tables

    def too_much(*_, **__):
        raise MemoryError

    monkeypatch.setattr(tables, "score", too_much)
    assert run("score", table, *SCORE)[::2] == (1, "aucstudy: the machine has too little memory for this\n")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("audit", "t.csv", "--label", "y", "--seed=-1"), "'-1': a seed is a whole number from 0 to"),
        (("audit", "t.csv", "--label", "y", "--resamples", "1" * 12), "the number of resamples is a whole"),
        (("curves", "t.csv", "--points", "10000000000"), "number of points is a whole number from 0 to 100,000"),
        (("run", "--cores", "0"), "argument --cores: '0': the number of cores is a whole number from 1"),
        (("score", "t.csv", "--score=--"), "--score=--: a value is needed after the equals sign"),
        (("score", "t.csv", "--no\x1b[31m\nthing"), "unrecognized arguments: --no\\x1b[31m\\nthing"),
    ],
)  # fmt: skip
def test_an_argument_that_cannot_be_is_wrong_usage(misused, words, line):
    assert line in misused(*words)


def test_more_points_than_memory_holds_are_refused(run, refused, table, monkeypatch):
    from aucstudy.scoring import tables

    monkeypatch.setattr(tables, "MOST_POINTS", 50)
    line = "--points 20 gives 200 points on the hyperbolas of these curves; at most 50 are allowed"
    assert line in refused("curves", table, *SCORE)
    assert run("curves", table, *SCORE, "--kind", "roc")[0] == 0


def test_the_largest_scores_have_a_page(run, tmp_path):
    large = "1.7976931348623157e308"
    rows = "".join(f"{i % 2},{'-' * (i % 3 == 0)}{large},{i % 5}\n" for i in range(40))
    (tmp_path / "t.csv").write_text(f"y,a,b\n{rows}")
    words = ("--label", "y", "--resamples", 100, "--html", tmp_path / "page.html")
    assert run("audit", tmp_path / "t.csv", *words)[0] == 0
    text = (tmp_path / "page.html").read_text()
    assert "Infinity" not in "".join(re.findall(r"data-plot=.*?</script>", text))
    assert f"{float(large):.4g}" in text


def test_an_infinite_metric_value_is_refused_by_row_and_column(refused, tmp_path):
    (tmp_path / "s.csv").write_text("t,m,a,b\nx,p,1,2\nx,q,2,inf\n")
    words = ("--task", "t", "--model", "m", "--metric", "a", "--metric", "b")
    line = "column 'b': 1 values are no finite numbers, the first is 'inf' in row 2 of the data"
    assert line in refused("audit", "--scores", tmp_path / "s.csv", *words)


def plain(text):
    """Return the text without the colours that the commands themselves add."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def harmless(text):
    return all(character.isprintable() or character == "\n" for character in plain(text))


@pytest.mark.parametrize("command", ["audit", "score", "curves"])
def test_no_name_reaches_the_terminal_as_it_is(run, refused, tmp_path, monkeypatch, command):
    model = f"evil{ESCAPES}"
    frame = pd.DataFrame({"y": [f"yes{ESCAPES}", "no"] * 20, model: range(40), "b": range(40, 0, -1)})
    path = tmp_path / f"t{ESCAPES.replace('/', '')}.parquet"
    frame.to_parquet(path)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    common = (command, path, "--label", "y", "--positive", f"yes{ESCAPES}")
    quick = ("--resamples", 100, "--html", tmp_path / f"page{ESCAPES}.html") if command == "audit" else ()
    for form in ("csv", "json", *(["table"] if command != "curves" else [])):
        code, out, err = run(*common, "--score", model, "--score", "b", "--format", form, *quick)
        assert code == 0
        assert harmless(out + err)
    assert harmless(refused(*common, "--score", f"{model}?", *quick))


def test_csv_in_a_pipe_holds_the_names_as_they_are(run, tmp_path):
    frame = pd.DataFrame({"y": [1, 0] * 20, "a\x1bb": range(40), "b": range(40, 0, -1)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ("--label", "y", "--score", "a\x1bb", "--format", "csv")
    assert "a\x1bb" in run("score", tmp_path / "t.csv", *words)[1]


def test_a_name_of_thousands_of_characters_does_not_fill_the_screen(run, refused, table, tmp_path):
    err = refused("score", table, "--label", "y", "--score", "x" * 5000)
    assert len(err) < 1200
    assert "the columns are y, good" in err
    frame = pd.DataFrame({"y": [1, 0] * 20, "x" * 5000: range(40), "b b " * 1000: range(40, 0, -1)})
    frame.to_csv(tmp_path / "long.csv", index=False)
    _, out, _ = run("audit", tmp_path / "long.csv", "--label", "y", "--resamples", 100)
    assert len(out) < 20_000


def test_a_narrow_terminal_keeps_headings_and_numbers_whole(run, table, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "30")
    (tmp_path / "s.csv").write_text("t,m,acc,loss\nx,p,1,2\nx,q,2,1\n")
    columns = ("--task", "t", "--model", "m", "--metric", "acc", "--metric", "loss")
    for words, headings in (
        (("audit", table, "--label", "y", "--resamples", 100), ("AUROC", "AUPR", "rank", "Verdict")),
        (("audit", "--scores", tmp_path / "s.csv", *columns), ("metrics", "another", "three", "interval")),
    ):
        out = plain(run(*words)[1])
        assert "…" not in out
        assert max(map(len, out.splitlines())) <= 30
        for heading in headings:
            assert heading in out.split()


def test_a_refusal_stands_alone_on_stderr_and_a_note_cannot_steer_the_terminal(tmp_path, run, refused):
    classes = ["a", "b", "c\x1b[31m"] * 8
    frame = pd.DataFrame({"y": classes, "one": np.arange(24.0), "two": np.arange(24.0) % 5})
    frame.to_csv(tmp_path / "t.csv", index=False)
    given = ("audit", tmp_path / "t.csv", "--label", "y", "--positive", "a", "--resamples", "100")
    assert "target metric 'f' is not known" in refused(*given, "--target-metric", "f")
    code, _, err = run(*given)
    assert code == 0
    assert "note: 'a' is positive" in err
    assert "\x1b" not in err
