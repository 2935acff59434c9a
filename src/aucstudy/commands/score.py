"""The command `aucstudy score`: every metric of the scores in a file."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from aucstudy.commands.arguments import add_column, add_scored_file, columns_of_file, size, take_file
from aucstudy.errors import InputError
from aucstudy.jobs.environment import sort_quickly
from aucstudy.printable import plain, print_csv, print_notes, printable

ONLY_OF_WHOLE = ("interval", "model", "row", "decimal", "drop_missing")
# Kinds of questions that an option of this command answers. The others are about the intervals of an audit.
ASKED = ("stacked_models", "no_header")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_scored_file(
        parser,
        "a CSV, TSV, Parquet or OpenML ARFF file, which may be gzipped; or - for CSV on standard input; or Parquet "
        "parts, given by a folder, a quoted pattern or an address (s3://bucket/folder)",
        "one or more columns of scores, higher for positives (default: every column of numbers that is not named "
        "like an index; in OpenML files: the confidence of the positive class)",
        kind=str,
    )
    groups = parser.add_mutually_exclusive_group()
    add_column(
        groups,
        "--folds",
        "--fold",
        help="column of folds; adds the mean over folds (in OpenML files: repeat and fold)",
    )
    add_column(groups, "--by", help="column of groups, such as sites; adds the metrics of each group")
    add_column(
        parser,
        "--model",
        help="column that says which model made the score of a row, in a file with one column of scores and a row for "
        "each model and case; needs --row",
    )
    add_column(parser, "--row", help="column with the id of the test case, which may occur once in each fold")
    add_column(parser, "--weight", help="Parquet only: column of weights")
    parser.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="FILE",
        help="a Python file with a metric of your own, such as ./mine.py, which adds a column",
    )
    parser.add_argument(
        "--recall-range",
        nargs=2,
        type=float,
        metavar=("A", "B"),
        help="adds the partial AUPR and AUCNPR between recall A and recall B",
    )
    parser.add_argument(
        "--prevalence",
        type=float,
        metavar="P",
        help="compute the metrics for this prevalence, from the same ROC curve; AUPR, AUCNPR and AP are biased upwards "
        "if there are few negatives and P is below the prevalence of the rows",
    )
    parser.add_argument(
        "--interval",
        action="store_true",
        help="adds 95%% intervals (not for means over folds, and not for Parquet parts)",
    )
    parser.add_argument(
        "--memory",
        type=size,
        metavar="SIZE",
        help="Parquet only: memory limit of DuckDB, such as 2GB (default: half of the machine's memory); the command "
        "may use up to twice this",
    )
    parser.add_argument(
        "--scratch",
        type=Path,
        metavar="FOLDER",
        help="folder for temporary files, if a table does not fit into memory",
    )
    parser.add_argument("--format", choices=("table", "json", "csv"), default="table")


def run(arguments: argparse.Namespace) -> int:
    sort_quickly()
    take_file(arguments)
    # Imported here: building the parser must not cost the import of the metrics.
    from aucstudy.metrics.registry import metric_named
    from aucstudy.reading.table_files import is_large, is_parquet
    from aucstudy.scoring.tables import columns as columns_of_scores

    for name in arguments.metric:
        metric_named(name)
    recall_range = tuple(arguments.recall_range) if arguments.recall_range else None
    options = {"recall_range": recall_range, "prevalence": arguments.prevalence}
    keys = columns_of_scores(limits=arguments.interval)
    if arguments.interval and recall_range:
        raise InputError("--interval is of whole areas: leave out --recall-range")
    others = {name: getattr(arguments, name) for name in ("weight", "model", "row")}
    columns = columns_of_file(arguments, fold=arguments.folds or arguments.by, **others)
    part_options = {
        "by": arguments.by or arguments.folds,
        "memory": arguments.memory,
        "scratch": arguments.scratch,
    }
    try:
        only_of_parts = (arguments.weight, arguments.memory, arguments.scratch)
        only_of_whole = {name: getattr(arguments, name) for name in ONLY_OF_WHOLE}
        by_in_parts = arguments.by and is_parquet(arguments.file) and not any(only_of_whole.values())
        if any(only_of_parts) or by_in_parts or is_large(arguments.file, len(arguments.score)):
            for name in filter(only_of_whole.get, only_of_whole):
                option = name.replace("_", "-")
                raise InputError(f"{arguments.file}: --{option} needs a file that is read whole")
            from aucstudy.scoring.large_tables import score_parts

            folds = bool(arguments.folds)
            rows, notes = score_parts(arguments.file, columns, folds=folds, **part_options, **options)
        else:
            from aucstudy.reading.prediction_tables import read_scored_table
            from aucstudy.scoring.tables import score

            table = read_scored_table(arguments.file, columns, tests_units=False)
            rows, notes = score(table, interval=arguments.interval, by=arguments.by, **options)
            asked = [question.sentence for question in table.questions if question.kind in ASKED]
            notes = [*asked, *filter(None, [table.choice()]), *table.notes, *notes]
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{arguments.file}: {error}") from None
    print_notes(notes)
    _print(rows, keys, arguments.format)
    return 0


def _print(rows: list[dict[str, object]], keys: Sequence[str], form: str) -> None:
    if form == "json":
        plain_rows = [{key: plain(row[key]) for key in keys} for row in rows]
        print(json.dumps(plain_rows, indent=1, allow_nan=False))
    elif form == "csv":
        import pandas as pd

        print_csv(pd.DataFrame(rows, columns=list(keys)))
    else:
        cells = ([printable(_cell(row[key]), 100) for key in keys] for row in rows)
        lines = [list(keys), *cells]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            names = [cell.ljust(width) for cell, width in zip(line[:2], widths[:2], strict=True)]
            numbers = [cell.rjust(width) for cell, width in zip(line[2:], widths[2:], strict=True)]
            print("  ".join(names + numbers))


def _cell(value: object) -> str:
    return f"{value:.6f}" if isinstance(value, float) else str(value)
