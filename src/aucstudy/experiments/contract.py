"""What experiments declare, read from their pages. Light: the Snakefile imports it, and it imports no experiment.

An experiment has a page `experiments/<experiment>.md`: in front the keys of `Experiment`, then the question as title,
the method, and under Findings a template that reads the tables. Its functions, each where it is needed:

* of `experiments/<experiment>.py`: `of_task(task, *, seed, <settings>)` measures one task, frames by name;
* `choose(tasks, *, seed, <settings>)` gives the task_ids that are measured, all without it;
* `over_all(study, *, seed, <settings>)` gives the tables by name, where intervals are made;
* of `figures/<experiment>.py`: one named like each figure, `(study, *, <settings>)`, gives a matplotlib figure, or the
  sentence that says why there is nothing to draw.

A function gets the settings that its keyword-only arguments name. A page declares its main experiment and, under
`further`, others that a study can leave out: `downsampling.refitting` measures in `downsampling_refitting.py` and
draws in the file of `downsampling`.

A study may bring experiments in its own folder: `experiments: [./hits]` in its file names `hits.md` and `hits.py`
there, and `hits_figures.py` draws.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field, fields
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import yaml

from aucstudy.errors import InputError
from aucstudy.study_folder.modules import functions_of, load

HERE = Path(__file__).parent
# the order of the report; an experiment that is not named here comes after them
ORDER = (
    "answer",
    "disagreement",
    "multiverse",
    "downsampling",
    "fold_skew",
    "task_aggregation",
    "noise",
    "decomposition",
    "conventions",
    "thresholds",
    "selection",
    "papers",
)
# the sections of the report, by what pages call them; a page may ask a question of its own, which comes after these
QUESTIONS = {
    "answer": "The answer",
    "disagreement": "Do the metrics disagree on the best model?",
    "noise": "Is the disagreement more than noise?",
    "cause": "Why do AUPR and AUPRG disagree?",
    "choice": "Which metric selects the better model?",
    "skew": "How does the class ratio change the metrics?",
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
    page : the file of its page.
    question : the section of the report, a key of QUESTIONS or free text.
    archives : tables too large for a page of the report, a `<name>.csv.gz` each.
    reads : what `over_all` and the figures read of the study: tasks, scores, runs, predictions.
    frames_of : experiments whose frames of the same task `of_task` reads.
    tables_of : experiments whose tables `over_all` reads, made even where the study leaves them out.
    tables_where_made : experiments whose tables `over_all` reads where the study has them.
    rows : "needed" where `of_task` fits learners, "used" where it takes rows if there are any.
    needs : what the study's source must provide, see `aucstudy.sources`.
    empty : why a study may have no row of its tables.
    """

    name: str
    page: Path
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
    needs: tuple[str, ...] = ()
    empty: str = "no task of this study can be measured here"
    limits: tuple[str, ...] = ()

    @property
    def main(self) -> str:
        """The name of the main experiment of its page: `downsampling` of `downsampling.refitting`, and its own."""
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
    def in_package(self) -> bool:
        return self.page.parent == HERE

    @property
    def file(self) -> Path:
        """The file that measures and gathers; there is none where an experiment only draws."""
        return self.page.with_name(f"{self.stem}.py")

    @property
    def drawings(self) -> Path:
        """The file that draws, which the experiments of a page share."""
        if self.in_package:
            return HERE.parent / "figures" / f"{self.main}.py"
        return self.page.with_name(f"{self.main}_figures.py")

    def load(self) -> ModuleType:
        return load(self.file)

    def load_drawings(self) -> ModuleType:
        return load(self.drawings)

    def has(self, function: str) -> bool:
        """Whether there is `of_task`, `choose`, `over_all` or a figure, by the files, which are not imported."""
        return function in self._signatures()

    def values(self, function: str, config: Mapping) -> dict[str, object]:
        return {name: self._value(name, config) for name in self._signatures()[function] if name != "seed"}

    def settings_of(self, stage: str, config: Mapping) -> dict[str, dict[str, object]]:
        """The settings, by function, of those that measure tasks, or that make tables and figures."""
        functions = ("of_task", "choose") if stage == "measure" else ("over_all", *self.figures)
        return {name: self.values(name, config) for name in functions if self.has(name)}

    def _signatures(self) -> dict[str, tuple[str, ...]]:
        return functions_of(self.drawings) | functions_of(self.file)

    def _value(self, name: str, config: Mapping) -> object:
        path = self.settings[name].place or f"{self.name}.{name}"
        for key in path.split("."):
            config = config[key]
        return config

    def tables_read(self, names_made: Collection[str]) -> list[str]:
        """The experiments whose tables this one reads in a study with those made."""
        return [*self.tables_of, *(name for name in self.tables_where_made if name in names_made)]

    def can_be_made(self, config: Mapping) -> bool:
        from aucstudy.sources import has_rows, provides

        return set(self.needs) <= provides(config) and (self.rows != "needed" or has_rows(config))


