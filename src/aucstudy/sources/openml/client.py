"""All that this project asks of an OpenML server, as plain rows.

The `openml` package parses tasks and data sets. It has no timeout, and its cache keeps error pages and torn files: so
while a `Client` is open, its requests go through our `Transport` and its cache is temporary.
"""

import html
import math
import os
import re
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

import requests

from aucstudy.errors import InputError
from aucstudy.sources.openml.predictions import Unusable
from aucstudy.sources.openml.settings import Manners
from aucstudy.sources.openml.transport import (
    NO_KEYS,
    NO_RESULTS,
    WANTS_A_KEY,
    Answer,
    Fault,
    Lasting,
    NoAnswer,
    RawStore,
    Request,
    ServerUnavailable,
    Transport,
    UnusableAnswer,
    error_code,
    xml_fault,
)
from aucstudy.store.files import writing
from aucstudy.store.rejections import Reason

VERSIONS = "0.15.1 to 0.16"
PAGE = 10_000
PROCEDURES = "estimationprocedure/list"
IDS_PER_ADDRESS = 200
SUPERVISED_CLASSIFICATION = "1"
ROOTS = {"task/": "oml:task", "data/features/": "oml:data_features", "data/": "oml:data_set_description"}
# where the answer to an address that ends in an id says whose it is
OWN_ID = {"oml:run": "run_id", "oml:task": "task_id", "oml:data_set_description": "id"}
RUN_KEYS = ("task_id", "run_id", "flow_id", "flow_name", "setup_id")
# what a row of a list is about: a task, a run, or one engine's value of a run
ROW_KEYS = ("task_id", "run_id", "evaluation_engine_id")
_PREFIX = "{http://openml.org/openml}"
_LEAF = re.compile(r"(<oml:(\w+)(?:\s[^>]*)?>)((?:[^<]|<(?!/?oml:))*)(</oml:\2>)")
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")


class MissingList(InputError):
    """A list got no answer, or no usable one."""


@dataclass(frozen=True)
class Evaluation:
    """A listed run; `error` is the uploader's, `per_class` an area for each class."""

    task_id: str
    run_id: str
    flow_id: str
    flow_name: str
    setup_id: str
    upload_time: str
    error: str = ""
    auroc: float = float("nan")
    per_class: tuple[float, ...] = ()


@dataclass(frozen=True)
class ListedTask:
    task_id: str
    dataset_id: str
    dataset_name: str
    procedure: str
    target: str
    n_rows: float


@dataclass(frozen=True)
class Run:
    """A described run; `file` is the address of its predictions, "" without any."""

    run_id: str
    task_id: str
    flow_id: str
    flow_name: str
    setup_id: str
    error: str
    file: str
    class_counts: tuple[float, ...]


@dataclass(frozen=True)
class TaskFacts:
    task_id: str
    dataset_id: str
    dataset_name: str
    target: str
    procedure: str
    repeats: str
    folds: str
    classes: tuple[str, ...]
    file: str
    md5: str
    parquet: str = ""


