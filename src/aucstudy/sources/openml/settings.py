"""The settings in the block `openml` of a study. studies/openml-example.yaml explains every key."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from aucstudy.errors import InputError
from aucstudy.store.rejections import Reason

V1 = "an address that ends in /api/v1/xml, the v1 API: no other is spoken"


@dataclass(frozen=True)
class Settings:
    """What is fetched and how. The names of the fields are the keys of the configuration."""

    server: str = "https://www.openml.org/api/v1/xml"
    tasks: tuple[str, ...] = ()
    suite: str | None = None
    tags: tuple[str, ...] = ()
    only_listed_binary: bool = True
    max_tasks: int | None = None
    min_rows: int = 0
    max_rows: int | None = None
    repeats: tuple[int, ...] = (1,)
    folds: int = 10
    candidates: str = "evaluated"
    draw: str = "flow_then_run"
    first_runs: tuple[str, ...] = ()
    uploaded_before: str | None = None
    count_before: tuple[str, ...] = ()
    pinned: str | None = None
    cache: str | None = None
    tasks_per_list: int = 1
    pause: float = 1.0
    connections: int = 1
    timeout: float = 60.0
    answer_timeout: float = 600.0
    retries: int = 5
    backoff: float = 2.0
    outage: float = 900.0
    contact: str | None = None
    unanswered: str = "stop"
    ask_again: bool = False
    max_refused: float = 0.1

    @classmethod
    def read(cls, block: Mapping) -> "Settings":
        known = {field.name for field in fields(cls)}
        unknown = [str(key) for key in block if key not in known]
        if unknown:
            raise InputError(f"openml.{unknown[0]}: unknown key; allowed: {', '.join(sorted(known))}")
        values = dict(block)
        values["tasks"] = tuple(dict.fromkeys(str(task) for task in block.get("tasks") or ()))
        values["first_runs"] = tuple(str(run) for run in block.get("first_runs") or ())
        repeats = block.get("repeats", cls.repeats)
        values["repeats"] = (repeats,) if isinstance(repeats, int) else tuple(repeats)
        values["count_before"] = tuple(map(str, block.get("count_before") or ()))
        values["tags"] = tuple(block.get("tags") or ())
        for name in ("suite", "uploaded_before"):
            if block.get(name) is not None:
                values[name] = str(block[name])
        settings = cls(**values)
        _check(settings)
        return settings

    def cache_folder(self, store: Path) -> Path:
        return Path(self.cache) if self.cache else self.raw_folder(store)

    def rows_fault(self, n_rows: float) -> tuple[Reason, str] | None:
        if n_rows < self.min_rows:
            return Reason.TOO_FEW_ROWS, f"{n_rows:g} rows, {self.min_rows} needed"
        if self.max_rows is not None and n_rows > self.max_rows:
            return Reason.TOO_MANY_ROWS, f"{n_rows:g} rows, at most {self.max_rows} allowed"
        return None

    @staticmethod
    def raw_folder(store: Path) -> Path:
        """Return the folder `data/<study>/raw` of a study whose `store` is `data/<study>/fetched/0`."""
        return Path(store).absolute().parent.parent / "raw"


def _check(settings: Settings) -> None:
    for fault, pattern in (("name or password", "@"), ("key or query", "[?&#=]|/(api_?)?key/|/token/")):
        if re.search(pattern, settings.server, re.IGNORECASE):
            raise InputError(
                f"openml.server: holds a {fault}; expected: an address without: keys are never sent"
            )
    rows = settings.min_rows if settings.max_rows is None else settings.max_rows
    day = settings.uploaded_before
    days = settings.count_before
    for name, is_good, allowed in (
        ("server", re.match(r"https?://.+/api/v1/xml/?$", settings.server), V1),
        ("tasks", all(task.isdecimal() for task in settings.tasks), "a list of numbers"),
        ("suite", re.fullmatch(r"[\w.-]+", settings.suite or "-"), "a number, or a name of one word"),
        ("first_runs", all(run.isdecimal() for run in settings.first_runs), "a list of numbers"),
        ("draw", settings.draw in ("flow_then_run", "runs"), "flow_then_run | runs"),
        ("candidates", settings.candidates in ("evaluated", "listed"), "evaluated | listed"),
        ("uploaded_before", day is None or re.fullmatch(r"\d{4}-\d\d-\d\d", day), 'a day like "2015-06-01"'),
        ("contact", re.fullmatch(r"[!-~][ -~]*", settings.contact or "-"), "an address in letters of ASCII"),
        ("count_before", all(re.fullmatch(r"\d{4}-\d\d-\d\d", each) for each in days), "a list of days"),
        ("unanswered", settings.unanswered in ("stop", "reject"), "stop | reject"),
        ("connections", settings.connections >= 1, "1 or more"),
        ("max_rows", rows >= settings.min_rows, f"at least min_rows, {settings.min_rows}"),
    ):
        if not is_good:
            raise InputError(f"openml.{name}: is {getattr(settings, name)!r}; expected: {allowed}")
    if settings.suite and settings.tasks:
        raise InputError("openml.suite: openml.tasks is there too; expected: one of the two")
    if settings.pinned and not Path(settings.pinned).is_file():
        raise InputError(f"openml.pinned: no file {settings.pinned}")
