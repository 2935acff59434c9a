"""Sums of many floats that keep their digits."""

from aucstudy.metrics.compiled import inlined


@inlined
def add(total, lost, value):
    """Add a value to a sum and to what its roundings lost: sum + lost is exact but for one rounding (Neumaier 1974)."""
    new_total = total + value
    if abs(total) >= abs(value):
        return new_total, lost + ((total - new_total) + value)
    return new_total, lost + ((value - new_total) + total)
