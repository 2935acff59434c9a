"""The command `aucstudy verify`, which compares the committed tables of a study with those of a new run."""

import argparse
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from aucstudy.commands.arguments import add_cores, add_study
from aucstudy.commands.run import check_workflow, overlaid, running, snakemake
from aucstudy.config import WORKFLOW, load_config, study_meant, working_folder
from aucstudy.errors import InputError
from aucstudy.printable import printable
from aucstudy.sources import fetch_batches
from aucstudy.store.files import path_here
from aucstudy.verify import CHECKSUMS, Comparison, Likeness, check_tables, compare_tables

# The files of a checkout that a study makes, and those that do not affect it.
LEFT_OUT = ("data", "results", ".snakemake", ".git", ".venv")
SAME_STORE = "The task store is the same: the code or a library computes otherwise."
OTHER_PREDICTIONS = """\
{why}: this is a comparison, not an equality.
Another processor or version of a library fits them a little differently, and nothing is wrong with the code or this
machine. To compare from the same predictions, give the task store that the tables are of: --store data/{study}"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    parser.add_argument(
        "--store", type=Path, metavar="FOLDER",
        help="folder data/<study> of a finished run, on any machine; its predictions are used, and nothing is "
        "fetched or fitted again",
    )  # fmt: skip
    add_cores(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make a study's tables in a temporary folder, and print how far they agree with the committed ones.

    Return 1 if they differ although the task store is the same, or if a job failed, else 0.
    """
    directory = working_folder(arguments.directory)
    check_workflow(directory)
    study = study_meant(arguments.study)
    config = load_config(study)
    results = Path("results") / config["study"]
    names, store = check_tables(directory / results)
    print(
        f"{printable(path_here(directory / results))}: {len(names)} tables are those of {CHECKSUMS}",
        flush=True,
    )
    with tempfile.TemporaryDirectory(prefix="aucstudy-verify-") as temporary:
        folder = Path(temporary)
        if directory == WORKFLOW:
            link_checkout(folder)
        if arguments.store:
            _copy_fetched(arguments.store, folder / "data" / config["study"], fetch_batches(config))
        targets = [
            str(results / CHECKSUMS),
            *running(arguments.cores),
            *overlaid(directory, study),
        ]
        if snakemake(folder, *targets):
            return 1
        recomputed, made_from = check_tables(folder / results)
        tables = [directory / results / "tables", folder / results / "tables"]
        in_both = [name for name in names if name in recomputed]
        compared = [compare_tables(*(folder / name for folder in tables)) for name in in_both]
    only_in_one = [f"{name}: only in the committed results" for name in sorted(set(names) - set(recomputed))]
    only_in_one += [f"{name}: only made here" for name in sorted(set(recomputed) - set(names))]
    return _answer(compared, only_in_one, config["study"], _why_not_equal(store, made_from, arguments.store))


def link_checkout(folder: Path) -> None:
    for path in WORKFLOW.iterdir():
        if path.name not in LEFT_OUT:
            (folder / path.name).symlink_to(path)


def _copy_fetched(store: Path, data: Path, n_batches: int) -> None:
    """Copy the batches of another run's store.

    The copies are newer than all other files, so that Snakemake does not fetch them again.
    """
    for batch in map(str, range(n_batches)):
        fetched = store.absolute() / "fetched" / batch
        if not fetched.is_dir():
            raise InputError(
                f"{fetched}: no such folder; expected: all {n_batches} batches of a finished run"
            )
        shutil.copytree(fetched, data / "fetched" / batch, copy_function=shutil.copyfile)


def _why_not_equal(committed: str | None, recomputed: str | None, store: Path | None) -> str:
    if committed == recomputed or (store and not committed):
        return ""
    if not committed:
        return f"The models were fitted anew, and {CHECKSUMS} does not name the predictions of the committed tables"
    return "The predictions are not those that the committed tables were made from"


def _answer(compared: Sequence[Comparison], alone: Sequence[str], study: str, why: str) -> int:
    by_likeness = {kind: [table for table in compared if table.likeness is kind] for kind in Likeness}
    different = [f"{table.name}: {table.why}" for table in by_likeness[Likeness.DIFFERS]] + [*alone]
    n_equal, n_identical = (len(by_likeness[kind]) for kind in (Likeness.EQUAL, Likeness.IDENTICAL))
    if different:
        for line in different:
            print(printable(line))
        n_tables = len(compared) + len(alone)
        print(
            f"differs: {len(different)} of {n_tables} tables; {n_equal} equal to 1e-9, {n_identical} identical"
        )
        print(OTHER_PREDICTIONS.format(why=why, study=printable(study)) if why else SAME_STORE)
        return 0 if why else 1
    if n_equal:
        source = "" if why else " from the same store"
        print(f"equal to 1e-9{source}: {n_equal} of {len(compared)} tables, the others identical")
    else:
        print(f"identical: all {n_identical} tables, byte for byte")
    return 0
