"""The machine code on disk is as new as the source, and metrics are computed even where none can be kept."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numba
import pytest
from numba.core.dispatcher import Dispatcher

import aucstudy
from aucstudy.metrics.compiled import TRIED, compiled, digest_of
from aucstudy.metrics.kernel import areas as kernel_areas
from aucstudy.metrics.kernel import terms

PACKAGE = Path(aucstudy.__file__).parent
FILES = [
    path.relative_to(PACKAGE)
    for path in sorted(PACKAGE.rglob("*.py"))
    if any(f"\n@{decorator}\n" in path.read_text() for decorator in ("compiled", "inlined"))
]

# This prints the positives of the first group of tied rows. A few functions of the kernel are compiled for it, which
# takes a fifth of the time of all that `areas` compiles.
CALL = (
    "import numpy as np; from aucstudy.metrics.kernel import groups_of, order_of; "
    "order = order_of(np.array([True, False]), np.array([[2.0], [1.0]])); "
    "print(groups_of(order, 0, np.ones(2))[2, 0])"
)

# This prints the digest of each compiled function of some modules, by which its machine code is kept.
DIGESTS = """
from importlib import import_module
from numba.core.dispatcher import Dispatcher
from aucstudy.metrics.compiled import digest_of
for name in {}:
    for value in vars(import_module(name)).values():
        if isinstance(value, Dispatcher):
            print(digest_of(value, ()))
