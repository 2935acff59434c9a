"""Compilation by numba on first use, with a cache on disk and strict floating point.

numba takes long to import: until there is enough to do, Python runs what is marked `brief`, with the same bits.
"""

import hashlib
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache, update_wrapper
from pathlib import Path
from threading import RLock, local
from typing import Any

import numpy as np

# held while a function and those that it calls get their dispatchers: before that numba cannot compile it
_LOCK = RLock()
# numbers that Python passes over in about a quarter of the time that numba takes to be imported
FEW = 100_000


class _Plain(local):
    running = False


_plain = _Plain()
_spent = 0  # of FEW, by all calls so far


class Compiled:
    """A function that becomes machine code when it is first called, after every compiled function that it calls."""

    def __init__(self, function: Callable, brief: bool = False, **options: Any) -> None:
        update_wrapper(self, function)
        self._function, self._brief, self._options = function, brief, options
        self._dispatcher: Any = None

    def __call__(self, *arguments: Any) -> Any:
        if self._dispatcher is not None or not (_plain.running or self._is_brief(arguments)):
            return self.dispatcher(*arguments)
        before, _plain.running = _plain.running, True
        try:
            with np.errstate(all="ignore"):
                return self._function(*arguments)
        finally:
            _plain.running = before

    def _is_brief(self, arguments: tuple) -> bool:
        global _spent
        if not self._brief or "numba" in sys.modules:
            return False
        _spent += sum(argument.size for argument in arguments if isinstance(argument, np.ndarray))
        return _spent <= FEW

    @property
    def dispatcher(self) -> Any:
        with _LOCK:
            if self._dispatcher is None:
                self._dispatcher = dispatcher_of(self._function, **self._options)
                names = self._function.__globals__
                for name in (*self._function.__code__.co_names, self._function.__name__):
                    if isinstance(names.get(name), Compiled):
                        names[name] = names[name].dispatcher
            return self._dispatcher


def inlined(function: Callable) -> Compiled:
    """As `compiled`, and copied into compiled callers, where the call would cost as much as its work."""
    return Compiled(function, forceinline=True)


def brief(function: Callable) -> Compiled:
    """As `compiled`, but Python runs it while arrays are small and numba is not imported."""
    return Compiled(function, brief=True)


def compiled(function: Callable) -> Compiled:
    """Compile on first use, without `fastmath`, and keep the machine code beside the source or in a user's cache."""
    return Compiled(function)


def dispatcher_of(function: Callable, **further: bool) -> Any:
    from numba import njit

    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", **further}
    dispatcher = njit(**options)(function)
    if hasattr(dispatcher, "_cache"):  # not with NUMBA_DISABLE_JIT
        # neither the package's folder nor a cache folder of the user can be written
        with suppress(RuntimeError):
            dispatcher._cache = _lenient_cache()(function)
    return dispatcher


@cache
def _lenient_cache() -> type:
    from numba.core.caching import FunctionCache

    class LenientCache(FunctionCache):
        """numba's own, except that neither a damaged file nor a full disk ends what needs no file."""

        warned = False

        def __init__(self, function: Callable) -> None:
            super().__init__(function)
            index = self._cache_file
            # numba looks at the function's own file only, and would go on using the machine code of an older callee
            index._source_stamp = (index._source_stamp, _sources())

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                return super().load_overload(sig, target_context)
            except Exception:  # bytes that are no pickle can raise anything
                with suppress(OSError):
                    self.flush()
                return None

        def save_overload(self, sig: Any, data: Any) -> None:
            try:
                super().save_overload(sig, data)
            except Exception as error:
                self.disable()
                if not LenientCache.warned:
                    LenientCache.warned = True
                    warnings.warn(
                        f"{self.cache_path}: machine code cannot be kept there ({error}), so each process compiles "
                        "anew; delete this folder, make room or name another in NUMBA_CACHE_DIR",
                        RuntimeWarning,
                        stacklevel=2,
                    )

    return LenientCache


@cache
def _sources() -> str:
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
