"""Choices and thresholds on few positives agree with values by hand, and verdicts follow the rules."""

from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aucstudy.config import REPOSITORY, load_config, read_yaml
from aucstudy.experiments.contract import experiments_of
from aucstudy.experiments.inputs import Task
from aucstudy.jobs.measuring import draw, make_tables, measure
from aucstudy.metrics.kernel import order_of
from aucstudy.metrics.target_metrics import target_of
from aucstudy.sources import settings_of
from aucstudy.store.batches import write_batches
from aucstudy.store.measured import write_frames
from aucstudy.store.tables import read_table, study_table
from aucstudy.store.task_store import Batch, read_predictions, read_tasks
from studies.few_positives import few_positives, natural_outcomes
from studies.few_positives.few_positives import (
    CANDIDATES,
    Sampled,
    Values,
    candidate_sets,
    choices,
    halves_of,
    pairs,
    rules_of_rounds,
)
from studies.few_positives.few_positives_figures import few_positives_gain
from studies.few_positives.few_positives_tables import (
    BOTH,
    CROSSED,
    HINDSIGHT,
    METRICS,
    ONE,
    OTHER,
    RANDOM,
    SAME,
    SELECTED_BY,
    WHOLE,
    Cells,
    Limits,
    contrasts_table,
    digest_of,
    rows_by_group,
    rules_table,
    values_table,
)
from studies.few_positives.judging import Judge, Pool
from studies.few_positives.natural_data import naturals
from studies.few_positives.today import FLOWS_TODAY, OLD, TODAY

FOLDER = REPOSITORY / "studies" / "few_positives"
SMALL = Path(__file__).with_name("few_small.yaml")
pytestmark = pytest.mark.needs("wide", "rare", "boosting")


@cache
def config():
    return load_config(SMALL)


@cache
def experiment():
    return experiments_of(config())["few_positives"]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    numbers = {"models_per_task": config()["models_per_task"], "min_flows": config()["min_flows"], "seed": 1}
    natural_outcomes.fetch(Batch(folder, settings_of(config()), **numbers))
    return folder


def tables_of(store, folder, n_batches):
    """Return the bytes of the study's tables, measured in `n_batches` batches."""
    write_batches(store, n_batches, store / f"batches{n_batches}")
    measured = []
    for batch in sorted((store / f"batches{n_batches}").iterdir()):
        frames = measure(experiment(), batch, settings=experiment().settings_of("measure", config()), seed=1)
        write_frames(frames, folder / batch.stem)
        measured.append(folder / batch.stem)
    settings = experiment().settings_of("tables", config())
    make_tables(experiment(), store, measured, folder / "tables", settings=settings, seed=1, weight="source")
    return {name: (folder / "tables" / file).read_bytes() for name, file in experiment().files.items()}


