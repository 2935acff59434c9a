"""Each factor of a study redrawn alone: only what is redrawn changes, and nothing else moves an area's choice."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from aucstudy.area_names import DISTINCT_AREAS, DISTINCT_PAIRS
from aucstudy.config import load_config
from aucstudy.experiments import contract, variance
from aucstudy.experiments.inputs import Study, Task
from aucstudy.experiments.variance import (
    best_differs,
    best_models,
    fitted,
    redrawn,
    replicate_areas,
)
from aucstudy.figures import variance as drawings
from aucstudy.learners.cross_validation import draw_flows, prepare_folds
from aucstudy.learners.datasets import DataSet
from aucstudy.learners.flows import FLOWS, Flow, Output
from aucstudy.metrics.areas import areas_many
from aucstudy.statistics.ranks import agreement

FIXED, RANDOM = FLOWS["naive_bayes"], FLOWS["random_tree"]
SETTINGS = {
    "cross_validations": 3, "learner_seeds": 2, "models": 2, "flow_draws": 4, "halves": 6,
}  # fmt: skip
SELF = "differs from itself"


def data(name="made", n_positive=20, n_negative=60):
    rng = np.random.default_rng(len(name))
    target = np.arange(n_positive + n_negative) < n_positive
    features = pd.DataFrame({"x": rng.normal(target), "z": rng.normal(0.5 * target)})
    return DataSet(name, name, features, target, "yes", "no")


def task(name="made"):
    made = Task(Path(), name, {}, lambda task_id: (data(task_id), None))
    made.__dict__["facts"] = {"n_folds": 3}
    return made


class Breaking(DummyClassifier):
    def fit(self, X, y):
        raise ValueError("does not work")


@pytest.fixture(scope="module")
def replicates():
    return fitted(data(), [FIXED, RANDOM], 3, 2, 2, seed=1)


@pytest.fixture(scope="module")
def frames():
    measured = {}
    for name, group in (("one", "a"), ("three", "a"), ("fifth", "b")):
        made = variance.of_task(task(name), **SETTINGS, flows=["naive_bayes", "knn_3", "logistic"], seed=1)
        for key, frame in made.items():
            measured.setdefault(key, []).append(frame.assign(task_id=name, source_group=group))
    return {key: pd.concat(of_tasks, ignore_index=True) for key, of_tasks in measured.items()}


def test_another_learner_seed_moves_only_flows_that_take_one(replicates):
    fixed, random = np.moveaxis(replicates.scores, -1, 0)
    assert np.array_equal(fixed[:, 0], fixed[:, 1])
    assert not np.array_equal(random[:, 0], random[:, 1])


def test_another_split_moves_every_flow_under_the_same_learner_seed(replicates):
    for of_flow in np.moveaxis(replicates.scores, -1, 0):
        assert not np.array_equal(of_flow[0], of_flow[1])


def test_one_more_split_or_seed_leaves_the_others_as_they_were(replicates):
    more = fitted(data(), [RANDOM], 3, 3, 3, seed=1)
    assert np.array_equal(more.scores[:2, :2, :, 0], replicates.scores[..., 1])


def test_the_first_replicate_is_the_task_stores(replicates):
    store = draw_flows([FIXED, RANDOM], prepare_folds(data(), 3, 1), "made", 2, 1)
    assert redrawn(1, "learner seed", 0) == 1
    assert np.array_equal(replicates.scores[0, 0], store.scores)


def test_areas_of_all_rows_are_those_of_the_metrics(replicates):
    areas = replicate_areas(data(), replicates.scores, 4, seed=1)
    assert areas.shape == (2, 2, 5, 3, 2)
    expected = areas_many(data().target, replicates.scores[1, 0])
    for k, area in enumerate(DISTINCT_AREAS):
        assert areas[1, 0, 0, k] == pytest.approx(getattr(expected, area), abs=1e-11)


def test_flows_without_randomness_never_disagree_with_themselves_over_learner_seeds(frames):
    rows = frames["variance_tasks"].query("factor == 'learner seed'")
    itself = rows["first"] == rows["second"]
    assert (rows.loc[itself, "differs"] == 0).all()
    assert (rows.loc[~itself, "variance"] == 0).all()


def test_all_flows_drawn_leave_nothing_to_their_draw():
    settings = {**SETTINGS, "models": 3}
    by_task = variance.of_task(task(), **settings, flows=["naive_bayes", "knn_3", "logistic"], seed=1)[
        "variance_tasks"
    ]
    rows = by_task.query("factor == 'flows drawn'")
    assert (rows.loc[rows["first"] == rows["second"], "differs"] == 0).all()


def test_the_same_seed_gives_the_same_frames(frames):
    again = variance.of_task(task("three"), **SETTINGS, flows=["naive_bayes", "knn_3", "logistic"], seed=1)
    for name, frame in again.items():
        of_task = frames[name][frames[name]["task_id"] == "three"].reset_index(drop=True)
        ids = ["task_id", "source_group"]
        pd.testing.assert_frame_equal(frame, of_task.drop(columns=ids), check_dtype=False)


def test_best_models_differ_as_rankings_do_where_both_have_all_models():
    for first, second in product(product([0.1, 0.2], repeat=3), repeat=2):
        a, b = np.array(first), np.array(second)
        assert best_differs(a == a.max(), b == b.max()) == pytest.approx(1 - agreement(a, b))


def test_only_drawn_models_are_best():
    areas = np.array([[3.0, 2.0, 1.0]])
    best = best_models(areas, 2, 200, np.random.default_rng(0))[:, 0]
    # the first is drawn in two of three draws; where it is not, the second is best
    assert (best.sum(axis=1) == 1).all()
    assert best[:, 0].mean() == pytest.approx(2 / 3, abs=0.1)
    assert not best[:, 2].any()


def test_the_parts_of_a_made_disagreement_come_out():
    # two splits, one seed (twice), all rows and two halves alike, one draw (twice), three areas, two models: AUPR
    # changes its mind with the split, AUPRG and AUROC never do
    best = np.zeros((2, 2, 3, 2, 3, 2), dtype=bool)
    best[..., 0] = True
    best[1, ..., 0, :] = [False, True]
    rows = pd.DataFrame(variance.by_factor(best)).set_index(["factor", "first", "second"])
    assert rows.loc[("split", "aupr", "aupr"), "differs"] == 1
    assert rows.loc[("split", "auprg", "auprg"), "differs"] == 0
    assert rows.loc[("learner seed", "aupr", "aupr"), "differs"] == 0
    pair = rows.loc[("split", "aupr", "auprg")]
    assert (pair["differs"], pair["variance"], pair["differs_twice"]) == (0.5, 0.5, 0)
    assert rows.loc[("learner seed", "aupr", "auprg"), "variance"] == 0
    assert rows.loc[("all four", "aupr", "auprg"), "variance"] == 0.5


def test_a_fit_that_fails_is_a_row_that_says_why_and_its_flow_is_left_out():
    breaking = Flow("breaking", Output.PROBABILITY, lambda seed: Breaking())
    replicates = fitted(data(), [breaking, FIXED], 3, 2, 2, seed=1)
    assert replicates.flows == ("naive_bayes",)
    assert replicates.scores.shape == (2, 2, 80, 1)
    assert replicates.failures["flow_name"].tolist() == ["breaking"] * 2
    assert replicates.failures["detail"][0] == "fold 0: ValueError: does not work"


@pytest.fixture(scope="module")
def table(frames):
    return variance.over_all(Study(Path(), Path(), frames), bootstrap=200, seed=1)["variance"]


def test_the_deviation_of_the_share_is_that_of_a_mean_of_independent_tasks(table, frames):
    pair = frames["variance_tasks"].query("factor == 'split' and first == 'aupr' and second == 'auprg'")
    row = table.query(
        "factor == 'split' and first == 'aupr' and second == 'auprg' and quantity == 'sd of share'"
    )
    assert row["estimate"].item() == pytest.approx(np.sqrt(pair["variance"].sum()) / 3)
    assert row["n_tasks"].item() == 3
    assert row["n_groups"].item() == 2


def test_a_factor_that_never_moves_a_choice_has_an_exact_upper_bound(table):
    row = table.query(f"factor == 'learner seed' and quantity == '{SELF}'").iloc[0]
    assert (row["estimate"], row["low"]) == (0, 0)
    assert row["high"] == pytest.approx(1 - 0.025 ** (1 / 2))


def test_a_range_says_whether_the_published_share_lies_inside(table):
    shares = table[table["quantity"] == "share"]
    assert len(shares) == 7 * len(DISTINCT_PAIRS)
    assert set(shares["printed"]) == {0.24, 0.29, 0.22}
    inside = (shares["low"] <= shares["printed"]) & (shares["printed"] <= shares["high"])
    assert (shares["inside"].astype(bool) == inside).all()
    wide = shares.set_index(["factor", "first", "second"])["high"]
    assert (wide["all five"] >= wide["all four"] - 1e-12).all()


def test_other_data_sets_are_compared_between_source_groups_only(frames):
    areas = frames["areas"]
    rows = list(variance.other_data_set(areas, 100, 1))
    apart = []
    for (_, _), of_replicate in areas.groupby(["cross_validation", "learner_seed"]):
        flows = of_replicate.loc[of_replicate.groupby("task_id")["aupr"].idxmax()].set_index("task_id")
        apart += [
            flows.loc[name, "flow_name"] != flows.loc["fifth", "flow_name"] for name in ("one", "three")
        ]
    assert rows[0]["estimate"] == pytest.approx(np.mean(apart))
    assert (rows[0]["n_tasks"], rows[0]["n_groups"]) == (3, 2)


def test_the_figure_holds_every_factor(table, tmp_path):
    table.to_csv(tmp_path / "variance.csv", index=False)
    figure = drawings.variance(Study(tmp_path, tmp_path))
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert len(labels) == 7
    assert [labels[0], *labels[4:]] == ["learner seed", "all four", "data sets", "all five"]


def test_a_study_where_nothing_was_fitted_has_no_table():
    assert (
        variance.over_all(Study(Path(), Path(), {"variance_tasks": pd.DataFrame()}), bootstrap=9, seed=1)
        == {}
    )


def test_it_is_made_only_where_a_study_of_packaged_data_asks_for_it():
    def made(config):
        return [experiment.name for experiment in contract.studied(config)]

    assert "variance" not in made(load_config())
    config = load_config("studies/variance.yaml")
    assert "variance" in made(config)
    assert "variance" not in made({**config, "source": "openml"})
    assert {name.partition(".")[0] for name in made(config)} <= {"variance", "papers"}
