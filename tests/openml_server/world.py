"""What a server knows: data sets, tasks, runs, in plain records. Text is as the server prints it, escaped later."""

from dataclasses import dataclass, field

PROCEDURES = (
    # id, task type, name, type, repeats, folds, percentage, stratified
    (1, 1, "10-fold Crossvalidation", "crossvalidation", "1", "10", "", "true"),
    (2, 1, "5 times 2-fold Crossvalidation", "crossvalidation", "5", "2", "", "true"),
    (3, 1, "10 times 10-fold Crossvalidation", "crossvalidation", "10", "10", "", "true"),
    (4, 1, "Leave one out", "leaveoneout", "1", "", "", "true"),
    (5, 1, "10% Holdout set", "holdout", "1", "", "33", "true"),
    (7, 2, "10-fold Crossvalidation", "crossvalidation", "1", "10", "", "true"),
)


@dataclass
class Feature:
    """A column of a data set; `values` as features XML lists them, alphabetically and not as declared."""

    name: str
    data_type: str = "numeric"
    values: tuple[str, ...] = ()
    is_target: bool = False
    n_missing: int = 0


@dataclass
class DataSet:
    """A data set with its file; `facts` are further elements of its description, in their order."""

    id: int
    name: str
    file: bytes
    features: list[Feature]
    status: str = "active"
    visibility: str = "public"
    format: str = "ARFF"
    md5: str = ""
    file_status: int = 200
    parquet: bytes | None = (
        None  # None: not described; b"": described, as servers do whether it is there or not
    )
    redirect: str = ""
    source: str = ""  # the address that run XML names, whatever server answers
    described_status: str = ""  # the list and the description can disagree
    qualities: dict[str, str] = field(default_factory=dict)
    facts: list[tuple[str, str]] = field(
        default_factory=lambda: [("version", "1"), ("description", "Made."), ("licence", "Public")]
    )
    tags: list[str] = field(default_factory=list)


@dataclass
class TaskEntry:
    """A task of supervised classification on a data set; `inputs_lost` is the server's fault with long inputs."""

    id: int
    data: int
    target: str
    procedure: int = 1
    measure: str = "predictive_accuracy"
    tags: list[str] = field(default_factory=list)
    splits: bytes = b""
    inputs_lost: bool = False
    type_id: int = 1


@dataclass
class Suite:
    """A collection of tasks, or, of kind `run`, a study of runs on them."""

    id: int
    alias: str
    tasks: list[int]
    kind: str = "task"


@dataclass
class Engine:
    """What one evaluation engine recorded for a run under one function, for all rows or for one fold."""

    id: int
    function: str
    value: str = ""
    array: str = ""
    repeat: str = ""
    fold: str = ""


@dataclass
class RunEntry:
    """A run: `error` is the server's (None = never evaluated), `message` the uploader's.

    `file` None means that no predictions were uploaded; `file_status` 403 or 404 that they cannot be had.
    """

    id: int
    task: int
    flow: int
    flow_name: str
    setup: int
    file: bytes | None
    file_id: int = 0
    file_name: str = "predictions.arff"
    file_status: int = 200
    error: str | None = ""
    message: str = ""
    uploader: int = 1
    upload_time: str = "2014-04-06 23:30:40"
    engines: list[Engine] = field(default_factory=list)
    parameters: list[tuple[str, str, str]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    details: str = ""
    setup_string: str = ""


@dataclass
class Flow:
    """A flow; `facts` are the elements of its description after the version, nested ones as lists of their own."""

    full_name: str
    external_version: str = "1"
    uploader: int = 1
    class_name: str = ""
    facts: list[tuple[str, "str | list"]] = field(default_factory=list)


@dataclass
class World:
    """All that a server knows."""

    data_sets: dict[int, DataSet] = field(default_factory=dict)
    tasks: dict[int, TaskEntry] = field(default_factory=dict)
    runs: dict[int, RunEntry] = field(default_factory=dict)
    users: dict[int, str] = field(default_factory=lambda: {1: "Uma User", 16: "Sixteen "})
    flows: dict[int, Flow] = field(default_factory=dict)
    suites: list[Suite] = field(default_factory=list)
    procedures: tuple[tuple, ...] = PROCEDURES
    measures: tuple[str, ...] = ("area_under_roc_curve", "predictive_accuracy")
    listed_escaped: bool = True  # the real server does not escape messages and user names in lists

    def add_run(self, run: RunEntry) -> None:
        """Add a run with a file id of its own."""
        run.file_id = run.file_id or 1000 + run.id
        self.runs[run.id] = run
        self.flows.setdefault(run.flow, Flow(run.flow_name))
