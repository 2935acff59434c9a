"""The files of a study's folder: the study file that is meant, and the file of rules for it."""

from pathlib import Path

from aucstudy.errors import InputError

STUDY, RULES = "study.yaml", "rules.yaml"
# The file of claims that only the study decides, and the code that judges them.
CLAIMS, JUDGES_OF_CLAIMS = "claims.yaml", "claims.py"


def names_file(name: object) -> bool:
    """Return whether an entry of a list of metrics is the path of a Python file, such as ./mine.py, and not a name."""
    return isinstance(name, str) and ("/" in name or name.endswith(".py"))


def study_file(study: Path | str, shipped: Path) -> Path:
    """Return the study file that a file, a folder with a study file, or a name in the folder `shipped` means.

    InputError is raised if a folder has no `study.yaml` and not exactly one other study file.
    """
    path = Path(study)
    if not path.exists() and not path.is_absolute() and (shipped / path).exists():
        path = shipped / path
    if not path.is_dir() or (path / STUDY).is_file():
        return path / STUDY if path.is_dir() else path
    files = study_files(path)
    if len(files) == 1:
        return files[0]
    names = (
        f"it holds {', '.join(file.name for file in files)}; name one of them" if files else "it holds none"
    )
    raise InputError(f"{path}: a study file is needed, or a folder with a {STUDY}; {names}")


def study_files(folder: Path) -> list[Path]:
    """Return the study files of a folder: its YAML files, without files of rules and of claims."""
    files = sorted(folder.glob("*.yaml"))
    return [file for file in files if file.name != CLAIMS and not _is_rules_file(file)]


def rules_file(study: Path) -> Path | None:
    """Return the file of rules for a study file, or None if there is none.

    It is called `rules.yaml` for `study.yaml`, and `mine-rules.yaml` for `mine.yaml`.
    """
    path = study.with_name(RULES if study.name == STUDY else f"{study.stem}-{RULES}")
    return path if path.is_file() and not _is_rules_file(study) else None


def _is_rules_file(path: Path) -> bool:
    return path.name == RULES or path.name.endswith(f"-{RULES}")