class Page(NamedTuple):
    front: dict[str, Any]
    title: str
    method: str
    findings: str


@cache
def page(path: Path) -> Page:
    try:
        _, front, text = path.read_text(encoding="utf-8").split("---\n", 2)
        facts = yaml.load(front, yaml.CSafeLoader)
    except OSError as error:
        raise InputError(f"{path}: the page of an experiment cannot be read ({error.strerror})") from None
    except (ValueError, yaml.YAMLError) as error:
        raise InputError(f"{path}: no page of an experiment ({' '.join(str(error).split())})") from None
    method, _, findings = text.partition("\n## Findings\n")
    title, _, method = method.strip().partition("\n")
    return Page(facts, title.removeprefix("# "), method.strip(), findings.strip())


def own_pages(config: Mapping) -> tuple[str, ...]:
    """The pages that a study brings in its own folder: the path of each, without its suffix."""
    paths = map(Path, own_experiments(config))
    return tuple(dict.fromkeys(str(path.with_name(path.name.partition(".")[0])) for path in paths))


def own_experiments(config: Mapping) -> list[str]:
    """The entries of a study's list of experiments that are paths; none where it is no list: the schema says so."""
    listed = config.get("experiments")
    return [name for name in listed if is_own_experiment(name)] if isinstance(listed, list) else []


def is_own_experiment(name: object) -> bool:
    """Whether an entry of a study's list of experiments is a path, not the name of an experiment of the package."""
    return isinstance(name, str) and "/" in name


def pages(own: Iterable[str] = ()) -> list[Path]:
    """The pages of the package in the order of the report, then those of a study's own folder.

    InputError where two experiments have one name.
    """
    found = sorted(HERE.glob("*.md"), key=lambda path: ((*ORDER, path.stem).index(path.stem), path.stem))
    for path in (Path(f"{path}.md") for path in own):
        if path.stem in {other.stem for other in found}:
            raise InputError(
                f"{path}: another experiment has the name {path.stem}; expected: a name of its own"
            )
        found.append(path)
    return found


def experiments_of(config: Mapping) -> dict[str, Experiment]:
    """All experiments that a study may list: those of the package, and its own."""
    return experiments(own_pages(config))


@cache
def experiments(own: tuple[str, ...] = ()) -> dict[str, Experiment]:
    """The experiments of the package and of a study's own pages by name, in the order of the report."""
    declared: dict[str, Experiment] = {}
    for path in pages(own):
        front = dict(page(path).front)
        further = front.pop("further", {})
        shared = {key: front.get(key) for key in ("question", "category")}
        declared[path.stem] = _experiment(path.stem, path, front)
        for name, facts in further.items():
            full_name = f"{path.stem}.{name}"
            declared[full_name] = _experiment(full_name, path, shared | facts)
    return declared


def questions(declared: Iterable[Experiment]) -> dict[str, str]:
    """The sections of a report by what pages call them: those of QUESTIONS, then what pages ask of their own."""
    own = [experiment.question for experiment in declared if experiment.question not in QUESTIONS]
    return QUESTIONS | {question: question for question in own}


