"""Choices on small samples of rare positives are judged as by hand, and verdicts follow from the tables."""

import numpy as np
import pandas as pd
import pytest

from aucstudy.config import REPOSITORY, load_config, read_yaml, shipped_experiments
from aucstudy.errors import InputError
from aucstudy.experiments.inputs import Task
from aucstudy.jobs.measuring import draw, make_tables, measure
from aucstudy.metrics.target_metrics import target_of
from aucstudy.statistics.intervals import joint_limits
from aucstudy.store.batches import write_batches
from aucstudy.store.measured import write_frames
from aucstudy.store.tables import read_table, table_bytes
from aucstudy.store.task_store import Batch, read_tasks
from studies.rare_positives import held_out, rare
from studies.rare_positives.rare import (
    Judge,
    JudgedValues,
    contrasts,
    digest_of,
    drawn,
    judged_choices,
    proper_scores,
    rows_by_group,
    rules_table,
    selected_by_table,
    together,
    verdict,
)

SOURCE = {
    "datasets": ["german", "titanic", "mammographic"],
    "flows": ["decision_stump", "naive_bayes", "logistic", "random_tree", "j48_leaf_10"],
    "prevalences": [0.03, 0.1],
    "closed": ["german"],
    "groups": "all",
}
OF_TASK = {
    "prevalences": [0.03, 0.1],
    "positives": [10, 30],
    "models": [3, 4],
    "targets": ["f1", "recall@.5", "net:odds", "precision@100"],
    "draws": 6,
}
RULE = {
    "name": "better", "says": "It is better.", "chooser": "aupr", "want": "f1", "prevalences": [0.1], "positives": [10],
    "between": [0, None],
}  # fmt: skip
DECLARED = shipped_experiments()
EXPERIMENT = DECLARED["rare"]
FOLDER = REPOSITORY / "studies" / "rare_positives"
TARGET_METRICS = EXPERIMENT.settings["targets"].default


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    held_out.fetch(Batch(folder, SOURCE, models_per_task=4, min_flows=4, seed=1))
    return folder


def tables_of(store, folder, n_batches, rules=(RULE,)):
    """Return the bytes of the study's tables, measured in `n_batches` batches."""
    write_batches(store, n_batches, store / f"batches{n_batches}")
    measured = []
    for batch in sorted((store / f"batches{n_batches}").iterdir()):
        frames = measure(EXPERIMENT, batch, settings={"of_task": OF_TASK}, seed=1)
        write_frames(frames, folder / batch.stem)
        measured.append(folder / batch.stem)
    settings = {"over_all": {"bootstrap": 100, "rules": list(rules)}}
    make_tables(EXPERIMENT, store, measured, folder / "tables", settings=settings, seed=1)
    return {name: (folder / "tables" / file).read_bytes() for name, file in EXPERIMENT.files.items()}


def test_tables_are_the_same_whatever_the_batches(store, tmp_path):
    (tmp_path / "a").mkdir(), (tmp_path / "b").mkdir()
    whole, cut = tables_of(store, tmp_path / "a", 1), tables_of(store, tmp_path / "b", 3)
    assert whole == cut
    table = pd.read_csv(tmp_path / "a" / "tables" / "rare.csv")
    cell = table[(table["prevalence"] == 0.1) & (table["positives"] == 10) & (table["n_models"] == 4)]
    assert set(cell.loc[cell["threshold"] == "sample", "target"]) == {"f1", "net:odds"}
    cell = cell[
        (cell["target"] == "net:odds") & (cell["trained"] == "thinned") & (cell["threshold"] == "best")
    ]
    assert set(cell["selected_by"]) == {*rare.SELECTION_METRICS}
    assert (cell["n_groups"] + cell["n_too_few"] == 3).all()
    assert cell.set_index("selected_by").loc["auroc", ["difference", "low", "high"]].tolist() == [0, 0, 0]
    assert not set(table.loc[table["trained"] == "natural", "selected_by"]) & set(rare.PROPER)
    assert set(table.loc[table["trained"] != "thinned", "n_models"]) == {4}
    rows = read_table(tmp_path / "a" / "tables" / "rare_groups.csv.gz")
    assert table_bytes(selected_by_table(rows)[[*EXPERIMENT.tables["rare"].columns]]) == whole["rare"]
    verdicts = pd.read_csv(tmp_path / "a" / "tables" / "rare_rules.csv")
    assert verdicts["population"].tolist() == ["two thirds", "closed third", "all"]
    assert set(verdicts["verdict"]) == {"too few groups"}
    draw(EXPERIMENT, DECLARED, store, tmp_path / "a" / "tables", tmp_path, settings={"rare_selected_by": {}})
    assert (tmp_path / "rare_selected_by.png").stat().st_size > 5000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rare: {targets: [f1, recall@2]}", "rare.targets.1: 'recall@2' does not match"),
        ("rare: {rules: [{name: a}]}", "rare.rules.0: 'says' is a required property"),
        ("source_settings: {groups: closed}", "source_settings.groups: 'closed' is not one of"),
    ],
)  # fmt: skip
def test_what_the_study_file_must_not_say_is_refused(tmp_path, text, said):
    path = tmp_path / "mine.yaml"
    experiment, source = FOLDER / "rare", FOLDER / "held_out.py"
    path.write_text(f"study: mine\nsource: {source}\nexperiments: [{experiment}]\n{text}\n")
    with pytest.raises(InputError) as refusal:
        load_config(path)
    assert said in str(refusal.value)


