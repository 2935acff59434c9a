"""A wrong configuration is one line that names file, key, value and what is allowed."""

import subprocess
import sys

import pytest
import yaml

from aucstudy.config import REPOSITORY, completed, load_config, located, overlay, working_folder
from aucstudy.errors import InputError


def load(tmp_path, content):
    study = tmp_path / "mine.yaml"
    study.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return load_config(study)


def test_the_default_and_every_study_file_are_valid():
    assert load_config()["study"] == "default"
    assert load_config("studies/quick.yaml")["study"] == "quick"


def test_a_configuration_is_checked_without_scikit_learn_which_takes_a_second():
    code = (
        "import sys; from aucstudy.config import load_config; load_config(); print('sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# lists of lists of lists, 10^30 values in 31 lines
BILLION = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 31))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"selection": {"bootstrp": 9}}, "mine.yaml: selection.bootstrp: unknown key (value 9); did you mean"),
        ({"seed": "one"}, "mine.yaml: seed: is 'one'; wanted: a whole number"),
        ({"seed": float("nan")}, "mine.yaml: seed: is nan; wanted: a whole number"),
        ({"openml": {"pause": float("nan")}}, "mine.yaml: openml.pause: is nan; wanted: a finite number"),
        ({"fold_skew": {"spreads": [float("nan")]}}, ".spreads: is nan; wanted: a finite"),
        ({"openml": {"timeout": float("inf")}}, "mine.yaml: openml.timeout: is inf; wanted: a finite number"),
        ({"selection": {"bootstrap": 10**9}}, "selection.bootstrap: is 1000000000; wanted: at most 1,000,000"),
        ({"ranking": []}, "mine.yaml: ranking: is []; wanted: a block of keys"),
        ({"downsampling": {"refitting": {"flows": []}}}, "refitting.flows: is []; wanted: a list that is not empty"),
        ("[]", "mine.yaml: holds []; wanted: keys with their values"),
        ("", "mine.yaml: holds nothing; wanted: keys with their values"),
        ("? []\n: 1\n? []\n: 2\n", "mine.yaml: not YAML (while constructing a mapping"),
        ("seed: 2020-13-45", "mine.yaml: not YAML (month must be in 1..12"),
        ("seed: " + "[" * 5000, "mine.yaml: blocks and lists stand too deep in one another"),
        ("seed: &a [*a]", "mine.yaml: not YAML (the alias *a; values that are written out are wanted"),
        ({"seed": -1}, "mine.yaml: seed: is -1; wanted: at least 0"),
        ({"packaged": {"folds": 1}}, "mine.yaml: packaged.folds: is 1; wanted: at least 2"),
        ({"packaged": {"rows": 99}}, "mine.yaml: packaged.rows: is 99; wanted: at least 100"),
        ({"packaged": {"lists": 1}}, "mine.yaml: packaged.lists: is 1; wanted: a list of CSV files"),
        ({"packaged": {"datasets": []}}, "packaged.datasets: is []; wanted: a word, or a list of names, each once"),
        ({"packaged": {"datasets": ["iris", "iris"]}}, "packaged.datasets: is ['iris', 'iris']; wanted: a word, or"),
        ({"seed": 1e300}, "mine.yaml: seed: is 1e+300; wanted: a whole number"),
        ({"seed": 7.0}, "mine.yaml: seed: is 7.0; wanted: a whole number"),
        ({"seed": 2**63}, "mine.yaml: seed: is 9223372036854775808; wanted: at most 9223372036854775807"),
        ({"study": "quick\n"}, "mine.yaml: study: is 'quick\\n'; wanted: text like"),
        ({"source": "kaggle"}, "mine.yaml: source: is 'kaggle'; wanted: packaged | openml"),
        ({"study": "benchmarks"}, "mine.yaml: study: is 'benchmarks'; wanted: another value"),
        ({"study": "x" * 240}, "wanted: text like ^[a-z0-9][a-z0-9_-]{0,99}$"),
        ({"study": "../x"}, "mine.yaml: study: is '../x'; wanted: text like"),
        ({"ranking": {"aggregation": "median"}}, "ranking.aggregation: is 'median'; wanted: pooled | fold_mean"),
        ({"packaged": {"datasets": ["iriss"]}}, "packaged.datasets"),
        ({"packaged": {"flows": ["no_such_flow"]}}, "packaged.flows"),
        ({"min_flows": 500}, "min_flows"),
        ({"models_per_task": 500}, "models_per_task"),
        ("study: [", "mine.yaml: not YAML"),
        ("seed: 1\nseed: 2\n", "mine.yaml: not YAML (key 'seed' is there more than once"),
        ("seed: 010\n", "mine.yaml: not YAML (010 is another number in YAML; a number without leading zeros"),
        ("selection:\n  bootstrap: 1:30\n", "1:30 is another number in YAML; a number without"),
        ("ranking: -1:30.5\n", "-1:30.5 is another number in YAML"),
        ("study: !!timestamp x\n", "the tag tag:yaml.org,2002:timestamp; values that are written out are wanted"),
        ("seed: !!bool maybe\n", "the tag tag:yaml.org,2002:bool"),
        ("study: !mine x\n", "the tag !mine"),
        (BILLION, "mine.yaml: not YAML (the alias *a0; values that are written out are wanted"),
        ("- a\n- b\n", "mine.yaml: holds ['a', 'b']; wanted: keys"),
    ],
)  # fmt: skip
def test_a_wrong_configuration_is_refused_in_one_line(tmp_path, content, message):
    with pytest.raises(InputError) as caught:
        load(tmp_path, content)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_million_resamples_are_not_too_many(tmp_path):
    assert load(tmp_path, {"selection": {"bootstrap": 10**6}})["selection"]["bootstrap"] == 10**6


