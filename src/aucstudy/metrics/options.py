"""Checks of the options of the metrics, with errors that say what came and what is wanted."""

_LEAST_PREVALENCE = 1e-100  # below, products of its inverse are no longer finite


def checked_recall_range(recall_range: tuple[float, float] | None) -> tuple[float, float]:
    """Return (a, b) with 0 <= a < b <= 1; None means (0, 1)."""
    if recall_range is None:
        return 0.0, 1.0
    try:
        a, b = (float(value) for value in recall_range)
    except (TypeError, ValueError):
        a = b = float("nan")
    if not 0 <= a < b <= 1:
        raise ValueError(f"recall_range must be (a, b) with 0 <= a < b <= 1, not {recall_range!r}")
    return a, b


def checked_prevalence(prevalence: float | None) -> float | None:
    """Return a prevalence in [1e-100, 1), or None."""
    if prevalence is None:
        return None
    try:
        value = float(prevalence)
    except (TypeError, ValueError):
        value = float("nan")
    if not 0 < value < 1:
        raise ValueError(f"prevalence must lie strictly between 0 and 1, not {prevalence!r}")
    if value < _LEAST_PREVALENCE:
        raise ValueError(f"prevalence must be at least {_LEAST_PREVALENCE:g}, not {prevalence!r}")
    return value


def checked_negative_gains(negative_gains: str) -> bool:
    """Return whether negative precision gains are clipped to 0."""
    if negative_gains not in ("signed", "clip"):
        raise ValueError(f"negative_gains must be 'signed' or 'clip', not {negative_gains!r}")
    return negative_gains == "clip"