class Client(AbstractContextManager):
    """An OpenML server in a `with` block, one per process; `doubts` has a line for each doubtful list."""

    def __init__(self, server: str, store: RawStore, manners: Manners):
        self.server = server.rstrip("/")
        probe = self._request(PROCEDURES, xml_fault("oml:estimationprocedures"))
        self.transport = Transport(store, manners, probe)
        self.doubts: list[str] = []
        self._open = ExitStack()

    def __enter__(self) -> "Client":
        import openml  # 2 seconds, and it makes folders in the user's home: only where it is used
        from openml import _api_calls

        if not hasattr(_api_calls, "_send_request") or not hasattr(
            openml.tasks.functions, "_get_task_description"
        ):
            raise InputError(
                f"openml {openml.__version__}: not a version that this project knows; wanted: {VERSIONS}"
            )
        store = self.transport.store
        self._open.enter_context(store.locked())
        folder = store.folder if os.access(store.folder, os.W_OK) else None
        cache = self._open.enter_context(tempfile.TemporaryDirectory(prefix=".openml-", dir=folder))
        for module, name, value in (
            (openml.config, "server", self.server),
            (openml.config, "apikey", ""),
            (openml.config, "_root_cache_directory", Path(cache)),
            (_api_calls, "_send_request", self._send),
        ):
            self._open.callback(setattr, module, name, getattr(module, name))
            setattr(module, name, value)
        return self

    def __exit__(self, *exception: object) -> None:
        self._open.close()

    def procedures(self, repeats: int, folds: int) -> set[str]:
        procedure = (SUPERVISED_CLASSIFICATION, "crossvalidation", str(repeats), str(folds))
        ids = {
            _child(row, "id")
            for row in self._rows(self.transport.probe)
            if tuple(_child(row, name) for name in ("ttid", "type", "repeats", "folds")) == procedure
        }
        if not ids:
            raise InputError(f"{self.server}: no estimation procedure with {repeats} x {folds} folds")
        return ids

    def suite(self, name: str) -> tuple[str, ...]:
        request = self._request(f"study/{name}", _suite_fault(name))
        elements = self._rows(request)
        kind = "".join(e.text or "" for e in elements if e.tag == f"{_PREFIX}main_entity_type").strip()
        ids = [(task.text or "").strip() for e in elements for task in e.iter(f"{_PREFIX}task_id")]
        if kind not in ("", "task") or not ids:
            fault = f"a study of {kind}s" if ids else "without tasks"
            raise InputError(f"openml.suite: {request.url} is {fault}; wanted: a suite of tasks")
        return tuple(dict.fromkeys(ids))

    def tasks(self, filters: dict[str, str]) -> list[ListedTask]:
        base = f"task/list/type/{SUPERVISED_CLASSIFICATION}"
        words = "".join(f"/{word}" for pair in filters.items() for word in pair)
        task_ids = filters["task_id"].split(",") if "task_id" in filters else ()
        rows = self._pages(base, "oml:tasks", task_ids, before=words)
        return _once(map(_listed_task, rows), lambda task: task.task_id)

    def evaluations(self, task_ids: Sequence[str]) -> list[Evaluation]:
        """Evaluated runs of some tasks, with the area of the first evaluation engine."""
        path = "evaluation/list/function/area_under_roc_curve"
        rows = self._pages(path, "oml:evaluations", task_ids, after=f"/task/{','.join(task_ids)}")
        # One row an engine: the engine of lowest number is the server's own.
        rows.sort(key=lambda row: _number(_child(row, "evaluation_engine_id") or "1"))
        with_areas = (run for run in map(_evaluation, rows) if run.per_class or not math.isnan(run.auroc))
        return _once(with_areas, lambda run: run.run_id)

    def runs(self, task_ids: Sequence[str]) -> list[Evaluation]:
        """Listed runs of some tasks; the server hides those with an error."""
        rows = self._pages("run/list", "oml:runs", task_ids, after=f"/task/{','.join(task_ids)}")
        return _once(map(_evaluation, rows), lambda run: run.run_id)

    def run(self, run_id: str) -> Run:
        answer = self.transport.get(self._request(f"run/{run_id}", _entity_fault("oml:run", run_id)))
        if answer.status != 200:
            raise Unusable(Reason.SERVER_ERROR, _error_text(answer))
        return _run(parse_xml(answer.body))

    def task(self, task_id: str) -> TaskFacts:
        """The task and its data set; Unusable where one is missing, private or unreadable."""
        import openml
        from openml.tasks.functions import _get_task_description  # get_task loads the data of a text target

        try:
            with writing(openml.config._root_cache_directory):
                task: Any = _get_task_description(int(task_id))
                data = openml.datasets.get_dataset(
                    task.dataset_id,
                    download_data=False,
                    download_qualities=False,
                    download_features_meta_data=True,
                )
            procedure = task.estimation_procedure
            nominal = [f for f in data.features.values() if f.name == task.target_name and f.nominal_values]
            return TaskFacts(
                task_id=task_id,
                dataset_id=str(task.dataset_id),
                dataset_name=str(data.name),
                target=task.target_name,
                procedure=str(procedure["type"]),
                repeats=procedure["parameters"].get("number_repeats", ""),
                folds=procedure["parameters"].get("number_folds", ""),
                classes=tuple(map(str, nominal[0].nominal_values)) if nominal else (),
                file=data.url or "",
                md5=(data.md5_checksum or "").lower(),
                parquet=data._parquet_url or "",
            )
        except openml.exceptions.OpenMLPrivateDatasetError as error:
            raise Unusable(Reason.FILE_PRIVATE, f"data set: {error}") from None
        except openml.exceptions.OpenMLCacheException as error:
            raise InputError(str(error)) from None
        except openml.exceptions.PyOpenMLError as error:
            raise Unusable(Reason.TRUTH_UNAVAILABLE, f"{type(error).__name__}: {error}") from None
        except InputError:  # of the raw store, on a full disk: a ValueError, but none of the description
            raise
        except (ExpatError, LookupError, ValueError, TypeError, AttributeError, NotImplementedError) as error:
            fault = f"a description that cannot be read ({type(error).__name__}: {error})"
            raise Unusable(Reason.TRUTH_UNAVAILABLE, fault) from None

    def _pages(
        self, base: str, root: str, task_ids: Collection[str], before: str = "", after: str = ""
    ) -> list[ET.Element]:
        """The rows of all pages, up to the server's "no results": pages may repeat rows or be short."""
        rows: list[ET.Element] = []
        pages: list[list[tuple[str, ...]]] = []
        known_keys: set[tuple[str, ...]] = set()
        pages_without_new = 0
        while pages_without_new < 2:
            path = f"{base}{before}/limit/{PAGE}/offset/{PAGE * len(pages)}{after}"
            is_full = bool(pages) and len(pages[-1]) >= PAGE
            fault = _list_fault(root, task_ids, PAGE if is_full else 0)
            instead = self._request(f"{base}/limit/1/offset/0", xml_fault(root))
            request = replace(self._request(path, fault), instead=instead, at_end=bool(pages) and not is_full)
            page = self._rows(request)
            if not page:
                break
            keys = [tuple(_child(row, name) for name in ROW_KEYS) for row in page]
            # a server that ignores the offset would list for ever
            pages_without_new = 0 if set(keys) - known_keys else pages_without_new + 1
            known_keys |= set(keys)
            pages.append(keys)
            rows += [row for row in page if _has_ids(row)]
        doubt = paging_fault(pages, PAGE)
        if doubt:
            shorter = "; tasks_per_list: 1 makes shorter lists" if "," in after else ""
            self.doubts.append(f"{self.server}/{base}{before}{after}: {doubt}{shorter}")
        return rows

    def _rows(self, request: Request) -> list[ET.Element]:
        try:
            answer = self.transport.get(request)
            if answer.status == 200:
                return list(parse_xml(answer.body))
        except (NoAnswer, UnusableAnswer) as error:
            missing = f"{self.server}: a list is missing, so nothing can be selected: {error}"
            kind = InputError if isinstance(error, ServerUnavailable) else MissingList
            advice = "" if NO_KEYS in missing else "; run the same command again to go on"
            raise kind(f"{missing}{advice}") from None
        if error_code(answer.body) in NO_RESULTS:
            return []
        raise InputError(f"{request.url}: the server says {_error_text(answer)}")

    def _request(self, path: str, fault: Fault) -> Request:
        return Request(f"{self.server}/{path}", fault, api=True)

    def _send(self, request_method: str, url: str, *_: object, **__: object) -> requests.Response:
        path = url.removeprefix(f"{self.server}/")
        root = next((root for start, root in ROOTS.items() if path.startswith(start)), None)
        if request_method != "get" or root is None:
            raise InputError(f"{request_method} {url}: not a request that this project makes")
        answer = self.transport.get(self._request(path, _entity_fault(root, path.rpartition("/")[2])))
        response = requests.Response()
        response.status_code, response.url, response.encoding = answer.status, url, "utf-8"
        response._content = answer.body
        response.headers["Content-Encoding"] = "gzip"  # else the package warns of each plain answer
        return response


