"""The server's XML, element by element as its templates print it."""

from html import escape

from openml_server.world import DataSet, Flow, RunEntry, Suite, TaskEntry, World

NAMESPACE = 'xmlns:oml="http://openml.org/openml"'
LISTED = (
    "MajorityClassSize", "MaxNominalAttDistinctValues", "MinorityClassSize", "NumberOfClasses", "NumberOfFeatures",
    "NumberOfInstances", "NumberOfInstancesWithMissingValues", "NumberOfMissingValues", "NumberOfNumericFeatures",
    "NumberOfSymbolicFeatures",
)  # fmt: skip
TYPES = {1: "Supervised Classification", 2: "Supervised Regression"}


def tag(name: str, value: object, attributes: str = "") -> str:
    """One element of escaped text."""
    return f"<oml:{name}{attributes}>{escape(str(value))}</oml:{name}>"


def error(code: int, message: str, additional: str = "") -> bytes:
    """An error of the API; its messages are escaped twice."""
    more = f"\n\t{tag('additional_information', escape(additional))}" if additional else ""
    body = f"\n\t<oml:code>{code}</oml:code>\n\t{tag('message', escape(message))}{more}"
    return f"<oml:error {NAMESPACE}>{body}\n\t</oml:error>\n".encode()


def listing(name: str, rows: list[str]) -> bytes:
    """A list of rows."""
    return f"<oml:{name} {NAMESPACE}>\n  {'  '.join(rows)}\n</oml:{name}>\n".encode()


def procedures(world: World) -> bytes:
    """The list of estimation procedures."""
    rows = []
    for id_, type_id, name, kind, repeats, folds, percentage, stratified in world.procedures:
        optional = (("repeats", repeats), ("folds", folds), ("percentage", percentage))
        rows.append(
            "<oml:estimationprocedure>"
            + tag("id", id_) + tag("ttid", type_id) + tag("name", name) + tag("type", kind)
            + "".join(tag(key, value) for key, value in optional if value)
            + (tag("stratified_sampling", stratified) if stratified else "") + "</oml:estimationprocedure>"
        )  # fmt: skip
    return listing("estimationprocedures", rows)


def task_row(world: World, task: TaskEntry) -> str:
    """A row of `task/list`."""
    data = world.data_sets[task.data]
    inputs = [("estimation_procedure", task.procedure)]
    if task.measure:
        inputs.append(("evaluation_measures", task.measure))
    inputs += [("source_data", task.data), ("target_feature", task.target)]
    shown = [] if task.inputs_lost else inputs
    return (
        "<oml:task>"
        + tag("task_id", task.id) + tag("task_type_id", task.type_id) + tag("task_type", TYPES[task.type_id])
        + tag("did", data.id) + tag("name", data.name) + tag("status", data.status) + tag("format", data.format)
        + "".join(tag("input", value, f' name="{name}"') for name, value in shown)
        + "".join(tag("quality", value, f'  name="{name}"') for name, value in data.qualities.items() if name in LISTED)
        + "</oml:task>"
    )  # fmt: skip


def run_row(world: World, run: RunEntry) -> str:
    """A row of `run/list`."""
    task = world.tasks[run.task]
    return (
        "<oml:run>"
        + tag("run_id", run.id) + tag("task_id", run.task) + tag("task_type_id", task.type_id)
        + tag("setup_id", run.setup) + tag("flow_id", run.flow) + tag("uploader", run.uploader)
        + tag("upload_time", run.upload_time)
        + _typed(world, "error_message", run.message) + _typed(world, "run_details", run.details)
        + "</oml:run>"
    )  # fmt: skip


def evaluation_rows(world: World, run: RunEntry, function: str) -> list[str]:
    """The rows of `evaluation/list` for a run: one an engine."""
    data = world.data_sets[world.tasks[run.task].data]
    rows = []
    for engine in run.engines:
        if engine.function != function or engine.fold:
            continue
        rows.append(
            "<oml:evaluation>"
            + tag("run_id", run.id) + tag("uploader", run.uploader) + tag("task_id", run.task)
            + tag("setup_id", run.setup) + tag("flow_id", run.flow) + _typed(world, "flow_name", run.flow_name)
            + tag("data_id", data.id) + tag("data_name", data.name) + tag("evaluation_engine_id", engine.id)
            + tag("function", function) + tag("upload_time", run.upload_time)
            + _values(engine.value, engine.array)
            + "</oml:evaluation>"
        )  # fmt: skip
    return rows


