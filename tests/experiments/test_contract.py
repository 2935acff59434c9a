"""Pages, modules, configuration and committed tables agree with one another, and nothing is said twice."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from aucstudy.config import REPOSITORY, load_config, shipped_experiments
from aucstudy.errors import InputError
from aucstudy.experiments import contract
from aucstudy.experiments.contract import captions, defaults
from aucstudy.sources import SOURCES, has_rows
from aucstudy.store.task_store import FURTHER_COLUMNS
from aucstudy.study_folder.modules import functions_of

EXPERIMENTS = shipped_experiments()
COMMON = contract.shared_words()["columns"]


def study(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_every_function_gets_its_settings_and_every_setting_is_used(experiment):
    config = {**defaults(EXPERIMENTS), **load_config()}
    functions = [
        name
        for name in ("of_task", "choose", "by_task", "over_all", *experiment.figures)
        if experiment.has(name)
    ]
    used = {name for function in functions for name in experiment.values(function, config)}
    # A further experiment may take over a setting of the main experiment of its page.
    taken_over = {setting.place for other in EXPERIMENTS.values() for setting in other.settings.values()}
    assert used <= set(experiment.settings)
    assert {name for name in experiment.settings if f"{experiment.name}.{name}" not in taken_over} <= used


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_the_modules_of_an_experiment_draw_the_figures_of_its_page_and_make_its_tables(experiment):
    if experiment.figures:
        drawings = experiment.load_drawings()
        assert all(callable(getattr(drawings, figure)) for figure in experiment.figures)
    assert not experiment.tables or experiment.has("over_all") or experiment.has("of_task")


def test_every_column_of_the_committed_tables_is_explained_once():
    tables = {name: facts["columns"] for name, facts in contract.tables_of_every_study().items()}
    for experiment in EXPERIMENTS.values():
        declared = {**experiment.tables, **experiment.archives}
        tables |= {name: table.columns for name, table in declared.items()}
    for path in sorted(REPOSITORY.glob("results/*/tables/*.csv*")):
        name = path.name.partition(".")[0]
        if name in tables:
            columns = list(pd.read_csv(path, nrows=0))
            assert columns == [column for column in tables[name] if column in columns], path
            assert set(tables[name]) - set(columns) <= set(FURTHER_COLUMNS), path
    for name, columns in tables.items():
        unexplained = {column for column, text in columns.items() if not text} - COMMON.keys()
        assert not unexplained, f"{name}: {unexplained}"


def test_every_common_column_is_used_by_several_tables():
    tables = [table.columns for experiment in EXPERIMENTS.values() for table in experiment.tables.values()]
    for column in COMMON:
        assert sum(columns.get(column) == "" for columns in tables) > 1, column


def test_no_caption_is_missing_and_no_name_is_used_twice():
    for kind in ("tables", "figures"):
        names = [name for one in EXPERIMENTS.values() for name in getattr(one, kind)]
        assert len(names) == len(set(names))
    assert all(captions(EXPERIMENTS).values())


def test_config_yaml_lists_experiments_and_repeats_no_setting():
    content = yaml.safe_load((REPOSITORY / "config.yaml").read_text())
    assert not set(content) & set(defaults(EXPERIMENTS))
    assert set(content["experiments"]) == set(contract.experiments())


@pytest.mark.needs("relational", "wide", "rare", "boosting", "weka")
def test_every_study_file_is_valid():
    folder = REPOSITORY / "studies"
    for path in sorted([*folder.glob("*.yaml"), *folder.glob("*/study.yaml")]):
        assert load_config(path)["study"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("experiments: [noise]\nwithout: [noise]", "mine.yaml: has both experiments and without; expected: one of"),
        ("experiments: [nois]", "experiments: 'nois' is no experiment; did you mean 'noise'? known: answer,"),
        ("without: [downsampling.refiting]", "did you mean 'downsampling.refitting'?"),
        ("noise: {split: 3}", "noise.split: unknown key; did you mean 'splits'? allowed: splits"),
        ("downsampling: {refitting: {draws: 0}}", "downsampling.refitting.draws: 0 is less than"),
        ("noise: {enabled: false}", "noise.enabled: unknown key"),
    ],
)  # fmt: skip
def test_what_a_study_file_must_not_say_is_refused_in_one_line(tmp_path, text, said):
    with pytest.raises(InputError) as refusal:
        load_config(study(tmp_path, f"study: mine\n{text}\n"))
    assert said in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_study_names_its_experiments_or_leaves_some_out(tmp_path):
    def made(text):
        return [one.name for one in contract.studied(load_config(study(tmp_path, f"study: mine\n{text}\n")))]

    whole = made("")
    assert made("experiments: [noise, disagreement]") == ["disagreement", "noise"]
    without = made("without: [downsampling.refitting]")
    assert without == [name for name in whole if name != "downsampling.refitting"]
    assert made("without: [downsampling]") == [name for name in whole if "downsampling" not in name]
    # Fitting needs rows, which files of predictions do not have.
    files = "source: files\nfiles: {tasks: " + str(REPOSITORY / "studies/files-example") + ", label: label}"
    assert "downsampling.refitting" not in made(
        f"{files}\nexperiments: [downsampling, downsampling.refitting]"
    )
    # They make what concerns the user's own models, unless the study lists more.
    assert made(files) == ["answer", "disagreement", "downsampling", "noise"]
    assert made(f"{files}\nexperiments: [selection]") == ["selection"]
    assert made(f"{files}\nwithout: [noise]") == ["answer", "disagreement", "downsampling"]


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        pytest.param("import aucstudy.experiments.contract as c; c.experiments()", "numba matplotlib pandas sklearn",
                     id="to read the declarations"),
        pytest.param("import aucstudy.experiments.noise", "matplotlib", id="to measure"),
    ],
)  # fmt: skip
def test_what_is_not_needed_is_not_imported(code, heavy):
    code += f"; import sys; print(set('{heavy}'.split()) & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_sources_with_rows_are_those_that_have_the_function():
    for name, file in SOURCES.items():
        assert has_rows({"source": name}) == ("rows" in functions_of(file)), name
