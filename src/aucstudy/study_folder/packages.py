"""The distributions that the extras of this package require, and whether they are installed."""

from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement


def requirement_of(distribution: str) -> str:
    """Return a distribution with the versions that this package or one of its extras requires."""
    return next((f"{one.name}{one.specifier}" for one in _asked() if one.name == distribution), distribution)


def missing_packages(extra: str) -> list[str]:
    """Return the distributions that an extra of this package requires and that are not installed."""
    return [one.name for one in _asked() if _is_of(one, extra) and not is_installed(one.name)]


def _asked() -> list[Requirement]:
    return [Requirement(text) for text in requires("aucstudy") or ()]


def _is_of(requirement: Requirement, extra: str) -> bool:
    marker = requirement.marker
    return bool(marker) and marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""})


def is_installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True
