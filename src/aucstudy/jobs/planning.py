"""The files of code that each job depends on, for the Snakefile.

Snakemake does not notice that an imported file was edited, so the code that a job runs is among its inputs.
These are an experiment's own files, the files beside them that they import, and whole packages that all
experiments share. An edit of one experiment reruns that experiment; an edit of the metrics reruns all.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from aucstudy.experiments.contract import Experiment
from aucstudy.sources import SOURCES, source_file
from aucstudy.store.files import path_here
from aucstudy.study_folder.files import CLAIMS, JUDGES_OF_CLAIMS, names_file

PACKAGE = Path(__file__).parents[1]
# The subpackages of this package that the jobs of each stage share.
FETCHING = ("sources", "learners", "reading", "store", "statistics")
SCORING = ("metrics", "store", "jobs")
MEASURING = ("metrics", "statistics", "store", "jobs")
# The one file that makes estimates from the rows by task.
ESTIMATING = str(path_here(PACKAGE / "estimates.py"))
JUDGING = ("claims", "published", "learners", "statistics", "store")
REPORTING = ("report", "claims", "published", "experiments", "store")
# Subpackages whose files are inputs one by one: an experiment and its drawings.
COUNTED_BY_FILE = (PACKAGE / "experiments", PACKAGE / "figures")
# With another version of one of these libraries, everything is measured anew.
LIBRARIES = ("numpy", "scipy", "numba", "pandas", "scikit-learn", "matplotlib")


def versions() -> dict[str, str]:
    """Return the versions of the libraries, with "" for one that is not installed where Snakemake plans."""
    return {name: _version(name) for name in LIBRARIES}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def files_of_subpackage(name: str) -> list[str]:
    """Return the files of a subpackage: its code and the data that it reads.

    Markdown pages are left out, since no number depends on them. `__pycache__` is left out too: Python and
    numba write there what they compiled.
    """
    files = (PACKAGE / name).rglob("*")
    return _paths(path for path in files if path.suffix != ".md" and path.parent.name != "__pycache__")


def files_of_source(source: str) -> list[str]:
    """Return the file of a study's own source and those beside it that it needs.

    For a source of this package there are none, since its code is in a subpackage.
    """
    return [] if source in SOURCES else _paths(with_what_it_imports(source_file(source)))


def metrics_from_here(names: Sequence[str]) -> list[str]:
    """Return a study's list of metrics, in which paths below the working folder are relative to it."""
    return [str(path_here(Path(name))) if names_file(name) else name for name in names]


def files_of_metrics(names: Sequence[str]) -> list[str]:
    """Return the files of a study's own metrics and those beside them that they need."""
    return _paths(file for name in names if names_file(name) for file in with_what_it_imports(Path(name)))


def files_that_measure(experiment: Experiment) -> list[str]:
    return _paths(with_what_it_imports(experiment.file))


def files_that_tell(experiment: Experiment) -> list[str]:
    """Return the files that make the tables of an experiment and draw its figures."""
    return _paths(with_what_it_imports(experiment.file) | with_what_it_imports(experiment.drawings))


def files_that_judge(folders: Sequence[Path]) -> list[str]:
    """Return the files of claims in a study's folders and the code that judges them."""
    files = (folder / name for folder in folders for name in (CLAIMS, JUDGES_OF_CLAIMS))
    return _paths(file for file in files if file.is_file())


@cache
def with_what_it_imports(file: Path) -> frozenset[Path]:
    """Return the file of an experiment, a drawing or a source, and all files that it imports in the end.

    The imported files are of the same kind. If a file reads its own folder, the lists of data and the styles
    of figures in it are included too.
    """
    found: set[Path] = set()
    waiting = [file]
    while waiting:
        path = waiting.pop()
        if path in found or not path.is_file():
            continue
        found.add(path)
        text = path.read_text(encoding="utf-8")
        waiting += _imported(path, ast.parse(text))
        if "__file__" in text:
            found |= {data for data in path.parent.iterdir() if data.suffix in (".csv", ".mplstyle")}
    return frozenset(found)


def _imported(path: Path, tree: ast.AST) -> Iterator[Path]:
    """Yield the files that a module imports from the folders of `COUNTED_BY_FILE` or from its own folder."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom):
            continue
        parts = (node.module or "").split(".")
        if node.level:
            module = path.parent.joinpath(*parts)
        elif parts[0] == PACKAGE.name:
            module = PACKAGE.joinpath(*parts[1:])
        else:
            continue
        files = [module.with_suffix(".py"), *(module / f"{alias.name}.py" for alias in node.names)]
        yield from (file for file in files if file.parent in (*COUNTED_BY_FILE, path.parent))


def _paths(files: Iterable[Path]) -> list[str]:
    """Return the sorted paths of the files that exist.

    Paths are relative to the working folder, since a checkout may be moved or copied.
    """
    return sorted({str(path_here(file)) for file in files if file.is_file()})
