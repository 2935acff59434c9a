"""Sums of many floats that keep their digits."""

from aucstudy.metrics.compiled import inlined


@inlined
def add(total, rounding, value):
    """Return the total with a value added, and `rounding` with what the addition rounded off (Knuth 1969).

    The sum of the two is exact to a rounding. Of whole numbers nothing is rounded off, and 0 is added to
    `rounding`.
    """
    new_total = total + value
    added = new_total - total
    return new_total, rounding + ((total - (new_total - added)) + (value - added))
