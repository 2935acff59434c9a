"""The sources of tasks and predictions. Each source fills a task store and knows nothing of metrics.

A source is a module of this folder or a file in a study's own folder. The study names such a file by
`source: ./source.py`. The argument `settings` of its functions is the block of the configuration that has the
name of the source. For a study's own source this block is `source_settings`. Every source has two functions:

* `check(settings, *, models_per_task, min_flows)` raises InputError for wrong settings before anything
  starts. It can use `check_settings`, which compares each setting with a JSON schema.
* `fetch(batch)` fills the task store of a `Batch`. Most sources call `fill`, which does so task by task.

A source may have further functions:

* `rows(settings, task_id, seed)` returns the rows of a task, so that learners can be fitted again.
* `task_ids(settings)` returns the ids of the tasks, if they are known before fetching starts.
* `work(settings, models_per_task, seed)` returns the cost of each task by its id, if the costs differ.
* `input_files(settings)` returns the SHA-256 of each file that fetching reads, by its path. Only a source of
  this package may have it. It is for a source whose files cannot be given by `INPUT_FILES`. The Snakefile
  calls it, so its module must import no numeric library at the top.

The code in a study's own folder is imported by jobs and commands, but never while Snakemake plans. A source
may have constants, which are read without importing the source:

* `ROWS_DEPEND_ON` names the settings on which `rows` depends. A source without this constant has no rows.
* `IN_BATCHES = True` says that several jobs may fetch the tasks.
* `BRINGS_MODELS = True` says that the user brings the predictions, so a task has as many models as they have.
* `EXPERIMENTS` names the experiments of a study that lists none. Without it, those of config.yaml are made.
* `PATHS` names the settings that hold a file or a folder, or a list of them. These paths are relative to the
  folder of the study file.
* `INPUT_FILES` names those of `PATHS` that are lists of files which fetching reads. If their contents change,
  the study fetches again.
* `PROVIDES` holds words for what else the task stores contain. The page of an experiment may name them under
  `needs`.
* `NAME` is what tables and notes call a study's own source. Without it they use the name of its folder.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from aucstudy.errors import InputError
from aucstudy.store.files import path_here, sha256_of
from aucstudy.study_folder.modules import constants_of, functions_of, load

if TYPE_CHECKING:
    from aucstudy.store.task_store import Batch, Filled

HERE = Path(__file__).parent
SOURCES = {
    "packaged": HERE / "packaged.py",
    "openml": HERE / "openml" / "__init__.py",
    "files": HERE / "files.py",
}
OWN_SETTINGS = "source_settings"
# The days before which the runs of Flach & Kull 2015 may have been uploaded. They are our guesses: the paper was
# submitted about the first day, and was due in its final form before the second one.
GUESSED_DAYS = ("2015-06-01", "2015-11-01")


def source_file(source: str) -> Path:
    """Return the file of a source. The argument is a name of a source here, or a path in a study's folder."""
    return SOURCES.get(source) or Path(source)


def settings_key(source: str) -> str:
    """Return the name of the block of the configuration that holds the settings of a source."""
    return source if source in SOURCES else OWN_SETTINGS


def settings_of(config: Mapping) -> Mapping:
    return config.get(settings_key(config["source"])) or {}


def from_here(config: Mapping) -> dict:
    """Return the configuration in which the source's paths below the working folder are relative to it."""
    source, settings = config["source"], dict(settings_of(config))
    for key in path_settings(source):
        if key in settings:
            settings[key] = _from_here(settings[key])
    return {
        **config,
        "source": source if source in SOURCES else _from_here(source),
        settings_key(source): settings,
    }


def _from_here(value: Any) -> Any:
    if isinstance(value, list):
        return [_from_here(entry) for entry in value]
    return str(path_here(Path(value))) if isinstance(value, str) else value


def source_name(config: Mapping) -> str:
    """Return the name that tables and notes have for a study's source."""
    source = config["source"]
    return source if source in SOURCES else str(_constant(source, "NAME", Path(source).parent.name))


