"""A page an experiment, made from its declaration, docstrings, captions, findings and committed figures."""

import inspect
import json
from importlib import import_module
from pathlib import Path

import pandas as pd
import yaml
from texts import plain, table

from aucstudy.config import load_config
from aucstudy.experiments.experiment import Experiment
from aucstudy.experiments.inputs import Study
from aucstudy.experiments.registry import EXPERIMENTS
from aucstudy.report.front_page import in_words
from aucstudy.report.questions import sections
from aucstudy.report.wording import in_one_style
from aucstudy.sources import SOURCES

FIRST = "default"  # the study whose tables are told where it has them
LIMITS = Path(__file__).with_name("limits.yaml")
MOST_ROWS = 12  # a table of no more rows is shown, a longer one is linked
DIGITS = 4


def overview() -> str:
    """The page that lists the experiments under the questions of the report."""
    lines = [
        "# The experiments",
        "",
        "Each page says what is asked, how it is measured, what the committed tables say, and what that cannot say.",
    ]
    for question, own in sections(EXPERIMENTS):
        rows = [(f"[{in_words(name)}]({name}.md)", _purpose(EXPERIMENTS[name])) for name in own]
        lines += ["", f"## {question.question}", "", table(("experiment", "what it asks"), rows)]
    return "\n".join(lines) + "\n"


def pages(root: Path) -> dict[str, str]:
    """The page of each experiment, by its name.

    Raises
    ------
    KeyError
        An experiment has no entry in limits.yaml.
    """
    limits = yaml.safe_load(LIMITS.read_text(encoding="utf-8"))
    if unknown := limits.keys() - EXPERIMENTS.keys():
        raise KeyError(f"{LIMITS.name} names what is no experiment: {', '.join(sorted(unknown))}")
    config = load_config()
    return {name: _page(experiment, root, config, limits[name]) for name, experiment in EXPERIMENTS.items()}


def _page(experiment: Experiment, root: Path, config: dict, limits: list[str]) -> str:
    telling = experiment.load("telling")
    parts = [f"# {in_words(experiment.name)}", f"**{getattr(telling, 'QUESTION', _purpose(experiment))}**"]
    parts += ["## Method", *_method(experiment)]
    if experiment.settings:
        parts += ["Settings of the default study:", _settings(experiment, config)]
    tables = _tables(experiment, root)
    parts += ["## What it found", *_found(experiment, telling, tables, config)]
    parts += ["## Limits", "\n".join(f"* {limit}" for limit in limits)]
    if tables:
        parts += ["## Tables", *_shown(experiment, telling, tables)]
    return "\n\n".join(parts) + "\n"


def _purpose(experiment: Experiment) -> str:
    return inspect.getdoc(import_module(f"aucstudy.experiments.{experiment.name}")).splitlines()[0]


def _method(experiment: Experiment) -> list[str]:
    """The docstring of the numbers, then what the room says beyond its first line: rules that were stated before."""
    _, *rules = inspect.getdoc(import_module(f"aucstudy.experiments.{experiment.name}")).split("\n\n", 1)
    return [plain(text) for text in (inspect.getdoc(experiment.load("numbers")), *rules)]


def _settings(experiment: Experiment, config: dict) -> str:
    block = config[experiment.switch]
    rows = [
        (f"`{key.name}`", f"`{json.dumps(block[key.name])}`", plain(key.help)) for key in experiment.settings
    ]
    return table(("key", "value", "what"), rows)


def _tables(experiment: Experiment, root: Path) -> Path | None:
    """The committed tables of the first study that has all of the experiment's: the default one where it can be."""
    folders = sorted(root.glob("results/*/tables"), key=lambda folder: (folder.parent.name != FIRST, folder))
    made = (*experiment.tables, *experiment.figures)
    return next(
        (
            folder
            for folder in folders
            if made
            and all((folder / f"{name}.csv").exists() for name in experiment.tables)
            and all((folder.parent / "figures" / f"{name}.png").exists() for name in experiment.figures)
        ),
        None,
    )


def _found(experiment: Experiment, telling, tables: Path | None, config: dict) -> list[str]:
    """The findings in sentences, and the figures with their captions."""
    if tables is None:
        others = (
            f" (sources: {', '.join(experiment.sources)})"
            if 0 < len(experiment.sources) < len(SOURCES)
            else ""
        )
        return [f"No study whose tables are committed has made it yet{others}."]
    study = Study(Path(), tables, settings=experiment.values(experiment.tells, config))
    said = telling.findings(study) if hasattr(telling, "QUESTION") else []
    start = [f"From the tables of the study `{tables.parent.name}`."]
    sentences = ["\n".join(f"* {plain(in_one_style(sentence))}" for sentence in said)] if said else []
    figures = [
        _figure(telling.FIGURES[name].caption, f"{tables.parent.name}/figures/{name}.png")
        for name in experiment.figures
    ]
    return [*start, *sentences, *figures]


def _figure(caption: str, file: str) -> str:
    """A figure with its caption, which is its text alternative too."""
    alternative = caption.replace("[", "(").replace("]", ")")
    return f"![{alternative}](../results/{file})\n\n*{plain(caption)}*"


def _shown(experiment: Experiment, telling, tables: Path) -> list[str]:
    """Each table: its caption, and its rows where they are few."""
    parts = []
    for name in experiment.tables:
        content = pd.read_csv(tables / f"{name}.csv")
        file = f"`results/{tables.parent.name}/tables/{name}.csv`"
        parts.append(f"{file}, {len(content)} rows. {plain(telling.TABLES[name])}")
        if len(content) <= MOST_ROWS:
            rows = [[_cell(value) for value in row] for row in content.itertuples(index=False)]
            parts.append(table(list(content.columns), rows))
    return parts


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "–" if pd.isna(value) else f"{value:.{DIGITS}g}"
    return plain(str(value))
