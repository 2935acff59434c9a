"""Whether settings are as a JSON schema wants them, and what is wrong with them in one line."""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from jsonschema import Draft202012Validator, ValidationError, validators
from jsonschema.exceptions import relevance

KINDS = {
    "object": "a block of keys",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def _whole_pattern(_: object, pattern: str, instance: object, __: object) -> Iterator[ValidationError]:
    # in Python `$` matches before a line end, too
    exact = pattern.removesuffix("$") + r"\Z" * pattern.endswith("$")
    if isinstance(instance, str) and not re.search(exact, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


# JSON takes 1e300 for an integer; numpy takes no float where a whole number is wanted
_Validator = validators.extend(
    Draft202012Validator,
    {"pattern": _whole_pattern},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


def first_error(settings: object, schema: Mapping) -> ValidationError | None:
    """The most telling error of settings by a JSON schema; None where they are as it wants them."""
    return max(_Validator(schema).iter_errors(settings), key=relevance, default=None)


def explained(error: ValidationError) -> tuple[list[str], str]:
    """The keys that lead to what is wrong, and what is wrong with it."""
    path = [str(key) for key in error.absolute_path]
    if error.validator == "additionalProperties":
        known_keys = list(error.schema["properties"])
        unknown = next(key for key in error.instance if key not in known_keys)
        secret = re.search("key|token|password", str(unknown), re.IGNORECASE)
        value = "" if secret else f" (value {short(error.instance[unknown])})"
        fault = f"unknown key{value}; {nearest(str(unknown), known_keys)}allowed: {', '.join(known_keys)}"
        return [*path, str(unknown)], fault
    if error.validator == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        return [*path, missing], "the key is missing"
    return path, f"is {short(error.instance)}; wanted: {_wanted(error)}"


def nearest(name: str, known: Sequence[str]) -> str:
    """A question that names the known name that is meant, "" where none is like it."""
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}? " if near else ""


def _wanted(error: ValidationError) -> str:
    value = error.validator_value
    if described := error.schema.get("description"):
        return described
    words: dict[str, Callable[[], str]] = {
        "enum": lambda: " | ".join(map(str, value)),
        "type": lambda: " or ".join(KINDS[kind] for kind in ([value] if isinstance(value, str) else value)),
        "minimum": lambda: f"at least {value}",
        "maximum": lambda: f"at most {value}",
        "exclusiveMinimum": lambda: f"more than {value}",
        "exclusiveMaximum": lambda: f"less than {value}",
        "pattern": lambda: f"text like {value}",
        "minItems": lambda: "a list that is not empty" if value == 1 else f"at least {value} entries",
        "maxItems": lambda: f"at most {value} entries",
        "uniqueItems": lambda: "each entry once",
        "not": lambda: "another value, this one is reserved",
    }
    return words.get(str(error.validator), lambda: error.message)()


def short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
