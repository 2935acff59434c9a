"""The table of estimates: subsets come before means, both weights, intervals without a seed, and one name a row."""

import numpy as np
import pandas as pd
import pytest

from aucstudy.config import REPOSITORY, shipped_experiments
from aucstudy.estimates import CONTRASTS, SUBSETS, estimates_of, joined, learners_apart
from aucstudy.experiments.quantities import Quantity
from aucstudy.learners.default_study import known_groups
from aucstudy.statistics.intervals import contrast_interval, quantile_interval, weighted_quantile
from aucstudy.store.estimates import NEW, REAL, selected
from aucstudy.store.tables import study_table

# Source a has three tasks, and the others have one each.
TASKS = pd.DataFrame(
    {
        "task_id": list("pqrstu"),
        "source_group": ["a", "a", "a", "b", "c", "d"],
        "n_positive": [10, 200, 200, 10, 200, 200],
        "prevalence": [0.05, 0.2, 0.2, 0.05, 0.2, 0.5],
    }
)
ROWS = TASKS[["task_id"]].assign(value=[0.0, 1, 2, 4, 5, 6], over=[1.0, 1, 0, 1, 2, 1], n_models=30)


def made(*quantities, rows=ROWS, tasks=TASKS):
    return estimates_of("made", quantities, {"rows": rows}, tasks, seed=1)


def one(weight, *args, subset="all", **options):
    table = made(Quantity("q", "rows", *args, subsets=(subset,), **options))
    (row,) = table[table["weight"] == weight].to_dict("records")
    return row


def test_a_mean_counts_each_task_once_or_each_source_once():
    assert one("task", "value")["estimate"] == 3
    row = one("source", "value")
    assert row["estimate"] == (1 + 4 + 5 + 6) / 4
    assert (row["n_tasks"], row["n_sources"], row["n_models"]) == (6, 4, 180)
    # With each source counted once this is Student's interval of four numbers.
    reach = 3.182446305 * np.std([1, 4, 5, 6], ddof=1) / 2
    assert (row["low"], row["high"]) == pytest.approx((4 - reach, 4 + reach))


def test_tasks_are_restricted_before_the_tasks_of_a_source_are_averaged():
    row = one("source", "value", subset="prevalence 0.1 or more")
    assert row["estimate"] == (1.5 + 5 + 6) / 3
    assert (row["n_tasks"], row["n_sources"]) == (4, 3)


def test_a_mean_of_weighted_tasks_leaves_out_tasks_without_weight_and_gives_each_source_one_vote():
    assert one("task", "value", over="over")["estimate"] == (0 + 1 + 4 + 5 + 6) / 6
    row = one("source", "value", over="over")
    assert row["estimate"] == (1 / 2 + 4 + 5 / 2 + 6) / 4
    assert row["n_tasks"] == 5


def test_a_ratio_is_that_of_two_means():
    assert one("task", "value", over="over", kind="ratio")["estimate"] == 18 / 6
    assert one("source", "value", over="over", kind="ratio")["estimate"] == (1 + 4 + 5 + 6) / (
        2 / 3 + 1 + 2 + 1
    )


def test_a_share_keeps_its_bounds_and_an_exact_one_has_the_bound_of_trials():
    shares = ROWS.assign(value=[0.0, 0, 0, 0, 0, 1])
    row = made(Quantity("q", "rows", "value", kind="share"), rows=shares).iloc[0]
    assert (row["low"], row["high"] <= 1) == (0, True)
    none = made(Quantity("q", "rows", "value", kind="share", exact=True), rows=ROWS.assign(value=0.0))
    assert none["high"].to_list() == pytest.approx([1 - 0.025**0.25] * 2)


def test_a_column_says_which_shares_of_zero_have_the_bound_of_trials():
    # Fewer than six sources of data have this bound in any case.
    names = [f"t{i}" for i in range(8)]
    tasks = pd.DataFrame({"task_id": names, "source_group": names, "n_positive": 9, "prevalence": 0.1})
    rows = pd.concat(
        [
            pd.DataFrame({"task_id": names, "pair": pair, "value": 0.0, "can_differ": pair == "b"})
            for pair in "ab"
        ]
    )
    share = Quantity("q", "rows", "value", {"first": "{pair}"}, kind="share", exact="can_differ")
    high = made(share, rows=rows, tasks=tasks).query("weight == 'task'").set_index("first")["high"]
    assert high["a"] == 0
    assert high["b"] == pytest.approx(1 - 0.025 ** (1 / 8))


