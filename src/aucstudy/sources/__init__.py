"""Sources of tasks and predictions: each fills a task store and knows nothing of metrics.

A source is a module with `check(settings, *, models_per_task, min_flows)`, which raises InputError before
anything starts, and `fetch(folder, settings, *, models_per_task, min_flows, seed, batch, batches, progress)`, which
fills the task store in `folder` with its batch of the tasks. A source that has the rows of its tasks at hand, so that
learners can be fitted again, also has `rows(settings, task_id, seed)`; one that reads files of the user's has
`input_files(settings)`.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

SOURCES = {
    "packaged": "aucstudy.sources.packaged",
    "openml": "aucstudy.sources.openml",
    "relational": "aucstudy.sources.relational",
    "files": "aucstudy.sources.files",
}
# said here too, because importing a source to see whether it has `rows` takes a second
WITH_ROWS = ("packaged", "relational")


def check_source(config: Mapping) -> None:
    """Let the source of a study check its own block of the configuration."""
    _module(config).check(
        config[config["source"]], models_per_task=config["models_per_task"], min_flows=config["min_flows"]
    )


def fetch(folder: Path | str, config: Mapping, *, batch: int, progress: Callable[[str], None]) -> None:
    """Fill the task store in `folder` with one batch of the tasks of the study's source."""
    _module(config).fetch(
        Path(folder),
        config[config["source"]],
        models_per_task=config["models_per_task"],
        min_flows=config["min_flows"],
        seed=config["seed"],
        batch=batch,
        batches=fetch_batches(config),
        progress=progress,
    )


def fetch_batches(config: Mapping) -> int:
    """Into how many jobs fetching is cut: one where a server is asked, so that it is asked politely."""
    return config["batches"]["fetch"] if config["source"] == "packaged" else 1


def n_tasks(config: Mapping) -> int | None:
    """How many tasks the source will look at, None where only the server knows."""
    module = _module(config)
    return len(module.task_ids(config[config["source"]])) if hasattr(module, "task_ids") else None


def input_files(config: Mapping) -> dict[str, str]:
    """The files of the user's that fetching reads: the SHA-256 of each by its path; empty for other sources.

    Raises
    ------
    InputError
        A file is not there.
    """
    return _module(config).input_files(config["files"]) if config["source"] == "files" else {}


def has_rows(config: Mapping) -> bool:
    """Whether the source of a study has the rows of its tasks at hand, not only the predictions."""
    return config["source"] in WITH_ROWS


def rows(config: Mapping, task_id: str, *, seed: int):
    """The data set of a task and, where the source fixes them, the (n,) fold of each row (else None).

    `seed` is the study's: a source that cuts large sets draws the same rows again.
    """
    return _module(config).rows(config[config["source"]], task_id, seed)


def _module(config: Mapping):
    return import_module(SOURCES[config["source"]])
