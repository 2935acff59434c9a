"""The compiled kernel under the areas of rows, in two steps: `count_groups`, then `areas_of_groups`.

The rows of a ranking become counts, with one column for each group of tied rows (`groups.py`, from an order
of `orders.py`). The counts become areas (`areas.py`), by the closed forms of `terms.py`.

Some modules compute areas without the kernel. `aucstudy.metrics.definition` defines the same areas in plain
NumPy, to be read, and tests compare the kernel with it. `counts` and `decomposition` call it, because
they have counts and not rows, or need integrals that no area has. The influence functions of
`uncertainty.standard_errors` need the derivative of each group's term.

>>> import numpy as np
>>> order = order_of(np.array([True, False, True, False]), np.array([[0.9], [0.5], [0.5], [0.1]]))
>>> groups = np.empty((4, 3))
>>> size = count_groups(order.rows[0], order.ends_group[0], order.positive, np.ones(4), groups)
>>> groups[:, :size].T.tolist()
[[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, 1.0]]
>>> [round(area, 3) for area in areas_of_groups(groups, size, totals_of(2.0, 2.0, OBSERVED))]
[0.875, 0.887, 0.75, 0.837, 0.833]
"""

from aucstudy.metrics.kernel.areas import (
    BLOCK,
    NO_SUMS,
    KernelAreas,
    areas_of_groups,
    areas_of_sums,
    with_terms,
)
from aucstudy.metrics.kernel.groups import (
    AHEAD,
    count_groups,
    count_groups_of_classes,
    count_groups_of_keys,
    count_groups_of_subsets,
    groups_of,
)
from aucstudy.metrics.kernel.orders import Order, order_of
from aucstudy.metrics.kernel.samples import (
    Selection,
    class_totals,
    descending_scores,
    room_for,
    rows_accepted,
    select_rows,
    threshold_of,
)
from aucstudy.metrics.kernel.sums import add, running_sum
from aucstudy.metrics.kernel.terms import (
    CLIPPED,
    OBSERVED,
    Options,
    Totals,
    lost_gain,
    mostly_positive,
    ordered_pairs,
    precision_integrals,
    step,
    totals_of,
)
from aucstudy.metrics.kernel.thresholds import (
    AUROC,
    COST,
    F_BETA,
    MCC,
    NET,
    PRECISION,
    RECALL,
    best_threshold,
    exceeds,
    value_at,
)

__all__ = [
    "AHEAD",
    "AUROC",
    "BLOCK",
    "CLIPPED",
    "COST",
    "F_BETA",
    "MCC",
    "NET",
    "NO_SUMS",
    "OBSERVED",
    "PRECISION",
    "RECALL",
    "KernelAreas",
    "Options",
    "Order",
    "Selection",
    "Totals",
    "add",
    "areas_of_groups",
    "areas_of_sums",
    "best_threshold",
    "class_totals",
    "count_groups",
    "count_groups_of_classes",
    "count_groups_of_keys",
    "count_groups_of_subsets",
    "descending_scores",
    "exceeds",
    "groups_of",
    "lost_gain",
    "mostly_positive",
    "order_of",
    "ordered_pairs",
    "precision_integrals",
    "room_for",
    "rows_accepted",
    "running_sum",
    "select_rows",
    "step",
    "threshold_of",
    "totals_of",
    "value_at",
    "with_terms",
]
