"""The files of a study's folder: which study file is meant, and the rules that are laid on it."""

from pathlib import Path

from aucstudy.errors import InputError

STUDY, RULES = "study.yaml", "rules.yaml"
# claims that only the study decides, and who judges them
CLAIMS, JUDGES_OF_CLAIMS = "claims.csv", "claims.py"


def study_file(study: Path | str, shipped: Path) -> Path:
    """The study file that is meant by a file, by a folder that holds one, or by a name in the folder `shipped`.

    InputError where a folder has no `study.yaml` and not exactly one other study file.
    """
    path = Path(study)
    if not path.exists() and not path.is_absolute() and (shipped / path).exists():
        path = shipped / path
    if not path.is_dir() or (path / STUDY).is_file():
        return path / STUDY if path.is_dir() else path
    files = sorted(file for file in path.glob("*.yaml") if not _is_rules_file(file))
    if len(files) == 1:
        return files[0]
    names = (
        f"it holds {', '.join(file.name for file in files)}; name one of them" if files else "it holds none"
    )
    raise InputError(f"{path}: a study file is needed, or a folder with a {STUDY}; {names}")


def rules_file(study: Path) -> Path | None:
    """The rules that are laid on a study file: `rules.yaml` on `study.yaml`, `mine-rules.yaml` on `mine.yaml`."""
    path = study.with_name(RULES if study.name == STUDY else f"{study.stem}-{RULES}")
    return path if path.is_file() and not _is_rules_file(study) else None


def _is_rules_file(path: Path) -> bool:
    return path.name == RULES or path.name.endswith(f"-{RULES}")
