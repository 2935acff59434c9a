"""An analysis as JSON."""

import json
import math
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from aucstudy.audit.analysis import Analysis
    from aucstudy.audit.metric_tables import MetricAnalysis


def json_text(analysis: "Analysis | MetricAnalysis") -> str:
    return json.dumps(analysis.as_json(), indent=1, allow_nan=False) + "\n"


def records(frame: pd.DataFrame | None) -> list[dict[str, object]] | None:
    """The rows of a table, with the index where it has a name."""
    if frame is None:
        return None
    frame = frame.reset_index() if frame.index.name else frame
    return [{key: _plain(value) for key, value in row.items()} for row in frame.to_dict("records")]


def _plain(value: object) -> object:
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
