"""What a job's code depends on: the modules it imports, as files, and of a room only the functions that it runs."""

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

PACKAGE = "aucstudy"
ROOMS = "aucstudy.experiments."
SHARED = (f"{ROOMS}contract", f"{ROOMS}inputs")
IMPORT = re.compile(r"(?m)^[ \t]*(?:from ([\w.]+) import (\([^)]*\)|[^\n#]*)|import ([^\n#]*))")
READS_ITS_FOLDER = ("__file__", "PackageLoader", "html_templates(")


class Code(NamedTuple):
    """Files, and a digest of the functions of rooms: a room computes and draws, and a job does one of the two."""

    files: list[str]
    digest: str


def code_of(*modules: str) -> list[str]:
    """The files of modules of this package and of all that they import from it, local imports included.

    A name imported from a package counts as the package's `__init__`; that Python also runs the `__init__` of every
    folder on the way to a module does not: no module here relies on what another one's import does on the side.
    """
    reached: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += _owners(module)
    return paths_here(file for module in reached for file in (_file(module), *_data_files(module)))


def paths_here(files: Iterable[Path]) -> list[str]:
    """Sorted paths, relative to the working directory where they lie below it: a checkout may be moved or copied."""
    folder = Path.cwd()
    return sorted(
        {str(file.relative_to(folder)) if file.is_relative_to(folder) else str(file) for file in files}
    )


def code_of_functions(module: str, functions: Iterable[str]) -> Code:
    """What functions of a room depend on: definitions of rooms that they reach, and modules that these import.

    The digest does not change with comments, docstrings and line breaks.
    """
    reached: dict[tuple[str, str], str] = {}
    modules: set[str] = set()
    files: set[Path] = set()
    waiting = [(module, name) for name in functions]
    while waiting:
        owner, name = waiting.pop()
        definition = _definitions(owner).get(name)
        if (owner, name) in reached or definition is None:
            continue  # without a definition: a built-in, an argument, a local name
        reached[owner, name] = definition.code
        files |= set(_data_files(owner)) if "__file__" in definition.names else set()
        waiting += ((owner, used) for used in definition.names)
        for owner, name in definition.imports:
            if owner.startswith(ROOMS) and owner not in SHARED:
                waiting.append((owner, name))
            else:
                modules.add(owner)
    text = "\n".join(f"{key} {code}" for key, code in sorted(reached.items()))
    return Code(
        sorted({*code_of(*modules), *paths_here(files)}), hashlib.sha256(text.encode()).hexdigest()[:16]
    )


def code_digest(module: str, functions: Iterable[str], *modules: str) -> str:
    """One digest of all code that functions of a room depend on, and that of further modules."""
    code = code_of_functions(module, functions)
    files = sorted({*code.files, *code_of(*modules)})
    return hashlib.sha256("\n".join([code.digest, *map(_contents, files)]).encode()).hexdigest()[:16]


@cache
def _contents(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


class _Definition(NamedTuple):
    """A top-level statement of a room: its code without docstrings, names it uses, (module, name) it imports."""

    code: str
    names: frozenset[str]
    imports: frozenset[tuple[str, str]]


@cache
def _definitions(module: str) -> dict[str, _Definition]:
    bound: dict[str, _Definition] = {}
    for node in _tree(module).body:
        used = frozenset(child.id for child in ast.walk(node) if isinstance(child, ast.Name))
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias, pair in zip(node.names, _pairs(node), strict=True):
                name = alias.asname or alias.name
                bound[name] = _Definition("", used, frozenset({pair} if _is_ours(pair[0]) else ()))
            continue
        definition = _Definition(ast.unparse(_without_docstrings(node)), used, frozenset(_imported(node)))
        stored = (
            child.id
            for child in ast.walk(node)
            if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store)
        )
        bound |= dict.fromkeys([node.name] if hasattr(node, "name") else stored, definition)
    return bound


def _without_docstrings(node: ast.stmt) -> ast.stmt:
    for child in ast.walk(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(child) is not None:
            child.body = child.body[1:] or [ast.Pass()]
    return node


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_file(module).read_text(encoding="utf-8"))


@cache
def _file(module: str) -> Path:
    return Path(find_spec(module).origin)


def _data_files(module: str) -> Iterable[Path]:
    file = _file(module)
    text = file.read_text(encoding="utf-8")
    if not any(sign in text for sign in READS_ITS_FOLDER):
        return ()
    return (path for path in file.parent.iterdir() if path.is_file() and path.suffix not in (".py", ".md"))


@cache
def _owners(module: str) -> frozenset[str]:
    """The modules of this package that a module imports, from its text: to parse all of the package takes a second."""
    text = _file(module).read_text(encoding="utf-8")
    owners = set()
    for owner, names, plain_import in IMPORT.findall(text):
        if _is_ours(owner):
            imported_names = re.sub("#[^\n]*", "", names).strip("() \n,").split(",")
            owners |= {_module_or_owner(owner, name.split()[0]) for name in imported_names}
        owners |= {name for name in re.findall(r"[\w.]+", plain_import) if _is_ours(name)}
    return frozenset(owners)


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(tree, ast.Import | ast.ImportFrom):
        yield from (pair for pair in _pairs(tree) if _is_ours(pair[0]))
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.expr):  # which are most nodes and import nothing
            yield from _imported(node)


def _pairs(node: ast.Import | ast.ImportFrom) -> list[tuple[str, str]]:
    if isinstance(node, ast.Import):
        return [(alias.name, "") for alias in node.names]
    return [(_module_or_owner(node.module or "", alias.name), alias.name) for alias in node.names]


def _is_ours(module: str) -> bool:
    return module.split(".")[0] == PACKAGE


def _module_or_owner(owner: str, name: str) -> str:
    if not _is_ours(owner) or not find_spec(owner).submodule_search_locations:
        return owner
    return f"{owner}.{name}" if find_spec(f"{owner}.{name}") else owner
