"""Functions that turn plain text and rows into Markdown."""

import re
from collections.abc import Iterable, Sequence

from aucstudy.config import schema

KINDS = {
    "object": "a block of keys",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def plain(text: str) -> str:
    """Return a text whose angle brackets Markdown does not take for a tag of HTML.

    Code in backticks stays as it is.

    >>> plain("in results/<study> and `data/<study>`")
    'in results/&lt;study> and `data/<study>`'
    """
    return re.sub(r"(`[^`]*`)|<", lambda found: found[1] or "&lt;", text)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown, with bars inside of table cells escaped."""
    lines = [header, ["---"] * len(header), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def allowed(rule: dict) -> str:
    """Return in words what a schema allows.

    >>> allowed({"type": "integer", "minimum": 2}), allowed({"enum": ["pooled", "fold_mean"]})
    ('a whole number, at least 2', 'pooled, fold_mean')
    """
    if described := rule.get("description"):
        return described
    if "enum" in rule:
        return ", ".join(map(str, rule["enum"]))
    if "anyOf" in rule:
        return " or ".join(allowed(part) for part in rule["anyOf"])
    if "$ref" in rule:
        return allowed(schema()["$defs"][rule["$ref"].rpartition("/")[2]])
    kinds = [rule["type"]] if isinstance(rule["type"], str) else rule["type"]
    bounds = {"minimum": "at least", "exclusiveMinimum": "more than", "maximum": "at most"}
    words = [f"{said} {rule[bound]}" for bound, said in bounds.items() if bound in rule]
    words += [f"like `{rule['pattern']}`"] if "pattern" in rule else []
    return ", ".join([" or ".join(KINDS[kind] for kind in kinds), *words])
