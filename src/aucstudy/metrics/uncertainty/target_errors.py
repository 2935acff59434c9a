"""How far the value of a target metric in a sample may lie from that of the population.

The values on random halves of the rows vary around that on all rows as this one varies around the population's (Shao
and Wu 1989). Limits are normal.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from aucstudy.metrics.kernel import order_of
from aucstudy.metrics.target_metrics import PRECISION, least_value, target_of, weighted_values
from aucstudy.metrics.uncertainty.sample import Sample, number_of_halves, random_halves
from aucstudy.metrics.uncertainty.standard_errors import ROUNDING, Difference, Models, t_quantile

HALVES_AT_ONCE = 4_000_000  # rows x halves in memory


class TargetErrors(NamedTuple):
    """The `values` (m,) of a target metric on all rows, and the `deviations` (halves, m) from them on random halves.

    `least` is the least value that the metric can have; the largest is 1.
    """

    values: np.ndarray
    deviations: np.ndarray
    least: float

    def limits(self, level: float) -> np.ndarray:
        """Return the lower and the upper limits (2, m)."""
        reach = t_quantile(level, math.inf) * np.sqrt(np.mean(self.deviations**2, axis=0))
        return np.clip([self.values - reach, self.values + reach], self.least, 1.0)

    def difference(self, first: Models, second: Models) -> Difference:
        """Return the values of the first models less those of the second ones."""
        sd = self.sd_of_difference(first, second)
        return Difference(self.values[first] - self.values[second], sd, sd, 1 - self.least, math.inf)

    def sd_of_difference(self, first: Models, second: Models) -> np.ndarray:
        half_differences = self.deviations.T[first] - self.deviations.T[second]
        return np.sqrt(np.mean(half_differences**2, axis=-1))


def target_errors(
    name: str, sample: Sample, *, draws: int, rng: np.random.Generator, unit_weight: float = 1.0
) -> TargetErrors:
    """Return the target metric of each model on all rows, and on random halves that keep groups whole.

    A row of weight `unit_weight` counts as one row. ValueError if `precision@` looks at more rows than there are.
    """
    (n, m), weights, target = sample.scores.shape, sample.weights(), target_of(name)
    order, n_rows = order_of(sample.y_true, sample.scores), float(weights.sum() / unit_weight)
    looks_at = target.number if target.kind == PRECISION and target.number != "P" else 0.0
    if looks_at >= 1 and looks_at > n_rows * (1 + ROUNDING):
        count = f"count as {n_rows:.6g}; at most so many" if n_rows != n else "are fewer; at most so many"
        raise ValueError(f"target metric {name!r}: the {n} rows {count}, or a share below 1, is needed")

    def values_on(samples: np.ndarray) -> np.ndarray:
        return weighted_values(order, samples * weights, target, n_rows)

    unit, stratum = sample.units()
    draws = number_of_halves(n * m, draws)
    at_once = max(1, HALVES_AT_ONCE // n)
    values, half_values = values_on(np.ones((1, n)))[0], []
    for start in range(0, draws, at_once):
        half_values.append(values_on(random_halves(stratum, min(at_once, draws - start), rng)[:, unit]))
    deviations = np.concatenate(half_values) - values
    deviations = deviations[~np.isnan(deviations).any(axis=1)]
    return TargetErrors(values, deviations, least_value(target))
