"""Tests of folds with unequal prevalences."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from measured import estimates, measured, predictions_of, task_of

from aucstudy.claims.confirmation import CHOICES_OVER_POOLING, recommended
from aucstudy.claims.verdicts import Evidence
from aucstudy.experiments import fold_skew
from aucstudy.experiments.contract import experiments
from aucstudy.experiments.fold_cuts import (
    class_counts,
    cut,
    fold_positives,
    fold_sizes,
    half_of_each_fold,
    matched_control,
)
from aucstudy.experiments.fold_skew import (
    BEYOND_AUROC,
    CHOICE,
    MEAN,
    MEAN_MOVED,
    MEAN_NORMALISED,
    MOVED,
    OTHER,
    POOLED,
    SAME,
    fold_means,
    winner_changes,
)
from aucstudy.metrics import areas
from aucstudy.metrics.kernel import order_of
from aucstudy.report.page import findings


def task(task_id="t", n_positive=30, n_negative=90, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_positive + n_negative) < n_positive
    return predictions_of(y, np.column_stack([rng.normal(k * y) for k in (1, 2, 0)]), task_id, "abc")


def of_task(given, folds, spreads, draws):
    settings = {"folds": folds, "spreads": spreads, "draws": draws, "clusterings": 1}
    return measured(fold_skew, [given], **settings)


def frames_of(n_tasks, folds, spreads, draws, source_groups=None):
    """Return the frames of tasks t0, t1, ... one below the other."""
    tasks = [task(f"t{i}", seed=i) for i in range(n_tasks)]
    settings = {"folds": folds, "spreads": spreads, "draws": draws, "clusterings": 1}
    return measured(fold_skew, tasks, source_groups, **settings)


@pytest.mark.parametrize("spread", [0, 0.05, 0.5, 0.95])
def test_folds_hold_all_positives_and_no_more_than_their_places(spread):
    sizes = fold_sizes(121, 5)
    positives = fold_positives(30, sizes, spread, 200, np.random.default_rng(0))
    assert (positives.sum(axis=1) == 30).all()
    assert (positives >= 0).all()
    assert (positives <= sizes).all()


def test_spread_0_is_stratified():
    positives = fold_positives(32, fold_sizes(160, 5), 0, 10, np.random.default_rng(0))
    assert positives.min() == 6
    assert positives.max() == 7


def test_a_larger_spread_makes_folds_more_unequal():
    spreads = [
        fold_positives(300, fold_sizes(1000, 5), spread, 300, np.random.default_rng(0)).std(axis=1).mean()
        for spread in (0, 0.02, 0.1, 0.4)
    ]
    assert spreads == sorted(spreads)
    # The shift to the given total pulls the folds together, more so the fewer they are.
    expected = 200 * np.sqrt(0.02 * 0.3 * 0.7 * 4 / 5)
    assert spreads[1] == pytest.approx(expected, rel=0.15)


def test_a_cut_gives_each_fold_its_rows_and_positives():
    y, sizes = task().y_true, fold_sizes(120, 4)
    positives = fold_positives(30, sizes, 0.3, 6, np.random.default_rng(1))
    for folds, expected in zip(cut(y, sizes, positives, np.random.default_rng(2)), positives, strict=True):
        assert np.bincount(folds, minlength=4).tolist() == sizes.tolist()
        assert np.bincount(folds[y], minlength=4).tolist() == expected.tolist()


def test_the_fold_mean_is_that_of_the_areas_of_the_folds_with_two_classes():
    given = task()
    folds = np.where(np.arange(120) < 60, np.arange(120) % 2, 2)[None, :]
    means = fold_means(order_of(given.y_true, given.scores), folds, 3)
    for index, prevalence in ((0, None), (-1, 0.25)):
        for model, scores in enumerate(given.scores.T):
            by_fold = [
                areas(given.y_true[rows], scores[rows], prevalence=prevalence).aupr
                for rows in (folds[0] == 0, folds[0] == 1)
            ]
            assert means[index, 0, model] == pytest.approx(np.mean(by_fold), abs=1e-14)


def test_equal_skew_minus_the_control_is_0_within_the_interval():
    by_task = frames_of(12, 5, (0.0,), 12)["fold_skew_tasks"]
    table = skewed({"fold_skew_tasks": by_task}, MINUS)
    table = table[(table["quantity"] == "error minus the control") & (table["kind"] == "mean")]
    table = table[(table["first"] != "auprg_clipped") & (table["setting"] == "spread 0")]
    assert (table["low"] <= 0).all()
    assert (table["high"] >= 0).all()
    assert table["estimate"].abs().max() < 0.01


def test_the_control_has_the_positives_of_each_fold_and_leaves_out_the_same_folds():
    y, rng = task().y_true, np.random.default_rng(0)
    folds = cut(y, fold_sizes(120, 5), fold_positives(30, fold_sizes(120, 5), 0.6, 50, rng), rng)
    positives, negatives = class_counts(y, folds, 5)
    own_positives, own_negatives = class_counts(y, matched_control(y, folds, 5, rng), 5)
    kept = (positives > 0) & (negatives > 0)
    assert not kept.all()
    assert (own_positives == positives * kept).all()
    assert (own_negatives == 3 * positives * kept).all()


def test_folds_whose_matched_skew_wants_less_than_a_negative_keep_one():
    y = np.arange(12) < 10
    folds = np.array([[0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1]])
    positives, negatives = class_counts(y, matched_control(y, folds, 2, np.random.default_rng(0)), 2)
    assert (positives.tolist(), negatives.tolist()) == ([[9, 1]], [[1, 1]])


def test_folds_of_clusters_are_compared_with_folds_that_are_left_out_as_often(monkeypatch):
    clusters = np.repeat([[0, 1, 2]], 40, axis=1)
    monkeypatch.setattr(fold_skew, "cluster_folds", lambda *of_rows: clusters)
    given = task_of(task())
    given.__dict__["rows"] = ("features", None)
    frames = fold_skew.of_task(given, folds=3, spreads=(0.1, 0.8), draws=4, clusterings=1, seed=1)
    frame = frames["fold_skew_tasks"]
    by_task = frame.set_index(["cut", "area"])
    assert by_task.loc[("clusters", "aupr"), "left_out"] == pytest.approx(2 / 3)
    assert (by_task["control_left_out"] == by_task["left_out"]).all()
    assert by_task["control_prevalence_shift"].abs().max() < 0.01
    assert by_task.loc[("clusters", "aupr"), "prevalence_shift"] == pytest.approx(0.5)


def test_the_folds_of_the_predictions_are_a_cut_of_their_own():
    given = task()
    by_task = of_task(given, 3, (0.1,), 4)["fold_skew_tasks"].set_index(["cut", "area"])
    order = order_of(given.y_true, given.scores)
    merged = fold_means(order, np.zeros((1, 120), dtype=np.uint8), 1)
    error = (fold_means(order, given.folds[None, :], 5) - merged)[:, 0]
    assert by_task.loc["own folds", "error"].to_numpy() == pytest.approx(error.mean(axis=1), abs=1e-12)
    own = by_task.loc["own folds"]
    assert ((own["control_low"] <= own["control"]) & (own["control"] <= own["control_high"])).all()


def test_half_of_each_fold_is_half_of_its_positives_and_negatives_and_keeps_repeated_rows_together():
    y, rng = task().y_true, np.random.default_rng(0)
    folds = np.tile(np.arange(120) % 5, (3, 1))
    half = half_of_each_fold(y, folds, np.arange(120), rng)
    assert (half[:, y].sum(axis=1) == 15).all()
    for k in range(5):
        assert (np.abs(half[:, (folds[0] == k) & ~y].sum(axis=1) - 9) <= 1).all()
    repeated = half_of_each_fold(np.tile(y, 2), np.tile(folds, 2), np.tile(np.arange(120), 2), rng)
    assert (repeated[:, :120] == repeated[:, 120:]).all()


def test_errors_of_both_sides_and_their_difference_have_intervals_of_their_own():
    frames = frames_of(4, 3, (0.3,), 4)
    sides = [
        table[table["kind"] == "mean"].reset_index(drop=True)
        for table in (skewed(frames, "{effect}"), skewed(frames, CONTROL), skewed(frames, MINUS))
    ]
    folds, control, minus = sides
    folds = folds[(folds["second"] == "") & ~folds["subset"].str.endswith(" third")].reset_index(drop=True)
    assert minus["estimate"].to_numpy() == pytest.approx((folds["estimate"] - control["estimate"]).to_numpy())
    for table in (folds, control):
        assert (table["low"] <= table["estimate"] + 1e-12).all()
        assert (table["estimate"] <= table["high"] + 1e-12).all()


def test_auroc_is_the_negative_control_of_changed_winners():
    table = skewed(frames_of(4, 3, (0.3,), 4), MINUS)
    table = table[(table["setting"] == "spread 0.3") & (table["kind"] == "mean")]
    rows = table.set_index(["quantity", "first"])["estimate"].sort_index()
    changes = rows["winner changes minus the control"]
    beyond = rows[f"{BEYOND_AUROC} minus the control"]
    assert beyond.to_dict() == pytest.approx((changes - changes["auroc"]).drop("auroc").to_dict())


def test_pooling_is_the_standard_on_its_own_half_only():
    table = skewed(frames_of(4, 3, (0.3,), 8), "{area}: {effect}")
    table = table[(table["first"] == POOLED) & (table["quantity"].str.startswith("aupr: "))]
    of = table.set_index(["target", "quantity", "setting"]).sort_index()["estimate"]
    assert of[(SAME, "aupr: distance")].abs().max() < 1e-12
    assert of[(SAME, "aupr: winner changes")].max() == 0
    assert of[(OTHER, "aupr: distance")].min() > 0
    assert (table["second"] == "").all()


def test_the_means_agree_on_folds_of_equal_skew_because_aucnpr_is_mapped_back_to_aupr():
    frame = frames_of(1, 3, (0.3,), 8)["halves"]
    # Each fold of the predictions, and so each half of it, has 1 positive to 3 negatives.
    frame = frame[(frame["cut"] == "own folds") & (frame["area"] == "aupr") & (frame["standard"] == OTHER)]
    assert set(frame["effect"]) == {"error", "distance", "winner changes", CHOICE}
    for name in (MEAN_NORMALISED, MEAN_MOVED):
        assert frame[name].to_numpy() == pytest.approx(frame[MEAN].to_numpy(), abs=1e-9)


CONTROL, MINUS = "{effect} of the control", "{effect} minus the control"


def skewed(frames, name, **facts):
    return estimates(fold_skew, frames, name, **facts)


def judged(differences):
    """Return the estimates of how much more AUPR each mean's winner has than pooling's, at two cuts."""
    rows = [
        {
            "setting": name, "at": spread, "first": aggregate, "second": POOLED, "target": OTHER,
            "estimate": shift, "low": shift - 0.01, "high": shift + 0.01, "n_tasks": 9, "n_sources": 9,
        }
        for aggregate, shifts in {MEAN: (0, 0), MEAN_NORMALISED: (0, 0), **differences}.items()
        for (name, spread), shift in zip((("spread 0.1", 0.1), ("clusters", np.nan)), shifts, strict=True)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_one_source_group_shows_no_mean_to_be_better_or_worse():
    table = skewed(frames_of(2, 3, (0.3,), 4, {"t0": "g", "t1": "g"}), "{area}: {effect}")
    assert table["n_sources"].max() == 1
    choices = table
    for column, value in CHOICES_OVER_POOLING.items():
        choices = choices[choices[column] == value]
    used, counts = recommended(choices)
    assert (used, set(counts.values())) == (POOLED, {(0, 0)})


def test_the_error_is_also_given_by_the_folds_that_are_left_out():
    frame = frames_of(6, 3, (0.8,), 4)["fold_skew_tasks"]
    frame.loc[frame["task_id"] < "t2", "left_out"] = 0.05
    table = skewed({"fold_skew_tasks": frame}, MINUS)
    table = table[(table["quantity"] == "error minus the control") & (table["kind"] == "mean")]
    rows = table[(table["setting"] == "spread 0.8") & (table["first"] == "aupr")].set_index("subset")
    few, more = (f"{share} of folds left out" for share in ("under 10 %", "10 % or more"))
    assert rows.loc[[few, more], "n_tasks"].tolist() == [2, 4]
    parts = rows.loc[few, "estimate"] * 2 + rows.loc[more, "estimate"] * 4
    assert parts / 6 == pytest.approx(rows.loc["all", "estimate"])


def test_pooling_is_recommended_unless_a_mean_is_better_somewhere_and_worse_nowhere():
    for gains, aggregate in (((0, 0), POOLED), ((0.05, -0.05), POOLED), ((0.05, 0), MEAN_MOVED)):
        assert recommended(judged({MEAN_MOVED: gains}))[0] == aggregate


def test_averaging_is_compared_on_the_same_cuts():
    table = skewed(frames_of(6, 3, (0.3,), 4), "{effect}", prevalence=np.linspace(0.1, 0.4, 6))
    table = table[table["subset"].str.endswith(" third") & (table["setting"] == "spread 0.3")]
    of = table.set_index(["quantity", "subset", "first", "second"])["estimate"].unstack(["first", "second"])
    assert (of["aupr", "aucnpr"] - (of["aupr", ""] - of["aucnpr", ""])).abs().max() < 1e-12
    assert (of["aucnpr", MOVED] - (of["aucnpr", ""] - of[MOVED, ""])).abs().max() < 1e-12
    assert set(table["subset"]) == {"rarest third", "middle third", "most frequent third"}
    assert (table["n_tasks"] == 2).all()


def test_ties_change_no_winner():
    merged = np.array([0.5, 0.5, 0.1])
    changes = winner_changes(np.array([[0.9, 0.9, 0.2], [0.9, 0.8, 0.2], [0.1, 0.2, 0.9]]), merged)
    assert changes.tolist() == [0, 0.5, 1]


@pytest.mark.parametrize("n_positive", [1, 2])
def test_a_task_with_too_few_positives_for_two_halves_has_no_aggregates_there(n_positive):
    frames = of_task(task(n_positive=n_positive, n_negative=20), 3, (0.0, 0.4), 4)
    assert frames["fold_skew_tasks"]["error"].notna().any()
    halves = frames["halves"]
    known = halves.loc[halves["effect"] == "distance", POOLED].notna()
    assert known.any() == (n_positive > 1)


@pytest.mark.parametrize("groups", [None, {"t0": "g", "t1": "g", "t2": "g"}])
def test_the_findings_can_be_made_of_any_tables(groups):
    frames = frames_of(3, 3, (0.0, 0.4), 4, groups)
    table = estimates(fold_skew, frames).assign(experiment="fold_skew")
    evidence = Evidence(Path(), "", weight="task", read={"estimates": table})
    text = findings(experiments()["fold_skew"], evidence)
    assert "(spread 0.4, 3 tasks)" in text
    assert "nan" not in text
