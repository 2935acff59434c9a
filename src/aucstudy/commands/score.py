"""The command `aucstudy score`: every area of the scores in a file."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from aucstudy.commands.arguments import add_column, add_scored_file, size, take_file
from aucstudy.errors import InputError
from aucstudy.printable import plain, print_csv, print_notes, printable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_scored_file(
        parser,
        "CSV, TSV, Parquet or OpenML ARFF, gzipped or not; - for a CSV on standard input; or Parquet parts: a folder, "
        "quoted pattern or address (s3://bucket/folder)",
        "column of scores, higher = more likely positive; several may follow (default: every column "
        "of numbers that is not named like an index; OpenML: the positive confidence)",
        kind=str,
    )
    groups = parser.add_mutually_exclusive_group()
    add_column(groups, "--fold", "column of folds: adds the mean over folds (OpenML: repeat and fold)")
    add_column(groups, "--by", "Parquet: column of groups, such as sites: adds the areas of each")
    add_column(parser, "--weight", "Parquet: column of weights")
    parser.add_argument(
        "--recall-range",
        nargs=2,
        type=float,
        metavar=("A", "B"),
        help="partial aupr and aucnpr between two recalls",
    )
    parser.add_argument(
        "--prevalence",
        type=float,
        metavar="P",
        help="areas as at this prevalence, from the same ROC curve; AUPR, AUCNPR and AP are biased upwards where there "
        "are few negatives and P is below the prevalence of the rows",
    )
    parser.add_argument(
        "--interval",
        action="store_true",
        help="adds the ends of 95%% intervals, except of means over folds and of Parquet parts",
    )
    parser.add_argument(
        "--memory",
        type=size,
        metavar="SIZE",
        help="Parquet: DuckDB's limit, such as 2GB (default: half of what there is); the peak is up to twice this",
    )
    parser.add_argument(
        "--scratch", type=Path, metavar="FOLDER", help="where temporary files go if a table does not fit"
    )
    parser.add_argument("--format", choices=("table", "json", "csv"), default="table")


def run(arguments: argparse.Namespace) -> int:
    take_file(arguments)
    # Imported here: building the parser must not cost the import of the metrics.
    from aucstudy.area_names import LIMIT_KEYS
    from aucstudy.reading.prediction_tables import Columns
    from aucstudy.reading.table_files import is_large
    from aucstudy.scoring.tables import KEYS

    recall_range = tuple(arguments.recall_range) if arguments.recall_range else None
    options = {"recall_range": recall_range, "prevalence": arguments.prevalence}
    keys = (*KEYS, *LIMIT_KEYS) if arguments.interval else KEYS
    if arguments.interval and recall_range:
        raise InputError("--interval is of whole areas: leave out --recall-range")
    names = ("label", "positive", "fold", "weight")
    columns = Columns(scores=arguments.score, **{name: getattr(arguments, name) for name in names})
    part_options = {
        "by": arguments.by or arguments.fold,
        "memory": arguments.memory,
        "scratch": arguments.scratch,
    }
    try:
        only_of_parts = (arguments.by, arguments.weight, arguments.memory, arguments.scratch)
        if any(only_of_parts) or is_large(arguments.file, len(arguments.score)):
            if arguments.interval:
                raise InputError(f"{arguments.file}: --interval needs a file that is read whole")
            from aucstudy.scoring.large_tables import score_parts

            folds = bool(arguments.fold)
            rows, notes = score_parts(arguments.file, columns, folds=folds, **part_options, **options)
        else:
            from aucstudy.reading.prediction_tables import read_scored_table
            from aucstudy.scoring.tables import score

            table = read_scored_table(arguments.file, columns)
            rows, notes = score(table, interval=arguments.interval, **options)
            notes = [*filter(None, [table.choice()]), *table.notes, *notes]
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
