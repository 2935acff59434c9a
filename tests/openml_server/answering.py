"""The answer to each path: routes, filters, error codes and XML of the v1 API, and the addresses of files."""

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from html import escape

from openml_server.world import RunEntry, World

XML = "text/xml; charset=utf-8"
HTML = "text/html; charset=UTF-8"
TEXT = "text/plain;charset=UTF-8"
CLASSIFICATION = {"task_type_id": 1, "task_type": "Supervised Classification"}
NOT_FOUND = b"<!doctype html>\n<html><head><title>Page Not Found :(</title></head></html>\n"
# Each row has the id, name, type, repeats and folds of a procedure of supervised classification.
PROCEDURES = (
    (1, "10-fold Crossvalidation", "crossvalidation", "1", "10"),
    (2, "5 times 2-fold Crossvalidation", "crossvalidation", "5", "2"),
    (3, "10 times 10-fold Crossvalidation", "crossvalidation", "10", "10"),
    (4, "Leave one out", "leaveoneout", "1", ""),
)


@dataclass
class Reply:
    """The reply that is sent.

    If `cut` is `transfer` or `gzip`, only half of the transfer or of the gzip stream is sent. If it is
    `all`, nothing is sent. If it is `plain`, the body is not gzipped although the header says so. If it is
    `drips`, the bytes come one by one with short pauses. If it is `stalls`, only the first one comes.
    """

    status: int
    kind: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    cut: str = ""


def answer(world: World, path: str, host: str) -> Reply:
    """Return the answer to a GET of `path`. A query after a question mark is ignored."""
    path = path.split("?")[0]
    for pattern, respond in FILES.items():
        if match := re.fullmatch(pattern, path):
            body, status = respond(world, int(match[1]))
            status = status if body else 403
            return Reply(200, TEXT, body) if status == 200 else Reply(status, HTML, NOT_FOUND)
    for pattern, (root, respond, code, message) in ROUTES.items():
        if match := re.fullmatch(f"/api/v1/xml/{pattern}", path):
            try:
                body = _root(root, respond(world, match[1]))
            except LookupError:
                return error(code, message)
            return Reply(200, XML, body.replace("HOST", host).encode())
    # The real server gives its page of unknown addresses the status of success.
    return Reply(200, HTML, NOT_FOUND)


def error(code: int, message: str) -> Reply:
    """Return an error reply of the API."""
    return Reply(412, XML, _root("error", {"code": code, "message": message}).encode())


def _root(name: str, content: dict) -> str:
    return _xml(name, {"@xmlns:oml": "http://openml.org/openml", **content})


def _xml(name: str, value: object) -> str:
    """Return the XML of an element, or of one for each item of a list, or of none for None.

    A key that begins with @ is an attribute.
    """
    if value is None or isinstance(value, list):
        return "".join(_xml(name, item) for item in value or ())
    content = value if isinstance(value, dict) else {"": value}
    attributes = "".join(f' {k[1:]}="{v}"' for k, v in content.items() if k.startswith("@"))
    inner = "".join(_xml(k, v) if k else escape(str(v)) for k, v in content.items() if not k.startswith("@"))
    return f"<oml:{name}{attributes}>{inner}</oml:{name}>"


def _named(**values: object) -> list[dict]:
    return [{"@name": name, "": value} for name, value in values.items()]


def _list(rows: Callable[[World, dict[str, str]], Iterable[dict]], name: str, code: int) -> tuple:
    """Return the route of a list. Its answer is a page of the rows that fit the filters of the path."""

    def respond(world: World, path: str) -> dict:
        words = path.split("/")
        filters = dict(zip(words[::2], words[1::2], strict=True))
        start, limit = int(filters["offset"]), int(filters["limit"])
        ordered = [*rows(world, filters)]
        if world.shuffle:
            world.shuffle.shuffle(ordered)
        page = ordered[:limit] if world.ignores_offset else ordered[start : start + limit]
        if not page:
            raise LookupError
        return {name: page}

    return f"{name}s", respond, code, "No results"


def _tasks(world: World, filters: dict[str, str]) -> Iterable[dict]:
    for task in world.tasks.values():
        data = world.data_sets[task.data]
        if (
            str(task.id) in filters.get("task_id", str(task.id)).split(",")
            and filters.get("tag") in (None, *task.tags)
            and filters.get("number_classes", "2") == "2"
            and filters.get("status", "active") in ("all", data.status)
        ):
            yield {
                "task_id": task.id, **CLASSIFICATION, "did": data.id, "name": data.name, "status": data.status,
                "input": _named(estimation_procedure=task.procedure, target_feature="class"),
                "quality": _named(NumberOfClasses="2.0", NumberOfInstances=f"{data.n_rows}.0"),
            }  # fmt: skip


def _fitting(world: World, filters: dict[str, str]) -> list[RunEntry]:
    """Return the runs that fit, in the order of the real server, which is by setup and not by id."""
    runs = [run for run in world.runs.values() if not run.error]
    if "task" in filters:
        runs = [run for run in runs if str(run.task) in filters["task"].split(",")]
    return sorted(runs, key=lambda run: run.setup)


