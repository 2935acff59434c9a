"""The adapter: all that this project asks of an OpenML server, through the `openml` package where it can be trusted.

The package parses tasks and data sets. Its own way of asking (no timeout, a cache that keeps error pages and torn
files, lists that stop early, per-class values dropped) is replaced at one place: while a `Client` is open, the
package's requests go through our `Transport`, and its cache is a folder that lives as long as the client.
"""

import tempfile
from collections.abc import Iterable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element
from xml.parsers.expat import ExpatError

import requests

from aucstudy.errors import InputError
from aucstudy.sources.openml import parsing
from aucstudy.sources.openml.paging import paging_fault, row_key
from aucstudy.sources.openml.parsing import Evaluation, ListedTask, Run
from aucstudy.sources.openml.raw_store import Answer, RawStore
from aucstudy.sources.openml.response_checks import Fault, Request, arff_fault, error_code, is_arff, xml_fault
from aucstudy.sources.openml.target import Unusable
from aucstudy.sources.openml.transport import Manners, NoAnswer, Transport, UnusableAnswer
from aucstudy.store.rejections import Reason

PAGE = 10_000
PROCEDURES = "estimationprocedure/list"
IDS_PER_ADDRESS = 200
SUPERVISED_CLASSIFICATION = "1"
NO_RESULTS = {482, 512, 542}
ROOTS = {"task/": "oml:task", "data/features/": "oml:data_features", "data/": "oml:data_set_description"}


@dataclass(frozen=True)
class TaskFacts:
    """What the descriptions of a task and its data set say."""

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


