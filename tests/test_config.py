"""A wrong configuration is one line that names file, key, value and what is allowed."""

import subprocess
import sys

import pytest
import yaml

from aucstudy.config import load_config, overlay
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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"selection": {"bootstrp": 9}}, "mine.yaml: selection.bootstrp: unknown key (value 9); did you mean"),
        ({"seed": "one"}, "mine.yaml: seed: is 'one'; wanted: a whole number"),
        ({"seed": float("nan")}, "mine.yaml: seed: is nan; wanted: a whole number"),
        ({"openml": {"pause": float("nan")}}, "mine.yaml: openml.pause: is nan; wanted: a finite number"),
        ({"multiverse": {"prevalence": {"prevalences": [float("nan")]}}}, ".prevalences: is nan; wanted: a finite"),
        ({"openml": {"timeout": float("inf")}}, "mine.yaml: openml.timeout: is inf; wanted: a finite number"),
        ({"audit": {"resamples": 10**9}}, "audit.resamples: is 1000000000; wanted: at most 1,000,000"),
        ({"selection": {"bootstrap": 10**9}}, "selection.bootstrap: is 1000000000; wanted: at most 1,000,000"),
        ({"ranking": []}, "mine.yaml: ranking: is []; wanted: a block of keys"),
        ({"downsampling": {"refitting": {"flows": []}}}, "refitting.flows: is []; wanted: a list that is not empty"),
        ("[]", "mine.yaml: holds []; wanted: keys with their values"),
        ("", "mine.yaml: holds nothing; wanted: keys with their values"),
        ("? []\n: 1\n? []\n: 2\n", "mine.yaml: not YAML (while constructing a mapping"),
        ("seed: 2020-13-45", "mine.yaml: not YAML (month must be in 1..12"),
        ("seed: " + "[" * 5000, "mine.yaml: blocks and lists stand too deep in one another"),
        ("seed: &a [*a]", "mine.yaml: seed: is [[...]]; wanted: a whole number"),
        ({"seed": -1}, "mine.yaml: seed: is -1; wanted: at least 0"),
        ({"seed": 1e300}, "mine.yaml: seed: is 1e+300; wanted: a whole number"),
        ({"seed": 7.0}, "mine.yaml: seed: is 7.0; wanted: a whole number"),
        ({"seed": 2**63}, "mine.yaml: seed: is 9223372036854775808; wanted: at most 9223372036854775807"),
        ({"study": "quick\n"}, "mine.yaml: study: is 'quick\\n'; wanted: text like"),
        ({"source": "kaggle"}, "mine.yaml: source: is 'kaggle'; wanted: packaged | held_out | openml | files"),
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
        ("- a\n- b\n", "mine.yaml: holds ['a', 'b']; wanted: keys"),
    ],
)  # fmt: skip
def test_a_wrong_configuration_is_refused_in_one_line(tmp_path, content, message):
    with pytest.raises(InputError) as caught:
        load(tmp_path, content)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_million_resamples_are_not_too_many(tmp_path):
    assert load(tmp_path, {"audit": {"resamples": 10**6}})["audit"]["resamples"] == 10**6


def test_a_missing_study_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"absent\.yaml: cannot be read"):
        load_config(tmp_path / "absent.yaml")


def test_an_overlay_replaces_lists_and_merges_blocks():
    assert overlay({"a": {"b": [1, 2], "c": 1}}, {"a": {"b": [3]}}) == {"a": {"b": [3], "c": 1}}
