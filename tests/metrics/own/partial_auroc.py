"""The area under the ROC curve up to a false positive rate of .2, on a scale where chance is .5 and perfect 1."""

import numpy as np

from aucstudy.metrics.registry import Metric

RATE = 0.2


def terms(t, f, d, e, totals):
    """Return the pairs of a positive of each group with a negative between the positive and the rate."""
    remaining = np.maximum(RATE * totals.N - f, 0.0)
    # The rate may cut through the ties of a group.
    share = np.divide(remaining, e, out=(remaining > 0).astype(float), where=e > 0).clip(max=1.0)
    return d * share * (remaining - share * e / 2)


def value(totals, pairs):
    area, of_chance = pairs / (totals.P * totals.N), RATE**2 / 2
    return (1 + (area - of_chance) / (RATE - of_chance)) / 2


METRIC = Metric(
    key="partial_auroc",
    label="partial area under the ROC curve",
    short_label="pAUROC",
    paper="McClish 1989",
    terms=terms,
    value=value,
    lowest=lambda P, N: (1 - RATE) / (2 - RATE),
    highest=lambda P, N: 1.0,
    chance=lambda P, N: 0.5,
)
