"""What experiments declare, read from their pages. Light: the Snakefile imports it, and it imports no experiment.

An experiment is a room. Its page `experiments/<room>.md` has in front the keys of `Experiment`, then the question as
title, the method, and under Findings a template that reads the tables. Its functions, each where it is needed:

* of `experiments/<room>.py`: `of_task(task, *, seed, <settings>)` measures one task, frames by name;
* `choose(tasks, *, seed, <settings>)` gives the task_ids that are measured, all without it;
* `over_all(study, *, seed, <settings>)` gives the tables by name, where intervals are made;
* of `figures/<room>.py`: one named like each figure, `(study, *, <settings>)`, gives a matplotlib figure, or the
  sentence that says why there is nothing to draw.

A function gets the settings that its keyword-only arguments name. `further` declares experiments that a study can leave
out: `downsampling.refitting` measures in `downsampling_refitting.py` and draws in the file of its room.
"""

import ast
from collections.abc import Collection, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field, fields
from functools import cache
from importlib import import_module
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import yaml

HERE = Path(__file__).parent
# the order of the report; a room that is not named here comes after them
ORDER = (
    "answer",
    "disagreement",
    "multiverse",
    "downsampling",
    "fold_skew",
    "task_aggregation",
    "noise",
    "simulated_truth",
    "decomposition",
    "conventions",
    "thresholds",
    "selection",
    "rare",
    "natural",
    "papers",
)
ROOMS = tuple(
    sorted((path.stem for path in HERE.glob("*.md")), key=lambda room: ((*ORDER, room).index(room), room))
)
QUESTIONS = {
    "answer": "The answer",
    "disagreement": "Do the areas disagree on the best model?",
    "noise": "Is the disagreement more than noise?",
    "cause": "Why do AUPR and AUPRG disagree?",
    "choice": "Whose choice is better?",
    "skew": "Skew: what moves, what corrects?",
    "papers": "The papers' own figures, and what else was measured",
}


# of a study's folder of data, what an experiment may read
STUDY_FILES = {
    "tasks": "tasks.csv",
    "runs": "runs.csv",
    "scores": "scores.parquet",
    "predictions": "predictions",
}

# of JSON schema, that a setting may use beside default and help
KEYWORDS = {
    "type", "anyOf", "description", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "items", "minItems",
}  # fmt: skip


class Table(NamedTuple):
    """`columns` in order with what they hold ("": as tables.yaml says); `empty`: why there may be no row."""

    caption: str
    columns: Mapping[str, str]
    empty: str = ""


class Setting(NamedTuple):
    """A key of an experiment's block; `place` names the one of another block that it takes over."""

    default: object
    help: str
    schema: Mapping[str, object]
    place: str = ""


