"""Conversion of lists, arrays, Series, data frames and mappings to arrays, with the names of models."""

from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

EXACT_INTEGER = 2**53  # larger integers may share one float64


def plain_array(values: ArrayLike, name: str) -> np.ndarray:
    """Return the values as an array; masked ones are a ValueError.

    Objects that have only `__dlpack__`, as some tensors do, must be in the memory of the CPU.
    """
    masked = np.ma.count_masked(values) if isinstance(values, np.ma.MaskedArray) else 0
    if masked:
        raise ValueError(f"{name} holds {masked} masked values; fill them or leave out their rows")
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
        return np.from_dlpack(values)
    return np.asarray(values)


def vector(array: np.ndarray) -> np.ndarray:
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def real_numbers(values: ArrayLike, name: str) -> np.ndarray:
    """Return an array of integers, floats or bools.

    Other real numbers, as Python's large integers, Decimals and Fractions, become float64. ValueError where this would
    make two different ones equal.
    """
    array = plain_array(values, name)
    # NumPy rounds large integers in a list with floats
    rounded = isinstance(values, list | tuple) and array.dtype.kind == "f"
    if rounded and (np.abs(array) >= EXACT_INTEGER).any():
        array = np.array(values, dtype=object)
    if array.dtype.kind in "biuf":
        return array
    floats, exact_values = np.empty(array.shape), {}
    for i, value in enumerate(array.flat):
        # Python compares its numbers exactly, NumPy its integers with floats as floats
        exact = value.item() if isinstance(value, np.generic) else value
        if not isinstance(exact, Real | Decimal):
            raise ValueError(f"{name} must hold real numbers, not {exact!r} (the value at index {i})")
        try:
            floats.flat[i] = number = float(exact)
        except OverflowError:
            raise ValueError(f"{name} holds {exact!r}, beyond float64; give ranks") from None
        other = exact_values.setdefault(number, exact)
        if not np.isnan(number) and other != exact:
            raise ValueError(
                f"{name} holds {other!r} and {exact!r}, which are one number in float64; give ranks"
            )
    return floats


def columns_by_name(scores: Any, n: int, name: str = "scores") -> dict[str, Any]:
    """Return the scores (n,) of one or several models by the models' names.

    Names are the keys of a mapping, the columns of a data frame (of pandas, polars, pyarrow or any other that narwhals
    knows) or the name of a Series; an array (n,) or (n, m) has "model 1", "model 2" and so on. Values are not checked.
    """
    if (columns := named_columns(scores)) is not None:
        return columns
    array = plain_array(scores, name)
    if array.ndim == 1 and array.size == n:
        series_name = getattr(scores, "name", None)
        return {series_name if isinstance(series_name, str) and series_name else "model 1": scores}
    if array.ndim != 2 or len(array) != n:
        raise ValueError(f"{name} of shape {array.shape} for {n} labels; (n, m) are needed")
    return {f"model {i}": column for i, column in enumerate(array.T, 1)}


def named_columns(values: Any) -> dict[str, Any] | None:
    """Return the columns of a mapping or of a data frame by their names, and None for anything else."""
    if isinstance(values, Mapping):
        return {str(name): column for name, column in values.items()}
    if isinstance(values, np.ndarray | list | tuple):
        return None
    import narwhals as nw  # not needed for arrays

    frame = nw.from_native(values, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return None
    # By position, because the columns of pandas may have numbers for names, which would be taken for those of rows.
    return {
        str(name): column.to_native()
        for name, column in zip(frame.columns, frame.iter_columns(), strict=True)
    }
