"""Large tasks need fewer draws for a mean that is as exact; cuts are stratified by class and fold."""

import numpy as np
import pytest

from aucstudy.experiments.downsampling import areas_of_cuts, negative_orders
from aucstudy.metrics.kernel import order_of
from aucstudy.statistics.seeds import ALL_DRAWS, draws_needed
from aucstudy.statistics.stratified import dealt, stratified_parts


def error_of_the_mean(n_positive, rng):
    """Return the Monte Carlo error of the mean AUPR over the draws that a task of this size gets."""
    y = np.arange(6 * n_positive) < n_positive
    scores = rng.normal(size=(len(y), 1)) + 1.5 * y[:, None]
    draws = draws_needed(200, y)
    cuts = areas_of_cuts(order_of(y, scores), negative_orders(y, draws, rng), [n_positive])
    return cuts[0].std(ddof=1) / draws**0.5


def test_a_large_task_has_no_larger_monte_carlo_error_than_one_that_gets_all_draws():
    rng = np.random.default_rng(0)
    errors = {n: np.mean([error_of_the_mean(n, rng) for _ in range(4)]) for n in (ALL_DRAWS, 4 * ALL_DRAWS)}
    assert errors[4 * ALL_DRAWS] < 1.15 * errors[ALL_DRAWS]


@pytest.mark.parametrize(
    ("draws", "n", "n_positive", "needed"),
    [
        (200, 3000, 1250, 160),
        (200, 3000, 1750, 160),  # The other class is the rarer one.
        (100, 3000, 40, 100),
        # Of many rows, few are positive.
        (100, 6000, 40, 50),
        (100, 90_000, 40, 20),
        (10, 90_000, 40, 10),
        (5, 2, 2, 5),
    ],
)
def test_draws_fall_from_so_many_rows_on(draws, n, n_positive, needed):
    assert draws_needed(draws, np.arange(n) < n_positive) == needed


def test_quarters_are_stratified_by_class_and_fold_and_the_even_ones_are_a_half():
    rng = np.random.default_rng(1)
    y, folds = rng.random(203) < 0.2, rng.integers(0, 7, 203)
    quarter = stratified_parts(y, folds, np.arange(203), 4, 50, rng)
    for value in (True, False):
        for inside in (y == value, *((y == value) & (folds == fold) for fold in range(7))):
            for part in range(4):
                assert abs(4 * (quarter[:, inside] == part).sum(axis=1) - inside.sum()).max() <= 4
            assert abs(2 * (quarter[:, inside] % 2).sum(axis=1) - inside.sum()).max() <= 1


def test_dealing_is_sorting_by_cell_and_random_number_and_counting_off():
    rng = np.random.default_rng(0)
    for n, n_cells, n_parts in ((1, 1, 2), (40, 3, 4), (500, 500, 2), (2000, 1, 5), (2000, 20, 2)):
        cells, uniform = rng.integers(0, n_cells, (6, n)), rng.random((6, n))
        first = rng.integers(0, n_parts, 6)
        # All numbers of a cell fall into its first bucket in the first draw, into its last in the second.
        uniform[0] = 1e-9 * uniform[0]
        uniform[1] = np.nextafter(1, 0)
        in_order = np.argsort(cells + uniform, axis=1, kind="stable")
        expected = np.empty((6, n), dtype=int)
        np.put_along_axis(expected, in_order, (np.arange(n) + first[:, None]) % n_parts, axis=1)
        assert (dealt(cells, uniform, first, n_parts) == expected).all()
        assert (dealt(cells[:1], uniform, first, n_parts)[0] == expected[0]).all()
