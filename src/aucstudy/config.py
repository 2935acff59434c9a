"""Reading, merging and checking the configuration of a study before anything runs."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import yaml
from jsonschema import ValidationError

from aucstudy.errors import InputError
from aucstudy.experiments import contract
from aucstudy.sources import (
    OWN_SETTINGS,
    SOURCES,
    brings_models,
    check_source,
    known_sources,
    path_settings,
    settings_key,
    usual_experiments,
)
from aucstudy.study_folder.files import CLAIMS, names_file, rules_file, study_file
from aucstudy.study_folder.packages import missing_packages
from aucstudy.study_folder.settings import explained, first_error, nearest, short

_PACKAGE = Path(__file__).parent
IN_CHECKOUT = (_PACKAGE.parents[1] / "Snakefile").exists()
# The folder of the files that run a study: Snakefile, config.yaml, workflow/ and profiles/. A wheel has them
# inside the package.
WORKFLOW = _PACKAGE.parents[1] if IN_CHECKOUT else _PACKAGE / "shipped"
DEFAULT = WORKFLOW / "config.yaml"  # the default study
REPOSITORY = WORKFLOW if IN_CHECKOUT else Path.cwd()
SCHEMA = WORKFLOW / "workflow" / "schemas" / "config.schema.yaml"
STUDIES = WORKFLOW / "studies"
ABSENT = object()
_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_NOT_AS_WRITTEN = re.compile(r"[+-]?0[0-9_]+|.*:.*")  # octal numbers, and numbers in base 60


class _AsWritten(yaml.SafeLoader):
    """A YAML loader that refuses tags, aliases, and all that YAML would silently read as something else.

    Without it the last of two equal keys would win, 010 would be 8 and 1:30 would be 90.
    """

    def compose_node(self, parent, index):
        event = self.peek_event()
        if tag := getattr(event, "tag", None):
            _refuse(event, f"the tag {tag}; values that are written out are needed")
        if isinstance(event, yaml.AliasEvent):
            _refuse(event, f"the alias *{event.anchor}; values that are written out are needed")
        return super().compose_node(parent, index)

    def construct_scalar(self, node):
        value = super().construct_scalar(node)
        if node.tag in _NUMBERS and _NOT_AS_WRITTEN.fullmatch(value):
            advice = "a number without leading zeros and colons, or text in quotes, is needed"
            _refuse(node, f"{value} is another number in YAML; {advice}")
        return value

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if twice := sorted({key for key in keys if keys.count(key) > 1}):
            _refuse(node, f"key {twice[0]!r} is there more than once")
        return super().construct_mapping(node, deep)


def _refuse(node: yaml.Node | yaml.Event, fault: str) -> NoReturn:
    raise yaml.MarkedYAMLError(None, None, fault, node.start_mark)


def read_yaml(path: Path | str) -> dict:
    try:
        content = yaml.load(Path(path).read_text(encoding="utf-8"), _AsWritten)
    except OSError as error:
        raise InputError(f"{Path(path).absolute()}: cannot be read ({error.strerror})") from None
    # A ValueError comes from bytes that are not UTF-8, from impossible dates and from numbers of very many
    # digits.
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"{path}: not YAML ({' '.join(str(error).split())})") from None
    except RecursionError:
        raise InputError(
            f"{path}: blocks and lists are nested too deeply; a study file has two levels"
        ) from None
    if not isinstance(content, dict):
        kind = "nothing" if content is None else short(repr(content))
        raise InputError(f"{path}: holds {kind}; expected: keys with their values, as in config.yaml")
    return content


def working_folder(directory: Path | None = None) -> Path:
    """Return the folder that has data/ and results/.

    It is `directory` if one is given. Otherwise it is the current folder, or the top folder of a checkout if
    the current folder lies in the checkout.
    """
    folder = Path(os.path.abspath(directory or "."))
    in_checkout = IN_CHECKOUT and folder.resolve().is_relative_to(WORKFLOW.resolve())
    return WORKFLOW if in_checkout and not directory else folder


def overlay(base: Mapping, over: Mapping) -> dict:
    """Return `base` with the values of `over` put over it, block by block, as Snakemake merges config files.

    >>> overlay({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}})
    {'a': {'b': 1, 'c': 3}}
    """
    merged = dict(base)
    for key, value in over.items():
        both_nested = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = overlay(merged[key], value) if both_nested else value
    return merged


def schema(config: Mapping | None = None) -> dict:
    """Return the JSON schema of a configuration, with the study's own experiments and its own source."""
    declared = contract.experiments_of(config or {})
    base, blocks, names = read_yaml(SCHEMA), contract.schema(declared), list(declared)
    sources = {
        "enum": known_sources((config or {}).get("source")),
        "description": f"{' | '.join(SOURCES)}, or the path of a file like ./source.py",
    }
    listed_paths = [path for path in contract.own_experiments(config or {}) if Path(path).name in declared]
    listed = {"type": "array", "items": {"enum": [*names, *listed_paths]}, "uniqueItems": True}
    experiment_names = {"type": "array", "items": {"enum": names}, "uniqueItems": True}
    # `aucstudy run` sets `failed` to the experiments that failed, so that the rest of the study is made
    # without them.
    failed = {"type": "object", "propertyNames": {"enum": names}, "additionalProperties": {"type": "string"}}
    lists = {"source": sources, "experiments": listed, "without": experiment_names, "failed": failed}
    return {
        **base,
        "required": [*base["required"], *lists, *blocks],
        "properties": {**base["properties"], **lists, **blocks},
    }