@dataclass(frozen=True)
class Experiment:
    """What is measured, gathered and drawn together, and can be left out of a study.

    Attributes
    ----------
    name : `downsampling`, or `downsampling.refitting`.
    question : a key of QUESTIONS, the section of the report.
    archives : tables too large for a page of the report, a `<name>.csv.gz` each.
    reads : what `over_all` and the figures read of the study: tasks, scores, runs, predictions.
    frames_of : experiments whose frames of the same task `of_task` reads.
    tables_of : experiments whose tables `over_all` reads, made even where the study leaves them out.
    tables_where_made : experiments whose tables `over_all` reads where the study has them.
    rows : "needed" where `of_task` fits learners, "used" where it takes rows if there are any.
    sources : the only sources that it is for, () for all.
    empty : why a study may have no row of its tables.
    passes : how often `of_task` walks a row of one model: numbers and settings, multiplied; of a list its length.
    """

    name: str
    _: KW_ONLY
    question: str
    category: str
    settings: Mapping[str, Setting] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    archives: Mapping[str, Table] = field(default_factory=dict)
    figures: Mapping[str, str] = field(default_factory=dict)
    reads: tuple[str, ...] = ("tasks",)
    frames_of: tuple[str, ...] = ()
    tables_of: tuple[str, ...] = ()
    tables_where_made: tuple[str, ...] = ()
    rows: str = ""
    sources: tuple[str, ...] = ()
    empty: str = "no task of this study can be measured here"
    passes: tuple[float | str, ...] = (10,)
    limits: tuple[str, ...] = ()

    @property
    def room(self) -> str:
        return self.name.partition(".")[0]

    @property
    def files(self) -> dict[str, str]:
        packed = {name: f"{name}.csv.gz" for name in self.archives}
        return {name: f"{name}.csv" for name in self.tables} | packed

    @property
    def columns(self) -> dict[str, list[str]]:
        return {name: list(table.columns) for name, table in {**self.tables, **self.archives}.items()}

    @property
    def stem(self) -> str:
        """The name in rules and paths, and of the file that measures."""
        return self.name.replace(".", "_")

    @property
    def module(self) -> str:
        return f"aucstudy.experiments.{self.stem}"

    @property
    def drawings(self) -> str:
        return f"aucstudy.figures.{self.room}"

    def load(self) -> Any:
        return import_module(self.module)

    def has(self, function: str) -> bool:
        """Whether there is `of_task`, `choose`, `over_all` or a figure, by the files, which are not imported."""
        return function in self._signatures()

    def values(self, function: str, config: Mapping) -> dict[str, object]:
        return {name: self._value(name, config) for name in self._signatures()[function] if name != "seed"}

    def _signatures(self) -> dict[str, tuple[str, ...]]:
        return _signatures(self.drawings) | _signatures(self.module)

    def _value(self, name: str, config: Mapping) -> object:
        path = self.settings[name].place or f"{self.name}.{name}"
        for key in path.split("."):
            config = config[key]
        return config

    def passes_of(self, config: Mapping) -> float:
        values = (self._value(name, config) if isinstance(name, str) else name for name in self.passes)
        return float(prod(len(value) if isinstance(value, list) else value for value in values))

    def tables_read(self, names_made: Collection[str]) -> list[str]:
        """The experiments whose tables this one reads in a study with those made."""
        return [*self.tables_of, *(name for name in self.tables_where_made if name in names_made)]

    def can_be_made(self, config: Mapping) -> bool:
        from aucstudy.sources import has_rows

        source_fits = not self.sources or config["source"] in self.sources
        return source_fits and (self.rows != "needed" or has_rows(config))


@cache
def _signatures(module: str) -> dict[str, tuple[str, ...]]:
    file = HERE.parents[1].joinpath(*module.split(".")).with_suffix(".py")
    tree = ast.parse(file.read_text(encoding="utf-8") if file.exists() else "")
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {node.name: tuple(argument.arg for argument in node.args.kwonlyargs) for node in functions}


class Page(NamedTuple):
    front: dict[str, Any]
    title: str
    method: str
    findings: str


@cache
def page(room: str) -> Page:
    _, front, text = (HERE / f"{room}.md").read_text(encoding="utf-8").split("---\n", 2)
    method, _, findings = text.partition("\n## Findings\n")
    title, _, method = method.strip().partition("\n")
    return Page(
        yaml.load(front, yaml.CSafeLoader), title.removeprefix("# "), method.strip(), findings.strip()
    )


@cache
def experiments() -> dict[str, Experiment]:
    fronts: dict[str, Mapping[str, Any]] = {}
    for room in ROOMS:
        fronts[room] = front = dict(page(room).front)
        shared = {key: front[key] for key in ("question", "category")}
        fronts |= {f"{room}.{name}": shared | facts for name, facts in front.pop("further", {}).items()}
    return {name: _experiment(name, front) for name, front in fronts.items()}


def _experiment(name: str, front: Mapping[str, Any]) -> Experiment:
    known = {key.name for key in fields(Experiment)}
    if unknown := front.keys() - known:
        raise KeyError(f"the page of {name}: unknown key {min(unknown)!r}; known: {', '.join(sorted(known))}")
    if front["question"] not in QUESTIONS:
        raise KeyError(
            f"the page of {name}: question is {front['question']!r}; wanted: {', '.join(QUESTIONS)}"
        )
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in front.items()}
    for kind, read in (("settings", _setting), ("tables", _table), ("archives", _table)):
        values[kind] = {key: read(facts) for key, facts in front.get(kind, {}).items()}
    if not isinstance(values.get("passes", ()), tuple):
        values["passes"] = (values["passes"],)
    return Experiment(name, **values)


