"""Tests of the wheel in fresh environments with the oldest and the newest libraries.

The core is tested first, then the core with the libraries for files, then with those for displays.
`make test-core` runs this with every Python that is given or installed. It needs a package index, so a
network or a mirror. The tests that import only these libraries and pytest are copied and run on the installed
wheel. The tests of displays and scorers show whether private parts of scikit-learn that we use still exist.
"""

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
CORE, FILES = {"narwhals", "numba", "numpy"}, {"pandas", "pyarrow"}
SHARED = ("tests/drawn.py", "conformance/exact.py")  # modules that the tests import
# liac-arff has no wheel, so it is built from source.
WHEELS = ("--only-binary", ":all:", "--no-binary", "liac-arff")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
TESTS = ("tests/metrics", "tests/reading", "tests/commands/test_score.py", "tests/test_printable.py")
# This test reads pyproject.toml, which is not copied.
NOT_THESE = "not contract_of_the_one_door"
CSV = "y,s\n1,0.9\n0,0.8\n1,0.4\n0,0.1\n"
NO_FILES = "pyarrow is not installed; pip install 'aucstudy[files]' brings it"
OF_PLOTS = ("tests/metrics/test_displays.py", "tests/metrics/test_scikit_learn.py")
MISSING = "rich is not installed; pip install 'aucstudy[audit]' brings it"


def core_tests() -> Iterator[Path]:
    """Yield the shared modules and the test files that need only the core, the files extra and pytest.

    Imports anywhere in a test file count.
    """
    allowed = (
        CORE | FILES | {"pytest", "drawn", "conformance", "aucstudy", "_pytest", *sys.stdlib_module_names}
    )
    yield from map(ROOT.joinpath, SHARED)
    for path in map(ROOT.joinpath, TESTS):
        for file in sorted([*path.glob("test_*.py"), *path.glob("conftest.py")]) if path.is_dir() else [path]:
            libraries = set()
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Import):
                    libraries |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module:
                    libraries.add(node.module.split(".")[0])
            if libraries <= allowed:
                yield file


def run(*command: str | Path, **options: object) -> str:
    """Run a command and return its output. If it fails, exit with its output as the message."""
    done = subprocess.run(
        [str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        check=False, **options,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def try_core(wheel: Path, python: str, resolution: str, folder: Path) -> str:
    """Install the wheel in a new environment, use it and test it; return a line with versions and result."""
    uv, bin_ = (
        shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}"),
        folder / "env/bin",
    )
    run(uv, "venv", "--no-config", "--python", python, folder / "env")
    environment = {**os.environ, "VIRTUAL_ENV": str(folder / "env"), "NUMBA_CACHE_DIR": str(folder / "cache")}
    environment.pop("PYTHONPATH", None)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    install = (uv, "pip", "install", "--no-config", "--quiet", *WHEELS)
    run(*install, "--resolution", resolution, *project["dependencies"], env=environment)
    run(*install, "--no-deps", wheel, env=environment)
    (folder / "file.csv").write_text(CSV)
    metrics = "from aucstudy.metrics import aupr; print(aupr([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1]))"
    assert run(bin_ / "python", "-c", metrics, env=environment).startswith("0.79"), "aupr"
    score = (bin_ / "aucstudy", "score", "file.csv", "--label", "y", "--score", "s", "--format", "csv")
    refused = subprocess.run(score, cwd=folder, env=environment, text=True, capture_output=True, check=False)
    assert (refused.returncode, refused.stderr) == (1, f"aucstudy: {NO_FILES}\n"), refused
    files = project["optional-dependencies"]["files"]
    run(*install, "--resolution", resolution, *project["dependencies"], *files, env=environment)
    answer = run(*score, cwd=folder, env=environment)
    assert answer.splitlines()[1].startswith("s,pooled,4,2,0.5,0.75,"), answer
    refused = subprocess.run(
        [bin_ / "aucstudy", "audit", "file.csv", "--label", "y", "--score", "s"],
        cwd=folder, env=environment, text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert (refused.returncode, refused.stderr) == (1, f"aucstudy: {MISSING}\n"), refused
    run(*install, "pytest", env=environment)
    for file in core_tests():
        copy = folder / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    (folder / "pytest.ini").write_text(
        "[pytest]\npythonpath = . tests\naddopts = -q --import-mode=importlib\n"
    )
    tested = run(bin_ / "python", "-m", "pytest", "-k", NOT_THESE, cwd=folder, env=environment).splitlines()[
        -1
    ]
    plots = project["optional-dependencies"]["plots"]
    run(*install, "--resolution", resolution, *project["dependencies"], *files, *plots, env=environment)
    for name in OF_PLOTS:
        shutil.copy(ROOT / name, folder / name)
    run(bin_ / "python", "-m", "pytest", *OF_PLOTS, cwd=folder, env=environment)
    frozen = run(uv, "pip", "freeze", "--no-config", env=environment).splitlines()
    versions = [line for line in frozen if line.split("==")[0] in CORE | FILES | {"scikit-learn"}]
    return f"Python {python}, {', '.join(versions)}: {tested}"


def main() -> None:
    """Build the wheel and try it with each Python at both ends of the version bounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", nargs="+", default=PYTHONS, help="versions or paths of interpreters")
    parser.add_argument("--resolution", nargs="+", default=("highest", "lowest-direct"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="aucstudy-core-") as temporary:
        folder = Path(temporary)
        run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder / "dist", ROOT)
        (wheel,) = (folder / "dist").iterdir()
        for python in arguments.python:
            if not (Path(python).exists() or shutil.which(f"python{python}")):
                print(f"Python {python}: not at hand, not tried", flush=True)
                continue
            for resolution in arguments.resolution:
                place = folder / f"{Path(python).name}-{resolution}"
                place.mkdir()
                print(f"{resolution}: {try_core(wheel, python, resolution, place)}", flush=True)


if __name__ == "__main__":
    main()