def task(world: World, entry: TaskEntry, host: str) -> bytes:
    """The answer to `task/<id>`."""
    _, _, _, kind, repeats, folds, percentage, stratified = next(
        procedure for procedure in world.procedures if procedure[0] == entry.procedure
    )
    name = world.data_sets[entry.data].name
    parameters = (
        ("number_repeats", repeats), ("number_folds", folds), ("percentage", percentage),
        ("stratified_sampling", stratified),
    )  # fmt: skip
    source = (
        f"<oml:data_set>{tag('data_set_id', entry.data)}{tag('target_feature', entry.target)}</oml:data_set>"
    )
    url = f"{host}/api_splits/get/{entry.id}/Task_{entry.id}_splits.arff"
    procedure = (
        f"<oml:estimation_procedure>{tag('id', entry.procedure)}{tag('type', kind)}{tag('data_splits_url', url)}"
        + "".join(tag("parameter", value, f' name="{name}"') for name, value in parameters)
        + "</oml:estimation_procedure>"
    )
    measures = (
        f"<oml:evaluation_measures>{tag('evaluation_measure', entry.measure)}</oml:evaluation_measures>"
    )
    columns = (("repeat", "integer"), ("fold", "integer"), ("row_id", "integer"),
               ("confidence.classname", "numeric"), ("prediction", "string"))  # fmt: skip
    features = "".join(f'<oml:feature name="{name}" type="{kind}"/>' for name, kind in columns)
    inputs = {
        "source_data": source, "estimation_procedure": procedure,
        "cost_matrix": "<oml:cost_matrix></oml:cost_matrix>", "evaluation_measures": measures,
    }  # fmt: skip
    return (
        f"<oml:task {NAMESPACE}>"
        + tag("task_id", entry.id)
        + tag("task_name", f"Task {entry.id}: {name} ({TYPES[entry.type_id]})")
        + tag("task_type_id", entry.type_id) + tag("task_type", TYPES[entry.type_id])
        + "".join(f'<oml:input name="{name}">{inner}</oml:input>' for name, inner in inputs.items())
        + f'<oml:output name="predictions"><oml:predictions>{tag("format", "ARFF")}{features}'
        + "</oml:predictions></oml:output>"
        + "".join(tag("tag", name) for name in entry.tags)
        + "</oml:task>\n"
    ).encode()  # fmt: skip


def suite(world: World, entry: Suite) -> bytes:
    """The answer to `study/<id>` or `study/<alias>`."""
    data_sets = dict.fromkeys(world.tasks[number].data for number in entry.tasks if number in world.tasks)
    return (
        f"<oml:study {NAMESPACE}>\n"
        + tag("id", entry.id) + (tag("alias", entry.alias) if entry.alias else "")
        + tag("main_entity_type", entry.kind) + tag("name", f"Suite {entry.id}") + tag("description", "Made.")
        + tag("visibility", "public") + tag("status", "active") + tag("creator", 1)
        + "<oml:data>" + "".join(tag("data_id", number) for number in data_sets) + "</oml:data>\n"
        + "<oml:tasks>\n" + "".join(f"  {tag('task_id', number)}\n" for number in entry.tasks)
        + "</oml:tasks>\n</oml:study>\n"
    ).encode()  # fmt: skip


def run(world: World, entry: RunEntry, host: str) -> bytes:
    """The answer to `run/<id>`."""
    task = world.tasks[entry.task]
    data = world.data_sets[task.data]
    files = [("description", entry.file_id - 1, "description.xml")]
    if entry.file is not None:
        files.append(("predictions", entry.file_id, entry.file_name))
    comment = "<!-- Deprecated field, will be removed during next upgrade. -->"
    return (
        f"<oml:run {NAMESPACE}>"
        + tag("run_id", entry.id) + tag("uploader", entry.uploader)
        + tag("uploader_name", world.users.get(entry.uploader, ""))
        + tag("task_id", entry.task) + tag("task_type", TYPES[task.type_id])
        + (tag("task_evaluation_measure", task.measure) if task.measure else "")
        + tag("flow_id", entry.flow) + tag("flow_name", entry.flow_name) + tag("setup_id", entry.setup)
        + ("" if entry.error is None else tag("error", entry.error))
        + (tag("error_message", entry.message) if entry.message else "")
        + (tag("run_details", entry.details) if entry.details else "")
        + tag("setup_string", entry.setup_string)
        + "".join(
            f"<oml:parameter_setting>{tag('name', name)}{tag('value', value)}"
            + (tag("component", component) if component else "") + "</oml:parameter_setting>"
            for name, value, component in entry.parameters
        )
        + "".join(tag("tag", name) for name in entry.tags)
        + f"<oml:input_data><oml:dataset>{tag('did', data.id)}{tag('name', data.name)}"
        + tag("url", data.source or f"https://www.openml.org/data/download/{data.id}/{data.name}.arff")
        + "</oml:dataset></oml:input_data><oml:output_data>"
        + "".join(
            f"<oml:file><oml:did>-1</oml:did> {comment}{tag('file_id', i)}{tag('name', name)}"
            + tag("url", f"{host}/data/download/{i}/{file}") + "</oml:file>"
            for name, i, file in files
        )
        + "".join(
            "<oml:evaluation" + (f' repeat="{e.repeat}" fold="{e.fold}"' if e.fold else "") + ">"
            + tag("name", e.function) + _values(e.value, e.array) + "</oml:evaluation>"
            for e in entry.engines
        )
        + "</oml:output_data></oml:run>\n"
    ).encode()  # fmt: skip


