"""The command `aucstudy audit`, which reports how far metrics disagree on models, and why."""

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from aucstudy.commands.arguments import add_column, add_columns, add_scored_file, take_file, whole_number
from aucstudy.errors import InputError
from aucstudy.jobs.environment import keep_to_one_thread, sort_quickly
from aucstudy.printable import print_csv, print_notes, printable
from aucstudy.store.files import write_text

if TYPE_CHECKING:
    from aucstudy.audit.analysis import Analysis
    from aucstudy.audit.metric_tables import MetricAnalysis

GENERATOR = 'name="generator" content="aucstudy'  # near the start of every page that aucstudy writes
OPTIONS = (
    "label", "positive", "folds", "row", "groups", "repeat", "weight", "prevalence", "resamples", "seed",
    "model", "lower_is_better", "decimal", "drop_missing",
)  # fmt: skip
OF_BOTH = ("model", "lower_is_better")
OF_FILE = (*(name for name in OPTIONS if name not in OF_BOTH), "score", "target_metric", "want", "margin")
OF_TABLE = ("task",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    predictions = parser.add_argument_group(
        "predictions (a row for each case, a column of scores for each model)"
    )
    add_scored_file(
        parser,
        "predictions as a CSV, TSV, Parquet or OpenML ARFF file",
        "columns of scores, one for each model, higher for positives (default: every column of numbers that is not "
        "named like an index)",
        losses="columns of scores for which lower is better (with --scores: columns of metrics)",
        group=predictions,
    )
    add_column(
        predictions,
        "--model",
        help="column that says which model made the score of a row, in a file with one column of scores and a row for "
        "each model and case; needs --row (with --scores: column with the name of the model)",
    )
    add_column(predictions, "--folds", "--fold", help="column of folds; rows are halved within each fold")
    case = "column with the id of the test case, which may occur once in each fold; whole cases are halved"
    add_column(predictions, "--row", help=case)
    add_column(predictions, "--repeat", help="column of the repeats of a cross-validation; needs --row")
    add_column(
        predictions,
        "--groups",
        "--group",
        help="column of patients, users or documents, which are halved as a whole",
    )
    add_column(predictions, "--weight", help="column of weights; rows of weight 0 are left out")
    predictions.add_argument(
        "--prevalence", type=float, metavar="P",
        help="compute everything for this prevalence; AUPR is biased upwards if there are few negatives and P is below "
        "the prevalence of the rows",
    )  # fmt: skip
    predictions.add_argument(
        "--target-metric",
        action="append",
        metavar="T",
        help="the metric that matters to you on new data, such as f1, mcc, recall@.9 (the largest recall at a "
        "precision of .9 or more), precision@100, net:1 or auroc@.1",
    )
    # The former name of --target-metric, which will be removed with the release after next.
    predictions.add_argument("--want", action="append", help=argparse.SUPPRESS)
    predictions.add_argument(
        "--margin",
        action="append",
        default=[],
        metavar="METRIC=M",
        help="a model that is at most M below the best one by this metric is as good for you, as in auroc=.01; may be "
        "given for several metrics",
    )
    finished = parser.add_argument_group(
        "tables of metrics (a row for each task and model, a column for each metric)"
    )
    finished.add_argument(
        "--scores", type=Path, metavar="TABLE", help="a CSV, TSV or Parquet file, in place of FILE"
    )
    add_column(finished, "--task", help="column with the name of the task")
    add_columns(
        parser,
        "--metric",
        "with --scores: columns of the metrics, at least two; with FILE: the metrics that rank the models, such "
        "as aupr, or a Python file with a metric of your own, such as ./mine.py (default: all that rank differently)",
    )
    n_resamples = whole_number(100, 1_000_000, "the number of resamples")
    parser.add_argument(
        "--resamples",
        type=n_resamples,
        metavar="N",
        help="number of random halves of the rows (default: 1000); many scores get fewer, at least 50, and the "
        "report says how many",
    )
    seed = whole_number(0, 2**63 - 1, "a seed")
    parser.add_argument("--seed", type=seed, metavar="N", help="seed of the random halves (default: 1)")
    parser.add_argument(
        "--html", type=Path, metavar="OUT", help="write an HTML page: a single file that needs no network"
    )
    parser.add_argument("--no-thresholds", action="store_true", help="leave the scores out of the HTML page")
    parser.add_argument(
        "--force", action="store_true", help="let the HTML page replace a file that aucstudy did not write"
    )
    parser.add_argument(
        "--format", choices=("table", "json", "csv"), default="table",
        help="table: a text to read (default); json: everything; csv: metrics and ranks, with a row for each model",
    )  # fmt: skip
    parser.add_argument("--details", action="store_true", help="print the full report, not only the verdict")


def run(arguments: argparse.Namespace) -> int:
    keep_to_one_thread()
    sort_quickly()
    if not arguments.scores:
        take_file(arguments, required=False)
    options = {name for name in (*OF_FILE, *OF_TABLE) if getattr(arguments, name) not in (None, [])}
    if (arguments.file is None) == (arguments.scores is None):
        advice = "; to name columns of scores in FILE, give --score" if arguments.scores else ""
        arguments.usage_error(f"either FILE or --scores TABLE is needed{advice}")
    strange = options & set(OF_TABLE if arguments.scores is None else OF_FILE)
    if strange:
        name = sorted(strange)[0].replace("_", "-")
        goes = "--scores TABLE" if arguments.scores is None else "FILE"
        arguments.usage_error(f"--{name} goes with {goes}")
    if arguments.no_thresholds and not arguments.html:
        arguments.usage_error("--no-thresholds goes with --html OUT")
    # Imported before the analysis, so that a missing library is reported at once. This includes the page's.
    import scipy  # noqa: F401

    from aucstudy.audit.output import console, show
    from aucstudy.audit.text import json_text

    path = arguments.file or arguments.scores
    if arguments.html:
        from aucstudy.audit.page import page_of

        check_output(arguments.html, [path], force=arguments.force)
    analysis = _of_metrics(arguments) if arguments.scores else _of_predictions(arguments)
    name = printable(path.name)
    if arguments.html:
        write_text(arguments.html, page_of(analysis, name, thresholds=not arguments.no_thresholds))
    if arguments.format == "table":
        show(analysis, name, console(), details=arguments.details)
    elif arguments.format == "json":
        print(json_text(analysis.as_json()), end="")
    else:
        print_csv(analysis.as_table())
    if arguments.html:
        print(f"aucstudy: page: {printable(arguments.html)}", file=sys.stderr)
    return 0


def check_output(path: Path, inputs: Iterable[Path], *, force: bool) -> None:
    """Raise InputError if writing the page to `path` might destroy something else.

    The path must not lead to one of the `inputs`, not even by a link. If it exists it must be a regular file
    and, without `force`, a page of aucstudy.
    """
    if not os.path.lexists(path):
        return
    for read in inputs:
        if read.exists() and path.exists() and path.samefile(read):
            raise InputError(f"{path}: is the input {read}; another file is needed for the page")
    if not path.exists():
        raise InputError(f"{path}: is a link to nothing; the name of a file is needed for the page")
    if not path.is_file():
        kind = "a folder" if path.is_dir() else "no regular file"
        raise InputError(f"{path}: is {kind}; the name of a file is needed for the page")
    with path.open("rb") as stream:
        ours = GENERATOR.encode() in stream.read(4096)
    if not (ours or force):
        raise InputError(f"{path}: is there already and is no page of aucstudy; give --force to replace it")


def _of_predictions(arguments: argparse.Namespace) -> "Analysis":
    # Imported here: building the parser must not cost the import of the metrics.
    from aucstudy.audit import audit

    options = {name: getattr(arguments, name) for name in OPTIONS}
    options = {name: value for name, value in options.items() if value not in (None, [])}
    if arguments.want:
        print("aucstudy: --want is called --target-metric now, and will be unknown later", file=sys.stderr)
    targets = [*(arguments.target_metric or ()), *(arguments.want or ())]
    if len(targets) > 1:
        arguments.usage_error("give one --target-metric")
    if targets:
        options["target_metric"] = targets[0]
    options["margin"] = dict(_margin(arguments, text) for text in arguments.margin)
    if len(options["margin"]) < len(arguments.margin):
        arguments.usage_error("give one --margin for each metric")
    result = audit(arguments.file, arguments.score, metrics=arguments.metric, **options)
    print_notes(result.analysis.table.notes)
    return result.analysis


def _margin(arguments: argparse.Namespace, text: str) -> tuple[str, float]:
    """Return the metric and the margin of an option such as auroc=.01."""
    name, _, number = text.rpartition("=")
    try:
        margin = float(number)
    except ValueError:
        arguments.usage_error(f"--margin {text}: a metric and a number are needed, as in auroc=.01")
    return name, margin


def _of_metrics(arguments: argparse.Namespace) -> "MetricAnalysis":
    metrics = tuple(dict.fromkeys(arguments.metric))
    if not (arguments.task and arguments.model and len(metrics) > 1):
        options = "--task COL, --model COL and two or more different --metric COL"
        arguments.usage_error(f"--scores TABLE needs {options}")
    losses = tuple(dict.fromkeys(arguments.lower_is_better))
    stray = set(losses) - set(metrics)
    if stray:
        arguments.usage_error(f"--lower-is-better {sorted(stray)[0]} is not one of the --metric columns")
    from aucstudy.audit.metric_tables import analyse_metrics, read_metric_table

    table = read_metric_table(arguments.scores, arguments.task, arguments.model, metrics, losses)
    return analyse_metrics(table)
