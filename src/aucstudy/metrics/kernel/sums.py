"""Sums of many floats that keep their digits."""

from aucstudy.metrics.compiled import inlined


@inlined
def add(total, rounding, value):
    """Add a value to a total, and what that rounds off to `rounding`: their sum is exact to a rounding (Knuth 1969).

    Of whole numbers nothing is rounded off: 0 is added to `rounding`.
    """
    new_total = total + value
    added = new_total - total
    return new_total, rounding + ((total - (new_total - added)) + (value - added))