def test_a_median_by_source_is_that_of_tasks_that_share_the_weight_of_their_source():
    assert one("task", "value", kind="median")["estimate"] == 3
    by_source = weighted_quantile(ROWS["value"].to_numpy(), np.array([1, 1, 1, 3, 3, 3.0]), 0.5)
    assert one("source", "value", kind="median")["estimate"] == pytest.approx(by_source)


def test_quantiles_are_numpys_and_their_intervals_hold_the_quantile_of_a_large_sample():
    values = np.random.default_rng(0).normal(size=400)
    for level in (0.25, 0.5, 0.75):
        found = quantile_interval(values, np.ones(400), np.arange(400), level)
        assert found.estimate == pytest.approx(np.quantile(values, level))
        # The binomial order statistics give an interval of the same width.
        reach = 1.96 * np.sqrt(level * (1 - level) / 400)
        ends = np.quantile(values, [level - reach, level + reach])
        assert (found.low, found.high) == pytest.approx(tuple(ends), abs=0.05)


def test_the_interval_of_a_quantile_covers_it_in_about_95_per_cent_of_samples():
    rng = np.random.default_rng(1)
    covers = []
    for _ in range(400):
        values = np.repeat(rng.normal(size=40), 3) + rng.normal(size=120)
        found = quantile_interval(values, np.ones(120), np.repeat(np.arange(40), 3), 0.5)
        covers.append(found.low <= 0 <= found.high)
    assert 0.91 < np.mean(covers) < 0.99


def test_a_contrast_is_welchs_where_each_source_has_one_task_and_pairs_the_tasks_of_one_source():
    rng = np.random.default_rng(2)
    values, kind = rng.normal(size=30), np.arange(30) < 12
    alone = contrast_interval(values, kind, np.arange(30))
    variance = values[kind].var(ddof=1) / 12 + values[~kind].var(ddof=1) / 18
    assert alone.estimate == pytest.approx(values[kind].mean() - values[~kind].mean())
    assert alone.high - alone.low == pytest.approx(2 * 2.05 * np.sqrt(variance), rel=0.06)
    # A source whose two tasks move together has a small difference.
    common = np.repeat(rng.normal(size=15), 2)
    paired = contrast_interval(common, np.arange(30) % 2 == 0, np.repeat(np.arange(15), 2))
    assert (paired.low, paired.high) == pytest.approx((0, 0), abs=1e-12)


def test_a_contrast_of_subsets_counts_a_source_once_for_each_kind():
    name = "100 or more positives minus under 100"
    row = one("source", "value", subset=name)
    assert row["estimate"] == pytest.approx((1.5 + 5 + 6) / 3 - (0 + 4) / 2)
    assert row["subset"] == name


def test_no_estimate_but_simultaneous_ones_depends_on_the_seed():
    kinds = ("mean", "share", "ratio", "lower quartile", "median")
    quantities = [
        Quantity(kind, "rows", "value", kind=kind, over="over" * (kind == "ratio")) for kind in kinds
    ]
    first, second = (estimates_of("x", quantities, {"rows": ROWS}, TASKS, seed=seed) for seed in (1, 2))
    pd.testing.assert_frame_equal(first, second)


def test_a_simultaneous_family_is_wider_than_its_single_intervals():
    rng = np.random.default_rng(3)
    tasks = pd.DataFrame({"task_id": [f"t{k}" for k in range(40)], "source_group": np.arange(40).astype(str)})
    tasks = tasks.assign(n_positive=9, prevalence=0.2)
    rows = pd.concat([tasks[["task_id"]].assign(metric=str(k), value=rng.normal(size=40)) for k in range(8)])
    keys = {"first": "{metric}"}
    alone = Quantity("q", "rows", "value", keys)
    jointly = Quantity("q", "rows", "value", keys, kind="simultaneous", family="all", jointly=("metric",))
    table = made(alone, jointly, rows=rows, tasks=tasks)
    widths = (table["high"] - table["low"]).groupby(table["kind"]).mean()
    assert widths["simultaneous"] > 1.2 * widths["mean"]
    assert len(table) == 2 * 2 * 8


