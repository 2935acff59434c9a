"""From a path to an answer: the routes, filters and error codes of the v1 API and of the file addresses."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from openml_server import render
from openml_server.world import RunEntry, TaskEntry, World

XML = "text/xml; charset=utf-8"
HTML = "text/html; charset=UTF-8"
TEXT = "text/plain;charset=UTF-8"
NOT_FOUND = b"<!doctype html>\n<html><head><title>Page Not Found :(</title></head></html>\n"
FORBIDDEN = b"<!doctype html>\n<html><head><title>Forbidden</title></head><body>403 Forbidden</body></html>\n"
LIMIT = 10_000
NO_RESULTS = {"task": 482, "run": 512, "evaluation": 542}
ILLEGAL = {"task": 480, "run": 514, "evaluation": 544}
FILTERS = {
    "task": {"type", "tag", "data_tag", "status", "task_id", "data_id", "data_name", "number_classes"},
    "run": {"task", "task_type", "setup", "flow", "uploader", "run", "tag", "show_errors"},
    "evaluation": {"function", "task", "setup", "flow", "uploader", "run", "tag", "per_fold", "sort_order"},
}


@dataclass
class Reply:
    """Status, kind and body of an answer, and where it sends the client."""

    status: int
    kind: str
    body: bytes
    location: str = ""


def answer(world: World, path: str, host: str) -> Reply:
    """The answer to a GET of `path`; what follows a question mark does not count."""
    path = path.split("?")[0]
    for pattern, respond in ROUTES:
        match = re.fullmatch(pattern, path)
        if match:
            return respond(world, host, *match.groups())
    # The real server gives its page of unknown addresses the status of success.
    return Reply(200, HTML, NOT_FOUND)


def _error(code: int, message: str) -> Reply:
    return Reply(412, XML, render.error(code, message))


def _list(world: World, host: str, entity: str, rest: str) -> Reply:
    words = rest.strip("/").split("/") if rest.strip("/") else []
    filters = dict(zip(words[::2], words[1::2], strict=False))
    limit, offset = filters.pop("limit", ""), filters.pop("offset", "0")
    if limit and int(limit) > LIMIT and entity != "task":
        return _error({"run": 516, "evaluation": 546}[entity], "Requested result limit too high.")
    if set(filters) - FILTERS[entity]:
        return _error(ILLEGAL[entity], "Illegal filter specified")
    if entity == "run" and not filters and not limit:
        wanted = "Please provide at least task, flow or setup, uploader or run, to filter results. "
        return _error(510, wanted)
    rows = list(ROWS[entity](world, filters))
    start = int(offset)
    page = rows[start : start + int(limit)] if limit else rows[start:]
    if not page:
        return _error(NO_RESULTS[entity], "No results")
    return Reply(200, XML, render.listing(f"{entity}s", page))


def _tasks(world: World, filters: dict[str, str]) -> Iterator[str]:
    status = filters.get("status", "active")
    for task in world.tasks.values():
        data = world.data_sets[task.data]
        fits = (
            status in ("all", data.status)
            and filters.get("type", "1") == str(task.type_id)
            and _among(filters, "task_id", task.id)
            and _among(filters, "data_id", data.id)
            and filters.get("tag", (task.tags or [""])[0]) in (task.tags or [""])
            and filters.get("data_name", data.name) == data.name
            and _in_range(filters.get("number_classes"), data.qualities.get("NumberOfClasses"))
        )
        if fits:
            yield render.task_row(world, task)


def _runs(world: World, filters: dict[str, str]) -> Iterator[str]:
    shown = filters.get("show_errors") == "true"
    for run in _fitting(world, filters):
        if shown or not run.error:
            # One row an evaluation engine: the server joins without grouping.
            for _ in {engine.id for engine in run.engines} or {1}:
                yield render.run_row(world, run)


def _evaluations(world: World, filters: dict[str, str]) -> Iterator[str]:
    for run in _fitting(world, filters):
        if not run.error:
            yield from render.evaluation_rows(world, run, filters.get("function", ""))


IDS = {"task": "task", "flow": "flow", "setup": "setup", "uploader": "uploader", "run": "id"}


def _fitting(world: World, filters: dict[str, str]) -> list[RunEntry]:
    """Runs in the server's order, which follows setups and not ids."""
    asked = [(name, {*filters[key].split(",")}) for key, name in IDS.items() if key in filters]
    fitting = [
        run for run in world.runs.values() if all(str(getattr(run, name)) in ids for name, ids in asked)
    ]
    return sorted(fitting, key=lambda run: (run.setup, run.uploader))


def _among(filters: dict[str, str], name: str, value: int) -> bool:
    return name not in filters or str(value) in filters[name].split(",")


def _in_range(wanted: str | None, value: str | None) -> bool:
    if wanted is None:
        return True
    low, _, high = wanted.partition("..")
    return bool(value) and float(low) <= float(value) <= float(high or low)


