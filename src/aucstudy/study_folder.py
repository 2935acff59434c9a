"""The folder of a study: its study file, the rules beside it, and code of its own, which is loaded by its path.

`studies/<name>/study.yaml` may name `source: ./source.py` and `experiments: [disagreement, ./room]`. Such a folder may
stand anywhere; nothing in this package knows one of them by name.
"""

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

STUDY, RULES = "study.yaml", "rules.yaml"
# claims that only the study decides, and who judges them
CLAIMS, JUDGES_OF_CLAIMS = "claims.csv", "claims.py"


def study_file(study: Path | str, shipped: Path) -> Path:
    """The study file that is meant by a file, by a folder that holds one, or by a name in the folder `shipped`.

    InputError where a folder has no `study.yaml` and not exactly one other study file.
    """
    path = Path(study)
    if not path.exists() and not path.is_absolute() and (shipped / path).exists():
        path = shipped / path
    if not path.is_dir() or (path / STUDY).is_file():
        return path / STUDY if path.is_dir() else path
    files = sorted(file for file in path.glob("*.yaml") if not _is_rules_file(file))
    if len(files) == 1:
        return files[0]
    names = (
        f"it holds {', '.join(file.name for file in files)}; name one of them" if files else "it holds none"
    )
    raise InputError(f"{path}: a study file is wanted, or a folder with a {STUDY}; {names}")


def rules_file(study: Path) -> Path | None:
    """The rules that are laid on a study file: `rules.yaml` on `study.yaml`, `mine-rules.yaml` on `mine.yaml`."""
    path = study.with_name(RULES if study.name == STUDY else f"{study.stem}-{RULES}")
    return path if path.is_file() and not _is_rules_file(study) else None


def _is_rules_file(path: Path) -> bool:
    return path.name == RULES or path.name.endswith(f"-{RULES}")


def import_file(path: Path) -> ModuleType:
    """The module of a Python file in a study's folder.

    The folder is made a package with a name of its own, so that its files import each other by `from . import other`
    and never take the place of a module that is named alike. InputError, with file and line, where it cannot be
    imported; ModuleNotFoundError passes, as the command then says what to install.
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
    """An exception with the line of a study's folder that raised it."""
    line, traceback = "", error.__traceback__
    while traceback:
        if traceback.tb_frame.f_globals.get("__name__", "").startswith(PREFIX):
            line = f", line {traceback.tb_lineno} of {traceback.tb_frame.f_code.co_filename}"
        traceback = traceback.tb_next
    return f"{type(error).__name__}: {error}{line}"


PREFIX = "aucstudy_study_"


def package_name(folder: Path) -> str:
    """A name that no other folder has.

    >>> package_name(Path("/studies/coin-tosses")).rpartition("_")[0]
    'aucstudy_study_coin_tosses'
    """
    name = re.sub(r"\W", "_", folder.name)
    return f"{PREFIX}{name}_{hashlib.sha256(str(folder).encode()).hexdigest()[:8]}"


@cache
def constants_of(file: Path) -> Mapping[str, object]:
    """The constants at the top level of a Python file, read without running it: importing a source takes a second."""
    constants = {}
    for node in _statements(file):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            try:
                constants[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue  # it is computed
    return constants


@cache
def functions_of(file: Path) -> dict[str, tuple[str, ...]]:
    """The functions of a Python file with the names of their keyword-only arguments; none where there is no file."""
    nodes = [node for node in _statements(file) if isinstance(node, ast.FunctionDef)]
    return {node.name: tuple(argument.arg for argument in node.args.kwonlyargs) for node in nodes}


def _statements(file: Path) -> list[ast.stmt]:
    try:
        return ast.parse(file.read_text(encoding="utf-8") if file.exists() else "").body
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise InputError(f"{file}: is no Python ({error.args[0]}{line})") from None
