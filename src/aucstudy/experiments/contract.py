"""The declarations of experiments, which are read from the pages of the experiments.

The Snakefile imports this module, so it has to load fast and imports no experiment.

An experiment has a page `experiments/<experiment>.md`. The page begins with the keys of `Experiment`. Then
come the question as title, the method and, under Findings, a template that reads the tables. An experiment
has only those of the following functions that it needs:

* `of_task(task, *, seed, <settings>)` in `experiments/<experiment>.py` measures one task and returns frames
  by name.
* `choose(tasks, *, seed, <settings>)` in the same file returns the task_ids of the tasks to measure. Without
  this function, all tasks are measured.
* `by_task(study, *, seed, <settings>)` in the same file returns further frames with rows by task that need more
  than one task or the scores of the study.
* `QUANTITIES` in the same file lists the numbers that are averaged over tasks: see `experiments.quantities`. They
  become rows of the study's table of estimates.
* `over_all(study, *, seed, <settings>)` in the same file returns the tables by name that are not the frames
  themselves. It can read the experiment's estimates.
* A function `(study, *, <settings>)` in `figures/<experiment>.py` has the name of a figure. It returns a
  matplotlib figure, or the sentence that says why there is nothing to draw.

A function gets the settings that its keyword-only arguments name. A page declares its main experiment. Under
`further`, it can declare other experiments, which a study can leave out. For example,
`downsampling.refitting` measures in `downsampling_refitting.py` and draws in the file of `downsampling`.

A study may have experiments in its own folder. If its file has the entry `experiments: [./hits]`, the page is
`hits.md` in this folder, `hits.py` measures, and `hits_figures.py` draws.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field, fields
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import yaml

from aucstudy.errors import InputError
from aucstudy.study_folder.modules import defines, functions_of, load

HERE = Path(__file__).parent
# The order of the experiments in the report. An experiment that is not named here comes after them.
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
# The titles of the report's sections, by the key `question` of the pages. A page may have a question that is
# not named here. Its section comes after these.
QUESTIONS = {
    "answer": "The answer",
    "disagreement": "Do the metrics disagree on the best model?",
    "noise": "Is the disagreement more than noise?",
    "cause": "Why do AUPR and AUPRG disagree?",
    "choice": "Which metric selects the better model?",
    "skew": "How does the class ratio change the metrics?",
    "papers": "The papers' own figures, and what else was measured",
}


# The files in a study's folder of data that an experiment may read, by their names in the key `reads`.
STUDY_FILES = {
    "tasks": "tasks.csv",
    "runs": "runs.csv",
    "scores": "scores.parquet",
    "predictions": "predictions",
}

# The keywords of JSON Schema that a setting may have beside `default` and `help`.
KEYWORDS = {
    "type", "anyOf", "description", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "items", "minItems",
}  # fmt: skip


class Table(NamedTuple):
    """The declaration of a table.

    `columns` has the columns in their order, each with a description. If a description is empty, the one in
    tables.yaml holds. `empty` says why the table may have no row.
    """

    caption: str
    columns: Mapping[str, str]
    empty: str = ""


class Setting(NamedTuple):
    """A setting of an experiment, which is a key of the experiment's block in the study's file.

    If `place` is not empty, the value is taken from the setting of another block that it names.
    """

    default: object
    help: str
    schema: Mapping[str, object]
    place: str = ""


@dataclass(frozen=True)
class Experiment:
    """An experiment: what is measured, put into tables and drawn together, and can be left out of a study.

    Attributes
    ----------
    name : the name, such as `downsampling` or `downsampling.refitting`.
    page : the path of its page.
    question : the section of the report, a key of QUESTIONS or free text.
    estimates : what the columns of the study's table of estimates hold in the rows of this experiment.
    archives : tables that are too large for a page of the report, each in a file `<name>.csv.gz`.
    reads : the files of the study that `over_all` and the figures read: tasks, scores, runs, predictions.
    frames_of : experiments whose frames of the same task `of_task` reads.
    tables_of : experiments whose tables `over_all` reads. They are made even if the study leaves them out.
    tables_where_made : experiments whose tables `over_all` reads if the study has these experiments.
    rows : "needed" if `of_task` fits learners, "used" if it uses rows of the data where there are any.
    repeated : whether `over_all` and the figures also get tasks whose cross-validation has several repetitions,
        with the aggregation `repetition_mean` of their scores.
    needs : what the study's source must provide, see `aucstudy.sources`.
    empty : why its tables may have no row. The `empty` of a single table takes precedence.
    """

    name: str
    page: Path
    _: KW_ONLY
    question: str
    category: str
    settings: Mapping[str, Setting] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    estimates: Mapping[str, str] = field(default_factory=dict)
    archives: Mapping[str, Table] = field(default_factory=dict)
    figures: Mapping[str, str] = field(default_factory=dict)
    reads: tuple[str, ...] = ("tasks",)
    frames_of: tuple[str, ...] = ()
    tables_of: tuple[str, ...] = ()
    tables_where_made: tuple[str, ...] = ()
    rows: str = ""
    repeated: bool = False
    needs: tuple[str, ...] = ()
    empty: str = "no task of this study can be measured here"
    limits: tuple[str, ...] = ()

    @property
    def main(self) -> str:
        """The name of the main experiment of its page: `downsampling` for `downsampling.refitting`."""
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
        """The name in rules and paths, which is also the name of the file that measures."""
        return self.name.replace(".", "_")

    @property
    def in_package(self) -> bool:
        return self.page.parent == HERE

    @property
    def file(self) -> Path:
        """The file that measures and makes tables. An experiment that only draws has no such file."""
        return self.page.with_name(f"{self.stem}.py")

    @property
    def drawings(self) -> Path:
        """The file that draws. All experiments of a page share it."""
        if self.in_package:
            return HERE.parent / "figures" / f"{self.main}.py"
        return self.page.with_name(f"{self.main}_figures.py")

    def load(self) -> ModuleType:
        return load(self.file)

    def load_drawings(self) -> ModuleType:
        return load(self.drawings)

    def has(self, function: str) -> bool:
        """Return whether the experiment has a function: `of_task`, `choose`, `by_task`, `over_all` or a figure's.

        The files are read but not imported.
        """
        return function in self._signatures()

    def values(self, function: str, config: Mapping) -> dict[str, object]:
        return {name: self._value(name, config) for name in self._signatures()[function] if name != "seed"}

    def settings_of(self, stage: str, config: Mapping) -> dict[str, dict[str, object]]:
        """Return the settings by function, for the functions of one stage of the study.

        If the stage is "measure", these are the functions that measure tasks. Otherwise they are those that
        make tables and figures.
        """
        functions = ("of_task", "choose") if stage == "measure" else ("by_task", "over_all", *self.figures)
        return {name: self.values(name, config) for name in functions if self.has(name)}

    @property
    def has_quantities(self) -> bool:
        return defines(self.file, "QUANTITIES")

    def _signatures(self) -> dict[str, tuple[str, ...]]:
        return functions_of(self.drawings) | functions_of(self.file)

    def _value(self, name: str, config: Mapping) -> object:
        path = self.settings[name].place or f"{self.name}.{name}"
        for key in path.split("."):
            config = config[key]
        return config

    def tables_read(self, names_made: Collection[str]) -> list[str]:
        """Return the experiments whose tables this one reads if the study makes those in `names_made`."""
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
    """Return the paths, without suffix, of the pages in a study's own folder.

    Experiments of the same page give a single path.
    """
    paths = map(Path, own_experiments(config))
    return tuple(dict.fromkeys(str(path.with_name(path.name.partition(".")[0])) for path in paths))


def own_experiments(config: Mapping) -> list[str]:
    """Return the entries of a study's list of experiments that are paths.

    If the value is not a list, there are none, and the check against the schema reports the error.
    """
    listed = config.get("experiments")
    return [name for name in listed if is_own_experiment(name)] if isinstance(listed, list) else []


def is_own_experiment(name: object) -> bool:
    """Return whether an entry of a study's list of experiments is a path and not a name."""
    return isinstance(name, str) and "/" in name


