"""The configuration of a study: read, overlaid and checked before anything runs."""

import difflib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator, ValidationError, validators
from jsonschema.exceptions import relevance

from aucstudy.errors import InputError
from aucstudy.experiments import contract

_PACKAGE = Path(__file__).parent
IN_CHECKOUT = (_PACKAGE.parents[1] / "Snakefile").exists()
# what a study is run with (Snakefile, config.yaml, workflow/, profiles/): a wheel has it inside the package
WORKFLOW = _PACKAGE.parents[1] if IN_CHECKOUT else _PACKAGE / "shipped"
# where data/ and results/ stand: in the checkout, or in the folder where an installed command is given
REPOSITORY = WORKFLOW if IN_CHECKOUT else Path.cwd()
SCHEMA = WORKFLOW / "workflow" / "schemas" / "config.schema.yaml"
LARGEST_COUNT = 1_000_000  # of draws, resamples and the like: with more no study would end
UNCOUNTED = ("seed", "openml")  # seeds, ids and rows may be larger
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


class _UniqueKeys(yaml.SafeLoader):
    """Refuses a key that a block has more than once: YAML itself lets the last one win in silence."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if twice := sorted({key for key in keys if keys.count(key) > 1}):
            mark = node.start_mark
            raise yaml.constructor.ConstructorError(
                None, None, f"key {twice[0]!r} is there more than once", mark
            )
        return super().construct_mapping(node, deep)


def read_yaml(path: Path | str) -> dict:
    """Read a YAML file that holds a mapping; InputError where it is missing, is no YAML, or holds something else."""
    try:
        content = yaml.load(Path(path).read_text(encoding="utf-8"), _UniqueKeys)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    # ValueError: bytes that are not UTF-8, a date that no calendar has, a number of thousands of digits
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"{path}: not YAML ({' '.join(str(error).split())})") from None
    except RecursionError:
        raise InputError(
            f"{path}: blocks and lists stand too deep in one another; a study file has two levels"
        ) from None
    if not isinstance(content, dict):
        kind = "nothing" if content is None else f"{_short(content)}"
        raise InputError(f"{path}: holds {kind}; wanted: keys with their values, as in config.yaml")
    return content


def overlay(base: Mapping, over: Mapping) -> dict:
    """`base` with the keys of `over` laid on it, block by block, as Snakemake merges its config files.

    >>> overlay({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}})
    {'a': {'b': 1, 'c': 3}}
    """
    merged = dict(base)
    for key, value in over.items():
        nested = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = overlay(merged[key], value) if nested else value
    return merged


def schema() -> dict:
    """The JSON schema of a configuration: that of the file, and a block for each experiment from its page."""
    whole, blocks, names = read_yaml(SCHEMA), contract.schema(), list(contract.experiments())
    chosen = {"type": "array", "items": {"enum": names}, "uniqueItems": True}
    lists = {"experiments": chosen, "without": chosen}
    return {
        **whole,
        "required": [*whole["required"], *lists, *blocks],
        "properties": {**whole["properties"], **lists, **blocks},
    }


def completed(config: Mapping) -> dict:
    """A configuration with what it leaves out: from config.yaml, and the defaults of the experiments' settings."""
    base = overlay(contract.defaults(), read_yaml(WORKFLOW / "config.yaml"))
    return overlay({"without": [], **base}, config)


def load_config(study: Path | str | None = None) -> dict:
    origins = {str(WORKFLOW / "config.yaml"): read_yaml(WORKFLOW / "config.yaml")}
    if study:
        origins[str(study)] = read_yaml(study)
    config = completed(origins[str(study)] if study else {})
    check_config(config, origins)
    return config


def check_config(config: Mapping, origins: Mapping[str, Mapping] | None = None) -> None:
    """Check a merged configuration against schema and source; InputError says file, key and what is allowed.

    `origins` has the content of each file that it was merged from, by path.
    """
    for name, content in (origins or {}).items():
        if {"experiments", "without"} <= content.keys():
            raise InputError(f"{Path(name).name}: has both experiments and without; wanted: one of the two")
    errors = sorted(_Validator(schema()).iter_errors(config), key=relevance, reverse=True)
    if errors:
        raise InputError(_explain(errors[0], origins or {}))
    for path, value in _numbers(config):
        wanted = "" if math.isfinite(value) else "a finite number"
        if path[0] not in UNCOUNTED and value > LARGEST_COUNT:
            wanted = f"at most {LARGEST_COUNT:,}"
        if wanted:
            raise InputError(
                f"{_origin(path, origins or {})}: {'.'.join(path)}: is {_short(value)}; wanted: {wanted}"
            )
    if config["source"] not in config:
        raise InputError(
            f"configuration: source is {config['source']}, so the block {config['source']!r} is wanted"
        )
    from aucstudy.sources import check_source

    check_source(config)


def _numbers(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], float]]:
    if isinstance(value, Mapping):
        for key, below in value.items():
            yield from _numbers(below, (*path, str(key)))
    elif isinstance(value, list):
        for below in value:
            yield from _numbers(below, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def _explain(error: ValidationError, origins: Mapping[str, Mapping]) -> str:
    path = [str(key) for key in error.absolute_path]
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        unknown = next(key for key in error.instance if key not in known)
        path.append(str(unknown))
        near = difflib.get_close_matches(str(unknown), known, n=1)
        fault = f"unknown key (value {_short(error.instance[unknown])}); {_meant(near)}allowed: {', '.join(known)}"
    elif error.validator == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        path.append(missing)
        fault = "the key is missing"
    elif error.validator == "enum" and path[0] in ("experiments", "without"):
        near = difflib.get_close_matches(str(error.instance), error.validator_value, n=1)
        path = path[:1]
        fault = f"{_short(error.instance)} is no experiment; {_meant(near)}known: {', '.join(error.validator_value)}"
    else:
        fault = f"is {_short(error.instance)}; wanted: {_wanted(error)}"
    return f"{_origin(path, origins)}: {'.'.join(path)}: {fault}"


def _meant(near: Sequence[str]) -> str:
    return f"did you mean {near[0]!r}? " if near else ""


def _wanted(error: ValidationError) -> str:
    value = error.validator_value
    if described := error.schema.get("description"):
        return described
    words = {
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
    return words.get(error.validator, lambda: error.message)()


def _origin(path: Sequence[str], origins: Mapping[str, Mapping]) -> str:
    for name, content in reversed(list(origins.items())):
        value: object = content
        for key in path:
            if not isinstance(value, Mapping) or key not in value:
                break
            value = value[key]
        else:
            return Path(name).name
    return "configuration"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
