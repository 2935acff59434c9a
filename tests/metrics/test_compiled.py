"""The machine code on disk is as new as the source."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Thread

import numba
import pytest

import aucstudy
from aucstudy.metrics import compiled

CALL = "from aucstudy.metrics import curves; import numpy as np; print(curves._running_sum(np.ones(2)))"


def copy_metrics(package: Path) -> None:
    source = Path(aucstudy.__file__).parent
    shutil.copytree(source / "metrics", package / "metrics", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("__init__.py", "area_names.py"):
        shutil.copy(source / name, package)


def python(code: str, **environment: object) -> subprocess.CompletedProcess:
    """Run code in a process of its own."""
    variables = os.environ | {name: str(value) for name, value in environment.items()}
    return subprocess.run(
        [sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False
    )


def test_an_edit_of_a_callee_in_another_file_reaches_code_compiled_before(tmp_path):
    package = tmp_path / "aucstudy"
    copy_metrics(package)
    environment = {"PYTHONPATH": tmp_path, "NUMBA_CACHE_DIR": tmp_path / "cache"}
    assert [python(CALL, **environment).stdout for _ in range(2)] == ["[1. 2.]\n"] * 2
    sums = package / "metrics/formulas/sums.py"
    sums.write_text(
        sums.read_text().replace("    s = total + value\n", "    value += 8\n    s = total + value\n")
    )
    assert python(CALL, **environment).stdout == "[ 9. 18.]\n"


@pytest.mark.parametrize("damage", [b"", b"no pickle", bytes(500)])
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_damaged_file_of_machine_code_is_replaced(tmp_path, monkeypatch, recwarn, kind, damage):
    monkeypatch.setattr(numba.core.config, "CACHE_DIR", str(tmp_path))
    assert compiled.dispatcher_of(_callee)(7) == 7
    [file] = tmp_path.rglob(f"*.{kind}")
    whole = len(file.read_bytes())
    file.write_bytes(damage)
    assert compiled.dispatcher_of(_callee)(7) == 7
    assert len(file.read_bytes()) == pytest.approx(whole, rel=0.01)
    assert not recwarn.list


@pytest.mark.skipif(sys.platform == "win32", reason="limits of files are of Unix")
def test_a_full_disk_for_machine_code_is_said_and_ends_nothing(tmp_path):
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); "
    done = python(full + CALL, NUMBA_CACHE_DIR=tmp_path)
    assert done.stdout == "[1. 2.]\n"
    assert done.stderr.count(str(tmp_path)) == 1
    assert "name another in NUMBA_CACHE_DIR" in done.stderr


def _callee(x):
    return x


def _caller(x):
    return _callee(x)


def test_without_numba_the_same_numbers_are_made_to_the_last_bit():
    code = """
import sys
import numpy as np
from aucstudy.metrics import areas, areas_many, compiled

def computed():
    for seed in range(24):
        random = np.random.default_rng(seed)
        n = int(random.integers(2, 400))
        y = np.r_[True, False, random.random(n) < random.choice([0.01, 0.3, 0.99])]
        scores = np.round(random.normal(size=(n + 2, 2)) + y[:, None], int(random.integers(0, 18)))
        scores[random.random(n + 2) < 0.02] = np.inf
        options = {
            "prevalence": random.choice([None, 0.001, 0.5]),
            "recall_range": [None, (0.2, 0.7)][seed % 2],
            "negative_gains": ["signed", "clip"][seed % 3 == 0],
        }
        yield areas_many(y, scores, groups=random.integers(0, 1 + seed % 4, n + 2), **options)
        yield areas(y, scores[:, 0], **options)

import warnings
warnings.simplefilter("ignore")
compiled.FEW = 10**9
plain = [np.asarray(field).tobytes() for areas_of_one in computed() for field in areas_of_one]
assert "numba" not in sys.modules
compiled.FEW = 0
machine = [np.asarray(field).tobytes() for areas_of_one in computed() for field in areas_of_one]
assert "numba" in sys.modules
print(len(plain), plain == machine)
"""
    done = python(code)
    assert done.stdout == "528 True\n", done.stderr


def test_no_thread_gets_a_function_before_those_that_it_calls_are_in_place(monkeypatch):
    others = []

    def made(function):
        # while the callee is made another thread asks for the caller
        if function.__name__ == "_callee":
            thread = Thread(target=lambda: others.append(compiled._LOCK.acquire(blocking=False)))
            thread.start()
            thread.join()
        return function

    for function in (_callee, _caller):
        monkeypatch.setitem(globals(), function.__name__, compiled.compiled(function))
    monkeypatch.setattr(compiled, "dispatcher_of", made)
    assert _caller(7) == 7
    assert others == [False]


def test_an_installation_that_cannot_be_written_keeps_its_machine_code_elsewhere(tmp_path):
    package, home, named = tmp_path / "site" / "aucstudy", tmp_path / "home", tmp_path / "named"
    copy_metrics(package)
    # root may write everywhere, but not make a folder where a file is
    for folder in [path for path in package.rglob("*") if path.is_dir()]:
        (folder / "__pycache__").touch()
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA", "XDG"))}
    plain |= {"PYTHONPATH": str(tmp_path / "site"), "HOME": str(home)}
    for environment, kept in ((plain | {"NUMBA_CACHE_DIR": str(named)}, named), (plain, home)):
        command = [sys.executable, "-c", CALL]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == ("[1. 2.]\n", "")
        assert list(kept.rglob("*.nbi"))
    assert not list(package.rglob("*.nbi"))
