"""How the module compiles: numba with its cache on disk, and strict floating point."""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from numba import njit


def compiled(function: Callable) -> Callable:
    """Compile on first use and keep the machine code on disk, beside the source or in the user's cache.

    Floating point stays strict (no `fastmath`): compensated sums and the test for NaN depend on it.
    """
    try:
        dispatcher = njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # neither the package's folder nor a cache folder of the user can be written
        return njit(nogil=True, error_model="numpy")(function)
    # numba looks at the function's own file only, and would go on using the machine code of an older callee
    index = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if index is not None:
        index._source_stamp = (index._source_stamp, _sources())
    return dispatcher


@cache
def _sources() -> str:
    """A digest of every module from which a compiled function may call another."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
