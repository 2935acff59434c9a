"""The rule for a cell names an area by its limits and half a point, in one place for all that quote it."""

import numpy as np
import pandas as pd
import pytest

from studies.rare_positives.choosing import ALIKE, NAMED, OPEN, SLIGHT, decided

NONE = (-0.01, 0.02)
LITTLE = (-0.004, 0.004)


def cell(**ends):
    """The rows of a cell by selection metric: the limits of each, all areas beside AUROC."""
    ends = {"aupr": NONE, "auprg": NONE, "average_precision": NONE, **ends}
    rows = [
        {"selected_by": name, "difference": (a + b) / 2, "low": a, "high": b} for name, (a, b) in ends.items()
    ]
    return pd.DataFrame(rows)


def all_areas(ends):
    return dict.fromkeys(("aupr", "auprg", "average_precision"), ends)


@pytest.mark.parametrize(
    ("ends", "outcome", "selected_by"),
    [
        ({}, OPEN, ""),
        ({"aupr": (0.001, 0.02)}, NAMED, "aupr"),
        ({"aupr": (0.001, 0.008)}, SLIGHT, "aupr"),
        ({"aupr": (0.006, 0.02), "average_precision": (0.006, 0.03)}, NAMED, "average_precision"),
        ({"aupr": (-0.02, -0.001), "auprg": (-0.03, -0.01)}, OPEN, ""),
        (all_areas((-0.03, -0.001)), NAMED, "auroc"),
        (all_areas((-0.03, -0.001)) | {"aupr": (-0.005, -0.001)}, SLIGHT, "auroc"),
        (all_areas(LITTLE), ALIKE, ""),
        (all_areas(LITTLE) | {"auprg": (-0.006, 0.004)}, OPEN, ""),
        ({"brier": (0.01, 0.02)}, OPEN, ""),
    ],
)
def test_an_area_is_named_where_its_limits_lie_beside_and_it_gains_half_a_point(ends, outcome, selected_by):
    made = decided(cell(**ends))
    assert (made.outcome, made.selected_by) == (outcome, selected_by)


def test_auroc_gains_over_the_next_area():
    made = decided(cell(**all_areas((-0.03, -0.01)) | {"average_precision": (-0.012, -0.002)}))
    assert (made.selected_by, made.gain) == ("auroc", pytest.approx(0.007))
    assert (made.low, made.high) == (0.002, 0.012)


def test_what_is_shown_to_be_worse_is_said_and_does_not_count_as_open():
    made = decided(cell(auprg=(-0.09, -0.01)))
    assert (made.worse, made.open_to) == ("auprg", 0.02)
    assert np.isnan(made.gain)


def test_other_selection_metrics_are_better_or_as_good_beside_the_best_area():
    itself, noisy, early = (0.005, 0.03), (-0.1, 0.2), (0.0, 0.008)
    ends = {"the target itself": itself, "brier": (-0.004, 0.016), "log_loss": noisy, "auroc@.1": early}
    made = decided(cell(**ends))
    assert (made.better, made.as_good) == ("the target itself", "brier")


def test_a_cell_that_turns_without_three_groups_is_fragile():
    rows = cell(aupr=(0.001, 0.02))
    without = {"without_3": rows["difference"], "without_3_low": rows["low"], "without_3_high": rows["high"]}
    assert not decided(rows.assign(**without)).fragile
    assert decided(rows.assign(**without | {"without_3_low": rows["low"] - 0.002})).fragile
