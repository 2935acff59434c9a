"""Sources of tasks and predictions: each fills a task store and knows nothing of metrics.

A source is a module with functions of `settings`, its block of the configuration:

* `check(settings, *, models_per_task, min_flows)` raises InputError before anything starts;
* `fetch(batch)` fills the task store of a `Batch`, most by `fill`, a task at a time;
* `rows(settings, task_id, seed)`, if it has the rows of its tasks at hand, so that learners can be fitted again;
* `task_ids(settings)`, if it knows its tasks before it starts, and `work(settings, models_per_task, seed)`, what each
  of them takes, if they differ;
* `input_files(settings)`, if it reads files of the user's.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from aucstudy.errors import InputError

if TYPE_CHECKING:
    from aucstudy.store.task_store import Batch, Filled

SOURCES = {
    "packaged": "aucstudy.sources.packaged",
    "held_out": "aucstudy.sources.held_out",
    "natural_outcomes": "aucstudy.sources.natural_outcomes",
    "openml": "aucstudy.sources.openml",
    "relational": "aucstudy.sources.relational",
    "files": "aucstudy.sources.files",
}
# said here too, because importing a source to see whether it has `rows` takes a second; and on which keys rows depend
WITH_ROWS = {"packaged": ("rows",), "relational": ("folder",)}
IN_BATCHES = ("packaged", "held_out", "natural_outcomes")
WITH_FILES = ("files",)


def check_source(config: Mapping) -> None:
    numbers = {key: config[key] for key in ("models_per_task", "min_flows")}
    _module(config).check(config[config["source"]], **numbers)


def check_numbers(key: str, n_flows: int, **numbers: int) -> None:
    for name, value in numbers.items():
        if value > n_flows:
            raise InputError(f"{name}: {value} is asked for, {key} allows {n_flows}")


def fetch(folder: Path | str, config: Mapping, *, batch: int, progress: Callable[[str], None]) -> None:
    from aucstudy.store.task_store import Batch

    numbers = {key: config[key] for key in ("models_per_task", "min_flows", "seed")}
    study_options = {"settings": config[config["source"]], "n_batches": fetch_batches(config), **numbers}
    _module(config).fetch(Batch(Path(folder), number=batch, progress=progress, **study_options))


def fill(batch: "Batch", costs: Mapping[str, float], fill_task: "Callable[[str], Filled]") -> None:
    """Fill the store with what `fill_task` returns of each name that falls to this batch; names have a cost."""
    from aucstudy.store.task_store import Filled, write_store

    filled = Filled()
    for name in even_batches(costs, batch.n_batches)[batch.number]:
        filled += fill_task(name)
        batch.progress(name)
    write_store(batch.folder, filled.tasks, filled.runs, filled.rejections)


def fetch_batches(config: Mapping) -> int:
    """Into how many jobs fetching is cut: one where a server is asked, so that it is asked politely."""
    return config["batches"]["fetch"] if config["source"] in IN_BATCHES else 1


def work(config: Mapping) -> dict[str, int] | None:
    """What each task that the source will look at takes, in a unit of its own; None where only the server knows."""
    module, settings = _module(config), config[config["source"]]
    if hasattr(module, "work"):
        return module.work(settings, config["models_per_task"], config["seed"])
    return dict.fromkeys(module.task_ids(settings), 1) if hasattr(module, "task_ids") else None


def input_files(config: Mapping) -> dict[str, str]:
    """The files of the user's that fetching reads: the SHA-256 of each by its path; empty for other sources."""
    source = config["source"]
    return _module(config).input_files(config[source]) if source in WITH_FILES else {}


def has_rows(config: Mapping) -> bool:
    """Whether the source of a study has the rows of its tasks at hand, not only the predictions."""
    return config["source"] in WITH_ROWS


def rows_config(config: Mapping) -> dict | None:
    """What the rows of a task depend on in the configuration of a study: not on which other tasks there are."""
    source = config["source"]
    keys = WITH_ROWS.get(source)
    return keys and {"source": source, source: {key: config[source].get(key) for key in keys}}


def rows(config: Mapping, task_id: str, *, seed: int):
    """The data set of a task and, where the source fixes them, the (n,) fold of each row (else None).

    `config` is that of the study or of `rows_config`, `seed` the study's: a source that cuts large sets draws the same
    rows again.
    """
    return _module(config).rows(config[config["source"]], task_id, seed)


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


def _module(config: Mapping):
    return import_module(SOURCES[config["source"]])
