"""The running example of Flach & Kull 2015, figures 1 to 3, with its counts reconstructed.

The paper draws the example and prints its calibrated scores, not its data. The counts below were found by search:
with 48 or 49 positives (none of 47, none of 50 to 52) both lists of calibrated scores come out to every printed
digit, and so do the two printed values of beta^2. The number of negatives behind the last positive is free; 452 in
all make 500 rows.
"""

import numpy as np

HULL_STEPS = ((1, 0), (6, 2), (10, 25), (23, 104), (1, 18), (3, 60), (3, 106), (1, 69))
N_POSITIVE, N_NEGATIVE = 48, 452


def running_example() -> tuple[np.ndarray, np.ndarray]:
    """Labels and untied scores whose ROC hull goes by `HULL_STEPS` (positives, negatives a segment).

    Within a segment the positives stand as early as they can without leaving the hull.

    Returns
    -------
    y_true : (500,) bool; scores : (500,) float, falling.

    Examples
    --------
    >>> from aucstudy.metrics import roc_hull
    >>> roc_hull(*running_example()).probability.round(3).tolist()
    [1.0, 0.75, 0.286, 0.181, 0.053, 0.048, 0.028, 0.014, 0.0]
    """
    labels: list[bool] = []
    for positives, negatives in HULL_STEPS:
        before = np.ceil(np.arange(positives + 1) * negatives / positives).astype(int)
        for new in np.diff(before):
            labels += [False] * int(new) + [True]
    labels += [False] * (N_POSITIVE + N_NEGATIVE - len(labels))
    return np.array(labels), np.arange(len(labels), 0, -1) / len(labels)
