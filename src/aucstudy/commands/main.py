"""The command `aucstudy`: score and audit predictions, fetch tasks, run a study."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from aucstudy import __version__
from aucstudy.commands import audit, curves, fetch, score
from aucstudy.errors import InputError


def parser() -> argparse.ArgumentParser:
    """The command's arguments; each subcommand sets `run`, a function of the parsed arguments."""
    top = argparse.ArgumentParser(prog="aucstudy", description=__doc__)
    top.add_argument("--version", action="version", version=f"aucstudy {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    study = commands.add_parser(
        "run", help="run a study from fetching to the report", description="Run a study and write its report."
    )
    study.add_argument(
        "study",
        nargs="?",
        type=Path,
        metavar="STUDY.yaml",
        help="overlays config.yaml (default: the default study)",
    )
    study.add_argument("--cores", type=int, help="processor cores to use (default: all)")
    study.set_defaults(run=_run_study)
    for name, module, told in (
        ("fetch", fetch, "fetch the tasks of a study, or tell what that would cost (--plan)"),
        ("score", score, "compute every area of the scores in a file"),
        ("audit", audit, "tell how far the areas disagree on the models in a file, and why"),
        ("curves", curves, "print the vertices of a ROC, PR or PRG curve with their thresholds"),
    ):
        command = commands.add_parser(name, help=told, description=f"{told[0].upper()}{told[1:]}.")
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return top


def _run_study(arguments: argparse.Namespace) -> int:
    from aucstudy.commands.run import run_study

    return run_study(arguments.study, cores=arguments.cores)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns
    -------
    0 = done, 1 = the input is wrong (one line on stderr), 2 = usage, 130 = interrupted.
    """
    arguments = parser().parse_args(argv)
    try:
        return arguments.run(arguments)
    except InputError as error:
        print(f"aucstudy: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("aucstudy: interrupted; what is done is kept, run the same command to go on", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0


if __name__ == "__main__":
    sys.exit(main())