def test_every_want_of_the_settings_can_be_read():
    for name in TARGET_METRICS:
        assert target_of(name).name == name


def test_both_arms_choose_on_the_same_samples(store):
    facts = read_tasks(store).set_index("task_id", drop=False)
    arms = [
        rare.of_task(Task(store, facts.loc[f"titanic.{arm}.s0"]), seed=1, **OF_TASK)["rare_tasks"]
        .query("prevalence == 0.1 and n_models == 4")
        .reset_index(drop=True)
        for arm in ("p0.1", "c0.1", "natural")
    ]
    thinned, crossed, natural = arms
    keys = ["positives", "target", "threshold"]
    assert thinned[keys].equals(crossed[keys])
    assert thinned[keys].equals(natural[keys])
    assert crossed["n_training_positive"].iloc[0] == thinned["n_training_positive"].iloc[0]
    assert crossed["trained"].unique().tolist() == ["crossed"]


def test_a_sample_has_its_positives_at_the_prevalence_and_none_twice():
    y = np.arange(400) < 40
    samples = drawn(y, 10, 0.1, 5, np.random.default_rng(0))
    assert samples.max() == 1
    assert (samples[:, y].sum(axis=1) == 10).all()
    assert (samples.sum(axis=1) == 100).all()
    assert drawn(y, 10, 10 / 371, 5, np.random.default_rng(0)) is None


def test_the_judge_weighs_negatives_to_the_prevalence():
    rng = np.random.default_rng(2)
    y = rng.random(2000) < 0.3
    scores = rng.normal(size=(2000, 3)) + y[:, None]
    judge = Judge(y, scores, 0.05, [target_of("f1"), target_of("recall@.9")], np.random.default_rng(1))
    for half in (0, 1):
        rows = judge.halves[half]
        at = np.array([[0.3, 0.8, 1.7]])
        for m in range(3):
            accepted = scores[rows, m] >= at[0, m]
            true, false = (accepted & y[rows]).sum(), judge.weight * (accepted & ~y[rows]).sum()
            expected = 2 * true / (true + false + y[rows].sum())
            assert judge.values_at(at, judge.targets[0])[half, 0, m] == pytest.approx(expected)
            N = judge.weight * (~y[rows]).sum()
            net, cost = (judge.values_at(at, target_of(name))[half, 0, m] for name in ("net:odds", "cost:10"))
            assert net == pytest.approx(true / y[rows].sum() - false / N)
            cheaper = min(10 * y[rows].sum(), N)
            assert cost == pytest.approx(1 - (10 * (y[rows].sum() - true) + false) / cheaper)
            assert judge.values[half, 0, m] >= expected
    assert y.sum() / (y.sum() + judge.weight * (~y).sum()) == pytest.approx(0.05)
    assert judge.halves.sum(axis=1).tolist() == pytest.approx([1000, 1000], abs=1)