ROWS: dict[str, Callable] = {"task": _tasks, "run": _runs, "evaluation": _evaluations}


def _task(world: World, host: str, number: str) -> Reply:
    task: TaskEntry | None = world.tasks.get(int(number))
    return Reply(200, XML, render.task(world, task, host)) if task else _error(151, "Unknown task")


def _run(world: World, host: str, number: str) -> Reply:
    run = world.runs.get(int(number))
    return Reply(200, XML, render.run(world, run, host)) if run else _error(236, "Run not found")


def _study(world: World, host: str, name: str) -> Reply:
    suite = next((suite for suite in world.suites if name in (str(suite.id), suite.alias)), None)
    return Reply(200, XML, render.suite(world, suite)) if suite else _error(601, "Unknown study")


def _flow(world: World, host: str, number: str) -> Reply:
    flow = world.flows.get(int(number))
    return Reply(200, XML, render.flow(int(number), flow)) if flow else _error(181, "Unknown flow")


def _flows(world: World, host: str, limit: str, offset: str) -> Reply:
    rows = [render.flow_row(number, flow) for number, flow in sorted(world.flows.items())]
    page = rows[int(offset) : int(offset) + int(limit)]
    return Reply(200, XML, render.listing("flows", page)) if page else _error(500, "No results")


def _data(world: World, host: str, kind: str, number: str) -> Reply:
    data = world.data_sets.get(int(number))
    unknown, private = {
        "": ((111, "Unknown dataset"), (112, "No access granted")),
        "features/": ((271, "Unknown dataset"), (275, "You have no right to view this item. ")),
        "qualities/": ((361, "Unknown dataset"), (361, "Unknown dataset")),
    }[kind]
    if data is None:
        return _error(*unknown)
    if data.visibility != "public":
        return _error(*private)
    if kind == "":
        return Reply(200, XML, render.data(data, host))
    return Reply(200, XML, render.features(data) if kind == "features/" else render.qualities(data))


def _users(world: World, host: str, ids: str) -> Reply:
    rows = [render.user_row(i, world.users[i]) for i in map(int, ids.split(",")) if i in world.users]
    return Reply(200, XML, render.listing("users", rows))


def _data_file(world: World, host: str, number: str) -> Reply:
    data = world.data_sets.get(int(number))
    if data is None:
        return Reply(404, HTML, NOT_FOUND)
    if data.redirect:
        return Reply(302, HTML, b"", data.redirect)
    return (
        Reply(200, TEXT, data.file) if data.file_status == 200 else Reply(data.file_status, HTML, NOT_FOUND)
    )


def _parquet_file(world: World, host: str, number: str) -> Reply:
    data = world.data_sets.get(int(number))
    if data is None or not data.parquet:
        return Reply(403, XML, b"<Error><Code>AccessDenied</Code></Error>")
    return Reply(200, "application/octet-stream", data.parquet)


def _run_file(world: World, host: str, number: str) -> Reply:
    run = next((run for run in world.runs.values() if run.file_id == int(number)), None)
    if run is None or run.file is None or run.file_status == 404:
        return Reply(404, HTML, NOT_FOUND)
    if run.file_status == 403:
        return Reply(403, HTML, FORBIDDEN + FORBIDDEN)
    return Reply(200, TEXT, run.file)


def _splits(world: World, host: str, number: str) -> Reply:
    task = world.tasks.get(int(number))
    if task is None or not task.splits:
        failure = b"failed to perform action generate_folds. Evaluation Engine result send to EMAIL_API_LOG account."
        return Reply(412, TEXT, failure)
    return Reply(200, TEXT, task.splits)


API = "/api/v1/xml/"
ROUTES: list[tuple[str, Callable]] = [
    (
        API + r"(task|run|evaluation)/list(?:/(.*))?",
        lambda w, h, entity, rest: _list(w, h, entity, rest or ""),
    ),
    (API + r"estimationprocedure/list", lambda w, h: Reply(200, XML, render.procedures(w))),
    (API + r"evaluationmeasure/list", lambda w, h: Reply(200, XML, render.measures(w))),
    (API + r"flow/list/limit/(\d+)/offset/(\d+)", _flows),
    (API + r"user/list/user_id/([\d,]+)", _users),
    (API + r"study/([\w.-]+)", _study),
    (API + r"task/(\d+)", _task),
    (API + r"run/(\d+)", _run),
    (API + r"flow/(\d+)", _flow),
    (API + r"data/(features/|qualities/|)(\d+)", _data),
    (r"/data/v1/download/(\d+)/.*", _data_file),
    (r"/datasets/\d+/\d+/dataset_(\d+)\.pq", _parquet_file),
    (r"/data/download/(\d+)/.*", _run_file),
    (r"/api_splits/get/(\d+)/.*", _splits),
]
