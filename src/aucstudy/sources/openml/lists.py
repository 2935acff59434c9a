"""The lists of tasks and runs on a server, read page by page.

The lists of openml-python are not used. They fail on a bare `&`
(https://github.com/openml/openml-python/issues/986), end at the first page that repeats a run, and keep only
the last engine's value of a run.
"""

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeVar
from xml.etree.ElementTree import Element

from aucstudy.errors import InputError
from aucstudy.sources.openml.answers import (
    NO_RESULTS,
    PREFIX,
    child,
    error_code,
    error_text,
    number,
    numbers,
    parse_xml,
)  # fmt: skip
from aucstudy.sources.openml.transport import NoAnswer, Session

PAGE = 10_000
PROCEDURES = "estimationprocedure/list"
SUPERVISED_CLASSIFICATION = "1"
MAX_SWEEPS = 10
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class ListedTask:
    task_id: str
    dataset_id: str
    dataset_name: str
    procedure: str
    target: str
    n_rows: float
    status: str = "active"

    @property
    def key(self) -> tuple[str, ...]:
        return (self.task_id,)


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run in a list of the server, or the value that one engine gave it.

    The text `error` is the error message that the uploader reported. The numbers `per_class` are the AUROC of
    each class.
    """

    task_id: str
    run_id: str
    flow_id: str
    flow_name: str
    setup_id: str
    upload_time: str
    error: str = ""
    auroc: float = float("nan")
    per_class: tuple[float, ...] = ()
    engine: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        return (self.run_id, self.engine)


Row = TypeVar("Row", ListedTask, ListedRun)


class LongList(Exception):
    """A list of the runs of several tasks that does not fit on one page."""


class Lists:
    """The lists of a server.

    The server says "no results" also if its query failed. So this answer counts only if it came twice, with
    other requests between. `n_doubts` is the number of lists for which it came for the first time. The answer
    is remembered as long as this object, and not in the cache.
    """

    def __init__(self, session: Session, server: str):
        self.session, self.server = session, server.rstrip("/")
        self.n_doubts = self.n_requests_between = 0
        self._empty_answers: Counter[str] = Counter()
        self._filled: dict[str, bool] = {}

    def settled(self, read: Callable[[], Value]) -> Value:
        """Return what `read` makes of the lists once no answer "no results" is in doubt."""
        while True:
            n_doubts = self.n_doubts
            value = read()
            if self.n_doubts == n_doubts:
                return value
            self.n_requests_between += 1
            self.session.get(f"{self.server}/{PROCEDURES}", force_refresh=True)

    @property
    def n_requests_of_no_results(self) -> int:
        """The number of requests whose answers are not in the cache, so that the next fetch repeats them."""
        return self._empty_answers.total() + self.n_requests_between

    def are_all_empty(self, kind: str) -> bool:
        """Return whether lists of a kind, such as "run", were read and none of them had a row."""
        return self._filled.get(kind) is False

    def procedures(self, repeats: Sequence[int], folds: int) -> dict[str, int]:
        """Return the number of repetitions of each cross-validation that is asked for, by its id."""
        procedures = {
            (SUPERVISED_CLASSIFICATION, "crossvalidation", str(number), str(folds)): number
            for number in repeats
        }
        names = ("ttid", "type", "repeats", "folds")
        rows = {child(row, "id"): tuple(child(row, name) for name in names) for row in self._rows(PROCEDURES)}
        repeats_by_id = {i: procedures[row] for i, row in rows.items() if row in procedures}
        if missing := [number for number in repeats if number not in repeats_by_id.values()]:
            raise InputError(f"{self.server}: no estimation procedure with {missing[0]} x {folds} folds")
        return repeats_by_id

    def suite(self, name: str) -> tuple[str, ...]:
        elements = self._rows(f"study/{name}")
        kind = "".join(e.text or "" for e in elements if e.tag == f"{PREFIX}main_entity_type").strip()
        ids = [(task.text or "").strip() for e in elements for task in e.iter(f"{PREFIX}task_id")]
        if kind not in ("", "task") or not ids or not all(map(str.isdecimal, ids)):
            fault = f"a study of {kind}s" if ids else "without tasks"
            raise InputError(
                f"openml.suite: {self.server}/study/{name} is {fault}; expected: a suite of tasks"
            )
        return tuple(dict.fromkeys(ids))

    def tasks(self, filters: dict[str, str]) -> list[ListedTask]:
        base = f"task/list/type/{SUPERVISED_CLASSIFICATION}"
        words = "".join(f"/{word}" for pair in filters.items() for word in pair)
        return list(self._pages(base + words, _listed_task).values())

    def evaluations(self, task_ids: Sequence[str], before: str | None = None) -> list[ListedRun]:
        """Return the evaluated runs of some tasks. The AUROC is that of the first engine that has one.

        If `before` is a day, these are only the runs from before that day. Raise LongList as `runs` does.
        """
        path = "evaluation/list/function/area_under_roc_curve"
        rows = self._runs(path, task_ids, before)
        # There is a row for each engine. The engine of lowest number, which comes first, is the server's own.
        rows.sort(key=lambda run: number(run.engine or "1"))
        return _once(run for run in rows if run.per_class or not math.isnan(run.auroc))

    def runs(self, task_ids: Sequence[str], before: str | None = None) -> list[ListedRun]:
        """Return the listed runs of some tasks. The server leaves out runs with an error.

        Raise LongList if there are several tasks and the list does not fit on a page. The lists of single
        tasks need less memory.
        """
        return _once(self._runs("run/list", task_ids, before))

    def _runs(self, path: str, task_ids: Sequence[str], before: str | None) -> list[ListedRun]:
        def is_early(run: ListedRun) -> bool:
            return before is None or run.upload_time < before

        after = f"/task/{','.join(task_ids)}"
        rows = self._pages(path, _listed_run, after, is_early, one_page=len(task_ids) > 1)
        return list(rows.values())

    def _pages(
        self,
        base: str,
        read: Callable[[Element], Row],
        after: str = "",
        is_kept: Callable[[Row], bool] = lambda row: True,
        one_page: bool = False,
    ) -> dict[tuple[str, ...], Row]:
        """Return the rows of all pages that are to be kept, by their keys.

        The server does not sort its rows, so that a row may stand on two pages and another one on none. Then
        all pages are requested again, of another size, until no row can be missing. Raise NoAnswer if this
        does not happen.
        """
        rows: dict[tuple[str, ...], Row] = {}
        known_keys: set[tuple[str, ...]] = set()
        n_without_new = 0
        for sweep in range(MAX_SWEEPS):
            limit = PAGE - sweep * (PAGE // MAX_SWEEPS)
            n_known, n_rows, is_repeated = len(known_keys), 0, False
            keys_before: set[tuple[str, ...]] = set()
            keys_of_page: list[tuple[str, ...]] = []
            for offset in count(0, limit):
                page = self._rows(f"{base}/limit/{limit}/offset/{offset}{after}")
                if one_page and len(page) == limit:
                    raise LongList
                read_rows = [read(row) for row in page if _has_ids(row)]
                rows |= {row.key: row for row in read_rows if row.key not in known_keys and is_kept(row)}
                keys_of_last_page, keys_of_page = keys_of_page, [row.key for row in read_rows]
                if len(page) == limit and keys_of_page == keys_of_last_page:
                    raise NoAnswer(f"GET {self.server}/{base}{after}: all pages are the same", 200)
                is_repeated |= not keys_before.isdisjoint(keys_of_page)
                keys_before.update(keys_of_page)
                known_keys.update(keys_of_page)
                n_rows += len(read_rows)
                if len(page) < limit:
                    break
            n_without_new = 0 if len(known_keys) > n_known else n_without_new + 1
            # A run has a row for each engine in the list of runs, so that it may stand on two pages by right.
            if not is_repeated or len(known_keys) == n_rows or n_without_new == 2:
                return rows
        raise NoAnswer(f"GET {self.server}/{base}{after}: the pages overlap each time", 200)

    def _rows(self, path: str) -> list[Element]:
        if self._empty_answers[path] == 2:
            return []
        answer = self.session.get(f"{self.server}/{path}")
        kind = path.partition("/list")[0]
        self._filled[kind] = self._filled.get(kind, False) or answer.status_code == 200
        if answer.status_code == 200:
            return list(parse_xml(answer.content))
        if error_code(answer.content) not in NO_RESULTS:
            raise InputError(f"{self.server}/{path}: the server says {error_text(answer.content)}")
        self._empty_answers[path] += 1
        self.n_doubts += self._empty_answers[path] == 1
        return []


def _has_ids(row: Element) -> bool:
    names = ("task_id", "did") if row.tag.endswith("}task") else ("task_id", "run_id", "flow_id")
    return all(child(row, name).isdecimal() for name in names)


def _listed_task(row: Element) -> ListedTask:
    inputs = {e.get("name"): (e.text or "").strip() for e in row.iter(f"{PREFIX}input")}
    qualities = {e.get("name"): number(e.text or "") for e in row.iter(f"{PREFIX}quality")}
    ids = {
        "task_id": child(row, "task_id"),
        "dataset_id": child(row, "did"),
        "dataset_name": child(row, "name"),
    }
    procedure, target = (inputs.get(name, "") for name in ("estimation_procedure", "target_feature"))
    return ListedTask(
        **ids, procedure=procedure, target=target, n_rows=qualities.get("NumberOfInstances", math.nan),
        status=child(row, "status") or "active",
    )  # fmt: skip


def _listed_run(row: Element) -> ListedRun:
    # Texts that occur many times are kept once, since a task may have half a million runs.
    names = ("task_id", "flow_id", "flow_name", "setup_id")
    return ListedRun(
        **{name: sys.intern(child(row, name)) for name in names},
        run_id=child(row, "run_id"),
        upload_time=child(row, "upload_time"),
        error=child(row, "error_message"),
        auroc=number(child(row, "value")),
        per_class=numbers(child(row, "array_data")),
        engine=sys.intern(child(row, "evaluation_engine_id")),
    )


def _once(runs: Iterable[ListedRun]) -> list[ListedRun]:
    first: dict[str, ListedRun] = {}
    for run in runs:
        first.setdefault(run.run_id, run)
    return list(first.values())
