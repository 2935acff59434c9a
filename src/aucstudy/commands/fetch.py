"""The command `aucstudy fetch`: the first stage of a study by itself, or an estimate of its cost."""

import argparse
import hashlib
import re
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from aucstudy.commands.arguments import add_study
from aucstudy.config import check_config, load_config, read_yaml, study_meant, working_folder
from aucstudy.errors import InputError
from aucstudy.printable import SECONDS_BETWEEN_LINES, at_most_every, printable
from aucstudy.store.files import path_here, write_text

LONGEST_SELECTION = 40  # characters in the name of a folder for the choice of tasks
WHICH = {"tasks", "suite"}  # the keys of the block `openml` that name tasks


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    task_options = parser.add_mutually_exclusive_group()
    task_options.add_argument(
        "--task", nargs="+", action="extend", metavar="ID",
        help="fetch only these tasks, from the OpenML server of the study or from openml.org",
    )  # fmt: skip
    task_options.add_argument(
        "--suite",
        metavar="ID",
        help="fetch only the tasks of this suite, given by its number or name on the server (openml.suite)",
    )
    parser.add_argument(
        "--candidates", choices=["evaluated", "listed"],
        help="draw models from the runs that the server evaluated, or from all runs that it lists "
        "(openml.candidates)",
    )  # fmt: skip
    parser.add_argument(
        "--ask-again",
        action="store_true",
        help="ask again for what the server refused less than a day ago (openml.ask_again)",
    )
    parser.add_argument(
        "--plan",
        action="store_true",
        help="fetch nothing but the lists, and print the numbers of tasks, runs and requests and the time",
    )


def run(arguments: argparse.Namespace) -> int:
    """Fetch the tasks of a study, or print what this would cost.

    The task store goes to `data/<study>/fetched_by_hand`. A server's raw answers go to `data/<study>/raw`,
    where the workflow finds them. Each selection by `--task` or `--suite` is a study of its own. If a study
    was given too, the selection shares its raw answers.
    """
    from aucstudy.sources import fetch, fetch_batches
    from aucstudy.store.rejections import Reason, read_rejections, write_rejections
    from aucstudy.store.task_store import merge_stores, read_runs, read_tasks

    directory = working_folder(arguments.directory)
    config = _config(arguments, directory)
    folder = directory / "data" / config["study"]
    store = folder / "fetched_by_hand"
    chosen = arguments.task or arguments.suite
    if chosen and not (arguments.plan or _candidates_chosen(arguments)) and sys.stdin and sys.stdin.isatty():
        _ask_for_candidates(config, store / "0")
    if arguments.plan:
        print(_plan(config, store / "0"))
        return 0
    batches = [store / str(batch) for batch in range(fetch_batches(config))]
    progress = _progress(config)
    for batch, batch_store in enumerate(batches):
        fetch(batch_store, config, batch=batch, progress=progress)
    rejections = [r for batch_store in batches for r in read_rejections(batch_store / "rejections.csv")]
    missed = sum(rejection.reason == Reason.NOT_EVALUATED for rejection in rejections)
    if missed and "candidates" not in config["openml"]:
        print(f"listed runs without an evaluation: {missed}; --candidates listed draws from them too")
    merge_stores(batches, store)
    write_rejections(store / "rejections.csv", rejections)
    for rejection in rejections:
        if chosen and not rejection.run_id:
            print(printable(f"task {rejection.task_id} is left out: {rejection.reason}, {rejection.detail}"))
    counts = f"{len(read_tasks(store))} tasks, {len(read_runs(store))} runs, {len(rejections)} rejections"
    print(printable(f"{counts}: {path_here(store)}"))
    if chosen:
        directory_option = (
            f" --directory {shlex.quote(str(path_here(directory)))}" if arguments.directory else ""
        )
        path = _write_study(config, folder)
        print(printable(f"to study them: aucstudy run {shlex.quote(str(path_here(path)))}{directory_option}"))
    return 0


def _progress(config: dict) -> Callable[[str], None]:
    """Return a function that reports on stderr how many tasks are done, at most once in some seconds.

    For the source `openml` it does nothing, since that source reports its own progress.
    """
    if config["source"] == "openml":
        return lambda task_id: None
    from aucstudy.sources import work

    of_tasks = work(config)
    total = f" of {len(of_tasks)}" if of_tasks is not None else ""
    say = at_most_every(
        SECONDS_BETWEEN_LINES, lambda line: print(printable(line), file=sys.stderr, flush=True)
    )
    say(
        f"fetching{f' {len(of_tasks)} tasks' if of_tasks is not None else ''} from the source {config['source']}"
    )
    started, n_done = time.monotonic(), 0

    def done(task_id: str) -> None:
        nonlocal n_done
        n_done += 1
        say(f"{n_done}{total} tasks done, {time.monotonic() - started:.0f} s")

    return done


