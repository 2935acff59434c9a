"""Simulations with known truth: the areas under curves, the choices, and the tests of a ranking change."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import integrate
from scipy.stats import norm

from aucstudy.audit.noise import swaps as audited_swaps
from aucstudy.config import load_config
from aucstudy.experiments.compared import AREAS_COMPARED, DISTINCT_AREAS
from aucstudy.experiments.contract import studied
from aucstudy.experiments.noise import SWAP_LEVEL, swaps_of_task
from aucstudy.metrics import areas_many
from aucstudy.metrics.registry import index, keys
from aucstudy.statistics.best import Spread
from studies.known_truth.simulated_truth import (
    SELECTION_METRICS,
    Drawn,
    chances,
    choices,
    choices_of_set,
    drawn,
    drawn_samples,
    outcomes,
    resampled_counts,
    scenarios,
    swap_rows,
)
from studies.known_truth.simulated_truth_figures import simulated_choices
from studies.known_truth.simulated_truth_models import (
    TRUTH_MODELS,
    binormal_areas,
    factor_scores,
    fitted_curve,
    mean_of_area,
    model_sets,
    population,
)

AREAS = keys()

RNG = np.random.default_rng(5)


@pytest.mark.parametrize(
    ("mean", "deviation", "prevalence"), [(1.2, 1.0, 0.1), (1.5, 2.0, 0.5), (0.9, 0.7, 0.01)]
)
def test_binormal_areas_are_the_integrals_over_the_threshold(mean, deviation, prevalence):
    odds = (1 - prevalence) / prevalence

    def rates(t):
        return norm.sf((t - mean) / deviation), norm.sf(t), norm.pdf((t - mean) / deviation) / deviation

    def precision(t):
        r, f, density = rates(t)
        return r / (r + odds * f) * density

    def loss(t):
        r, f, density = rates(t)
        return f / r**3 / odds * density

    start = mean + deviation * norm.isf(prevalence)
    found = binormal_areas(mean, deviation, prevalence)
    assert found["aupr"] == pytest.approx(integrate.quad(precision, -20, 25, limit=200)[0], abs=1e-7)
    assert found["auprg"] == pytest.approx(1 - integrate.quad(loss, -20, start, limit=200)[0], abs=1e-7)
    assert found["auroc"] == pytest.approx(norm.cdf(mean / np.sqrt(1 + deviation**2)))


def test_large_samples_have_the_areas_of_their_binormal_curves():
    y_true = np.arange(200_000) < 20_000
    normal = RNG.standard_normal((len(y_true), 2))
    one = np.array([1.0])
    scores = np.where(
        y_true[:, None],
        factor_scores(np.array([1.5]), np.array([1.6]), 0.6 * one, normal),
        factor_scores(0 * one, one, 0.6 * one, normal),
    )
    measured, truth = areas_many(y_true, scores), binormal_areas(1.5, 1.6, 0.1)
    for area in AREAS_COMPARED:
        assert getattr(measured, area)[0] == pytest.approx(truth[area], abs=0.012)


def test_models_that_share_a_factor_correlate_by_the_product_of_their_loadings():
    normal = RNG.standard_normal((100_000, 3))
    scores = factor_scores(np.array([1.0, 0.0]), np.array([2.0, 1.0]), np.array([0.9, 0.5]), normal)
    assert np.corrcoef(scores.T)[0, 1] == pytest.approx(0.45, abs=0.01)


@pytest.mark.parametrize("area", DISTINCT_AREAS)
def test_a_mean_is_solved_for_an_area(area):
    assert binormal_areas(mean_of_area(area, 0.6, 1.5, 0.2), 1.5, 0.2)[area] == pytest.approx(0.6, abs=1e-9)


@pytest.mark.parametrize("name", ["nested", "crossing"])
def test_a_pool_has_nearly_the_areas_of_its_curves(name):
    (models,) = model_sets()[name]
    pool = population(models, 1)
    for prevalence in (0.1, 0.5):
        curves = [
            binormal_areas(*pair, prevalence) for pair in zip(models.means, models.deviations, strict=True)
        ]
        expected = pd.DataFrame(curves)[list(AREAS[:4])].to_numpy()
        assert np.abs(pool.areas(prevalence)[:, :4] - expected).max() < 0.012


def test_a_sample_has_the_numbers_asked_for_and_on_average_the_pools_areas():
    pool = population(model_sets()["nested"][0], 1)
    counts = pool.sample(30, 270, RNG)
    assert counts[pool.order.positive].sum() == 30
    assert counts.sum() == 300
    mean = pool.sample(2_000_000, 18_000_000, RNG) / 20_000_000
    assert np.abs(mean - np.where(pool.order.positive, 0.1, 0.9) * pool.weights).max() < 1e-4


def test_nested_curves_have_one_best_model_and_crossing_ones_several():
    for prevalence in (0.001, 0.01, 0.1, 0.5):
        assert set(population(model_sets()["nested"][0], 1).areas(prevalence).argmax(axis=0)) == {0}
        assert len(set(population(model_sets()["crossing"][0], 1).areas(prevalence).argmax(axis=0))) > 1


def test_tied_models_share_the_chance_to_be_chosen():
    areas = np.tile(np.array([[0.9], [0.9], [0.2]]), 5)
    assert chances(areas).tolist() == [[0.5, 0.5, 0.0]] * 5 + [[pytest.approx(1 / 3)] * 3]


def test_the_regret_of_a_choice_is_what_the_best_model_has_more():
    pool = population(model_sets()["crossing"][0], 1)
    (picked, regret, excess), limit = choices_of_set(pool, 1000, 0.1, 5, RNG)
    assert picked.shape == (5, len(SELECTION_METRICS), len(AREAS_COMPARED))
    assert (regret >= 0).all()
    for judge, area in enumerate(AREAS_COMPARED):
        assert (excess[:, SELECTION_METRICS.index(area), judge] == 0).all()
        assert limit[SELECTION_METRICS.index(area), judge] == 1
    truth = pool.areas(0.1)[:, index("aupr")]
    assert np.allclose(regret[:, SELECTION_METRICS.index("random"), 0], truth.max() - truth.mean())
    # The best model is surely picked exactly where there is no regret.
    assert ((picked == 1) == (regret < 1e-12)).all()


def test_the_choices_are_a_whole_grid_and_the_same_for_the_same_seed():
    tables = [choices([10, 20], [0.1, 0.5], 4, 3) for _ in range(2)]
    pd.testing.assert_frame_equal(*tables)
    keys = ["positives", "prevalence", "truth_model", "selected_by", "judged_by"]
    assert len(tables[0]) == 2 * 2 * len(TRUTH_MODELS) * len(SELECTION_METRICS) * len(AREAS_COMPARED)
    assert not tables[0].duplicated(keys).any()
    assert tables[0].notna().all(axis=None)


def test_scenarios_tie_where_they_say_so():
    for scenario in scenarios(0.1):
        for a, b in scenario.pairs:
            first, second = scenario.truth[a], scenario.truth[b]
            if scenario.name == "equal":
                assert np.ptp(first) == np.ptp(second) == 0
            elif scenario.name.startswith("tie"):
                tied, other = (first, second) if scenario.name == "tie in first" else (second, first)
                assert np.ptp(tied) < 1e-9 < np.ptp(other)
            else:
                assert (first[0] - first[1]) * (second[0] - second[1]) < 0
                assert not scenario.is_null


def made_samples() -> Drawn:
    """Return samples of two models that AUPR and AUROC truly rank in opposite order."""
    (scenario,) = (s for s in scenarios(0.5) if s.name == "swap" and s.pairs == (("aupr", "auroc"),))
    y_true = np.arange(300) < 150
    return drawn(scenario.models, y_true, resampled_counts(y_true, 200, RNG), 25, RNG)


class Bootstrap:
    """A stand-in for the noise of the audit, from an array of resamples, models and metrics."""

    def __init__(self, areas):
        self.areas = areas

    def difference(self, k, first, second):
        differences = self.areas[:, first, k] - self.areas[:, second, k]
        return Spread(np.nan, np.nan, np.mean((differences > 0) + 0.5 * (differences == 0)))


def test_the_tests_of_a_swap_are_those_of_the_noise_experiment_and_of_the_audit():
    samples, pair = made_samples(), ("aupr", "auroc")
    seen = outcomes(samples, pair)
    for k, (swaps, by_halves, by_bootstrap) in enumerate(seen):
        whole, first, second = (
            {**{area: part[area][k] for area in DISTINCT_AREAS}, "aucnpr": part["aupr"][k]}
            for part in (samples.all_rows, samples.first, samples.second)
        )
        rows = [
            row
            for row in swaps_of_task(whole, ("x", "y"), [first, second])
            if (row["first"], row["second"]) == pair
        ]
        assert len(rows) == swaps
        values = pd.DataFrame({area: whole.get(area, whole["aupr"]) for area in AREAS}, index=["x", "y"])
        draws = np.stack(
            [samples.bootstrap.get(area, samples.bootstrap["aupr"])[k] for area in AREAS], axis=-1
        )
        audited = audited_swaps(values, Bootstrap(draws), list(pair))
        assert len(audited) == swaps
        if swaps:
            assert rows[0]["real"] == (rows[0]["p"] <= SWAP_LEVEL) == bool(by_halves)
            assert audited["real"].item() == bool(by_bootstrap)
    assert seen[:, 0].any()


def test_halves_and_bootstrap_keep_the_classes():
    y_true = np.arange(30) < 10
    counts = resampled_counts(y_true, 40, RNG)
    assert counts.shape == (81, 30)
    assert (counts[0] == 1).all()
    assert (counts[1:21] + counts[21:41] == 1).all()
    assert (counts[1:41] @ y_true == 5).all()
    assert (counts[41:] @ y_true == 10).all()
    assert (counts[41:].sum(axis=1) == 30).all()


def swaps(*grid):
    return pd.DataFrame(row for sample in drawn_samples(*grid) for row in swap_rows(*sample))


def test_swaps_of_equal_models_are_seldom_real():
    table = swaps([30], [0.5], 20, 40, 100, 1)
    null = table[table["scenario"] == "equal"]
    assert null["p_swap"].max() > 0
    assert null["p_real"].max() <= 0.1
    assert swaps([30], [0.1], 2, 40, 100, 1).empty


def test_a_fitted_curve_is_the_binormal_one_that_the_scores_are_of():
    y_true = np.arange(40_000) < 10_000
    scores = RNG.normal(size=len(y_true)) * np.where(y_true, 1.5, 1.0) + 1.2 * y_true
    assert fitted_curve(y_true, scores) == pytest.approx((1.2, 1.5), abs=0.1)
    assert fitted_curve(y_true, y_true.astype(float)) is None


def test_the_figure_has_a_panel_for_each_kind_of_models_and_prevalence_and_a_line_for_each_area():
    table = choices(positives=[2, 5], prevalences=[0.1, 0.5], draws=2, seed=1)
    figure = simulated_choices(SimpleNamespace(table=lambda name: table))
    assert [axis.get_title() for axis in figure.axes[:2]] == ["prevalence 0.1", "prevalence 0.5"]
    assert len(figure.axes) == len(TRUTH_MODELS) * 2
    assert all(len(axis.containers) == len(DISTINCT_AREAS) for axis in figure.axes)
    plt.close(figure)


def test_the_study_lists_its_own_experiment_alone_and_reads_no_task():
    config = load_config("studies/known_truth")
    (experiment,) = studied(config)
    assert (experiment.name, experiment.reads) == ("simulated_truth", ())
