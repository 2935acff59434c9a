"""The command `aucstudy curves`: the vertices of a curve with their thresholds, for drawing with other tools."""

import argparse
import json

from aucstudy.commands.arguments import add_scored_file, columns_of_file, take_file, whole_number
from aucstudy.jobs.environment import sort_quickly
from aucstudy.printable import plain, print_csv, print_notes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    file = "a CSV, TSV, Parquet or OpenML ARFF file, which may be gzipped"
    add_scored_file(parser, file, "one or more columns of scores, higher for positives")
    parser.add_argument(
        "--kind", choices=("roc", "pr", "prg"), default="pr", help="kind of curve (default: pr)"
    )
    parser.add_argument(
        "--points", type=whole_number(0, 100_000, "the number of points"), default=20, metavar="K",
        help="number of points added on the hyperbola between two thresholds of a PR curve (default: 20)",
    )  # fmt: skip
    parser.add_argument("--format", choices=("csv", "json"), default="csv")


def run(arguments: argparse.Namespace) -> int:
    sort_quickly()
    take_file(arguments)
    # Imported here: building the parser must not cost the import of the metrics.
    from aucstudy.reading.prediction_tables import read_scored_table
    from aucstudy.scoring.tables import curve_points

    table = read_scored_table(arguments.file, columns_of_file(arguments), asks=False)
    points = curve_points(table, arguments.kind, arguments.points, arguments.file)
    print_notes([*filter(None, [table.choice()]), *table.notes])
    if arguments.format == "csv":
        print_csv(points)
        return 0
    curves = []
    for score, rows in points.groupby("score", sort=False):
        columns = {name: list(map(plain, rows[name])) for name in rows.columns if name != "score"}
        curves.append({"score": score, "kind": arguments.kind, **columns})
    print(json.dumps(curves, allow_nan=False))
    return 0
