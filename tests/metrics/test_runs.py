"""Runs of rows, their order, and the walk down them, each by itself."""

import sys
from itertools import pairwise

import numpy as np
import pytest

from aucstudy.metrics.outside_memory.exact_sums import UNITS_PER_ONE, whole_number
from aucstudy.metrics.outside_memory.runs import OneScore, Rows, sort_rows, sorted_runs, split_into_runs
from aucstudy.metrics.outside_memory.tables import grouped_areas
from aucstudy.metrics.outside_memory.walks import new_walks, walk_one_score, walk_rows


def made(n, n_groups, levels, seed=0):
    rng = np.random.default_rng(seed)
    keys = rng.integers(levels, size=n).astype(float)
    return Rows(keys, rng.integers(2 * n_groups, size=n).astype(np.uint32), np.empty(0))


def in_chunks(rows, size):
    return (rows.taken(slice(start, start + size)) for start in range(0, rows.keys.size, size))


def test_rows_that_fit_are_one_run_and_others_are_files_of_ranges_from_the_top_down(tmp_path):
    rows = made(3000, 2, 500)
    [run] = split_into_runs(in_chunks(rows, 400), 1 << 20, 3000, tmp_path)
    assert (run.n, run.in_memory.keys.tolist()) == (3000, rows.keys.tolist())
    runs = split_into_runs(in_chunks(rows, 400), 6000, 3000, tmp_path)
    keys = [np.concatenate([chunk.keys for chunk in run.read()]) for run in runs]
    assert len(runs) > 5
    assert all(above.max() < below.min() for above, below in pairwise(keys))
    assert sorted(np.concatenate(keys)) == sorted(rows.keys)


def test_sorted_runs_hold_every_row_once_by_code_and_key_and_leave_no_file(tmp_path):
    rows = made(3000, 3, 40)
    seen = []
    for piece in sorted_runs(split_into_runs(in_chunks(rows, 300), 2000, None, tmp_path), 3, 2000, tmp_path):
        if isinstance(piece, OneScore):
            seen.append(int(piece.amounts.sum()))
            continue
        assert piece.keys.itemsize * piece.keys.size < 2000
        for start, end in zip(np.append(0, piece.ends), piece.ends, strict=False):
            assert (np.diff(piece.keys[start:end]) >= 0).all()
        seen.append(piece.keys.size)
    assert sum(seen) == 3000
    assert not list(tmp_path.iterdir())


def test_a_walk_adds_up_the_same_whether_a_score_comes_as_rows_or_as_counts():
    rows = Rows(np.zeros(7), np.array([0, 1, 1, 2, 3, 3, 3], dtype=np.uint32), np.empty(0))
    options = np.array([0.0, 0.0, 0.0, 1.0])
    totals = [(3 * UNITS_PER_ONE, 2 * UNITS_PER_ONE), (4 * UNITS_PER_ONE, UNITS_PER_ONE)]
    of_rows, of_counts = new_walks(totals, options), new_walks(totals, options)
    walk_rows(*sort_rows(rows, 2), of_rows)
    walk_one_score(np.array([[1.0, 2.0, 1.0, 3.0]]), of_counts)
    assert [[*map(whole_number, sums)] for sums in of_rows.sums] == [
        [*map(whole_number, sums)] for sums in of_counts.sums
    ]
    np.testing.assert_array_equal(of_rows.position, of_counts.position)


def calls_of(function):
    """How many functions of Python are called, or generators gone on with."""
    count = 0

    def counted(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(counted)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("levels", [8, 1_000_000])
def test_a_range_of_scores_costs_no_call_a_group(tmp_path, levels):
    n_groups = 500
    rows = made(10 * n_groups, n_groups, levels)

    def compute(held):
        chunks = in_chunks(rows, 1000)
        return grouped_areas(chunks, n_groups, held=held, scratch=tmp_path, rows=rows.keys.size)

    compute(9000)
    in_memory = calls_of(lambda: compute(1 << 20))
    in_files = calls_of(lambda: compute(9000))
    assert in_files - in_memory < 10 * n_groups
    assert in_memory < 60 * n_groups