def test_one_half_names_the_best_and_the_other_scores_it():
    # Model 0 is the best by the first half, model 2 by the second.
    judged = np.array([[[0.9, 0.5, 0.1]], [[0.3, 0.6, 0.8]]])
    values = JudgedValues("f1", "best", judged, 10.0, np.array([[0.0, 1.0, 0.0]]))
    criteria = {"auroc": np.array([[1.0, 0.0, 0.0]]), "aupr": np.array([[0.5, 0.5, 0.0]])}
    (row,) = judged_choices([values], criteria, np.array([[1, 2, 0]]))
    best = (0.3 + 0.1) / 2
    assert row["regret"] == pytest.approx(best - (0.9 + 0.3) / 2)
    # Of tied models the first in the shared order is chosen, which is model 1.
    assert row["difference aupr"] == pytest.approx((0.5 + 0.6) / 2 - 0.6)
    assert row["difference the target itself"] == row["difference aupr"]
    assert row["difference random"] == pytest.approx((0.5 + 1.7 / 3) / 2 - 0.6)
    assert (row["best_third auroc"], row["best_third aupr"]) == (0.5, 0)
    assert row["best_third random"] == pytest.approx(1 / 3)


def test_proper_scores_are_those_of_scikit_learn_and_need_probabilities():
    from sklearn.metrics import brier_score_loss, log_loss

    rng = np.random.default_rng(0)
    y, scores = rng.random(50) < 0.3, rng.random((50, 2))
    samples = np.stack([np.arange(50) < 25, np.arange(50) >= 25]).astype(np.uint8)
    made = proper_scores(y, scores, samples)
    for s, m in ((0, 0), (1, 1)):
        rows = samples[s] == 1
        assert made["brier"][s, m] == pytest.approx(-brier_score_loss(y[rows], scores[rows, m]))
        assert made["log_loss"][s, m] == pytest.approx(-log_loss(y[rows], scores[rows, m]))
    assert proper_scores(y, scores - 0.5, samples) == {}


def test_a_trend_counts_only_groups_that_have_every_cell():
    cells = pd.DataFrame(
        {
            (0.01, 10): [5.0, 1.0, 2.0],
            (0.1, 10): [1.0, 1.0, 1.0],
            (0.01, 30): [3.0, 1.0, np.nan],
            (0.1, 30): [1.0, 0.0, 1.0],
        },
        index=["a", "b", "c"],
    )
    made = contrasts(cells, (0.01, 0.1), (10, 30))
    assert made.index.tolist() == ["a", "b"]
    assert made["prevalence"].tolist() == [3.0, 0.5]
    assert made["positives"].tolist() == [1.0, 0.5]
    assert contrasts(cells, (0.01, 0.2), (10,)).empty


def made_groups(differences):
    """Return the frame of source groups for one setting, with these differences of AUPR."""
    index = pd.MultiIndex.from_tuples(
        [("thinned", 0.1, 10, 24, "f1", "best", f"g{i:02d}") for i in range(len(differences))],
        names=[*rare.CELL, "source_group"],
    )
    columns = {"difference aupr": differences, "difference auroc": 0.0, "regret random": 0.1}
    return pd.DataFrame(columns, index=index)


def test_verdicts_follow_from_intervals_and_numbers_of_groups():
    groups = made_groups(0.02 + 0.001 * np.random.default_rng(0).normal(size=45))
    closed = pd.Series(np.arange(45) % 3 == 2, index=groups.index.get_level_values("source_group"))
    rules = [
        RULE,
        {**RULE, "name": "alike", "between": [-0.005, 0.005], "alike": True},
        {**RULE, "name": "near", "between": [-0.05, 0.05], "alike": True},
        {**RULE, "name": "absent", "prevalences": [0.01]},
        {**RULE, "name": "trend", "trend": "prevalence", "prevalences": [0.01, 0.1], "positives": [10]},
    ]  # fmt: skip
    table = rules_table(groups, closed, rules, 200, 1).set_index(["population", "rule"])
    for population, n in (("two thirds", 30), ("closed third", 15), ("all", 45)):
        own = table.loc[population]
        assert own["verdict"].to_dict() == {
            "better": "confirmed", "alike": "contradicted", "near": "open", "absent": "too few groups",
            "trend": "too few groups",
        }  # fmt: skip
        assert own.loc["better", "n_groups"] == n
    assert table.loc[("all", "near"), "within"] == pytest.approx(0.01)
    assert table["digest"].nunique() == 1
    open_only = rules_table(groups, closed & False, rules, 200, 1)
    assert set(open_only["population"]) == {"two thirds"}


def test_the_rules_have_the_limits_of_the_other_tables():
    # For values with a long tail, sign flips would give limits that are too narrow.
    groups = made_groups(np.random.default_rng(1).exponential(0.02, 24) - 0.01)
    closed = pd.Series(False, index=groups.index.get_level_values("source_group"))
    (cell,) = rules_table(groups, closed, [RULE], 400, 1).to_dict("records")
    values = groups["difference aupr"].to_numpy()[:, None]
    expected = np.ravel(joint_limits(values, 400, 1))
    assert [cell["estimate"], cell["low"], cell["high"]] == pytest.approx(expected)