def _fault(root: str, check: Callable[[ET.Element], str]) -> Fault:
    xml_fault_of = xml_fault(root)

    def fault(body: bytes) -> str:
        try:
            return xml_fault_of(body) or check(parse_xml(body))
        except UnusableAnswer as error:
            return str(error)

    return fault


def _list_fault(root: str, task_ids: Collection[str], full: int) -> Fault:

    def check(rows: ET.Element) -> str:
        other_tasks = {_child(row, "task_id") for row in rows} - {*task_ids, ""} if task_ids else ()
        if other_tasks:
            return f"it lists task {min(other_tasks)}, which was not asked for"
        return Lasting(f"{len(rows)} rows after a full page") if len(rows) < full else ""

    return _fault(root, check)


def _suite_fault(name: str) -> Fault:
    def check(study: ET.Element) -> str:
        number = _child(study, "id")
        not_numbers = [
            task.text for task in study.iter(f"{_PREFIX}task_id") if not (task.text or "").strip().isdecimal()
        ]
        if name.isdecimal() and number != name:
            return f"id is {number!r}, asked for was {name}"
        return f"task_id is {not_numbers[0]!r}, which is no number" if not_numbers else ""

    return _fault("oml:study", check)


def _entity_fault(root: str, number: str) -> Fault:
    """Caches are mixed up and tables locked: the answer may be another description."""

    def check(element: ET.Element) -> str:
        if root in OWN_ID and (number_there := _child(element, OWN_ID[root])) != number:
            return f"{OWN_ID[root]} is {number_there!r}, asked for was {number}"
        inputs = {e.get("name", e.tag): (e.text or "").strip() for e in element.iter()}
        kind = inputs.get(f"{_PREFIX}type")
        counts = inputs.get("number_repeats") and inputs.get("number_folds")
        if root == "oml:task" and (not kind or (kind == "crossvalidation" and not counts)):
            return "a description without its estimation procedure"
        return "a data set without a column" if root == "oml:data_features" and not len(element) else ""

    return _fault(root, check)


