"""The output of commands of the package, for pages that show a command and its answer."""

import io
from contextlib import chdir, redirect_stdout
from functools import cache

from committed import ROOT

from aucstudy.commands.main import main


@cache
def printed(command: str) -> str:
    """Return what `aucstudy ...` prints when it is run at the top of a checkout.

    Raises
    ------
    RuntimeError
        if the command ends with an error, so that no page shows one.
    """
    program, *arguments = command.split()
    if program != "aucstudy":
        raise ValueError(f"{command!r}: a command of aucstudy was expected")
    output = io.StringIO()
    with chdir(ROOT), redirect_stdout(output):
        code = main(arguments)
    if code != 0:
        raise RuntimeError(f"{command} ended with exit code {code}")
    lines = output.getvalue().splitlines()
    return "\n".join(line.rstrip() for line in lines).strip()


def shown(command: str, prompt: str = "") -> str:
    """Return a block of Markdown with what a command prints. A prompt shows the command before it."""
    lines = [f"{prompt}{command}"] if prompt else []
    return "\n".join(["```", *lines, printed(command), "```"])


def excerpt(command: str, first: str, last: str) -> str:
    """Return a block of Markdown with what a command prints, from one line to another.

    The lines are the first one that begins with `first`, and the first one from there on that begins with `last`.
    """
    lines = printed(command).splitlines()
    begin = next(k for k, line in enumerate(lines) if line.startswith(first))
    end = next(k for k, line in enumerate(lines[begin:], begin) if line.startswith(last))
    return "\n".join(["```", *lines[begin : end + 1], "```"])