def test_a_study_with_known_and_new_and_with_simulated_data_has_estimates_of_each_part():
    known = next(iter(known_groups()))
    tasks = TASKS.assign(
        source_group=[known, known, *TASKS["source_group"][2:]], simulated=["", "", "yes", "", "", ""]
    )
    table = made(Quantity("q", "rows", "value"), tasks=tasks)
    by_task = table[table["weight"] == "task"].set_index("subset")["n_tasks"]
    assert by_task.to_dict() == {"all": 6, "known source groups": 2, NEW: 4, REAL: 5}


def test_a_study_of_one_task_ends_with_the_same_table_without_intervals():
    table = made(Quantity("q", "rows", "value"), rows=ROWS[:1], tasks=TASKS[:1])
    assert table["estimate"].to_list() == [0, 0]
    assert table["low"].isna().all()
    assert made(Quantity("q", "rows", "value"), rows=ROWS[:0]).empty


def test_two_estimates_with_one_name_are_refused():
    table = made(Quantity("q", "rows", "value"))
    with pytest.raises(ValueError, match="two estimates have the same name"):
        joined([table, table])


def test_a_selection_has_means_unless_another_kind_is_named():
    table = made(Quantity("q", "rows", "value"), Quantity("q", "rows", "value", kind="median"))
    assert selected(table, "made", weight="task", quantity="q")["kind"].to_list() == ["mean"]
    assert selected(table, "made", weight="task", quantity="q", kind="median")["kind"].to_list() == ["median"]


def test_learners_are_compared_on_the_tasks_that_both_studies_cut_alike():
    def tables_of(differs, n_positive):
        names = [f"t{k}" for k in range(len(differs))]
        tasks = pd.DataFrame(
            {"task_id": names, "source_group": list("aabcd")[: len(names)], "prevalence": 0.2}
        )
        by_task = pd.DataFrame(
            {"task_id": names, "first": "aupr", "second": "auroc", "p_best_differs": differs}
        )
        return {"tasks": tasks.assign(n_positive=n_positive), "disagreement_tasks": by_task}

    studies = {
        "again": tables_of([0.3, 0.5, 0.9, 0.9, 0.9], [50, 50, 50, 51, 50]),
        "first": tables_of([0.2, 0.4, 0.6, 0.9], 50),
    }
    table = learners_apart(lambda study, name: studies[study][name], list(studies))
    row = table[table["weight"] == "source"].iloc[0]
    assert (row["setting"], row["n_tasks"], row["n_sources"]) == ("again minus first", 3, 2)
    assert row["estimate"] == pytest.approx((0.1 + 0.3) / 2)


QUANTITIES = {
    name: experiment.load().QUANTITIES
    for name, experiment in shipped_experiments().items()
    if experiment.has_quantities
}


@pytest.mark.parametrize("name", QUANTITIES)
def test_every_subset_is_defined_and_every_quantity_is_described_on_the_page(name):
    experiment = shipped_experiments()[name]
    for quantity in QUANTITIES[name]:
        assert set(quantity.subsets) <= {*SUBSETS, *CONTRASTS}
        words = quantity.name.replace("{effect} ", "").replace("{area}: {effect}", "aupr: error")
        words = words.replace("{effect}", "error").replace("{pairs}", "best")
        words = "pearson_of_ranks" if quantity.kind == "correlation" else words
        assert words in experiment.estimates["quantity"], quantity.name
        assert set(quantity.keys) <= set(experiment.estimates), quantity.name


@pytest.mark.parametrize("study", ["default", "wide"])
def test_the_committed_estimates_by_task_are_made_of_the_committed_rows_by_task(study):
    folder = REPOSITORY / "results" / study / "tables"
    committed, tasks = study_table(folder, "estimates"), study_table(folder, "tasks")
    n_made = 0
    for name, quantities in QUANTITIES.items():
        declared = shipped_experiments()[name].tables
        frames = {table: study_table(folder, table) for table in declared}
        chosen = [
            quantity for quantity in quantities if quantity.rows in frames and quantity.kind != "simultaneous"
        ]
        table = estimates_of(name, chosen, frames, tasks, seed=1)
        keys = list(table.columns[: table.columns.get_loc("family")])
        text = [key for key in keys if key != "at"]
        both = table.merge(
            committed.fillna(dict.fromkeys(text, "")), on=keys, how="left", suffixes=("", "_committed")
        )
        for end in ("estimate", "low", "high", "n_tasks", "n_sources"):
            pair = both[[end, f"{end}_committed"]].to_numpy(dtype=float).T
            np.testing.assert_allclose(*pair, rtol=1e-8, atol=1e-9)
        n_made += len(both)
    assert n_made > 100