def test_a_missing_study_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"absent\.yaml: cannot be read"):
        load_config(tmp_path / "absent.yaml")


def test_an_overlay_replaces_lists_and_merges_blocks():
    assert overlay({"a": {"b": [1, 2], "c": 1}}, {"a": {"b": [3]}}) == {"a": {"b": [3], "c": 1}}


FILES = {"study": "mine", "source": "files"}


def with_files(folder):
    (folder / "f").mkdir(parents=True)
    (folder / "f" / "one.csv").write_text("y,a,b,c\n1,1,2,3\n0,1,2,3\n")
    return folder


def test_paths_of_a_study_are_taken_from_its_folder(tmp_path, monkeypatch):
    folder = with_files(tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    for tasks, full in (("f", str(folder / "f")), (["f/one.csv"], [str(folder / "f/one.csv")])):
        config = load(
            folder, {**FILES, "models_per_task": 3, "min_flows": 3, "files": {"tasks": tasks, "label": "y"}}
        )
        assert config["files"]["tasks"] == full
    openml = {"study": "mine", "source": "openml", "openml": {"cache": "../kept", "pinned": "f/one.csv"}}
    assert load(folder, openml)["openml"] == {
        "cache": str(tmp_path / "kept"),
        "pinned": str(folder / "f/one.csv"),
    }


def test_a_path_is_taken_from_the_last_file_that_names_it(tmp_path):
    blocks = {"files": {"tasks": "f", "label": "y"}}, {"files": {"tasks": "f"}}, {"files": {"label": "z"}}
    origins = {f"{tmp_path}/{i}/study.yaml": block for i, block in enumerate(blocks)}
    assert located({"files": {"tasks": "f"}}, origins)["files"]["tasks"] == f"{tmp_path}/1/f"
    assert located({"files": {"tasks": "g"}}, origins)["files"]["tasks"] == str(working_folder() / "g")
    assert located({"files": {"tasks": 5}, "openml": None}, origins) == {
        "files": {"tasks": 5},
        "openml": None,
    }


@pytest.mark.parametrize("tasks", ["g", ["g/one.csv"]])
def test_what_is_not_there_is_named_by_its_full_path(tmp_path, monkeypatch, tasks):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as refusal:
        load(tmp_path, {**FILES, "files": {"tasks": tasks, "label": "y"}})
    assert str(refusal.value).startswith(f"files.tasks: {tmp_path}/g")


def test_a_path_as_it_was_taken_before_is_refused_with_both_places(tmp_path, monkeypatch):
    folder = tmp_path / "mine"
    with_files(tmp_path), folder.mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as refusal:
        load(folder, {**FILES, "files": {"tasks": "f", "label": "y"}})
    why = "a path is taken from the folder of the file that names it"
    assert (
        str(refusal.value)
        == f"mine.yaml: files.tasks: {folder}/f is not there, though {tmp_path}/f is; {why}"
    )


def test_data_and_results_stand_where_the_command_is_given_and_in_a_checkout_at_its_top(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(REPOSITORY / "studies")
    assert working_folder() == REPOSITORY
    assert working_folder(REPOSITORY / "build") == REPOSITORY / "build"
    assert working_folder("sub/../other") == REPOSITORY / "studies" / "other"
    monkeypatch.chdir(tmp_path)
    assert working_folder() == tmp_path


@pytest.mark.parametrize(
    ("study", "least"),
    [
        ({"source": "files", "files": {"tasks": "."}}, 2),
        ({"models_per_task": 12}, 12),
        ({"source": "files", "files": {"tasks": "."}, "min_flows": 4}, 4),
    ],
)
def test_own_files_may_have_two_models_and_other_tasks_as_many_as_are_drawn(study, least):
    assert completed(study)["min_flows"] == least
