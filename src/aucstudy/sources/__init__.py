"""Sources of tasks and predictions: each fills a task store and knows nothing of metrics.

A source is a module of this folder, or the file of a study's own folder that `source: ./source.py` names. It has
functions of `settings`, its block of the configuration (`source_settings` for a study's own):

* `check(settings, *, models_per_task, min_flows)` raises InputError before anything starts; what a key may hold it can
  leave to `check_settings`;
* `fetch(batch)` fills the task store of a `Batch`, most by `fill`, a task at a time;
* `rows(settings, task_id, seed)`, if it has the rows of its tasks at hand, so that learners can be fitted again;
* `task_ids(settings)`, if it knows its tasks before it starts, and `work(settings, models_per_task, seed)`, what each
  of them takes, if they differ;
* `input_files(settings)`, of a source of this package alone, if which files it reads is not said by `INPUT_FILES`: the
  SHA-256 of each by its path. The Snakefile calls it, so its module imports no numeric library at the top.

Code of a study's own folder is imported in jobs and in the commands, never where Snakemake plans. A source
may have constants, which are read without importing it:

* `ROWS_DEPEND_ON`, the settings on which `rows` depends; a source without it has no rows;
* `IN_BATCHES = True`, if its tasks may be fetched in several jobs;
* `BRINGS_MODELS = True`, if the user brings the predictions, so that a task has as many models as it has;
* `PATHS`, the settings that hold a file or a folder, or a list of them, and are taken from the study file's folder;
* `INPUT_FILES`, those of them that are lists of files which fetching reads, so that other contents are fetched anew;
* `PROVIDES`, words for what else its task stores hold, which the page of an experiment may name under `needs`;
* `NAME`, what tables and notes call a study's own source, the name of its folder without.
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


def source_file(source: str) -> Path:
    """The file of a source by its name, or by its path in a study's folder."""
    return SOURCES.get(source) or Path(source)


def settings_key(source: str) -> str:
    """The block of the configuration that holds the settings of a source."""
    return source if source in SOURCES else OWN_SETTINGS


def settings_of(config: Mapping) -> Mapping:
    return config.get(settings_key(config["source"])) or {}


def from_here(config: Mapping) -> dict:
    """A configuration with paths that are written from the working folder where they lie below it."""
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
    """What tables and notes call a study's source."""
    source = config["source"]
    return source if source in SOURCES else str(_constant(source, "NAME", Path(source).parent.name))


def _constant(source: str, name: str, default: Any) -> Any:
    return constants_of(source_file(source)).get(name, default)


def path_settings(source: str) -> tuple[str, ...]:
    """The settings of a source that hold a file or a folder, or a list of them."""
    return tuple(_constant(source, "PATHS", ()))


def provides(config: Mapping) -> set[str]:
    return set(_constant(config["source"], "PROVIDES", ()))


def known_sources(source: object) -> list[str]:
    """The sources of the package, and that of a study where it names the file of one of its own."""
    is_own = isinstance(source, str) and source not in SOURCES and Path(source).is_file()
    return [*SOURCES, *[str(source)] * is_own]


def brings_models(source: object) -> bool:
    """Whether whoever brings the predictions decides how many models a task has."""
    return source in known_sources(source) and bool(_constant(str(source), "BRINGS_MODELS", False))


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
    """InputError, in one line, where `source_settings` has a key that is not in `keys` or a value that its JSON schema
    refuses.

    >>> check_settings({"rowz": 5}, {"rows": {"type": "integer", "minimum": 100}})
    Traceback (most recent call last):
    aucstudy.errors.InputError: source_settings.rowz: unknown key; did you mean 'rows'? allowed: rows
    """
    from aucstudy.study_folder.settings import explained, first_error  # jsonschema, which few jobs need

    schema = {"type": "object", "additionalProperties": False, "properties": keys}
    if error := first_error(settings, schema):
        path, fault = explained(error)
        raise InputError(f"{'.'.join([OWN_SETTINGS, *path])}: {fault}")


def schema_of_list(of: str) -> dict[str, Any]:
    """The JSON schema of a setting that is a list of texts, each once; `of` says what they are."""
    return {
        "type": "array",
        "items": {"type": "string"},
        "uniqueItems": True,
        "description": f"a list of {of}",
    }


def schema_of_names(*words: str) -> dict[str, Any]:
    """The JSON schema of a setting that is one of some words, or a list of names."""
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
    """Fill the store with what `fill_task` returns of each name that falls to this batch, beside what is `filled`.

    The names have a cost each, by which they are shared among the batches.
    """
    from aucstudy.store.task_store import Filled, write_store

    filled = filled or Filled()
    for name in even_batches(costs, batch.n_batches)[batch.number]:
        filled += fill_task(name)
        batch.progress(name)
    write_store(batch.folder, filled.tasks, filled.runs, filled.rejections)


def fetch_batches(config: Mapping) -> int:
    """Into how many jobs fetching is cut: one where a server is asked, so that it is asked politely."""
    return config["batches"]["fetch"] if _constant(config["source"], "IN_BATCHES", False) else 1


def work(config: Mapping) -> dict[str, int] | None:
    """What each task that the source will look at takes, in a unit of its own; None where only the server knows."""
    module, settings = _module(config), settings_of(config)
    if hasattr(module, "work"):
        return module.work(settings, config["models_per_task"], config["seed"])
    return dict.fromkeys(module.task_ids(settings), 1) if hasattr(module, "task_ids") else None


def input_files(config: Mapping) -> dict[str, str]:
    """The files of the user's that fetching reads: the SHA-256 of each by its path; empty for other sources."""
    source, settings = config["source"], settings_of(config)
    if source in SOURCES and "input_files" in functions_of(source_file(source)):
        return _module(config).input_files(settings)
    files = [path for key in _constant(source, "INPUT_FILES", ()) for path in settings.get(key) or ()]
    return {path: sha256_of(Path(path)) for path in files}


def has_rows(config: Mapping) -> bool:
    """Whether the source of a study has the rows of its tasks at hand, not only the predictions."""
    return _constant(config["source"], "ROWS_DEPEND_ON", None) is not None


def rows_config(config: Mapping, digests: Mapping[str, str]) -> dict | None:
    """What the rows of a task depend on in the configuration of a study: not on which other tasks there are.

    `digests` are as of `input_files`.
    """
    if not has_rows(config):
        return None
    source = config["source"]
    keys, settings = _constant(source, "ROWS_DEPEND_ON", ()), settings_of(config)
    depended = {key: settings.get(key) for key in keys}
    return {"source": source, settings_key(source): depended, "input_files": digests}


def rows(config: Mapping, task_id: str, *, seed: int):
    """The data set of a task and, where the source fixes them, the (n,) fold of each row (else None).

    `config` is that of the study or of `rows_config`, `seed` the study's: a source that cuts large sets draws the same
    rows again.
    """
    return _module(config).rows(settings_of(config), task_id, seed)


def papers_population(config: Mapping) -> bool:
    """Whether tasks are chosen as Flach & Kull 2015 did: every OpenML task and run of before June 2015."""
    if config["source"] != "openml":
        return False
    rules = config["openml"]
    chosen = any(rules.get(key) for key in ("tasks", "suite", "tags", "max_tasks", "pinned"))
    return rules.get("uploaded_before") == "2015-06-01" and not chosen and config["models_per_task"] == 30


def even_batches(costs: Mapping[str, float], batches: int) -> list[list[str]]:
    """Tasks in batches of even cost: each in turn, the costliest first, goes to the batch that has least so far.

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
