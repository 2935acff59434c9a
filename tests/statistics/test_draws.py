"""Large tasks need fewer draws for a mean that is as exact."""

import numpy as np

from aucstudy.experiments.downsampling import areas_of_cuts, negative_orders
from aucstudy.metrics.ranking import order_of
from aucstudy.statistics.seeds import ALL_DRAWS, draws_needed


def error_of_the_mean(n_positive, rng):
    """Monte Carlo error of the mean AUPR over the draws that a task of this size gets."""
    y = np.arange(6 * n_positive) < n_positive
    scores = rng.normal(size=(len(y), 1)) + 1.5 * y[:, None]
    draws = draws_needed(200, y)
    cuts = areas_of_cuts(order_of(y, scores), negative_orders(y, draws, rng), [n_positive])
    return cuts[0].std(ddof=1) / draws**0.5


def test_a_large_task_has_no_larger_monte_carlo_error_than_one_that_gets_all_draws():
    rng = np.random.default_rng(0)
    errors = {n: np.mean([error_of_the_mean(n, rng) for _ in range(4)]) for n in (ALL_DRAWS, 4 * ALL_DRAWS)}
    assert errors[4 * ALL_DRAWS] < 1.15 * errors[ALL_DRAWS]


def test_the_other_class_may_be_the_rarer_one():
    assert draws_needed(200, np.arange(3000) >= 1250) == draws_needed(200, np.arange(3000) < 1250) == 160


def test_a_task_of_many_rows_gets_fewer_draws_though_few_are_positive():
    assert draws_needed(100, np.arange(3000) < 40) == 100
    assert draws_needed(100, np.arange(6000) < 40) == 50
    assert draws_needed(100, np.arange(90_000) < 40) == 20
    assert draws_needed(10, np.arange(90_000) < 40) == 10
