"""The area under the precision-recall curve if its points are joined by straight lines."""

import numpy as np

from aucstudy.metrics.registry import Metric


def terms(t, f, d, e, totals):
    """Return the mean precision between the ends of each group, once for each positive of the group."""
    # Above the first row, precision is 1 by convention.
    start = np.divide(t, t + f, out=np.ones(len(t)), where=t + f > 0)
    end = (t + d) / (t + d + f + e)
    return d * (start + end) / 2


METRIC = Metric(
    key="straight_line_aupr",
    label="area under the straight-line precision-recall curve",
    short_label="line AUPR",
    paper="Davis and Goadrich 2006, who advise against it",
    terms=terms,
    value=lambda totals, area: area / totals.P,
    lowest=lambda P, N: 0.0,
    highest=lambda P, N: 1.0,
    chance=lambda P, N: (1 + P / (P + N)) / 2,
)
