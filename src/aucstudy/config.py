"""The configuration of a study: read, overlaid and checked before anything runs."""

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import relevance

from aucstudy.errors import InputError
from aucstudy.experiments.registry import EXPERIMENTS

REPOSITORY = Path(__file__).parents[2]
SCHEMA = REPOSITORY / "workflow" / "schemas" / "config.schema.yaml"


class _UniqueKeys(yaml.SafeLoader):
    """Refuses a key that stands twice in a block: YAML itself lets the second one win in silence."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        if twice := sorted({key for key in keys if keys.count(key) > 1}):
            mark = node.start_mark
            raise yaml.constructor.ConstructorError(None, None, f"key {twice[0]!r} stands twice", mark)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path | str) -> dict:
    """Read a YAML file that holds a mapping.

    Raises
    ------
    InputError
        The file is missing, is no YAML, or holds something else.
    """
    try:
        content = yaml.load(Path(path).read_text(encoding="utf-8"), _UniqueKeys)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not YAML ({' '.join(str(error).split())})") from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: holds a {type(content).__name__}, wanted a mapping of keys")
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
    """The JSON schema of a configuration: that of the file, and a block for each experiment from its settings."""
    whole = read_yaml(SCHEMA)
    blocks = {
        name: experiment.schema() for name, experiment in EXPERIMENTS.items() if experiment.block is None
    }
    return {
        **whole,
        "required": [*whole["required"], *blocks],
        "properties": {**whole["properties"], **blocks},
    }


def load_config(*paths: Path | str) -> dict:
    """The checked configuration of a study: config.yaml with study files laid on it, the last on top."""
    files = [REPOSITORY / "config.yaml", *(Path(path) for path in paths)]
    contents = [read_yaml(file) for file in files]
    config: dict = {}
    for content in contents:
        config = overlay(config, content)
    check_config(config, dict(zip(map(str, files), contents, strict=True)))
    return config


def check_config(config: Mapping, origins: Mapping[str, Mapping] | None = None) -> None:
    """Check a configuration against the schema and the source it names.

    Parameters
    ----------
    config : the merged configuration.
    origins : the content of each file it was merged from, by path, so that an error can name the file.

    Raises
    ------
    InputError
        One line: file, key, what was there and what is allowed.
    """
    errors = sorted(Draft202012Validator(schema()).iter_errors(config), key=relevance, reverse=True)
    if errors:
        raise InputError(_explain(errors[0], config, origins or {}))
    if config["source"] not in config:
        raise InputError(
            f"configuration: source is {config['source']}, so the block {config['source']!r} is wanted"
        )
    from aucstudy.sources import check_source

    check_source(config)


def _explain(error: ValidationError, config: Mapping, origins: Mapping[str, Mapping]) -> str:
    path = [str(part) for part in error.absolute_path]
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        unknown = next(key for key in error.instance if key not in known)
        path.append(str(unknown))
        near = difflib.get_close_matches(str(unknown), known, n=1)
        meant = f"did you mean {near[0]!r}? " if near else ""
        told = f"unknown key (value {_short(error.instance[unknown])}); {meant}allowed: {', '.join(known)}"
    elif error.validator == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        path.append(missing)
        told = "the key is missing"
    else:
        told = f"is {_short(error.instance)}; wanted: {_wanted(error)}"
    return f"{_origin(path, origins)}: {'.'.join(path)}: {told}"


def _wanted(error: ValidationError) -> str:
    """What the schema allows, in words."""
    value = error.validator_value
    if described := error.schema.get("description"):
        return described
    words = {
        "enum": lambda: " | ".join(map(str, value)),
        "type": lambda: value if isinstance(value, str) else " or ".join(value),
        "minimum": lambda: f"at least {value}",
        "maximum": lambda: f"at most {value}",
        "exclusiveMinimum": lambda: f"more than {value}",
        "exclusiveMaximum": lambda: f"less than {value}",
        "pattern": lambda: f"text like {value}",
        "minItems": lambda: f"at least {value} entries",
        "not": lambda: "another value, this one is reserved",
    }
    return words.get(error.validator, lambda: error.message)()


def _origin(path: Sequence[str], origins: Mapping[str, Mapping]) -> str:
    """The last file that sets the key, or the word configuration."""
    for name, content in reversed(origins.items()):
        found: object = content
        for part in path:
            if not isinstance(found, Mapping) or part not in found:
                break
            found = found[part]
        else:
            return Path(name).name
    return "configuration"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
