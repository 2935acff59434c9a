"""What the Snakefile asks: the checked configuration, and the files of code that each job depends on.

Snakemake does not see that an imported file was edited, so what a job runs stands among its inputs, coarsely: an
experiment's own files and those beside them that they import, and the packages that all experiments share as a whole.
An edit of one experiment reruns that one; an edit of the metrics reruns all.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

from aucstudy.config import check_config, configured, read_yaml
from aucstudy.experiments.contract import Experiment
from aucstudy.sources import SOURCES, has_rows, source_file
from aucstudy.store.files import path_here
from aucstudy.study_folder.files import CLAIMS, JUDGES_OF_CLAIMS

PACKAGE = Path(__file__).parents[1]
FETCHING = ("sources", "learners", "reading", "store", "statistics")
SCORING = ("jobs/scoring.py", "metrics", "store")
MEASURING = ("jobs/measuring.py", "metrics", "statistics", "store")
DRAWING = ("figures/charts.py", "figures/aucstudy.mplstyle")
JUDGING = ("claims", "published", "experiments", "metrics", "statistics", "store", "verify.py")
REPORTING = ("report", "claims", "published", "experiments", "store")
# what experiments and their drawings share is a package like the others; an experiment's own files count by themselves
ROOMS = (PACKAGE / "experiments", PACKAGE / "figures")
# with another version of one of them everything is measured anew
LIBRARIES = ("numpy", "scipy", "numba", "pandas", "scikit-learn", "matplotlib")


def study_config(config: Mapping, files: Iterable[Path | str], *, check: bool) -> dict:
    """The configuration of a study that Snakemake merged of `files`; InputError where it is none."""
    origins = {str(path): read_yaml(path) for path in files}
    complete = configured(config, origins)
    if check:
        check_config(complete, origins)
    return complete


def versions() -> dict[str, str]:
    return {name: version(name) for name in LIBRARIES}


def batches_in(folder: Path | str) -> list[str]:
    """The numbers of the batches that have tasks: the file of each stands in the task store's folder of batches."""
    return sorted((path.stem for path in Path(folder).glob("*.csv")), key=int)


def package_code(*names: str) -> list[str]:
    """The files of rooms of this package, each named by its folder or file."""
    paths = (PACKAGE / name for name in names)
    return _paths(file for path in paths for file in ([path] if path.is_file() else _files(path)))


def _files(folder: Path) -> Iterator[Path]:
    """The code below a folder, and what it reads; not the pages of words, which say nothing of numbers."""
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix not in (".md", ".pyc"):
            yield path


def source_code(source: str) -> list[str]:
    """What fills a task store by a source, and makes its rows."""
    own = [] if source in SOURCES else with_what_it_imports(source_file(source))
    return [*package_code(*FETCHING), *_paths(own)]


def measuring_code(experiment: Experiment, config: Mapping) -> list[str]:
    with_rows = experiment.rows and has_rows(config)
    rows = source_code(config["source"]) if with_rows else []
    return [*package_code(*MEASURING), *rows, *_paths(with_what_it_imports(experiment.file))]


def tables_code(experiment: Experiment) -> list[str]:
    files = {*with_what_it_imports(experiment.file), *with_what_it_imports(experiment.drawings)}
    return [*package_code(*MEASURING, *DRAWING), *_paths(files)]


def claims_code(folders: Sequence[Path]) -> list[str]:
    own = (folder / file for folder in folders for file in (CLAIMS, JUDGES_OF_CLAIMS))
    return [*package_code(*JUDGING), *_paths(own)]


@cache
def with_what_it_imports(file: Path) -> frozenset[Path]:
    """The file of an experiment, a drawing or a source, and the files of its kind that it imports, over any steps.

    In a study's folder these are the files beside it, and the lists there if it reads any.
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
            found |= {data for data in path.parent.glob("*.csv") if data.name != CLAIMS}
    return frozenset(found)


def _imported(path: Path, tree: ast.AST) -> Iterator[Path]:
    """The files of rooms, or beside `path` in a study's folder, that a module imports."""
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
        yield from (file for file in files if file.parent in (*ROOMS, path.parent))


def _paths(files: Iterable[Path]) -> list[str]:
    """Sorted paths as they are written from the working folder: a checkout may be moved or copied."""
    return sorted({str(path_here(file)) for file in files if file.is_file()})
