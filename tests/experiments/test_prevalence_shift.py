"""Tests of metrics that are moved from one prevalence to another."""

import numpy as np
import pandas as pd
import pytest
from measured import estimates, measured, predictions_of

from aucstudy.experiments import downsampling_prevalence_shift
from aucstudy.metrics import areas


def shifted(*tasks, ratios, draws):
    settings = {"ratios": ratios, "moved_draws": draws}
    return measured(downsampling_prevalence_shift, tasks, **settings)["prevalence_shift_tasks"]


def test_a_moved_area_is_the_original_where_the_roc_curve_is_unchanged():
    y = np.repeat([True, False], [10, 40])
    scores = np.concatenate([np.arange(10) // 2, np.arange(40) // 8]).astype(float)
    # These are a quarter of each tied group of negatives.
    few = np.concatenate([np.arange(10), 10 + 8 * np.repeat(np.arange(5), 2)])
    moved, whole = areas(y[few], scores[few], prevalence=0.2), areas(y, scores)
    for area in ("aupr", "auprg", "aucnpr", "auroc"):
        assert getattr(moved, area) == pytest.approx(getattr(whole, area), abs=1e-12)


def test_a_constant_and_a_perfect_scorer_are_moved_exactly():
    y = np.arange(44) < 4
    found = shifted(predictions_of(y, np.column_stack([np.zeros(44), y])), ratios=(1, 5), draws=4)
    moved = found[found["estimator"] == "moved"]
    assert moved["bias"].abs().max() < 1e-12
    assert moved["sd"].max() < 1e-12


def test_moved_auprg_has_no_bias_and_moved_aupr_has():
    rng = np.random.default_rng(0)
    y = np.arange(220) < 20
    found = shifted(predictions_of(y, rng.normal(1.5 * y)[:, None]), ratios=(1,), draws=4000)
    rows = found.set_index(["estimator", "area"])
    noise = rows.loc[("moved", "auprg"), "sd"] / np.sqrt(4000)
    assert abs(rows.loc[("moved", "auprg"), "bias"]) < 4 * noise
    assert rows.loc[("moved", "aupr"), "bias"] > 0.02
    assert abs(rows.loc[("corrected", "aupr"), "bias"]) < rows.loc[("moved", "aupr"), "bias"]
    low, high = (rows.loc[("corrected", "aupr"), side] for side in ("low", "high"))
    assert low < 0 < high


def test_the_estimates_are_of_the_tasks_that_admit_every_ratio():
    rng = np.random.default_rng(0)
    tasks = [predictions_of(np.arange(60) < n, rng.normal(size=(60, 2)), f"t{n}") for n in (10, 25)]
    frames = {"prevalence_shift_tasks": shifted(*tasks, ratios=(1, 5), draws=3)}
    left = "part of the gap that is left"
    table = estimates(downsampling_prevalence_shift, frames, "bias", left)
    assert set(table["n_tasks"]) == {1}
    is_cut = (table["second"] == "downsampled") & (table["quantity"] == left)
    assert table.loc[is_cut, "estimate"].dropna().to_numpy() == pytest.approx(1)


def test_a_gap_that_is_overshot_leaves_a_negative_part():
    names = {"task_id": "t", "source_group": "a", "ratio": "1:1", "area": "aupr"}
    numbers = dict.fromkeys(("sd", "rmse", "low", "high", "truth", "analytic"), 0.0)
    rows = [
        {**names, "estimator": name, "bias": bias, **numbers}
        for name, bias in (("downsampled", 0.4), ("moved", -0.1))
    ]
    frames = {"prevalence_shift_tasks": pd.DataFrame(rows)}
    table = estimates(downsampling_prevalence_shift, frames, "part of the gap that is left").set_index(
        "second"
    )
    assert table.loc["moved", "estimate"] == pytest.approx(-0.25)
