"""What a job's code depends on: the modules that a module imports, and those that these import, as files."""

import ast
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "aucstudy"
READS_ITS_FOLDER = ("__file__", "PackageLoader")


def code_of(*modules: str) -> list[str]:
    """The files of modules of this package and of all that they import from it, local imports included.

    A name imported from a package counts as the package's `__init__`; that Python also runs the `__init__` of every
    folder on the way to a module does not: no module here relies on what another one's import does on the side.

    Parameters
    ----------
    modules : dotted names, such as `aucstudy.metrics.areas`.

    Returns
    -------
    Sorted paths, relative to the working directory where they lie below it.
    """
    reached: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += _imports(module)
    here = Path.cwd()
    files = {file for module in reached for file in (_file(module), *_data_files(module))}
    return sorted(str(file.relative_to(here)) if file.is_relative_to(here) else str(file) for file in files)


@cache
def _file(module: str) -> Path:
    return Path(find_spec(module).origin)


def _data_files(module: str) -> Iterable[Path]:
    """The files that are no code beside a module that reads its own folder."""
    file = _file(module)
    text = file.read_text(encoding="utf-8")
    if not any(sign in text for sign in READS_ITS_FOLDER):
        return ()
    return (path for path in file.parent.iterdir() if path.is_file() and path.suffix != ".py")


@cache
def _imports(module: str) -> tuple[str, ...]:
    """The modules of this package that one names in its imports."""
    names = []
    for node in ast.walk(ast.parse(_file(module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            # a name may be a module of the package that it is imported from, or something in it
            names += [_module_or_owner(node.module, alias.name) for alias in node.names]
    return tuple(name for name in dict.fromkeys(names) if name.split(".")[0] == PACKAGE)


def _module_or_owner(owner: str, name: str) -> str:
    if owner.split(".")[0] != PACKAGE or not find_spec(owner).submodule_search_locations:
        return owner
    return f"{owner}.{name}" if find_spec(f"{owner}.{name}") else owner
