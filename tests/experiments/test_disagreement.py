"""The disagreement experiment on cases with known answers."""

import numpy as np
import pandas as pd
import pytest
from measured import estimates
from scipy.stats import kendalltau, pearsonr, spearmanr

from aucstudy.experiments import disagreement
from aucstudy.experiments.compared import AREAS_COMPARED
from aucstudy.experiments.disagreement import (
    TIES,
    disagreement_by_task,
    disagreement_shares,
    pairs_of,
    rank_heat,
    rank_levels,
    task_values,
)
from aucstudy.statistics.intervals import group_weights, mean_interval, share_interval
from aucstudy.statistics.ranks import average_ranks


def scores(n_tasks=12, n_models=8, seed=0, **same):
    rng = np.random.default_rng(seed)
    frames = []
    for i in range(n_tasks):
        areas = {area: np.round(rng.random(n_models), 1) for area in AREAS_COMPARED}
        areas.update({area: areas[other] for area, other in same.items()})
        frames.append(
            pd.DataFrame({"task_id": f"t{i:02}", "run_id": [f"r{k}" for k in range(n_models)], **areas})
        )
    return pd.concat(frames, ignore_index=True)


def groups(frame):
    names = frame["task_id"].unique()
    return pd.Series([f"g{i // 2}" for i in range(len(names))], index=names)


def row(frame, **where):
    (row,) = frame[(frame[list(where)] == list(where.values())).all(axis=1)].to_dict("records")
    return row


def shares_of(frame):
    values = task_values(frame)
    by_task = disagreement_by_task(values, groups(frame))
    quantities = (*TIES.values(), "rank correlation")
    table = estimates(disagreement, {"disagreement_tasks": by_task}, *quantities)
    return disagreement_shares(table, pairs_of(values))


def test_identical_areas_never_disagree_though_models_are_tied():
    shares = shares_of(scores(auprg="aupr")).query("first == 'aupr' and second == 'auprg'")
    assert len(shares) == 6
    assert (shares[["estimate", "low"]] == 0).all(axis=None)
    # Of as many sources of data, some might still differ.
    assert (shares["high"] > 0.2).all()
    same_by_definition = shares_of(scores(aucnpr="aupr")).query("first == 'aupr' and second == 'aucnpr'")
    assert (same_by_definition[["estimate", "low", "high"]] == 0).all(axis=None)


def test_independent_ranks_disagree_as_chance_says():
    frame = scores(n_tasks=600, n_models=10, seed=5)
    rng = np.random.default_rng(6)
    frame[list(AREAS_COMPARED)] = rng.random((len(frame), len(AREAS_COMPARED)))
    shares = shares_of(frame)
    for top, chance, reach in ((1, 1 / 10, 0.03), (3, 1 / (10 * 9 * 8), 0.005)):
        share = row(shares, first="aupr", second="auprg", top=top, ties="expected")
        assert share["estimate"] == pytest.approx(1 - chance, abs=reach)


def test_lenient_expected_and_strict_stand_in_this_order():
    by_ties = shares_of(scores()).pivot(index=["first", "second", "top"], columns="ties", values="estimate")
    assert (by_ties["lenient"] <= by_ties["expected"]).all()
    assert (by_ties["expected"] <= by_ties["strict"]).all()


def test_correlations_across_tasks_are_those_of_scipy():
    frame = scores()
    values = task_values(frame)
    levels = rank_levels(values)
    levels["source_group"] = levels["task_id"].map(groups(frame))
    found = estimates(disagreement, {"rank_levels": levels}, disagreement.RANKS)
    ranks = {
        area: np.concatenate([average_ranks(task[area]) for task in values.values()])
        for area in AREAS_COMPARED
    }
    expected = {"pearson_of_ranks": pearsonr, "spearman": spearmanr, "kendall_tau_b": kendalltau}
    for kind, correlate in expected.items():
        here = row(found, first="aupr", second="auroc", quantity=kind)
        by_scipy = correlate(ranks["aupr"], ranks["auroc"]).statistic
        assert here["estimate"] == pytest.approx(by_scipy, abs=1e-12)
        assert here["low"] <= here["estimate"] <= here["high"]


def test_the_heat_map_counts_each_model_once():
    frame = scores(auprg="aupr")
    heat = rank_heat(task_values(frame), 40, 1)
    for _, part in heat.groupby(["first", "second"]):
        assert part["count"].sum() == pytest.approx(len(frame))
    same = heat[(heat["first"] == "aupr") & (heat["second"] == "auprg")]
    assert (same["rank_first"] == same["rank_second"]).all()


def test_results_do_not_depend_on_which_other_tasks_there_are():
    frame = scores()
    whole = task_values(frame)
    alone = {"t03": whole["t03"]}
    pd.testing.assert_frame_equal(
        disagreement_by_task(alone, groups(frame)),
        disagreement_by_task(whole, groups(frame)).query("task_id == 't03'").reset_index(drop=True),
    )


def test_tasks_of_one_group_are_resampled_together():
    weights = group_weights(np.array(["a", "b", "a", "c"]), 500, 1)
    assert (weights[:, 0] == weights[:, 2]).all()
    assert weights.mean() == pytest.approx(1, abs=0.1)


def test_one_source_group_has_no_interval():
    mean = mean_interval(np.array([0.0, 1.0]), np.array(["a", "a"]))
    assert mean.estimate == 0.5
    assert np.isnan([mean.low, mean.high]).all()


def test_a_share_that_all_groups_agree_on_has_an_exact_bound_even_with_one_group():
    several = share_interval(np.zeros(4), np.ones(4), np.array(list("abcd")), exact=True)
    assert (several.low, several.high) == (0, pytest.approx(1 - 0.025**0.25))
    one = share_interval(np.ones(1), np.ones(1), np.array(["a"]), exact=True)
    assert (one.low, one.high) == (pytest.approx(0.025), 1)
