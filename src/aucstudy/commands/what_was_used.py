"""The last lines of a run: how many of the tasks were used, and what was left out, with the reasons."""

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from aucstudy.store.files import path_here

# The reason why a fold is left out, although its task is used.
OF_FOLD = "fold_one_class"
MOST_REASONS, MOST_NAMES = 4, 3


def what_was_used(config: Mapping, tables: Path) -> list[str]:
    """Return lines from a study's tables tasks.csv and rejections.csv, or none if it has no such tables.

    Nothing else is read, so that a run ends at once.
    """
    try:
        tasks, rejections = (_rows(tables / name) for name in ("tasks.csv", "rejections.csv"))
    except FileNotFoundError:
        return []
    noun = "files" if config["source"] == "files" else "tasks"
    used = {task["task_id"] for task in tasks}
    of_tasks = [row for row in rejections if not row["run_id"] and row["task_id"] not in used]
    of_models = [row for row in rejections if row["run_id"]]
    of_folds = [row for row in rejections if row["reason"] == OF_FOLD and row["task_id"] in used]
    left_out = {row["task_id"] for row in of_tasks}
    lines = [f"{len(used)} of {len(used | left_out)} {noun} used"]
    if left_out:
        lines[0] += f"; {len(left_out)} left out: {_by_reason(of_tasks, 'task_id')}"
    if of_models:
        lines.append(f"models left out: {_by_reason(of_models, 'run_id')}")
    if of_folds:
        lines.append(f"folds left out of means over folds: {_by_reason(of_folds, 'task_id')}")
    if rejections:
        lines.append(f"each with its reason: {path_here(tables / 'rejections.csv')}")
    if noun == "files" and (not_drawn := _not_drawn(tasks, config["models_per_task"])):
        lines.append(not_drawn)
    return lines


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _by_reason(rejections: Iterable[Mapping[str, str]], key: str) -> str:
    """Return the most frequent reasons as a text, each with the first names.

    >>> _by_reason([{"reason": "file_broken", "task_id": name} for name in "abcd"], "task_id")
    '4 file_broken (a, b, c, ...)'
    """
    names: dict[str, list[str]] = defaultdict(list)
    for row in rejections:
        names[row["reason"]].append(row[key])
    reasons = sorted(names, key=lambda reason: (-len(names[reason]), reason))
    texts = [f"{len(names[reason])} {reason} ({_first(names[reason])})" for reason in reasons[:MOST_REASONS]]
    return ", ".join([*texts, *["..."] * (len(reasons) > MOST_REASONS)])


def _first(names: Sequence[str]) -> str:
    return ", ".join([*names[:MOST_NAMES], *["..."] * (len(names) > MOST_NAMES)])


def _not_drawn(tasks: Sequence[Mapping[str, str]], models_per_task: int) -> str:
    """Return a sentence about files with more models than the study draws, or "" if there are none."""
    larger = [int(task["n_candidates"]) for task in tasks if int(task["n_candidates"]) > models_per_task]
    if not larger:
        return ""
    files = f"{len(larger)} file{'s' * (len(larger) > 1)}"
    return (
        f"{files} with more than {models_per_task} models (up to {max(larger)}): {models_per_task} were drawn of each; "
        "models_per_task changes that"
    )
