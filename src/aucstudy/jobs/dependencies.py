"""What a job's code depends on: the modules that it imports; where it measures, the definitions that it reaches."""

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from aucstudy.experiments.contract import Experiment
from aucstudy.study_folder import CLAIMS

PACKAGE = "aucstudy"
MEASURING = ("of_task", "choose")
ROOMS = "aucstudy.experiments."
SHARED = (f"{ROOMS}contract", f"{ROOMS}inputs")
IMPORT = re.compile(r"(?m)^[ \t]*from ([\w.]+) import (\([^)]*\)|[^\n#]*)")
READS_ITS_FOLDER = ("__file__", "PackageLoader", "html_templates(")


def code_of(*modules: str | Path) -> list[str]:
    """The files of modules of this package and of all that they import from it, local imports included.

    The `__init__` of folders on the way do not count: no module relies on what another import does on the side. A path
    is a file in a study's folder; it counts with the files of the folder that it imports.
    """
    reached: set[str] = set()
    of_studies = _of_studies(module for module in modules if isinstance(module, Path))
    waiting = [module for module in modules if isinstance(module, str)]
    for file in of_studies:
        waiting += [owner for owner, _, _ in _imports(file.read_text(encoding="utf-8"))]
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += {owner for owner, _, _ in _imports_of(module)}
    in_package = (file for module in reached for file in (_file(module), *_data_files(module)))
    return paths_here([*of_studies, *in_package])


def _of_studies(files: Iterable[Path]) -> set[Path]:
    """Files of studies' folders, what they import from there, and the lists beside those that read their folder."""
    reached: set[Path] = set()
    waiting = [*files]
    while waiting:
        file = waiting.pop()
        if file in reached or not file.is_file():
            continue
        reached.add(file)
        text = file.read_text(encoding="utf-8")
        for owner, names in IMPORT.findall(text):
            if owner.startswith("."):
                modules = [owner[1:]] if owner[1:] else [name for name, _ in _names(names)]
                waiting += [file.with_name(f"{module}.py") for module in modules]
        if any(sign in text for sign in READS_ITS_FOLDER):
            waiting += [path for path in file.parent.glob("*.csv") if path.name != CLAIMS]
    return reached


def paths_here(files: Iterable[Path]) -> list[str]:
    """Sorted paths, relative to the working directory below it: a checkout may be moved or copied."""
    folder = Path.cwd()
    return sorted(
        {str(file.relative_to(folder)) if file.is_relative_to(folder) else str(file) for file in files}
    )


class Code(NamedTuple):
    """Definitions of rooms by module and name, without comments and docstrings; the files of other modules."""

    definitions: dict[tuple[str, str], str]
    files: list[str]


def code_of_functions(module: str, *functions: str) -> Code:
    """What functions of a room run: so a change of `over_all` is no reason to measure again."""
    reached: dict[tuple[str, str], str] = {}
    modules: set[str] = set()
    waiting = [(module, name) for name in functions]
    while waiting:
        owner, name = waiting.pop()
        if not owner.startswith(ROOMS) or owner in SHARED:
            modules.add(owner)
        elif (owner, name) not in reached and name in _definitions(owner):
            # others are built-ins, arguments and local names
            reached[owner, name], names, imports = _definitions(owner)[name]
            waiting += [*((owner, used) for used in names), *imports]
    data = {
        file for owner, name in reached if "__file__" in reached[owner, name] for file in _data_files(owner)
    }
    return Code(reached, sorted({*code_of(*modules), *paths_here(data)}))


def digest_of_stage(experiment: Experiment, stage: str, *further: str | Path) -> str:
    """One digest of the code that measures, gathers or draws an experiment, and of further modules."""
    module = importable(experiment.file)
    if stage == "measure" and isinstance(module, str):
        definitions, files = code_of_functions(module, *MEASURING)
        return code_digest([*files, *code_of("aucstudy.jobs.measuring", *further)], definitions)
    if stage == "measure":
        return code_digest(code_of("aucstudy.jobs.measuring", module, *further))
    if stage == "gather":
        return code_digest(code_of("aucstudy.jobs.measuring", module))
    return code_digest(code_of("aucstudy.jobs.together", importable(experiment.drawings)))


def importable(file: Path) -> str | Path:
    """The name of a module of this package by its file; a file of a study's folder stays what it is."""
    folder = Path(__file__).parents[1]
    if not file.is_relative_to(folder):
        return file
    parts = file.relative_to(folder).with_suffix("").parts
    return ".".join([PACKAGE, *parts]).removesuffix(".__init__")


def code_digest(files: Iterable[str], definitions: dict[tuple[str, str], str] | None = None) -> str:
    text = [f"{key} {code}" for key, code in sorted((definitions or {}).items())]
    return hashlib.sha256("\n".join([*text, *map(_contents, sorted(files))]).encode()).hexdigest()[:16]


@cache
def _contents(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


@cache
def _definitions(module: str) -> dict[str, tuple[str, set[str], set[tuple[str, str]]]]:
    """By name, the top-level statements of a room: code, names that it uses, (module, name) that it imports."""
    bound: dict[str, tuple[str, set[str], set[tuple[str, str]]]] = {}
    for node in ast.parse(_text(module)).body:
        children = list(ast.walk(node))
        for child in children:
            if isinstance(child, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(child) is not None:
                child.body = child.body[1:] or [ast.Pass()]
        code = ast.unparse(node)
        imports = list(_imports(code))
        if isinstance(node, ast.ImportFrom):
            bound |= {alias: ("", set(), {(owner, name)}) for owner, name, alias in imports}
            continue
        names = [child for child in children if isinstance(child, ast.Name)]
        stored = {child.id for child in names if isinstance(child.ctx, ast.Store)}
        definition = code, {child.id for child in names}, {(owner, name) for owner, name, _ in imports}
        bound |= dict.fromkeys([node.name] if hasattr(node, "name") else stored, definition)
    return bound


@cache
def _imports_of(module: str) -> list[tuple[str, str, str]]:
    return list(_imports(_text(module)))


def _imports(text: str) -> Iterator[tuple[str, str, str]]:
    """(module, name, name here) of what a text imports of this package; parsing would take a second."""
    for owner, names in IMPORT.findall(text):
        if owner.split(".")[0] == PACKAGE:
            for name, alias in _names(names):
                yield _module_or_owner(owner, name), name, alias


def _names(imported: str) -> Iterator[tuple[str, str]]:
    """(name, name here) of what stands after `import`."""
    for one in re.sub("#[^\n]*", "", imported).strip("() \n,").split(","):
        name, _, alias = one.strip().partition(" as ")
        yield name, alias or name


@cache
def _module_or_owner(owner: str, name: str) -> str:
    if not find_spec(owner).submodule_search_locations:
        return owner
    return f"{owner}.{name}" if find_spec(f"{owner}.{name}") else owner


@cache
def _file(module: str) -> Path:
    return Path(find_spec(module).origin)


@cache
def _text(module: str) -> str:
    return _file(module).read_text(encoding="utf-8")


def _data_files(module: str) -> Iterable[Path]:
    if not any(sign in _text(module) for sign in READS_ITS_FOLDER):
        return ()
    folder = _file(module).parent
    return (path for path in folder.iterdir() if path.is_file() and path.suffix not in (".py", ".md"))
