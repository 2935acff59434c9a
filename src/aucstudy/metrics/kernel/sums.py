"""Sums of many floats that keep their digits."""

from aucstudy.metrics.compiled import inlined


@inlined
def add(total, lost, value):
    """Add a value to a sum, and what that rounds off to `lost`: total + lost is exact to a rounding (Knuth 1969).

    Of whole numbers nothing is lost: what is added to `lost` is 0.
    """
    new_total = total + value
    added = new_total - total
    return new_total, lost + ((total - (new_total - added)) + (value - added))
