"""Compilation by numba, with a cache on disk and strict floating point.

Machine code is kept under a digest of all that it is made from, as it is in memory when numba compiles it. So an
edit of any of this is seen, while an edit of a docstring, or another copy of the package, changes nothing.
"""

import hashlib
import inspect
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba import njit, types, version_info
from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.dispatcher import Dispatcher
from numba.core.runtime import rtsys
from numba.misc.appdirs import AppDirs

# The last version of numba with which machine code was loaded without numba's own preparation.
TRIED = (0, 68)
VERSIONS = (sys.version, version("numba"), version("llvmlite"), version("numpy"))


def compiled(function: Callable) -> Any:
    """Compile at the first call; the machine code is kept on disk."""
    return _cached(njit(nogil=True, error_model="numpy")(function))


def inlined(function: Callable) -> Any:
    """Compile as `compiled` does, and copy into compiled callers, where a call would cost as much as its work."""
    return _cached(njit(nogil=True, error_model="numpy", forceinline=True)(function))


def digest_of(dispatcher: Dispatcher, signature: tuple) -> str:
    """Return a digest of a compiled function, of all that it calls or reads, and of its arguments' types.

    TypeError if it reads a global name whose value has no known text.
    """
    texts = [*map(repr, VERSIONS), *_texts_of(dispatcher, set()), *map(_text_of_type, signature)]
    return hashlib.blake2b("\n".join(texts).encode(), digest_size=16).hexdigest()


def _texts_of(dispatcher: Dispatcher, seen: set[Dispatcher]) -> Iterator[str]:
    """Yield the bytecode of a compiled function and the values of the names in it, with its callees' own."""
    if dispatcher in seen:
        return
    seen.add(dispatcher)
    function = dispatcher.py_func
    yield f"{function.__module__}.{function.__qualname__} {sorted(dispatcher.targetoptions.items())}"
    yield repr(function.__defaults__)
    names = dict.fromkeys(_names_in(function.__code__))
    # An attribute may have the name of a global that the function does not read: this costs a few compilations.
    values = {name: function.__globals__[name] for name in names if name in function.__globals__}
    yield from _texts_of_code(function.__code__, function.__doc__)
    for name, value in (values | inspect.getclosurevars(function).nonlocals).items():
        if isinstance(value, Dispatcher):
            yield f"{name} calls {value.py_func.__module__}.{value.py_func.__qualname__}"
            yield from _texts_of(value, seen)
        else:
            yield f"{name} = {_text_of_value(value)}"


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def _texts_of_code(code: CodeType, docstring: str | None) -> Iterator[str]:
    yield repr((code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
    yield repr(
        (code.co_argcount, code.co_kwonlyargcount, code.co_flags, getattr(code, "co_exceptiontable", b""))
    )
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _texts_of_code(constant, None)
        elif docstring is None or constant != docstring:
            yield _text_of_value(constant)


def _text_of_value(value: Any) -> str:
    """Return a text that differs for two values if machine code made with them may differ."""
    if (
        value is None
        or value is ...
        or isinstance(value, bool | int | float | complex | str | bytes | np.generic)
    ):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, tuple):
        return f"{type(value).__name__} ({', '.join(map(_text_of_value, value))})"
    if isinstance(value, frozenset):
        return f"frozenset ({', '.join(sorted(map(_text_of_value, value)))})"
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return f"array {value.dtype} {value.shape} {value.flags.c_contiguous} {value.tobytes().hex()}"
    if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
        return (
            f"{value.__module__}.{value.__qualname__} {value._fields} {getattr(value, '_field_defaults', {})}"
        )
    if isinstance(value, ModuleType) and not value.__name__.startswith("aucstudy"):
        return value.__name__
    # numba compiles none of Python's own functions and classes that it does not know by name.
    if isinstance(value, type | FunctionType | BuiltinFunctionType | np.ufunc):
        return f"{getattr(value, '__module__', '')}.{value.__name__}"
    raise TypeError(f"{value!r} of type {type(value).__name__} in compiled code")


def _text_of_type(kind: types.Type) -> str:
    """Return the name of a type with the fields of named tuples, which numba's own name leaves out."""
    if isinstance(kind, types.BaseNamedTuple):
        return f"{_text_of_value(kind.instance_class)} ({', '.join(map(_text_of_type, kind.types))})"
    if isinstance(kind, types.BaseTuple):
        return f"({', '.join(map(_text_of_type, kind.types))})"
    return kind.name


def _cached(dispatcher: Any) -> Any:
    """Do what `cache=True` does, by our own digest, and go on without a cache that cannot be read or written."""
    if hasattr(dispatcher, "_cache"):  # not with NUMBA_DISABLE_JIT
        dispatcher._cache = _Cache(dispatcher)
    return dispatcher


class _Cache(FunctionCache):
    """The files of one function, looked for at its calls, since its module is not yet whole at its definition."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self.disable()

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        digest = digest_of(self._dispatcher, getattr(signature, "args", signature))
        self._impl_class = partial(_CodeOfOneDigest, digest)
        self.disable()
        with suppress(RuntimeError):  # no folder for it can be written
            super().__init__(self._dispatcher.py_func)
        try:
            if version_info.short > TRIED:
                return super().load_overload(signature, target_context)
            # That method first lets the context know all that numba can compile, which takes a third of a second in
            # each process. Only a compilation needs it, and asks for it itself. Machine code needs numba's memory.
            rtsys.initialize(target_context)
            return self._load_overload(signature, target_context)
        except Exception:  # a damaged file is no pickle, which can raise anything
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, *arguments: Any) -> None:
        try:
            super().save_overload(*arguments)
        except Exception as error:  # a full disk, for instance
            self.disable()
            warnings.warn(
                f"{self.cache_path}: machine code cannot be kept there ({error}), so each process compiles anew; "
                "delete this folder, make room or name another in NUMBA_CACHE_DIR",
                RuntimeWarning,
                stacklevel=2,
            )


class _Folder(_CacheLocator):
    """The first folder for machine code that can be written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def from_function(cls, py_func: Callable, py_file: str) -> "_Folder | None":
        folders = [
            *([Path(config.CACHE_DIR) / "aucstudy"] if config.CACHE_DIR else []),
            Path(AppDirs(appname="aucstudy", appauthor=False).user_cache_dir),
            Path(py_file).parent / "__pycache__",
        ]
        return next((cls(folder) for folder in folders if _can_be_written(folder)), None)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return ""  # the digest in the file's name says all

    def get_disambiguator(self) -> str:
        return ""


@cache
def _can_be_written(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


class _CodeOfOneDigest(CompileResultCacheImpl):
    _locator_classes = (_Folder,)

    def __init__(self, digest: str, function: Callable) -> None:
        self._digest = digest
        super().__init__(function)

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"{fullname.replace('<', '').replace('>', '')}-{self._digest}"