"""


def copy_metrics(package: Path) -> None:
    shutil.copytree(PACKAGE / "metrics", package / "metrics", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(PACKAGE / "study_folder", package / "study_folder")
    for name in ("__init__.py", "errors.py"):
        shutil.copy(PACKAGE / name, package)


def python(code: str, environment: dict[str, object]) -> subprocess.CompletedProcess:
    """Run code in a new process that knows no other place for machine code than `environment` names."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA", "XDG"))}
    variables = kept | {name: str(value) for name, value in environment.items()}
    return subprocess.run(
        [sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False
    )


def test_the_installed_numba_is_one_with_which_the_quick_loading_was_tried():
    assert numba.version_info.short <= TRIED


def test_machine_code_is_loaded_without_all_that_numba_can_compile(tmp_path):
    loaded = f"{CALL}; import sys; print('numba.np.linalg' in sys.modules)"
    runs = [python(loaded, {"NUMBA_CACHE_DIR": tmp_path}).stdout.split() for _ in range(2)]
    assert runs == [["1.0", "True"], ["1.0", "False"]]


def test_an_edit_of_a_callee_in_another_file_reaches_code_compiled_before(tmp_path):
    package = tmp_path / "aucstudy"
    copy_metrics(package)
    environment = {"PYTHONPATH": tmp_path, "NUMBA_CACHE_DIR": tmp_path / "cache"}
    assert [python(CALL, environment).stdout for _ in range(2)] == ["1.0\n"] * 2
    sums = package / "metrics/kernel/sums.py"
    source = sums.read_text()
    assert "return new_total, rounding" in source
    sums.write_text(source.replace("return new_total, rounding", "return 8 * new_total, rounding"))
    assert python(CALL, environment).stdout == "8.0\n"


def test_two_copies_of_the_package_share_machine_code_and_so_does_one_with_other_docstrings(tmp_path):
    cache, copies = (
        tmp_path / "cache",
        [tmp_path / name / "aucstudy" for name in ("first", "second", "third")],
    )
    for package in copies:
        copy_metrics(package)
    for path in (copies[2] / "metrics").rglob("*.py"):
        path.write_text(
            "\n\n" + re.sub(r'^    """(?=\w)', '    """Other words. ', path.read_text(), flags=re.M)
        )
    modules = [
        f"aucstudy.{'.'.join(file.with_suffix('').parts)}" for file in FILES if file.parts[0] == "metrics"
    ]
    outputs, files = [], []
    for package in copies:
        environment = {"PYTHONPATH": package.parent, "NUMBA_CACHE_DIR": cache}
        outputs.append(python(CALL + DIGESTS.format(modules), environment).stdout)
        files.append({path: path.stat().st_mtime_ns for path in cache.rglob("*.nb?")})
    assert outputs[0].startswith("1.0\n")
    assert len(outputs[0].split()) > 50
    assert outputs[1:] == outputs[:1] * 2
    assert len(files[0]) > 3
    assert files[1:] == files[:1] * 2


def test_the_files_with_compiled_functions_are_those_that_import_the_decorators():
    assert len(FILES) > 15
    importing = {
        path.relative_to(PACKAGE)
        for path in PACKAGE.rglob("*.py")
        if "import compiled" in path.read_text() or "import inlined" in path.read_text()
    }
    assert importing == set(FILES)


@pytest.mark.parametrize("file", FILES, ids=str)
def test_an_edit_of_any_compiled_function_changes_its_digest_and_an_edit_of_docstrings_does_not(file):
    module = import_module(".".join(("aucstudy", *file.with_suffix("").parts)))
    before = digests(module)
    assert before
    assert digests(edited(module, _with_other_docstring)) == before
    after = digests(edited(module, _with_a_statement_more))
    assert after.keys() == before.keys()
    assert not {name for name, digest in before.items() if after[name] == digest}


def digests(module: ModuleType) -> dict[str, str]:
    return {
        name: digest_of(value, ())
        for name, value in vars(module).items()
        if isinstance(value, Dispatcher) and value.py_func.__module__ == module.__name__
    }


def edited(module: ModuleType, edit: Callable[[ast.FunctionDef], None]) -> ModuleType:
    """Return the module as it would be if its compiled functions had been edited in its file."""
    tree = ast.parse(Path(module.__file__).read_text())
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            edit(node)
    new = ModuleType(module.__name__)
    new.__package__, new.__file__ = module.__package__, module.__file__
    exec(compile(ast.fix_missing_locations(tree), module.__file__, "exec"), new.__dict__)
    return new


def _with_other_docstring(node: ast.FunctionDef) -> None:
    if ast.get_docstring(node) is not None:
        node.body[0] = ast.parse("'Other words.'").body[0]


def _with_a_statement_more(node: ast.FunctionDef) -> None:
    node.body.append(ast.parse("edit = 1").body[0])


def test_an_edit_of_a_constant_or_of_a_callee_changes_the_digest_of_all_that_use_it(monkeypatch):
    groups = (numba.float64[:, ::1], numba.int64, numba.typeof(terms.totals_of(1.0, 1.0, terms.OBSERVED)))
    before = digest_of(kernel_areas.areas_of_groups, groups)
    with monkeypatch.context() as patch:
        patch.setattr(kernel_areas, "BLOCK", 128)
        assert digest_of(kernel_areas.areas_of_groups, groups) != before
    with monkeypatch.context() as patch:
        patch.setattr(terms.ordered_pairs.py_func, "__code__", terms.step.py_func.__code__)
        assert digest_of(kernel_areas.areas_of_groups, groups) != before
    assert digest_of(kernel_areas.areas_of_groups, groups) == before


def test_fields_of_a_named_tuple_in_another_order_are_seen_by_code_that_only_gets_one(tmp_path):
    module = tmp_path / "pairs.py"
    text = (
        "from typing import NamedTuple\nfrom aucstudy.metrics.compiled import compiled\n"
        "class Pair(NamedTuple):\n    first: float\n    second: float\n"
        "@compiled\ndef first_of(pair):\n    return pair.first\n"
        "print(first_of(Pair(first=1.0, second=2.0)))\n"
    )
    environment = {
        "PYTHONPATH": os.pathsep.join(map(str, (PACKAGE.parent, tmp_path))),
        "NUMBA_CACHE_DIR": tmp_path,
    }
    module.write_text(text)
    assert python("import pairs", environment).stdout == "1.0\n"
    module.write_text(text.replace("first: float\n    second: float", "second: float\n    first: float"))
    assert python("import pairs", environment).stdout == "1.0\n"


def test_compiled_code_that_reads_a_value_without_a_text_is_refused():
    with pytest.raises(TypeError, match="of type list in compiled code"):
        digest_of(compiled(_reads_a_list), ())


def _reads_a_list():
    return FILES


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