def _table(facts: Mapping[str, Any]) -> Table:
    return Table(**{**facts, "columns": _described(facts["columns"])})


def _described(columns: Mapping[str, str | None]) -> dict[str, str]:
    return {name: text or "" for names, text in columns.items() for name in names.split()}


def _setting(facts: Mapping[str, Any]) -> Setting:
    """A setting and what it may hold; its type is that of the default where the page says none."""
    if "from" in facts:
        return Setting(None, "", {}, facts["from"])
    default, keywords = facts["default"], {key: facts[key] for key in facts if key not in ("default", "help")}
    if unknown := keywords.keys() - KEYWORDS:
        raise KeyError(
            f"a setting has the key {min(unknown)!r}; known: default, help, {', '.join(sorted(KEYWORDS))}"
        )
    if isinstance(default, list):
        keywords = {"type": "array", "minItems": 1, "uniqueItems": True, **keywords}
    elif isinstance(default, int):
        keywords = {"type": "integer", **keywords}
    return Setting(default, facts["help"], keywords)


@cache
def shared_words() -> dict[str, Any]:
    return yaml.load((HERE / "tables.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)


@cache
def tables_of_every_study() -> dict[str, dict[str, Any]]:
    return {
        name: {"empty": "", **facts, "columns": _described(facts["columns"])}
        for name, facts in shared_words()["tables"].items()
    }


def why_empty(table: str) -> str:
    for experiment in experiments().values():
        if table in experiment.tables:
            return experiment.tables[table].empty or experiment.empty
    return tables_of_every_study()[table]["empty"]


def captions() -> dict[str, str]:
    texts = {f"table-{name}": facts["caption"] for name, facts in tables_of_every_study().items()}
    for experiment in experiments().values():
        texts |= {f"table-{name}": table.caption for name, table in experiment.tables.items()}
        texts |= {f"figure-{name}": text for name, text in experiment.figures.items()}
    return texts


def defaults() -> dict[str, Any]:
    """The settings of each room at their defaults, those of a further experiment in a block within."""
    blocks: dict[str, Any] = {}
    for experiment in experiments().values():
        values = {name: setting.default for name, setting in experiment.settings.items() if not setting.place}
        if experiment.name == experiment.room:
            blocks[experiment.room] = values
        elif values:
            blocks[experiment.room][experiment.name.partition(".")[2]] = values
    return blocks


def schema() -> dict[str, Any]:
    blocks: dict[str, Any] = {}
    for experiment in experiments().values():
        keys = {
            name: dict(setting.schema) for name, setting in experiment.settings.items() if not setting.place
        }
        block = {"type": "object", "additionalProperties": False, "required": list(keys), "properties": keys}
        if experiment.name == experiment.room:
            blocks[experiment.room] = block
        elif keys:
            blocks[experiment.room]["properties"][experiment.name.partition(".")[2]] = block
    return blocks


def studied(config: Mapping) -> list[Experiment]:
    """The experiments of a study, without those that failed in its last run or read what failed."""
    return [
        experiment
        for experiment in experiments().values()
        if experiment.name in config["experiments"]
        and not {experiment.room, experiment.name} & set(config["without"])
        and not set(with_what_they_read([experiment.name])) & set(config["failed"])
        and experiment.can_be_made(config)
    ]


def with_what_they_read(names: Iterable[str], names_made: Collection[str] = ()) -> list[str]:
    """Experiments, each after those that it reads: it cannot do without, or reads where they are made."""
    order: list[str] = []

    def add(name: str) -> None:
        experiment = experiments()[name]
        for needed in (*experiment.frames_of, *experiment.tables_read(names_made)):
            add(needed)
        if name not in order:
            order.append(name)

    for name in names:
        add(name)
    return order
