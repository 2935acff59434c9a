"""The machine code on disk is as new as the source, and metrics are computed even where none can be kept."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import aucstudy
from aucstudy.metrics.compiled import compiled

CALL = "from aucstudy.metrics import areas; print(areas([1, 0], [2, 1]).auroc)"


def copy_metrics(package: Path) -> None:
    source = Path(aucstudy.__file__).parent
    shutil.copytree(source / "metrics", package / "metrics", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(source / "study_folder", package / "study_folder")
    for name in ("__init__.py", "errors.py"):
        shutil.copy(source / name, package)


def python(code: str, environment: dict[str, object]) -> subprocess.CompletedProcess:
    """Run code in a new process that knows no other place for machine code than `environment` names."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA", "XDG"))}
    variables = kept | {name: str(value) for name, value in environment.items()}
    return subprocess.run(
        [sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False
    )


def test_an_edit_of_a_callee_in_another_file_reaches_code_compiled_before(tmp_path):
    package = tmp_path / "aucstudy"
    copy_metrics(package)
    environment = {"PYTHONPATH": tmp_path, "NUMBA_CACHE_DIR": tmp_path / "cache"}
    assert [python(CALL, environment).stdout for _ in range(2)] == ["1.0\n"] * 2
    terms = package / "metrics/kernel/terms.py"
    source = terms.read_text()
    assert "return d * (totals.N" in source
    terms.write_text(source.replace("return d * (totals.N", "return 8 * d * (totals.N"))
    assert python(CALL, environment).stdout == "8.0\n"


@pytest.mark.parametrize(
    "damage", [lambda whole: whole[: len(whole) // 2], lambda whole: b"", lambda whole: bytes(500)]
)
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_cut_or_damaged_file_of_machine_code_is_replaced(tmp_path, monkeypatch, recwarn, kind, damage):
    monkeypatch.setattr(numba.core.config, "CACHE_DIR", str(tmp_path))
    assert compiled(_itself)(7) == 7
    [file] = tmp_path.rglob(f"*.{kind}")
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert compiled(_itself)(7) == 7
    assert len(file.read_bytes()) == pytest.approx(len(whole), rel=0.01)
    assert not recwarn.list


def _itself(x):
    return x


@pytest.mark.skipif(sys.platform == "win32", reason="limits of files are of Unix")
def test_a_full_disk_for_machine_code_is_said_and_ends_nothing(tmp_path):
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); "
    done = python(full + CALL, {"NUMBA_CACHE_DIR": tmp_path})
    assert done.stdout == "1.0\n"
    assert str(tmp_path) in done.stderr
    assert "name another in NUMBA_CACHE_DIR" in done.stderr


def test_an_installation_that_cannot_be_written_keeps_its_machine_code_elsewhere_or_nowhere(tmp_path):
    package, home, named = tmp_path / "site" / "aucstudy", tmp_path / "home", tmp_path / "named"
    copy_metrics(package)
    # Even root, who may write everywhere, cannot make a folder where a file is.
    for folder in [path for path in package.rglob("*") if path.is_dir()]:
        (folder / "__pycache__").touch()
    no_home = tmp_path / "file"
    no_home.touch()
    for places, kept in (
        ({"HOME": home, "NUMBA_CACHE_DIR": named}, named),
        ({"HOME": home}, home),
        ({"HOME": no_home}, None),
    ):
        done = python(CALL, {"PYTHONPATH": tmp_path / "site", **places})
        assert (done.stdout, done.stderr) == ("1.0\n", "")
        assert kept is None or list(kept.rglob("*.nbi"))
    assert not list(package.rglob("*.nbi"))
