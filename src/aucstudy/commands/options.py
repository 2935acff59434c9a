"""Arguments that several subcommands have."""

import argparse
from pathlib import Path

from aucstudy.commands.whole_numbers import whole_number


def add_study(parser: argparse.ArgumentParser) -> None:
    """The study file, which may be left out."""
    parser.add_argument(
        "study",
        nargs="?",
        type=Path,
        metavar="STUDY.yaml",
        help="overlays config.yaml (default: the default study)",
    )


def add_cores(parser: argparse.ArgumentParser) -> None:
    """How many processor cores Snakemake may use."""
    parser.add_argument(
        "--cores",
        type=whole_number(1, 10_000, "the number of cores"),
        metavar="N",
        help="processor cores to use (default: all)",
    )


def add_label(parser: argparse._ActionsContainer) -> None:
    """The column of the labels of a prediction file."""
    parser.add_argument("--label", metavar="COL", help="column of the labels (OpenML: truth or correct)")


def add_positive(parser: argparse._ActionsContainer) -> None:
    """The positive class of a prediction file."""
    parser.add_argument(
        "--positive", metavar="VALUE", help="the positive class, against all others (not needed for 0/1)"
    )
