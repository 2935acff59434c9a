"""One walk over halves and quarters gives what separate walks over each of them give, to the last bit."""

import numpy as np
import pytest

from aucstudy.metrics.choosing import QUARTER_AREAS, choose_and_judge, choose_on_halves
from aucstudy.metrics.kernel import order_of
from aucstudy.metrics.registry import index
from aucstudy.metrics.resamples import areas_of_order


def with_ties(seed):
    """Draw labels, scores of models with many, few and two distinct values, and the quarters of the rows."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 120))
    y = rng.random(n) < 0.4
    scores = np.round((rng.normal(size=(n, 4)) + y[:, None]) * [1000, 2, 1, 1])
    scores[:, 3] = scores[:, 3] > 0
    return y, scores, rng.integers(0, 4, (7, n))


@pytest.mark.parametrize("seed", range(6))
def test_each_half_chooses_and_is_judged_as_by_a_walk_of_its_own(seed):
    y, scores, quarter = with_ties(seed)
    order = order_of(y, scores)
    both = choose_on_halves(order, scores, quarter)
    for way in (0, 1):
        choosing = quarter % 2 == way
        criteria, utilities = choose_and_judge(order, scores, choosing, ~choosing)
        assert both.criteria[:, way].tolist() == criteria.tolist()
        np.testing.assert_array_equal(both.utilities[:, way], utilities)


@pytest.mark.parametrize("seed", range(6))
def test_the_areas_of_quarters_are_those_of_their_rows(seed):
    y, scores, quarter = with_ties(seed)
    # One quarter then has one class only.
    quarter[0, y & (quarter[0] == 3)] = 1
    order = order_of(y, scores)
    both = choose_on_halves(order, scores, quarter)
    for way in (0, 1):
        for place in (0, 1):
            rows = (quarter == way + 2 * place).astype(np.uint8)
            areas = np.moveaxis(areas_of_order(order, rows), -1, 0)[[index(name) for name in QUARTER_AREAS]]
            np.testing.assert_array_equal(both.quarters[:, way, place], areas)
    assert np.isnan(both.quarters[:, 1, 1, 0]).all()


def test_the_layout_of_the_quarters_in_memory_changes_nothing():
    y, scores, quarter = with_ties(1)
    order = order_of(y, scores)
    for first, second in zip(
        choose_on_halves(order, scores, quarter),
        choose_on_halves(order, scores, np.asfortranarray(quarter)),
        strict=True,
    ):
        np.testing.assert_array_equal(first, second)