def _constant(source: str, name: str, default: Any) -> Any:
    return constants_of(source_file(source)).get(name, default)


def path_settings(source: str) -> tuple[str, ...]:
    """Return the names of a source's settings that hold a file or a folder, or a list of them."""
    return tuple(_constant(source, "PATHS", ()))


def provides(config: Mapping) -> set[str]:
    return set(_constant(config["source"], "PROVIDES", ()))


def known_sources(source: object) -> list[str]:
    """Return the names of the package's sources, and also `source` if it is the path of a file."""
    is_own = isinstance(source, str) and source not in SOURCES and Path(source).is_file()
    return [*SOURCES, *[str(source)] * is_own]


def brings_models(source: object) -> bool:
    """Return whether the user brings the predictions, which then decide how many models a task has."""
    return source in known_sources(source) and bool(_constant(str(source), "BRINGS_MODELS", False))


def usual_experiments(source: object) -> list[str]:
    """Return the experiments of a study that lists none, or [] if the source leaves them to config.yaml."""
    return list(_constant(str(source), "EXPERIMENTS", ())) if source in known_sources(source) else []


def check_source(config: Mapping) -> None:
    source = _module(config)
    for function in ("check", "fetch"):
        if not hasattr(source, function):
            raise InputError(
                f"{source.__file__}: the function {function} is missing; a source has check and fetch"
            )
    numbers = {key: config[key] for key in ("models_per_task", "min_flows")}
    source.check(settings_of(config), **numbers)


def check_settings(settings: Mapping, keys: Mapping[str, Mapping]) -> None:
    """Raise InputError if `source_settings` has an unknown key or a value that the key's JSON schema refuses.

    The argument `keys` holds the JSON schema of each key. The message is one line.

    >>> check_settings({"rowz": 5}, {"rows": {"type": "integer", "minimum": 100}})
    Traceback (most recent call last):
    aucstudy.errors.InputError: source_settings.rowz: unknown key; did you mean 'rows'? allowed: rows
    """
    # The import is here because it loads jsonschema, which few jobs need.
    from aucstudy.study_folder.settings import explained, first_error

    schema = {"type": "object", "additionalProperties": False, "properties": keys}
    if error := first_error(settings, schema):
        path, fault = explained(error)
        raise InputError(f"{'.'.join([OWN_SETTINGS, *path])}: {fault}")


def schema_of_list(of: str) -> dict[str, Any]:
    """Return the JSON schema of a setting that is a list of distinct texts. `of` says what they are."""
    return {
        "type": "array",
        "items": {"type": "string"},
        "uniqueItems": True,
        "description": f"a list of {of}",
    }


def schema_of_names(*words: str) -> dict[str, Any]:
    """Return the JSON schema of a setting that is one of `words` or a list of names."""
    names = {**schema_of_list("names"), "minItems": 1}
    return {"anyOf": [{"enum": list(words)}, names], "description": f"{', '.join(words)}, or a list of names"}


def check_numbers(key: str, n_flows: int, **numbers: int) -> None:
    for name, value in numbers.items():
        if value > n_flows:
            raise InputError(f"{name}: {value} is asked for, {key} allows {n_flows}")


def fetch(folder: Path | str, config: Mapping, *, batch: int, progress: Callable[[str], None]) -> None:
    from aucstudy.store.task_store import Batch

    numbers = {key: config[key] for key in ("models_per_task", "min_flows", "seed")}
    study_options = {"settings": settings_of(config), "n_batches": fetch_batches(config), **numbers}
    _module(config).fetch(Batch(Path(folder), number=batch, progress=progress, **study_options))


def fill(
    batch: "Batch",
    costs: Mapping[str, float],
    fill_task: "Callable[[str], Filled]",
    filled: "Filled | None" = None,
) -> None:
    """Write a task store from `filled` and from what `fill_task` returns for each name of this batch.

    The keys of `costs` are all names of the study. Their costs are used to spread them evenly over the
    batches.
    """
    from aucstudy.store.task_store import Filled, write_store

    filled = filled or Filled()
    for name in even_batches(costs, batch.n_batches)[batch.number]:
        filled += fill_task(name)
        batch.progress(name)
    write_store(batch.folder, filled.tasks, filled.runs, filled.rejections)


