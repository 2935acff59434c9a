"""Rankings sorted once, and their areas on resamples and subsets of the rows.

An import contract: the rest of the project imports from here, not from the modules of `ranking` and `formulas`.

>>> import numpy as np
>>> order = order_of(np.array([True, False, True, False]), np.array([[0.9], [0.5], [0.1], [0.1]]))
>>> all_areas(order).round(4).tolist()
[[0.625, 0.75, 0.0, 0.6393, 0.75]]
>>> resampled_areas(order, np.array([[1, 1, 1, 1], [1, 2, 0, 0]]))[2].tolist()
[[0.625], [1.0]]
>>> areas_of_subsets(order, np.array([[0, 0, 1, 1]]), 2, nested=True)[2, 0, :, 0].tolist()
[1.0, 0.625]
"""

from aucstudy.metrics.ranking.decomposition import areas_from_aupr_to_auprg
from aucstudy.metrics.ranking.orders import RESAMPLED_AREAS, Order, all_areas, order_of, resampled_areas
from aucstudy.metrics.ranking.subsets import SUBSET_AREAS, areas_of_subsets
from aucstudy.metrics.ranking.ties import group_rows, next_positive_group

__all__ = [
    "RESAMPLED_AREAS",
    "SUBSET_AREAS",
    "Order",
    "all_areas",
    "areas_from_aupr_to_auprg",
    "areas_of_subsets",
    "group_rows",
    "next_positive_group",
    "order_of",
    "resampled_areas",
]
