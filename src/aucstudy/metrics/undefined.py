"""The warning that an area is not defined: a kind of scikit-learn's own where scikit-learn is installed."""

from functools import cache
from typing import Any


@cache
def warning_class() -> type[UserWarning]:
    """`UndefinedMetricWarning`, made when it is first asked for: only then is scikit-learn imported, if it is there."""
    try:
        from sklearn.exceptions import UndefinedMetricWarning as Base
    except ModuleNotFoundError:
        Base = UserWarning
    text = "An area that is not defined for these labels, and is NaN."
    return type("UndefinedMetricWarning", (Base,), {"__module__": __name__, "__doc__": text})


def __getattr__(name: str) -> Any:
    if name == "UndefinedMetricWarning":
        return warning_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
