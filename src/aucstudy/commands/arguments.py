"""The arguments of the command `aucstudy`: its subcommands, and the arguments that several of them share."""

import argparse
import re
import sys
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from aucstudy import __version__
from aucstudy.printable import printable

if TYPE_CHECKING:
    from aucstudy.reading.prediction_tables import Columns

COMMANDS = {
    "run": "run a study, from fetching its tasks to the report",
    "verify": "compute the tables of a study again and compare them with those in results/",
    "fetch": "fetch the tasks of a study, or estimate how long this takes (--plan)",
    "score": "compute AUROC, AUPR, AUPRG, AUCNPR and AP of the scores in a file",
    "audit": "report how much metrics disagree on the models in a file, and why",
    "curves": "print the points of a ROC, PR or PRG curve with their thresholds",
}


class Parser(argparse.ArgumentParser):
    def parse_args(self, args=None, namespace=None):
        """Parse the arguments as `argparse` does, but refuse `--option=--`.

        Python before 3.13 would make an empty list of it.
        """
        args = sys.argv[1:] if args is None else args
        for word in args:
            if word.startswith("--") and word.endswith("=--"):
                self.error(f"{word}: a value is needed after the equals sign")
        return super().parse_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


class CommandParser(Parser):
    module: str | None = None
    passes_on = False  # whether the words after `--` are meant for another program, and become `options`

    def fill(self) -> None:
        if self.module:
            command, self.module = import_module(self.module), None
            command.add_arguments(self)
            self.set_defaults(run=command.run)

    def parse_known_args(self, args=None, namespace=None):
        self.fill()
        words = list(args)
        end = words.index("--") if self.passes_on and "--" in words else len(words)
        namespace, unknown = super().parse_known_args(words[:end], namespace)
        for word in unknown:
            close = get_close_matches(word.partition("=")[0], self._option_string_actions, 1)
            if word.startswith("--") and close:
                self.error(f"unrecognized arguments: {word}; did you mean {close[0]}?")
        if self.passes_on:
            namespace.options = words[end + 1 :]
        return namespace, unknown


def parser() -> argparse.ArgumentParser:
    top = Parser(prog="aucstudy", description="Score and audit predictions, fetch tasks, run a study.")
    top.add_argument("--version", action="version", version=f"aucstudy {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND", parser_class=CommandParser)
    for name, purpose in COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=f"{purpose[0].upper()}{purpose[1:]}.")
        command.module = f"aucstudy.commands.{name}"
    return top


def add_study(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "study",
        nargs="?",
        type=Path,
        metavar="STUDY",
        help="a study file, or a folder with a study.yaml, which changes keys of config.yaml (default: the default "
        "study); paths in the file are relative to its folder",
    )
    parser.add_argument(
        "--directory", type=Path, metavar="DIR",
        help="folder for data/ and results/ (default: the current folder, or the top of the checkout)",
    )  # fmt: skip


def add_cores(parser: argparse.ArgumentParser) -> None:
    cores = whole_number(1, 10_000, "the number of cores")
    parser.add_argument("--cores", type=cores, metavar="N", help="processor cores to use (default: all)")


def add_scored_file(
    parser: argparse.ArgumentParser,
    file: str,
    scores: str,
    *,
    losses: str = "columns of scores for which lower is better",
    kind: Callable = Path,
    group: argparse._ActionsContainer | None = None,
) -> None:
    """Add FILE and the options that say how it is read. They go to the group, if one is given.

    The texts `file`, `scores` and `losses` are the help of FILE, --score and --lower-is-better.
    """
    parser.add_argument("file", nargs="?", type=kind, metavar="FILE", help=file)
    parser.set_defaults(usage_error=parser.error, kind_of_file=kind)
    options = group or parser
    add_column(options, "--label", help="column of the labels (in OpenML files: truth or correct)")
    add_columns(options, "--score", scores)
    options.add_argument(
        "--positive", metavar="VALUE", help="the positive class; all others are negative (not needed for 0/1)"
    )
    options.add_argument(
        "--decimal",
        choices=(".", ","),
        help="decimal sign of the numbers in a text file (default: as each column shows; a comma only if semicolons or "
        "tabs divide the values)",
    )
    add_columns(options, "--lower-is-better", losses)
    options.add_argument(
        "--drop-missing",
        action="store_true",
        default=None,
        help="leave out rows without a label or a score, and say how many they are",
    )


def columns_of_file(arguments: argparse.Namespace, **others: str | None) -> "Columns":
    """Return the columns that the options of `add_scored_file` request, and `others` that a command adds."""
    # Imported here: building the parser must not cost the import of the readers.
    from aucstudy.reading.prediction_tables import Columns

    return Columns(
        arguments.label,
        arguments.score,
        arguments.positive,
        lower_is_better=arguments.lower_is_better,
        decimal=arguments.decimal,
        drop_missing=bool(arguments.drop_missing),
        **others,
    )


def add_column(parser: argparse._ActionsContainer, *names: str, help: str) -> None:
    parser.add_argument(*names, metavar="COL", help=help)


def add_columns(parser: argparse._ActionsContainer, name: str, help: str) -> None:
    parser.add_argument(name, metavar="COL", nargs="+", action=_Columns, default=[], help=help)


class _Columns(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        columns = [*getattr(namespace, self.dest), *values]
        setattr(namespace, self.dest, columns)
        if len(values) > 1:
            namespace.may_be_file = self.dest, len(columns) - 1


def take_file(arguments: argparse.Namespace, *, required: bool = True) -> None:
    """Set FILE. If it was not given by itself, take it from the columns of an option.

    In `--score a b file.csv`, argparse counts the file as the last column.
    """
    if arguments.file is None and hasattr(arguments, "may_be_file"):
        option, last = arguments.may_be_file
        arguments.file = arguments.kind_of_file(getattr(arguments, option).pop(last))
    if arguments.file is None and required:
        arguments.usage_error("the following arguments are required: FILE")


def whole_number(lowest: int, highest: int, quantity: str) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = None
        if value is None or not lowest <= value <= highest:
            raise argparse.ArgumentTypeError(
                f"{text[:60]!r}: {quantity} is a whole number from {lowest:,} to {highest:,}"
            )
        return value

    return read


def size(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?", text.strip().lower())
    if not match:
        raise argparse.ArgumentTypeError(f"{text[:60]!r}: a size such as 2GB is needed")
    return int(float(match[1]) * (1024 if match[3] else 1000) ** " kmgt".index(match[2] or " "))
