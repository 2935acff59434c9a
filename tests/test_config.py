"""A wrong configuration is refused in one line that names file, key and value, and what is allowed."""

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


# These 31 lines of lists in lists stand for 10^30 values.
BILLION = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 31))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"selection": {"splts": 9}}, "mine.yaml: selection.splts: unknown key; did you mean 'splits'?"),
        ({"openml": {"apikey": "my secret"}}, "mine.yaml: openml.apikey: unknown key; "),
        ({"seed": "one"}, "mine.yaml: seed: 'one' is not of type 'integer'"),
        ({"seed": float("nan")}, "mine.yaml: seed: nan is not"),
        ({"seed": 1e300}, "mine.yaml: seed: 1e+300 is not"),
        ({"seed": 7.0}, "mine.yaml: seed: 7.0 is not"),
        ({"seed": True}, "mine.yaml: seed: True is not"),
        ({"seed": 2**63}, "mine.yaml: seed: 9223372036854775808 is greater than the maximum"),
        ({"openml": {"pause": float("nan")}}, "mine.yaml: openml.pause: nan is not of type 'number'"),
        ({"fold_skew": {"spreads": [float("inf")]}}, "mine.yaml: fold_skew.spreads.0: inf is not"),
        ({"ranking": []}, "mine.yaml: ranking: [] is not of type 'object'"),
        ({"packaged": {"datasets": ["iris", "iris"]}}, "packaged.datasets: ['iris', 'iris'] has non-unique elements"),
        ({"study": "quick\n"}, "mine.yaml: study: 'quick\\n' does not match"),
        ({"study": "../x"}, "mine.yaml: study: '../x' does not match"),
        ({"study": "benchmarks"}, "mine.yaml: study: 'benchmarks' should not"),
        ({"source": "kaggle"}, "mine.yaml: source: 'kaggle' is not one of"),
        ({"packaged": {"datasets": ["iriss"]}}, "packaged.datasets"),
        ({"packaged": {"flows": ["no_such_flow"]}}, "packaged.flows"),
        ({"files": {"tasks": ".", "label": "y"}}, "mine.yaml: files: is there, but the source is packaged; expected: "),
        ({"openml": {"suite": 99}}, "openml: is there, but the source is packaged; expected: source: openml"),
        ({"source_settings": {}}, "source_settings: is there, but the source is packaged; expected: source: ./source"),
        ({"min_flows": 500}, "min_flows"),
        ({"models_per_task": 500}, "models_per_task"),
        ("[]", "mine.yaml: holds []; expected: keys with their values"),
        ("", "mine.yaml: holds nothing; expected: keys with their values"),
        ("study: [", "mine.yaml: not YAML"),
        ("? []\n: 1\n? []\n: 2\n", "mine.yaml: not YAML (while constructing a mapping"),
        ("seed: " + "[" * 5000, "mine.yaml: blocks and lists are nested too deeply"),
        ("seed: 1\nseed: 2\n", "mine.yaml: not YAML (key 'seed' is there more than once"),
        ("seed: 010\n", "mine.yaml: not YAML (010 is another number in YAML; a number without leading zeros"),
        ("selection:\n  splits: 1:30\n", "1:30 is another number in YAML; a number without"),
        ("seed: !!bool maybe\n", "the tag tag:yaml.org,2002:bool"),
        (BILLION, "mine.yaml: not YAML (the alias *a0; values that are written out are needed"),
    ],
)  # fmt: skip
def test_a_wrong_configuration_is_refused_in_one_line(tmp_path, content, message):
    with pytest.raises(InputError) as caught:
        load(tmp_path, content)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_blocks_of_other_sources_may_stand_where_the_file_names_its_source(tmp_path):
    both = {"files": {"tasks": ".", "label": "y"}, "packaged": {"datasets": ["iris"]}}
    assert load(tmp_path, {**both, "source": "packaged"})["source"] == "packaged"


def test_a_million_resamples_are_not_too_many(tmp_path):
    assert (
        load(tmp_path, {"task_aggregation": {"bootstrap": 10**6}})["task_aggregation"]["bootstrap"] == 10**6
    )


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
