"""The command `aucstudy audit`: how far the areas, or any metrics, disagree on models, and what is behind it."""

import argparse
import json
import sys
from pathlib import Path

from aucstudy.errors import InputError

OF_FILE = ("label", "score", "positive", "fold", "row")
OF_TABLE = ("task", "model", "metric", "lower_is_better")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `aucstudy audit`."""
    parser.add_argument(
        "file",
        type=Path,
        nargs="?",
        metavar="FILE",
        help="predictions: CSV, TSV, Parquet or OpenML ARFF",
    )
    predictions = parser.add_argument_group("predictions: one row a test case, one column of scores a model")
    predictions.add_argument("--label", metavar="COL", help="column of the labels (OpenML: truth or correct)")
    predictions.add_argument(
        "--score", metavar="COL", action="append", default=[],
        help="column of a model's scores, higher = more likely positive; may be repeated (default: every column of "
        "numbers that is not named like an index)",
    )  # fmt: skip
    predictions.add_argument(
        "--positive", metavar="VALUE", help="the positive class, against all others (not needed for 0/1)"
    )
    predictions.add_argument("--fold", metavar="COL", help="column of folds: rows are resampled inside them")
    predictions.add_argument(
        "--row", metavar="COL", help="column that says which row each is: none may stand twice"
    )
    finished = parser.add_argument_group("finished scores: one row a task and model, one column a metric")
    finished.add_argument(
        "--scores", type=Path, metavar="TABLE", help="CSV, TSV or Parquet, in place of FILE"
    )
    finished.add_argument("--task", metavar="COL", help="column that names the task")
    finished.add_argument("--model", metavar="COL", help="column that names the model")
    finished.add_argument(
        "--metric",
        metavar="COL",
        action="append",
        default=[],
        help="column of a metric; two or more are wanted",
    )
    finished.add_argument(
        "--lower-is-better",
        metavar="COL",
        action="append",
        default=[],
        help="a metric that is a loss",
    )
    parser.add_argument(
        "--resamples", type=_count, default=1000, metavar="N", help="of the rows (default 1000)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the resampling (default 1)")
    parser.add_argument(
        "--html", type=Path, metavar="OUT", help="write a page to look at: one file, no network"
    )
    parser.add_argument(
        "--format", choices=("table", "json", "csv"), default="table",
        help="table (default): for reading; json: everything; csv: areas and ranks, one row a model",
    )  # fmt: skip
    parser.set_defaults(usage_error=parser.error)


def _count(text: str) -> int:
    value = int(text)
    if value < 100:
        raise argparse.ArgumentTypeError(f"{value}: at least 100 resamples are wanted")
    return value


def run(arguments: argparse.Namespace) -> int:
    """Audit a file of predictions, or a table of finished scores.

    Raises
    ------
    InputError
        The file or what it holds is wrong.
    """
    asked = {name for name in (*OF_FILE, *OF_TABLE) if getattr(arguments, name)}
    if (arguments.file is None) == (arguments.scores is None):
        arguments.usage_error("either FILE or --scores TABLE is wanted")
    strange = asked & set(OF_TABLE if arguments.scores is None else OF_FILE)
    if strange:
        name = sorted(strange)[0].replace("_", "-")
        goes = "--scores TABLE" if arguments.scores is None else "FILE"
        arguments.usage_error(f"--{name} goes with {goes}")
    return _predictions(arguments) if arguments.scores is None else _finished(arguments)


def _predictions(arguments: argparse.Namespace) -> int:
    # Imported here: building the parser must not cost the import of the metrics.
    from aucstudy.audit.analysis import audit
    from aucstudy.audit.output import as_json, as_table
    from aucstudy.reading.prediction_tables import read_scored_table

    table = read_scored_table(
        arguments.file,
        label=arguments.label,
        scores=arguments.score,
        positive=arguments.positive,
        fold=arguments.fold,
        row=arguments.row,
        all_scores=True,
    )
    for note in table.notes:
        print(f"aucstudy: note: {note}", file=sys.stderr)
    try:
        found = audit(table, resamples=arguments.resamples, seed=arguments.seed)
    except InputError as error:
        raise InputError(f"{arguments.file}: {error}") from None
    if arguments.html:
        from aucstudy.audit.page import page_of_predictions, write_page

        write_page(page_of_predictions(table, found, arguments.file.name), arguments.html)
    if arguments.format == "json":
        print(json.dumps(as_json(found), indent=1, allow_nan=False))
    elif arguments.format == "csv":
        as_table(found).to_csv(sys.stdout, index=False, float_format="%.12g", lineterminator="\n")
    else:
        from aucstudy.audit.terminal import console, show

        show(found, arguments.file.name, console())
    _told_page(arguments)
    return 0


def _finished(arguments: argparse.Namespace) -> int:
    from aucstudy.audit.metric_tables import audit_finished, read_finished
    from aucstudy.audit.output import finished_as_json

    if not (arguments.task and arguments.model and len(dict.fromkeys(arguments.metric)) > 1):
        arguments.usage_error(
            "--scores TABLE wants --task COL, --model COL and two or more different --metric COL"
        )
    stray = set(arguments.lower_is_better) - set(arguments.metric)
    if stray:
        arguments.usage_error(f"--lower-is-better {sorted(stray)[0]} is not one of the --metric columns")
    table = read_finished(
        arguments.scores, arguments.task, arguments.model, tuple(dict.fromkeys(arguments.metric))
    )
    found = audit_finished(
        table, lower_is_better=arguments.lower_is_better, resamples=arguments.resamples, seed=arguments.seed
    )
    if arguments.html:
        from aucstudy.audit.page import page_of_scores, write_page

        write_page(
            page_of_scores(table, found, arguments.scores.name, arguments.lower_is_better), arguments.html
        )
    if arguments.format == "json":
        print(json.dumps(finished_as_json(found), indent=1, allow_nan=False))
    elif arguments.format == "csv":
        found.shares.to_csv(sys.stdout, index=False, float_format="%.12g", lineterminator="\n")
    else:
        from aucstudy.audit.terminal import console, show_finished

        show_finished(found, arguments.scores.name, console())
    _told_page(arguments)
    return 0


def _told_page(arguments: argparse.Namespace) -> None:
    if arguments.html:
        print(f"aucstudy: page: {arguments.html}", file=sys.stderr)
