"""What the extras of this package ask for, and whether it is installed."""

from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement


def requirement_of(distribution: str) -> str:
    """A distribution with the versions that this package or one of its extras asks for."""
    return next((f"{one.name}{one.specifier}" for one in _asked() if one.name == distribution), distribution)


def missing_packages(extra: str) -> list[str]:
    """The distributions that an extra of this package asks for and that are not installed."""
    return [one.name for one in _asked() if _is_of(one, extra) and not _is_installed(one.name)]


def _asked() -> list[Requirement]:
    return [Requirement(text) for text in requires("aucstudy") or ()]


def _is_of(requirement: Requirement, extra: str) -> bool:
    marker = requirement.marker
    return bool(marker) and marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""})


def _is_installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True
