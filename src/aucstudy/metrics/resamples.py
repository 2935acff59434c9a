"""The areas of rankings that are sorted once, and of resamples, which give each row a weight.

In a half of the rows the weights are 0 or 1.

>>> from aucstudy.metrics.kernel import order_of
>>> order = order_of(np.array([True, False, True, False]), np.array([[0.9], [0.5], [0.1], [0.1]]))
>>> areas_of_order(order).round(4).tolist()
[[0.625, 0.75, 0.0, 0.6393, 0.75]]
>>> areas_of_order(order, np.array([[1, 1, 1, 1], [1, 2, 0, 0]]))[:, 0, 0].tolist()
[0.625, 1.0]
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.counts import defined_areas
from aucstudy.metrics.kernel import Options, Order, areas_of_groups, class_totals, count_groups, totals_of
from aucstudy.metrics.registry import N_COMPILED, further_metrics


def areas_of_order(
    order: Order,
    weights: ArrayLike | None = None,
    *,
    prevalence: float | None = None,
    recall_range: tuple[float, float] = (0.0, 1.0),
    clip: bool = False,
    of_each: Callable = map,
) -> np.ndarray:
    """Return all metrics of every model, in the order of `registry.metrics`.

    Parameters
    ----------
    weights : (n,) or (k, n) how much, or how often, each row counts in one or in k resamples.
    prevalence : the prevalence at which the areas are computed; None for that of each resample.
    clip : whether negative gains count as 0.
    of_each : a function like `map`, which may use threads.

    Returns
    -------
    Metrics of shape (m, n_metrics), or (k, m, n_metrics) for (k, n) weights. They are NaN where the rows with weight
    have one class.
    """
    weights = np.ones(len(order.positive), dtype=np.uint8) if weights is None else np.asarray(weights)
    resamples = np.atleast_2d(weights if weights.dtype == np.uint8 else weights.astype(float, copy=False))
    options = Options(float(prevalence or 0.0), bool(clip), *map(float, recall_range))
    areas = np.full((len(resamples), len(order.rows), N_COMPILED), np.nan)
    totals = np.empty((len(resamples), 2))
    _fill_class_totals(order.positive, resamples, totals)

    def fill(model: int) -> None:
        of_model = order.rows[model], order.ends_group[model], order.positive
        _fill_areas(*of_model, resamples, totals, options, areas[:, model])

    for _ in of_each(fill, range(len(order.rows))):
        pass
    if further := further_metrics():
        defined = [defined_areas(further, order, resample, options) for resample in resamples]
        areas = np.concatenate([areas, np.stack(defined)], axis=-1)
    return areas if weights.ndim == 2 else areas[0]


@compiled
def _fill_class_totals(positive, resamples, totals):
    for k in range(len(resamples)):
        totals[k, 0], totals[k, 1] = class_totals(positive, resamples[k])


@compiled
def _fill_areas(rows, ends_group, positive, resamples, totals, options, areas):
    groups = np.empty((4, np.count_nonzero(positive)))
    for k in range(len(resamples)):
        P, N = totals[k]
        if P > 0 and N > 0:
            size = count_groups(rows, ends_group, positive, resamples[k], groups)
            areas[k] = areas_of_groups(groups, size, totals_of(P, N, options))
