"""How the module compiles: numba with its cache on disk, and strict floating point.

numba takes longer to import than all the rest: it is imported when a compiled function is first called.
"""

import hashlib
from collections.abc import Callable
from functools import cache, update_wrapper
from pathlib import Path
from threading import RLock
from typing import Any

# held while a function and those that it calls get their dispatchers: before that numba cannot compile it
_LOCK = RLock()


class Compiled:
    """A function that becomes machine code when it is first called.

    numba looks up names where a function was defined; so every compiled function that this one calls, and itself, is
    put there as numba's own object first.
    """

    def __init__(self, function: Callable, **options: Any) -> None:
        update_wrapper(self, function)
        self._function, self._options = function, options
        self._dispatcher: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)

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


def compiled(function: Callable) -> Compiled:
    """Compile on first use and keep the machine code in `NUMBA_CACHE_DIR`, beside the source or in a user's cache.

    Floating point stays strict (no `fastmath`): compensated sums and the test for NaN depend on it.
    """
    return Compiled(function)


def dispatcher_of(function: Callable, **further: bool) -> Any:
    """numba's object for a function, with a cache where one can be kept."""
    from numba import njit

    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", **further}
    try:
        dispatcher = njit(cache=True, **options)(function)
    except RuntimeError:  # neither the package's folder nor a cache folder of the user can be written
        return njit(**options)(function)
    # numba looks at the function's own file only, and would go on using the machine code of an older callee
    index = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if index is not None:
        index._source_stamp = (index._source_stamp, _sources())
    return dispatcher


@cache
def _sources() -> str:
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
