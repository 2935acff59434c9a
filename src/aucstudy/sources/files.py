"""The source `files`, which takes prediction files of the user's own.

Each file is a task, and each column of scores in it is a model. This module finds the files, and those beside
them that are not read. The Snakefile imports it, so it imports no numeric library, which may not be installed
there.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aucstudy.errors import InputError
from aucstudy.reading.endings import ending_of
from aucstudy.sources import fill
from aucstudy.store.files import sha256_of

BRINGS_MODELS = True
# What somebody asks of the own models: which are best, whether the metrics agree, and how far class skew moves them.
EXPERIMENTS = ("answer", "disagreement", "noise", "downsampling")
PATHS = ("tasks",)

ENDINGS = (".csv", ".tsv", ".tab", ".parquet", ".pq")
MINORITY = "minority"
# Bytes. The id names files, and file systems allow names of up to 255 bytes.
LONGEST_TASK_ID = 200


def prediction_files(settings: Mapping[str, Any]) -> dict[str, Path]:
    """Return the prediction files of a study by task id, which is the file's name without its endings.

    Raise InputError if the folder or a file is missing, if no file has a known ending, if two files are of
    one task, or if a name is too long.
    """
    tasks = settings["tasks"]
    paths = _in_folder(Path(tasks)) if isinstance(tasks, str) else [Path(path) for path in tasks]
    files: dict[str, Path] = {}
    for path in paths:
        if not path.is_file():
            raise InputError(f"files.tasks: {path}: no such file")
        task_id = task_of(path.name)
        if task_id in files:
            raise InputError(f"files.tasks: {files[task_id]} and {path} are both of task {task_id!r}")
        length = len(task_id.encode())
        if not 0 < length <= LONGEST_TASK_ID:
            raise InputError(
                f"files.tasks: {path}: a task's name of {length} bytes; 1 to {LONGEST_TASK_ID} before the ending are "
                "needed"
            )
        files[task_id] = path
    return files


def task_of(name: str) -> str:
    """Return the id of the task that a file's name stands for.

    >>> task_of("churn.csv.gz"), task_of("churn.v2.parquet")
    ('churn', 'churn.v2')
    """
    return name.removesuffix(".gz").rpartition(".")[0]


def _in_folder(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise InputError(
            f"files.tasks: {folder.absolute()} is no folder; a folder of prediction files is needed"
        )
    paths = sorted(path for path in folder.iterdir() if _is_shown(path) and _is_table(path))
    if not paths:
        below = sum(1 for path in files_beside({"tasks": str(folder)}) if _is_table(path))
        where = f"; {below} such files lie in folders below it, which are not read" if below else ""
        raise InputError(f"files.tasks: {folder} holds no file that ends in {', '.join(ENDINGS)}{where}")
    return paths


def files_beside(settings: Mapping[str, Any]) -> dict[Path, str]:
    """Return the files in or below the folder of the tasks that are not read, each with the reason.

    The result is empty if the settings list the files one by one.
    """
    if not isinstance(settings["tasks"], str):
        return {}
    folder, why = Path(settings["tasks"]), {}
    for path in sorted(folder.rglob("*")):
        if path.is_dir() or not all(_is_shown(Path(part)) for part in path.relative_to(folder).parts):
            continue
        if path.parent != folder:
            why[path] = (
                "lies in a folder below that of files.tasks; only files in that folder itself are read"
            )
        elif not _is_table(path):
            why[path] = f"its ending is none of {', '.join(ENDINGS)}, gzipped or not"
    return why


def _is_shown(path: Path) -> bool:
    return not path.name.startswith(".")


def _is_table(path: Path) -> bool:
    return ending_of(path) in ENDINGS


def input_files(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the SHA-256 of each file by its path. For a file that is not read it is ""."""
    digests = {str(path): sha256_of(path) for path in prediction_files(settings).values()}
    return digests | {str(path): "" for path in files_beside(settings)}


def task_ids(settings: Mapping[str, Any]) -> list[str]:
    return list(prediction_files(settings))


def positive_class(settings: Mapping[str, Any], path: Path) -> str | None:
    """Return the positive class of a file, or None if the smaller class is positive."""
    positive = settings.get("positive", MINORITY)
    if isinstance(positive, Mapping):
        positive = positive.get(path.name, positive.get(task_of(path.name), MINORITY))
    return None if positive == MINORITY else positive


def check(settings: Mapping[str, Any], *, models_per_task: int, min_flows: int) -> None:
    files = prediction_files(settings)
    tasks = ", ".join(files)[:300]
    stray = set(settings.get("groups", {})) - set(files)
    if stray:
        raise InputError(f"files.groups: no task {sorted(stray)[0]!r}; the tasks are {tasks}")
    _check_positive(settings.get("positive"), files)
    scores = settings.get("scores", "all")
    if isinstance(scores, str) and scores != "all":
        raise InputError(f"files.scores: is {scores!r}; all or a list of columns is needed")
    if isinstance(scores, list) and len(scores) < min_flows:
        raise InputError(f"files.scores: {len(scores)} columns, fewer than min_flows ({min_flows})")


def _check_positive(positive: object, files: Mapping[str, Path]) -> None:
    """Raise InputError if positive classes are given by file and a file does not have exactly one.

    A file is given by its name or by the id of its task.
    """
    if not isinstance(positive, Mapping):
        return
    for key in positive:
        if key not in files and key not in {path.name for path in files.values()}:
            raise InputError(
                f"files.positive: no file or task {key!r}; the tasks are {', '.join(files)[:300]}"
            )
    for task_id, path in files.items():
        keys = {task_id, path.name} & positive.keys()
        if len(keys) != 1:
            times = "twice" if keys else "not at all"
            raise InputError(
                f"files.positive: {path.name} is there {times}; expected: the positive class of every file, once "
                f"({MINORITY} for its smaller one)"
            )


def fetch(batch: Any) -> None:
    from aucstudy.sources import file_tasks
    from aucstudy.store.task_store import Filled

    files, settings = prediction_files(batch.settings), batch.settings

    def filled(task_id: str) -> Filled:
        path = files[task_id]
        return file_tasks.filled(batch, task_id, path, positive_class(settings, path))

    left_out = Filled(rejections=file_tasks.not_read(files_beside(settings), settings["tasks"]))
    fill(batch, dict.fromkeys(files, 1), filled, left_out)
