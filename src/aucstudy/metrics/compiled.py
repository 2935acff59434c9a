"""How the module compiles: numba with its cache on disk, and strict floating point."""

from collections.abc import Callable

from numba import njit


def compiled(function: Callable) -> Callable:
    """Compile on first use and keep the machine code on disk, beside the source or in the user's cache.

    Floating point stays strict (no `fastmath`): compensated sums and the test for NaN depend on it.
    """
    try:
        return njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # neither the package's folder nor a cache folder of the user can be written
        return njit(nogil=True, error_model="numpy")(function)
