"""The arguments of the command `aucstudy`: one subcommand a module."""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from aucstudy import __version__
from aucstudy.commands import audit, curves, fetch, run, score, verify
from aucstudy.printable import printable

COMMANDS = {
    "run": (run, "run a study from fetching to the report"),
    "verify": (verify, "make a study's tables anew and compare them with those in results/"),
    "fetch": (fetch, "fetch the tasks of a study, or tell what that would cost (--plan)"),
    "score": (score, "compute every area of the scores in a file"),
    "audit": (audit, "tell how far the areas disagree on the models in a file, and why"),
    "curves": (curves, "print the vertices of a ROC, PR or PRG curve with their thresholds"),
}


class Parser(argparse.ArgumentParser):
    """A parser whose errors stand on one line, whatever was typed."""

    def parse_args(self, args: Sequence[str] | None = None, namespace=None) -> argparse.Namespace:
        """As `argparse` does it, but `--option=--` is refused: Python before 3.13 makes an empty list of it."""
        args = sys.argv[1:] if args is None else args
        for word in args:
            if word.startswith("--") and word.endswith("=--"):
                self.error(f"{word}: a value is wanted after the equals sign")
        return super().parse_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def parser() -> argparse.ArgumentParser:
    """The command's arguments; each subcommand sets `run`, a function of the parsed arguments."""
    top = Parser(prog="aucstudy", description="Score and audit predictions, fetch tasks, run a study.")
    top.add_argument("--version", action="version", version=f"aucstudy {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for name, (module, purpose) in COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=f"{purpose[0].upper()}{purpose[1:]}.")
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return top
