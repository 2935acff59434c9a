"""Bands of recall add up to the metrics, and AUPRG ignores recalls below the prevalence."""

import numpy as np
import pytest

from aucstudy.audit.rankings import (
    Rankings,
    area_by_band,
    difference_by_band,
    prevalence_grid,
    recall_bands,
    winners_by_prevalence,
)
from aucstudy.metrics import areas, areas_many


@pytest.mark.parametrize(("pi", "decimals"), [(0.1, 2), (0.3, 0), (0.7, 1)])
def test_the_bands_add_up_to_the_areas(pi, decimals):
    rng = np.random.default_rng(int(10 * pi))
    y = rng.random(400) < pi
    scores = (rng.normal(size=(400, 3)) + y[:, None]).round(decimals)
    sums = area_by_band(Rankings(y, scores), range(3)).groupby(["metric", "model"])["area"].sum()
    expected = areas_many(y, scores)
    for metric in ("auroc", "aupr", "auprg"):
        assert sums[metric].to_numpy() == pytest.approx(getattr(expected, metric), abs=1e-12)


def test_bands_are_cut_at_the_prevalence_and_below_it_auprg_adds_nothing():
    y = np.array([1, 0, 1, 0, 0, 0, 0, 0, 0, 0], dtype=bool)
    bands = area_by_band(Rankings(y, np.arange(10.0)[::-1, None]), [0])
    assert bands.query("metric == 'auprg' and recall_to <= 0.2")["area"].to_list() == [0.0]
    assert recall_bands(0.4)[1] == (0.25, 0.4)
    assert (0.25, 0.5) not in recall_bands(0.26)


def test_differences_are_those_of_the_areas():
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.2
    scores = rng.normal(size=(200, 3))
    found = difference_by_band(Rankings(y, scores), ("a", "b", "c"), [("c", "a")])
    total = found[found["metric"] == "auroc"]["difference"].sum()
    assert total == pytest.approx(areas(y, scores[:, 2]).auroc - areas(y, scores[:, 0]).auroc)
    assert set(found["model"]) == {"c"}
    assert len(difference_by_band(Rankings(y, scores), ("a", "b", "c"), [])) == 0


def crossing_curves():
    """Return labels and the scores of two models, of which the better one depends on the prevalence.

    One is perfect for half of the positives, the other good for all of them.
    """
    y = np.repeat([True, False], [20, 180])
    steep = np.concatenate([np.full(10, 3.0), np.linspace(0, 1, 10), np.linspace(0, 1, 180)])
    broad = np.concatenate([np.linspace(0.9, 1.1, 20), np.linspace(0, 1, 180)])
    return y, np.column_stack([steep, broad])


def test_the_winner_changes_at_one_prevalence_auroc_s_never_and_stretches_cover_the_whole_range():
    y, scores = crossing_curves()
    found = winners_by_prevalence(Rankings(y, scores), ("steep", "broad"))
    by_aupr = found[found["metric"] == "aupr"]
    assert by_aupr["best"].to_list() == ["steep", "broad"]
    assert len(found[found["metric"] == "auroc"]) == 1
    change = by_aupr["prevalence_to"].iloc[0]
    left, right = (
        [areas(y, model, prevalence=p).aupr for model in scores.T] for p in (change * 0.999, change * 1.001)
    )
    assert left[0] > left[1]
    assert right[0] < right[1]
    for _, stretches in found.groupby("metric"):
        assert stretches["prevalence_from"].iloc[0] == pytest.approx(0.001)
        assert stretches["prevalence_to"].iloc[-1] == pytest.approx(0.5)
        assert stretches["prevalence_from"].to_list()[1:] == stretches["prevalence_to"].to_list()[:-1]
    assert prevalence_grid(5)[[0, -1]] == pytest.approx([0.001, 0.5])