class Client(AbstractContextManager):
    """An OpenML server; use it in a `with` block, one at a time in a process.

    `doubts` has a line for each list that came in pages which do not fit together.
    """

    def __init__(self, server: str, store: RawStore, manners: Manners):
        self.server = server.rstrip("/")
        probe = self._request(PROCEDURES, "oml:estimationprocedures", lasting=False)
        self.transport = Transport(store, manners, probe)
        self.doubts: list[str] = []
        self._open = ExitStack()

    def __enter__(self) -> "Client":
        import openml  # 2 seconds, and it makes folders in the user's home: only where it is used
        from openml import _api_calls

        if not hasattr(_api_calls, "_send_request"):
            raise InputError(f"openml {openml.__version__} is not the version that this project was made for")
        cache = self._open.enter_context(tempfile.TemporaryDirectory(prefix="aucstudy-openml-"))
        for place, name, value in (
            (openml.config, "server", self.server),
            (openml.config, "apikey", ""),
            (openml.config, "_root_cache_directory", Path(cache)),
            (_api_calls, "_send_request", self._send),
        ):
            self._open.callback(setattr, place, name, getattr(place, name))
            setattr(place, name, value)
        return self

    def __exit__(self, *exception: object) -> None:
        self._open.close()

    def procedures(self, repeats: int, folds: int) -> set[str]:
        """The ids of the server's estimation procedures for classification that are `repeats` x `folds`-fold CV."""
        wanted = (SUPERVISED_CLASSIFICATION, "crossvalidation", str(repeats), str(folds))
        ids = {
            parsing.child(row, "id")
            for row in self._rows(PROCEDURES, "oml:estimationprocedures")
            if tuple(parsing.child(row, name) for name in ("ttid", "type", "repeats", "folds")) == wanted
        }
        if not ids:
            raise InputError(f"{self.server}: no estimation procedure with {repeats} x {folds} folds")
        return ids

    def tasks(self, filters: dict[str, str]) -> list[ListedTask]:
        """The classification tasks that the server lists, by the filters of its `task/list`."""
        path = f"task/list/type/{SUPERVISED_CLASSIFICATION}" + "".join(
            f"/{k}/{v}" for k, v in filters.items()
        )
        return _once(map(parsing.listed_task, self._pages(path, "oml:tasks")), lambda task: task.task_id)

    def evaluations(self, task_ids: Iterable[str]) -> list[Evaluation]:
        """The evaluated runs of some tasks with the area under the ROC curve by the first evaluation engine."""
        rows = self._pages(
            "evaluation/list/function/area_under_roc_curve", "oml:evaluations", f"task/{','.join(task_ids)}"
        )
        # One row an engine: the engine of lowest number is the server's own.
        ordered = sorted(
            rows, key=lambda row: parsing.number(parsing.child(row, "evaluation_engine_id") or "1")
        )
        return _once(map(parsing.evaluation, ordered), lambda run: run.run_id)

    def runs(self, task_ids: Iterable[str]) -> list[Evaluation]:
        """All runs of some tasks that the server does not hide because of an error, evaluated or not."""
        rows = self._pages("run/list", "oml:runs", f"task/{','.join(task_ids)}")
        return _once(map(parsing.evaluation, rows), lambda run: run.run_id)

    def run(self, run_id: str) -> Run:
        """The description of one run.

        Raises
        ------
        Unusable
            The server does not know it.
        """
        answer = self.transport.get(self._request(f"run/{run_id}", "oml:run"))
        if answer.status != 200:
            raise Unusable(Reason.SERVER_ERROR, _error_text(answer))
        return parsing.run(parsing.parse_xml(answer.body))

    def task(self, task_id: str) -> TaskFacts:
        """The description of a task and its data set, as the `openml` package reads them.

        Raises
        ------
        Unusable
            There is no such task or data set, or it is private, or described in a way that cannot be read.
        """
        import openml
        from openml.tasks.functions import _get_task_description  # get_task loads the data of a text target

        try:
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

    def file(self, address: str, n_rows: int = 1, whole: Fault | None = None) -> Answer:
        """A file of the server, of at least `n_rows` lines of data unless the server insists on fewer."""
        return self.transport.get(Request(address, whole or arff_fault(n_rows), api=False, may_be_so=is_arff))

    def _pages(self, path: str, root: str, *after: str) -> list[Element]:
        """The rows of all pages of a list, until the server says that there are no more.

        Pages can repeat rows and come up short: neither a short page nor the number of distinct rows tells the end.
        """
        rows: list[Element] = []
        pages: list[list[tuple[str, ...]]] = []
        barren = 0
        seen: set[tuple[str, ...]] = set()
        while barren < 2:
            offset = PAGE * len(pages)
            page = self._rows("/".join([path, f"limit/{PAGE}/offset/{offset}", *after]), root)
            if not page:
                break
            keys = [row_key(row) for row in page]
            barren = (
                0 if set(keys) - seen else barren + 1
            )  # a server that ignores the offset would list for ever
            seen |= set(keys)
            pages.append(keys)
            rows += [row for row in page if parsing.has_ids(row)]
        fault = paging_fault(pages, PAGE)
        if fault:
            shorter = "; tasks_per_list: 1 makes shorter lists" if any("," in word for word in after) else ""
            self.doubts.append(f"{'/'.join([self.server, path, *after])}: {fault}{shorter}")
        return rows

    def _rows(self, path: str, root: str) -> list[Element]:
        try:
            answer = self.transport.get(self._request(path, root, lasting=False))
            if answer.status == 200:
                return list(parsing.parse_xml(answer.body))
        except (NoAnswer, UnusableAnswer) as error:
            raise InputError(
                f"{self.server}: a list is missing, so nothing can be selected: {error}; "
                "run the same command again to go on"
            ) from None
        if error_code(answer.body) in NO_RESULTS:
            return []
        raise InputError(f"{self.server}/{path}: the server says {_error_text(answer)}")

    def _request(self, path: str, root: str, lasting: bool = True) -> Request:
        return Request(f"{self.server}/{path}", xml_fault(root), api=True, lasting=lasting)

    def _send(self, request_method: str, url: str, *_: object, **__: object) -> requests.Response:
        """What the package gets in place of its own requests; keys are never sent."""
        path = url.removeprefix(f"{self.server}/")
        root = next((root for start, root in ROOTS.items() if path.startswith(start)), None)
        if request_method != "get" or root is None:
            raise InputError(f"{request_method} {url}: not a request that this project makes")
        answer = self.transport.get(self._request(path, root))
        response = requests.Response()
        response.status_code, response.url, response.encoding = answer.status, url, "utf-8"
        response._content = answer.body
        response.headers["Content-Encoding"] = "gzip"  # else the package warns of each plain answer
        return response


def _once(rows: Iterable, key) -> list:
    """Each id once, the first of its rows."""
    kept: dict[str, object] = {}
    for row in rows:
        kept.setdefault(key(row), row)
    return list(kept.values())


def _error_text(answer: Answer) -> str:
    code = error_code(answer.body)
    root = parsing.parse_xml(answer.body) if code is not None else None
    return f"{code}: {parsing.child(root, 'message')}" if root is not None else f"status {answer.status}"