def _experiment(name: str, path: Path, front: Mapping[str, Any]) -> Experiment:
    known = {key.name for key in fields(Experiment)} - {"name", "page"}
    if unknown := front.keys() - known:
        raise InputError(f"{path}: unknown key {min(unknown)!r} of {name}; known: {', '.join(sorted(known))}")
    if missing := [key for key in ("question", "category") if not front.get(key)]:
        raise InputError(f"{path}: the key {missing[0]!r} is missing")
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in front.items()}
    for kind, read in (("settings", _setting), ("tables", _table), ("archives", _table)):
        values[kind] = {key: read(facts) for key, facts in front.get(kind, {}).items()}
    return Experiment(name, path, **values)


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


def why_empty(table: str, declared: Mapping[str, Experiment] | None = None) -> str:
    """Why a table may have no row; `declared` has the experiments of a study with some of its own."""
    for experiment in (declared or experiments()).values():
        if table in experiment.tables:
            return experiment.tables[table].empty or experiment.empty
    return tables_of_every_study()[table]["empty"]


def captions(declared: Mapping[str, Experiment]) -> dict[str, str]:
    """Of the figures."""
    return {f"figure-{name}": text for each in declared.values() for name, text in each.figures.items()}


def tables_by_category(declared: Iterable[Experiment]) -> dict[str, dict[str, str]]:
    """The captions of tables by category and name."""
    categories: dict[str, dict[str, str]] = {}
    for name, facts in tables_of_every_study().items():
        categories.setdefault(facts["category"], {})[name] = facts["caption"]
    for experiment in declared:
        for name, table in experiment.tables.items():
            categories.setdefault(experiment.category, {})[name] = table.caption
    return categories


def defaults(declared: Mapping[str, Experiment]) -> dict[str, Any]:
    """The settings of each main experiment at their defaults, those of a further experiment in a block within."""
    blocks: dict[str, Any] = {}
    for experiment in declared.values():
        values = {name: setting.default for name, setting in experiment.settings.items() if not setting.place}
        if experiment.name == experiment.main:
            blocks[experiment.main] = values
        elif values:
            blocks[experiment.main][experiment.name.partition(".")[2]] = values
    return blocks


def schema(declared: Mapping[str, Experiment]) -> dict[str, Any]:
    blocks: dict[str, Any] = {}
    for experiment in declared.values():
        keys = {
            name: dict(setting.schema) for name, setting in experiment.settings.items() if not setting.place
        }
        block = {"type": "object", "additionalProperties": False, "required": list(keys), "properties": keys}
        if experiment.name == experiment.main:
            blocks[experiment.main] = block
        elif keys:
            blocks[experiment.main]["properties"][experiment.name.partition(".")[2]] = block
    return blocks


def studied(config: Mapping) -> list[Experiment]:
    """The experiments of a study, without those that failed in its last run or read what failed."""
    declared = experiments_of(config)
    listed = {name.rpartition("/")[2] for name in config["experiments"]}
    return [
        experiment
        for experiment in declared.values()
        if experiment.name in listed
        and not {experiment.main, experiment.name} & set(config["without"])
        and not set(with_what_they_read(declared, [experiment.name])) & set(config["failed"])
        and experiment.can_be_made(config)
    ]


def with_what_they_read(
    declared: Mapping[str, Experiment], names: Iterable[str], names_made: Collection[str] = ()
) -> list[str]:
    """Experiments, each after those that it reads: it cannot do without, or reads where they are made."""
    order: list[str] = []

    def add(name: str) -> None:
        experiment = declared[name]
        for needed in (*experiment.frames_of, *experiment.tables_read(names_made)):
            add(needed)
        if name not in order:
            order.append(name)

    for name in names:
        add(name)
    return order


def made_from(declared: Mapping[str, Experiment], names: Collection[str]) -> list[Experiment]:
    """The experiments that are some of these or read one of them, over any number of steps."""
    return [
        experiment
        for experiment in declared.values()
        if not set(with_what_they_read(declared, [experiment.name])).isdisjoint(names)
    ]