def pages(own: Iterable[str] = ()) -> list[Path]:
    """Return the pages of the package in the order of the report, then those of a study's own folder.

    InputError is raised if two pages have the same name.
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
    """Return all experiments that a study may list: those of the package and its own."""
    return experiments(own_pages(config))


@cache
def experiments(own: tuple[str, ...] = ()) -> dict[str, Experiment]:
    """Return the experiments of the package and of a study's own pages, by name, in the report's order."""
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
    """Return the titles of the report's sections, by the key `question` of the pages.

    The sections of QUESTIONS come first. Other questions of pages come after them, and are titles themselves.
    """
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
    values["estimates"] = _described(front.get("estimates", {}))
    return Experiment(name, path, **values)


def _table(facts: Mapping[str, Any]) -> Table:
    return Table(**{**facts, "columns": _described(facts["columns"])})


def _described(columns: Mapping[str, str | None]) -> dict[str, str]:
    return {name: text or "" for names, text in columns.items() for name in names.split()}


def _setting(facts: Mapping[str, Any]) -> Setting:
    """Return a setting with the JSON Schema of its values.

    If the page gives no type and the default is a list or a whole number, the type is that of the default.
    """
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
    """Return the reason why a table may have no row.

    `declared` is needed for a study with experiments of its own. Without it, only those of the package are
    searched.
    """
    for experiment in (declared or experiments()).values():
        if table in experiment.tables:
            return experiment.tables[table].empty or experiment.empty
    return tables_of_every_study()[table]["empty"]


def captions(declared: Mapping[str, Experiment]) -> dict[str, str]:
    """Return the captions of all figures, by `figure-<name of the figure>`."""
    return {f"figure-{name}": text for each in declared.values() for name, text in each.figures.items()}


def defaults(declared: Mapping[str, Experiment]) -> dict[str, Any]:
    """Return the default settings, in one block for each main experiment.

    The settings of a further experiment are in a block inside the block of its main experiment.
    """
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
    """Return the experiments that a study makes.

    They are listed and not left out, and the study's source provides what they need. Experiments that failed
    in the last run are left out too, as are those that read one of them.
    """
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
    """Return the named experiments and all that they read, each after those that it reads itself.

    An experiment reads others that it cannot do without. It also reads others in `names_made` whose tables it
    can use.
    """
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
    """Return the experiments that are in `names` or read one of them, directly or through other experiments.

    Experiments whose tables are read only if they are made do not count.
    """
    return [
        experiment
        for experiment in declared.values()
        if not set(with_what_they_read(declared, [experiment.name])).isdisjoint(names)
    ]