def parse_xml(body: bytes) -> ET.Element:
    """The root of an answer, bare `&` and `<` in text mended. UnusableAnswer where it is no XML.

    >>> parse_xml(b'<oml:a xmlns:oml="http://openml.org/openml"><oml:b>R & D < C</oml:b></oml:a>')[0].text
    'R & D < C'
    """
    try:
        return ET.fromstring(body)
    except ET.ParseError:
        text = _NO_XML.sub("\ufffd", body.decode(errors="replace"))
    mended = _LEAF.sub(lambda m: m[1] + html.escape(html.unescape(m[3]), quote=False) + m[4], text)
    try:
        return ET.fromstring(mended)
    except ET.ParseError as error:
        raise UnusableAnswer(f"an answer that is no XML: {error}") from None


def _child(element: ET.Element, name: str) -> str:
    return (element.findtext(_PREFIX + name) or "").strip()


def _numbers(text: str) -> tuple[float, ...]:
    """The numbers of an array, NaN for other text.

    >>> _numbers("[0.5,?,1]")
    (0.5, nan, 1.0)
    """
    return tuple(map(_number, text.strip().strip("[]").split(","))) if text.strip() else ()


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _has_ids(row: ET.Element) -> bool:
    names = ("task_id", "did") if row.tag.endswith("}task") else ("task_id", "run_id", "flow_id")
    return all(_child(row, name).isdecimal() for name in names)


def _listed_task(row: ET.Element) -> ListedTask:
    inputs = {e.get("name"): (e.text or "").strip() for e in row.iter(f"{_PREFIX}input")}
    qualities = {e.get("name"): _number(e.text or "") for e in row.iter(f"{_PREFIX}quality")}
    return ListedTask(
        task_id=_child(row, "task_id"),
        dataset_id=_child(row, "did"),
        dataset_name=_child(row, "name"),
        procedure=inputs.get("estimation_procedure", ""),
        target=inputs.get("target_feature", ""),
        n_rows=qualities.get("NumberOfInstances", float("nan")),
    )


def _evaluation(row: ET.Element) -> Evaluation:
    return Evaluation(
        **{name: _child(row, name) for name in (*RUN_KEYS, "upload_time")},
        error=_child(row, "error_message"),
        auroc=_number(_child(row, "value")),
        per_class=_numbers(_child(row, "array_data")),
    )


def _run(root: ET.Element) -> Run:
    """The described run; the package's `get_run` drops errors and arrays."""
    files = {_child(e, "name"): _child(e, "url") for e in root.iter(f"{_PREFIX}file")}
    counts = [
        _child(e, "array_data")
        for e in root.iter(f"{_PREFIX}evaluation")
        if _child(e, "name") == "number_of_instances" and e.get("fold") is None
    ]
    return Run(
        **{name: _child(root, name) for name in RUN_KEYS},
        error=_child(root, "error") or _child(root, "error_message"),
        file=files.get("predictions", ""),
        class_counts=_numbers(counts[0]) if counts else (),
    )


def paging_fault(pages: Sequence[Sequence[Hashable]], size: int) -> str:
    """The sign that rows got lost between pages of at most `size` keys, or "".

    >>> paging_fault(["abc", "dea", "f"], 3)
    '1 row came on two pages, so that as many others may be missing'
    >>> paging_fault(["ab", "def", "g"], 3)
    'page 1 of 3 has 2 of 3 rows'
    >>> paging_fault(["abb", "bcd", "d"], 3)  # a run has a row for each engine, and they may fall on two pages
    ''
    """
    earlier_rows: set[Hashable] = set()
    repeated = 0
    for last_page, page in zip([[], *pages], pages, strict=False):
        split = {page[0]} if last_page and page and page[0] == last_page[-1] else set()
        repeated += len((set(page) & earlier_rows) - split)
        earlier_rows.update(page)
    if repeated:
        rows = "row" if repeated == 1 else "rows"
        return f"{repeated} {rows} came on two pages, so that as many others may be missing"
    for number, page in enumerate(pages[:-1], 1):
        if len(page) < size:
            return f"page {number} of {len(pages)} has {len(page)} of {size} rows"
    return ""


def _once(rows: Iterable, key) -> list:
    first: dict[str, object] = {}
    for row in rows:
        first.setdefault(key(row), row)
    return list(first.values())


def _error_text(answer: Answer) -> str:
    code = error_code(answer.body)
    root = parse_xml(answer.body) if code is not None else None
    text = f"{code}: {_child(root, 'message')}" if root is not None else f"status {answer.status}"
    return f"{text} ({NO_KEYS})" if code in WANTS_A_KEY else text
