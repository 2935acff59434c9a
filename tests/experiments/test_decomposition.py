"""The way from AUPR to AUPRG: areas agree with numerical integration, and flips are those found by hand."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from drawn import rankings
from measured import estimates, measured, predictions_of
from numpy.testing import assert_allclose
from scipy.integrate import quad

from aucstudy.experiments import decomposition
from aucstudy.experiments.decomposition import (
    ORDERS,
    PATH,
    STEPS,
    flip_step,
    turned_by_order,
)
from aucstudy.metrics import areas, pr_curve
from aucstudy.metrics.decomposition import areas_from_aupr_to_auprg
from aucstudy.metrics.kernel import order_of
from aucstudy.statistics.ranks import agreement, rounded


def integrated(y, s):
    """Return the areas on the way from AUPR to AUPRG, by quadrature over recall.

    Precision is interpolated on the line of counts.
    """
    pi, P, N = y.mean(), y.sum(), (~y).sum()
    counts = pr_curve(y, s)
    recall = counts.recall[1:]
    false = np.concatenate([[0.0], recall * P * (1 / np.maximum(counts.precision[1:], 1e-300) - 1)])
    no_true = recall == 0
    false[1:][no_true] = [(~y & (s >= t)).sum() for t in counts.thresholds[1:][no_true]]
    true = np.concatenate([[0.0], recall * P])

    def precision(r):
        k = np.searchsorted(true, r * P)
        f = false[k - 1] + (r * P - true[k - 1]) / (true[k] - true[k - 1]) * (false[k] - false[k - 1])
        return r * P / (r * P + f)

    def integral(function, low):
        breaks = [low, *np.unique(true[true > low * P] / P)]
        return sum(quad(function, a, b, epsabs=1e-13)[0] for a, b in pairwise(breaks))

    aupr = integral(precision, 1e-12)
    above = integral(precision, pi) / (1 - pi)
    gain = integral(lambda r: precision(r) * pi / ((1 - pi) * r * r), pi)
    auprg = integral(lambda r: (precision(r) - pi) / ((1 - pi) * precision(r)) * pi / ((1 - pi) * r * r), pi)
    assert N
    return [aupr, *((value - pi) / (1 - pi) for value in (aupr, above, gain)), auprg]


@pytest.mark.parametrize(("y", "s"), rankings(25, rows=(4, 14), levels=7))
def test_every_area_on_the_way_is_the_integral_it_is_named_for(y, s):
    found, _, _ = areas_from_aupr_to_auprg(order_of(y, s[:, None]))
    assert_allclose(found[0], integrated(y, s), atol=2e-8)
    whole = areas(y, s)
    assert_allclose(found[0, [0, -1]], [whole.aupr, whole.auprg], atol=1e-12)


def test_a_perfect_ranking_is_one_from_the_baseline_on_and_always_positive_zero():
    y = np.arange(20) < 6
    found, _, tied = areas_from_aupr_to_auprg(order_of(y, np.column_stack([1.0 * y, np.zeros(20)])))
    assert_allclose(found[0], 1, atol=1e-12)
    assert_allclose(found[1, 1:], 0, atol=1e-12)
    assert tied.tolist() == [0, 1]


def test_the_way_of_a_ranking_with_ties_worked_out_by_hand():
    y = np.array([True, True, False, False, True, False])
    scores = np.array([[0.8, 0.8, 0.6, 0.4, 0.4, 0.2]]).T
    found, _, tied = areas_from_aupr_to_auprg(order_of(y, scores))
    assert_allclose(found, [[0.8759, 0.7518, 0.5036, 0.6322, 0.7083]], atol=5e-5)
    assert_allclose(tied, [1 / 3])


def test_the_order_flips_at_the_step_from_which_it_stays_turned():
    assert flip_step(np.array([[1, 1, -1, -1, -2], [1, -1, 1, 1, -1], [2, 1, 1, 0, -1.0]])).tolist() == [
        2,
        4,
        4,
    ]


def made_task(name, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(60) < 15
    scores = rng.normal(size=(60, 8)) + 0.3 * y[:, None]
    scores[:, 4:] = np.round(scores[:, 4:])
    return predictions_of(y, scores, name)


def test_the_steps_add_up_to_the_difference_and_the_shares_to_the_disagreement():
    tasks = [made_task(f"t{k}", k) for k in range(12)]
    frames = measured(decomposition, tasks)
    swaps, shares = frames["decomposition_swaps"], frames["decomposition_tasks"]
    assert len(swaps)
    along = swaps[[f"d_{area}" for area in PATH]].to_numpy()
    assert_allclose(np.diff(along, axis=1).sum(axis=1), along[:, -1] - along[:, 0], atol=1e-12)
    assert (along[:, 0] > 0).all()
    assert (along[:, -1] < 0).all()
    assert set(swaps["flips_at"]) <= set(STEPS) - {"from_baseline"}
    disagreement = []
    for task in tasks:
        found = rounded(areas_from_aupr_to_auprg(order_of(task.y_true, task.scores))[0])
        disagreement.append(1 - agreement(found[:, 0], found[:, -1]))
    best = shares[shares["pairs"] == "best"].groupby("task_id", sort=False)["share"].sum()
    assert_allclose(best, disagreement, atol=1e-12)
    names = "order of {pairs} pairs changes", "part of the changes of {pairs} pairs"
    table = (
        estimates(decomposition, frames, *names).set_index(["quantity", "setting"])["estimate"].sort_index()
    )
    whole = table["order of best pairs changes", "whole, any"]
    assert whole == pytest.approx(np.mean(disagreement))
    parts = table["part of the changes of best pairs"]
    is_kind = ~parts.index.str.endswith(", any") | (parts.index == "tie, any")
    assert parts[is_kind].sum() == pytest.approx(1)


def lowest_recalls_left_out(y, s, low):
    """Integrate over true positives from `low` on, by quadrature.

    The three integrals are of precision on recall's gain scale, of harmonic precision, and of both.
    """
    order = np.argsort(-s, kind="stable")
    ends = np.flatnonzero(np.diff(s[order], append=-np.inf))
    true = np.concatenate([[0], np.cumsum(y[order])[ends]])
    false = np.concatenate([[0], np.cumsum(~y[order])[ends]])
    with_true = np.flatnonzero(np.diff(true))

    def integral(function):
        total = 0.0
        for k in with_true:
            start = max(true[k], low)
            slope = (false[k + 1] - false[k]) / (true[k + 1] - true[k])
            f = lambda t, k=k, slope=slope: false[k] + slope * (t - true[k])  # noqa: E731
            steps = np.geomspace(start, true[k + 1], 8)
            total += sum(
                quad(lambda t, f=f: function(t, f(t)), a, b, epsabs=1e-12)[0] for a, b in pairwise(steps)
            )
        return total

    return [
        integral(lambda t, f: 1 / (t * (t + f))),
        -integral(lambda t, f: f / t),
        -integral(lambda t, f: f / t**3),
    ]


@pytest.mark.parametrize(("y", "s"), rankings(25, rows=(4, 14), levels=7))
def test_in_other_orders_an_area_grows_without_bound_as_its_three_numbers_say(y, s):
    _, found, _ = areas_from_aupr_to_auprg(order_of(y, s[:, None]))
    low = 1e-4
    scaled, harmonic, both, above = found[0]
    led_by = [
        scaled @ [1 / low, np.log(1 / low), 1],
        harmonic @ [np.log(1 / low), 0, 1],
        both @ [1 / (2 * low**2), 1 / low, 1],
    ]
    assert_allclose(led_by, lowest_recalls_left_out(y, s, low), rtol=1e-3, atol=2e-2)
    assert above[:2].tolist() == [0, 0]


def test_each_order_of_the_steps_ends_where_auprg_is_and_the_first_is_that_of_the_path():
    tasks = [made_task(f"t{k}", k) for k in range(30)]
    swaps = measured(decomposition, tasks)["decomposition_swaps"]
    turned = turned_by_order(swaps)
    assert list(turned) == list(ORDERS)
    assert len(ORDERS) == 6
    assert turned.isin(STEPS[1:]).all(axis=None)
    assert (turned[ORDERS[0]] == swaps["flips_at"]).all()
    assert (turned.nunique(axis=1) > 1).any()


def test_the_step_that_turns_an_order_is_found_in_each_order_by_hand():
    """AUPR's choice is ahead until recall is cut, or until precision is harmonic and recall on the gain scale."""
    along = {"d_aupr": 0.1, "d_recall_above_prevalence": -0.1, "d_recall_gain": -0.1, "d_auprg": -0.1}
    ahead = {"ahead_scaled": 1, "ahead_harmonic": 1, "ahead_scaled_harmonic": -1, "ahead_above_harmonic": -1}
    (turned,) = turned_by_order(pd.DataFrame([along | ahead])).to_dict("records")
    cut, scaled, harmonic = STEPS[1:]
    assert turned == {
        (cut, scaled, harmonic): cut,
        (cut, harmonic, scaled): cut,
        (scaled, cut, harmonic): cut,
        (scaled, harmonic, cut): harmonic,
        (harmonic, cut, scaled): cut,
        (harmonic, scaled, cut): scaled,
    }
