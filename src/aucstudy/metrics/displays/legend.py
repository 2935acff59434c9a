"""What a legend says of a curve and its area."""

from collections.abc import Sequence

import numpy as np


def label_of(name: str | None, areas: Sequence[float] | None, what: str) -> str:
    """Legend text as scikit-learn words it: NAME (AREA = 0.12), of several areas NAME (AREA = 0.12 +/- 0.01)."""
    if areas is None:
        return name or ""
    spread = f" +/- {np.std(areas):.2f}" if len(areas) > 1 else ""
    value = f"{what} = {np.mean(areas):.2f}{spread}"
    return f"{name} ({value})" if name else value
