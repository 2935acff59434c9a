"""The tournament of intervals computes what the package does, and its tables and its page say what it found."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from aucstudy.metrics import compare, interval
from aucstudy.metrics.kernel import order_of
from aucstudy.metrics.resamples import areas_of_order
from aucstudy.metrics.uncertainty.sample import half_samples
from aucstudy.metrics.uncertainty.standard_errors import (
    TOWARDS_ZERO,
    Counted,
    unit_influences,
    unseen_effects,
)
from aucstudy.statistics.seeds import generator

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
RESULTS = BENCHMARKS.parent / "results" / "benchmarks"
EVERY_ROW = "rows of each class"


@pytest.fixture
def tournament(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import area_interval_tournament

    return area_interval_tournament


@pytest.fixture
def candidates(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import area_interval_candidates

    return area_interval_candidates


@pytest.mark.parametrize(
    "setting",
    [
        (EVERY_ROW, "five levels", 0.1, 20),
        (EVERY_ROW, "perfect", 0.1, 10),
        ("weights", "normal", 0.1, 20),
        ("groups of 5", "strong", 0.1, 20),
    ],
)
def test_influences_and_unseen_rows_are_those_of_the_package(tournament, setting):
    setting = tournament.Setting(*setting)
    facts = tournament.facts_of(setting, 1, "test")
    rng = generator(tournament.SEED, "tournament of intervals", "test", *setting)
    [sample] = tournament.samples_of(setting, 1, rng)
    halves = np.concatenate(list(half_samples(sample._replace(weight=None), tournament.HALF_SAMPLES, rng)))
    order, prevalence = order_of(sample.y_true, sample.scores), setting.prevalence
    areas, counted = areas_of_order(order, sample.weight, prevalence=prevalence), Counted.of(sample, order)
    deviations = areas_of_order(order, halves * sample.weights(), prevalence=prevalence) - areas
    assert facts.estimate[0] == pytest.approx(areas[:, tournament.PLACES], abs=1e-12)
    moves = (facts.moved[tournament.UNSEEN.index(1.0), :, 0] - facts.estimate[0]) ** 2
    for k, place in enumerate(tournament.PLACES):
        influences = unit_influences(counted, place)
        assert facts.influences[:, 0, k].sum(axis=0) == pytest.approx(influences @ influences.T, abs=1e-9)
        expected = deviations[..., place].T @ deviations[..., place] / len(halves)
        assert facts.halves[0, k] == pytest.approx(expected, abs=1e-12)
        for model in range(3):
            lowered, raised = unseen_effects(counted, model, areas[model])[:, place]
            assert moves[:2, model, k].sum() == pytest.approx(lowered, abs=1e-12)
            assert moves[2:, model, k].sum() == pytest.approx(raised, abs=1e-12)


def test_the_winner_for_one_model_gives_the_limits_of_the_package(tournament, candidates):
    setting = tournament.Setting(EVERY_ROW, "normal", 0.5, 20)
    facts = tournament.facts_of(setting, 1, "test")
    rng = generator(tournament.SEED, "tournament of intervals", "test", *setting)
    [sample] = tournament.samples_of(setting, 1, rng)
    limits = candidates.limits_of_one(candidates.TODAY._replace(freedom="normal"), facts)[:, 0, 0]
    found = interval(sample.y_true, sample.scores[:, 0])
    for k, metric in enumerate(tournament.METRICS):
        # Both are from random halves, of which the package draws more.
        width = found[metric].high - found[metric].low
        assert limits[:, k] == pytest.approx([found[metric].low, found[metric].high], abs=0.1 * width)


def facts_of_shares(candidates, share, variance, P=20, N=20):
    """Return facts of one sample and two models with one metric of this value, whose units all alike vary."""
    estimate = np.full((1, 2, 1), share)
    covariance = np.eye(2)[None, None] * variance
    moved = np.broadcast_to(estimate, (len(candidates.UNSEEN), 4, 1, 2, 1))
    by_stratum = np.stack([covariance / 2, covariance / 2])
    pseudo = np.broadcast_to(estimate, (len(candidates.PSEUDO), 1, 2, 1))
    pseudo_variance = np.full((len(candidates.PSEUDO), 2, 1, 2, 1), variance / 2)
    sizes, floor, ceiling = np.array([[N, P]]), np.zeros(1), np.ones(1)
    scaled = np.full((1, 2, 1), variance / max(4 * share * (1 - share), 1e-9))
    return candidates.Facts(
        estimate, covariance, scaled, by_stratum, sizes, moved, pseudo, pseudo_variance, np.array([min(P, N)]),
        (P, N), floor, ceiling,
    )  # fmt: skip


def test_wilson_of_a_share_is_wilsons_interval(candidates):
    facts = facts_of_shares(candidates, 0.8, 0.8 * 0.2 / 25)
    wilson = candidates.Candidate("one model", "Wilson", "pseudo-rows", 0.5, "normal")
    expected = stats.binomtest(20, 25).proportion_ci(method="wilson")
    assert candidates.limits_of_one(wilson, facts)[:, 0, 0, 0] == pytest.approx([expected.low, expected.high])


def test_equal_variances_of_both_classes_have_all_degrees_of_freedom(candidates):
    of_strata, rarer, sizes = np.full((2, 1, 1, 1), 0.5), np.array([20]), np.array([[20, 20]])
    reach = candidates.critical("both classes", rarer, of_strata, sizes)
    assert reach.item() == pytest.approx(stats.t.ppf(0.975, 38))
    fewest = candidates.critical("the rarer class", rarer, of_strata, sizes)
    assert fewest.item() == pytest.approx(stats.t.ppf(0.975, 19))
    assert candidates.critical("normal", rarer, of_strata, sizes).item() == pytest.approx(1.959964, abs=1e-6)


def test_newcombes_limits_solve_his_equation(candidates):
    facts = facts_of_shares(candidates, 0.8, 0.01, P=15, N=30)
    newcombe = candidates.OF_ONE_MODEL[-1]
    low, high = candidates.limits_of_one(newcombe, facts)[:, 0, 0, 0]
    for limit in (low, high):
        others = (15 + 30) / 2 - 1
        terms = 1 + others * ((1 - limit) / (2 - limit) + limit / (1 + limit))
        assert (0.8 - limit) ** 2 == pytest.approx(1.959964**2 * limit * (1 - limit) * terms / 450, rel=1e-5)


def test_joined_plain_limits_of_uncorrelated_models_are_those_of_the_sum_of_variances(candidates):
    facts = facts_of_shares(candidates, 0.5, 0.001)
    joined = candidates.Candidate("joined", "plain", "influences", 0.25, "normal")
    low, high = candidates.limits_of_difference(joined, facts, 0, 1)[:, 0, 0]
    assert [low, high] == pytest.approx([-1.959964 * 0.002**0.5, 1.959964 * 0.002**0.5], rel=1e-5)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_every_interval_holds_the_estimate_and_stays_in_the_range(candidates, share):
    facts = facts_of_shares(candidates, share, share * (1 - share) / 20)
    for candidate in candidates.OF_ONE_MODEL:
        low, high = candidates.limits_of_one(candidate, facts)
        ordered = np.stack([np.zeros_like(low), low, np.full_like(low, share), high, np.ones_like(low)])
        assert (np.diff(ordered, axis=0) >= -1e-12).all(), candidate


def test_of_two_perfect_models_no_candidate_prefers_one(tournament):
    setting = tournament.Setting(EVERY_ROW, "perfect", 0.1, 10)
    rows = pd.DataFrame(tournament.cells_of(setting, tournament.facts_of(setting, 5, "test")))
    assert rows["type_1"].max() == 0
    assert rows["coverage"].min() == 1


def test_a_candidate_below_the_rule_in_one_cell_is_not_admitted(tournament, candidates):
    setting = tournament.Setting(EVERY_ROW, "normal", 0.5, 10)
    cells = pd.DataFrame(tournament.cells_of(setting, tournament.facts_of(setting, 5, "test")))
    cells["coverage"], cells["type_1"] = 0.95, cells["type_1"].where(cells["type_1"].isna(), 0.0)
    assert tournament.judged(cells)["admitted"].all()
    is_today = tournament._is(cells, candidates.TODAY)
    cells.loc[is_today & (cells["metric"] == "aupr"), "coverage"] = 0.934
    judged = tournament.judged(cells)
    stopped = judged[~judged["admitted"]]
    assert set(stopped["rarer_rows"]) == {"all", "30 or fewer"}
    assert set(stopped["worst_metric"]) == {"aupr"}
    assert list(tournament._is(stopped, candidates.TODAY)) == [True, True]


def test_no_setting_has_more_rows_than_the_largest(tournament):
    settings = list(tournament.settings(500))
    assert max(sum(tournament.class_counts(s.prevalence, s.rarer)) for s in settings) <= 500
    assert len(set(tournament.settings())) == len(list(tournament.settings()))


def test_the_page_counts_candidates_and_samples_as_the_program_does(tournament, candidates):
    page = " ".join((BENCHMARKS.parent / "docs" / "intervals.md").read_text(encoding="utf-8").split())
    n_of_one, n_of_differences = (
        len(candidates.OF_ONE_MODEL),
        len(candidates.STUDENTS) + len(candidates.OF_ONE_MODEL),
    )
    assert f"compares {n_of_one} intervals of one model and {n_of_differences} of a difference" in page
    assert (
        f"Each setting has {tournament.DRAWS:,} samples for choosing and {tournament.DRAWS:,} samples" in page
    )


def test_the_committed_winners_are_the_narrowest_that_the_samples_for_tuning_admit(tournament):
    verdicts = pd.read_csv(RESULTS / "area_interval_candidates.csv")
    tuning = verdicts[verdicts["samples"] == "tuning"]
    assert sorted(tuning.index[tuning["wins"]]) == sorted(tournament.winners(tuning).index)
    assert not verdicts.loc[verdicts["samples"] == "kept", "wins"].any()
    assert set(tuning["rarer_rows"]) == {"all", "30 or fewer", "more than 30"}


def test_the_committed_settings_agree_with_the_verdicts(tournament):
    cells = pd.read_csv(RESULTS / "area_interval_tournament.csv")
    verdicts = pd.read_csv(RESULTS / "area_interval_candidates.csv")
    again = tournament.judged(cells)
    kept = verdicts[(verdicts["samples"] == "kept")]
    on = ["rarer_rows", *tournament.Candidate._fields]
    both = again.merge(kept, on=on, suffixes=("", "_committed"))
    assert len(both) == len(again)
    # The committed widths are rounded, and so their ratios are not those of the benchmark.
    for column, tolerance in {"lowest_coverage": 1e-4, "highest_type_1": 1e-4, "width": 5e-3}.items():
        committed = both[f"{column}_committed"].to_numpy()
        assert both[column].to_numpy() == pytest.approx(committed, abs=tolerance, nan_ok=True)
    settings = cells[list(tournament.Setting._fields)].drop_duplicates()
    assert set(map(tuple, settings.to_numpy())) == set(tournament.settings())


@pytest.mark.whole
def test_the_table_is_what_the_benchmark_counts(tournament):
    """All samples of one setting that were kept are drawn again."""
    setting = tournament.Setting(EVERY_ROW, "strong", 0.5, 10)
    drawn = pd.DataFrame(tournament.cells_of(setting, tournament.facts_of(setting, tournament.DRAWS, "kept")))
    cells = pd.read_csv(RESULTS / "area_interval_tournament.csv")
    on = [*tournament.Setting._fields, "metric", *tournament.Candidate._fields]
    both = cells.merge(drawn, on=on, suffixes=("", "_again"))
    assert len(both) > 20
    assert both["coverage"].to_numpy() == pytest.approx(both["coverage_again"].to_numpy(), abs=2e-3)


def test_the_share_of_the_package_gives_its_limits_of_a_difference(tournament):
    import area_interval_differences as differences

    setting = tournament.Setting(EVERY_ROW, "normal", 0.1, 20)
    facts = tournament.facts_of(setting, 1, "test")
    rng = generator(tournament.SEED, "tournament of intervals", "test", *setting)
    [sample] = tournament.samples_of(setting, 1, rng)
    ours = differences.Candidate("0.125", 1.0, "sum", "the rarer class")
    limits = differences.limits_of_difference(ours, facts, 0, 1)[:, 0]
    compared = compare(sample.y_true, *sample.scores.T[:2])
    for k, metric in enumerate(tournament.METRICS):
        # Both are from random halves, of which the package draws more.
        width = compared[metric].high - compared[metric].low
        expected = [compared[metric].low, compared[metric].high]
        assert limits[:, k] == pytest.approx(expected, abs=0.1 * width)


def test_of_two_perfect_models_no_share_of_unseen_rows_prefers_one(tournament):
    import area_interval_differences as differences

    setting = tournament.Setting(EVERY_ROW, "perfect", 0.1, 10)
    rows = pd.DataFrame(differences.cells_of(setting, tournament.facts_of(setting, 5, "test")))
    assert rows["type_1"].max() == 0


def test_the_committed_shares_are_those_that_the_rule_admits_and_the_winner_is_confirmed(tournament):
    import area_interval_differences as differences

    verdicts = pd.read_csv(RESULTS / "area_interval_differences.csv", dtype={"share": str})
    is_admitted = (verdicts["worst_coverage"] >= 0.93) & (verdicts["worst_type_1"] <= 0.065)
    assert (verdicts["admitted"] == is_admitted).all()
    tuning, kept = (verdicts[verdicts["samples"] == samples] for samples in ("tuning", "kept"))
    parts = list(differences.Candidate._fields)
    winner = differences.Candidate(*differences.ranked(tuning)[parts].iloc[0])
    assert winner == ("0.125", 1.0, "sum", "both classes")
    ours = winner._replace(freedom="the rarer class")
    for candidate in (winner, ours):
        [row] = kept[(kept[parts] == pd.Series(candidate._asdict())).all(axis=1)].itertuples()
        assert row.admitted
    assert float(ours.share) == TOWARDS_ZERO
    assert {differences.Candidate(*row) for row in kept[parts].to_numpy()} == set(differences.CANDIDATES)


def test_the_power_is_that_of_todays_interval_and_of_the_winner(tournament, candidates):
    table = pd.read_csv(RESULTS / "area_interval_power.csv")
    verdicts = pd.read_csv(RESULTS / "area_interval_candidates.csv")
    [winner] = verdicts[
        verdicts["wins"] & (verdicts["rarer_rows"] == "all") & (verdicts["kind"] == "joined")
    ].index
    parts = list(tournament.Candidate._fields)
    compared = set(map(tuple, table[parts].drop_duplicates().to_numpy()))
    assert compared == {tuple(candidates.TODAY_OF_DIFFERENCES), tuple(verdicts.loc[winner, parts])}
    settings = table[list(tournament.Setting._fields)].drop_duplicates()
    assert set(map(tuple, settings.to_numpy())) == set(tournament.POWER_SETTINGS)