def _listed(run: RunEntry) -> dict:
    ids = {"run_id": run.id, "task_id": run.task, "setup_id": run.setup, "flow_id": run.flow}
    return {**ids, "uploader": 1, "upload_time": run.upload_time}


def _runs(world: World, filters: dict[str, str]) -> Iterable[dict]:
    for run in _fitting(world, filters):
        row = _listed(run) | {"task_type_id": 1, "error_message": run.message, "run_details": ""}
        # The real server joins without grouping, so a run has one row for each evaluation engine.
        yield from [row] * max(len({engine.id for engine in run.engines}), 1)


def _evaluations(world: World, filters: dict[str, str]) -> Iterable[dict]:
    for run in _fitting(world, filters):
        for engine in run.engines:
            if engine.function == filters["function"]:
                yield _listed(run) | _evaluation(engine) | {"flow_name": run.flow_name}


def _evaluation(engine) -> dict:
    return {
        "evaluation_engine_id": engine.id, "function": engine.function, "name": engine.function,
        "value": engine.value or None, "array_data": engine.array or None,
    }  # fmt: skip


def _procedures(world: World, name: str) -> dict:
    names = ("id", "name", "type", "repeats", "folds")
    rows = [{"ttid": 1, **dict(zip(names, procedure, strict=True))} for procedure in PROCEDURES]
    return {"estimationprocedure": rows}


def _task(world: World, number: str) -> dict:
    task = world.tasks[int(number)]
    _, _, kind, repeats, folds = PROCEDURES[task.procedure - 1]
    procedure = {
        "id": task.procedure, "type": kind, "data_splits_url": f"HOST/splits/{task.id}.arff",
        "parameter": _named(number_repeats=repeats, number_folds=folds, percentage=""),
    }  # fmt: skip
    source = {"data_set_id": task.data, "target_feature": "class"}
    inputs = [
        {"@name": "source_data", "data_set": source},
        {"@name": "estimation_procedure", "estimation_procedure": procedure},
    ]
    return {"task_id": task.id, **CLASSIFICATION, "input": inputs}


def _study(world: World, name: str) -> dict:
    number, kind, tasks = world.suites[name]
    return {"id": number, "main_entity_type": kind, "tasks": {"task_id": tasks}}


def _run(world: World, number: str) -> dict:
    run = world.runs[int(number)]
    ids = {"description": 0} | ({} if run.file is None else {"predictions": run.file_id})
    files = [{"name": name, "url": f"HOST/data/download/{i}/{name}.arff"} for name, i in ids.items()]
    return {
        "run_id": run.id, "task_id": run.task, "flow_id": run.flow, "flow_name": run.flow_name,
        "setup_id": run.setup, "error": run.error, "error_message": run.message or None,
        "output_data": {"file": files, "evaluation": [_evaluation(engine) for engine in run.engines]},
    }  # fmt: skip


def _features(world: World, number: str) -> dict:
    data = world.data_sets[int(number)]
    x = {"index": 0, "name": "x", "data_type": "numeric"}
    kind = "nominal" if data.classes else "numeric"
    target = {"index": 1, "name": "class", "data_type": kind, "nominal_value": [*data.classes]}
    return {"feature": [x, target]}


def _description(world: World, number: str) -> dict:
    data = world.data_sets[int(number)]
    return {
        "id": data.id, "name": data.name, "version": 1, "format": data.format,
        "url": f"HOST/data/v1/download/{data.id}/{data.name}.arff",
        "parquet_url": None if data.parquet is None else f"HOST/parquet/{data.id}/data.pq",
        "md5_checksum": hashlib.md5(data.file).hexdigest(),
    }  # fmt: skip


# For each path: the root of the answer, the function of its content, and code and message of the error.
ROUTES: dict[str, tuple[str, Callable, int, str]] = {
    r"task/list/(.*)": _list(_tasks, "task", 482),
    r"run/list/(.*)": _list(_runs, "run", 512),
    r"evaluation/list/(.*)": _list(_evaluations, "evaluation", 542),
    r"estimationprocedure/(list)": ("estimationprocedures", _procedures, 0, ""),
    r"study/([\w.-]+)": ("study", _study, 601, "Unknown study"),
    r"task/(\d+)": ("task", _task, 151, "Unknown task"),
    r"run/(\d+)": ("run", _run, 236, "Run not found"),
    r"data/features/(\d+)": ("data_features", _features, 271, "Unknown dataset"),
    r"data/(\d+)": ("data_set_description", _description, 111, "Unknown dataset"),
}
# For each path: the function that gives the body of a file, or None if there is none, and the status.
FILES: dict[str, Callable[[World, int], tuple[bytes | None, int]]] = {
    r"/parquet/(\d+)/.*": lambda world, i: (world.data_sets[i].parquet, 200),
    r"/data/v1/download/(\d+)/.*": lambda world, i: (world.data_sets[i].file, world.data_sets[i].file_status),
    r"/data/download/(\d+)/.*": lambda world, i: (
        world.runs[i - 1000].file,
        world.runs[i - 1000].file_status,
    ),
}
