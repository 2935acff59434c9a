"""Ways to select and to set the threshold are compared at the same source groups, with intervals of each mean."""

from importlib import import_module
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from aucstudy.config import REPOSITORY
from aucstudy.statistics.intervals import mean_interval
from aucstudy.store.tables import read_table, table_bytes
from studies.few_positives.few_positives_compared import compared_table, joint_reach, student_reach
from studies.few_positives.few_positives_tables import MARKS, SELECTED_BY, column

WAYS = (
    *(("one", how) for how in ("same", "other", "bayes", "share", "hindsight")),
    *(("both", how) for how in ("same", "crossed", "bayes", "share", "hindsight")),
)  # fmt: skip


def made_rows(n_groups=20, seed=0, numbers=(10,)):
    """Return rows by source group with random values, half of whose groups have the mark `shared`."""
    random, rows = np.random.default_rng(seed), []
    for group, positives, (rows_used, how) in product(range(n_groups), numbers, WAYS):
        values = random.lognormal(size=len(SELECTED_BY))
        rows.append({
            "candidates": "older", "prevalence": 0.1, "positives": positives, "chosen_on": rows_used, "target": "f1",
            "threshold": how, "source_group": f"g{group}", "kept": 1, **dict.fromkeys(MARKS, 0),
            "shared": group % 2, **{column("value", name): x for name, x in zip(SELECTED_BY, values, strict=True)},
        })  # fmt: skip
    return pd.DataFrame(rows)


def values(rows, name, chosen_on, threshold):
    way = rows[(rows["chosen_on"] == chosen_on) & (rows["threshold"] == threshold)]
    return way.set_index("source_group")[column("value", name)]


ROWS = made_rows()
TABLE = compared_table(ROWS, False, 15, 200, 1)


def row(against, selected_by, chosen_on, threshold):
    keys = {"selected_by": selected_by, "chosen_on": chosen_on, "threshold": threshold, "against": against}
    (match,) = TABLE[(TABLE[[*keys]] == [*keys.values()]).all(axis=1)].to_dict("records")
    return match


@pytest.mark.parametrize(
    ("against", "way", "terms"),
    [
        ("reference", ("log_loss", "both", "bayes"), [(1, "auroc", "both", "same")]),
        ("reference", ("log_loss", "one", "other"), [(1, "auroc", "one", "same")]),
        ("auroc", ("log_loss", "both", "crossed"), [(1, "auroc", "both", "crossed")]),
        ("same", ("mcc", "one", "other"), [(1, "mcc", "one", "same")]),
        ("split", ("mcc", "both", "same"), [(1, "mcc", "one", "other")]),
        ("gain of auroc", ("mcc", "one", "other"),
         [(1, "mcc", "one", "same"), (1, "auroc", "one", "other"), (-1, "auroc", "one", "same")]),
        ("300 rounds", ("log_loss", "both", "same"), [(1, "300 rounds", "both", "same")]),
    ],
)  # fmt: skip
def test_a_row_has_the_mean_of_its_differences_and_the_interval_of_this_mean(against, way, terms):
    expected = values(ROWS, *way) - sum(weight * values(ROWS, *other) for weight, *other in terms)
    mean = mean_interval(expected, expected.index)
    made = row(against, *way)
    numbers = [made[name] for name in ("difference", "low", "high", "better")]
    np.testing.assert_allclose(
        numbers, [mean.estimate, mean.low, mean.high, (expected > 0).mean()], atol=1e-6
    )
    assert made["value"] == pytest.approx(values(ROWS, *way).mean(), abs=1e-6)
    assert made["n_groups"] == 20


def test_the_numbers_of_the_first_table_have_wider_intervals_that_hold_together():
    first = TABLE[TABLE["joint_low"].notna()]
    # Eight metrics with four ways each, but the reference itself, and a random model with three.
    assert len(first) == 8 * 4 - 1 + 3
    assert set(first["chosen_on"]) == {"both"}
    assert set(first["threshold"]) == {"same", "crossed", "bayes", "share"}
    assert (first["joint_low"] < first["low"]).all()
    assert (first["joint_high"] > first["high"]).all()


def test_a_random_model_has_no_cross_fitted_threshold_of_its_own():
    assert set(TABLE.loc[TABLE["selected_by"] == "random", "threshold"]) == {
        "same", "other", "bayes", "share", "hindsight",
    }  # fmt: skip


def test_fewer_source_groups_than_needed_have_no_row_and_common_ones_have_every_number():
    rows = pd.concat([made_rows(20), made_rows(16, 1, (30,)), made_rows(4, 2, (100,))])
    table = compared_table(rows, False, 15, 200, 1)
    counts = table.groupby(["outcomes", "positives"])["n_groups"].first().to_dict()
    assert counts == {("all", 10): 20, ("all", 30): 16, ("common", 10): 16, ("common", 30): 16}


def test_reach_is_that_of_student_alone_and_further_together():
    assert student_reach(np.array([71])) == pytest.approx(stats.t.ppf(0.975, 70))
    columns = np.random.default_rng(3).normal(size=(400, 30))
    (reach,) = set(joint_reach(columns, 4000, 1).tolist())
    # The largest of 30 independent normal values stays below this with a chance of 95 %.
    assert reach == pytest.approx(stats.norm.ppf(1 - 0.025 / 30 * 0.975), abs=0.15)


@pytest.mark.parametrize("study", ["few_natural", "few_thinned"])
def test_the_committed_table_is_made_of_the_committed_rows(study):
    tables = REPOSITORY / "results" / study / "tables"
    rows = read_table(tables / "few_positives_groups.csv.gz")
    table = compared_table(rows[rows["target"] == "f1"], study == "few_natural", 15, 2000, 1)
    committed = read_table(tables / "few_positives_compared.csv")
    assert table_bytes(table) == table_bytes(committed[committed["target"] == "f1"])


@pytest.fixture
def intervals(monkeypatch):
    """Return the module of the benchmark of these intervals."""
    monkeypatch.syspath_prepend(REPOSITORY / "benchmarks")
    return import_module("few_positives_intervals")


def test_intervals_of_normal_values_err_as_often_as_they_say_and_of_skewed_ones_on_one_side(intervals):
    random = np.random.default_rng(1)
    made = pd.DataFrame(intervals.levels(random.normal(size=(60, 8)), 400, 300, 1, together=True))
    errs = made.set_index("intervals")["errs"]
    assert errs["alone, mean"] == pytest.approx(0.05, abs=0.015)
    assert errs["together, 95 % quantile"] == pytest.approx(0.05, abs=0.03)
    assert errs["together, 97.5 % quantile"] < errs["together, 95 % quantile"]
    skewed = pd.DataFrame(intervals.levels(random.lognormal(0, 1.5, (30, 4)), 400, 300, 1, together=False))
    assert (skewed["errs_below"] > 5 * skewed["errs_above"]).all()


def test_the_families_of_the_benchmark_are_the_rows_of_the_committed_table(intervals):
    study, setting = intervals.FAMILIES["first table"]
    values = intervals.values_of(*study, setting)
    committed = read_table(REPOSITORY / "results" / "few_natural" / "tables" / "few_positives_compared.csv")
    first = committed[
        committed["joint_low"].notna() & (committed["candidates"] == "today") & (committed["positives"] == 10)
    ]
    np.testing.assert_allclose(values.mean(axis=0), first["difference"], atol=1e-6)
