"""How many random draws a task needs: large ones get as exact a mean from fewer."""

import math

import numpy as np

# rows of the rarer class up to which a task gets all draws
ALL_DRAWS = 1000
FEWEST = 20


def draws_needed(draws: int, y_true: np.ndarray) -> int:
    """The draws of a task whose mean over all draws is wanted.

    The variance of an area over random cuts of the rows falls as one over the rows of the rarer class. Draws fall at
    the same rate from 1,000 such rows on, so that the Monte Carlo error of the mean is never larger than that of a
    task with 1,000.

    Parameters
    ----------
    draws : those of a task with up to 1,000 rows in its rarer class.
    y_true : (n,) bool.

    Returns
    -------
    At most `draws`, and not fewer than 20 unless `draws` is.

    Examples
    --------
    >>> draws_needed(200, np.arange(9000) < 4000), draws_needed(200, np.arange(9000) < 900), draws_needed(5, np.ones(2))
    (50, 200, 5)
    """
    rarer = min(int(np.sum(y_true)), len(y_true) - int(np.sum(y_true)))
    return min(draws, max(FEWEST, math.ceil(draws * ALL_DRAWS / max(rarer, 1))))
