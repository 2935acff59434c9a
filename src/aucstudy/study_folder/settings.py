"""The check of settings against a JSON schema. Errors are given in the words of jsonschema."""

import difflib
import math
from collections.abc import Mapping, Sequence

from jsonschema import Draft202012Validator, ValidationError, validators
from jsonschema.exceptions import best_match


def _is_whole(_: object, value: object) -> bool:
    # JSON Schema takes 1e300 for an integer, but numpy takes no float for a whole number.
    return isinstance(value, int) and not isinstance(value, bool)


def _is_finite(_: object, value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_Validator = validators.extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": _is_whole, "number": _is_finite}
    ),
)


def first_error(settings: object, schema: Mapping) -> ValidationError | None:
    """Return the most relevant error of settings by a JSON schema, or None if they follow it."""
    return best_match(_Validator(schema).iter_errors(settings))


def explained(error: ValidationError) -> tuple[list[str], str]:
    """Return the keys that lead to an error, and a text that says what is wrong there."""
    path = [str(key) for key in error.absolute_path]
    if error.validator == "additionalProperties":
        known_keys = list(error.schema["properties"])
        unknown = str(next(key for key in error.instance if key not in known_keys))
        return [
            *path,
            unknown,
        ], f"unknown key; {nearest(unknown, known_keys)}allowed: {', '.join(known_keys)}"
    expected = error.schema.get("description")
    return path, f"{short(error.message, 200)}{f'; expected: {expected}' if expected else ''}"


def nearest(name: str, known: Sequence[str]) -> str:
    """Return a question with the known name that is probably meant, or "" if none is similar."""
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}? " if near else ""


def short(text: str, longest: int = 60) -> str:
    return text if len(text) <= longest else f"{text[: longest - 3]}..."
