"""The reference pages: the module from docstrings, the commands from the parser, and the configuration.

The page on the configuration is made from the schema and from the comments of study files.
"""

import argparse
import inspect
import json
import os
import re
import sys
from dataclasses import asdict
from itertools import groupby

from texts import allowed, plain, table

from aucstudy import metrics
from aucstudy.commands.arguments import COMMANDS, parser
from aucstudy.config import WORKFLOW, load_config, schema
from aucstudy.experiments.contract import experiments
from aucstudy.sources.openml.settings import Settings

WIDTH = "88"
MODULE = """\
# The module aucstudy.metrics

Every area, curve, bound and scorer, imported from `aucstudy.metrics`. [Definitions](../definitions.md) explains the
terms; [In Python](../metrics.md) has an example that draws."""
# The comments of the two study files explain the keys that config.yaml does not have.
EXPLAINED = ("config.yaml", "studies/openml-example.yaml", "studies/files-example.yaml")


def module() -> str:
    """Return the page on everything that `aucstudy.metrics` exports.

    Each file of the package has a section, which begins with the docstring of the file.
    """
    parts = [MODULE]
    exported = sorted(metrics.__all__, key=lambda name: (_home(name), name.lower()))
    for home, names in groupby(exported, _home):
        title, _, shared = inspect.getdoc(sys.modules[home]).partition("\n")
        parts += [f"## {plain(title.rstrip('.'))}", shared.strip(), *map(_object, names)]
    return "\n\n".join(parts) + "\n"


def _home(name: str) -> str:
    """Return the dotted name of the module that defines an export or, if it is an object, its class."""
    return getattr(metrics, name).__module__


def _object(name: str) -> str:
    value = getattr(metrics, name)
    own = value if inspect.isclass(value) or inspect.isfunction(value) else type(value)
    if not hasattr(own, "__qualname__") or own.__name__ not in vars(sys.modules[own.__module__]):
        return f"### {name}\n\n{inspect.getdoc(value)}"
    options = f"    options:\n      heading: {name}\n      toc_label: {name}\n      heading_level: 3"
    return f"::: {own.__module__}.{own.__name__}\n{options}"


def commands() -> str:
    """Return the page on all commands, with their help as the terminal shows it."""
    # Without this, argparse uses the width of the terminal.
    os.environ["COLUMNS"] = WIDTH
    os.environ["NO_COLOR"] = "1"
    top = parser()
    (by_name,) = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    parts = [
        "# Commands",
        "This page shows the output of `aucstudy COMMAND --help` for each command.",
        _text(top.format_help()),
    ]
    for name in COMMANDS:
        command = by_name.choices[name]
        command.fill()
        parts += [f"## aucstudy {name}", _text(command.format_help())]
    return "\n\n".join(parts) + "\n"


def _text(shown: str) -> str:
    return f"```text\n{shown.rstrip()}\n```"


def configuration() -> str:
    """Return the page on all keys: default, allowed values and, from comments, the meaning."""
    config, comments = load_config(), _comments()
    parts = [
        "# Configuration",
        "`config.yaml` is the default study, and a study file changes its keys one by one. A misspelt key or a wrong "
        "value is refused with a message of one line that says what is allowed. The settings of each experiment are "
        "on the page of the [experiment](../experiments/index.md).",
    ]
    single = {}
    for name, rule in schema()["properties"].items():
        if name in experiments():
            continue
        if "properties" not in rule:
            single[name] = rule
            continue
        title = comments.get((name,), "")
        ending = "" if title.endswith((".", "?", "]")) else "."
        parts += [f"## {name}", f"{title[:1].upper()}{title[1:]}{ending}" if title else ""]
        values = asdict(Settings()) if name == "openml" else config.get(name, {})
        parts.append(_keys((name,), rule["properties"], values, comments))
    parts[2:2] = ["## The study", _keys((), single, config, comments)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _keys(block: tuple[str, ...], properties: dict, values: dict, comments: dict) -> str:
    rows = [
        (
            f"`{key}`",
            f"`{json.dumps(values[key])}`" if key in values else "–",
            allowed(rule),
            plain(comments.get((*block, key), "")),
        )
        for key, rule in properties.items()
    ]
    return table(("key", "default", "allowed values", "meaning"), rows)


def _comments() -> dict[tuple[str, ...], str]:
    """Return the comment of each key, by block and key.

    It is the comment behind the key and on the lines that continue it, or else the comment above the key.
    """
    said: dict[tuple[str, ...], str] = {}
    for file in EXPLAINED:
        block, last, above, made = "", (), "", {}
        for line in (WORKFLOW / file).read_text(encoding="utf-8").splitlines():
            if goes_on := re.match(r" {12,}#\s*(.*)", line):
                made[last] += f" {goes_on[1]}"
            elif comment := re.match(r" *#\s*(.*)", line):
                above = f"{above} {comment[1]}".strip()
            elif key := re.match(r"( *)([a-z_0-9]+):[^#]*(?:#\s*(.*))?$", line):
                block = block if key[1] else key[2]
                last = (block, key[2]) if key[1] else (key[2],)
                made[last] = key[3] or (above if key[1] else "")
                above = ""
            else:
                above = ""
        said = made | said
    return said
