"""Compilation by numba, with a cache on disk and strict floating point."""

import hashlib
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache


def compiled(function: Callable) -> Any:
    """Compile at the first call; the machine code is kept beside the source or in a user's cache."""
    return _cached(function, njit(nogil=True, error_model="numpy")(function))


def inlined(function: Callable) -> Any:
    """Compile as `compiled` does, and copy into compiled callers, where a call would cost as much as its work."""
    return _cached(function, njit(nogil=True, error_model="numpy", forceinline=True)(function))


def _cached(function: Callable, dispatcher: Any) -> Any:
    """Do what `cache=True` does, but go on without a cache that cannot be read or written."""
    if hasattr(dispatcher, "_cache"):  # not with NUMBA_DISABLE_JIT
        with suppress(RuntimeError):  # no folder for it can be written
            dispatcher._cache = _Cache(function)
    return dispatcher


class _Cache(FunctionCache):
    def __init__(self, function: Callable) -> None:
        super().__init__(function)
        # numba looks only at the function's own file, and would go on using machine code of an older callee.
        self._cache_file._source_stamp = (self._cache_file._source_stamp, _sources())

    def load_overload(self, *arguments: Any) -> Any:
        try:
            return super().load_overload(*arguments)
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


@cache
def _sources() -> str:
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
