"""From a path to an answer: the routes, filters, error codes and XML of the v1 API, and the addresses of files."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape

from openml_server.world import PROCEDURES, DataSet, RunEntry, World

XML = "text/xml; charset=utf-8"
HTML = "text/html; charset=UTF-8"
TEXT = "text/plain;charset=UTF-8"
NAMESPACE = 'xmlns:oml="http://openml.org/openml"'
TASK_TYPE = "Supervised Classification"
LISTED = ("MajorityClassSize", "MinorityClassSize", "NumberOfClasses", "NumberOfInstances")


NOT_FOUND = b"<!doctype html>\n<html><head><title>Page Not Found :(</title></head></html>\n"


@dataclass
class Reply:
    """Status, kind and body of an answer, and where it sends the client."""

    status: int
    kind: str
    body: bytes
    location: str = ""


def answer(world: World, path: str, host: str) -> Reply:
    """The answer to a GET of `path`; what follows a question mark does not count."""
    for pattern, respond in ROUTES.items():
        if match := re.fullmatch(pattern, path.split("?")[0]):
            return respond(world, host, *match.groups())
    # The real server gives its page of unknown addresses the status of success.
    return Reply(200, HTML, NOT_FOUND)


def error(code: int, message: str) -> bytes:
    """An error of the API; its messages are escaped twice."""
    return _root("error", _tags(code=code, message=escape(message))).body


def _tags(**values: object) -> str:
    """Elements of escaped text; none for None."""
    return "".join(f"<oml:{k}>{escape(str(v))}</oml:{k}>" for k, v in values.items() if v is not None)


def _node(name: str, *inner: str) -> str:
    return f"<oml:{name}>{''.join(inner)}</oml:{name}>"


def _named(tag: str, values: dict[str, object]) -> str:
    return "".join(f'<oml:{tag} name="{k}">{escape(str(v))}</oml:{tag}>' for k, v in values.items())


def _root(name: str, *inner: str) -> Reply:
    return Reply(200, XML, f"<oml:{name} {NAMESPACE}>\n  {'  '.join(inner)}\n</oml:{name}>\n".encode())


def _error(code: int, message: str) -> Reply:
    return Reply(412, XML, error(code, message))


def _tasks(world: World, filters: dict[str, str]) -> Iterator[str]:
    for task in world.tasks.values():
        data = world.data_sets[task.data]
        if (
            str(task.id) in filters.get("task_id", str(task.id)).split(",")
            and filters.get("tag") in (None, *task.tags)
            and float(filters.get("number_classes", 2)) == float(data.qualities["NumberOfClasses"])
        ):
            inputs = {"estimation_procedure": task.procedure, "target_feature": task.target}
            yield _node(
                "task",
                _tags(task_id=task.id, task_type_id=1, task_type=TASK_TYPE, did=data.id, name=data.name),
                _tags(status="active", format=data.format),
                "" if task.inputs_lost else _named("input", inputs),
                _named("quality", {name: data.qualities[name] for name in LISTED}),
            )


def _fitting(world: World, filters: dict[str, str]) -> list[RunEntry]:
    """Runs in the server's order, which follows setups and not ids."""
    runs = [run for run in world.runs.values() if not run.error]
    if "task" in filters:
        runs = [run for run in runs if str(run.task) in filters["task"].split(",")]
    return sorted(runs, key=lambda run: run.setup)


def _typed(world: World, **texts: str) -> str:
    """What a user typed, which the server puts into lists as it is."""
    return _tags(**texts) if world.listed_escaped else "".join(_node(*pair) for pair in texts.items())


def _runs(world: World, filters: dict[str, str]) -> Iterator[str]:
    for run in _fitting(world, filters):
        row = _node(
            "run",
            _tags(run_id=run.id, task_id=run.task, task_type_id=1, setup_id=run.setup, flow_id=run.flow),
            _tags(uploader=1, upload_time=run.upload_time),
            _typed(world, error_message=run.message, run_details=run.details),
        )
        # One row an evaluation engine: the server joins without grouping.
        yield from [row] * max(len({engine.id for engine in run.engines}), 1)


def _evaluations(world: World, filters: dict[str, str]) -> Iterator[str]:
    for run in _fitting(world, filters):
        data = world.data_sets[world.tasks[run.task].data]
        for engine in run.engines:
            if engine.function == filters["function"]:
                yield _node(
                    "evaluation",
                    _tags(run_id=run.id, uploader=1, task_id=run.task, setup_id=run.setup, flow_id=run.flow),
                    _typed(world, flow_name=run.flow_name),
                    _tags(data_id=data.id, data_name=data.name, evaluation_engine_id=engine.id),
                    _tags(function=engine.function, upload_time=run.upload_time),
                    _tags(value=engine.value or None, array_data=engine.array or None),
                )


# the rows of a list, and the error of no results
LISTS: dict[str, tuple[Callable, int]] = {
    "task": (_tasks, 482),
    "run": (_runs, 512),
    "evaluation": (_evaluations, 542),
}


def _list(world: World, host: str, entity: str, path: str) -> Reply:
    words = path.strip("/").split("/")
    filters = dict(zip(words[::2], words[1::2], strict=True))
    start, limit = int(filters.pop("offset")), int(filters.pop("limit"))
    rows, empty = LISTS[entity]
    page = list(rows(world, filters))[start : start + limit]
    return _root(f"{entity}s", *page) if page else _error(empty, "No results")


def _procedures(world: World, host: str) -> Reply:
    names = ("id", "name", "type", "repeats", "folds")
    rows = (_tags(ttid=1, **dict(zip(names, procedure, strict=True))) for procedure in PROCEDURES)
    return _root("estimationprocedures", *(_node("estimationprocedure", row) for row in rows))