def completed(config: Mapping) -> dict:
    """Return `config` with the defaults of config.yaml and of all experiments that it may list.

    The paths in `config` are full paths already.
    """
    base = read_yaml(DEFAULT)
    blocks = contract.defaults(contract.experiments_of({**base, **config}))
    full = overlay({"without": [], "failed": {}, "packages": [], **overlay(blocks, base)}, config)
    if full.get("min_flows") is None:
        # Predictions that the user brings have a given number of models, so two are enough. Elsewhere each
        # task must have as many models as are drawn.
        full["min_flows"] = 2 if brings_models(full["source"]) else full.get("models_per_task")
    return full


def study_meant(study: Path | str | None) -> Path | None:
    """Return the study file that a file, a folder or the name of a shipped study means.

    None stands for the default study.
    """
    return study_file(study, STUDIES) if study else None


def load_config(study: Path | str | None = None) -> dict:
    """Return the checked configuration of a study file, of a folder with one, or of the default study."""
    path = study_meant(study)
    files = [DEFAULT, *[path] * bool(path)]
    config = merged_config(read_yaml(path) if path else {}, files, check=True)
    check_what_it_names(config)
    return config


def merged_config(config: Mapping, files: Iterable[Path | str], *, check: bool) -> dict:
    """Return the complete configuration of a study, of which Snakemake merged `config` from `files`.

    With `check` it raises InputError if a key or a value is wrong. Whether the source can work with them is
    left to `check_source_and_packages`, because Snakemake may plan where nothing that a job imports is
    installed.
    """
    origins = {str(path): read_yaml(path) for path in files}
    complete = configured(config, origins)
    if check:
        check_keys(complete, origins)
    return complete


def configured(config: Mapping, origins: dict[str, Mapping]) -> dict:
    """Return `config` with the rules beside its files, with full paths and with all defaults.

    `origins` has the content of each file of which `config` was merged, by path. The rules are added to it,
    so that an error can name its file.
    """
    for file in list(origins):
        rules = rules_file(Path(file))
        if rules and str(rules) not in origins:
            origins[str(rules)] = read_yaml(rules)
            config = overlay(config, origins[str(rules)])
    return completed(_with_usual_experiments(located(config, origins), origins))


def _with_usual_experiments(config: dict, origins: Mapping[str, Mapping]) -> dict:
    """Return `config` with the experiments that its source names, if the study lists none itself."""
    usual = usual_experiments(config.get("source"))
    if not usual or _study_gives("experiments", origins):
        return config
    # The command line may list some, too.
    of_default = config.get("experiments") in (None, read_yaml(DEFAULT)["experiments"])
    return {**config, "experiments": usual} if of_default else config


def _study_gives(key: str, origins: Mapping[str, Mapping]) -> bool:
    """Return whether one of the merged files other than that of the default study has a key."""
    return any(key in content for file, content in origins.items() if os.path.abspath(file) != str(DEFAULT))


def located(config: Mapping, origins: Mapping[str, Mapping]) -> dict:
    """Return `config` with full paths.

    A path starts from the folder of the file that names it, or else from the working folder. `origins` has
    the content of each merged file, by path.
    """
    resolved = dict(config)
    source = resolved.get("source", "packaged")
    if isinstance(source, str) and source not in SOURCES and "/" in source:
        resolved["source"] = source = _located(resolved, ("source",), origins)
    if contract.own_experiments(resolved):
        names = resolved["experiments"]
        file = _naming(("experiments",), names, origins)
        folder = Path(file).parent if file else working_folder()
        resolved["experiments"] = [
            os.path.abspath(folder / name) if contract.is_own_experiment(name) else name for name in names
        ]
    names = resolved.get("metrics")
    if isinstance(names, list):
        file = _naming(("metrics",), names, origins)
        resolved["metrics"] = [_full(name, file) if names_file(name) else name for name in names]
    for name, key in _keys_of_paths(source):
        if _value(resolved, (name, key)) not in (ABSENT, None):
            resolved[name] = {**resolved[name], key: _located(resolved, (name, key), origins)}
    return resolved


def _keys_of_paths(source: object) -> list[tuple[str, str]]:
    """Return the keys (block, key) that hold a file or a folder, or a list of them.

    They are the keys of the package's sources and of the study's own source.
    """
    return [(settings_key(name), key) for name in known_sources(source) for key in path_settings(name)]


def _located(config: Mapping, path: tuple[str, ...], origins: Mapping[str, Mapping]) -> object:
    value = _value(config, path)
    return _full(value, _naming(path, value, origins))


