"""Declarations, config.yaml and tellings agree with one another."""

import re
import subprocess
import sys
from importlib import import_module

import yaml

from aucstudy.config import REPOSITORY, load_config
from aucstudy.experiments.registry import EXPERIMENTS
from aucstudy.sources import SOURCES, WITH_ROWS


def test_config_yaml_holds_the_defaults_and_the_words_of_every_setting():
    text = (REPOSITORY / "config.yaml").read_text()
    config = yaml.safe_load(text)
    blocks = dict(re.findall(r"(?m)^([a-z_]+):.*\n((?:  .*\n)*)", text))
    for experiment in EXPERIMENTS.values():
        if experiment.block is not None:
            continue
        settings = experiment.keys
        assert config[experiment.name] == {setting.name: setting.default for setting in settings}
        for setting in settings:
            assert re.search(
                rf"(?m)^  {setting.name}: .*# {re.escape(setting.help)}$", blocks[experiment.name]
            )


def test_every_setting_that_an_experiment_uses_is_in_the_configuration():
    config = load_config()
    for experiment in EXPERIMENTS.values():
        for names in (experiment.measures or (), experiment.gathers, experiment.tells):
            assert len(experiment.values(names, config)) == len(names)


def test_every_experiment_tells_what_it_declares():
    for experiment in EXPERIMENTS.values():
        telling = experiment.load("telling")
        assert set(telling.TABLES) == set(experiment.tables)
        assert set(telling.FIGURES) == set(experiment.figures)


def test_declarations_are_light():
    heavy = "{'numba', 'matplotlib', 'pandas', 'sklearn'}"
    code = f"import sys, aucstudy.experiments.registry; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_sources_with_rows_are_those_that_have_the_function():
    assert {name for name, module in SOURCES.items() if hasattr(import_module(module), "rows")} == set(
        WITH_ROWS
    )