def _task(world: World, host: str, number: str) -> Reply:
    task = world.tasks.get(int(number))
    if task is None:
        return _error(151, "Unknown task")
    _, _, kind, repeats, folds = PROCEDURES[task.procedure - 1]
    url = f"{host}/api_splits/get/{task.id}/Task_{task.id}_splits.arff"
    inputs = {
        "source_data": _node("data_set", _tags(data_set_id=task.data, target_feature=task.target)),
        "estimation_procedure": _node(
            "estimation_procedure",
            _tags(id=task.procedure, type=kind, data_splits_url=url),
            _named("parameter", {"number_repeats": repeats, "number_folds": folds, "percentage": ""}),
        ),
        "cost_matrix": _node("cost_matrix"),
        "evaluation_measures": _node("evaluation_measures", _tags(evaluation_measure="predictive_accuracy")),
    }
    return _root(
        "task",
        _tags(task_id=task.id, task_name=f"Task {task.id}", task_type_id=1, task_type=TASK_TYPE),
        *(f'<oml:input name="{name}">{inner}</oml:input>' for name, inner in inputs.items()),
        '<oml:output name="predictions"><oml:predictions><oml:format>ARFF</oml:format>'
        '<oml:feature name="row_id" type="integer"/></oml:predictions></oml:output>',
    )


def _study(world: World, host: str, name: str) -> Reply:
    suite = next((suite for suite in world.suites if name in (str(suite.id), suite.alias)), None)
    if suite is None:
        return _error(601, "Unknown study")
    facts = _tags(
        id=suite.id, alias=suite.alias or None, main_entity_type=suite.kind, name=f"Suite {suite.id}"
    )
    return _root("study", facts, _node("tasks", *(_tags(task_id=number) for number in suite.tasks)))


def _run(world: World, host: str, number: str) -> Reply:
    run = world.runs.get(int(number))
    if run is None:
        return _error(236, "Run not found")
    ids = {"description": run.file_id - 1} | ({} if run.file is None else {"predictions": run.file_id})
    urls = {name: f"{host}/data/download/{i}/{name}.arff" for name, i in ids.items()}
    files = [_node("file", _tags(did=-1, file_id=ids[name], name=name, url=urls[name])) for name in ids]
    values = [_tags(name=e.function, value=e.value or None, array_data=e.array or None) for e in run.engines]
    return _root(
        "run",
        _tags(run_id=run.id, uploader=1, uploader_name="Uma User", task_id=run.task, task_type=TASK_TYPE),
        _tags(flow_id=run.flow, flow_name=run.flow_name, setup_id=run.setup, error=run.error),
        _tags(error_message=run.message or None, run_details=run.details or None, setup_string=""),
        _node("input_data", _node("dataset", _tags(did=run.task, name="data", url=f"{host}/x.arff"))),
        _node("output_data", *files, *(_node("evaluation", value) for value in values)),
    )


def _data(world: World, host: str, kind: str, number: str) -> Reply:
    data = world.data_sets.get(int(number))
    if data is None:
        return _error(271 if kind else 111, "Unknown dataset")
    if data.visibility != "public":
        return (
            _error(275, "You have no right to view this item. ") if kind else _error(112, "No access granted")
        )
    return _features(data) if kind else _description(data, host)


def _features(data: DataSet) -> Reply:
    facts = _tags(is_target="false", is_ignore="false", is_row_identifier="false", number_of_missing_values=0)
    rows = []
    for i, feature in enumerate(data.features):
        values = "".join(_tags(nominal_value=value) for value in feature.values)
        names = _tags(index=i, name=feature.name, data_type=feature.data_type)
        rows.append(_node("feature", names, values, facts))
    return _root("data_features", *rows)


def _description(data: DataSet, host: str) -> Reply:
    parquet = None if data.parquet is None else f"{host}/datasets/0000/0000/dataset_{data.id}.pq"
    return _root(
        "data_set_description",
        _tags(
            id=data.id, name=data.name, version=1, description="Made.", format=data.format, licence="Public"
        ),
        _tags(
            url=f"{host}/data/v1/download/{data.id}/{data.name}.arff", parquet_url=parquet, file_id=data.id
        ),
        _tags(visibility=data.visibility, status="active", md5_checksum=data.md5),
    )


def _file(body: bytes | None, status: int = 200, missing: int = 404) -> Reply:
    status = missing if body is None else status
    return Reply(200, TEXT, body) if status == 200 else Reply(status, HTML, NOT_FOUND)


def _data_file(world: World, host: str, number: str) -> Reply:
    data = world.data_sets[int(number)]
    return Reply(302, HTML, b"", data.redirect) if data.redirect else _file(data.file, data.file_status)


def _parquet_file(world: World, host: str, number: str) -> Reply:
    return _file(world.data_sets[int(number)].parquet or None, missing=403)


def _run_file(world: World, host: str, number: str) -> Reply:
    run = next((run for run in world.runs.values() if run.file_id == int(number)), None)
    return _file(run.file, run.file_status) if run else _file(None)


API = "/api/v1/xml/"
ROUTES: dict[str, Callable[..., Reply]] = {
    API + r"(task|run|evaluation)/list/(.*)": _list,
    API + r"estimationprocedure/list": _procedures,
    API + r"study/([\w.-]+)": _study,
    API + r"task/(\d+)": _task,
    API + r"run/(\d+)": _run,
    API + r"data/(features/|)(\d+)": _data,
    r"/data/v1/download/(\d+)/.*": _data_file,
    r"/datasets/\d+/\d+/dataset_(\d+)\.pq": _parquet_file,
    r"/data/download/(\d+)/.*": _run_file,
}
