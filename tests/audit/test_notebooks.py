"""Strings are plain text in a notebook and under any colours, and a notebook shows tables."""

import builtins
import re
import sys
import types

import numpy as np
import pandas as pd
import pytest

from aucstudy.audit import audit

CELL = """
import numpy as np, pandas as pd
from aucstudy.audit import audit
y = np.arange(60) % 3 == 0
rng = np.random.default_rng(3)
result = audit(pd.DataFrame({"y": y, "a": rng.random(60) + 0.3 * y, "b": rng.random(60)}), label="y", resamples=100)
print(len(result.text()), len(repr(result)))
print(result)
result
"""


@pytest.fixture(scope="module")
def result():
    random, y = np.random.default_rng(3), np.arange(60) % 3 == 0
    frame = pd.DataFrame({"y": y, "a": random.random(60) + 0.3 * y, "<b>": random.random(60), "note": "text"})
    return audit(frame, label="y", resamples=100)


@pytest.fixture
def kernel(monkeypatch):
    """Imitate what rich takes for a notebook, and return the list of what is displayed there."""
    displayed = []
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setattr(builtins, "get_ipython", lambda: shell, raising=False)
    display = types.ModuleType("IPython.display")
    display.display = lambda *shown, **options: displayed.append(shown)
    package = types.ModuleType("IPython")
    package.display = display
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return displayed


def test_in_a_notebook_text_and_repr_are_the_same_strings_and_nothing_is_displayed(result, request):
    expected = result.text(), repr(result)
    displayed = request.getfixturevalue("kernel")
    assert (result.text(), repr(result)) == expected
    assert not displayed
    assert "Verdict" in expected[0]


def test_in_a_notebook_the_command_prints(kernel, tmp_path, capsys):
    from aucstudy.commands.main import main

    pd.DataFrame({"y": [0, 1, 0, 1], "a": [0.1, 0.4, 0.3, 0.9]}).to_csv(tmp_path / "a.csv", index=False)
    assert main(["audit", str(tmp_path / "a.csv"), "--label", "y", "--resamples", "100"]) == 0
    assert "Verdict" in capsys.readouterr().out
    assert not kernel


def test_a_notebook_shows_the_tables(result):
    shown = result._repr_html_()
    cells = np.array([float(cell) for cell in re.findall(r"<td>([0-9.]+)</td>", shown)])
    for value in result.areas[["auroc", "aupr", "auprg", "aucnpr"]].to_numpy().ravel():
        assert abs(cells - value).min() < 5.1e-5
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
    assert "Columns left out: &#39;note&#39; (holds text)" in shown
    assert "Take a" in shown


def test_a_single_model_has_no_rank(result):
    y = np.arange(60) % 3 == 0
    shown = audit(y, {"a": np.arange(60.0)}, resamples=100)._repr_html_()
    assert ">rank<" not in shown
    assert ">rank<" in result._repr_html_()


@pytest.mark.parametrize(
    "surroundings",
    [{"FORCE_COLOR": "1"}, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, {"TTY_COMPATIBLE": "1"}, {"COLUMNS": "40"}],
    ids=" ".join,
)
def test_strings_are_plain_whatever_colours_are_asked_for(surroundings, result, monkeypatch):
    expected = result.text(), repr(result)
    for name, value in surroundings.items():
        monkeypatch.setenv(name, value)
    assert (result.text(), repr(result)) == expected
    assert "\x1b" not in expected[0]


@pytest.mark.needs("nbclient", "ipykernel")
@pytest.mark.filterwarnings("ignore")  # zmq and asyncio may warn.
def test_a_notebook_runs():
    import nbclient
    import nbformat

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    [printed, value] = notebook.cells[0].outputs
    lengths, _, text = printed.text.partition("\n")
    assert min(map(int, lengths.split())) > 500
    assert "Verdict" in text
    assert "<table" in value.data["text/html"]
    assert "Verdict" in value.data["text/plain"]