def _write_study(config: dict, folder: Path) -> Path:
    path = folder / "study.yaml"
    keys = {key: config[key] for key in ("study", "source", "openml", "models_per_task", "min_flows", "seed")}
    # It is a wish for this fetch, and none for the study.
    keys["openml"] = {key: value for key, value in keys["openml"].items() if key != "ask_again"}
    text = yaml.safe_dump(keys, sort_keys=False, allow_unicode=True)
    write_text(path, text)
    return path


def _config(arguments: argparse.Namespace, directory: Path) -> dict:
    _take_study_from_tasks(arguments)
    arguments.study = study_meant(arguments.study)
    config = load_config(arguments.study)
    named = {
        "candidates": arguments.candidates,
        "suite": arguments.suite,
        "tasks": [*map(int, arguments.task)],
        "ask_again": arguments.ask_again,
    }
    changes = {key: value for key, value in named.items() if value}
    if not changes:
        return config
    selection = _selection(arguments.task, arguments.suite)
    if arguments.study is None and changes.keys() & WHICH:
        config |= {"study": f"openml-{selection}", "source": "openml"}
    elif config["source"] != "openml":
        option = {"tasks": "--task"}.get(max(changes), f"--{max(changes).replace('_', '-')}")
        option_of = f"{arguments.study or 'config.yaml'}: {option}"
        raise InputError(f"{option_of} is for the source openml, this study's is {config['source']}")
    block = config.get("openml", {})
    if changes.keys() & WHICH:
        block = {key: value for key, value in block.items() if key not in WHICH}
        if arguments.study is not None:
            # The selection gets a name and folders of its own, so that it does not overwrite the whole study
            # or another selection of its tasks.
            block["cache"] = block.get("cache") or str(directory / "data" / config["study"] / "raw")
            config["study"] = f"{config['study'][: 99 - len(selection)]}-{selection}"
    config["openml"] = {**block, **changes}
    check_config(config)
    return config


def _selection(tasks: list[str], suite: str | None) -> str:
    """Return the part of a study's name that says which tasks are chosen.

    >>> _selection(["37", "31"], None), _selection([], "OpenML-CC18")
    ('tasks-31-37', 'suite-openml-cc18')
    """
    ids = sorted({int(task) for task in tasks})
    text = f"suite-{suite}" if suite else f"tasks-{'-'.join(map(str, ids))}"
    name = re.sub("[^a-z0-9_-]", "-", text.lower())
    if len(name) <= LONGEST_SELECTION:
        return name
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"{name[: LONGEST_SELECTION - 9]}-{digest}"


def _take_study_from_tasks(arguments: argparse.Namespace) -> None:
    """Take a study file that was written after the ids of `--task` for the argument STUDY."""
    words = arguments.task or []
    arguments.task = [word for word in words if word.isascii() and word.isdigit()]
    words_left = [word for word in words if word not in arguments.task]
    if words_left and arguments.study is None and words_left[0].endswith((".yaml", ".yml")):
        arguments.study = Path(words_left.pop(0))
    if words_left or (words and not arguments.task):
        raise InputError(f"--task: is {(words_left or words)[0]!r}; expected: the id of a task, a number")


def _candidates_chosen(arguments: argparse.Namespace) -> bool:
    block = read_yaml(arguments.study).get("openml") if arguments.study else None
    return bool(arguments.candidates or "candidates" in (block or {}))


def _ask_for_candidates(config: dict, store: Path) -> None:
    n = _plan(config, store).n_not_evaluated
    if n:
        print(f"listed runs without an evaluation: {n}. Draw from them too? [y/N] ", end="", flush=True)
        yes = sys.stdin.readline().strip().lower() in ("y", "yes")
        config["openml"]["candidates"] = "listed" if yes else "evaluated"


def _plan(config: dict, folder: Path) -> Any:
    if config["source"] != "openml":
        raise InputError(f"source: is {config['source']}; --plan is for openml, the others make no requests")
    from aucstudy.sources.openml import plan

    return plan(
        config["openml"],
        folder,
        models_per_task=config["models_per_task"],
        min_flows=config["min_flows"],
        seed=config["seed"],
        progress=lambda line: print(printable(line), file=sys.stderr) if sys.stderr.isatty() else None,
    )
