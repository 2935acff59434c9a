"""The lists of tasks and runs on a server, read page by page.

The lists of openml-python are not used. They fail on a bare `&`
(https://github.com/openml/openml-python/issues/986), end at the first page that repeats a run, and keep only
the last engine's value of a run.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
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
from aucstudy.sources.openml.transport import Session

PAGE = 10_000
PROCEDURES = "estimationprocedure/list"
SUPERVISED_CLASSIFICATION = "1"
# These elements identify a row of a list, which is about a task, a run, or one engine's value of a run.
ROW_KEYS = ("task_id", "run_id", "evaluation_engine_id")
Row = TypeVar("Row")
Value = TypeVar("Value")


@dataclass(frozen=True)
class ListedTask:
    task_id: str
    dataset_id: str
    dataset_name: str
    procedure: str
    target: str
    n_rows: float


@dataclass(frozen=True)
class ListedRun:
    """A run in a list of the server.

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

    def procedures(self, repeats: int, folds: int) -> set[str]:
        procedure = (SUPERVISED_CLASSIFICATION, "crossvalidation", str(repeats), str(folds))
        ids = {
            child(row, "id")
            for row in self._rows(PROCEDURES)
            if tuple(child(row, name) for name in ("ttid", "type", "repeats", "folds")) == procedure
        }
        if not ids:
            raise InputError(f"{self.server}: no estimation procedure with {repeats} x {folds} folds")
        return ids

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
        return _once(map(_listed_task, self._pages(base + words)), lambda task: task.task_id)

    def evaluations(self, task_ids: Sequence[str]) -> list[ListedRun]:
        """Return the evaluated runs of some tasks. The AUROC is that of the first engine that has one."""
        path = "evaluation/list/function/area_under_roc_curve"
        rows = self._pages(path, f"/task/{','.join(task_ids)}")
        # There is a row for each engine. The engine of lowest number, which comes first, is the server's own.
        rows.sort(key=lambda row: number(child(row, "evaluation_engine_id") or "1"))
        with_areas = (run for run in map(_listed_run, rows) if run.per_class or not math.isnan(run.auroc))
        return _once(with_areas, lambda run: run.run_id)

    def runs(self, task_ids: Sequence[str]) -> list[ListedRun]:
        """Return the listed runs of some tasks. The server leaves out runs with an error."""
        rows = self._pages("run/list", f"/task/{','.join(task_ids)}")
        return _once(map(_listed_run, rows), lambda run: run.run_id)

    def _pages(self, base: str, after: str = "") -> list[Element]:
        """Return the rows of all pages. The first page with fewer rows than the limit is the last one."""
        rows: list[Element] = []
        known_keys: set[tuple[str, ...]] = set()
        n_pages = pages_without_new = 0
        while pages_without_new < 2:
            page = self._rows(f"{base}/limit/{PAGE}/offset/{PAGE * n_pages}{after}")
            keys = {tuple(child(row, name) for name in ROW_KEYS) for row in page}
            # A server that ignores the offset would repeat its first page for ever.
            pages_without_new = 0 if keys - known_keys else pages_without_new + 1
            known_keys |= keys
            n_pages += 1
            rows += [row for row in page if _has_ids(row)]
            if len(page) < PAGE:
                break
        return rows

    def _rows(self, path: str) -> list[Element]:
        if self._empty_answers[path] == 2:
            return []
        answer = self.session.get(f"{self.server}/{path}")
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
        **ids, procedure=procedure, target=target, n_rows=qualities.get("NumberOfInstances", math.nan)
    )


def _listed_run(row: Element) -> ListedRun:
    names = ("task_id", "run_id", "flow_id", "flow_name", "setup_id", "upload_time")
    return ListedRun(
        **{name: child(row, name) for name in names},
        error=child(row, "error_message"),
        auroc=number(child(row, "value")),
        per_class=numbers(child(row, "array_data")),
    )


def _once(rows: Iterable[Row], key: Callable[[Row], str]) -> list[Row]:
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(key(row), row)
    return list(first.values())
