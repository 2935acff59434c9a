"""What the Snakefile asks: the files of code that each job depends on.

Snakemake does not see that an imported file was edited, so what a job runs stands among its inputs, coarsely: an
experiment's own files and those beside them that they import, and the packages that all experiments share as a whole.
An edit of one experiment reruns that one; an edit of the metrics reruns all.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from aucstudy.experiments.contract import Experiment
from aucstudy.sources import SOURCES, source_file
from aucstudy.store.files import path_here
from aucstudy.study_folder.files import CLAIMS, JUDGES_OF_CLAIMS

PACKAGE = Path(__file__).parents[1]
# the subpackages of this package that the jobs of each stage share
FETCHING = ("sources", "learners", "reading", "store", "statistics")
SCORING = ("metrics", "store", "jobs")
MEASURING = ("metrics", "statistics", "store", "jobs")
JUDGING = ("claims", "published", "experiments", "metrics", "statistics", "store")
REPORTING = ("report", "claims", "published", "experiments", "store")
# subpackages whose files count one by one: an experiment and its drawings
COUNTED_BY_FILE = (PACKAGE / "experiments", PACKAGE / "figures")
# with another version of one of them everything is measured anew
LIBRARIES = ("numpy", "scipy", "numba", "pandas", "scikit-learn", "matplotlib")


def versions() -> dict[str, str]:
    """The versions of the libraries, "" of one that is not installed where Snakemake plans."""
    return {name: _version(name) for name in LIBRARIES}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def batches_in(folder: Path | str) -> list[str]:
    """The numbers of the batches that have tasks: the file of each stands in the task store's folder of batches."""
    return sorted((path.stem for path in Path(folder).glob("*.csv")), key=int)


def files_of_subpackage(name: str) -> list[str]:
    """The code of a subpackage, and what it reads; not the pages of words, which say nothing of numbers.

    Python and numba leave what they compiled in `__pycache__`: no code of ours, and there from the first run on.
    """
    files = (PACKAGE / name).rglob("*")
    return _paths(path for path in files if path.suffix != ".md" and path.parent.name != "__pycache__")


def files_of_source(source: str) -> list[str]:
    """Of a study's own source, its file and those beside it that it needs; of the package's, in a subpackage, none."""
    return [] if source in SOURCES else _paths(with_what_it_imports(source_file(source)))


def files_that_measure(experiment: Experiment) -> list[str]:
    return _paths(with_what_it_imports(experiment.file))


def files_that_tell(experiment: Experiment) -> list[str]:
    """The files that make the tables of an experiment and draw its figures."""
    return _paths(with_what_it_imports(experiment.file) | with_what_it_imports(experiment.drawings))


def files_that_judge(folders: Sequence[Path]) -> list[str]:
    """The claims that a study's folders bring."""
    return _paths(folder / file for folder in folders for file in (CLAIMS, JUDGES_OF_CLAIMS))


@cache
def with_what_it_imports(file: Path) -> frozenset[Path]:
    """The file of an experiment, a drawing or a source, and the files of its kind that it imports, over any steps.

    What lies beside one that reads its folder counts too: lists of data, the style of figures.
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
            beside = (data for data in path.parent.iterdir() if data.suffix in (".csv", ".mplstyle"))
            found |= {data for data in beside if data.name != CLAIMS}
    return frozenset(found)


def _imported(path: Path, tree: ast.AST) -> Iterator[Path]:
    """The files of `COUNTED_BY_FILE`, or beside `path` in a study's folder, that a module imports."""
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
    """Sorted paths as they are written from the working folder: a checkout may be moved or copied."""
    return sorted({str(path_here(file)) for file in files if file.is_file()})