def _naming(path: tuple[str, ...], value: object, origins: Mapping[str, Mapping]) -> str:
    """Return the last of the merged files that gives a key this value, or "" if none does."""
    naming = [file for file, content in origins.items() if _value(content, path) == value]
    return naming[-1] if naming else ""


def _full(value: object, file: str) -> object:
    if isinstance(value, list):
        return [_full(entry, file) for entry in value]
    folder = Path(file).parent if file else working_folder()
    # Anything but text is left as it is: the schema then says what is needed.
    return os.path.abspath(folder / value) if isinstance(value, str) else value


def shipped_experiments() -> dict[str, contract.Experiment]:
    """Return the experiments of the package and of all shipped studies, for the docs and for releases."""
    pages = sorted(path for path in STUDIES.glob("*/*.md") if path.stem != "README")
    return contract.experiments(tuple(str(path.with_suffix("")) for path in pages))


def claims_folders(config: Mapping) -> list[Path]:
    """Return the folders of a study's own source and experiments that have a file of claims."""
    files = [*contract.own_pages(config), *({config["source"]} - SOURCES.keys())]
    return sorted(folder for folder in {Path(file).parent for file in files} if (folder / CLAIMS).is_file())


def check_config(config: Mapping, origins: Mapping[str, Mapping] | None = None) -> None:
    """Raise InputError if a configuration, its source or its packages are wrong.

    `origins` is as in `configured`.
    """
    check_keys(config, origins)
    check_what_it_names(config)


def check_what_it_names(config: Mapping) -> None:
    """Raise InputError if the source, the packages or the metrics that a configuration names are wrong."""
    check_source_and_packages(config)
    check_metrics(config["metrics"])


def check_source_and_packages(config: Mapping) -> None:
    check_packages(config["packages"])
    check_source(config)


def check_metrics(names: Sequence[str]) -> None:
    """Raise InputError if a name in a study's list of metrics is unknown, or its file has no metric."""
    default = read_yaml(DEFAULT)["metrics"]
    further = [name for name in names if name not in default]
    if further:
        # The metrics of the default study are known, and loading the registry takes half a second.
        from aucstudy.metrics.registry import check_names

        check_names(further)


def check_keys(config: Mapping, origins: Mapping[str, Mapping] | None = None) -> None:
    for name, content in (origins or {}).items():
        if {"experiments", "without"} <= content.keys():
            raise InputError(f"{Path(name).name}: has both experiments and without; expected: one of the two")
    if error := first_error(config, schema(config)):
        raise InputError(_explain(error, origins or {}))
    if config["source"] in SOURCES and config["source"] not in config:
        raise InputError(
            f"configuration: source is {config['source']}, so the block {config['source']!r} is needed"
        )
    _refuse_block_of_another_source(config, origins or {})


def _refuse_block_of_another_source(config: Mapping, origins: Mapping[str, Mapping]) -> None:
    """Raise InputError if a study has settings of a source but names no source.

    Such a study would be the default study under another name.
    """
    if not origins or _study_gives("source", origins):
        return
    for block in (*(source for source in SOURCES if source != "packaged"), OWN_SETTINGS):
        if block in config and block != settings_key(config["source"]):
            expected = "./source.py" if block == OWN_SETTINGS else block
            raise InputError(
                f"{_origin([block], origins)}: {block}: is there, but the source is {config['source']}; "
                f"expected: source: {expected}"
            )


def check_packages(sections: Sequence[str]) -> None:
    """Raise InputError if packages of a study are missing, and name the line that installs them.

    `sections` are extras of this package. Each of them has a section in requirements.lock.
    """
    missing = {name: lacking for name in sections if (lacking := missing_packages(name))}
    if missing:
        packages = ", ".join(sorted(set().union(*missing.values())))
        line = f"pip install 'aucstudy[{','.join(missing)}]'"
        if IN_CHECKOUT:
            line = f"make {' '.join(f'.venv/.has-{name}' for name in missing)}"
        raise InputError(
            f"this study needs packages that are not installed ({packages}); install them by: {line}"
        )


def _explain(error: ValidationError, origins: Mapping[str, Mapping]) -> str:
    path, fault = explained(error)
    if error.validator == "enum" and path and path[0] in ("experiments", "without"):
        # An experiment of the study's own folder is named by the last part of its path.
        named = error.instance.rpartition("/")[2] if isinstance(error.instance, str) else error.instance
        known_names = [name for name in error.validator_value if not contract.is_own_experiment(name)]
        path = path[:1]
        known = f"{nearest(str(named), known_names)}known: {', '.join(known_names)}"
        fault = f"{short(repr(named))} is no experiment; {known}"
    return f"{_origin(path, origins)}: {'.'.join(path)}: {fault}"


def _origin(path: Sequence[str], origins: Mapping[str, Mapping]) -> str:
    naming = [Path(file).name for file in origins if _value(origins[file], path) is not ABSENT]
    return naming[-1] if naming else "configuration"


def _value(content: object, path: Sequence[str]) -> object:
    for key in path:
        if isinstance(content, list):
            break  # The rest of the path leads to an entry of this list.
        if not isinstance(content, Mapping) or key not in content:
            return ABSENT
        content = content[key]
    return content
