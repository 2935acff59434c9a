"""Rows dealt to parts against sorting them."""

import numpy as np

from aucstudy.statistics.stratified import dealt


def test_dealing_is_sorting_by_cell_and_random_number_and_counting_off():
    rng = np.random.default_rng(0)
    for n, n_cells, parts in ((1, 1, 2), (40, 3, 4), (500, 500, 2), (2000, 1, 5), (2000, 20, 2)):
        cells, uniform = rng.integers(0, n_cells, (6, n)), rng.random((6, n))
        first = rng.integers(0, parts, 6)
        # all in one bucket, and as many as can be at its edges
        uniform[0] = 1e-9 * uniform[0]
        uniform[1] = np.nextafter(1, 0)
        in_order = np.argsort(cells + uniform, axis=1, kind="stable")
        expected = np.empty((6, n), dtype=int)
        np.put_along_axis(expected, in_order, (np.arange(n) + first[:, None]) % parts, axis=1)
        assert (dealt(cells, uniform, first, parts) == expected).all()
        assert (dealt(cells[:1], uniform, first, parts)[0] == expected[0]).all()