def fetch_batches(config: Mapping) -> int:
    """Return the number of jobs that fetch the tasks.

    It is 1 if the source does not set `IN_BATCHES`. So only one job asks a server, at a polite pace.
    """
    return config["batches"]["fetch"] if _constant(config["source"], "IN_BATCHES", False) else 1


def work(config: Mapping) -> dict[str, int] | None:
    """Return the cost of each task that the source will look at, in a unit of the source's own.

    Return None if the source does not know its tasks before it fetches them.
    """
    module, settings = _module(config), settings_of(config)
    if hasattr(module, "work"):
        return module.work(settings, config["models_per_task"], config["seed"])
    return dict.fromkeys(module.task_ids(settings), 1) if hasattr(module, "task_ids") else None


def input_files(config: Mapping) -> dict[str, str]:
    """Return the SHA-256 of each of the user's files that fetching reads, by its path."""
    source, settings = config["source"], settings_of(config)
    if source in SOURCES and "input_files" in functions_of(source_file(source)):
        return _module(config).input_files(settings)
    files = [path for key in _constant(source, "INPUT_FILES", ()) for path in settings.get(key) or ()]
    return {path: sha256_of(Path(path)) for path in files}


def has_rows(config: Mapping) -> bool:
    """Return whether the source of a study has the rows of its tasks and not only the predictions."""
    return _constant(config["source"], "ROWS_DEPEND_ON", None) is not None


def rows_config(config: Mapping, digests: Mapping[str, str]) -> dict | None:
    """Return the part of a study's configuration that the rows of a task depend on, or None without rows.

    They do not depend on which other tasks the study has. The `digests` are those that `input_files` returns.
    """
    if not has_rows(config):
        return None
    source = config["source"]
    keys, settings = _constant(source, "ROWS_DEPEND_ON", ()), settings_of(config)
    depended = {key: settings.get(key) for key in keys}
    return {"source": source, settings_key(source): depended, "input_files": digests}


def rows(config: Mapping, task_id: str, *, seed: int):
    """Return the data set of a task and the (n,) folds of its rows, or None if the source fixes no folds.

    The `config` is that of the study or the result of `rows_config`. With the study's `seed`, a source that
    cuts large data sets draws the same rows again.
    """
    return _module(config).rows(settings_of(config), task_id, seed)


def papers_population(config: Mapping) -> bool:
    """Return whether a study chooses tasks and models as Flach & Kull 2015 did.

    They considered every OpenML task and run from before some day, which the paper does not give, and used 30
    models for each task. A pinned selection is one that such a study made earlier.
    """
    if config["source"] != "openml":
        return False
    rules = config["openml"]
    chosen = any(rules.get(key) for key in ("tasks", "suite", "tags", "max_tasks"))
    rules_of_paper = rules.get("uploaded_before") in GUESSED_DAYS and rules.get("repeats") == [1, 10]
    return rules_of_paper and not chosen and config["models_per_task"] == 30


def even_batches(costs: Mapping[str, float], batches: int) -> list[list[str]]:
    """Return the tasks in batches of about equal cost.

    Starting with the costliest, each task goes to the batch whose sum of costs is least so far.

    >>> even_batches({"a": 5, "b": 4, "c": 3, "d": 3}, 2)
    [['a', 'd'], ['b', 'c']]
    """
    loads = [0.0] * batches
    placed: list[list[str]] = [[] for _ in loads]
    for name in sorted(costs, key=lambda name: (-costs[name], name)):
        lightest = loads.index(min(loads))
        loads[lightest] += costs[name]
        placed[lightest].append(name)
    return placed


def _module(config: Mapping) -> ModuleType:
    return load(source_file(config["source"]))