def test_under_ten_closed_groups_confirm_nothing():
    groups = made_groups(np.full(24, 0.02))
    closed = pd.Series(np.arange(24) < 9, index=groups.index.get_level_values("source_group"))
    table = rules_table(groups, closed, [RULE], 200, 1).set_index("population")
    assert table["verdict"].to_dict() == {
        "two thirds": "confirmed", "closed third": "too few groups", "all": "confirmed"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("verdicts", "of_rule"),
    [
        (["confirmed", "too few groups"], "confirmed"),
        (["confirmed", "open"], "open"),
        (["contradicted", "open"], "contradicted"),
        (["too few groups"], "too few groups"),
    ],
)
def test_a_rule_is_contradicted_by_one_cell_and_confirmed_by_all_that_count(verdicts, of_rule):
    assert together(verdicts) == of_rule


def test_an_end_that_a_rule_does_not_have_is_never_passed():
    cell = {"low": 0.01, "high": 0.02, "at_least": 0, "at_most": np.nan, "within": np.nan}
    assert verdict(cell) == "confirmed"


def test_the_rules_speak_of_what_the_study_measures():
    rules = read_yaml(FOLDER / "rare-rules.yaml")
    settings = {name: setting.default for name, setting in EXPERIMENT.settings.items()}
    assert rules["source_settings"]["closed"]
    assert 5 <= len(rules["rare"]["rules"]) <= 10
    for rule in map(rare.in_table_words, rules["rare"]["rules"]):
        assert rule["target"] in settings["targets"]
        assert {rule["selected_by"], rule.get("against", "auroc")} <= set(rare.SELECTION_METRICS)
        assert set(rule["prevalences"]) <= set(settings["prevalences"])
        assert set(rule["positives"]) <= set(settings["positives"])
        assert rule.get("trend") in (None, "prevalence", "positives")


def test_the_rules_are_those_that_the_committed_verdicts_were_computed_by():
    rules = read_yaml(FOLDER / "rare-rules.yaml")["rare"]["rules"]
    committed = read_table(REPOSITORY / "results" / "rare" / "tables" / "rare_rules.csv")
    assert set(committed["digest"]) == {digest_of(rules)}
    assert {rule["name"] for rule in rules} == set(committed["rule"])


def test_exactly_ten_false_positives_are_kept_whatever_the_rounding():
    cell = dict(zip(rare.CELL, ("thinned", 0.1, 10, 3, "f1", "best"), strict=True))
    values = {
        f"{quantity} {name}": 0.0
        for name in rare.SELECTION_METRICS
        for quantity in ("difference", "best_third")
    }
    tasks = pd.DataFrame({**values, **cell, "regret": 0.0, "n_training_positive": 20}, index=range(3))
    tasks = tasks.assign(source_group=["a", "b", "c"], false_positives=[9.999999999999998, 10.0, 9.75])
    rows = rows_by_group(tasks, pd.Series(False, index=["a", "b", "c"])).set_index("source_group")
    assert rows["kept"].to_dict() == {"a": 1, "b": 1, "c": 0}
    table = selected_by_table(rows.reset_index())
    assert table[["n_groups", "n_too_few"]].drop_duplicates().to_numpy().tolist() == [[2, 1]]


def test_the_committed_table_is_made_of_the_committed_rows_by_source_group():
    tables = REPOSITORY / "results" / "rare" / "tables"
    rows, committed = (read_table(tables / name) for name in ("rare_groups.csv.gz", "rare.csv"))
    # All twelve target metrics would take ten seconds, so only two are made anew. One is judged at two
    # thresholds, the other at one.
    some, committed = (
        table[table["target"].isin(["net:odds", "precision@P"])] for table in (rows, committed)
    )
    made = selected_by_table(some)
    assert len(made) > 1000
    assert table_bytes(made[[*EXPERIMENT.tables["rare"].columns]]) == table_bytes(committed)
    assert (tables / "rare_groups.csv.gz").stat().st_size < 12e6
    assert set(rows["kept"]) == {0, 1}
    assert (rows["false_positives"] >= 10 - 1e-6)[rows["kept"] == 1].all()