def data(entry: DataSet, host: str) -> bytes:
    """The answer to `data/<id>`."""
    return (
        f"<oml:data_set_description {NAMESPACE}>"
        + tag("id", entry.id) + tag("name", entry.name)
        + "".join(tag(name, value) for name, value in entry.facts)
        + tag("format", entry.format)
        + tag("url", f"{host}/data/v1/download/{entry.id}/{entry.name}.arff")
        + ("" if entry.parquet is None else tag("parquet_url", f"{host}/datasets/0000/0000/dataset_{entry.id}.pq"))
        + tag("file_id", entry.id)
        + "".join(tag("tag", name) for name in entry.tags)
        + tag("visibility", entry.visibility) + tag("status", entry.described_status or entry.status)
        + tag("md5_checksum", entry.md5) + "</oml:data_set_description>\n"
    ).encode()  # fmt: skip


def features(entry: DataSet) -> bytes:
    """The answer to `data/features/<id>`."""
    rows = [
        "<oml:feature>"
        + tag("index", i) + tag("name", f.name) + tag("data_type", f.data_type)
        + "".join(tag("nominal_value", value) for value in f.values)
        + tag("is_target", str(f.is_target).lower()) + tag("is_ignore", "false")
        + tag("is_row_identifier", "false") + tag("number_of_missing_values", f.n_missing)
        + "</oml:feature>"
        for i, f in enumerate(entry.features)
    ]  # fmt: skip
    return listing("data_features", rows)


def qualities(entry: DataSet) -> bytes:
    """The answer to `data/qualities/<id>`."""
    rows = [
        f"<oml:quality  >{tag('name', name)}{tag('value', value) if value else '<oml:value />'}</oml:quality>"
        for name, value in entry.qualities.items()
    ]
    return listing("data_qualities", rows)


def flow(flow_id: int, entry: Flow) -> bytes:
    """The answer to `flow/<id>`."""
    name, version = _name_and_version(entry)
    return (
        f"<oml:flow {NAMESPACE}>" + tag("id", flow_id) + tag("uploader", entry.uploader) + tag("name", name)
        + (tag("class_name", entry.class_name) if entry.class_name else "")
        + tag("version", version) + tag("external_version", entry.external_version)
        + _nested(entry.facts) + "</oml:flow>\n"
    ).encode()  # fmt: skip


def flow_row(flow_id: int, entry: Flow) -> str:
    """A row of `flow/list`."""
    name, version = _name_and_version(entry)
    return (
        "<oml:flow>" + tag("id", flow_id) + tag("full_name", entry.full_name) + tag("name", name)
        + tag("version", version) + tag("external_version", entry.external_version)
        + tag("uploader", entry.uploader) + "</oml:flow>"
    )  # fmt: skip


def measures(world: World) -> bytes:
    """The list of evaluation measures."""
    rows = "".join(tag("measure", name) for name in world.measures)
    inner = f"<oml:measures>{rows}</oml:measures>"
    return f"<oml:evaluation_measures {NAMESPACE}>{inner}</oml:evaluation_measures>\n".encode()


def user_row(user_id: int, name: str) -> str:
    """A row of `user/list`."""
    return f"<oml:user>{tag('id', user_id)}{tag('username', name)}</oml:user>"


def _typed(world: World, name: str, text: str) -> str:
    """What a user typed, which the server puts into lists as it is."""
    return tag(name, text) if world.listed_escaped else f"<oml:{name}>{text}</oml:{name}>"


def _values(value: str, array: str) -> str:
    return (tag("value", value) if value else "") + (tag("array_data", array) if array else "")


def _name_and_version(entry: Flow) -> tuple[str, str]:
    name, _, version = entry.full_name.rpartition("(")
    return name, version.rstrip(")")


def _nested(facts: list[tuple[str, "str | list"]]) -> str:
    return "".join(
        f"<oml:{name}>{_nested(value)}</oml:{name}>" if isinstance(value, list) else tag(name, value)
        for name, value in facts
    )
