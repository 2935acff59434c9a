"""What a server knows: data sets, tasks, runs, in plain records. Text is as the server prints it, escaped later."""

from dataclasses import dataclass, field

# id, name, type, repeats, folds of the estimation procedures of supervised classification
PROCEDURES = (
    (1, "10-fold Crossvalidation", "crossvalidation", "1", "10"),
    (2, "5 times 2-fold Crossvalidation", "crossvalidation", "5", "2"),
    (3, "10 times 10-fold Crossvalidation", "crossvalidation", "10", "10"),
    (4, "Leave one out", "leaveoneout", "1", ""),
)


@dataclass
class Feature:
    """A column of a data set; `values` as features XML lists them, alphabetically and not as declared."""

    name: str
    data_type: str = "numeric"
    values: tuple[str, ...] = ()


@dataclass
class DataSet:
    """A data set with its file; `parquet` None is not described, b"" is described and not there."""

    id: int
    name: str
    file: bytes
    features: list[Feature]
    visibility: str = "public"
    format: str = "ARFF"
    md5: str = ""
    file_status: int = 200
    parquet: bytes | None = None
    redirect: str = ""
    qualities: dict[str, str] = field(default_factory=dict)


@dataclass
class TaskEntry:
    """A task of supervised classification on a data set; `inputs_lost` is the server's fault with long inputs."""

    id: int
    data: int
    target: str
    procedure: int = 1
    tags: list[str] = field(default_factory=list)
    inputs_lost: bool = False


@dataclass
class Suite:
    """A collection of tasks, or, of kind `run`, a study of runs on them."""

    id: int
    alias: str
    tasks: list[int]
    kind: str = "task"


@dataclass
class Engine:
    """What one evaluation engine recorded for a run under one function."""

    id: int
    function: str
    value: str = ""
    array: str = ""


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
    file_status: int = 200
    error: str | None = ""
    message: str = ""
    upload_time: str = "2014-04-06 23:30:40"
    engines: list[Engine] = field(default_factory=list)
    details: str = ""


@dataclass
class World:
    """All that a server knows."""

    data_sets: dict[int, DataSet] = field(default_factory=dict)
    tasks: dict[int, TaskEntry] = field(default_factory=dict)
    runs: dict[int, RunEntry] = field(default_factory=dict)
    suites: list[Suite] = field(default_factory=list)
    listed_escaped: bool = True  # the real server does not escape messages and names of flows in lists

    def add_run(self, run: RunEntry) -> None:
        """Add a run with a file id of its own."""
        run.file_id = run.file_id or 1000 + run.id
        self.runs[run.id] = run
