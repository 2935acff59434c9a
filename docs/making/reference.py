"""Reference pages made from the argument parser and from the configuration's schema, defaults and comments."""

import argparse
import os
import re

from aucstudy.commands.arguments import COMMANDS, parser
from aucstudy.config import KINDS, WORKFLOW, load_config, schema
from aucstudy.experiments.registry import EXPERIMENTS
from aucstudy.report.front_page import in_words

WIDTH = "100"


def commands() -> str:
    """Every command with its help, as the terminal shows it."""
    os.environ["COLUMNS"] = WIDTH  # argparse asks the terminal otherwise
    os.environ["NO_COLOR"] = "1"
    top = parser()
    (by_name,) = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    parts = ["# Commands", "What `aucstudy COMMAND --help` says.", _text(top.format_help())]
    for name in COMMANDS:
        command = by_name.choices[name]
        command.fill()
        parts += [f"## aucstudy {name}", _text(command.format_help())]
    return "\n\n".join(parts) + "\n"


def _text(shown: str) -> str:
    return f"```text\n{shown.rstrip()}\n```"


def configuration() -> str:
    """Every key: its default, what is allowed and, from the comments of config.yaml, what it is."""
    config, comments = load_config(), _comments()
    parts = [
        "# Configuration",
        "`config.yaml` is the default study; a file of `studies/` overlays it key by key. A key that is misspelt or "
        "holds something else is refused with one line that says what is allowed.",
    ]
    single = {}
    for name, allowed in schema()["properties"].items():
        if "properties" not in allowed:
            single[name] = allowed
            continue
        link = f" See [{in_words(name)}](../experiments/{name}.md)." if name in EXPERIMENTS else ""
        title = comments.get((name,), "")
        parts += [f"## {name}", f"{title[:1].upper()}{title[1:]}.{link}" if title else link.strip()]
        parts.append(_keys((name,), allowed["properties"], config.get(name, {}), comments))
    parts[2:2] = ["## The study", _keys((), single, config, comments)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _keys(block: tuple[str, ...], properties: dict, values: dict, comments: dict) -> str:
    rows = ["| key | default | allowed | what |", "|---|---|---|---|"]
    for key, allowed in properties.items():
        default = f"`{values[key]}`" if key in values else "–"
        cells = (f"`{key}`", default, _allowed(allowed), comments.get((*block, key), ""))
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def _allowed(rule: dict) -> str:
    """What a schema allows, in words.

    >>> _allowed({"type": "integer", "minimum": 2}), _allowed({"enum": ["pooled", "fold_mean"]})
    ('a whole number, at least 2', 'pooled, fold_mean')
    """
    if described := rule.get("description"):
        return described
    if "enum" in rule:
        return ", ".join(map(str, rule["enum"]))
    if "anyOf" in rule:
        return " or ".join(_allowed(part) for part in rule["anyOf"])
    if "$ref" in rule:
        return _allowed(schema()["$defs"][rule["$ref"].rpartition("/")[2]])
    kinds = [rule["type"]] if isinstance(rule["type"], str) else rule["type"]
    bounds = {"minimum": "at least", "exclusiveMinimum": "more than", "maximum": "at most", "pattern": "like"}
    words = [f"{said} {rule[bound]}" for bound, said in bounds.items() if bound in rule]
    return ", ".join([" or ".join(KINDS[kind] for kind in kinds), *words])


def _comments() -> dict[tuple[str, ...], str]:
    """The comment of each key of config.yaml, by block and key."""
    said, block = {}, ""
    for line in (WORKFLOW / "config.yaml").read_text(encoding="utf-8").splitlines():
        if found := re.match(r"( *)([a-z_0-9]+):[^#]*(?:#\s*(.*))?$", line):
            indent, key, comment = found.groups()
            block = block if indent else key
            said[(block, key) if indent else (key,)] = comment or ""
    return said