@pytest.fixture(scope="module")
def tables(store, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    tables_of(store, folder, 1)
    return folder / "tables"


def test_tables_are_the_same_whatever_the_batches(store, tables, tmp_path):
    cut = tables_of(store, tmp_path, 3)
    assert {name: (tables / file).read_bytes() for name, file in experiment().files.items()} == cut


def test_each_cell_has_its_ways_to_choose_and_to_set_the_threshold(tables):
    table = read_table(tables / "few_positives.csv")
    assert set(table["candidates"]) == {"today", "with_old", "rounds"}
    assert set(table["outcomes"]) == {"all", "without cuts", "without doubtful"} - {"without cuts"}
    flows = table[(table["candidates"] == "today") & (table["positives"] == 10)]
    of_f1 = flows.loc[flows["target"] == "f1", ["chosen_on", "threshold"]]
    ways = set(of_f1.itertuples(index=False, name=None))
    shared = {(rows, how) for rows in (ONE, BOTH) for how in (SAME, HINDSIGHT, "bayes", "share")}
    assert ways == shared | {(ONE, OTHER), (BOTH, CROSSED)}
    assert set(flows.loc[flows["target"] == "precision@P", "threshold"]) == {HINDSIGHT}
    assert set(flows["selected_by"]) == {*METRICS, RANDOM}
    rounds = table[table["candidates"] == "rounds"]
    assert set(rounds["positives"]) == {WHOLE}
    assert set(rounds["selected_by"]) == {*SELECTED_BY}
    assert not set(rounds["threshold"]) & {"bayes", "share"}
    random = table[table["selected_by"] == RANDOM]
    assert (random[["gain", "gain_low", "gain_high"]] == 0).all(axis=None)


def test_all_tables_are_made_of_the_rows_by_group_alone(tables):
    rows = read_table(tables / "few_positives_groups.csv.gz")
    names = config()["source_settings"]["datasets"]
    assert set(rows["source_group"]) == {naturals()[name].source_group for name in names}
    assert rows.groupby("source_group")[["cut", "shared"]].first().sum().tolist() == [2, 4]
    table = read_table(tables / "few_positives.csv")
    cell = rows[(rows["candidates"] == "today") & (rows["positives"] == 10) & (rows["target"] == "f1")
                & (rows["chosen_on"] == ONE) & (rows["threshold"] == OTHER) & (rows["kept"] == 1)]  # fmt: skip
    row = table.query(
        "candidates == 'today' and outcomes == 'all' and target == 'f1' and prevalence == 0 and positives == 10 "
        "and chosen_on == 'one' and threshold == 'other' and selected_by == 'average_precision'"
    ).iloc[0]
    value = cell["value_average_precision"]
    assert row["value"] == pytest.approx(value.mean(), abs=1e-6)
    assert row["gain"] == pytest.approx((value - cell["value_random"]).mean(), abs=1e-6)
    assert row["difference"] == pytest.approx((value - cell["value_auroc"]).mean(), abs=1e-6)


def test_training_rows_are_scored_by_models_of_other_rows(store):
    facts = read_tasks(store).set_index("task_id").loc["pbcseq-stage.s0"]
    predictions = read_predictions(store, "pbcseq-stage.s0")
    training = predictions.fold == few_positives.TRAINING
    assert training.sum() == facts["n_training"]
    assert predictions.y_true[training].sum() == facts["n_training_positive"]
    # A tree that was fitted on these rows would be sure of them.
    column = [name.endswith("extra_trees") for name in predictions.run_ids].index(True)
    positive_scores = predictions.scores[training, column][predictions.y_true[training]]
    assert positive_scores.max() < 0.95
    rounds = read_predictions(store, "pbcseq-stage.s0.hist_boosting")
    assert set(rounds.fold) == {0, 1}


def test_a_figure_is_drawn(store, tables, tmp_path):
    draw(
        experiment(),
        experiments_of(config()),
        store,
        tables,
        tmp_path,
        settings={"few_positives_gain": {}},
        weight="source",
    )
    assert (tmp_path / "few_positives_gain.png").stat().st_size > 5000


# --- by hand


def made(seed=0, n=400, n_positive=60, m=3):
    """Return a pool, a judge on the same rows, and a pair of samples of 10 positives with their union."""
    random = np.random.default_rng(seed)
    y = np.arange(n) < n_positive
    scores = 1 / (1 + np.exp(-random.normal(size=(n, m)) - y[:, None] * [0.5, 1.0, 1.5][:m]))
    pool = Pool(y, scores, order_of(y, scores))
    judge = Judge(y, scores, y.mean(), [target_of("f1"), target_of("precision@P")], np.random.default_rng(1))
    pair = pairs(y, 10, y.mean(), 4, np.random.default_rng(2))
    return pool, judge, [Sampled(pool, samples, judge) for samples in (*pair, pair[0] | pair[1])]


def test_a_pair_of_samples_has_no_row_in_common():
    y = np.arange(300) < 30
    first, second = pairs(y, 10, 0.1, 5, np.random.default_rng(0))
    assert not (first & second).any()
    for samples in (first, second):
        assert samples[:, y].sum(axis=1).tolist() == [10] * 5
        assert samples.sum(axis=1).tolist() == [100] * 5
    assert pairs(y, 16, 0.1, 5, np.random.default_rng(0)) is None
    assert pairs(y, 10, 0.05, 5, np.random.default_rng(0)) is None


def test_halves_have_their_share_of_both_classes():
    y = np.arange(101) < 11
    first, second = halves_of(y, 3, np.random.default_rng(0))
    assert (first + second == 1).all()
    assert first[:, y].sum(axis=1).tolist() == [5] * 3
    assert first.sum(axis=1).tolist() == [50] * 3
    assert halves_of(np.arange(50) < 1, 3, np.random.default_rng(0)) is None


def means_by_way(judge, sampled, columns):
    """Return the mean F1 of each metric's choices, by the rows that choose and the way to set thresholds."""
    chosen = [choices(each, judge.targets[0], columns, None) for each in sampled]
    return {
        (rows, how): means for rows, how, means in Values(sampled, judge, 0, {}).of_choices(chosen, columns)
    }


def test_the_same_rows_and_the_other_ones_set_the_thresholds_of_the_same_choices():
    pool, judge, sampled = made()
    by_way = means_by_way(judge, sampled, np.arange(3))
    by_hand = {SAME: [], OTHER: []}
    for draw_number in range(4):
        for own, other in ((0, 1), (1, 0)):
            best = sampled[own].criteria["auroc"][draw_number].argmax()
            for how, sample in ((SAME, own), (OTHER, other)):
                threshold = sampled[sample].best["f1"].threshold[draw_number, best]
                for half in judge.halves:
                    accepted, truth = pool.scores[half, best] >= threshold, pool.y_true[half]
                    by_hand[how].append(2 * (accepted & truth).sum() / (accepted.sum() + truth.sum()))
    for how, values in by_hand.items():
        assert by_way[ONE, how]["auroc"] == pytest.approx(np.mean(values))


def test_crossed_shares_come_from_rows_that_did_not_choose():
    pool, judge, sampled = made(m=1)
    by_way = means_by_way(judge, sampled, np.arange(1))
    by_hand = []
    for draw_number in range(4):
        share = np.mean([each.best["f1"].share[draw_number, 0] for each in sampled[:2]])
        scores = np.sort(pool.scores[sampled[2].samples[draw_number] > 0, 0])[::-1]
        k = round(share * len(scores))
        threshold = (scores[k - 1] + scores[k]) / 2
        for half in judge.halves:
            accepted, truth = pool.scores[half, 0] >= threshold, pool.y_true[half]
            by_hand.append(2 * (accepted & truth).sum() / (accepted.sum() + truth.sum()))
    assert by_way[BOTH, CROSSED]["auroc"] == pytest.approx(np.mean(by_hand))


def test_tied_models_count_alike():
    _, judge, sampled = made()
    twins = np.array([2, 2, 0])
    chosen = choices(sampled[0], judge.targets[0], twins, None)
    assert {tuple(row) for row in chosen["auroc"].tolist()} <= {(0.5, 0.5, 0.0), (0.0, 0.0, 1.0)}
    assert (chosen[RANDOM] == 1 / 3).all()
    assert {*chosen} == {*METRICS, RANDOM}


def test_patience_ends_before_a_late_best_round_and_fixed_rounds_look_at_nothing():
    rounds = np.array([10, 20, 30, 40, 50, 60, 100])
    losses = np.array([[0.5, 0.4, 0.41, 0.42, 0.43, 0.44, 0.1]])
    chosen = {name: rounds[row.argmax()] for name, (row,) in rules_of_rounds(losses, rounds).items()}
    assert chosen == {"100 rounds": 100, "last round": 100, "patience 20": 20, "patience 50": 100}
    shuffled = np.array([3, 0, 6, 1, 5, 2, 4])
    again = rules_of_rounds(losses[:, shuffled], rounds[shuffled])
    assert rounds[shuffled][again["patience 20"][0].argmax()] == 20


def test_learners_of_today_stand_alone_and_with_all_old_ones():
    names = [name for name in FLOWS_TODAY if name != "knn_30"]
    sets = candidate_sets("natural", names, "a.s0", 1)
    assert [names[i] for i in sets["today"]] == [*TODAY]
    assert set(names) == {*TODAY, *OLD} - {"knn_30"}
    assert len(TODAY) == CANDIDATES == len(sets["with_old"])
    assert {*OLD} - {"knn_30"} < {names[i] for i in sets["with_old"]}
    assert not np.array_equal(candidate_sets("natural", names, "b.s0", 1)["with_old"], sets["with_old"])
    assert [*candidate_sets("thinned", names, "a", 1)] == ["older"]


# --- tables and rules of made rows

RULES_FILE = FOLDER / "few_thinned-rules.yaml"
RULES = read_yaml(RULES_FILE)["few_positives"]["rules"]


def tasks_of(n_groups, value, seed=0):
    """Return a frame of tasks in the settings that the rules test.

    `value` gives the value by (selected_by, chosen_on, threshold), to which a little noise is added.
    """
    random = np.random.default_rng(seed)
    ways = [(ONE, SAME), (ONE, OTHER), (BOTH, SAME), (BOTH, CROSSED), (ONE, HINDSIGHT), (BOTH, HINDSIGHT)]
    cells, rows = ((0.03, 10), (0.1, 10), (0.1, 30)), []
    for group in range(n_groups):
        for (prevalence, positives), target, (chosen_on, threshold) in product(
            cells, ("f1", "net:odds"), ways
        ):
            noise = 0.001 * random.normal(size=len(SELECTED_BY))
            values = {
                few_positives.column("value", name): value(name, chosen_on, threshold) + error
                for name, error in zip(SELECTED_BY, noise, strict=True)
            }
            rows.append({
                "task_id": f"g{group}.s0", "source_group": f"g{group}", "candidates": "older", "prevalence": prevalence,
                "positives": positives, "chosen_on": chosen_on, "target": target, "threshold": threshold,
                "false_positives": 20.0, "n_training_positive": 15, **values,
            })  # fmt: skip
    return pd.DataFrame(rows)


def used_twice(name, chosen_on, threshold):
    """Return a value that is two points lower for AP if the same rows choose and set the threshold."""
    return 0.5 - 0.02 * (name == "average_precision" and threshold == SAME)


def test_rules_are_confirmed_and_contradicted_by_their_cells():
    limits = Limits(400, 1)
    verdicts = rules_table(rows_by_group(tasks_of(20, used_twice)), RULES, 15, limits)
    tested = verdicts[verdicts["population"] == "unshared"]
    assert (tested["n_groups"] == 20).all()
    assert set(tested["rule_verdict"]) == {"confirmed"}
    assert set(verdicts.loc[verdicts["population"] == "shared", "verdict"]) == {"too few groups"}
    none = rules_table(rows_by_group(tasks_of(20, lambda *way: 0.5)), RULES, 15, limits)
    told = none[none["population"] == "unshared"].groupby("rule")["rule_verdict"].first()
    assert told["ap-gains-more"] == told["ap-gains-more-by-rates"] == "contradicted"
    assert told["ap-keeps-up"] == told["auroc-needs-none"] == told["do-not-split"] == "confirmed"


def test_contrasts_are_taken_at_the_same_groups_and_beside_auroc():
    cells = Cells(rows_by_group(tasks_of(20, used_twice)), False, 15)
    table = contrasts_table(cells, Limits(400, 1))
    cell = table[
        (table["contrast"] == "other - same") & (table["target"] == "f1") & (table["prevalence"] == 0.1)
    ]
    ap = cell[(cell["selected_by"] == "average_precision") & (cell["positives"] == 10)].iloc[0]
    assert ap["difference"] == pytest.approx(0.02, abs=0.002)
    assert ap["beside_auroc"] == pytest.approx(0.02, abs=0.002)
    assert ap["beside_auroc_low"] > 0.01
    assert set(table["contrast"]) == {
        "other - same", "whole - split", "crossed - split", "crossed - whole", "hindsight - whole",
    }  # fmt: skip


def test_the_figure_has_the_same_groups_on_both_sides(tmp_path):
    cells = Cells(rows_by_group(tasks_of(20, used_twice)), False, 15)
    values_table(cells, Limits(400, 1)).to_csv(tmp_path / "few_positives.csv", index=False)
    study = few_positives.Study(tmp_path, tmp_path)
    figure = few_positives_gain(study)
    titles = [axis.get_title() for axis in figure.axes]
    assert titles == ["10 positives, 20 source groups", "30 positives, 20 source groups"]


def test_the_rules_are_those_of_the_digest_and_speak_of_cells_that_the_study_has():
    assert f"Digest of the rules: {digest_of(RULES)}" in RULES_FILE.read_text(encoding="utf-8")
    study = load_config(FOLDER / "few_thinned.yaml")
    settings = study["few_positives"]
    assert digest_of(settings["rules"]) == digest_of(RULES) == "1d91f533eef891c4"
    assert 3 <= len(RULES) <= 5
    for rule in RULES:
        assert rule["target"] in settings["targets"]
        for prevalence, positives in rule["cells"]:
            assert prevalence in study["source_settings"]["prevalences"]
            assert positives in settings["positives"]
        for term in rule["sum"]:
            assert term["selected_by"] in SELECTED_BY
            assert (term["chosen_on"], term["threshold"]) in {(ONE, SAME), (ONE, OTHER), (BOTH, SAME)}


def test_both_studies_have_five_splits_of_every_outcome_and_no_ties_of_the_processor():
    for study in ("few_natural", "few_thinned"):
        settings = load_config(FOLDER / f"{study}.yaml")["source_settings"]
        assert settings["splits"] == 5
        assert "one_split_above" not in settings
        assert "knn_30" not in settings["flows"]
        assert settings["calibration_folds"] == 3


def test_marks_are_of_the_outcome_and_of_the_source_group():
    tasks = tasks_of(4, used_twice)
    sets = {
        "g0": ("hi-whrswk", "cps"), "g1": ("yogurt-choice", "yogurt"),
        "g2": ("cpssw8-gender", "cps-2"), "g3": ("other", "nhis"),
    }  # fmt: skip
    names, groups = ({key: pair[i] for key, pair in sets.items()} for i in (0, 1))
    renamed = tasks.assign(
        task_id=tasks["source_group"].map(names) + ".p0.1.s0", source_group=tasks["source_group"].map(groups)
    )
    marks = rows_by_group(renamed).groupby("source_group")[["cut", "doubtful", "shared"]].first()
    assert marks.loc["cps"].tolist() == [1, 0, 1]
    assert marks.loc["yogurt"].tolist() == [0, 1, 1]
    assert marks.loc["cps-2"].tolist() == [0, 0, 0]
    assert marks.loc["nhis"].tolist() == [0, 0, 1]


def test_too_few_false_positives_are_in_a_row_of_their_own():
    tasks = tasks_of(1, used_twice)
    other = tasks.assign(task_id="g0.s1", false_positives=3.0)
    rows = rows_by_group(pd.concat([tasks, other], ignore_index=True))
    assert rows.groupby("kept")["n_splits"].first().to_dict() == {0: 1, 1: 1}


def test_of_task_leaves_out_a_number_of_positives_that_no_pair_has(store):
    facts = read_tasks(store).set_index("task_id", drop=False).loc["crime1-narr86.s0"]
    settings = {"bands": [0.05], "targets": ["f1"], "draws": 2, "halvings": 2, "seed": 1}
    (frame,) = few_positives.of_task(Task(store, facts), positives=[5, 400], **settings).values()
    assert set(frame["positives"]) == {5}
    assert few_positives.of_task(Task(store, facts), positives=[400], **settings) == {}


@pytest.fixture
def limits(monkeypatch):
    """Return the module of the benchmark of interval limits."""
    monkeypatch.syspath_prepend(REPOSITORY / "benchmarks")
    return import_module("few_positives_limits")


def test_limits_err_rarely_where_no_metric_is_better(limits):
    random = np.random.default_rng(5)
    values = random.lognormal(size=(40, 6, 4))
    values[25:, :2] = np.nan
    made = limits.levels(values, 40, 200, 1)
    in_use = made[made["limits"] == "in use"]
    assert (in_use["errs"] <= 0.15).all()
    assert set(made["scenario"]) == {"labels permuted", "redrawn"}
    # A permutation keeps the values of a group, also the missing ones, under other labels.
    study = limits.simulated(values, "labels permuted", random)
    assert study.shape == (40, 6 * 3)
    assert np.isnan(study).sum() == 15 * 2 * 3


def test_the_benchmark_reads_a_family_of_limits(limits):
    rows = rows_by_group(tasks_of(20, used_twice)).assign(candidates="today")
    rows = rows[rows["prevalence"] == 0.03]
    values = limits.values_of(rows)
    assert values.shape == (20, 12, 9)


# --- the tables on pages


@pytest.fixture
def few(monkeypatch):
    """Return the module that makes the tables on pages."""
    monkeypatch.syspath_prepend(REPOSITORY / "docs" / "making")
    return import_module("few")


def test_the_blocks_of_pages_are_made_of_the_tables(few, tables, monkeypatch):
    monkeypatch.setattr(few, "committed", lambda _, name: study_table(tables, name))
    text = few.ways_to_set_the_threshold()
    assert "| 5 + 5 positives | 10 + 10 positives | whole validation set, in halves |" in text
    rows = read_table(tables / "few_positives_compared.csv")
    cell = few.selected(
        rows, candidates="today", target="f1", outcomes="all", positives=10, chosen_on=ONE, threshold=OTHER,
        against="same",
    )  # fmt: skip
    for metric in ("auroc", "average_precision"):
        assert few.entry(cell[cell["selected_by"] == metric]) in text
    assert "if AP selects the model than if AUROC selects it. | too few data sets to judge |" in few.rules()


def test_an_interval_within_half_a_point_is_no_difference_that_matters(few):
    ends = {
        "no difference that matters": (-0.005, 0.005), "no difference that matters (above 0)": (0.001, 0.005),
        "no difference that matters (below 0)": (-0.005, -0.001), "better": (0.001, 0.0051),
        "worse": (-0.0051, -0.001), "cannot tell": (-0.0051, 0.001),
    }  # fmt: skip
    assert {words: few.in_words(*interval) for words, interval in ends.items()} == {
        words: words for words in ends
    }

    def marks(low, high):
        return few.entry(pd.DataFrame({"difference": [(low + high) / 2], "low": [low], "high": [high]}))

    assert marks(-0.005, 0.004) == "*0.0* (-0.5 to 0.4)"
    assert marks(0.001, 0.009) == "**+0.5** (0.1 to 0.9)"
    assert marks(-0.009, 0.001) == "-0.4 (-0.9 to 0.1)"


def test_source_groups_of_natural_outcomes_can_be_left_out():
    tables = REPOSITORY / "results" / "few_thinned" / "tables"
    where = "target == 'f1' and threshold == 'same' and prevalence == 0.1 and positives == 10 and chosen_on == 'one'"
    rows = pd.read_csv(tables / "few_positives_groups.csv.gz").query(f"{where} and kept == 1")
    means = pd.read_csv(tables / "few_positives.csv").query(f"{where} and selected_by == 'average_precision'")
    for outcomes, used in (("all", rows), ("without shared", rows[rows["shared"] == 0])):
        (row,) = means[means["outcomes"] == outcomes].itertuples()
        assert row.n_groups == len(used)
        difference = used["value_average_precision"] - used["value_auroc"]
        assert row.difference == pytest.approx(difference.mean(), abs=1e-6)
    assert 0 < (rows["shared"] == 0).sum() < len(rows)
