"""The command `aucstudy plan`: how many rows tell an AUROC, or two from each other, before there are data."""

import argparse

from aucstudy.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--prevalence", type=float, required=True, metavar="P", help="of the rows that will be had"
    )
    parser.add_argument(
        "--auroc",
        type=float,
        required=True,
        metavar="A",
        help="as expected; of two models that of the weaker one",
    )
    aim = parser.add_mutually_exclusive_group(required=True)
    aim.add_argument(
        "--difference", type=float, metavar="D", help="of two models' AUROC, that is to be found"
    )
    aim.add_argument("--width", type=float, metavar="W", help="of one model's interval, from end to end")
    parser.add_argument(
        "--correlation",
        type=float,
        default=0.5,
        metavar="R",
        help="of the two models' AUROC (default: %(default)s)",
    )
    parser.add_argument(
        "--power",
        type=float,
        default=0.8,
        help="probability that the difference is found (default: %(default)s)",
    )
    parser.add_argument(
        "--level",
        type=float,
        default=0.95,
        help="of the interval, or 1 less the test's (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the positives and rows that are needed."""
    import math

    from aucstudy.metrics.uncertainty.intervals import positives_needed

    options = {name: value for name, value in vars(arguments).items() if name not in ("auroc", "run")}
    try:
        positives = positives_needed(arguments.auroc, **options)
    except ValueError as error:
        raise InputError(f"--{error}") from None
    rows = math.ceil(positives / arguments.prevalence - 1e-9)
    print(f"{positives:,} positives, {rows:,} rows")
    return 0
