"""Sums of many floats that keep their digits."""

import numpy as np

from aucstudy.metrics.compiled import compiled, inlined


@inlined
def add(total, rounding, value):
    """Return the total with a value added, and `rounding` with what the addition rounded off (Knuth 1969).

    The sum of the two is exact to a rounding. Of whole numbers nothing is rounded off, and 0 is added to
    `rounding`.
    """
    new_total = total + value
    added = new_total - total
    return new_total, rounding + ((total - (new_total - added)) + (value - added))


@compiled
def running_sum(values, total, rounding):
    """Return the sums (n,) of a total and of the first values, and the last total with its `rounding`."""
    sums = np.empty(values.size)
    for i in range(values.size):
        total, rounding = add(total, rounding, values[i])
        sums[i] = total + rounding
    return sums, (total, rounding)
