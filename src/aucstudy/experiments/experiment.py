"""The contract of an experiment: its settings, what it reads, what it makes. Light: the Snakefile imports it.

An experiment is a room of this folder (a package, or one file while it is small):

* the declaration, `EXPERIMENT`, in the room's `__init__`, which imports neither numba nor matplotlib;
* `numbers` with `of_task(task, *, seed, **settings)`, which measures one task and returns frames by name, each with a
  column task_id, and `over_all(study, *, seed, **settings)`, which returns the tables by name: where intervals are
  made. Both get an argument of `aucstudy.experiments.inputs`; an experiment without tasks has only the second;
* `telling` with `TABLES` (captions by table), `FIGURES` (by name: a `Figure`) and, where the report has a section on
  it, `QUESTION` and `findings(study)`, its sentences.

The workflow measures batches of tasks, gathers them and tells them, in jobs of their own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any

ROOMS = "aucstudy.experiments"


@dataclass(frozen=True)
class Setting:
    """One key of an experiment's block in config.yaml.

    Attributes
    ----------
    help : one line, the key's comment in config.yaml.
    schema : what is allowed, a JSON schema; its `description` words a refusal.
    """

    name: str
    default: object
    help: str
    schema: Mapping[str, object]


def whole(name: str, default: int, help: str, *, minimum: int, maximum: int | None = None) -> Setting:
    """A setting that is a whole number."""
    bounds = {"minimum": minimum} | ({} if maximum is None else {"maximum": maximum})
    return Setting(name, default, help, {"type": "integer", **bounds})


def several(
    name: str, default: list, help: str, items: Mapping[str, object], *, at_least: int = 1, wanted: str = ""
) -> Setting:
    """A setting that is a list without repeats.

    Parameters
    ----------
    items : JSON schema of an entry.
    wanted : what is wanted, in the words of a refusal.
    """
    schema = {"type": "array", "items": items, "minItems": at_least, "uniqueItems": True}
    return Setting(name, default, help, schema | ({"description": wanted} if wanted else {}))


def texts_or_null(count: int) -> dict[str, object]:
    """JSON schema of a list of so many texts, or null."""
    texts = {"type": "array", "items": {"type": "string"}, "minItems": count, "maxItems": count}
    return {"anyOf": [{"type": "null"}, texts]}


def bootstrap(help: str = "resamples of source groups behind each interval") -> Setting:
    """How many resamples of source groups an experiment's intervals rest on."""
    return whole("bootstrap", 2000, help, minimum=100)


ENABLED = Setting("enabled", True, "false leaves the experiment out", {"type": "boolean"})


@dataclass(frozen=True)
class Experiment:
    """What an experiment declares.

    Attributes
    ----------
    name : of its room, in rules, paths and, unless `block` says otherwise, in the configuration.
    category : of its tables and figures in the report.
    tables, figures : the names of what it makes.
    settings : the keys of its block, `enabled` apart.
    block : the block that switches it on; "" where nothing does.
    measures : settings that `of_task` gets, None without `of_task`; `block.key` names a key of another block.
    gathers, tells : settings that `over_all`, and that figures and findings, get.
    reads : what `over_all` reads of the study: tasks, scores, runs, predictions.
    tells_from : what figures read beside the experiment's own tables: scores, predictions.
    frames_of : experiments whose measured frames of the same task `of_task` reads.
    tables_of : experiments whose tables `over_all` reads; they are made even where they are switched off.
    tables_if_enabled : experiments whose tables `over_all` reads where they are switched on.
    rows : whether `of_task` fits learners, so that only sources with rows can have it (`needed`), or uses rows where
        there are any (`used`).
    sources : the only sources that it is for, () for all.
    chooses : whether `numbers` has `choose(tasks, *, seed, **settings)`, which says the tasks that are measured.
    on_request : whether it is left out unless a study file switches it on, because it takes long.
    passes : how often a row of one model is walked in `of_task`, by the settings: what batches are cut by.
    """

    name: str
    category: str
    tables: tuple[str, ...]
    figures: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()
    block: str | None = None
    measures: tuple[str, ...] | None = None
    gathers: tuple[str, ...] = ()
    tells: tuple[str, ...] = ()
    reads: tuple[str, ...] = ("tasks",)
    tells_from: tuple[str, ...] = ()
    frames_of: tuple[str, ...] = ()
    tables_of: tuple[str, ...] = ()
    tables_if_enabled: tuple[str, ...] = ()
    rows: str = ""
    sources: tuple[str, ...] = ()
    chooses: bool = False
    on_request: bool = False
    passes: Callable[[Mapping[str, Any]], float] = lambda settings: 10.0

    @property
    def switch(self) -> str:
        """The block of the configuration that switches the experiment, "" where none does."""
        return self.name if self.block is None else self.block

    @cached_property
    def _is_package(self) -> bool:
        return bool(find_spec(f"{ROOMS}.{self.name}").submodule_search_locations)

    def module(self, kind: str) -> str:
        """The dotted name of the module with the `numbers` or the `telling`."""
        return f"{ROOMS}.{self.name}" + (f".{kind}" if self._is_package else "")

    def load(self, kind: str):
        """The module with the `numbers` or the `telling`."""
        return import_module(self.module(kind))

    @property
    def keys(self) -> tuple[Setting, ...]:
        """The keys of the experiment's block."""
        return (replace(ENABLED, default=not self.on_request), *self.settings)

    def schema(self) -> dict[str, object]:
        """JSON schema of the experiment's block."""
        properties = {setting.name: dict(setting.schema) for setting in self.keys}
        return {
            "type": "object",
            "additionalProperties": False,
            "required": list(properties),
            "properties": properties,
        }

    def is_enabled(self, config: Mapping) -> bool:
        """Whether a study with this configuration makes it."""
        if self.sources and config["source"] not in self.sources:
            return False
        if self.rows == "needed":
            from aucstudy.sources import has_rows

            if not has_rows(config):
                return False
        return not self.switch or config[self.switch]["enabled"]

    def values(self, names: tuple[str, ...], config: Mapping) -> dict[str, object]:
        """The named settings, by their last name."""
        places = [name.rpartition(".") for name in names]
        return {key: config[block or self.switch][key] for block, _, key in places}
