"""The command `aucstudy plan`: how many rows tell an AUROC, or two from each other, before there are data."""

import argparse

from aucstudy.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--prevalence", type=float, required=True, metavar="P", help="of the rows")
    parser.add_argument(
        "--auroc", type=float, required=True, metavar="A", help="expected, of the weaker model"
    )
    aim = parser.add_mutually_exclusive_group(required=True)
    aim.add_argument("--difference", type=float, metavar="D", help="between two models' AUROC")
    aim.add_argument("--width", type=float, metavar="W", help="of one model's interval")
    parser.add_argument(
        "--correlation", type=float, default=0.5, metavar="R", help="of both AUROCs (default: %(default)s)"
    )
    parser.add_argument(
        "--power", type=float, default=0.8, help="to find the difference (default: %(default)s)"
    )
    parser.add_argument(
        "--level",
        type=float,
        default=0.95,
        help="of the interval, or 1 less the test's (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
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
