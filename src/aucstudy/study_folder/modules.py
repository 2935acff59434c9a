"""Modules by their files: those of a study's folder, which are loaded by path, and those of this package."""

import ast
import hashlib
import importlib
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType

from aucstudy.errors import InputError

PACKAGE = Path(__file__).parents[1]


def load(file: Path) -> ModuleType:
    """Return the module of a file of this package or of a study's folder."""
    name = module_name(file)
    return importlib.import_module(name) if name else import_file(file)


def module_name(file: Path) -> str:
    """Return the name of the module in a file of this package, or "" for any other file.

    >>> module_name(PACKAGE / "sources" / "openml" / "__init__.py"), module_name(Path("/mine/source.py"))
    ('aucstudy.sources.openml', '')
    """
    if not file.is_relative_to(PACKAGE):
        return ""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return ".".join([PACKAGE.name, *parts]).removesuffix(".__init__")


def import_file(path: Path) -> ModuleType:
    """Return the module of a Python file in a study's folder.

    The folder becomes a package with a name of its own. Its files can import each other by `from . import
    other`, and they never replace a module of the same name. InputError, with file and line, is raised if the
    file cannot be imported. ModuleNotFoundError is passed on, as the command then says what to install.
    """
    folder = path.parent.resolve()
    package = package_name(folder)
    if package not in sys.modules:
        module = ModuleType(package, f"The code of the study in {folder}.")
        module.__path__ = [str(folder)]
        sys.modules[package] = module
    try:
        importlib.invalidate_caches()
        return importlib.import_module(f"{package}.{path.stem}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(package):
            raise InputError(f"{path}: imports {error.name!r}, which is not in its folder") from None
        raise
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{path}: cannot be imported ({_told(error)})") from error


def _told(error: Exception) -> str:
    """Return an exception as a text, with the line of a study's code that raised it."""
    line, traceback = "", error.__traceback__
    while traceback:
        if traceback.tb_frame.f_globals.get("__name__", "").startswith(PREFIX):
            line = f", line {traceback.tb_lineno} of {traceback.tb_frame.f_code.co_filename}"
        traceback = traceback.tb_next
    return f"{type(error).__name__}: {error}{line}"


PREFIX = "aucstudy_study_"


def package_name(folder: Path) -> str:
    """Return a name for the package of a folder, which no other folder has.

    >>> package_name(Path("/studies/coin-tosses")).rpartition("_")[0]
    'aucstudy_study_coin_tosses'
    """
    name = re.sub(r"\W", "_", folder.name)
    return f"{PREFIX}{name}_{hashlib.sha256(str(folder).encode()).hexdigest()[:8]}"


@cache
def constants_of(file: Path) -> Mapping[str, object]:
    """Return the constants at the top level of a Python file.

    The file is not run, since importing a source takes a second.
    """
    constants = {}
    for node in _statements(file):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            try:
                constants[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue  # The value is computed.
    return constants


@cache
def defines(file: Path, name: str) -> bool:
    """Return whether a Python file assigns a name at its top level."""
    targets = (
        target for node in _statements(file) if isinstance(node, ast.Assign) for target in node.targets
    )
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


@cache
def functions_of(file: Path) -> dict[str, tuple[str, ...]]:
    """Return the functions of a Python file, if it exists, with the names of their keyword-only arguments."""
    nodes = [node for node in _statements(file) if isinstance(node, ast.FunctionDef)]
    return {node.name: tuple(argument.arg for argument in node.args.kwonlyargs) for node in nodes}


@cache
def _statements(file: Path) -> list[ast.stmt]:
    try:
        return ast.parse(file.read_text(encoding="utf-8") if file.exists() else "").body
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise InputError(f"{file}: is no Python ({error.args[0]}{line})") from None
